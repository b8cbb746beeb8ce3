// SPDX-License-Identifier: BSD-3-Clause
//
// transfer_copies - simulation only: one S2MM channel whose frames the program on the processor hands to N consumers.
//
// A beat is taken when all consumers have taken the one before it: what is read once is free when the last consumer has
// it. So a consumer that takes none stops the channel, and with it the others, only when the ring behind it is full.
// In a reset, a beat that has come is lost.
//
// Throughput: one beat per cycle, one cycle of latency.
// Parameters: N       consumers
//             DATA_W  tdata in bits, a multiple of 8
`default_nettype none

module transfer_copies #(
    parameter int N      = 2,
    parameter int DATA_W = 64
) (
    input  wire                  aclk,
    input  wire                  aresetn,
    input  wire [DATA_W-1:0]     s_axis_tdata,
    input  wire [DATA_W/8-1:0]   s_axis_tkeep,
    input  wire                  s_axis_tlast,
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,
    output wire [N*DATA_W-1:0]   m_axis_tdata,
    output wire [N*DATA_W/8-1:0] m_axis_tkeep,
    output wire [N-1:0]          m_axis_tlast,
    output wire [N-1:0]          m_axis_tvalid,
    input  wire [N-1:0]          m_axis_tready
);
    logic [N-1:0]        left_q;  // consumers that have not taken the beat
    logic [DATA_W-1:0]   data_q;
    logic [DATA_W/8-1:0] keep_q;
    logic                last_q;

    wire [N-1:0] left = left_q & ~m_axis_tready;

    assign s_axis_tready = aresetn && left == '0;
    assign m_axis_tvalid = left_q;
    assign m_axis_tdata  = {N{data_q}};
    assign m_axis_tkeep  = {N{keep_q}};
    assign m_axis_tlast  = {N{last_q}};

    always_ff @(posedge aclk) begin
        left_q <= left;
        if (s_axis_tvalid && s_axis_tready) begin
            left_q <= {N{1'b1}};
            data_q <= s_axis_tdata;
            keep_q <= s_axis_tkeep;
            last_q <= s_axis_tlast;
        end
        if (!aresetn) left_q <= '0;
    end
endmodule

`default_nettype wire
