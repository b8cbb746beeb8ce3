// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_crossbar_dead - slaves that die on each channel, their late answers, and reset; on a crossbar and on trees.
`default_nettype none

module axil_dead_case #(
    parameter int                  N = 1, ADDR_W = 16, DATA_W = 32, SEED = 1,
    parameter logic [N*ADDR_W-1:0] BASES      = '0,
    parameter logic [N*8-1:0]      SIZES_LOG2 = '0,
    parameter int                  DEATHS     = 4,  // ways to die on each channel: which slave, what comes next
    parameter int                  SHAPE      = 0   // of tb_axil_tree
) (
    input  wire         aclk,
    output logic        done,
    output wire  [31:0] compared
);
    localparam int TIMEOUT = 40;
    localparam int WORDS   = 16;
    localparam int AW = 0, B = 2, R = 4;  // channels, of 0 to 4: aw, w, b, ar, r
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

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
    int                other, cycles, refused, revived;

    // One access of either kind, which must be quick when it is refused: a read takes a cycle more than a write.
    task check_access(input bit is_write, input int k, input int w, input logic [1:0] expected);
        if (is_write) u_tree.check_write(k, w, expected);
        else u_tree.check_read(k, w, expected);
        cycles = is_write ? u_tree.u_master.cycles_w : u_tree.u_master.cycles_r;
        if (expected == SLVERR && (eager ? cycles != (is_write ? 6 : 7) + u_tree.late(k) : cycles > 30))
            $fatal(1, "slave %0d is closed, and refuses after %0d cycles (%m)", k, cycles);
    endtask

    // Slave k hangs on one channel and times out; everything else goes on.
    task kill(input int k, input int channel);
        hang[k*5 +: 5] = 5'd1 << channel;
        repeat (2) @(negedge clock);
        if (channel <= B) u_tree.check_write(k, 9, SLVERR);
        else u_tree.check_read(k, 4, SLVERR);
        cycles = channel <= B ? u_tree.u_master.cycles_w : u_tree.u_master.cycles_r;
        if (cycles < TIMEOUT || cycles > TIMEOUT + 20) $fatal(1, "timeout after %0d cycles (%m)", cycles);
        if (eager && cycles != TIMEOUT + (channel <= B ? 3 : 4) + u_tree.late(k))
            $fatal(1, "timeout after %0d cycles at full rate (%m)", cycles);
        // Closed for both kinds, again and again.
        check_access(1'b1, k, 10, SLVERR);
        check_access(1'b0, k, 3, SLVERR);
        check_access(channel <= B, k, 11, SLVERR);
        if (N > 1) begin
            other = (k + 1) % N;
            for (int n = 0; n < 4; n++) begin
                u_tree.check_write(other, 8 + n, OKAY);
                u_tree.check_read(other, 8 + n, OKAY);
            end
        end
    endtask

    task restart;
        aresetn = 1'b0;
        hang    = '0;
        u_tree.forget();
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        repeat (3) @(negedge clock);
    endtask

    task dead_slave(input int k, input int channel, input bit write_next);
        kill(k, channel);
        // It wakes up; its late answer must reach nobody, not even an access to another slave in flight.
        if (N > 1) begin
            hang[other*5 +: 5] = 5'd1 << B | 5'd1 << R;
            fork
                if (channel <= B) u_tree.check_write(other, 11, OKAY);
                else u_tree.check_read(other, 1, OKAY);
                begin
                    repeat (10) @(negedge clock);
                    hang[k*5 +: 5] = '0;
                    repeat (15) @(negedge clock);
                    if (u_tree.u_master.w_served == u_tree.u_master.w_asked
                        && u_tree.u_master.r_served == u_tree.u_master.r_asked)
                        $fatal(1, "the late answer of slave %0d went to an access of slave %0d (%m)", k, other);
                    hang[other*5 +: 5] = '0;
                end
            join
        end
        hang[k*5 +: 5] = '0;
        repeat (40) @(negedge clock);
        if (channel == B || channel == R) begin
            // The request was taken, so the write was done in the end. The next access discards the answer.
            if (channel == B) u_tree.model[k*WORDS+9] = u_tree.word_9[k];
            check_access(write_next, k, 12, OKAY);
            for (int n = 0; n < 4; n++) begin
                u_tree.check_write(k, 8 + n, OKAY);
                u_tree.check_read(k, 6 + n, OKAY);
            end
        end else begin
            // Half a request, or none, was taken: never again before reset.
            for (int n = 0; n < 3; n++) begin
                check_access(write_next, k, 12, SLVERR);
                check_access(!write_next, k, 12, SLVERR);
            end
            restart();
        end
    endtask

    // The late answer comes `delay` cycles after the next access began: refused or done, nothing in between.
    task late_answer(input int k, input int channel, input bit write_next, input int delay);
        kill(k, channel);
        fork
            begin
                if (write_next)
                    u_tree.u_master.write(u_tree.place(k, 13, 0), {DATA_W/32{32'hC0FFEE00 + 32'(delay)}}, '1, w_resp);
                else u_tree.u_master.read(u_tree.place(k, 13, 0), got, r_resp);
            end
            begin
                repeat (delay) @(negedge clock);
                hang[k*5 +: 5] = '0;
            end
        join
        if (write_next && w_resp == OKAY) u_tree.model[k*WORDS+13] = {DATA_W/32{32'hC0FFEE00 + 32'(delay)}};
        if ((write_next ? w_resp : r_resp) == SLVERR) refused = refused + 1;
        else if ((write_next ? w_resp : r_resp) == OKAY) revived = revived + 1;
        else $fatal(1, "%b instead of OKAY or SLVERR (%m)", write_next ? w_resp : r_resp);
        if (!write_next && got !== (r_resp == OKAY ? u_tree.model[k*WORDS+13] : '0))
            $fatal(1, "read %h with %b instead of %h (%m)", got, r_resp, u_tree.model[k*WORDS+13]);
        repeat (20) @(negedge clock);
        if (channel == B) u_tree.model[k*WORDS+9] = u_tree.word_9[k];
        u_tree.check_read(k, 9, OKAY);
        u_tree.check_read(k, 13, OKAY);
    endtask

    initial begin
        done = 1'b0; refused = 0; revived = 0; aresetn = 1'b0; eager = 1'b0; hang = '0;
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        for (int channel = 0; channel < 5; channel++)
            for (int n = 0; n < DEATHS; n++) begin
                eager = n[0] ^ channel[0];
                dead_slave(n[0] ? N - 1 : 0, channel, n[1]);
            end
        eager = 1'b1;
        for (int delay = 0; delay < 9; delay++)
            for (int n = 0; n < DEATHS; n++) late_answer(delay % N, n[0] ? B : R, n[1], delay);
        if (refused < 4 || revived < 4) $fatal(1, "late answers: %0d refused, %0d revived (%m)", refused, revived);
        // Two are dead at the same time, one for good; reset gives both back to the living.
        if (N > 1) begin
            kill(N - 1, R);
            hang[(N-1)*5 +: 5] = '0;
            repeat (5) @(negedge clock);
        end
        kill(0, AW);
        if (N > 1) u_tree.check_read(N - 1, 1, OKAY);
        u_tree.check_read(0, 1, SLVERR);
        restart();
        u_tree.check_read(0, 1, OKAY);
        u_tree.check_write(0, 8, OKAY);
        done = 1'b1;
    end
endmodule

module tb_axil_crossbar_dead;
    localparam int N = 6;
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
    axil_dead_case #(
        .N(1), .BASES(16'h0), .SIZES_LOG2(8'd16), .SEED(1)
    ) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[0 +: 32]));
    // windows of several sizes, in no order, with holes
    axil_dead_case #(
        .N(3), .BASES({16'h8000, 16'h0040, 16'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}), .SEED(2)
    ) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[32 +: 32]));
    // 64 data bits
    axil_dead_case #(
        .N(2), .DATA_W(64), .ADDR_W(12), .BASES({12'h400, 12'h800}), .SIZES_LOG2({8'd10, 8'd11}), .SEED(4)
    ) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[64 +: 32]));
    // holes beside the windows in both nodes, windows of several sizes; 64 data bits in one
    axil_dead_case #(
        .N(3), .ADDR_W(17), .BASES({17'h8000, 17'h0040, 17'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}), .SEED(5),
        .SHAPE(TWO_NODES)
    ) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[96 +: 32]));
    axil_dead_case #(
        .N(3), .BASES({16'h8000, 16'h0040, 16'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}), .SEED(6),
        .SHAPE(FIRST_LATE)
    ) u_4 (.aclk(aclk), .done(done[4]), .compared(compared[128 +: 32]));
    axil_dead_case #(
        .N(3), .DATA_W(64), .BASES({16'h8000, 16'h0080, 16'h1000}), .SIZES_LOG2({8'd15, 8'd7, 8'd12}), .SEED(7),
        .SHAPE(SECOND_LATE)
    ) u_5 (.aclk(aclk), .done(done[5]), .compared(compared[160 +: 32]));
endmodule

`default_nettype wire
