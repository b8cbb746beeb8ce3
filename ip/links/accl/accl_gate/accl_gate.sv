// SPDX-License-Identifier: BSD-3-Clause
//
// accl_gate - lets the beats of a frame through to ACCL's engine once accl_command has announced them, and no others.
//
// The engine takes the command of a put before its data and has room for about two words, so a beat that comes without
// a command would block the port for all. `request` says that a frame waits; when its command is out, `grant` opens the
// gate for BEATS beats.
//
// A frame whose command has been begun is always brought to its end: with `drain`, or once link_aresetn has been low while
// `chosen` was high, the rest of it is zeros, from its first beat if need be. So the engine gets exactly the beats of its
// command, the receiver may count, and the next beat is the first of a frame. No beat that was offered is withdrawn, in
// no reset but aresetn.
//
// Throughput  one beat per cycle while there is a grant
// Latency     1 cycle
// Paths       m_axis and s_axis_tready are registered (axis_register); request is one LUT behind s_axis_tvalid, drain
//             and link_aresetn, s_axis_tready two behind flops, drain and link_aresetn
// Resources   that of axis_register #(DATA_W + 1) and a beat counter
//
// frame_done pulses in the cycle after the last beat of a frame was taken at s_axis.
//
// Parameters: DATA_W  bits of a beat, 1 or more
//             BEATS   beats of a frame, 1 or more
// Checked by: test_accl_gate.py
`default_nettype none

module accl_gate #(
    parameter int DATA_W = 512,
    parameter int BEATS  = 1
) (
    input  wire                 aclk,
    input  wire                 aresetn,
    input  wire                 link_aresetn,  // low also while aresetn is

    input  wire                 drain,
    output logic                drained,

    output logic                request,  // a frame waits
    input  wire                 chosen,   // its command has been begun, and the engine has not taken its last beat
    input  wire                 grant,    // its command is out; only with `chosen`

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tlast,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready,

    output logic                frame_done
);

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
    endgenerate

    localparam int COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(BEATS - 1);

    logic [COUNT_W-1:0] count_q;  // beats of the frame
    logic               last_q;   // the next one is its last
    logic               full_q;   // the last one is on its way; nothing passes until the next grant
    logic               fill_q;   // the rest of the frame is zeros
    logic               out_ready;

    wire dead       = drain || !link_aresetn;
    wire open       = grant && !full_q;
    wire push_valid = open && (fill_q || (s_axis_tvalid && !dead));
    wire push       = push_valid && out_ready;
    wire ends       = push && last_q;
    wire [COUNT_W-1:0] count = last_q ? '0 : count_q + 1'b1;

    assign request       = s_axis_tvalid && !dead;
    assign s_axis_tready = out_ready && open && !fill_q && !dead;
    assign drained       = drain && !chosen;

    always_ff @(posedge aclk) begin
        if (push) count_q <= count;
        if (push) last_q  <= count == COUNT_LAST;
        full_q     <= grant && (full_q || ends);
        fill_q     <= (fill_q || (dead && chosen && !full_q)) && !ends;
        frame_done <= s_axis_tvalid && s_axis_tready && last_q;

        if (!aresetn) begin
            count_q    <= '0;
            last_q     <= BEATS == 1;
            full_q     <= 1'b0;
            fill_q     <= 1'b0;
            frame_done <= 1'b0;
        end
    end

    axis_register #(.DATA_W(DATA_W + 1)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({last_q, fill_q ? {DATA_W{1'b0}} : s_axis_tdata}),
        .s_axis_tvalid(push_valid),
        .s_axis_tready(out_ready),
        .m_axis_tdata({m_axis_tlast, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
