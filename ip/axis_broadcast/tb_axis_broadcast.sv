// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_broadcast - every output of axis_broadcast gets every beat once, whatever the others do.
//
// Beat i is a hash of i. Phases, each from reset: 0 no stalls, beats counted against cycles   1 source stalls   2 sinks
// stall, each by itself   3 both   4 one sink in turn stalls for long   5 to 24 both, until reset strikes
`default_nettype none

module axis_broadcast_case #(
    parameter int N = 2, DATA_W = 8, REG_EN = 1, SEED = 1
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

    localparam int WORDS = DATA_W / 32 + 1;
    localparam int BEATS = 300;
    function automatic logic [DATA_W-1:0] data(input int i);
        logic [WORDS*32-1:0] words;
        for (int n = 0; n < WORDS; n++) words[n*32 +: 32] = mix(32'(i), 32'(n));
        data = DATA_W'(words);
    endfunction

    wire                clock = aclk && !done;
    logic               aresetn, s_tvalid, taken, over;
    logic [DATA_W-1:0]  s_tdata;
    logic [N-1:0]       m_tready;
    wire                s_tready;
    wire [N*DATA_W-1:0] m_tdata;
    wire [N-1:0]        m_tvalid;
    int                 phase, sent, cycle, first, last, fewest, most, tail;
    int                 got [0:N-1];
    logic [63:0]        dice;

    axis_broadcast #(.N(N), .DATA_W(DATA_W), .REG_EN(REG_EN)) u_dut (
        .aclk(clock), .aresetn(aresetn), .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
    generate
        for (genvar m = 0; m < N; m++) begin : g_check
            axis_checker #(.DATA_W(DATA_W), .NAME("m_axis")) u_check (
                .aclk(clock), .aresetn(aresetn), .axis_tdata(m_tdata[m*DATA_W +: DATA_W]),
                .axis_tvalid(m_tvalid[m]), .axis_tready(m_tready[m])
            );
        end
    endgenerate

    task restart;
        aresetn = 1'b0; s_tvalid = 1'b0; m_tready = '0; sent = 0; first = -1; last = 0; tail = 0;
        for (int m = 0; m < N; m++) got[m] = 0;
    endtask
    initial begin
        done = 1'b0; compared = 0; phase = 0; cycle = 0; taken = 1'b0; s_tdata = '0;
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15;
        restart;
    end

    always @(negedge clock) begin
        cycle = cycle + 1;
        dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
        if (taken) s_tvalid = 1'b0;
        if (!aresetn) aresetn = cycle > 4;
        else if (!s_tvalid && (sent < BEATS || phase > 4) && (phase == 0 || phase == 2 || dice[0])) begin
            s_tvalid = 1'b1;
            s_tdata  = data(sent);
        end
        for (int m = 0; m < N; m++) begin
            dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
            m_tready[m] = phase < 2 || (phase == 4 ? (cycle / 37) % (N + 1) != m : dice[0]);
        end
        over = sent == BEATS;
        for (int m = 0; m < N; m++) if (got[m] < BEATS) over = 1'b0;
        if (over) tail = tail + 1;
        if (phase > 4 ? dice[40:36] == 0 : tail == 20) begin
            if (phase == 0 && last - first != BEATS - 1) $fatal(1, "%0d beats took %0d cycles (%m)", BEATS, last - first + 1);
            phase = phase + 1;
            done  = phase == 25;
            restart;
        end else if (cycle > 500000) $fatal(1, "phase %0d: %0d beats in, over is %b (%m)", phase, sent, over);
    end

    always @(posedge clock) if (aresetn) begin
        taken <= s_tvalid && s_tready;
        for (int m = 0; m < N; m++) if (m_tvalid[m] && m_tready[m]) begin
            if (m_tdata[m*DATA_W +: DATA_W] !== data(got[m]))
                $fatal(1, "phase %0d: beat %0d of output %0d is %h (%m)", phase, got[m], m, m_tdata[m*DATA_W +: DATA_W]);
            if (phase < 5 && got[m] == BEATS) $fatal(1, "phase %0d: a beat too many at output %0d (%m)", phase, m);
            got[m] = got[m] + 1;
            if (first < 0) first = cycle;
            last     = cycle;
            compared = compared + 1;
        end
        if (s_tvalid && s_tready) sent = sent + 1;
        fewest = got[0]; most = got[0];
        for (int m = 1; m < N; m++) begin
            if (got[m] < fewest) fewest = got[m];
            if (got[m] > most) most = got[m];
        end
        if (most > fewest + 1) $fatal(1, "an output is %0d beats ahead (%m)", most - fewest);
    end else taken <= 1'b0;
endmodule

module tb_axis_broadcast;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_broadcast_case #(.N(1), .DATA_W(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_broadcast_case #(.N(2), .DATA_W(8), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_broadcast_case #(.N(2), .DATA_W(33), .REG_EN(0), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_broadcast_case #(.N(3), .DATA_W(1), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_broadcast_case #(.N(5), .DATA_W(64), .REG_EN(0), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_broadcast_case #(.N(8), .DATA_W(512), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_broadcast_case #(.N(32), .DATA_W(16), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_broadcast_case #(.N(32), .DATA_W(16), .REG_EN(0), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    axis_broadcast_case #(.N(1), .DATA_W(7), .REG_EN(0), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[287:256]));
endmodule

`default_nettype wire
