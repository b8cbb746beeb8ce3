// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_crossbar - reads and writes at the same time, holes, rate; on a crossbar and on trees of two nodes.
//
// Writes go to the upper half of each memory and are read back later; the reads beside them go to the lower half.
`default_nettype none

module axil_crossbar_case #(
    parameter int                  N = 1, ADDR_W = 16, DATA_W = 32, SEED = 1,
    parameter logic [N*ADDR_W-1:0] BASES      = '0,
    parameter logic [N*8-1:0]      SIZES_LOG2 = '0,
    parameter logic [ADDR_W-1:0]   HOLE       = '0,
    parameter bit                  HOLES      = 1,
    parameter int                  ACCESSES   = 150,
    parameter int                  SHAPE      = 0   // of tb_axil_tree
) (
    input  wire         aclk,
    output logic        done,
    output wire  [31:0] compared
);
    localparam int TIMEOUT = 40;
    localparam int WORDS   = 16;
    localparam logic [1:0] OKAY = 2'b00, DECERR = 2'b11;

    wire            clock = aclk && !done;
    logic           aresetn, eager;
    logic [N*5-1:0] hang;

    tb_axil_tree #(
        .N(N), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES), .SIZES_LOG2(SIZES_LOG2), .TIMEOUT(TIMEOUT),
        .SHAPE(SHAPE), .SEED(SEED)
    ) u_tree (.clock(clock), .aresetn(aresetn), .eager(eager), .hang(hang));
    assign compared = 32'(u_tree.compared);

    logic [DATA_W-1:0] got;
    logic [1:0]        w_resp, r_resp;
    int                wk, ww, rk, rw;
    logic              writer_done, reader_done, running;

    // ---- random traffic: two processes that never touch the same word
    initial begin
        writer_done = 1'b0;
        wait (running);
        @(negedge clock);
        for (int n = 0; n < ACCESSES; n++) begin
            if (HOLES && n % 8 == 7) begin
                u_tree.u_master.write(HOLE, '1, '1, w_resp);
                if (w_resp !== DECERR) $fatal(1, "write to a hole: %b (%m)", w_resp);
            end else begin
                wk = int'(u_tree.u_master.dice[30:24]) % N;
                ww = 8 + int'(u_tree.u_master.dice[18:16]);
                u_tree.check_write(wk, ww, OKAY);
            end
        end
        writer_done = 1'b1;
    end
    initial begin
        reader_done = 1'b0;
        wait (running);
        @(negedge clock);
        for (int n = 0; n < ACCESSES; n++) begin
            if (HOLES && n % 8 == 3) begin
                u_tree.u_master.read(HOLE, got, r_resp);
                if (r_resp !== DECERR || got !== '0) $fatal(1, "read of a hole: %b %h (%m)", r_resp, got);
            end else begin
                rk = int'(u_tree.u_master.dice[29:23]) % N;
                rw = int'(u_tree.u_master.dice[15:13]);
                u_tree.check_read(rk, rw, OKAY);
            end
        end
        reader_done = 1'b1;
    end

    initial begin
        done = 1'b0; aresetn = 1'b0; eager = 1'b0; running = 1'b0; hang = '0;
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        running = 1'b1;
        wait (writer_done && reader_done);
        @(negedge clock);
        for (int k = 0; k < N; k++)
            for (int w = 0; w < WORDS; w++) u_tree.check_read(k, w, OKAY);
        // Rate: the memory answers in the cycle after the one in which it accepts.
        eager = 1'b1;
        repeat (20) u_tree.check_read(N - 1, 2, OKAY);
        if (u_tree.u_master.cycles_r != 5 + u_tree.late(N - 1))
            $fatal(1, "a read takes %0d cycles (%m)", u_tree.u_master.cycles_r);
        u_tree.check_write(0, 9, OKAY);
        if (u_tree.u_master.cycles_w != 5 + u_tree.late(0))
            $fatal(1, "a write takes %0d cycles (%m)", u_tree.u_master.cycles_w);
        done = 1'b1;
    end
endmodule

module tb_axil_crossbar;
    localparam int N = 7;
    localparam int ONE_NODE = 0, TWO_NODES = 1, FIRST_LATE = 2, SECOND_LATE = 3;  // see tb_axil_tree
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // one window over everything
    axil_crossbar_case #(
        .N(1), .BASES(16'h0), .SIZES_LOG2(8'd16), .HOLES(0), .SEED(1)
    ) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[0 +: 32]));
    // windows of several sizes, in no order, with holes
    axil_crossbar_case #(
        .N(3), .BASES({16'h8000, 16'h0040, 16'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}), .HOLE(16'h0080), .SEED(2)
    ) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[32 +: 32]));
    // sixteen neighbours, a hole behind them
    axil_crossbar_case #(
        .N(16),
        .BASES({16'hf00, 16'he00, 16'hd00, 16'hc00, 16'hb00, 16'ha00, 16'h900, 16'h800,
                16'h700, 16'h600, 16'h500, 16'h400, 16'h300, 16'h200, 16'h100, 16'h000}),
        .SIZES_LOG2({16{8'd8}}), .HOLE(16'h1000), .ACCESSES(250), .SEED(3)
    ) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[64 +: 32]));
    // 64 data bits
    axil_crossbar_case #(
        .N(2), .DATA_W(64), .ADDR_W(12), .BASES({12'h400, 12'h800}), .SIZES_LOG2({8'd10, 8'd11}), .HOLE(12'h3f8), .SEED(4)
    ) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[96 +: 32]));
    // holes beside the windows in both nodes, windows of several sizes; 64 data bits in one
    axil_crossbar_case #(
        .N(3), .ADDR_W(17), .BASES({17'h8000, 17'h0040, 17'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}),
        .HOLE(17'h10080), .SEED(5), .SHAPE(TWO_NODES)
    ) u_4 (.aclk(aclk), .done(done[4]), .compared(compared[128 +: 32]));
    axil_crossbar_case #(
        .N(3), .BASES({16'h8000, 16'h0040, 16'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}), .HOLE(16'h0080), .SEED(6),
        .SHAPE(FIRST_LATE)
    ) u_5 (.aclk(aclk), .done(done[5]), .compared(compared[160 +: 32]));
    axil_crossbar_case #(
        .N(3), .DATA_W(64), .BASES({16'h8000, 16'h0080, 16'h1000}), .SIZES_LOG2({8'd15, 8'd7, 8'd12}),
        .HOLE(16'h2000), .SEED(7), .SHAPE(SECOND_LATE)
    ) u_6 (.aclk(aclk), .done(done[6]), .compared(compared[192 +: 32]));
endmodule

`default_nettype wire
