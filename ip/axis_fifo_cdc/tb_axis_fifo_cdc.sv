// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_fifo_cdc - axis_fifo_cdc between unrelated clocks, one side or both reset again and again.
//
// Beats are numbered and every one that leaves must be the next number; a clearing moves that to the first beat
// accepted after it. Flops that sample the other clock are disturbed: each bit that changed less than a period of
// the faster clock ago is old or new by chance, as set_bus_skew allows and metastability does.
// Clock edges are at multiples of four; what the bench does of its own is done in between.
`default_nettype none

module axis_fifo_cdc_case #(
    parameter int DEPTH = 16, SYNC_STAGES = 2, S_HALF = 10, M_HALF = 10, SEED = 1
) (
    output logic        done,
    output logic [31:0] compared
);
    localparam int DATA_W  = 20;
    localparam int LEVEL_W = $clog2(DEPTH + 2);
    localparam int S_CROSS_W = $clog2(DEPTH) + 2;
    localparam int M_CROSS_W = $clog2(DEPTH) + 3;
    localparam int SLOW    = 4 * (S_HALF > M_HALF ? S_HALF : M_HALF);
    localparam int FAST    = 4 * (S_HALF < M_HALF ? S_HALF : M_HALF);

    function automatic logic [DATA_W-1:0] beat(input logic [31:0] n);
        beat = DATA_W'(n ^ (n << 9) ^ (n >> 5));
    endfunction

    logic               s_clk, m_clk, s_aresetn, m_aresetn, s_tvalid, m_tready;
    wire                s_tready, m_tvalid;
    logic [DATA_W-1:0]  s_tdata;
    wire  [DATA_W-1:0]  m_tdata;
    wire  [LEVEL_W-1:0] s_level, m_level;
    logic [31:0]        s_dice, m_dice;
    logic [1:0]         source, sink;  // 0 off, 1 a quarter, 2 three quarters, 3 on
    logic               chaos, s_owes, m_owes;
    int                 offered, accepted, got, due, cleared, s_wait, m_wait, s_settled, m_settled, mark, s_first;

    initial begin
        s_clk = 1'b0;
        forever #(2 * S_HALF) s_clk = !s_clk;
    end
    initial begin
        m_clk = 1'b0;
        forever #(2 * M_HALF) m_clk = !m_clk;
    end

    axis_fifo_cdc #(.DATA_W(DATA_W), .DEPTH(DEPTH), .SYNC_STAGES(SYNC_STAGES)) u_dut (
        .s_axis_aclk(s_clk), .s_axis_aresetn(s_aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready), .s_level(s_level),
        .m_axis_aclk(m_clk), .m_axis_aresetn(m_aresetn),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .m_level(m_level)
    );

    wire s_up = s_aresetn && u_dut.s_run;
    wire m_up = m_aresetn && u_dut.m_run;
    axis_checker #(.DATA_W(DATA_W), .NAME("m_axis")) u_check (
        .aclk(m_clk), .aresetn(m_up),
        .axis_tdata(m_tdata), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    // ---- Disturbance of the first flops.
    logic [S_CROSS_W-1:0] s_now, s_old;
    logic [M_CROSS_W-1:0] m_now, m_old;
    longint               s_changed, m_changed;
    initial begin
        s_now = '0; s_old = '0; m_now = '0; m_old = '0;
        s_changed = 0; m_changed = 0;
    end
    /* verilator lint_off MULTIDRIVEN */
    always @(posedge s_clk) begin
        #1;
        if (u_dut.s_cross_q != s_now) begin
            s_old     = s_now;
            s_now     = u_dut.s_cross_q;
            s_changed = longint'($time);
        end
        #1;
        if (longint'($time) - m_changed < longint'(FAST))
            u_dut.s_meta_q <= (m_now & s_dice[M_CROSS_W-1:0]) | (m_old & ~s_dice[M_CROSS_W-1:0]);
    end
    always @(posedge m_clk) begin
        #1;
        if (u_dut.m_cross_q != m_now) begin
            m_old     = m_now;
            m_now     = u_dut.m_cross_q;
            m_changed = longint'($time);
        end
        #1;
        if (longint'($time) - s_changed < longint'(FAST))
            u_dut.m_meta_q <= (s_now & m_dice[S_CROSS_W-1:0]) | (s_old & ~m_dice[S_CROSS_W-1:0]);
    end
    /* verilator lint_on MULTIDRIVEN */

    // ---- Latency of the first beat after the FIFO was seen empty, in time.
    int     probe;
    longint entered, left;
    initial begin
        probe   = -1;
        entered = 0;
        left    = 0;
    end
    always @(posedge s_clk) if (s_tvalid && s_tready && accepted == probe) entered = longint'($time);
    always @(posedge m_clk) if (m_tvalid && got == probe && left <= entered) left = longint'($time);

    // ---- Source.
    always @(posedge s_clk) begin
        s_dice <= {s_dice[30:0], s_dice[31] ^ s_dice[21] ^ s_dice[1] ^ s_dice[0]} ^ {16'd0, s_dice[31:16]};
        if (s_tvalid && s_tready) accepted <= accepted + 1;
        if (!s_tvalid || s_tready) begin
            s_tvalid <= s_aresetn && (source == 3 || (source == 2 && s_dice[1:0] != 0)
                                      || (source == 1 && s_dice[1:0] == 0));
            s_tdata  <= beat(32'(accepted) + 32'(s_tvalid));
        end
        if (!s_aresetn) s_tvalid <= 1'b0;

        s_wait <= s_wait - 1;
        if (s_wait == 0) begin
            s_wait    <= s_aresetn ? int'(s_dice[10:8]) * int'(s_dice[12]) : 1 + int'(s_dice[9:3]);
            s_aresetn <= !(chaos && s_aresetn && s_dice[20]);
        end
        // A reset, however short, is followed by a clearing before anything is taken.
        if (s_tready && s_owes && s_aresetn) $fatal(1, "takes beats after a reset without clearing (%m)");
        if (!s_aresetn) s_owes <= 1'b1;
        else if (u_dut.s_seen_stop) s_owes <= 1'b0;
        s_settled <= s_up ? s_settled + 1 : 0;
        if (u_dut.s_seen_stop) s_first <= accepted;
        #3;
        if (s_settled > 4 && accepted == s_first && s_level != 0)
            $fatal(1, "s_level is %0d after a clearing (%m)", s_level);
        if (s_settled > 4 && m_up && int'(s_level) < accepted - got - int'(m_tvalid))
            $fatal(1, "s_level is %0d, %0d beats are stored (%m)", s_level, accepted - got - int'(m_tvalid));
    end

    // ---- Sink.
    always @(posedge m_clk) begin
        m_dice   <= {m_dice[30:0], m_dice[31] ^ m_dice[21] ^ m_dice[1] ^ m_dice[0]} ^ {16'd0, m_dice[31:16]};
        m_tready <= sink == 3 || (sink == 2 && m_dice[1:0] != 0) || (sink == 1 && m_dice[1:0] == 0);
        if (m_tvalid && m_tready && m_aresetn) begin
            if (m_tdata !== beat(32'(got)))
                $fatal(1, "beat %0d is %h, not %h, %0d clearings (%m)", got, m_tdata, beat(32'(got)), cleared);
            got      <= got + 1;
            compared <= compared + 1;
        end
        // Both sides are stopped here: every beat accepted from now on must come out.
        if (u_dut.m_stop) begin
            got     <= accepted;
            cleared <= cleared + int'(!u_dut.m_seen_stop);
            if (s_tready || m_tvalid) $fatal(1, "takes or gives beats while it clears (%m)");
        end

        m_wait <= m_wait - 1;
        if (m_wait == 0) begin
            m_wait    <= m_aresetn ? int'(m_dice[10:8]) * int'(m_dice[12]) : 1 + int'(m_dice[9:3]);
            m_aresetn <= !(chaos && m_aresetn && m_dice[20]);
        end
        if (m_tvalid && m_owes && m_aresetn) $fatal(1, "gives beats after a reset without clearing (%m)");
        if (!m_aresetn) m_owes <= 1'b1;
        else if (u_dut.m_stop) m_owes <= 1'b0;
        m_settled <= m_up ? m_settled + 1 : 0;
        #3;
        if (m_settled > 4 && int'(m_level) > accepted - got)
            $fatal(1, "m_level is %0d, %0d beats are stored (%m)", m_level, accepted - got);
    end

    task check_empty;
        if (got != accepted || m_tvalid) $fatal(1, "%0d beats in, %0d out (%m)", accepted, got);
        if (s_level != 0 || m_level != 0) $fatal(1, "levels %0d, %0d when empty (%m)", s_level, m_level);
    endtask

    initial begin
        done = 1'b0; compared = 0; cleared = 0; chaos = 1'b0; s_owes = 1'b1; m_owes = 1'b1;
        accepted = 0; got = 0; s_wait = -1; m_wait = -1; s_settled = 0; m_settled = 0; s_first = 0;
        s_tvalid = 1'b0; m_tready = 1'b0; s_tdata = '0; source = 0; sink = 0;
        s_dice = 32'(SEED) * 32'h9E3779B1 + 1;
        m_dice = 32'(SEED) * 32'h85EBCA77 + 1;
        s_aresetn = 1'b1;
        m_aresetn = 1'b1;
        // Ready without any reset, then filled.
        #3;
        source = 3;
        #(SLOW * (DEPTH + 60));
        if (accepted != DEPTH + 1 || int'(s_level) != DEPTH || int'(m_level) != DEPTH + 1 || s_tready)
            $fatal(1, "full: %0d beats, levels %0d, %0d (%m)", accepted, s_level, m_level);
        // At full rate, out of full.
        sink = 3;
        #(SLOW * 40);
        mark = got;
        #(SLOW * 200);
        if (DEPTH >= 4 * SYNC_STAGES + 8 && got - mark < 199) $fatal(1, "%0d beats in 200 cycles (%m)", got - mark);
        source = 0;
        #(SLOW * (DEPTH + 40));
        check_empty;
        probe  = accepted;
        source = 2;
        sink   = 2;
        #(SLOW * 300);
        // An edge may come just before the beat, and metastability may cost one more.
        if (int'(left - entered) < (SYNC_STAGES + 1) * 4 * M_HALF
            || int'(left - entered) > (SYNC_STAGES + 3) * 4 * M_HALF)
            $fatal(1, "a latency of %0d in periods of %0d (%m)", left - entered, 4 * M_HALF);
        // Resets of either side, all kinds of traffic.
        s_wait = 3;
        m_wait = 5;
        chaos  = 1'b1;
        for (int k = 0; k < 16; k++) begin
            source = 2'(k);
            sink   = 2'(k >> 2);
            #(SLOW * 300);
        end
        chaos = 1'b0;
        #(SLOW * 300);
        if (cleared < 20) $fatal(1, "cleared %0d times (%m)", cleared);
        mark   = got;
        source = 3;
        sink   = 3;
        #(SLOW * 200);
        if (got - mark < 20) $fatal(1, "hangs after resets (%m)");
        source = 0;
        #(SLOW * (DEPTH + 40));
        check_empty;
        done = 1'b1;
    end
endmodule

module tb_axis_fifo_cdc;
    localparam int N = 8;
    logic           aclk;
    wire [N-1:0]    done;
    wire [N*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #400 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(100000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // 1:1 with drift, 3:7, 7:3, 100:13, 13:100, equal, and twice.
    axis_fifo_cdc_case #(.DEPTH(16), .S_HALF(50), .M_HALF(52), .SEED(1)) u_0 (
        .done(done[0]), .compared(compared[31:0]));
    axis_fifo_cdc_case #(.DEPTH(32), .SYNC_STAGES(3), .S_HALF(52), .M_HALF(50), .SEED(2)) u_1 (
        .done(done[1]), .compared(compared[63:32]));
    axis_fifo_cdc_case #(.DEPTH(16), .S_HALF(30), .M_HALF(70), .SEED(3)) u_2 (
        .done(done[2]), .compared(compared[95:64]));
    axis_fifo_cdc_case #(.DEPTH(64), .SYNC_STAGES(4), .S_HALF(70), .M_HALF(30), .SEED(4)) u_3 (
        .done(done[3]), .compared(compared[127:96]));
    axis_fifo_cdc_case #(.DEPTH(128), .SYNC_STAGES(3), .S_HALF(200), .M_HALF(26), .SEED(5)) u_4 (
        .done(done[4]), .compared(compared[159:128]));
    axis_fifo_cdc_case #(.DEPTH(16), .S_HALF(26), .M_HALF(200), .SEED(6)) u_5 (
        .done(done[5]), .compared(compared[191:160]));
    axis_fifo_cdc_case #(.DEPTH(4), .S_HALF(40), .M_HALF(40), .SEED(7)) u_6 (
        .done(done[6]), .compared(compared[223:192]));
    axis_fifo_cdc_case #(.DEPTH(8), .S_HALF(20), .M_HALF(40), .SEED(8)) u_7 (
        .done(done[7]), .compared(compared[255:224]));
endmodule

`default_nettype wire
