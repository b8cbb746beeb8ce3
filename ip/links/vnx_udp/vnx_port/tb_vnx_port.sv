// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_port - packets of random length both ways, of which some are bad, some astray, and some beats wait; when they pause,
// every register reads what the bench has counted. CLEAR strikes in between.
`default_nettype none

module tb_vnx_port;
    logic aclk;
    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end

    logic       aresetn, run;
    wire [11:0] awaddr, araddr;
    wire [2:0]  awprot, arprot;
    wire        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire [31:0] wdata, rdata;
    wire [3:0]  wstrb;
    wire [1:0]  bresp, rresp;
    bench_lite_master #(.LIMIT(200), .SEED(3)) u_master (
        .aclk(aclk), .aresetn(aresetn), .eager(1'b1),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );
    logic in_valid, in_last, received, bad, astray, out_valid, out_ready, out_last;
    vnx_port u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(awaddr[5:0]), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr[5:0]), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .in_valid(in_valid), .in_last(in_last), .received(received), .bad(bad), .astray(astray),
        .out_valid(out_valid), .out_ready(out_ready), .out_last(out_last)
    );

    // ---- what happens: inputs change at the falling edge
    int          in_left, in_size, out_left, out_size, most, count [0:6], in_most, out_most;
    logic [31:0] dice;
    initial begin
        dice = 32'h1234567;
        {in_valid, in_last, received, bad, astray, out_valid, out_ready, out_last} = '0;
        in_left = 0; out_left = 0; in_most = 0; out_most = 0; in_size = 0; out_size = 0;
        for (int k = 0; k < 7; k++) count[k] = 0;
    end
    function automatic int size(input logic [31:0] number);
        size = number[3:0] == 4'd0 ? 250 + int'(number[9:4]) * 5 : 1 + int'(number[8:4]);  // some beyond 511
    endfunction
    always @(negedge aclk) if (aresetn) begin
        dice = dice * 32'd1664525 + 32'd1013904223;
        if (in_left == 0 && run) begin
            in_left = size(dice >> 8);
            in_size = in_left;
        end
        in_valid = in_left != 0 && dice[31:30] != 2'd0;
        in_last  = in_left == 1;
        if (in_valid) in_left = in_left - 1;
        received = in_valid && in_last && dice[29];
        bad      = in_valid && in_last && !dice[29];
        astray   = in_valid && in_last && dice[28:26] == 3'd0;
        if (!out_valid || out_ready) begin
            if (out_left == 0 && run) begin
                out_left = size(dice >> 6);
                out_size = out_left;
            end
            out_valid = out_left != 0;
            out_last  = out_left == 1;
            if (out_valid) out_left = out_left - 1;
        end
        out_ready = dice[25:24] != 2'd0;
    end
    always @(posedge aclk) if (aresetn) begin
        count[0] = count[0] + int'(received);
        count[1] = count[1] + int'(bad);
        count[2] = count[2] + int'(astray);
        count[3] = count[3] + int'(in_valid);
        count[4] = count[4] + int'(out_valid && out_ready && out_last);
        count[5] = count[5] + int'(out_valid && out_ready);
        count[6] = count[6] + int'(out_valid && !out_ready);
        most = in_size > 511 ? 511 : in_size;
        if (in_valid && in_last && most > in_most) in_most = most;
        most = out_size > 511 ? 511 : out_size;
        if (out_valid && out_ready && out_last && most > out_most) out_most = most;
    end

    int          compared;
    logic [31:0] word;
    logic [1:0]  resp;
    initial begin
        compared = 0; aresetn = 1'b0; run = 1'b0;
        repeat (3) @(negedge aclk);
        aresetn = 1'b1;
        for (int round = 0; round < 30; round++) begin
            run = 1'b1;
            repeat (round % 3 == 0 ? 40 : 1500) @(negedge aclk);
            run = 1'b0;
            while (in_left != 0 || in_valid || out_left != 0 || out_valid) @(negedge aclk);
            repeat (20) @(negedge aclk);
            for (int k = 0; k < 7; k++) begin
                u_master.read(12'(32 + 4 * k), word, resp);
                if (resp != 2'b00 || int'(word) != count[k]) $fatal(1, "counter %0d reads %0d, not %0d", k, word, count[k]);
                compared = compared + 1;
            end
            u_master.read(12'h00, word, resp);
            if (word != {7'd0, 9'(out_most), 7'd0, 9'(in_most)}) $fatal(1, "LONGEST is %h, not %0d and %0d", word, out_most, in_most);
            u_master.read(12'h3C, word, resp);
            if (word != 32'd0) $fatal(1, "a register that is not there reads %h", word);
            compared = compared + 2;
            if (round % 4 == 3) begin
                u_master.write(12'h04, 32'd0, 4'hF, resp);
                u_master.read(12'h20, word, resp);
                if (int'(word) != count[0]) $fatal(1, "writing 0 to CONTROL has cleared");
                u_master.write(12'h04, 32'd1, 4'hF, resp);
                repeat (4) @(negedge aclk);
                for (int k = 0; k < 7; k++) count[k] = 0;
                in_most = 0;
                out_most = 0;
                compared = compared + 1;
            end
        end
        if (compared < 250) $fatal(1, "only %0d comparisons", compared);
        $display("PASS %0d", compared);
        $finish;
    end
endmodule

`default_nettype wire
