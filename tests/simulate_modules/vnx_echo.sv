// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_echo - what a card has behind VNx, with a stream that comes in at row 0 and leaves again at row 1.
`default_nettype none

module vnx_echo #(
    parameter int FRAME_BYTES = 200, PACKET_BEATS = 2
) (
    input  wire         aclk,
    input  wire         aresetn,

    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire [15:0]  s_axis_tdest,
    input  wire         s_axis_tlast,
    input  wire         s_axis_tvalid,

    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire [15:0]  m_axis_tdest,
    output wire         m_axis_tlast,
    output wire         m_axis_tvalid
);
    wire [511:0]  checked_data, frame_data, mixed_data;
    wire [63:0]   checked_keep, mixed_keep;
    wire [15:0]   checked_dest;
    wire          checked_last, checked_user, checked_valid, frame_valid, frame_ready, id;
    wire          mixed_last, mixed_valid, mixed_ready;
    wire [1153:0] in;
    wire [1151:0] out;
    wire [1:0]    in_last, in_valid, out_last, out_valid, out_ready;

    vnx_check u_check (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tdest(s_axis_tdest),
        .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(),
        .m_axis_tdata(checked_data), .m_axis_tkeep(checked_keep), .m_axis_tdest(checked_dest),
        .m_axis_tlast(checked_last), .m_axis_tuser(checked_user), .m_axis_tvalid(checked_valid),
        .received(), .bad()
    );
    axis_demux #(.N(2), .DATA_W(577), .DEST_W(8), .REG_EN(0)) u_demux (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata({checked_user, checked_keep, checked_data}), .s_axis_tdest(checked_dest[7:0]),
        .s_axis_tlast(checked_last), .s_axis_tvalid(checked_valid), .s_axis_tready(),
        .m_axis_tdata(in), .m_axis_tlast(in_last), .m_axis_tvalid(in_valid), .m_axis_tready(2'b11), .error_dest()
    );
    vnx_receiver #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(8), .LINK(16'h1234), .CONTRACT(64'd7),
        .ACK_EVERY(2), .ACK_CYCLES(64)
    ) u_receiver (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn),
        .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_awready(), .s_axil_wdata('0),
        .s_axil_wstrb('0), .s_axil_wvalid(1'b0), .s_axil_wready(), .s_axil_bresp(), .s_axil_bvalid(),
        .s_axil_bready(1'b1), .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0), .s_axil_arready(),
        .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b1),
        .drain(1'b0), .drained(), .frame_done(), .error(),
        .s_net_axis_tdata(in[511:0]), .s_net_axis_tkeep(in[575:512]), .s_net_axis_tuser(in[576]),
        .s_net_axis_tlast(in_last[0]), .s_net_axis_tvalid(in_valid[0]),
        .m_net_axis_tdata(out[511:0]), .m_net_axis_tkeep(out[575:512]), .m_net_axis_tlast(out_last[0]),
        .m_net_axis_tvalid(out_valid[0]), .m_net_axis_tready(out_ready[0]),
        .m_axis_tdata(frame_data), .m_axis_tvalid(frame_valid), .m_axis_tready(frame_ready),
        .m_axis_tuser(), .m_axis_taint(), .mark(), .mark_known()
    );
    vnx_sender #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(8), .LINK(16'h4321), .CONTRACT(64'd8),
        .HELLO_CYCLES(128), .TIMEOUT_CYCLES(256), .IDLE_CYCLES(1024)
    ) u_sender (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn),
        .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_awready(), .s_axil_wdata('0),
        .s_axil_wstrb('0), .s_axil_wvalid(1'b0), .s_axil_wready(), .s_axil_bresp(), .s_axil_bvalid(),
        .s_axil_bready(1'b1), .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0), .s_axil_arready(),
        .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b1),
        .drain(1'b0), .drained(), .frame_done(),
        .s_axis_tdata(frame_data), .s_axis_tlast(1'b0), .s_axis_tvalid(frame_valid), .s_axis_tready(frame_ready),
        .number('0), .number_known(1'b0), .taint(1'b0),
        .s_net_axis_tdata(in[577 +: 512]), .s_net_axis_tkeep(in[1089 +: 64]), .s_net_axis_tuser(in[1153]),
        .s_net_axis_tlast(in_last[1]), .s_net_axis_tvalid(in_valid[1]),
        .m_net_axis_tdata(out[576 +: 512]), .m_net_axis_tkeep(out[1088 +: 64]), .m_net_axis_tlast(out_last[1]),
        .m_net_axis_tvalid(out_valid[1]), .m_net_axis_tready(out_ready[1])
    );
    axis_arbiter #(.N(2), .DATA_W(576)) u_arbiter (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(out), .s_axis_tlast(out_last), .s_axis_tvalid(out_valid), .s_axis_tready(out_ready),
        .m_axis_tdata({mixed_keep, mixed_data}), .m_axis_tid(id), .m_axis_tlast(mixed_last),
        .m_axis_tvalid(mixed_valid), .m_axis_tready(mixed_ready)
    );
    vnx_seal #(.PACKET_BEATS(PACKET_BEATS)) u_seal (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn),
        .s_axis_tdata(mixed_data), .s_axis_tkeep(mixed_keep), .s_axis_tdest({15'd0, id}), .s_axis_tlast(mixed_last),
        .s_axis_tvalid(mixed_valid), .s_axis_tready(mixed_ready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tdest(m_axis_tdest),
        .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(1'b1)
    );
endmodule

`default_nettype wire
