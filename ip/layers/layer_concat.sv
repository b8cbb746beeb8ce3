// SPDX-License-Identifier: BSD-3-Clause
//
// layer_concat - interleaves N streams, a fixed number of beats of each in turn: FINN's StreamingConcat.
//
// A pixel of the output is BEATS[0] beats of input 0, then those of input 1, and so on. The other inputs
// wait for their turn, however many beats they have.
//
// Throughput  one beat per cycle
// Latency     1 cycle
// Paths       every output is a flop or decoded from flops, no combinational path at all
// Resources   an N to 1 multiplexer of DATA_W bits, counters, axis_register #(DATA_W)
//
// Parameters: N       inputs, 1 to 32
//             DATA_W  bits of a beat, 1 or more
//             BEATS   beats of each input in a pixel, 32 bits each and 1 or more, input 0 lowest
// Checked by: test_layers.py
`default_nettype none

module layer_concat #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter bit [N*32-1:0] BEATS = {N{32'd1}}
) (
    input  wire                  aclk,
    input  wire                  aresetn,

    input  wire  [N*DATA_W-1:0]  s_axis_tdata,
    input  wire  [N-1:0]         s_axis_tvalid,
    output logic [N-1:0]         s_axis_tready,

    output logic [DATA_W-1:0]    m_axis_tdata,
    output logic                 m_axis_tvalid,
    input  wire                  m_axis_tready
);

    wire [N-1:0]      turn;
    wire [DATA_W-1:0] gated [0:N];
    wire              ready;
    wire              valid = (turn & s_axis_tvalid) != '0;

    layer_turns #(.N(N), .BEATS(BEATS)) u_turns (
        .aclk(aclk), .aresetn(aresetn), .step(valid && ready), .turn(turn)
    );

    assign gated[0] = '0;
    generate
        for (genvar i = 0; i < N; i++) begin : g_input
            assign gated[i+1] = gated[i] | (s_axis_tdata[i*DATA_W +: DATA_W] & {DATA_W{turn[i]}});
        end
    endgenerate
    assign s_axis_tready = turn & {N{ready}};

    axis_register #(.DATA_W(DATA_W)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(gated[N]),
        .s_axis_tvalid(valid),
        .s_axis_tready(ready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
