// SPDX-License-Identifier: BSD-3-Clause
//
// tb_layer_dot - every sum of layer_dot against products that are added one by one.
//
// Beat i is a hash. Phases, each from reset: 0 no stalls, beats counted against cycles   1 each source stalls by itself
// 2 the sink stalls   3 both   4 to 11 both, until reset strikes
`default_nettype none

module layer_dot_case #(
    parameter int PE = 1, SIMD = 1, A_W = 4, W_W = 4, OUT_W = 16, A_KIND = 0, W_KIND = 1, OWN = 0, STEPS = 1, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    function automatic logic [31:0] mix(input logic [31:0] a, input logic [31:0] b);
        logic [31:0] h;
        h = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ (32'(SEED) * 32'hC2B2AE3D);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        h = (h ^ (h >> 12)) * 32'h297A2D39;
        mix = h ^ (h >> 15);
    endfunction

    localparam int BEATS = 60 * STEPS;
    localparam int A_N   = (OWN != 0 ? PE : 1) * SIMD;
    localparam int W_N   = PE * SIMD;

    wire                          clock = aclk && !done;
    logic                         aresetn, m_tready;
    logic [A_N*A_W+W_N*W_W-1:0]   s_tdata;
    logic [1:0]                   s_tvalid, taken;
    wire  [1:0]                   s_tready;
    wire  [PE*OUT_W-1:0]          m_tdata;
    wire                          m_tvalid;
    logic [PE*OUT_W-1:0]          expected;
    int                           phase, got, cycle, first, last, tail;
    int                           sent [0:1];
    logic [63:0]                  dice;

    // Operand n of beat i; those of weights come after those of activations.
    function automatic logic [31:0] code(input int i, input int n);
        logic [31:0] h;
        h = mix(32'(i), 32'(n));
        // The ends of the range among them.
        code = h[31:30] == 2'd0 ? (h[29] ? '1 : 32'd0) : h[31:30] == 2'd1 ? 32'(1) << ((n < A_N ? A_W : W_W) - 1) : h;
    endfunction
    function automatic logic signed [63:0] value(input logic [31:0] word, input int bits, input int kind);
        logic [63:0] low;
        low = 64'(word) & ((64'd1 << bits) - 64'd1);
        if (kind == 2) value = word[0] ? 64'sd1 : -64'sd1;
        else value = kind == 1 && low[bits-1] ? low - (64'd1 << bits) : low;
    endfunction
    function automatic logic [OUT_W-1:0] sum(input int result, input int p);
        logic [63:0] total;
        logic [31:0] a, w;
        total = 64'd0;
        for (int k = result * STEPS; k < (result + 1) * STEPS; k++)
            for (int s = 0; s < SIMD; s++) begin
                a = code(k, OWN != 0 ? s * PE + p : s);
                w = code(k, A_N + p * SIMD + s);
                if (A_KIND == 2 && W_KIND == 2) total = total + 64'(a[0] == w[0]);
                else total = total + value(a, A_W, A_KIND) * value(w, W_W, W_KIND);
            end
        sum = total[OUT_W-1:0];
    endfunction

    layer_dot #(
        .PE(PE), .SIMD(SIMD), .A_W(A_W), .W_W(W_W), .OUT_W(OUT_W), .A_KIND(A_KIND), .W_KIND(W_KIND),
        .OWN(1'(OWN)), .STEPS(STEPS)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn), .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
    axis_checker #(.DATA_W(PE * OUT_W), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata(m_tdata), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    task restart;
        aresetn = 1'b0; s_tvalid = '0; m_tready = 1'b0; got = 0; first = -1; last = 0; tail = 0; cycle = 0;
        sent[0] = 0; sent[1] = 0;
    endtask
    task put(input int side, input int beat);
        if (side == 0) for (int n = 0; n < A_N; n++) s_tdata[n*A_W +: A_W] = A_W'(code(beat, n));
        else for (int n = 0; n < W_N; n++) s_tdata[A_N*A_W + n*W_W +: W_W] = W_W'(code(beat, A_N + n));
    endtask
    initial begin
        done = 1'b0; compared = 0; phase = 0; taken = '0; s_tdata = '0; expected = '0;
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15;
        restart;
    end

    always @(negedge clock) begin
        cycle    = cycle + 1;
        s_tvalid = s_tvalid & ~taken;
        if (!aresetn) aresetn = cycle > 4;
        else
            for (int s = 0; s < 2; s++) begin
                dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
                if (!s_tvalid[s]) begin
                    put(s, 32767 - int'(dice[7:0]));  // must not matter
                    if ((sent[s] < BEATS || phase > 3) && (phase == 0 || phase == 2 || dice[20])) begin
                        s_tvalid[s] = 1'b1;
                        put(s, sent[s]);
                    end
                end
            end
        dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
        m_tready = phase < 2 || dice[0];
        if (got == BEATS / STEPS) tail = tail + 1;
        if (phase > 3 ? dice[40:36] == 0 : tail == 20) begin
            if (phase == 0 && last - first != BEATS - STEPS)
                $fatal(1, "%0d sums took %0d cycles (%m)", got, last - first + 1);
            phase = phase + 1;
            done  = phase == 12;
            restart;
        end else if (cycle > 20000) $fatal(1, "phase %0d: %0d sums are out (%m)", phase, got);
    end

    always @(posedge clock) if (aresetn) begin
        if (s_tready != '0 && (s_tready & s_tvalid) != '1) $fatal(1, "the inputs were not taken together (%m)");
        taken <= s_tvalid & s_tready;
        for (int s = 0; s < 2; s++) if (s_tvalid[s] && s_tready[s]) sent[s] = sent[s] + 1;
        if (m_tvalid && m_tready) begin
            for (int p = 0; p < PE; p++) expected[p*OUT_W +: OUT_W] = sum(got, p);
            if (m_tdata !== expected)
                $fatal(1, "phase %0d: sum %0d is %h, expected %h (%m)", phase, got, m_tdata, expected);
            if (phase < 4 && got == BEATS / STEPS) $fatal(1, "phase %0d: a sum too many (%m)", phase);
            got = got + 1;
            if (first < 0) first = cycle;
            last     = cycle;
            compared = compared + 1;
        end
    end else taken <= '0;
endmodule

module tb_layer_dot;
    localparam int N = 8;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    layer_dot_case #(.SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    layer_dot_case #(.PE(3), .SIMD(5), .A_W(9), .W_W(1), .OUT_W(14), .A_KIND(1), .W_KIND(2), .STEPS(4), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    layer_dot_case #(.PE(2), .SIMD(65), .A_W(1), .W_W(1), .OUT_W(9), .A_KIND(2), .W_KIND(2), .STEPS(3), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    layer_dot_case #(.PE(4), .SIMD(1), .A_W(4), .W_W(4), .OUT_W(12), .OWN(1), .STEPS(9), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    layer_dot_case #(.PE(2), .SIMD(3), .A_W(1), .W_W(4), .OUT_W(3), .A_KIND(2), .OWN(1), .STEPS(2), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    layer_dot_case #(.SIMD(17), .A_W(16), .W_W(8), .OUT_W(30), .A_KIND(1), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    layer_dot_case #(.PE(2), .SIMD(4), .A_W(3), .W_W(5), .OUT_W(64), .W_KIND(0), .STEPS(2), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    layer_dot_case #(.PE(5), .SIMD(2), .A_W(8), .W_W(1), .OUT_W(10), .W_KIND(2), .STEPS(5), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
endmodule

`default_nettype wire
