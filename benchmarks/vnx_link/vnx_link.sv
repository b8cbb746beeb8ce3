// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_link - frames without end from one card to another through the models of VNx and of a switch.
//
// Prints LINK, the payload bytes that were forwarded while +us=<n> microseconds passed, cycles, packets sent, packets
// lost and bursts; every byte is compared. The session is opened and the first microseconds are gone before. With +burst=<n>, n
// packets in a row of those that carry data are lost every BURST_US microseconds.
`default_nettype none
`timescale 1ps / 1ps

module vnx_link #(
    parameter int PACKET_BEATS = `PACKET_BEATS,
    parameter int FRAME_BYTES  = `FRAME_BYTES,
    parameter int ACK_EVERY    = `ACK_EVERY,
    parameter int TIMEOUT      = `TIMEOUT_CYCLES,
    parameter int REORDER      = `REORDER,
    parameter int FLIGHT       = `FLIGHT,
    parameter int SLOTS        = `SLOTS,
    parameter int PERIOD_PS    = `PERIOD_PS,
    localparam int BEATS       = (FRAME_BYTES + 63) / 64,
    localparam int BURST_US    = 40
);
    wire aclk, wire_clk;
    bench_clock #(.HALF_PS(PERIOD_PS / 2)) u_clock (.clk(aclk));
    bench_clock #(.HALF_PS(2560)) u_wire_clock (.clk(wire_clk));
    logic aresetn = 1'b0;
    logic [31:0] loss = 32'd0, seed = 32'd1, latency = 32'd0, burst = 32'd0;
    int us = 200;

    wire [1023:0] up_data, down_data;
    wire [13:0]   up_bytes, down_bytes;
    wire [1:0]    up_last, down_last, up_valid, down_valid;

    // Whole packets of the sender that are lost on the way to the switch.
    int   left, bursts;
    logic midway, gone_now, due;
    wire  data = up_data[8*(14+28+3) +: 4] == 4'd0;     // behind Ethernet, IP and UDP: the kind of packet
    wire  gone = midway ? gone_now : left != 0 && data;
    always @(posedge wire_clk) begin
        if (due && left == 0 && !midway) begin
            left   = int'(burst);
            bursts = bursts + 1;
            due    = 1'b0;
        end
        if (up_valid[0]) begin
            gone_now = gone;
            midway   = !up_last[0];
            if (up_last[0] && gone_now) left = left - 1;
        end
    end
    initial begin
        left = 0; bursts = 0; midway = 1'b0; gone_now = 1'b0; due = 1'b0;
        forever begin
            repeat (BURST_US) #1000000;
            due = burst != 32'd0;
        end
    end

    vnx_switch #(.PORTS(2)) u_switch (
        .wire_clk(wire_clk), .aresetn(aresetn), .dump(1'b0), .seed(seed), .latency(latency[15:0]), .toward(32'd0), .arp(1'b0),
        .loss(loss[15:0]), .burst(16'd0), .burst_length(8'd0), .duplicate(16'd0), .reorder(16'd0), .truncate(16'd0),
        .corrupt(16'd0), .beat(16'd0), .mtu(16'd0), .overflow(32'd0), .unresolved(32'd0),
        .s_wire_tdata(up_data), .s_wire_bytes(up_bytes), .s_wire_tlast(up_last), .s_wire_tvalid({up_valid[1], up_valid[0] && !gone}),
        .m_wire_tdata(down_data), .m_wire_bytes(down_bytes), .m_wire_tlast(down_last), .m_wire_tvalid(down_valid)
    );

    // per card: what the end sends and gets
    wire [511:0] out_tdata[0:1], sealed_tdata[0:1], in_tdata[0:1], checked_tdata[0:1];
    wire [63:0]  out_tkeep[0:1], sealed_tkeep[0:1], in_tkeep[0:1], checked_tkeep[0:1];
    wire [15:0]  sealed_tdest[0:1], in_tdest[0:1];
    wire [1:0]   out_tlast, out_tvalid, out_tready, sealed_tlast, sealed_tvalid, sealed_tready;
    wire [1:0]   in_tlast, in_tvalid, in_tready, checked_tlast, checked_tvalid, checked_tuser, errors;

    genvar card;
    generate
        for (card = 0; card < 2; card++) begin : g_card
            vnx_seal #(.PACKET_BEATS(PACKET_BEATS)) u_seal (
                .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn),
                .s_axis_tdata(out_tdata[card]), .s_axis_tkeep(out_tkeep[card]), .s_axis_tdest(16'd0),
                .s_axis_tlast(out_tlast[card]), .s_axis_tvalid(out_tvalid[card]), .s_axis_tready(out_tready[card]),
                .m_axis_tdata(sealed_tdata[card]), .m_axis_tkeep(sealed_tkeep[card]), .m_axis_tdest(sealed_tdest[card]),
                .m_axis_tlast(sealed_tlast[card]), .m_axis_tvalid(sealed_tvalid[card]), .m_axis_tready(sealed_tready[card])
            );
            vnx_stack #(.ROWS(1), .SEED(1 + card)) u_stack (
                .aclk(aclk), .aresetn(aresetn), .stall_in(8'd0), .stall_out(8'd0),
                .ip(32'hC0A8000A + card), .ip_mask(32'hFFFFFF00), .gateway(32'hC0A80001), .mac(48'h0253C0A8000A + card),
                .their_ip(32'hC0A8000B - card), .their_port(16'd50000), .my_port(16'd50000), .valid(1'b1),
                .arp_discovery(1'b0), .discovering(), .arp_at(), .arp_valid(1'b1), .arp_mac(48'h0253C0A8000B - card),
                .arp_learn(), .arp_learn_at(), .arp_learn_ip(), .arp_learn_mac(), .link(1'b1),
                .probe_beats(), .probe_packets(), .probe_bytes(),
                .s_axis_tdata(sealed_tdata[card]), .s_axis_tkeep(sealed_tkeep[card]), .s_axis_tdest(sealed_tdest[card]),
                .s_axis_tlast(sealed_tlast[card]), .s_axis_tvalid(sealed_tvalid[card]), .s_axis_tready(sealed_tready[card]),
                .m_axis_tdata(in_tdata[card]), .m_axis_tkeep(in_tkeep[card]), .m_axis_tdest(in_tdest[card]), .m_axis_tuser(),
                .m_axis_tlast(in_tlast[card]), .m_axis_tvalid(in_tvalid[card]), .m_axis_tready(in_tready[card]),
                .wire_clk(wire_clk),
                .m_wire_tdata(up_data[512*card+:512]), .m_wire_bytes(up_bytes[7*card+:7]),
                .m_wire_tlast(up_last[card]), .m_wire_tvalid(up_valid[card]),
                .s_wire_tdata(down_data[512*card+:512]), .s_wire_bytes(down_bytes[7*card+:7]),
                .s_wire_tlast(down_last[card]), .s_wire_tvalid(down_valid[card]),
                .error(errors[card]), .overflow(), .unresolved()
            );
            vnx_check u_check (
                .aclk(aclk), .aresetn(aresetn),
                .s_axis_tdata(in_tdata[card]), .s_axis_tkeep(in_tkeep[card]), .s_axis_tdest(in_tdest[card]),
                .s_axis_tlast(in_tlast[card]), .s_axis_tvalid(in_tvalid[card]), .s_axis_tready(in_tready[card]),
                .m_axis_tdata(checked_tdata[card]), .m_axis_tkeep(checked_tkeep[card]), .m_axis_tdest(),
                .m_axis_tlast(checked_tlast[card]), .m_axis_tuser(checked_tuser[card]), .m_axis_tvalid(checked_tvalid[card]),
                .received(), .bad()
            );
        end
    endgenerate

    logic [31:0]  sent_q, got_q, place_q;
    wire          send_ready, got_valid;
    wire  [511:0] got;
    wire  [2:0]   flags;
    localparam int LAST_BITS = 8 * (FRAME_BYTES - 64 * (BEATS - 1));
    function automatic logic [511:0] beat(input logic [31:0] number);
        for (int i = 0; i < 16; i++) beat[32*i+:32] = (number * 32'd16 + 32'(i)) * 32'h9E3779B1;
        if (number % BEATS == BEATS - 1) beat &= ~512'd0 >> (512 - LAST_BITS);
    endfunction

    vnx_sender #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .TIMEOUT_CYCLES(TIMEOUT),
        .REORDER(REORDER), .FLIGHT(FLIGHT)
    ) u_sender (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn),
        .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_awready(),
        .s_axil_wdata('0), .s_axil_wstrb('0), .s_axil_wvalid(1'b0), .s_axil_wready(),
        .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
        .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0), .s_axil_arready(),
        .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b1),
        .drain(1'b0), .drained(), .frame_done(),
        .s_axis_tdata(beat(sent_q)), .s_axis_tlast(place_q == BEATS - 1), .s_axis_tvalid(aresetn), .s_axis_tready(send_ready),
        .number('0), .number_known(1'b0), .taint(1'b0),
        .s_net_axis_tdata(checked_tdata[0]), .s_net_axis_tkeep(checked_tkeep[0]), .s_net_axis_tlast(checked_tlast[0]),
        .s_net_axis_tuser(checked_tuser[0]), .s_net_axis_tvalid(checked_tvalid[0]),
        .m_net_axis_tdata(out_tdata[0]), .m_net_axis_tkeep(out_tkeep[0]), .m_net_axis_tlast(out_tlast[0]),
        .m_net_axis_tvalid(out_tvalid[0]), .m_net_axis_tready(out_tready[0])
    );
    vnx_receiver #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .ACK_EVERY(ACK_EVERY)
    ) u_receiver (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn),
        .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_awready(),
        .s_axil_wdata('0), .s_axil_wstrb('0), .s_axil_wvalid(1'b0), .s_axil_wready(),
        .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
        .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0), .s_axil_arready(),
        .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b1),
        .drain(1'b0), .drained(), .frame_done(), .error(flags),
        .s_net_axis_tdata(checked_tdata[1]), .s_net_axis_tkeep(checked_tkeep[1]), .s_net_axis_tlast(checked_tlast[1]),
        .s_net_axis_tuser(checked_tuser[1]), .s_net_axis_tvalid(checked_tvalid[1]),
        .m_net_axis_tdata(out_tdata[1]), .m_net_axis_tkeep(out_tkeep[1]), .m_net_axis_tlast(out_tlast[1]),
        .m_net_axis_tvalid(out_tvalid[1]), .m_net_axis_tready(out_tready[1]),
        .m_axis_tdata(got), .m_axis_tvalid(got_valid), .m_axis_tready(1'b1),
        .m_axis_tuser(), .m_axis_taint(), .mark(), .mark_known()
    );

    int packets, cycles;
    always @(posedge aclk) begin
        cycles <= cycles + 1;
        if (aresetn && send_ready) begin
            sent_q  <= sent_q + 32'd1;
            place_q <= place_q == BEATS - 1 ? 32'd0 : place_q + 32'd1;
        end
        if (got_valid) begin
            if (got !== beat(got_q)) $fatal(1, "beat %0d is wrong", got_q);
            got_q <= got_q + 32'd1;
        end
        if (sealed_tvalid[0] && sealed_tready[0] && sealed_tlast[0]) packets <= packets + 1;
        if (flags != 3'd0) $fatal(1, "a frame was cut");
        if (errors != 2'd0) $fatal(1, "a packet left that VNx cannot send");
        if (!aresetn) begin
            sent_q  <= 32'd0;
            place_q <= 32'd0;
            got_q   <= 32'd0;
        end
    end

    int first, first_packets, first_cycles, first_lost, first_bursts;
    initial begin
        void'($value$plusargs("loss=%d", loss));
        void'($value$plusargs("seed=%d", seed));
        void'($value$plusargs("latency=%d", latency));
        void'($value$plusargs("burst=%d", burst));
        void'($value$plusargs("us=%d", us));
        #100000 aresetn = 1'b1;
        repeat (60) #1000000;
        first         = got_q;
        first_packets = packets;
        first_cycles  = cycles;
        first_lost    = u_switch.n_lost;
        first_bursts  = bursts;
        repeat (us) #1000000;
        $display("LINK %0d %0d %0d %0d %0d", 64 * (got_q - first), cycles - first_cycles, packets - first_packets,
                 u_switch.n_lost - first_lost, bursts - first_bursts);
        $display("PASS %0d", got_q);
        $finish;
    end
endmodule

`default_nettype wire
