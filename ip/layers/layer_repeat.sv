// SPDX-License-Identifier: BSD-3-Clause
//
// layer_repeat - hands every group of BEATS beats out TIMES times: a pixel or a row of FINN's upsampling.
//
// The first time, a group passes through and is stored; the input then waits until it has gone out for the last time.
//
// Throughput  one beat per cycle out
// Latency     1 cycle
// Paths       every output is a flop or decoded from flops, no combinational path at all
// Resources   BEATS words of LUTRAM up to 64 of them, else axis_fifo #(DATA_W, BEATS + 4) in block RAM;
//             axis_register #(DATA_W), counters
//
// Parameters: DATA_W  bits of a beat, 1 or more
//             BEATS   beats of a group, 1 or more
//             TIMES   how often it goes out, 1 or more
// Checked by: test_layers.py
`default_nettype none

module layer_repeat #(
    parameter int DATA_W = 8,
    parameter int BEATS  = 1,
    parameter int TIMES  = 2
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    localparam int BEAT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam int TIME_W = TIMES > 1 ? $clog2(TIMES) : 1;

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (BEATS < 1 || TIMES < 1) begin : g_check_counts
            BEATS_and_TIMES_must_be_at_least_1 parameter_error();
        end
    endgenerate

    logic [BEAT_W-1:0] beat_q;
    logic [TIME_W-1:0] time_q;
    wire  [DATA_W-1:0] kept;
    wire               kept_valid, room, ready;

    wire first = time_q == '0;
    wire last  = time_q == TIME_W'(TIMES - 1);
    wire able  = aresetn && (last || room);  // to keep the beat
    wire valid = able && (first ? s_axis_tvalid : kept_valid);
    wire fire  = valid && ready;

    assign s_axis_tready = first && able && ready;

    always_ff @(posedge aclk) begin
        if (fire) begin
            beat_q <= beat_q == BEAT_W'(BEATS - 1) ? '0 : beat_q + 1'b1;
            if (beat_q == BEAT_W'(BEATS - 1)) time_q <= last ? '0 : time_q + 1'b1;
        end
        if (!aresetn) begin
            beat_q <= '0;
            time_q <= '0;
        end
    end

    generate
        if (BEATS <= 64) begin : g_small
            (* ram_style = "distributed" *) logic [DATA_W-1:0] mem [0:BEATS-1];
            always_ff @(posedge aclk) if (fire && first) mem[beat_q] <= s_axis_tdata;
            assign kept       = mem[beat_q];
            assign kept_valid = 1'b1;
            assign room       = 1'b1;
        end else begin : g_large
            // A loop: what goes out and is still needed goes in again.
            wire [$clog2(BEATS+6)-1:0] level;
            axis_fifo #(.DATA_W(DATA_W), .DEPTH(BEATS + 4)) u_fifo (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(first ? s_axis_tdata : kept),
                .s_axis_tvalid(fire && !last),
                .s_axis_tready(room),
                .m_axis_tdata(kept),
                .m_axis_tvalid(kept_valid),
                .m_axis_tready(fire && !first),
                .level(level)
            );
            wire unused = &{1'b0, level};
        end
    endgenerate

    axis_register #(.DATA_W(DATA_W)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(first ? s_axis_tdata : kept),
        .s_axis_tvalid(valid),
        .s_axis_tready(ready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
