// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_ddr_fifo - axis_ddr_fifo with the memory of sim/links/ddr_ring/axi_memory.sv, which judges every burst.
//
// Every beat has a number, so that order, loss and level are compared with what came in, in every cycle. By turns the
// sink stops until the ring is full, all is drained, one beat more or less than a whole number of bursts comes, source
// and sink are fast, slow and at random, and `flush` comes at any moment. Nothing may wait for longer than the memory takes.
`default_nettype none

module axis_ddr_fifo_case #(
    parameter int DATA_W = 64, ADDR_W = 32, BURST = 16, RING_BYTES = 12288, STAGE = 128, STORE = 0,
    parameter int LATENCY = 64, STALL = 0, SEED = 1, ROUNDS = 3, FAULT_AT = 0, FAULT_BYTES = 0, FAULT_EVERY = 0,
    parameter bit WAIT = 0, ARM = 1, RATE = 0
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int RING  = RING_BYTES / (DATA_W / 8);
    localparam int MOST  = 2 * (STAGE + 1) + (ARM ? RING : 0);
    localparam int WATCH = 40 + 6 * (LATENCY + BURST + 8) * 100 / (100 - STALL);
    localparam bit FAULTS = FAULT_BYTES != 0 || FAULT_EVERY != 0;
    localparam logic [63:0] BASE = 64'h3_4000_5000 & ((64'd1 << ADDR_W) - 64'd1);

    wire                clock = aclk && !done;
    logic               aresetn, flush, armed, s_tvalid, m_tready;
    logic [DATA_W-1:0]  s_tdata;
    wire                s_tready, m_tvalid, idle, write_fault, read_fault, spilled, error;
    wire [DATA_W-1:0]   m_tdata;
    wire [31:0]         level;
    wire [ADDR_W-1:0]   awaddr, araddr;
    wire [7:0]          awlen, arlen;
    wire [2:0]          awsize, arsize, awprot, arprot;
    wire [1:0]          awburst, arburst, bresp, rresp;
    wire [3:0]          awcache, arcache;
    wire                awvalid, awready, wvalid, wready, wlast, bvalid, bready, arvalid, arready, rvalid, rready, rlast;
    wire [DATA_W-1:0]   wdata, rdata;
    wire [DATA_W/8-1:0] wstrb;

    axis_ddr_fifo #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BURST(BURST), .RING_BYTES(RING_BYTES), .STAGE(STAGE), .STORE(STORE)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn), .flush(flush), .base(ADDR_W'(BASE)), .armed(armed), .idle(idle),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst),
        .m_axi_awcache(awcache), .m_axi_awprot(awprot), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
        .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
        .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arburst(arburst),
        .m_axi_arcache(arcache), .m_axi_arprot(arprot), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
        .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid), .m_axi_rready(rready),
        .write_fault(write_fault), .read_fault(read_fault), .spilled(spilled), .level(level)
    );

    axi_memory #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BASE(BASE), .BYTES(RING_BYTES), .LATENCY(LATENCY), .STALL(STALL), .SEED(SEED),
        .WAIT(WAIT), .FAULT_AT(FAULT_AT), .FAULT_BYTES(FAULT_BYTES), .FAULT_EVERY(FAULT_EVERY)
    ) u_memory (
        .aclk(clock), .aresetn(aresetn),
        .s_axi_awaddr(awaddr), .s_axi_awlen(awlen), .s_axi_awsize(awsize), .s_axi_awburst(awburst),
        .s_axi_awcache(awcache), .s_axi_awprot(awprot), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
        .s_axi_wdata(wdata), .s_axi_wstrb(wstrb), .s_axi_wlast(wlast), .s_axi_wvalid(wvalid), .s_axi_wready(wready),
        .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
        .s_axi_araddr(araddr), .s_axi_arlen(arlen), .s_axi_arsize(arsize), .s_axi_arburst(arburst),
        .s_axi_arcache(arcache), .s_axi_arprot(arprot), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast), .s_axi_rvalid(rvalid), .s_axi_rready(rready),
        .error(error)
    );

    function automatic logic [DATA_W-1:0] word(input logic [31:0] n);
        word = {DATA_W/32{n * 32'h9E3779B1 ^ 32'(SEED)}} ^ DATA_W'({~n, n});
    endfunction

    // ---- source, sink and what is compared in every cycle
    int                quota, fast_s, fast_m;  // beats that may come in all; percent
    int                put, got, wrong, waits, held, bursts, told, faults_w, faults_r, told_w, told_r, laps, beats_w, beats_r;
    int                out_w, out_r;           // bursts under way
    logic [31:0]       dice;
    logic              m_waits, armed_was, aw_was, ar_was, s_fires, m_fires, clears;
    logic [DATA_W-1:0] m_was;

    initial begin
        dice = 32'(SEED) * 32'h2545F491; s_tvalid = 1'b0; m_tready = 1'b0; s_tdata = '0; put = 0; got = 0; wrong = 0; waits = 0;
        held = 0; bursts = 0; told = 0; faults_w = 0; faults_r = 0; told_w = 0; told_r = 0; laps = 0; beats_w = 0; beats_r = 0;
        out_w = 0; out_r = 0; m_waits = 1'b0; armed_was = 1'b0; aw_was = 1'b0; ar_was = 1'b0; compared = 0;
    end

    always @(posedge clock) begin
        dice    = dice * 32'd1664525 + 32'd1013904223;
        s_fires = s_tvalid && s_tready;
        m_fires = m_tvalid && m_tready;
        clears  = 1'b0;
        if (error) $fatal(1, "the memory complains (%m)");
        if (!aresetn) begin
            got = put; out_w = 0; out_r = 0; m_waits = 1'b0; aw_was = 1'b0; ar_was = 1'b0; bursts = told;
            faults_w = told_w; faults_r = told_r; waits = 0; held = 0;
        end else begin
            if (level !== 32'(put - got)) begin
                // `flush` has emptied it.
                if (level !== 32'd0 || !idle || s_tready || m_tvalid) $fatal(1, "level is %0d, %0d are inside (%m)", level, put - got);
                clears = 1'b1;
            end
            if (told + int'(spilled) > bursts) $fatal(1, "more bursts are reported than were answered (%m)");
            told   = told + int'(spilled);
            told_w = told_w + int'(write_fault);
            told_r = told_r + int'(read_fault);
            if (told != bursts || told_w != faults_w || told_r != faults_r) $fatal(1, "an answer is not reported (%m)");
            bursts   = bursts + int'(bvalid && bready);
            faults_w = faults_w + int'(bvalid && bready && bresp != 2'b00);
            faults_r = faults_r + int'(rvalid && rready && rresp != 2'b00);
            if (rvalid && rready && rlast && rresp != 2'b00) wrong = wrong - BURST;
            if (bvalid && bready && bresp != 2'b00) wrong = wrong - BURST;

            // A valid of an address that was not there a cycle ago is a new burst.
            if (awvalid && !aw_was) begin
                out_w = out_w + 1;
                if (awaddr === ADDR_W'(BASE)) laps = laps + 1;
            end
            if (arvalid && !ar_was) out_r = out_r + 1;
            if ((awvalid && !aw_was) || (arvalid && !ar_was)) if (!armed_was) $fatal(1, "a burst begins while not armed (%m)");
            armed_was = armed;
            aw_was = awvalid && !awready;
            ar_was = arvalid && !arready;
            if (idle && out_w + out_r != 0) $fatal(1, "idle, and %0d bursts are under way (%m)", out_w + out_r);
            out_w = out_w - int'(bvalid && bready);
            out_r = out_r - int'(rvalid && rready && rlast);
            beats_w = beats_w + int'(wvalid && wready);
            beats_r = beats_r + int'(rvalid && rready);

            if (flush && (s_tready || m_tvalid)) $fatal(1, "beats move during flush (%m)");
            if (m_waits && !flush && !clears && (!m_tvalid || m_tdata !== m_was)) $fatal(1, "an output waits and changes (%m)");
            m_waits = m_tvalid && !m_tready;
            m_was   = m_tdata;
            if (clears) got = put;
            if (m_fires) begin
                if (got == put) $fatal(1, "a beat comes out that did not go in (%m)");
                if (m_tdata !== word(32'(got))) begin
                    wrong = wrong + 1;
                    if (!FAULTS || wrong > 0) $fatal(1, "beat %0d is %h, not %h (%m)", got, m_tdata, word(32'(got)));
                end else begin
                    compared <= compared + 1;
                end
                got = got + 1;
            end
            if (s_fires) put = put + 1;

            // Nothing waits for longer than the memory takes.
            waits = m_tready && !m_tvalid && level != 0 && !flush && armed == ARM ? waits + 1 : 0;
            held  = s_tvalid && !s_tready && int'(level) < (ARM ? RING : 2 * STAGE) && !flush && armed == ARM ? held + 1 : 0;
            if (waits > WATCH) $fatal(1, "no beat for %0d cycles, and %0d are inside (%m)", waits, level);
            if (held > WATCH) $fatal(1, "no beat is taken for %0d cycles, and %0d are inside (%m)", held, level);
        end

        if (s_fires || !s_tvalid || !aresetn) begin
            s_tvalid <= put < quota && int'((dice >> 4) % 32'd100) < fast_s;
            s_tdata  <= word(32'(put));
        end
        m_tready <= int'((dice >> 13) % 32'd100) < fast_m;
    end

    // ---- what happens
    task automatic speeds(input int beats, input int s, input int m);
        quota = beats < 0 ? 2_000_000_000 : put + beats; fast_s = s; fast_m = m;
    endtask

    task automatic drain;
        speeds(0, 0, 100);
        for (int k = 0; put != got; k++) begin
            if (k > 200 + 8 * (MOST + WATCH) * 100 / (100 - STALL)) $fatal(1, "%0d beats stay inside (%m)", level);
            @(negedge clock);
        end
        repeat (8) @(negedge clock);
        if (level != 0 || !idle || m_tvalid) $fatal(1, "not empty (%m)");
    endtask

    // The ring is out of use again: a beat passes at once.
    task automatic at_once;
        int since;
        speeds(1, 100, 100);
        since = 0;
        while (!s_tvalid || !s_tready) @(negedge clock);
        while (!m_tvalid) begin
            @(negedge clock);
            since = since + 1;
            if (since > 4) $fatal(1, "a beat takes more than 4 cycles through an empty FIFO (%m)");
        end
        repeat (4) @(negedge clock);
    endtask

    task automatic fill;
        int last_put;
        speeds(-1, 100, 0);
        last_put = -1;
        while (put != last_put) begin
            last_put = put;
            repeat (WATCH) @(negedge clock);
        end
        if (int'(level) != MOST) $fatal(1, "full with %0d beats, not %0d (%m)", level, MOST);
        if (ARM && !idle) $fatal(1, "full, and a burst is under way (%m)");
    endtask

    task automatic rinse(input int cycles);
        flush = 1'b1;
        repeat (cycles) @(negedge clock);
        flush = 1'b0;
        for (int k = 0; level != 0 || !idle || !s_tready; k++) begin
            if (k > 2 * WATCH) $fatal(1, "flush does not end (%m)");
            @(negedge clock);
        end
    endtask

    // Beats of both directions in 100 cycles, with a backlog.
    task automatic fast(input int backlog);
        int from_w, from_r, from_m;
        while (int'(level) > backlog) begin
            speeds(0, 0, 100);
            @(negedge clock);
        end
        speeds(-1, 100, 100);
        repeat (4 * LATENCY) @(negedge clock);
        from_w = beats_w; from_r = beats_r; from_m = got;
        repeat (4000) @(negedge clock);
        $display("%0d beats in the ring: of 4000 cycles %0d write, %0d read, %0d bring a beat (%m)", backlog,
                 beats_w - from_w, beats_r - from_r, got - from_m);
        if (beats_w - from_w < 3800 || beats_r - from_r < 3800 || got - from_m < 3800) $fatal(1, "slower than 0.95 (%m)");
    endtask

    initial begin
        done = 1'b0; aresetn = 1'b0; flush = 1'b0; armed = 1'b0; speeds(0, 0, 0);
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        repeat (3) @(negedge clock);
        // Not armed: a FIFO of what is on the chip, also if it has been full.
        at_once;
        speeds(-1, 100, 0);
        repeat (2 * STAGE + 20) @(negedge clock);
        if (int'(level) != 2 * (STAGE + 1) || bursts != 0 || s_tready) $fatal(1, "level is %0d while not armed (%m)", level);
        drain;
        armed = ARM;
        for (int round = 0; round < ROUNDS; round++) begin
            at_once;
            fill;
            if (RATE) fast(RING);
            drain;
            at_once;
            // A beat more or less than whole bursts, one burst and several.
            for (int n = 0; n < 4; n++)
                for (int d = -1; d < 2; d++) begin
                    speeds(STAGE + 2 + BURST * (n == 3 ? RING / BURST : n) + d, 100, 0);
                    while (put != quota) begin
                        if (!ARM && put - got == MOST) fast_m = 50;
                        @(negedge clock);
                    end
                    repeat (int'(dice[7:0])) @(negedge clock);
                    drain;
                    at_once;
                end
            if (RATE) begin
                fill;
                fast(2 * STAGE + 12 * BURST);
            end
            // Who is faster changes, and the ring comes into use and out of it.
            for (int k = 0; k < 24; k++) begin
                speeds(-1, k % 3 == 0 ? 100 : k % 3 == 1 ? 30 : 60, k % 3 == 0 ? int'(dice[5:0]) : k % 3 == 1 ? 100 : 60);
                repeat (2 * STAGE + int'((dice >> 9) % 32'(4 * (STAGE + BURST)))) @(negedge clock);
            end
            // Bursts are held off for a while, as many as there may be.
            if (ARM) begin
                armed = 1'b0;
                speeds(-1, 100, 0);
                repeat (200) @(negedge clock);
                armed = 1'b1;
            end
            drain;
            for (int k = 0; k < 12; k++) begin
                speeds(-1, 100, k % 4 == 0 ? 100 : k % 4 == 1 ? 40 : 0);
                repeat (STAGE + int'((dice >> 5) % 32'(MOST + LATENCY))) @(negedge clock);
                rinse(k % 3 == 0 ? 1 : int'((dice >> 7) % 32'd40) + 1);
                if (k % 2 == 0) at_once;
            end
            speeds(-1, 100, 30);
            repeat (300) @(negedge clock);
            aresetn = 1'b0;
            repeat (2) @(negedge clock);
            aresetn = 1'b1;
            repeat (2) @(negedge clock);
        end
        drain;
        if (ARM && (laps < 4 || bursts < 3 * RING / BURST)) $fatal(1, "the ring was hardly used: %0d laps, %0d bursts (%m)", laps, bursts);
        if (!ARM && bursts != 0) $fatal(1, "never armed, and %0d bursts (%m)", bursts);
        if (FAULTS && (told_w == 0 || told_r == 0 || wrong == 0)) $fatal(1, "no fault came (%m)");
        done = 1'b1;
    end
endmodule

module tb_axis_ddr_fifo;
    localparam int N = 8;
    logic           aclk;
    wire [N-1:0]    done;
    wire [N*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // The rate that the defaults are made for; the smallest of all, whose ring is no power of two; wide, with a long
    // address; the longest burst; a slave that wants data first; faults at a place, and now and then; never armed.
    axis_ddr_fifo_case #(.RATE(1), .ROUNDS(1), .SEED(1)) u_fast (
        .aclk(aclk), .done(done[0]), .compared(compared[32*0 +: 32]));
    axis_ddr_fifo_case #(.DATA_W(32), .BURST(2), .RING_BYTES(24), .STAGE(4), .LATENCY(3), .STALL(30), .SEED(2), .ROUNDS(4)) u_small (
        .aclk(aclk), .done(done[1]), .compared(compared[32*1 +: 32]));
    axis_ddr_fifo_case #(.DATA_W(512), .ADDR_W(40), .RING_BYTES(12288), .STAGE(32), .LATENCY(20), .STALL(60), .SEED(3), .ROUNDS(1)) u_wide (
        .aclk(aclk), .done(done[2]), .compared(compared[32*2 +: 32]));
    axis_ddr_fifo_case #(.DATA_W(128), .BURST(256), .STAGE(512), .ROUNDS(1), .STALL(10), .SEED(4)) u_long (
        .aclk(aclk), .done(done[3]), .compared(compared[32*3 +: 32]));
    axis_ddr_fifo_case #(.BURST(4), .RING_BYTES(4096), .STAGE(16), .LATENCY(7), .STALL(40), .WAIT(1), .SEED(5), .ROUNDS(1)) u_wait (
        .aclk(aclk), .done(done[4]), .compared(compared[32*4 +: 32]));
    axis_ddr_fifo_case #(.BURST(8), .RING_BYTES(4096), .STAGE(16), .LATENCY(0), .FAULT_AT(448), .FAULT_BYTES(128), .SEED(6), .ROUNDS(1)) u_place (
        .aclk(aclk), .done(done[5]), .compared(compared[32*5 +: 32]));
    axis_ddr_fifo_case #(.BURST(8), .RING_BYTES(4096), .STAGE(16), .LATENCY(30), .STALL(20), .FAULT_EVERY(7), .SEED(7), .ROUNDS(1)) u_faults (
        .aclk(aclk), .done(done[6]), .compared(compared[32*6 +: 32]));
    axis_ddr_fifo_case #(.BURST(8), .STAGE(16), .LATENCY(2), .ARM(0), .SEED(8), .ROUNDS(1)) u_never (
        .aclk(aclk), .done(done[7]), .compared(compared[32*7 +: 32]));
endmodule

// Small ones, for mutants.
module tb_axis_ddr_fifo_few;
    localparam int N = 3;
    logic           aclk;
    wire [N-1:0]    done;
    wire [N*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_ddr_fifo_case #(.DATA_W(32), .BURST(2), .RING_BYTES(24), .STAGE(4), .LATENCY(3), .STALL(30), .SEED(2), .ROUNDS(3)) u_small (
        .aclk(aclk), .done(done[0]), .compared(compared[32*0 +: 32]));
    axis_ddr_fifo_case #(.DATA_W(32), .BURST(4), .RING_BYTES(112), .STAGE(8), .LATENCY(12), .FAULT_EVERY(7), .SEED(7), .ROUNDS(2)) u_faults (
        .aclk(aclk), .done(done[1]), .compared(compared[32*1 +: 32]));
    axis_ddr_fifo_case #(.DATA_W(32), .BURST(8), .STAGE(16), .LATENCY(2), .ARM(0), .SEED(8), .ROUNDS(1)) u_never (
        .aclk(aclk), .done(done[2]), .compared(compared[32*2 +: 32]));
endmodule

`default_nettype wire
