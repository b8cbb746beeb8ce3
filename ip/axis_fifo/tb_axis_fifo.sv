// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_fifo - two benches of axis_fifo.
//
// tb_axis_fifo         the reference stream through every kind at several widths, the level against a count
// tb_axis_fifo_depths  every depth from 2 to 40 in every kind: all outputs in every cycle against a model, filled,
//                      running full, drained, running empty, at random, and reset in mid-stream
`default_nettype none

module axis_fifo_case #(
    parameter int DATA_W = 8, DEPTH = 2, STORE = 0, SEED = 1,
    parameter bit OUT_REG = 0
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int LEVEL_W = $clog2(DEPTH + 2);
    wire               clock = aclk && !done;
    wire               aresetn, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
    wire [DATA_W-1:0]  s_tdata, m_tdata;
    wire [LEVEL_W-1:0] level;

    bench_stream #(.IN_W(DATA_W), .IN_BEATS(7), .OUT_BEATS(7), .FRAMES(60), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_fifo #(.DATA_W(DATA_W + 1), .DEPTH(DEPTH), .STORE(STORE), .OUT_REG(OUT_REG)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata({s_tlast, s_tdata}), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata({m_tlast, m_tdata}), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .level(level)
    );

    int held, most;
    logic was_up;
    initial begin
        held   = 0;
        most   = 0;
        was_up = 1'b0;
    end
    always @(posedge clock) begin
        held   <= aresetn ? held + int'(s_tvalid && s_tready) - int'(m_tvalid && m_tready) : 0;
        was_up <= aresetn;
        if (held > most) most <= held;
        if (aresetn && was_up && int'(level) != held)
            $fatal(1, "level is %0d, %0d beats are inside (%m)", level, held);
        if (aresetn && was_up && held < DEPTH && !s_tready) $fatal(1, "refuses beat %0d (%m)", held);
    end
    // The bench stalls for 32 cycles at most.
    always @(posedge done) if (DEPTH < 32 && most != DEPTH + 1) $fatal(1, "never held more than %0d beats (%m)", most);
endmodule

module tb_axis_fifo;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_fifo_case #(.DATA_W(1), .DEPTH(2), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_fifo_case #(.DATA_W(40), .DEPTH(5), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_fifo_case #(.DATA_W(130), .DEPTH(13), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_fifo_case #(.DATA_W(7), .DEPTH(65), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_fifo_case #(.DATA_W(35), .DEPTH(6), .STORE(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_fifo_case #(.DATA_W(8), .DEPTH(128), .STORE(1), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_fifo_case #(.DATA_W(66), .DEPTH(20), .STORE(3), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_fifo_case #(.DATA_W(33), .DEPTH(30), .STORE(3), .OUT_REG(1), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    axis_fifo_case #(.DATA_W(71), .DEPTH(16), .STORE(4), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[287:256]));
endmodule

// One depth. The modes come from outside and are shared; the beats are numbered from `epoch`, so that a beat of
// before a reset is never right.
module axis_fifo_depth #(
    parameter int DEPTH = 2, STORE = 1, SEED = 1,
    parameter bit OUT_REG = 0
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire  [31:0] epoch,
    input  wire  [31:0] dice,
    input  wire  [1:0]  source,  // 0 off, 1 a quarter, 2 three quarters, 3 on
    input  wire  [1:0]  sink,
    input  wire         filled,  // DEPTH + 1 beats must be inside
    input  wire         flows,   // a beat must leave and another enter
    input  wire         drains,  // a beat must leave when one is inside
    output logic [31:0] compared
);
    localparam int DATA_W  = 9;
    localparam int LEVEL_W = $clog2(DEPTH + 2);
    localparam bit TWO     = STORE == 4 || OUT_REG;
    localparam int ROOM    = TWO ? DEPTH - 1 : DEPTH;

    function automatic logic [DATA_W-1:0] beat(input logic [31:0] n);
        beat = DATA_W'(n ^ (n >> 7) ^ (n << 5));
    endfunction

    logic [DATA_W-1:0]  s_tdata;
    wire  [DATA_W-1:0]  m_tdata;
    logic               s_tvalid, m_tready, up;
    wire                s_tready, m_tvalid;
    wire  [LEVEL_W-1:0] level;
    logic [31:0]        sent, got;
    int                 stored;        // in the memory
    logic               first, second; // valid of the output registers, the last one is `second`

    axis_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .STORE(STORE), .OUT_REG(OUT_REG)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .level(level)
    );

    initial begin
        up       = 1'b0;
        s_tvalid = 1'b0;
        m_tready = 1'b0;
        s_tdata  = '0;
        compared = 0;
    end

    wire [1:0] throw_s = dice[(SEED * 2) % 31 +: 2];
    wire [1:0] throw_m = dice[(SEED * 3 + 11) % 31 +: 2];
    wire go_s = source == 3 || (source == 2 && throw_s != 0) || (source == 1 && throw_s == 0);
    wire go_m = sink == 3 || (sink == 2 && throw_m != 0) || (sink == 1 && throw_m == 0);

    wire s_fire = s_tvalid && s_tready;
    wire m_fire = m_tvalid && m_tready;
    wire free_2 = !second || m_tready;
    wire free_1 = TWO ? !first || free_2 : free_2;
    wire pop    = stored != 0 && free_1;
    wire [31:0] held = sent - got - 32'(s_tvalid);

    always @(posedge aclk) begin
        up <= aresetn;
        if (!aresetn) begin
            s_tvalid <= 1'b0;
            m_tready <= 1'b0;
            sent     <= epoch;
            got      <= epoch;
            stored   <= 0;
            first    <= 1'b0;
            second   <= 1'b0;
        end else begin
            if (!s_tvalid || s_tready) begin
                s_tvalid <= go_s;
                if (go_s) s_tdata <= beat(sent);
                if (go_s) sent <= sent + 1;
            end
            m_tready <= go_m;
            if (m_fire) begin
                if (m_tdata !== beat(got)) $fatal(1, "beat %0d is %h, not %h (%m)", got, m_tdata, beat(got));
                got      <= got + 1;
                compared <= compared + 1;
            end
            stored <= stored + int'(s_fire) - int'(pop);
            if (TWO && free_1) first <= pop;
            if (free_2) second <= TWO ? first : pop;

            if (m_tvalid !== second) $fatal(1, "tvalid is %b, level %0d (%m)", m_tvalid, level);
            if (s_tready !== (up && stored < ROOM)) $fatal(1, "tready is %b, level %0d (%m)", s_tready, level);
            if (up && 32'(level) !== held) $fatal(1, "level is %0d, %0d beats are inside (%m)", level, held);
            if (filled && held != DEPTH + 1) $fatal(1, "holds %0d beats (%m)", held);
            if (flows && !(s_fire && m_fire)) $fatal(1, "does not flow at level %0d (%m)", level);
            if (drains && held != 0 && !m_fire) $fatal(1, "does not drain at level %0d (%m)", level);
        end
    end
endmodule

module tb_axis_fifo_depths;
    localparam int MOST  = 40;
    localparam int KINDS = 4;   // STORE 3 with OUT_REG at every second depth
    localparam int N     = KINDS * (MOST - 1);
    localparam int EPOCH = 800;

    logic           aclk, aresetn, filled, flows, drains;
    logic [1:0]     source, sink;
    logic [31:0]    dice, epoch;
    int             cycle, step;
    wire [N*32-1:0] compared;

    initial begin
        aclk    = 1'b0;
        cycle   = 0;
        dice    = 32'h2545F491;
        epoch   = 0;
        aresetn = 1'b0;
        forever #5 aclk = !aclk;
    end

    always @(posedge aclk) begin
        dice    <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};
        cycle   <= cycle + 1;
        step    = cycle % EPOCH;
        // The second of the two resets strikes in mid-stream.
        aresetn <= !(step < 2 || step == 600);
        if (step == 0 || step == 599) epoch <= epoch + 1000;
        source  <= step < 108 ? 3 : step < 150 ? 0 : step < 200 ? 3 : step < 400 ? 2 : step < 500 ? 3 : step < 700 ? 2 : 1;
        sink    <= step < 50 ? 0 : step < 200 ? 3 : step < 400 ? 2 : step < 500 ? 1 : step < 700 ? 2 : 3;
        filled  <= step > 47 && step < 50;
        // A full FIFO takes the next beat the cycle after the one in which the first left.
        flows   <= (step > 55 && step < 107) || (step > 158 && step < 200);
        drains  <= step > 52 && step < 150;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done({N{cycle > 2 * EPOCH}}), .compared(compared));

    generate
        for (genvar d = 2; d <= MOST; d++) begin : g_depth
            for (genvar k = 1; k <= KINDS; k++) begin : g_kind
                localparam int AT = (d - 2) * KINDS + k - 1;
                axis_fifo_depth #(
                    .DEPTH(k == 4 && d == 2 ? 3 : d), .STORE(k), .OUT_REG(k == 3 && d % 2 == 1), .SEED(AT)
                ) u_case (
                    .aclk(aclk), .aresetn(aresetn), .epoch(epoch), .dice(dice), .source(source), .sink(sink),
                    .filled(filled), .flows(flows), .drains(drains), .compared(compared[32*AT +: 32])
                );
            end
        end
    endgenerate
endmodule

`default_nettype wire
