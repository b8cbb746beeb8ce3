// SPDX-License-Identifier: BSD-3-Clause
//
// tb_ddr_ring_port - what the host writes reaches the rings and is read back; levels, peaks, bursts and faults read as they were.
//
// Events come at random in bursts; when they pause, every register reads what the bench has seen. Registers that are
// not there read 0, and each write changes what it is for and nothing else.
`default_nettype none

module ddr_ring_port_case #(
    parameter int N = 1, ROUNDS = 12, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    wire        clock = aclk && !done;
    logic       aresetn, run;
    wire [11:0] awaddr, araddr;
    wire [2:0]  awprot, arprot;
    wire        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire [31:0] wdata, rdata;
    wire [3:0]  wstrb;
    wire [1:0]  bresp, rresp;
    bench_lite_master #(.LIMIT(200), .SEED(SEED)) u_master (
        .aclk(clock), .aresetn(aresetn), .eager(1'b1),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );
    wire  [64*N-1:0] base;
    wire  [N-1:0]    armed;
    logic [N-1:0]    idle, write_fault, read_fault, spilled;
    logic [32*N-1:0] level;
    ddr_ring_port #(.N(N)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axil_awaddr(awaddr[8:0]), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr[8:0]), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .base(base), .armed(armed), .idle(idle), .write_fault(write_fault), .read_fault(read_fault), .spilled(spilled),
        .level(level)
    );

    // ---- what happens, and what should be read of it
    int           bursts [0:N-1];
    logic [31:0]  peak [0:N-1];
    logic [31:0]  dice, writes, reads;
    initial begin
        dice = 32'(SEED) * 32'h1234567; idle = '1; write_fault = '0; read_fault = '0; spilled = '0; level = '0;
        writes = '0; reads = '0;
        for (int k = 0; k < N; k++) begin
            bursts[k] = 0;
            peak[k]   = '0;
        end
    end
    always @(negedge clock) if (aresetn) begin
        dice        = dice * 32'd1664525 + 32'd1013904223;
        write_fault = run && dice[14:10] == '0 ? N'(dice >> 20) : '0;
        read_fault  = run && dice[15:11] == '0 ? N'(dice >> 21) : '0;
        spilled     = run ? N'(dice >> 9) & N'(dice >> 17) : '0;
        if (run) idle = N'(dice >> 5);
        // A level moves by one, or falls to 0 with a flush.
        for (int k = 0; k < N; k++)
            if (run) level[32*k +: 32] = dice[31:23] == 9'(k) ? 32'd0 : (dice >> k) % 32'd5 < 32'd3 ? level[32*k +: 32] + 32'd1 :
                                         level[32*k +: 32] - 32'(level[32*k +: 32] != '0);
    end
    always @(posedge clock) if (aresetn) begin
        writes = writes | 32'(write_fault);
        reads  = reads | 32'(read_fault);
        for (int k = 0; k < N; k++) begin
            bursts[k] = bursts[k] + int'(spilled[k]);
            if (level[32*k +: 32] > peak[k]) peak[k] = level[32*k +: 32];
        end
    end

    logic [31:0] word, mask, wanted;
    logic [1:0]  resp;
    task automatic expect_at(input int place, input logic [31:0] value);
        u_master.read(12'(place), word, resp);
        if (resp != 2'b00 || word !== value) $fatal(1, "%h reads %h, not %h (%m)", place, word, value);
        compared = compared + 1;
    endtask
    task automatic write(input int place, input logic [31:0] value);
        u_master.write(12'(place), value, 4'hF, resp);
        if (resp != 2'b00) $fatal(1, "a write to %h is not answered OKAY (%m)", place);
        @(negedge clock);
    endtask

    // What the writable registers hold, by word.
    logic [31:0] held [0:127];
    task automatic told;
        if (32'(armed) !== (held[0] & 32'((1 << N) - 1))) $fatal(1, "armed is %b (%m)", armed);
        for (int k = 0; k < N; k++)
            if (base[64*k +: 64] !== {held[65+8*k], held[64+8*k]}) $fatal(1, "base %0d is %h (%m)", k, base[64*k +: 64]);
        compared = compared + 1;
    endtask
    function automatic logic known(input int place);
        known = place < 5 || (place >= 64 && place < 64 + 8 * N && place % 8 < 5);
    endfunction

    int place;
    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; run = 1'b0;
        for (int k = 0; k < 128; k++) held[k] = '0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        told;
        for (int k = 0; k < 128; k++) expect_at(4 * k, k == 1 ? 32'(idle) : 32'd0);
        for (int round = 0; round < ROUNDS; round++) begin
            // Writes, while much happens.
            run = 1'b1;
            repeat (24) begin
                place = int'((dice >> 9) % 32'd128);
                if (place >= 5 && place < 64) place = 0;
                mask = place == 0 ? 32'hFF : place >= 64 && place < 64 + 8 * N && place % 8 < 2 ? '1 : 32'd0;
                if (place < 2 || place > 4) begin
                    wanted = dice ^ 32'h5A5A_0F0F;
                    write(4 * place, wanted);
                    held[place] = wanted & mask;
                    told;
                    if (mask != '0) expect_at(4 * place, held[place]);
                end
            end
            repeat (round % 3 == 0 ? 5 : 200) @(negedge clock);
            run = 1'b0;
            repeat (20) @(negedge clock);
            expect_at(0, held[0]);
            expect_at(4, 32'(idle));
            expect_at(8, writes);
            expect_at(12, reads);
            expect_at(16, 32'd0);
            for (int k = 0; k < N; k++) begin
                expect_at(256 + 32 * k, held[64+8*k]);
                expect_at(260 + 32 * k, held[65+8*k]);
                expect_at(264 + 32 * k, level[32*k +: 32]);
                expect_at(268 + 32 * k, peak[k]);
                expect_at(272 + 32 * k, 32'(bursts[k]));
            end
            for (int k = 0; k < 128; k++) if (!known(k)) expect_at(4 * k, 32'd0);
            // Each flag is cleared by its own 1, and by nothing else.
            mask = dice >> 20;
            write(8, mask);
            writes = writes & ~mask;
            expect_at(8, writes);
            expect_at(12, reads);
            write(12, ~mask);
            reads = reads & mask;
            expect_at(8, writes);
            expect_at(12, reads);
            if (round % 2 == 1) begin
                write(16, 32'd0);
                expect_at(272, 32'(bursts[0]));
                expect_at(268, peak[0]);
                write(16, 32'd1);
                repeat (4) @(negedge clock);
                for (int k = 0; k < N; k++) begin
                    bursts[k] = 0;
                    peak[k]   = level[32*k +: 32];
                    expect_at(268 + 32 * k, peak[k]);
                    expect_at(272 + 32 * k, 32'd0);
                end
                told;
                expect_at(8, writes);
            end
        end
        // A flag that is set in the very cycle in which it is cleared stays.
        // It takes effect in the first cycle of the answer.
        write(8, 32'hFF);
        fork
            write(8, 32'hFF);
            begin
                @(posedge bvalid);
                @(negedge clock);
                #1 write_fault = '1;
                @(negedge clock);
            end
        join
        repeat (3) @(negedge clock);
        expect_at(8, 32'((1 << N) - 1));
        write(8, 32'hFF);
        expect_at(8, 32'd0);
        aresetn = 1'b0;
        repeat (2) @(negedge clock);
        if (armed != '0 || base != '0) $fatal(1, "not reset (%m)");
        done = 1'b1;
    end
endmodule

module tb_ddr_ring_port;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    ddr_ring_port_case #(.N(1), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    ddr_ring_port_case #(.N(3), .SEED(2), .ROUNDS(6)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    ddr_ring_port_case #(.N(8), .SEED(3), .ROUNDS(4)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
endmodule

`default_nettype wire
