// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_join - beat i of axis_join is beat i of all inputs side by side.
//
// Beat i of input s is a hash of both. Phases, each from reset: 0 no stalls, beats counted against cycles   1 sources stall,
// each by itself   2 sink stalls   3 both   4 one source in turn stalls for long   5 to 24 both, until reset strikes
`default_nettype none

module axis_join_case #(
    parameter int N = 2, SUM_W = 16, REG_EN = 0, SEED = 1
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

    localparam int BEATS = 300;
    // Unequal payloads: all but the highest have SUM_W / N bits.
    localparam int WIDE = SUM_W - (N - 1) * (SUM_W / N);

    wire              clock = aclk && !done;
    logic             aresetn, m_tready;
    logic [SUM_W-1:0] s_tdata, expected;
    logic [N-1:0]     s_tvalid, taken;
    wire  [N-1:0]     s_tready;
    wire  [SUM_W-1:0] m_tdata;
    wire              m_tvalid;
    int               phase, got, cycle, first, last, tail;
    int               sent [0:N-1];
    logic [63:0]      dice;

    function automatic logic [WIDE-1:0] data(input int s, input int i);
        logic [WIDE+31:0] words;
        for (int n = 0; n <= WIDE / 32; n++) words[n*32 +: 32] = mix(32'(s * 65536 + i), 32'(n));
        data = WIDE'(words);
    endfunction
    task put(inout logic [SUM_W-1:0] beat, input int s, input int i);
        if (s == N - 1) beat[SUM_W-1 -: WIDE] = data(s, i);
        else beat[s*(SUM_W/N) +: SUM_W/N] = (SUM_W/N)'(data(s, i));
    endtask

    axis_join #(.N(N), .SUM_W(SUM_W), .REG_EN(REG_EN)) u_dut (
        .aclk(clock), .aresetn(aresetn), .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
    axis_checker #(.DATA_W(SUM_W), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata(m_tdata), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    task restart;
        aresetn = 1'b0; s_tvalid = '0; m_tready = 1'b0; got = 0; first = -1; last = 0; tail = 0;
        for (int s = 0; s < N; s++) sent[s] = 0;
    endtask
    initial begin
        done = 1'b0; compared = 0; phase = 0; cycle = 0; taken = '0; s_tdata = '0; expected = '0;
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15;
        restart;
    end

    always @(negedge clock) begin
        cycle    = cycle + 1;
        s_tvalid = s_tvalid & ~taken;
        if (!aresetn) aresetn = cycle > 4;
        else
            for (int s = 0; s < N; s++) begin
                dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
                if (!s_tvalid[s]) begin
                    // What an input without a beat carries must not matter.
                    put(s_tdata, s, 32767 - int'(dice[7:0]));
                    if ((sent[s] < BEATS || phase > 4)
                        && (phase == 0 || phase == 2 || (phase == 4 ? (cycle / 37) % (N + 1) != s : dice[20]))) begin
                        s_tvalid[s] = 1'b1;
                        put(s_tdata, s, sent[s]);
                    end
                end
            end
        dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
        m_tready = phase < 2 || phase == 4 || dice[0];
        if (got == BEATS) tail = tail + 1;
        if (phase > 4 ? dice[40:36] == 0 : tail == 20) begin
            if (phase == 0 && last - first != BEATS - 1) $fatal(1, "%0d beats took %0d cycles (%m)", BEATS, last - first + 1);
            phase = phase + 1;
            done  = phase == 25;
            restart;
        end else if (cycle > 500000) $fatal(1, "phase %0d: %0d beats are out (%m)", phase, got);
    end

    always @(posedge clock) if (aresetn) begin
        if ((s_tvalid & s_tready) != '0 && (s_tvalid & s_tready) != '1) $fatal(1, "not all inputs were taken together (%m)");
        taken <= s_tvalid & s_tready;
        for (int s = 0; s < N; s++) if (s_tvalid[s] && s_tready[s]) sent[s] = sent[s] + 1;
        if (m_tvalid && m_tready) begin
            for (int s = 0; s < N; s++) put(expected, s, got);
            if (m_tdata !== expected) $fatal(1, "phase %0d: beat %0d is %h, expected %h (%m)", phase, got, m_tdata, expected);
            if (phase < 5 && got == BEATS) $fatal(1, "phase %0d: a beat too many (%m)", phase);
            got = got + 1;
            if (first < 0) first = cycle;
            last     = cycle;
            compared = compared + 1;
        end
        if (REG_EN == 0 && m_tvalid && m_tready !== s_tready[0]) $fatal(1, "latency is not zero (%m)");
    end else taken <= '0;
endmodule

module tb_axis_join;
    localparam int N = 7;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_join_case #(.N(1), .SUM_W(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_join_case #(.N(2), .SUM_W(16), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_join_case #(.N(2), .SUM_W(17), .REG_EN(1), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_join_case #(.N(3), .SUM_W(100), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_join_case #(.N(5), .SUM_W(5), .REG_EN(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_join_case #(.N(16), .SUM_W(512), .REG_EN(1), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_join_case #(.N(32), .SUM_W(67), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
endmodule

`default_nettype wire
