// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_crossbar - reads and writes at the same time, holes, slaves that die on each channel, late answers.
//
// Every slave is a memory that checks what it gets: address, stable payload, no valid that falls but by a timeout,
// one request at a time, none after half a one. Writes go to the upper half of each memory and are read back
// later; the reads beside them go to the lower half. The same on trees of two axil_nodes under an axil_root.
`default_nettype none

module axil_crossbar_case #(
    parameter int                  N = 1, ADDR_W = 16, DATA_W = 32, ACCESSES = 150, SEED = 1,
    parameter logic [N*ADDR_W-1:0] BASES      = '0,
    parameter logic [N*8-1:0]      SIZES_LOG2 = '0,
    parameter logic [ADDR_W-1:0]   HOLE       = '0,
    parameter bit                  HOLES      = 1,
    parameter int                  DEATHS     = 4,  // ways to die on each channel: which slave, what comes next
    // 1: slaves 0 and 1 are behind a second node, in the 2**BRANCH_LOG2 bytes from 0; registers in that one with 3, in
    // the first with 2. N is 3 then.
    parameter int                  TREE = 0, BRANCH_LOG2 = 15
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int TIMEOUT = 40;
    localparam int WORDS   = 16;
    localparam int LSB     = $clog2(DATA_W / 8);
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    wire          clock = aclk && !done;
    logic         aresetn, eager;
    logic [4:0]   hang [0:N-1];
    wire [ADDR_W-1:0] a_awaddr, a_araddr;
    wire [2:0] a_awprot, a_arprot;
    wire a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire a_arvalid, a_arready, a_rvalid, a_rready;
    wire [DATA_W-1:0] a_wdata, a_rdata;
    wire [DATA_W/8-1:0] a_wstrb;
    wire [1:0] a_bresp, a_rresp;
    wire [N*ADDR_W-1:0] b_awaddr, b_araddr;
    wire [N*3-1:0] b_awprot, b_arprot;
    wire [N-1:0] b_awvalid, b_awready, b_wvalid, b_wready, b_bvalid, b_bready;
    wire [N-1:0] b_arvalid, b_arready, b_rvalid, b_rready;
    wire [N*DATA_W-1:0] b_wdata, b_rdata;
    wire [N*DATA_W/8-1:0] b_wstrb;
    wire [N*2-1:0] b_bresp, b_rresp;

    bench_lite_master #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .LIMIT(TIMEOUT + 40), .SEED(SEED)) u_master (
            .aclk(clock), .aresetn(aresetn), .eager(eager),
            .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid),
            .m_axil_awready(a_awready), .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb),
            .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready), .m_axil_bresp(a_bresp),
            .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready), .m_axil_araddr(a_araddr),
            .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
            .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid),
            .m_axil_rready(a_rready)
    );
    generate
        if (TREE == 0) begin : g_crossbar
            axil_crossbar #(
                .N(N), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES), .SIZES_LOG2(SIZES_LOG2), .TIMEOUT(TIMEOUT)
            ) u_dut (
                    .aclk(clock), .aresetn(aresetn),
                    .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
                    .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
                    .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
                    .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready), .s_axil_araddr(a_araddr),
                    .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
                    .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid),
                    .s_axil_rready(a_rready),
                    .m_axil_awaddr(b_awaddr), .m_axil_awprot(b_awprot), .m_axil_awvalid(b_awvalid),
                    .m_axil_awready(b_awready), .m_axil_wdata(b_wdata), .m_axil_wstrb(b_wstrb),
                    .m_axil_wvalid(b_wvalid), .m_axil_wready(b_wready), .m_axil_bresp(b_bresp),
                    .m_axil_bvalid(b_bvalid), .m_axil_bready(b_bready), .m_axil_araddr(b_araddr),
                    .m_axil_arprot(b_arprot), .m_axil_arvalid(b_arvalid), .m_axil_arready(b_arready),
                    .m_axil_rdata(b_rdata), .m_axil_rresp(b_rresp), .m_axil_rvalid(b_rvalid),
                    .m_axil_rready(b_rready)
            );
        end else begin : g_tree
            wire start, write, expired;
            wire up_wait, up_last, up_hole, up_bvalid, up_rvalid, n_wait, n_last, n_hole, n_bvalid, n_rvalid;
            wire [1:0] up_bresp, up_rresp, n_bresp, n_rresp;
            wire [DATA_W-1:0] up_rdata, n_rdata, wdata;
            wire [DATA_W/8-1:0] wstrb;
            wire [ADDR_W-1:0] addr, awaddr, araddr;
            wire [2:0] awprot, arprot;
            wire [4:0] unasked;
            assign {b_awaddr, b_awprot, b_araddr, b_arprot} = {{3{awaddr}}, {3{awprot}}, {3{araddr}}, {3{arprot}}};
            assign {b_wdata, b_wstrb} = {{3{wdata}}, {3{wstrb}}};
            axil_root #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .TIMEOUT(TIMEOUT)) u_root (
                .aclk(clock), .aresetn(aresetn),
                .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
                .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
                .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
                .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready), .s_axil_araddr(a_araddr),
                .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
                .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid), .s_axil_rready(a_rready),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr),
                .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_wdata(wdata), .m_axil_wstrb(wstrb),
                .m_axil_araddr(araddr), .m_axil_arprot(arprot),
                .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp),
                .up_bvalid(up_bvalid), .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid)
            );
            axil_node #(
                .N(2), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES({BASES[2*ADDR_W +: ADDR_W], ADDR_W'(0)}),
                .SIZES_LOG2({SIZES_LOG2[16 +: 8], 8'(BRANCH_LOG2)}), .BRANCHES(2'b01), .REG_EN(TREE == 2)
            ) u_first (
                .aclk(clock), .aresetn(aresetn),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr), .shut(1'b0),
                .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp),
                .up_bvalid(up_bvalid), .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid),
                .m_axil_awvalid({b_awvalid[2], unasked[0]}), .m_axil_awready({b_awready[2], n_wait}),
                .m_axil_wvalid({b_wvalid[2], unasked[1]}), .m_axil_wready({b_wready[2], n_last}),
                .m_axil_bresp({b_bresp[5:4], n_bresp}), .m_axil_bvalid({b_bvalid[2], n_bvalid}),
                .m_axil_bready({b_bready[2], unasked[2]}),
                .m_axil_arvalid({b_arvalid[2], unasked[3]}), .m_axil_arready({b_arready[2], n_hole}),
                .m_axil_rdata({b_rdata[2*DATA_W +: DATA_W], n_rdata}), .m_axil_rresp({b_rresp[5:4], n_rresp}),
                .m_axil_rvalid({b_rvalid[2], n_rvalid}), .m_axil_rready({b_rready[2], unasked[4]})
            );
            axil_node #(
                .N(2), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES[0 +: 2*ADDR_W]),
                .SIZES_LOG2(SIZES_LOG2[0 +: 16]), .REG_EN(TREE == 3)
            ) u_second (
                .aclk(clock), .aresetn(aresetn),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr), .shut(1'b0),
                .up_wait(n_wait), .up_last(n_last), .up_hole(n_hole), .up_bresp(n_bresp),
                .up_bvalid(n_bvalid), .up_rdata(n_rdata), .up_rresp(n_rresp), .up_rvalid(n_rvalid),
                .m_axil_awvalid(b_awvalid[1:0]), .m_axil_awready(b_awready[1:0]), .m_axil_wvalid(b_wvalid[1:0]),
                .m_axil_wready(b_wready[1:0]), .m_axil_bresp(b_bresp[3:0]), .m_axil_bvalid(b_bvalid[1:0]),
                .m_axil_bready(b_bready[1:0]), .m_axil_arvalid(b_arvalid[1:0]), .m_axil_arready(b_arready[1:0]),
                .m_axil_rdata(b_rdata[0 +: 2*DATA_W]), .m_axil_rresp(b_rresp[3:0]), .m_axil_rvalid(b_rvalid[1:0]),
                .m_axil_rready(b_rready[1:0])
            );
        end
    endgenerate
    for (genvar k = 0; k < N; k++) begin : g_slave
        bench_lite_slave #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .TIMEOUT(TIMEOUT)) u_slave (
            .aclk(clock), .aresetn(aresetn), .eager(eager), .hang(hang[k]),
            .base(BASES[k*ADDR_W +: ADDR_W]), .mask((ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1)),
            .seed(32'(SEED * 100 + k)),
            .s_axil_awaddr(b_awaddr[k*ADDR_W +: ADDR_W]), .s_axil_awprot(b_awprot[k*3 +: 3]), .s_axil_awvalid(b_awvalid[k]),
            .s_axil_awready(b_awready[k]), .s_axil_wdata(b_wdata[k*DATA_W +: DATA_W]), .s_axil_wstrb(b_wstrb[k*DATA_W/8 +: DATA_W/8]),
            .s_axil_wvalid(b_wvalid[k]), .s_axil_wready(b_wready[k]), .s_axil_bresp(b_bresp[k*2 +: 2]),
            .s_axil_bvalid(b_bvalid[k]), .s_axil_bready(b_bready[k]), .s_axil_araddr(b_araddr[k*ADDR_W +: ADDR_W]),
            .s_axil_arprot(b_arprot[k*3 +: 3]), .s_axil_arvalid(b_arvalid[k]), .s_axil_arready(b_arready[k]),
            .s_axil_rdata(b_rdata[k*DATA_W +: DATA_W]), .s_axil_rresp(b_rresp[k*2 +: 2]), .s_axil_rvalid(b_rvalid[k]),
            .s_axil_rready(b_rready[k])
        );
    end

    // Word 9 of each memory, of which a write that timed out may or may not have been done.
    logic [DATA_W-1:0] word_9 [0:N-1];
    for (genvar k = 0; k < N; k++) begin : g_word
        always @(negedge clock) word_9[k] = g_slave[k].u_slave.mem[9];
    end

    function automatic logic [DATA_W-1:0] first(input int k, input int w);
        first = {DATA_W/32{(32'(w) * 32'h9E3779B1) ^ (32'(SEED * 100 + k) * 32'h85EBCA77) ^ 32'h5BD1E995}};
    endfunction

    // The byte address of word w of slave k, in a random repetition of its memory within the window.
    function automatic logic [ADDR_W-1:0] place(input int k, input int w, input logic [31:0] r);
        logic [ADDR_W-1:0] span;
        span = (ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1);
        place  = BASES[k*ADDR_W +: ADDR_W] | ((ADDR_W'(r) << (LSB + 4)) & span) | ADDR_W'(w << LSB);
    endfunction

    logic [DATA_W-1:0]   model [0:N*WORDS-1];
    logic [DATA_W-1:0]   got, data;
    logic [DATA_W/8-1:0] strb;
    logic [1:0]          w_resp, r_resp;
    int                  wk, ww, rk, rw, other, cycles, refused, revived;
    logic                writer_done, reader_done, running;

    // Cycles that registered answers of slave k cost.
    function automatic int late(input int k);
        late = int'(TREE == 2 || (TREE == 3 && k < 2));
    endfunction

    task check_write(input int k, input int w, input logic [1:0] expected);
        data = {DATA_W/32{u_master.dice}};
        strb = u_master.dice[20 +: DATA_W/8];
        u_master.write(place(k, w, u_master.dice), data, strb, w_resp);
        if (w_resp !== expected) $fatal(1, "write to slave %0d: %b instead of %b (%m)", k, w_resp, expected);
        if (expected == OKAY)
            for (int i = 0; i < DATA_W / 8; i++) if (strb[i]) model[k*WORDS+w][i*8 +: 8] = data[i*8 +: 8];
        compared = compared + 1;
    endtask

    task check_read(input int k, input int w, input logic [1:0] expected);
        u_master.read(place(k, w, u_master.dice), got, r_resp);
        if (r_resp !== expected) $fatal(1, "read of slave %0d: %b instead of %b (%m)", k, r_resp, expected);
        if (got !== (expected == OKAY ? model[k*WORDS+w] : '0))
            $fatal(1, "read of slave %0d word %0d: %h instead of %h (%m)", k, w, got, model[k*WORDS+w]);
        compared = compared + 1;
    endtask

    // ---- random traffic: two processes that never touch the same word
    initial begin
        writer_done = 1'b0;
        wait (running);
        @(negedge clock);
        for (int n = 0; n < ACCESSES; n++) begin
            if (HOLES && n % 8 == 7) begin
                u_master.write(HOLE, '1, '1, w_resp);
                if (w_resp !== DECERR) $fatal(1, "write to a hole: %b (%m)", w_resp);
            end else begin
                wk = int'(u_master.dice[30:24]) % N;
                ww = 8 + int'(u_master.dice[18:16]);
                check_write(wk, ww, OKAY);
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
                u_master.read(HOLE, got, r_resp);
                if (r_resp !== DECERR || got !== '0) $fatal(1, "read of a hole: %b %h (%m)", r_resp, got);
            end else begin
                rk = int'(u_master.dice[29:23]) % N;
                rw = int'(u_master.dice[15:13]);
                check_read(rk, rw, OKAY);
            end
        end
        reader_done = 1'b1;
    end

    // One access of either kind, which must be quick when it is refused.
    task check_access(input bit is_write, input int k, input int w, input logic [1:0] expected);
        if (is_write) check_write(k, w, expected);
        else check_read(k, w, expected);
        cycles = is_write ? u_master.cycles_w : u_master.cycles_r;
        if (expected == SLVERR && (eager ? cycles != 6 + late(k) : cycles > 30))
            $fatal(1, "slave %0d is closed, and refuses after %0d cycles (%m)", k, cycles);
    endtask

    // Slave k hangs on one channel and times out; everything else goes on.
    task kill(input int k, input int channel);
        hang[k] = 5'd1 << channel;
        repeat (2) @(negedge clock);
        if (channel < 3) check_write(k, 9, SLVERR);
        else check_read(k, 4, SLVERR);
        cycles = channel < 3 ? u_master.cycles_w : u_master.cycles_r;
        if (cycles < TIMEOUT || cycles > TIMEOUT + 20) $fatal(1, "timeout after %0d cycles (%m)", cycles);
        if (eager && cycles != TIMEOUT + 3 + late(k)) $fatal(1, "timeout after %0d cycles at full rate (%m)", cycles);
        // Closed for both kinds, again and again.
        check_access(1'b1, k, 10, SLVERR);
        check_access(1'b0, k, 3, SLVERR);
        check_access(channel < 3, k, 11, SLVERR);
        if (N > 1) begin
            other = (k + 1) % N;
            for (int n = 0; n < 4; n++) begin
                check_write(other, 8 + n, OKAY);
                check_read(other, 8 + n, OKAY);
            end
        end
    endtask

    task restart;
        aresetn = 1'b0;
        for (int k = 0; k < N; k++) begin
            hang[k] = '0;
            for (int w = 0; w < WORDS; w++) model[k*WORDS+w] = first(k, w);
        end
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        repeat (3) @(negedge clock);
    endtask

    task dead_slave(input int k, input int channel, input bit write_next);
        kill(k, channel);
        // It wakes up; its late answer must reach nobody, not even an access to another slave in flight.
        if (N > 1) begin
            hang[other] = 5'b10100;
            fork
                if (channel < 3) check_write(other, 11, OKAY);
                else check_read(other, 1, OKAY);
                begin
                    repeat (10) @(negedge clock);
                    hang[k] = '0;
                    repeat (15) @(negedge clock);
                    if (u_master.w_served == u_master.w_asked && u_master.r_served == u_master.r_asked)
                        $fatal(1, "the late answer of slave %0d went to an access of slave %0d (%m)", k, other);
                    hang[other] = '0;
                end
            join
        end
        hang[k] = '0;
        repeat (40) @(negedge clock);
        if (channel == 2 || channel == 4) begin
            // The request was taken, so the write was done in the end. The next access swallows the answer.
            if (channel == 2) model[k*WORDS+9] = word_9[k];
            check_access(write_next, k, 12, OKAY);
            for (int n = 0; n < 4; n++) begin
                check_write(k, 8 + n, OKAY);
                check_read(k, 6 + n, OKAY);
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
                if (write_next) u_master.write(place(k, 13, 0), {DATA_W/32{32'hC0FFEE00 + 32'(delay)}}, '1, w_resp);
                else u_master.read(place(k, 13, 0), got, r_resp);
            end
            begin
                repeat (delay) @(negedge clock);
                hang[k] = '0;
            end
        join
        if (write_next && w_resp == OKAY) model[k*WORDS+13] = {DATA_W/32{32'hC0FFEE00 + 32'(delay)}};
        if ((write_next ? w_resp : r_resp) == SLVERR) refused = refused + 1;
        else if ((write_next ? w_resp : r_resp) == OKAY) revived = revived + 1;
        else $fatal(1, "%b instead of OKAY or SLVERR (%m)", write_next ? w_resp : r_resp);
        if (!write_next && got !== (r_resp == OKAY ? model[k*WORDS+13] : '0))
            $fatal(1, "read %h with %b instead of %h (%m)", got, r_resp, model[k*WORDS+13]);
        compared = compared + 1;
        repeat (20) @(negedge clock);
        if (channel == 2) model[k*WORDS+9] = word_9[k];
        check_read(k, 9, OKAY);
        check_read(k, 13, OKAY);
    endtask

    initial begin
        done = 1'b0; compared = 0; refused = 0; revived = 0; aresetn = 1'b0; eager = 1'b0; running = 1'b0;
        for (int k = 0; k < N; k++) begin
            hang[k] = '0;
            for (int w = 0; w < WORDS; w++) model[k*WORDS+w] = first(k, w);
        end
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        running = 1'b1;
        wait (writer_done && reader_done);
        @(negedge clock);
        for (int k = 0; k < N; k++)
            for (int w = 0; w < WORDS; w++) check_read(k, w, OKAY);
        for (int channel = 0; channel < 5; channel++)
            for (int n = 0; n < DEATHS; n++) begin
                eager = n[0] ^ channel[0];
                dead_slave(n[0] ? N - 1 : 0, channel, n[1]);
            end
        eager = 1'b1;
        for (int delay = 0; delay < 9; delay++)
            for (int n = 0; n < DEATHS; n++) late_answer(delay % N, n[0] ? 2 : 4, n[1], delay);
        if (refused < 4 || revived < 4) $fatal(1, "late answers: %0d refused, %0d revived (%m)", refused, revived);
        // Two are dead at the same time, one for good; reset gives both back to the living.
        if (N > 1) begin
            kill(N - 1, 4);
            hang[N-1] = '0;
            repeat (5) @(negedge clock);
        end
        kill(0, 0);
        if (N > 1) check_read(N - 1, 1, OKAY);
        check_read(0, 1, SLVERR);
        restart();
        check_read(0, 1, OKAY);
        check_write(0, 8, OKAY);
        // Rate: the memory answers in the cycle after the one in which it accepts.
        repeat (20) check_read(N - 1, 2, OKAY);
        if (u_master.cycles_r != 5 + late(N - 1)) $fatal(1, "a read takes %0d cycles (%m)", u_master.cycles_r);
        check_write(0, 9, OKAY);
        if (u_master.cycles_w != 5 + late(0)) $fatal(1, "a write takes %0d cycles (%m)", u_master.cycles_w);
        done = 1'b1;
    end
endmodule

module tb_axil_crossbar;
    localparam int N = 4;
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
    ) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    // windows of several sizes, in no order, with holes
    axil_crossbar_case #(
        .N(3), .BASES({16'h8000, 16'h0040, 16'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}), .HOLE(16'h0080), .SEED(2)
    ) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    // sixteen neighbours, a hole behind them
    axil_crossbar_case #(
        .N(16),
        .BASES({16'hf00, 16'he00, 16'hd00, 16'hc00, 16'hb00, 16'ha00, 16'h900, 16'h800,
                16'h700, 16'h600, 16'h500, 16'h400, 16'h300, 16'h200, 16'h100, 16'h000}),
        .SIZES_LOG2({16{8'd8}}), .HOLE(16'h1000), .ACCESSES(250), .DEATHS(1), .SEED(3)
    ) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    // 64 data bits
    axil_crossbar_case #(
        .N(2), .DATA_W(64), .ADDR_W(12), .BASES({12'h400, 12'h800}), .SIZES_LOG2({8'd10, 8'd11}), .HOLE(12'h3f8), .SEED(4)
    ) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

module tb_axil_tree;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // holes beside the windows in both nodes, windows of several sizes; 64 data bits in one
    axil_crossbar_case #(
        .N(3), .ADDR_W(17), .BASES({17'h8000, 17'h0040, 17'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}),
        .HOLE(17'h10080), .SEED(5), .TREE(1)
    ) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axil_crossbar_case #(
        .N(3), .BASES({16'h8000, 16'h0040, 16'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}), .HOLE(16'h0080), .SEED(6),
        .TREE(2)
    ) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axil_crossbar_case #(
        .N(3), .DATA_W(64), .BASES({16'h8000, 16'h0080, 16'h1000}), .SIZES_LOG2({8'd15, 8'd7, 8'd12}),
        .HOLE(16'h2000), .SEED(7), .TREE(3)
    ) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
endmodule

`default_nettype wire
