// SPDX-License-Identifier: BSD-3-Clause
//
// cclo_arrival - simulation only: the depacketizer of an ACCL engine, wire -> data of the core; part of cclo.
//
// A message has a header of 64 bytes: its bytes and its stream id, which becomes TDEST. TLAST ends a packet, and the packets
// of two senders take turns. All receivers of a board share one queue.
//
// Throughput: a beat per cycle of aclk, less a header for each message.
// Parameters: QUEUE  beats that wait for the core, a power of two
// Source:     Xilinx/ACCL, kernels/cclo (eth_intf)
`default_nettype none

module cclo_arrival #(
    parameter int QUEUE = 32
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire         pause,   // no beat is offered to the core
    input  wire         torn,    // no TLAST where a put ends
    input  wire         noise,   // on the wires while nothing is offered

    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire [7:0]   m_axis_tdest,
    output wire         m_axis_tlast,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,

    input  wire         wire_clk,
    input  wire [511:0] s_wire_tdata,
    input  wire [7:0]   s_wire_tid,
    input  wire         s_wire_tlast,
    input  wire         s_wire_tvalid,
    output wire         s_wire_tready,

    output wire         busy     // a beat for the core is in here
);
    wire [511:0] got;
    wire [7:0]   from;
    wire         got_last, got_valid;
    logic [31:0] remain_q[0:255];  // bytes of a message that have not come, by who sends it
    logic [7:0]  stream_q[0:255];
    logic [584:0] out_q;  // what is offered: TKEEP, TDEST, TLAST, TDATA
    logic        out_valid_q;
    wire [31:0]  remain   = remain_q[from];
    wire         starts   = remain == 32'd0;
    wire         out_free = !out_valid_q || m_axis_tready;
    wire         take     = got_valid && (starts || (out_free && !pause));
    wire [63:0]  kept     = remain >= 32'd64 ? '1 : (64'd1 << remain) - 64'd1;

    wire_fifo #(.DATA_W(521), .BEATS(QUEUE)) u_from_wire (
        .aresetn(aresetn),
        .s_clk(wire_clk),
        .s_data({s_wire_tlast, s_wire_tid, s_wire_tdata}),
        .s_valid(s_wire_tvalid),
        .s_ready(s_wire_tready),
        .m_clk(aclk),
        .m_data({got_last, from, got}),
        .m_valid(got_valid),
        .m_ready(take)
    );
    assign m_axis_tvalid = out_valid_q;
    assign {m_axis_tkeep, m_axis_tdest, m_axis_tlast, m_axis_tdata} = out_valid_q ? out_q : {585{noise}} ^ out_q;

    assign busy = got_valid || out_valid_q;

    always_ff @(posedge aclk) begin
        if (out_free) out_valid_q <= take && !starts;
        if (take && !starts) out_q <= {kept, stream_q[from], got_last && !(torn && remain <= 32'd64), got};
        if (take && starts) begin
            remain_q[from] <= got[31:0];
            stream_q[from] <= got[39:32];
        end
        if (take && !starts) remain_q[from] <= remain >= 32'd64 ? remain - 32'd64 : 32'd0;
        if (!aresetn) begin
            out_valid_q <= 1'b0;
            for (int r = 0; r < 256; r++) remain_q[r] <= 32'd0;
        end
    end
endmodule

`default_nettype wire
