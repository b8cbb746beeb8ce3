// SPDX-License-Identifier: BSD-3-Clause
//
// accl_demux - stream demultiplexer of what ACCL's engine receives, 1 to N by the TDEST of each beat.
//
// TDEST is the id of a stream, set by the sender. Ids come from registers, one for each output; each beat is looked
// at by itself, since TLAST marks segments of the network, which those of other senders may interrupt. Beats with an id that
// no output has are taken and lost, and `unknown` pulses for each. Outputs with the same id all get its beats.
//
// There is one queue before the block and no credits behind it: an output that does not take its beat stops all others.
// While `enable` is low nothing is taken. `ids` may change while no beat is offered.
//
// Throughput  one beat per cycle, no bubble when the output changes
// Latency     1 cycle
// Paths       every output is a flop, no combinational path at all
// Storage     2 beats
// Resources   DATA_W + 7*N + 10 LUT, 2*DATA_W + 2*N + 6 FF
//
// Parameters: N       outputs, 1 to 32
//             DATA_W  bits of a beat without tlast, 1 or more
// Checked by: test_accl_demux.py
`default_nettype none

module accl_demux #(
    parameter int N      = 1,
    parameter int DATA_W = 512
) (
    input  wire                   aclk,
    input  wire                   aresetn,
    input  wire                   enable,
    input  wire  [8*N-1:0]        ids,      // of output 0 at the bottom

    input  wire  [DATA_W-1:0]     s_axis_tdata,
    input  wire  [7:0]            s_axis_tdest,
    input  wire                   s_axis_tlast,
    input  wire                   s_axis_tvalid,
    output logic                  s_axis_tready,

    output logic [N*DATA_W-1:0]   m_axis_tdata,
    output logic [N-1:0]          m_axis_tlast,
    output logic [N-1:0]          m_axis_tvalid,
    input  wire  [N-1:0]          m_axis_tready,

    output logic                  unknown   // a beat was lost, two cycles after it was taken
);

    generate
        if (N < 1 || N > 32) begin : g_check_n
            N_must_be_1_to_32 parameter_error();
        end
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
    endgenerate

    // axis_register with a valid flop for each output; what is lost goes through it with none.
    logic [DATA_W:0] data_q, skid_q;
    logic [N-1:0]    valid_q, skid_to_q;
    logic            skid_valid_q, ready_q, fire_q;

    wire [N-1:0] to;
    for (genvar i = 0; i < N; i++) begin : g_to
        assign to[i] = s_axis_tdest == ids[i*8 +: 8];
    end

    wire fire   = s_axis_tvalid && ready_q;
    wire m_free = (valid_q & ~m_axis_tready) == '0;
    wire skid_valid_d = !m_free && (skid_valid_q || fire);

    always_ff @(posedge aclk) begin
        if (m_free) data_q <= ready_q ? {s_axis_tlast, s_axis_tdata} : skid_q;
        if (ready_q) skid_q    <= {s_axis_tlast, s_axis_tdata};
        if (ready_q) skid_to_q <= to;

        if (!m_free)           valid_q <= valid_q & ~m_axis_tready;
        else if (skid_valid_q) valid_q <= skid_to_q;
        else                   valid_q <= fire ? to : '0;
        skid_valid_q <= skid_valid_d;
        ready_q      <= enable && !skid_valid_d;
        // Of the beat that was taken in the last cycle skid_to_q says where it goes, skid or not.
        fire_q       <= fire;
        unknown      <= fire_q && skid_to_q == '0;

        if (!aresetn) begin
            valid_q      <= '0;
            skid_valid_q <= 1'b0;
            ready_q      <= 1'b0;
            fire_q       <= 1'b0;
            unknown      <= 1'b0;
        end
    end

    assign s_axis_tready = ready_q;
    assign m_axis_tdata  = {N{data_q[DATA_W-1:0]}};
    assign m_axis_tlast  = {N{data_q[DATA_W]}};
    assign m_axis_tvalid = valid_q;

endmodule

`default_nettype wire
