// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_concat - words of N streams through axis_concat: order, frames, rate, and that no input waits for another one.
`default_nettype none

module axis_concat_case #(
    parameter int N = 2, DATA_W = 8, PIXELS = 0, CUT = 4, COUNTED = PIXELS == 0 ? 3 : PIXELS, FRAMES = 12, SEED = 1,
    parameter logic [N*32-1:0] WORDS = {N{32'd1}}
) (
    input  wire         aclk,
    output wire         done,
    output logic [31:0] compared
);
    wire                clock = aclk && !done;
    wire                aresetn, m_tlast, m_tvalid, m_tready;
    wire [N*DATA_W-1:0] s_tdata;
    wire [N*32-1:0]     count;
    wire [N-1:0]        s_tvalid, s_tready;
    wire [DATA_W-1:0]   m_tdata;
    logic [N-1:0]       more;
    int                 phase, frame, pixel, turn, place, at;

    function automatic int words(input int i);
        words = int'(WORDS[i*32 +: 32]);
    endfunction

    // The sources run ahead of each other as far as they like; those that a reset strikes never end.
    always_comb for (int i = 0; i < N; i++)
        more[i] = phase > 4 || count[i*32 +: 32] < 32'(FRAMES * COUNTED * words(i));
    wire s_tlast = int'(count[(N-1)*32 +: 32]) % (COUNTED * words(N - 1)) == COUNTED * words(N - 1) - 1;
    wire ended   = frame == FRAMES && phase < 5;

    bench_lanes #(.N(N), .W(DATA_W), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn), .phase(phase), .done(done), .more(more), .count(count),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .ended(ended), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_concat #(.N(N), .DATA_W(DATA_W), .WORDS(WORDS), .PIXELS(PIXELS), .CUT(CUT)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(PIXELS == 0 ? s_tlast : cycle[0]), .s_axis_tvalid(s_tvalid),
        .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    logic [3:0]  cycle;
    logic        last;
    initial begin
        compared = 0; frame = 0; pixel = 0; turn = 0; place = 0; cycle = 0;
    end
    always @(posedge clock) begin
        cycle <= cycle + 1'b1;
        if (aresetn && m_tvalid && m_tready) begin
            at   = (frame * COUNTED + pixel) * words(turn) + place;
            last = pixel == COUNTED - 1 && turn == N - 1 && place == words(turn) - 1;
            if (m_tdata !== u_bench.word(turn, at))
                $fatal(1, "phase %0d: pixel %0d, word %0d of input %0d is %h (%m)", phase, pixel, place, turn, m_tdata);
            if (m_tlast !== last) $fatal(1, "phase %0d: tlast is %b at pixel %0d, input %0d (%m)", phase, m_tlast, pixel, turn);
            compared = compared + 1;
            place = place + 1;
            if (place == words(turn)) begin
                place = 0;
                turn  = turn + 1;
            end
            if (turn == N) begin
                turn  = 0;
                pixel = pixel + 1;
            end
            if (pixel == COUNTED) begin
                pixel = 0;
                frame = frame + 1;
            end
        end
        if (!aresetn) begin
            frame = 0; pixel = 0; turn = 0; place = 0;
        end
    end

    axis_checker #(.DATA_W(DATA_W + 1), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );
endmodule

module tb_axis_concat;
    localparam int N = 8;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_concat_case #(.N(2), .DATA_W(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_concat_case #(.N(2), .DATA_W(33), .WORDS({32'd4, 32'd4}), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_concat_case #(.N(2), .DATA_W(1), .WORDS({32'd1, 32'd7}), .PIXELS(1), .CUT(0), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_concat_case #(.N(3), .DATA_W(16), .WORDS({32'd3, 32'd1, 32'd5}), .PIXELS(4), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_concat_case #(.N(5), .DATA_W(64), .WORDS({32'd1, 32'd2, 32'd3, 32'd4, 32'd5}), .CUT(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_concat_case #(.N(2), .DATA_W(8), .WORDS({32'd256, 32'd100}), .PIXELS(2), .FRAMES(3), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_concat_case #(.N(16), .DATA_W(8), .PIXELS(9), .CUT(0), .FRAMES(4), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_concat_case #(.N(16), .DATA_W(128), .WORDS({8{32'd2, 32'd3}}), .CUT(4), .FRAMES(4), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
endmodule

`default_nettype wire
