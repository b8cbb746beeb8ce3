// SPDX-License-Identifier: BSD-3-Clause
//
// coyote_hold - a core under Coyote whose host writes HOLD in the middle of its own transfer and goes on to send it.
//
// A frame is 156 bytes, so three beats, and the partition forwards its input. CONTROL is register 6 of the window.
`default_nettype none
`timescale 1ns / 1ps

module coyote_hold;
    localparam int BYTES = 156;
    localparam logic [15:0] CONTROL = 16'd48, FLAGS = 16'd544;

    logic         aclk = 1'b0, aresetn = 1'b0;
    logic [15:0]  awaddr = '0, araddr = '0;
    logic [63:0]  wdata = '0;
    logic         awvalid = 1'b0, wvalid = 1'b0, arvalid = 1'b0;
    wire          awready, wready, bvalid, arready, rvalid;
    wire  [1:0]   bresp, rresp;
    wire  [63:0]  rdata;
    logic [511:0] s_tdata = '0;
    logic         s_tlast = 1'b0, s_tvalid = 1'b0;
    logic [5:0]   s_tid = '0;
    wire          s_tready;
    wire  [511:0] m_tdata;
    wire  [63:0]  m_tkeep;
    wire          m_tlast, m_tvalid;
    wire  [5:0]   m_tid;

    always #2 aclk = !aclk;

    card_core u_core (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(3'd0), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(8'hff), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(1'b1),
        .s_axil_araddr(araddr), .s_axil_arprot(3'd0), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
        .s_host_0_tdata(s_tdata), .s_host_0_tkeep({64{1'b1}}), .s_host_0_tlast(s_tlast), .s_host_0_tid(s_tid),
        .s_host_0_tvalid(s_tvalid), .s_host_0_tready(s_tready),
        .m_host_0_tdata(m_tdata), .m_host_0_tkeep(m_tkeep), .m_host_0_tlast(m_tlast), .m_host_0_tid(m_tid),
        .m_host_0_tvalid(m_tvalid), .m_host_0_tready(1'b1)
    );

    task automatic put(input logic [15:0] address, input logic [63:0] value);
        @(negedge aclk) awaddr = address; wdata = value; awvalid = 1'b1; wvalid = 1'b1;
        while (awvalid || wvalid) begin
            @(posedge aclk);
            if (awready) awvalid <= 1'b0;
            if (wready) wvalid <= 1'b0;
            @(negedge aclk);
        end
        while (!bvalid) @(negedge aclk);
        if (bresp != 2'b00) $fatal(1, "a write to %0d is refused", address);
    endtask

    task automatic get(input logic [15:0] address, output logic [63:0] value);
        @(negedge aclk) araddr = address; arvalid = 1'b1;
        do @(posedge aclk); while (!arready);
        @(negedge aclk) arvalid = 1'b0;
        while (!rvalid) @(negedge aclk);
        value = rdata;
        if (rresp != 2'b00) $fatal(1, "a read of %0d is refused", address);
    endtask

    function automatic logic [511:0] beat(input int frame, input int place);
        beat = '0;
        for (int k = 0; k < 64; k++)
            if (64 * place + k < BYTES) beat[8*k +: 8] = 8'(37 * frame + 64 * place + k);
    endfunction

    // A beat is offered for `most` cycles at most; `taken` tells whether it was taken.
    task automatic offer(input int frame, input int place, input logic last, input int most, output logic taken);
        @(negedge aclk) s_tdata = beat(frame, place); s_tlast = last; s_tid = 6'(frame); s_tvalid = 1'b1;
        taken = 1'b0;
        for (int waited = 0; waited < most && !taken; waited++) begin
            #1 taken = s_tready;
            @(negedge aclk);
        end
        if (taken) s_tvalid = 1'b0;
    endtask

    int seen = 0;
    always @(posedge aclk) if (aresetn && m_tvalid) begin
        if (m_tdata !== beat(2, seen)) $fatal(1, "beat %0d is %h", seen, m_tdata);
        if (m_tkeep !== '1 || m_tlast !== (seen == 2) || m_tid !== 6'd2) $fatal(1, "sidebands of beat %0d", seen);
        seen = seen + 1;
    end

    logic        taken;
    logic [63:0] flags;
    initial begin
        repeat (8) @(negedge aclk);
        aresetn = 1'b1;
        repeat (100) @(negedge aclk);
        offer(1, 0, 1'b0, 100, taken);
        if (!taken) $fatal(1, "the core takes nothing");
        put(CONTROL, 64'd4);
        repeat (10) @(negedge aclk);
        for (int place = 1; place < 3; place++) begin
            offer(1, place, place == 2, 100, taken);
            if (!taken) $fatal(1, "beat %0d of a transfer that has begun is not swallowed", place);
        end
        offer(2, 0, 1'b0, 300, taken);
        if (taken) $fatal(1, "a core that is held takes a transfer");
        put(CONTROL, 64'd0);
        offer(2, 0, 1'b0, 300, taken);
        for (int place = 1; place < 3; place++) offer(2, place, place == 2, 100, taken);
        repeat (100) @(negedge aclk);
        if (seen != 3) $fatal(1, "%0d beats of the frame after the reset", seen);
        get(FLAGS, flags);
        if (flags[2:0] != 3'd0) $fatal(1, "flags are %h", flags);
        $display("held and went on");
        $finish;
    end
    initial #100000 $fatal(1, "it hangs");
endmodule

`default_nettype wire
