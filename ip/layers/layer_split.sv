// SPDX-License-Identifier: BSD-3-Clause
//
// layer_split - one stream goes to N in turn, a fixed number of beats to each: FINN's StreamingSplit.
//
// Of each pixel the first BEATS[0] beats go to output 0, the next to output 1, and so on. An output that stalls
// holds up those behind it.
//
// Throughput  one beat per cycle
// Latency     1 cycle
// Paths       every output is a flop or decoded from flops, no combinational path at all
// Resources   counters, axis_register #(DATA_W), 2*N LUT
//
// Parameters: N       outputs, 1 to 32
//             DATA_W  bits of a beat, 1 or more
//             BEATS   beats of each output in a pixel, 32 bits each and 1 or more, output 0 lowest
// Checked by: test_layers.py
`default_nettype none

module layer_split #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter bit [N*32-1:0] BEATS = {N{32'd1}}
) (
    input  wire                  aclk,
    input  wire                  aresetn,

    input  wire  [DATA_W-1:0]    s_axis_tdata,
    input  wire                  s_axis_tvalid,
    output logic                 s_axis_tready,

    output logic [N*DATA_W-1:0]  m_axis_tdata,
    output logic [N-1:0]         m_axis_tvalid,
    input  wire  [N-1:0]         m_axis_tready
);

    wire [N-1:0]      turn;
    wire [DATA_W-1:0] data;
    wire              valid;
    wire              ready = (turn & m_axis_tready) != '0;

    axis_register #(.DATA_W(DATA_W)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(data),
        .m_axis_tvalid(valid),
        .m_axis_tready(ready)
    );

    layer_turns #(.N(N), .BEATS(BEATS)) u_turns (
        .aclk(aclk), .aresetn(aresetn), .step(valid && ready), .turn(turn)
    );

    assign m_axis_tdata  = {N{data}};
    assign m_axis_tvalid = turn & {N{valid}};

endmodule

`default_nettype wire
