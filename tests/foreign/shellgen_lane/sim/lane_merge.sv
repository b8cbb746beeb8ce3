// SPDX-License-Identifier: BSD-3-Clause
//
// lane_merge - simulation only: packets of several rows on the one port of a board, whole and in turn.
`default_nettype none

module lane_merge #(
    parameter int           N      = 1,
    parameter int           DATA_W = 128,
    parameter bit [4*N-1:0] ROWS   = '0,  // of the inputs
    parameter int           SEED   = 1
) (
    input  wire                    aclk,
    input  wire                    aresetn,
    input  wire [8*N-1:0]          stall,  // chances in 1/256 that an input pauses
    input  wire [N*DATA_W-1:0]     s_axis_tdata,
    input  wire [N*(DATA_W/8)-1:0] s_axis_tkeep,
    input  wire [N-1:0]            s_axis_tlast,
    input  wire [N-1:0]            s_axis_tvalid,
    output wire [N-1:0]            s_axis_tready,
    output wire [DATA_W-1:0]       m_axis_tdata,
    output wire [DATA_W/8-1:0]     m_axis_tkeep,
    output wire                    m_axis_tlast,
    output wire [3:0]              m_axis_tdest,
    output wire                    m_axis_tvalid,
    input  wire                    m_axis_tready
);
    logic [31:0] at_q;
    logic        busy_q, offered_q;
    wire         pause;

    bench_stall #(
        .SEED(SEED)
    ) u_stall (
        .aclk(aclk),
        .aresetn(aresetn),
        .chance(stall[at_q*8+:8]),
        .stall(pause)
    );

    wire ended = m_axis_tvalid && m_axis_tready && m_axis_tlast;

    assign m_axis_tdata  = s_axis_tdata[at_q*DATA_W+:DATA_W];
    assign m_axis_tkeep  = s_axis_tkeep[at_q*(DATA_W/8)+:DATA_W/8];
    assign m_axis_tlast  = s_axis_tlast[at_q];
    assign m_axis_tdest  = ROWS[at_q*4+:4];
    assign m_axis_tvalid = s_axis_tvalid[at_q] && (offered_q || !pause);
    assign s_axis_tready = m_axis_tvalid && m_axis_tready ? N'(1) << at_q : '0;

    always @(posedge aclk) begin
        offered_q <= m_axis_tvalid && !m_axis_tready;
        if (m_axis_tvalid) busy_q <= !ended;
        if (ended || (!busy_q && !s_axis_tvalid[at_q])) at_q <= at_q == 32'(N - 1) ? 32'd0 : at_q + 32'd1;
        if (!aresetn) begin
            at_q      <= 32'd0;
            busy_q    <= 1'b0;
            offered_q <= 1'b0;
        end
    end
endmodule

`default_nettype wire
