// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_sender - the proof of how packets leave vnx_sender: whole, without a pause, no longer than they may be.
//
// Source and network are free, and so is m_net_axis_tready. Which packets are sent, and which may be written over, is
// proved in vnx_window; what is in them, in vnx_pack. Asserted:
//   stable_*   while a beat waits, nothing of it changes; quiet_out: none in reset
//   pause      no pause inside a packet; between: `drained` only between packets
//   bounded    no packet is longer than PACKET_BEATS; alone: a PROBE is one full beat; long: a HELLO has as many as a full packet
//   full       no beat but the last of a packet lacks bytes
//   done       frame_done follows the last beat of a packet
`default_nettype none

module formal_vnx_sender #(
    parameter int FRAME_BYTES    = 240,
    parameter int PACKET_BEATS   = 3,
    parameter int SLOTS          = 4,
    parameter int HELLO_CYCLES   = 4,
    parameter int TIMEOUT_CYCLES = 3
) (
    input wire         aclk,
    input wire         aresetn,
    input wire         link_aresetn,
    input wire         drain,
    input wire [511:0] s_axis_tdata,
    input wire         s_axis_tlast,
    input wire         s_axis_tvalid,
    input wire [511:0] s_net_axis_tdata,
    input wire [63:0]  s_net_axis_tkeep,
    input wire         s_net_axis_tlast,
    input wire         s_net_axis_tuser,
    input wire         s_net_axis_tvalid,
    input wire         m_net_axis_tready
);

    wire         s_axis_tready, m_net_axis_tlast, m_net_axis_tvalid, drained, frame_done;
    wire [511:0] m_net_axis_tdata;
    wire [63:0]  m_net_axis_tkeep;

    vnx_sender #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS),
        .HELLO_CYCLES(HELLO_CYCLES), .TIMEOUT_CYCLES(TIMEOUT_CYCLES)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axil_awaddr(7'd0), .s_axil_awprot(3'd0), .s_axil_awvalid(1'b0), .s_axil_awready(),
        .s_axil_wdata(32'd0), .s_axil_wstrb(4'd0), .s_axil_wvalid(1'b0), .s_axil_wready(),
        .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
        .s_axil_araddr(7'd0), .s_axil_arprot(3'd0), .s_axil_arvalid(1'b0), .s_axil_arready(),
        .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b1),
        .drain(drain), .drained(drained),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .number('0), .number_known(1'b0), .taint(1'b0),
        .s_net_axis_tdata(s_net_axis_tdata), .s_net_axis_tkeep(s_net_axis_tkeep), .s_net_axis_tlast(s_net_axis_tlast),
        .s_net_axis_tuser(s_net_axis_tuser), .s_net_axis_tvalid(s_net_axis_tvalid),
        .m_net_axis_tdata(m_net_axis_tdata), .m_net_axis_tkeep(m_net_axis_tkeep), .m_net_axis_tlast(m_net_axis_tlast),
        .m_net_axis_tvalid(m_net_axis_tvalid), .m_net_axis_tready(m_net_axis_tready), .frame_done(frame_done)
    );

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam logic [3:0] KIND_HELLO = 4'd1;
    localparam logic [3:0] KIND_PROBE = 4'd2;

    formal_reset u_reset (.aclk(aclk), .aresetn(link_aresetn));
    formal_reset u_reset_all (.aclk(aclk), .aresetn(aresetn));
    always_comb if (!aresetn) assume (!link_aresetn);

    formal_sink #(.DATA_W(1 + 64 + 512)) u_sink (
        .aclk(aclk), .aresetn(link_aresetn), .pending(1'b0),
        .tdata({m_net_axis_tlast, m_net_axis_tkeep, m_net_axis_tdata}),
        .tvalid(m_net_axis_tvalid), .tready(m_net_axis_tready)
    );

    wire        d_free, d_control;  // the register at m_net_axis takes what stands before it: a HELLO or PROBE
    logic [7:0] at_q;
    logic       control_q, last_q;
    wire        first = at_q == '0;
    wire        fire  = m_net_axis_tvalid && m_net_axis_tready;
    wire [3:0]  says  = m_net_axis_tdata[BIT_KIND +: BITS_KIND];

    always_ff @(posedge aclk) begin
        if (fire) at_q <= m_net_axis_tlast ? '0 : at_q + 1'b1;
        if (d_free) control_q <= d_control;
        last_q <= fire && m_net_axis_tlast;
        if (!link_aresetn) at_q <= '0;
        if (!link_aresetn) last_q <= 1'b0;
    end

    always_comb if (link_aresetn) begin
        if (!first) pause: assert (m_net_axis_tvalid);
        if (drained) between: assert (first && !m_net_axis_tvalid);
        if (m_net_axis_tvalid) begin
            bounded: assert (at_q < 8'(PACKET_BEATS) && (m_net_axis_tlast || at_q < 8'(PACKET_BEATS - 1)));
            if (control_q && says == KIND_PROBE) alone: assert (first && m_net_axis_tlast && m_net_axis_tkeep == '1);
            if (control_q && says != KIND_PROBE)
                long: assert (says == KIND_HELLO && m_net_axis_tlast == (at_q == 8'(PACKET_BEATS - 1)) && m_net_axis_tkeep == '1);
            if (!m_net_axis_tlast) full: assert (m_net_axis_tkeep == '1);
        end
        if (frame_done) done: assert (last_q);
        hello: cover (fire && control_q && says == KIND_HELLO && m_net_axis_tlast);
        probe: cover (fire && control_q && says == KIND_PROBE);
        packet: cover (fire && !control_q && !first && m_net_axis_tlast);
    end

endmodule

`default_nettype wire
