// SPDX-License-Identifier: BSD-3-Clause
//
// tb_ring_requests - ring_requests behind axis_ddr_fifo, one for each ring, before the memory of
// sim/links/ddr_ring/request_memory.sv, which judges every request.
//
// Every beat has a number, so that order and loss are compared in every cycle. Each ring by itself is filled up, its output
// held for long, drained, flushed at any moment, and not armed for a while, while the others go on. Completions and beats that
// no request has asked for come in between: they are reported, and change nothing. No ring waits for longer than the memory takes.
`default_nettype none

module ring_requests_case #(
    parameter int N = 2, DATA_W = 64, BURST = 4, RING_BYTES = 128, STAGE = 16, OPEN = 16, SEED = 1, BEATS = 1500,
    parameter int LATENCY = 20, GAP = 9, FAULT = 300, FAULT_EVERY = 40, STALL = 10, RATE = 0,
    parameter logic [4*N-1:0] DESTS = (4*N)'(32'h7654_3210),
    parameter logic [N-1:0] HOSTS = '0
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int ADDR_W = 54;
    localparam int RING   = RING_BYTES / (DATA_W / 8);
    localparam int MOST   = RING + 2 * (STAGE + 1);
    // All rings share the queues, and a page may have to be mapped for several requests in a row.
    localparam int WATCH  = 400 + 4 * (FAULT_EVERY != 0 ? FAULT : 0) + N * 40 * GAP + (8 * LATENCY + 4 * STAGE) * 100 / (100 - STALL);

    function automatic logic [64*N-1:0] bases;
        bases = '0;
        for (int k = 0; k < N; k++) bases[64*k +: 64] = {10'd0, 6'(k + 3), 48'h7F00_0000_0000 + 48'(k) * 48'h1000_0000};
    endfunction
    localparam logic [64*N-1:0] BASES = bases();

    wire                  clock = aclk && !done;
    logic                 aresetn;
    logic [N-1:0]         flush, armed, s_tvalid, m_tready;
    wire  [N-1:0]         s_tready, m_tvalid, idle, write_fault, read_fault, spilled, fifo_write_fault, fifo_read_fault;
    logic [N*DATA_W-1:0]  s_tdata;
    wire  [N*DATA_W-1:0]  m_tdata, wdata, rdata;
    wire  [N*32-1:0]      level;
    wire  [N*ADDR_W-1:0]  awaddr, araddr;
    wire  [N-1:0]         awvalid, awready, wvalid, wready, wlast, bvalid, arvalid, arready, rvalid, rlast;
    wire  [N*DATA_W/8-1:0] wstrb;
    wire  [ADDR_W-1:0]    sq_wr_addr, sq_rd_addr;
    wire  [3:0]           sq_wr_dest, sq_rd_dest, cq_dest;
    wire                  sq_wr_host, sq_wr_valid, sq_wr_ready, sq_rd_host, sq_rd_valid, sq_rd_ready, cq_host, cq_valid, error;
    wire  [N-1:0]         recv_tlast, recv_tvalid;

    // What comes from nowhere.
    logic                 stray_cq;
    logic [4:0]           stray_key;
    logic [N-1:0]         stray_recv;

    generate
        for (genvar k = 0; k < N; k++) begin : g_ring
            wire [7:0] awlen, arlen;
            wire [2:0] awsize, arsize, awprot, arprot;
            wire [1:0] awburst, arburst;
            wire [3:0] awcache, arcache;
            wire       bready, rready;

            axis_ddr_fifo #(
                .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BURST(BURST), .RING_BYTES(RING_BYTES), .STAGE(STAGE)
            ) u_fifo (
                .aclk(clock), .aresetn(aresetn), .flush(flush[k]), .base(BASES[64*k +: ADDR_W]), .armed(armed[k]), .idle(idle[k]),
                .s_axis_tdata(s_tdata[k*DATA_W +: DATA_W]), .s_axis_tvalid(s_tvalid[k]), .s_axis_tready(s_tready[k]),
                .m_axis_tdata(m_tdata[k*DATA_W +: DATA_W]), .m_axis_tvalid(m_tvalid[k]), .m_axis_tready(m_tready[k]),
                .m_axi_awaddr(awaddr[k*ADDR_W +: ADDR_W]), .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst),
                .m_axi_awcache(awcache), .m_axi_awprot(awprot), .m_axi_awvalid(awvalid[k]), .m_axi_awready(awready[k]),
                .m_axi_wdata(wdata[k*DATA_W +: DATA_W]), .m_axi_wstrb(wstrb[k*DATA_W/8 +: DATA_W/8]), .m_axi_wlast(wlast[k]),
                .m_axi_wvalid(wvalid[k]), .m_axi_wready(wready[k]), .m_axi_bresp(2'b00), .m_axi_bvalid(bvalid[k]),
                .m_axi_bready(bready), .m_axi_araddr(araddr[k*ADDR_W +: ADDR_W]), .m_axi_arlen(arlen), .m_axi_arsize(arsize),
                .m_axi_arburst(arburst), .m_axi_arcache(arcache), .m_axi_arprot(arprot), .m_axi_arvalid(arvalid[k]),
                .m_axi_arready(arready[k]), .m_axi_rdata(rdata[k*DATA_W +: DATA_W]), .m_axi_rresp(2'b00), .m_axi_rlast(rlast[k]),
                .m_axi_rvalid(rvalid[k]), .m_axi_rready(rready), .write_fault(fifo_write_fault[k]),
                .read_fault(fifo_read_fault[k]), .spilled(spilled[k]), .level(level[32*k +: 32])
            );
        end
    endgenerate

    ring_requests #(
        .N(N), .ADDR_W(ADDR_W), .BURST(BURST), .OPEN(OPEN), .DESTS(DESTS), .HOSTS(HOSTS)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn), .s_axi_awaddr(awaddr), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
        .s_axi_bvalid(bvalid), .s_axi_araddr(araddr), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_rlast(rlast), .s_axi_rvalid(rvalid), .recv_tlast(recv_tlast), .recv_tvalid(recv_tvalid | stray_recv),
        .sq_wr_addr(sq_wr_addr), .sq_wr_dest(sq_wr_dest), .sq_wr_host(sq_wr_host), .sq_wr_valid(sq_wr_valid),
        .sq_wr_ready(sq_wr_ready), .sq_rd_addr(sq_rd_addr), .sq_rd_dest(sq_rd_dest), .sq_rd_host(sq_rd_host),
        .sq_rd_valid(sq_rd_valid), .sq_rd_ready(sq_rd_ready), .cq_wr_dest(stray_cq ? stray_key[3:0] : cq_dest),
        .cq_wr_host(stray_cq ? stray_key[4] : cq_host), .cq_wr_valid(cq_valid || stray_cq), .write_fault(write_fault),
        .read_fault(read_fault)
    );

    request_memory #(
        .N(N), .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BURST(BURST), .BASES(BASES), .SIZES({N{32'(RING_BYTES)}}), .DESTS(DESTS),
        .HOSTS(HOSTS), .MOST(OPEN), .LATENCY(LATENCY), .GAP(GAP), .FAULT(FAULT), .FAULT_EVERY(FAULT_EVERY), .STALL(STALL), .SEED(SEED)
    ) u_memory (
        .aclk(clock), .aresetn(aresetn), .sq_wr_addr(sq_wr_addr), .sq_wr_dest(sq_wr_dest), .sq_wr_host(sq_wr_host),
        .sq_wr_valid(sq_wr_valid), .sq_wr_ready(sq_wr_ready), .sq_rd_addr(sq_rd_addr), .sq_rd_dest(sq_rd_dest),
        .sq_rd_host(sq_rd_host), .sq_rd_valid(sq_rd_valid), .sq_rd_ready(sq_rd_ready), .cq_wr_dest(cq_dest),
        .cq_wr_host(cq_host), .cq_wr_valid(cq_valid), .send_tdata(wdata), .send_tkeep(wstrb), .send_tlast(wlast),
        .send_tvalid(wvalid), .send_tready(wready), .recv_tdata(rdata), .recv_tlast(recv_tlast), .recv_tvalid(recv_tvalid),
        .recv_tready({N{1'b1}}), .error(error)
    );

    function automatic logic [DATA_W-1:0] word(input int ring, input int n);
        word = {DATA_W/32{32'(n) * 32'h9E3779B1 ^ 32'(SEED * 8 + ring)}} ^ DATA_W'({~32'(n), 32'(n)});
    endfunction

    // ---- what is compared in every cycle
    int           put [0:N-1], got [0:N-1], fast_s [0:N-1], fast_m [0:N-1], left [0:N-1], waits [0:N-1], open_w [0:N-1], open_r [0:N-1];
    int           mode [0:N-1], reads [0:N-1], bursts, fills, strays, told, flushes, total;
    logic [31:0]  dice;
    logic [N-1:0] m_waits, want_w, want_r, drops;
    logic [N*DATA_W-1:0] m_was;
    logic         stopping;

    task automatic roll;
        dice = dice * 32'd1664525 + 32'd1013904223;
    endtask

    initial begin
        dice = 32'(SEED) * 32'h2545F491 + 32'd7; s_tvalid = '0; s_tdata = '0; m_tready = '0; flush = '0; armed = '1; m_waits = '0;
        stray_cq = 1'b0; stray_recv = '0; stray_key = '0; want_w = '0; want_r = '0; stopping = 1'b0; drops = '0; compared = 0;
        bursts = 0; fills = 0; strays = 0; told = 0; flushes = 0; total = 0;
        for (int k = 0; k < N; k++) begin
            put[k] = 0; got[k] = 0; fast_s[k] = 100; fast_m[k] = 0; left[k] = 0; waits[k] = 0; open_w[k] = 0; open_r[k] = 0;
            mode[k] = 0; reads[k] = 0;
        end
    end

    // What a ring does next, and for how long: it fills up while its output is held, is drained, runs, is not armed, is flushed.
    task automatic choose(input int k);
        roll;
        mode[k]   = int'((dice >> 8) % 32'd8);
        left[k]   = 50 + int'((dice >> 12) % 32'(2 * MOST));
        flush[k] <= 1'b0;
        armed[k] <= 1'b1;
        fast_s[k] = 100;
        fast_m[k] = 100;
        case (mode[k])
            0: begin fast_m[k] = 0; left[k] = 3 * MOST + WATCH; end
            1: fast_s[k] = 0;
            2: fast_s[k] = 30;
            3: fast_m[k] = 40;
            4: begin fast_s[k] = 60; fast_m[k] = 60; end
            5: begin armed[k] <= 1'b0; fast_m[k] = int'(dice[30]) * 100; end
            6: begin flush[k] <= 1'b1; left[k] = 1 + int'((dice >> 20) % 32'd30); flushes = flushes + 1; end
            default: fast_m[k] = 15;
        endcase
        if (RATE != 0) begin fast_s[k] = 100; fast_m[k] = 100; mode[k] = 3; flush[k] <= 1'b0; armed[k] <= 1'b1; end
        if (stopping) begin fast_s[k] = 0; fast_m[k] = 100; mode[k] = 1; flush[k] <= 1'b0; armed[k] <= 1'b1; left[k] = 1000000; end
    endtask

    task automatic look(input int k);
        int held;
        held = put[k] - got[k];
        if (level[32*k +: 32] !== 32'(held)) begin
            if (level[32*k +: 32] !== 0 || !idle[k] || s_tready[k] || m_tvalid[k]) $fatal(1, "ring %0d: level is %0d, %0d are inside (%m)", k, level[32*k +: 32], held);
            got[k] = put[k];
            drops[k] = 1'b1;
        end
        if (m_waits[k] && !drops[k] && !flush[k] && (!m_tvalid[k] || m_tdata[k*DATA_W +: DATA_W] !== m_was[k*DATA_W +: DATA_W]))
            $fatal(1, "ring %0d: an output waits and changes (%m)", k);
        drops[k] = flush[k];
        m_waits[k] = m_tvalid[k] && !m_tready[k];
        if (m_tvalid[k] && m_tready[k]) begin
            if (got[k] == put[k]) $fatal(1, "ring %0d: a beat comes out that did not go in (%m)", k);
            if (m_tdata[k*DATA_W +: DATA_W] !== word(k, got[k])) $fatal(1, "ring %0d: beat %0d is %h (%m)", k, got[k], m_tdata[k*DATA_W +: DATA_W]);
            got[k] = got[k] + 1;
            compared <= compared + 1;
            total = total + 1;
        end
        if (s_tvalid[k] && s_tready[k]) put[k] = put[k] + 1;
        if (held == MOST) fills = fills + 1;
        waits[k] = (m_tready[k] && !m_tvalid[k] && held != 0 || s_tvalid[k] && !s_tready[k] && held < RING) && armed[k] && !flush[k]
            ? waits[k] + 1 : 0;
        if (waits[k] > WATCH) $fatal(1, "ring %0d waits for %0d cycles, and %0d are inside (%m)", k, waits[k], held);

        // A burst is reported as written once, and what does not fit is.
        bursts = bursts + int'(spilled[k]);
        if (write_fault[k] !== want_w[k] || read_fault[k] !== want_r[k] || fifo_write_fault[k] || fifo_read_fault[k])
            $fatal(1, "ring %0d: faults are %b %b, not %b %b (%m)", k, write_fault[k], read_fault[k], want_w[k], want_r[k]);
        told = told + int'(want_w[k]) + int'(want_r[k]);
        open_w[k] = open_w[k] + int'(sq_wr_valid && sq_wr_ready && {sq_wr_host, sq_wr_dest} == {HOSTS[k], DESTS[4*k +: 4]})
            - int'(cq_valid && {cq_host, cq_dest} == {HOSTS[k], DESTS[4*k +: 4]});
        open_r[k] = open_r[k] + int'(sq_rd_valid && sq_rd_ready && {sq_rd_host, sq_rd_dest} == {HOSTS[k], DESTS[4*k +: 4]})
            - int'(recv_tvalid[k] && recv_tlast[k]);
        reads[k] = reads[k] + int'(recv_tvalid[k]);

        if (left[k] == 0) choose(k);
        else              left[k] = left[k] - 1;
        roll;
        if (s_tvalid[k] && s_tready[k] || !s_tvalid[k]) begin
            s_tvalid[k] <= int'((dice >> 4) % 32'd100) < fast_s[k];
            s_tdata[k*DATA_W +: DATA_W] <= word(k, put[k]);
        end
        m_tready[k] <= int'((dice >> 13) % 32'd100) < fast_m[k];
        m_was[k*DATA_W +: DATA_W] = m_tdata[k*DATA_W +: DATA_W];
    endtask

    // ---- what comes from nowhere: of a stream that is not there, or of a ring of which nothing is under way
    int           aim;
    logic [N-1:0] soon_w, next_w, soon_r;
    initial begin soon_w = '0; next_w = '0; soon_r = '0; aim = 0; end

    always @(posedge clock) if (aresetn) begin
        if (error) $fatal(1, "the memory complains (%m)");
        want_w = next_w;
        next_w = soon_w;
        soon_w = '0;
        if (stray_cq) begin
            soon_w = '1;
            for (int k = 0; k < N; k++) if (stray_key == {HOSTS[k], DESTS[4*k +: 4]}) soon_w = N'(1) << k;
        end
        want_r = soon_r;
        soon_r = stray_recv;
        for (int k = 0; k < N; k++) look(k);
        roll;
        stray_cq   <= 1'b0;
        stray_recv <= '0;
        aim = int'((dice >> 9) % 32'(N));
        if (RATE == 0 && dice[7:0] == 8'h11 && !stray_cq) begin
            // The model has at most one completion in two cycles, so this is not one of its own.
            stray_key <= dice[27] ? 5'h1E : {HOSTS[aim], DESTS[4*aim +: 4]};
            if (cq_valid && (dice[27] || (open_w[aim] == 0 && !sq_wr_valid && !awvalid[aim]))) begin stray_cq <= 1'b1; strays = strays + 1; end
        end
        if (RATE == 0 && dice[7:0] == 8'h22 && open_r[aim] == 0 && !sq_rd_valid && !recv_tvalid[aim]) begin
            stray_recv[aim] <= 1'b1;
            strays = strays + 1;
        end
    end

    initial begin
        done = 1'b0; aresetn = 1'b0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        while (total < N * BEATS) @(negedge clock);
        if (RATE != 0) begin
            $display("%0d beats of %0d rings in %0d cycles (%m)", total, N, u_memory.cycle);
        end
        stopping = 1'b1;
        @(negedge clock);
        for (int k = 0; k < N; k++) left[k] = 0;
        for (int k = 0; k < N; k++)
            while (put[k] != got[k] || !idle[k]) @(negedge clock);
        repeat (20) @(negedge clock);
        if (level != '0 || idle != '1) $fatal(1, "not empty (%m)");
        if (RATE == 0 && (fills == 0 || strays < 4 || told < strays || flushes == 0 || bursts < BEATS / BURST / 4))
            $fatal(1, "hardly used: full in %0d cycles, %0d strays, %0d told, %0d flushes, %0d bursts (%m)", fills, strays, told, flushes, bursts);
        $display("%0d bursts, full in %0d cycles, %0d strays, %0d flushes (%m)", bursts, fills, strays, flushes);
        done = 1'b1;
    end
endmodule

module tb_ring_requests;
    localparam int N = 5;
    logic           aclk;
    wire [N-1:0]    done;
    wire [N*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(2_000_000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // One ring; two that differ in the kind of their stream alone; three; bursts as Coyote has them; all that there may be.
    ring_requests_case #(.N(1), .SEED(1)) u_one (.aclk(aclk), .done(done[0]), .compared(compared[32*0 +: 32]));
    ring_requests_case #(.N(2), .SEED(2), .DESTS(8'h22), .HOSTS(2'b10), .FAULT_EVERY(9), .STALL(40)) u_two (
        .aclk(aclk), .done(done[1]), .compared(compared[32*1 +: 32]));
    ring_requests_case #(.N(3), .SEED(3), .DATA_W(32), .BURST(2), .RING_BYTES(24), .STAGE(4), .OPEN(2), .LATENCY(1), .GAP(1)) u_three (
        .aclk(aclk), .done(done[2]), .compared(compared[32*2 +: 32]));
    ring_requests_case #(.N(2), .SEED(4), .DATA_W(512), .BURST(64), .RING_BYTES(12288), .STAGE(128), .LATENCY(150), .FAULT(2000)) u_wide (
        .aclk(aclk), .done(done[3]), .compared(compared[32*3 +: 32]));
    ring_requests_case #(.N(8), .SEED(5), .DATA_W(32), .BURST(8), .RING_BYTES(128), .STAGE(16), .BEATS(400), .HOSTS(8'hC0)) u_all (
        .aclk(aclk), .done(done[4]), .compared(compared[32*4 +: 32]));
endmodule

// A small one, for mutants.
module tb_ring_requests_few;
    logic        aclk;
    wire         done;
    wire  [31:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(1), .CYCLES(400_000)) u_end (.aclk(aclk), .done(done), .compared(compared));
    ring_requests_case #(.N(3), .SEED(6), .DATA_W(32), .BURST(4), .RING_BYTES(96), .STAGE(8), .OPEN(2), .LATENCY(5), .GAP(2), .FAULT(60), .BEATS(500),
        .HOSTS(3'b100), .DESTS(12'h010)) u_few (.aclk(aclk), .done(done), .compared(compared));
endmodule

`default_nettype wire
