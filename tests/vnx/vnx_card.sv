// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_card - simulation only: the links of one card over VNx, as a core has them, behind one port each way.
//
// Of LINKS links the card sends those whose number is SIDE modulo 2, and receives the others; link i is row i on both
// cards. Frames come and leave unframed by the bench. The registers of each sender are read all the time: `named` says with
// `named_last` and `named_count` which frames it has lost, by its own numbers.
`default_nettype none

module vnx_card #(
    parameter int LINKS             = 3,
    parameter int SIDE              = 0,
    parameter int PACKET_BEATS      = 3,
    parameter int SLOTS             = 8,
    parameter int HELLO_CYCLES      = 512,
    parameter int TIMEOUT_CYCLES    = 400,
    parameter int ACK_EVERY         = 2,
    parameter int ACK_CYCLES        = 64,
    parameter bit [32*LINKS-1:0] FRAME_BYTES = '0     // 32 bits for each link
) (
    input  wire                     aclk,
    input  wire                     aresetn,
    input  wire                     link_aresetn,
    input  wire                     drain,
    output logic                    drained,

    input  wire  [LINKS*512-1:0]    s_axis_tdata,       // of the links that are sent
    input  wire  [LINKS-1:0]        s_axis_tlast,
    input  wire  [LINKS-1:0]        s_axis_tvalid,
    output logic [LINKS-1:0]        s_axis_tready,
    output logic [LINKS*512-1:0]    m_axis_tdata,       // of those that are received
    output logic [LINKS-1:0]        m_axis_tvalid,
    input  wire  [LINKS-1:0]        m_axis_tready,
    output logic [LINKS-1:0]        cut,
    output logic [LINKS-1:0]        named,
    output logic [LINKS*32-1:0]     named_count,
    output logic [LINKS*32-1:0]     named_last,

    input  wire  [511:0]            s_vnx_tdata,
    input  wire  [63:0]             s_vnx_tkeep,
    input  wire  [15:0]             s_vnx_tdest,
    input  wire                     s_vnx_tlast,
    input  wire                     s_vnx_tvalid,
    output logic [511:0]            m_vnx_tdata,
    output logic [63:0]             m_vnx_tkeep,
    output logic [15:0]             m_vnx_tdest,
    output logic                    m_vnx_tlast,
    output logic                    m_vnx_tvalid,
    input  wire                     m_vnx_tready
);
    localparam int ID_W = LINKS > 1 ? $clog2(LINKS) : 1;

    wire [511:0]          in_tdata, mixed_tdata;
    wire [63:0]           in_tkeep, mixed_tkeep;
    wire [15:0]           in_tdest;
    wire                  in_tlast, in_tuser, in_tvalid, mixed_tlast, mixed_tvalid, mixed_tready;
    wire [ID_W-1:0]       mixed_tid;
    wire [LINKS*577-1:0]  to_tdata;
    wire [LINKS*576-1:0]  from_tdata;
    wire [LINKS-1:0]      to_tlast, to_tvalid, from_tlast, from_tvalid, from_tready, is_drained;

    assign drained = &is_drained;

    vnx_check u_check (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_vnx_tdata), .s_axis_tkeep(s_vnx_tkeep), .s_axis_tdest(s_vnx_tdest), .s_axis_tlast(s_vnx_tlast),
        .s_axis_tvalid(s_vnx_tvalid), .s_axis_tready(),
        .m_axis_tdata(in_tdata), .m_axis_tkeep(in_tkeep), .m_axis_tdest(in_tdest), .m_axis_tlast(in_tlast),
        .m_axis_tuser(in_tuser), .m_axis_tvalid(in_tvalid), .received(), .bad()
    );

    axis_demux #(.N(LINKS), .DATA_W(577), .DEST_W(8), .REG_EN(0)) u_demux (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata({in_tuser, in_tkeep, in_tdata}), .s_axis_tdest(in_tdest[7:0]), .s_axis_tlast(in_tlast),
        .s_axis_tvalid(in_tvalid), .s_axis_tready(),
        .m_axis_tdata(to_tdata), .m_axis_tlast(to_tlast), .m_axis_tvalid(to_tvalid), .m_axis_tready('1),
        .error_dest()
    );

    axis_arbiter #(.N(LINKS), .DATA_W(576)) u_arbiter (
        .aclk(aclk), .aresetn(link_aresetn),
        .s_axis_tdata(from_tdata), .s_axis_tlast(from_tlast), .s_axis_tvalid(from_tvalid), .s_axis_tready(from_tready),
        .m_axis_tdata({mixed_tkeep, mixed_tdata}), .m_axis_tid(mixed_tid), .m_axis_tlast(mixed_tlast),
        .m_axis_tvalid(mixed_tvalid), .m_axis_tready(mixed_tready)
    );

    vnx_seal #(.PACKET_BEATS(PACKET_BEATS)) u_seal (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axis_tdata(mixed_tdata), .s_axis_tkeep(mixed_tkeep), .s_axis_tdest(16'(mixed_tid)), .s_axis_tlast(mixed_tlast),
        .s_axis_tvalid(mixed_tvalid), .s_axis_tready(mixed_tready),
        .m_axis_tdata(m_vnx_tdata), .m_axis_tkeep(m_vnx_tkeep), .m_axis_tdest(m_vnx_tdest), .m_axis_tlast(m_vnx_tlast),
        .m_axis_tvalid(m_vnx_tvalid), .m_axis_tready(m_vnx_tready)
    );

    for (genvar i = 0; i < LINKS; i++) begin : g_link
        if (i % 2 == SIDE) begin : g_sends
            logic [6:0]  araddr;
            logic        arvalid;
            wire         arready, rvalid;
            wire [31:0]  rdata;

            vnx_sender #(
                .FRAME_BYTES(FRAME_BYTES[32*i +: 32]), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(16'(i + 7)),
                .CONTRACT(64'(i)), .HELLO_CYCLES(HELLO_CYCLES), .TIMEOUT_CYCLES(TIMEOUT_CYCLES),
                .IDLE_CYCLES(4 * TIMEOUT_CYCLES)
            ) u_end (
                .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
                .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_awready(),
                .s_axil_wdata('0), .s_axil_wstrb('0), .s_axil_wvalid(1'b0), .s_axil_wready(),
                .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
                .s_axil_araddr(araddr), .s_axil_arprot('0), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
                .s_axil_rdata(rdata), .s_axil_rresp(), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
                .drain(drain), .drained(is_drained[i]),
                .s_axis_tdata(s_axis_tdata[512*i +: 512]), .s_axis_tlast(s_axis_tlast[i]),
                .s_axis_tvalid(s_axis_tvalid[i]), .s_axis_tready(s_axis_tready[i]),
                .number('0), .number_known(1'b0), .taint(1'b0),
                .s_net_axis_tdata(to_tdata[577*i +: 512]), .s_net_axis_tkeep(to_tdata[577*i + 512 +: 64]),
                .s_net_axis_tuser(to_tdata[577*i + 576]), .s_net_axis_tlast(to_tlast[i]), .s_net_axis_tvalid(to_tvalid[i]),
                .m_net_axis_tdata(from_tdata[576*i +: 512]), .m_net_axis_tkeep(from_tdata[576*i + 512 +: 64]),
                .m_net_axis_tlast(from_tlast[i]), .m_net_axis_tvalid(from_tvalid[i]), .m_net_axis_tready(from_tready[i]),
                .frame_done()
            );

            // LOST_FRAMES and LOST_LAST by turns; what the second says after the first has changed is of that loss.
            logic [31:0] told, count;
            logic        second, waits;
            always @(posedge aclk) begin
                named[i] <= 1'b0;
                arvalid  <= arvalid ? !arready : !waits;
                araddr   <= 7'(second ? `LOST_LAST : `LOST_FRAMES);
                if (!arvalid && !waits) waits <= 1'b1;
                if (rvalid && waits) begin
                    waits  <= 1'b0;
                    second <= !second;
                    if (!second) count <= rdata;
                    else if (count != told) begin
                        named[i]                  <= 1'b1;
                        named_count[32*i +: 32]   <= count - told;
                        named_last[32*i +: 32]    <= rdata;
                        told                      <= count;
                    end
                end
                if (!aresetn) begin
                    arvalid <= 1'b0; waits <= 1'b0; second <= 1'b0; count <= '0; told <= '0;
                end
            end

            assign m_axis_tdata[512*i +: 512] = '0;
            assign m_axis_tvalid[i] = 1'b0;
            assign cut[i] = 1'b0;
        end else begin : g_receives
            wire [2:0] error;

            vnx_receiver #(
                .FRAME_BYTES(FRAME_BYTES[32*i +: 32]), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(16'(i + 7)),
                .CONTRACT(64'(i)), .ACK_EVERY(ACK_EVERY), .ACK_CYCLES(ACK_CYCLES)
            ) u_end (
                .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
                .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_awready(),
                .s_axil_wdata('0), .s_axil_wstrb('0), .s_axil_wvalid(1'b0), .s_axil_wready(),
                .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
                .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0), .s_axil_arready(),
                .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b1),
                .drain(drain), .drained(is_drained[i]),
                .s_net_axis_tdata(to_tdata[577*i +: 512]), .s_net_axis_tkeep(to_tdata[577*i + 512 +: 64]),
                .s_net_axis_tuser(to_tdata[577*i + 576]), .s_net_axis_tlast(to_tlast[i]), .s_net_axis_tvalid(to_tvalid[i]),
                .m_net_axis_tdata(from_tdata[576*i +: 512]), .m_net_axis_tkeep(from_tdata[576*i + 512 +: 64]),
                .m_net_axis_tlast(from_tlast[i]), .m_net_axis_tvalid(from_tvalid[i]), .m_net_axis_tready(from_tready[i]),
                .m_axis_tdata(m_axis_tdata[512*i +: 512]), .m_axis_tvalid(m_axis_tvalid[i]),
                .m_axis_tready(m_axis_tready[i]),
                .m_axis_tuser(), .m_axis_taint(), .mark(), .mark_known(),
                .frame_done(), .error(error)
            );
            assign cut[i] = error[0];
            assign s_axis_tready[i] = 1'b0;
            always_comb begin
                named[i] = 1'b0; named_count[32*i +: 32] = '0; named_last[32*i +: 32] = '0;
            end
        end
    end

endmodule

`default_nettype wire
