// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_node - a node between a root that the bench plays, memories and a branch: every port, holes, dead slaves,
// late answers, and ports that are shut while others are not.
//
// The slaves are memories that check what they get (bench_lite_slave). A branch answers as another node does: in 1 to
// 8 cycles with its own address, or with a hole in its upper half. An access expires in cycle TIMEOUT - 1.
`default_nettype none

module axil_node_case #(
    parameter int                  N          = 1,
    parameter int                  ADDR_W     = 12,
    parameter int                  DATA_W     = 32,
    parameter logic [N*ADDR_W-1:0] BASES      = '0,
    parameter logic [N*8-1:0]      SIZES_LOG2 = '0,
    parameter logic [N-1:0]        BRANCHES   = '0,
    parameter logic [N-1:0]        KEEPS      = '0,
    parameter bit                  REG_EN     = 0,
    parameter logic [ADDR_W-1:0]   HOLE       = '0,  // an address of no window
    parameter bit                  HOLES      = 1,   // there is one
    parameter int                  ACCESSES   = 300,
    parameter int                  SEED       = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int TIMEOUT = 24;
    localparam int WORDS   = 16;
    localparam int LATE    = REG_EN ? 1 : 0;
    localparam int LSB     = $clog2(DATA_W / 8);
    localparam int SHUT    = 12;               // cycles
    localparam int HANG_AW = 0, HANG_W = 1, HANG_B = 2, HANG_AR = 3, HANG_R = 4;
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    wire                 clock = aclk && !done;
    logic                aresetn, eager, start, write, shut, shut_late;
    wire                 expired;
    logic [ADDR_W-1:0]   addr;
    logic [DATA_W-1:0]   data;
    logic [DATA_W/8-1:0] strb;
    logic [4:0]          hang [0:N-1];
    wire                 up_wait, up_last, up_hole, up_bvalid, up_rvalid;
    wire [1:0]           up_bresp, up_rresp;
    wire [DATA_W-1:0]    up_rdata;
    wire [N-1:0]         awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire [N*2-1:0]       bresp, rresp;
    wire [N*DATA_W-1:0]  rdata;

    axil_node #(
        .N(N), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES), .SIZES_LOG2(SIZES_LOG2), .BRANCHES(BRANCHES),
        .KEEPS(KEEPS), .REG_EN(REG_EN)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr), .shut(shut),
        .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp), .up_bvalid(up_bvalid),
        .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid),
        .m_axil_awvalid(awvalid), .m_axil_awready(awready), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_arvalid(arvalid), .m_axil_arready(arready), .m_axil_rdata(rdata), .m_axil_rresp(rresp),
        .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );

    // ---- what hangs on the ports -----------------------------------------------------------------

    logic [31:0]        dice;
    logic               run;
    wire                b_up, r_up, says_wait, says_hole;
    int                 age, delay;  // cycles since the one after the start
    // What a branch answers: its own address, which the host must get.
    wire [DATA_W-1:0]   branch_data = DATA_W'({32'hB0A7_0000, 32'(addr)});
    logic [DATA_W-1:0]  word_9 [0:N-1];  // of which a write that timed out may or may not have been done

    generate
        for (genvar k = 0; k < N; k++) begin : g_port
            localparam logic [ADDR_W-1:0] BASE = BASES[k*ADDR_W +: ADDR_W];
            localparam logic [ADDR_W-1:0] SPAN = (ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1);
            if (BRANCHES[k]) begin : g_branch
                wire mine = ((addr ^ BASE) & ~SPAN) == '0;
                // A branch of another address says anything.
                assign awready[k] = mine ? says_wait || says_hole : dice[k % 8];
                assign wready[k]  = mine ? says_hole : dice[k % 8 + 1];
                assign arready[k] = mine ? says_hole : dice[k % 8 + 2];
                assign bvalid[k]  = mine ? b_up : dice[k % 8 + 3];
                assign rvalid[k]  = mine ? r_up : dice[k % 8 + 4];
                assign bresp[k*2 +: 2] = {addr[LSB], 1'b0};
                assign rresp[k*2 +: 2] = {addr[LSB+1], 1'b0};
                assign rdata[k*DATA_W +: DATA_W] = branch_data;
                always @(posedge clock)
                    if (awvalid[k] || wvalid[k] || arvalid[k] || bready[k] || rready[k])
                        $fatal(1, "branch %0d is asked (%m)", k);
                always @(negedge clock) word_9[k] = '0;
            end else begin : g_slave
                bench_lite_slave #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .TIMEOUT(TIMEOUT)) u_slave (
                    .aclk(clock), .aresetn(aresetn && !(shut_late && !KEEPS[k])), .eager(eager), .hang(hang[k]),
                    .base(BASE), .mask(SPAN), .seed(32'(SEED * 100 + k)),
                    .s_axil_awaddr(addr), .s_axil_awprot(addr[4:2]), .s_axil_awvalid(awvalid[k]),
                    .s_axil_awready(awready[k]), .s_axil_wdata(data), .s_axil_wstrb(strb), .s_axil_wvalid(wvalid[k]),
                    .s_axil_wready(wready[k]), .s_axil_bresp(bresp[k*2 +: 2]), .s_axil_bvalid(bvalid[k]),
                    .s_axil_bready(bready[k]), .s_axil_araddr(addr), .s_axil_arprot(addr[4:2]),
                    .s_axil_arvalid(arvalid[k]), .s_axil_arready(arready[k]),
                    .s_axil_rdata(rdata[k*DATA_W +: DATA_W]), .s_axil_rresp(rresp[k*2 +: 2]),
                    .s_axil_rvalid(rvalid[k]), .s_axil_rready(rready[k])
                );
                always @(negedge clock) word_9[k] = u_slave.mem[9];
            end
        end
    endgenerate

    initial begin
        dice = 32'(SEED);
        age  = 0;
    end
    // In the start's own cycle a root may still say that the access before has expired, and a branch may say anything.
    always @(posedge clock) begin
        dice <= dice * 32'd1664525 + 32'd1013904223;
        age  <= start ? 0 : age + 1;
    end
    assign says_hole = run && age >= delay && addr[LSB+4];
    assign says_wait = run && age >= delay;
    assign b_up      = says_wait && write;
    assign r_up      = says_wait && !write;
    assign expired   = run && age >= TIMEOUT - 2;
    always @(posedge clock) shut_late <= shut;

    // ---- the root --------------------------------------------------------------------------------

    logic [DATA_W-1:0] model [0:N*WORDS-1];
    logic [DATA_W-1:0] got, expected;
    logic [1:0]        resp, due;
    int                cycles, k, w;
    logic              answered, ended;

    // The byte address of word w of port k, in a random repetition of its memory within the window.
    function automatic logic [ADDR_W-1:0] place(input int port, input int word);
        place = (ADDR_W'(1) << SIZES_LOG2[port*8 +: 8]) - ADDR_W'(1);
        place = BASES[port*ADDR_W +: ADDR_W] | ((ADDR_W'(dice) << (LSB + 4)) & place) | ADDR_W'(word << LSB);
    endfunction
    function automatic logic [DATA_W-1:0] first(input int port, input int word);
        first = {DATA_W/32{(32'(word) * 32'h9E3779B1) ^ (32'(SEED * 100 + port) * 32'h85EBCA77) ^ 32'h5BD1E995}};
    endfunction

    // A task only hands over and waits: its body is copied to every call, the process below exists once.
    logic              asked, served, hole_asked, is_write;
    int                port_asked, word_asked;
    logic [1:0]        due_asked;

    task check(input bit kind, input int port, input int word, input logic [1:0] code);
        hole_asked = 1'b0;
        is_write   = kind;
        port_asked = port;
        word_asked = word;
        due_asked  = code;
        asked      = !asked;
        wait (served == asked);
    endtask
    task check_hole(input bit kind);
        hole_asked = 1'b1;
        is_write   = kind;
        due_asked  = DECERR;
        asked      = !asked;
        wait (served == asked);
    endtask

    // `cycles` from the start to the end, as a root counts them; what it gives the host is compared.
    always begin
        wait (asked != served);
        addr  = hole_asked ? HOLE : place(port_asked, word_asked);
        write = is_write;
        data  = {DATA_W/32{dice}};
        strb  = dice[20 +: DATA_W/8];
        delay = int'(dice[18:16]);
        start = 1'b1;
        run   = 1'b1;
        @(negedge clock);
        start  = 1'b0;
        cycles = 0;
        while (run) begin
            @(posedge clock);
            cycles = cycles + 1;
            if (cycles > TIMEOUT + 2 + LATE) $fatal(1, "access to %h hangs (%m)", addr);
            answered = write ? up_bvalid : up_rvalid;
            ended    = answered ? up_wait : up_last;
            if (ended === 1'bx) $fatal(1, "the end of an access is unknown (%m)");
            resp = up_hole ? DECERR : answered ? (write ? up_bresp : up_rresp) : SLVERR;
            got  = up_hole || !answered ? '0 : up_rdata;
            @(negedge clock);
            run = !ended;
        end
        due      = due_asked;
        expected = due == OKAY ? model[port_asked*WORDS+word_asked] : '0;
        if (!hole_asked && BRANCHES[port_asked]) begin
            due      = addr[LSB+4] ? DECERR : {write ? addr[LSB] : addr[LSB+1], 1'b0};
            expected = due == DECERR ? '0 : branch_data;
        end else if (write && due == OKAY) begin
            for (int i = 0; i < DATA_W / 8; i++)
                if (strb[i]) model[port_asked*WORDS+word_asked][i*8 +: 8] = data[i*8 +: 8];
        end
        if (resp !== due) $fatal(1, "%s %h: %b, not %b (%m)", write ? "write to" : "read of", addr, resp, due);
        if (!write && got !== expected) $fatal(1, "read of %h: %h, not %h (%m)", addr, got, expected);
        compared = compared + 1;
        @(negedge clock);
        served = asked;
    end

    task fresh(input int port);
        for (int i = 0; i < WORDS; i++) model[port*WORDS+i] = first(port, i);
        hang[port] = '0;
    endtask

    // Port `port` dies on a channel, is closed at once for what follows, and reopens if an answer is outstanding.
    task die(input int port, input int channel);
        hang[port][channel] = 1'b1;
        repeat (2) @(negedge clock);
        check(channel <= HANG_B, port, channel <= HANG_B ? 9 : 4, SLVERR);
        if (cycles != TIMEOUT + LATE) $fatal(1, "given up after %0d cycles (%m)", cycles);
        for (int i = 0; i < 3; i++) begin
            check(i[0] ^ channel[0], port, 10, SLVERR);
            if (cycles > 3 + LATE) $fatal(1, "a closed port takes %0d cycles (%m)", cycles);
        end
        hang[port] = '0;
        repeat (20) @(negedge clock);
        if (channel == HANG_B || channel == HANG_R) begin
            if (channel == HANG_B) model[port*WORDS+9] = word_9[port];
            check(channel == HANG_R, port, 12, OKAY);
            check(1'b0, port, 9, OKAY);
            check(1'b0, port, 12, OKAY);
        end else begin
            check(1'b1, port, 12, SLVERR);
            if (cycles > 3 + LATE) $fatal(1, "a closed port takes %0d cycles (%m)", cycles);
        end
    endtask

    // Shut in an access to a silent slave: that ends at once, other ports go on if kept, and all are open afterwards.
    task shut_all(input int port);
        hang[port] = KEEPS[port] ? 5'd1 << HANG_R : '1;  // a port without reset reopens only by a whole answer
        fork
            check(1'b0, port, 4, SLVERR);
            begin
                repeat (7) @(negedge clock);
                shut = 1'b1;
            end
        join
        if (KEEPS[port] ? cycles != TIMEOUT + LATE : cycles > 12 + LATE)
            $fatal(1, "a shut port takes %0d cycles (%m)", cycles);
        for (int i = 0; i < N; i++) if (i != port) check(1'b0, i, 5, KEEPS[i] || BRANCHES[i] ? OKAY : SLVERR);
        repeat (SHUT) @(negedge clock);
        for (int i = 0; i < N; i++) if (!BRANCHES[i] && !KEEPS[i]) fresh(i);
        hang[port] = '0;
        shut = 1'b0;
        repeat (6) @(negedge clock);
        for (int i = 0; i < N; i++) begin
            if (i == port && KEEPS[i]) check(1'b1, i, 5, OKAY);  // discards the late answer
            check(1'b0, i, 5, OKAY);
            check(1'b1, i, 9, OKAY);
        end
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; eager = 1'b0; start = 1'b0; write = 1'b0; shut = 1'b0;
        addr = '0; data = '0; strb = '0; run = 1'b0; delay = 1; asked = 1'b0; served = 1'b0;
        for (int i = 0; i < N; i++) fresh(i);
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        repeat (2) @(negedge clock);
        for (int n = 0; n < ACCESSES; n++) begin
            eager = n > ACCESSES / 2;
            k = int'(dice[31:24]) % N;
            w = int'(dice[15:12]);
            if (HOLES && dice[10:8] == 3'd0) begin
                check_hole(dice[7]);
                if (cycles != 1 + LATE) $fatal(1, "a hole takes %0d cycles (%m)", cycles);
            end else begin
                check(dice[7], k, w, OKAY);
                if (eager && !BRANCHES[k] && cycles != 2 + LATE) $fatal(1, "an access takes %0d cycles (%m)", cycles);
            end
        end
        for (int i = 0; i < N; i = i + (N > 5 ? 5 : 1))
            for (int j = 0; j < WORDS; j++) check(1'b0, i, j, OKAY);
        for (int i = 0; i < N; i++) if (!BRANCHES[i] && (i == 0 || i == N - 1)) begin
            die(i, HANG_B);
            die(i, HANG_R);
            shut_all(i);
            if (!KEEPS[i]) begin
                die(i, HANG_AW + i % 2);
                shut_all(i);
                die(i, HANG_AR);
                shut_all(i);
            end
        end
        done = 1'b1;
    end
endmodule

module tb_axil_node;
    localparam int N = 2;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // two slaves, of which one is kept, and a branch: windows of several sizes, in no order
    axil_node_case #(
        .N(3), .ADDR_W(16), .BASES({16'h8000, 16'h0040, 16'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}),
        .BRANCHES(3'b100), .KEEPS(3'b010), .HOLE(16'h0080), .SEED(1)
    ) u_mixed (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    // the same in another order, registered
    axil_node_case #(
        .N(3), .ADDR_W(16), .BASES({16'h1000, 16'h8000, 16'h0040}), .SIZES_LOG2({8'd12, 8'd15, 8'd6}),
        .BRANCHES(3'b010), .KEEPS(3'b001), .REG_EN(1), .HOLE(16'h0080), .SEED(2)
    ) u_late (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
endmodule

// What takes longer to compile.
module tb_axil_node_more;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // one window over everything
    axil_node_case #(.N(1), .ADDR_W(12), .SIZES_LOG2(8'd12), .HOLES(0), .ACCESSES(100), .SEED(3)) u_one (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0])
    );
    // sixteen, registered, four of them branches
    axil_node_case #(
        .N(16), .ADDR_W(16),
        .BASES({16'hf00, 16'he00, 16'hd00, 16'hc00, 16'hb00, 16'ha00, 16'h900, 16'h800,
                16'h700, 16'h600, 16'h500, 16'h400, 16'h300, 16'h200, 16'h100, 16'h000}),
        .SIZES_LOG2({16{8'd8}}), .BRANCHES(16'h2a10), .REG_EN(1), .HOLE(16'h1000), .ACCESSES(120), .SEED(4)
    ) u_sixteen (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    // 64 data bits, registered, five ports: not a power of two
    axil_node_case #(
        .N(5), .ADDR_W(14), .DATA_W(64),
        .BASES({14'h2000, 14'h0800, 14'h1000, 14'h0000, 14'h0400}),
        .SIZES_LOG2({8'd13, 8'd10, 8'd12, 8'd10, 8'd10}), .BRANCHES(5'b10000), .KEEPS(5'b00010), .REG_EN(1),
        .HOLE(14'h0c00), .SEED(5)
    ) u_wide (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
endmodule

`default_nettype wire
