// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_last - many pairs of widths of axis_width_last, with the slice and without, against a byte string.
//
// Byte n of frame f and the tuser of its input beat i are hashes of (f, n) and (f, i), so source and sink know
// them without a memory. Bytes that are not kept are junk at the input and must be zero at the output; bit 0
// of the input's tkeep is junk too. The engines axis_width_up, _stack, _down and _tail are checked with it.
// Phases, each from reset:
//   0 no stalls; frames of 1, 2, 3 ... bytes; beats counted against cycles   1 no stalls, random lengths, counted
//   2 source stalls   3 sink stalls   4 both   5 long bursts of both   6 to 25 both, two frames and a few beats
// After phases 0 to 5 nothing more may come out; after the others reset, one cycle long, strikes in mid-stream.
`default_nettype none

module axis_width_last_case #(
    parameter int IN_W = 8, OUT_W = 8, USER_W = 3, SLICE = 1, FRAMES = 20, MOST = 9, SEED = 1
) (
    input  wire          aclk,
    output logic         done,
    output logic [31:0]  compared
);
    localparam int IN_B   = IN_W / 8;
    localparam int OUT_B  = OUT_W / 8;
    localparam int PHASES = 26;

    // A case that is done costs no more time.
    wire               clock = aclk && !done;
    logic              aresetn, s_tlast, s_tvalid, m_tready;
    wire               s_tready, m_tlast, m_tvalid;
    logic [IN_W-1:0]   s_tdata;
    logic [IN_B-1:0]   s_tkeep;
    logic [USER_W-1:0] s_tuser;
    wire  [OUT_W-1:0]  m_tdata;
    wire  [OUT_B-1:0]  m_tkeep;
    wire  [USER_W-1:0] m_tuser;

    axis_width_last #(.IN_W(IN_W), .OUT_W(OUT_W), .USER_W(USER_W), .SLICE(SLICE != 0)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    function automatic logic [31:0] mix(input int a, input int b);
        logic [31:0] h;
        h = 32'(a) * 32'h9E3779B1 + 32'(b) * 32'h85EBCA77 + 32'(SEED);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        mix = h ^ (h >> 13);
    endfunction

    int phase;

    function automatic int bytes_of(input int f);
        bytes_of = phase == 0 ? f % MOST + 1 : int'(mix(f, -phase - 1) % 32'(MOST)) + 1;
    endfunction

    // Four bytes of a frame from one hash.
    function automatic logic [7:0] byte_of(input int f, input int n);
        byte_of = 8'(mix(f, n / 4) >> (n % 4 * 8));
    endfunction

    function automatic logic [USER_W-1:0] user_of(input int f, input int beat);
        user_of = USER_W'(mix(f + 7777, beat) >> 5);
    endfunction

    int          pause, tail, idle, cycle;
    int          in_frame, in_beat, out_frame, out_beat, in_moved, out_moved;
    int          first_in, first_out, last_in, last_out, length, first, upto;
    logic [31:0] dice;
    logic        source_go, sink_go;
    logic [OUT_W-1:0]  data;
    logic [OUT_B-1:0]  keep;
    logic [USER_W-1:0] user;
    logic              last;

    initial begin
        aresetn = 1'b0;
        s_tvalid = 1'b0; s_tlast = 1'b0; s_tdata = '0; s_tkeep = '0; s_tuser = '0;
        m_tready = 1'b0;
        done = 1'b0;
        compared = 0;
        phase = 0; pause = 4; tail = 0; idle = 0; cycle = 0;
        in_frame = 0; in_beat = 0; out_frame = 0; out_beat = 0; in_moved = 0; out_moved = 0;
        first_in = -1; first_out = -1; last_in = 0; last_out = 0;
        dice = 32'(SEED) * 32'h9E3779B1 + 1;
    end

    wire in_fire  = s_tvalid && s_tready && aresetn;
    wire out_fire = m_tvalid && m_tready && aresetn;
    wire struck   = phase > 5;
    wire ended    = out_frame >= (struck ? 2 : FRAMES);
    // A phase that reset is to strike keeps sending, so that it finds beats everywhere.
    wire more     = in_frame < FRAMES || struck;

    always_comb begin
        source_go = phase == 0 || phase == 1 || phase == 3 || dice[0];
        sink_go   = phase == 0 || phase == 1 || phase == 2 || dice[9];
        if (phase == 5) begin
            source_go = cycle[4] ^ (cycle[7] && dice[0]);
            sink_go   = cycle[5] ^ (cycle[8] && dice[9]);
        end
    end

    always @(posedge clock) begin
        dice  <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};
        cycle <= cycle + 1;

        // ---- source
        if (pause == 1) aresetn <= 1'b1;
        if (pause != 0) pause <= pause - 1;
        if (aresetn && (!s_tvalid || s_tready)) begin
            s_tvalid <= source_go && more && !done;
            if (source_go && more) begin
                length = bytes_of(in_frame);
                first  = in_beat * IN_B;
                for (int b = 0; b < IN_B; b++) begin
                    s_tdata[b*8 +: 8] <= first + b < length ? byte_of(in_frame, first + b) : 8'(dice >> b % 20) | 8'd1;
                    s_tkeep[b]        <= b == 0 ? dice[3] : first + b < length;
                end
                s_tuser <= user_of(in_frame, in_beat);
                s_tlast <= first + IN_B >= length;
                if (first + IN_B >= length) begin
                    in_beat  <= 0;
                    in_frame <= in_frame + 1;
                end else in_beat <= in_beat + 1;
            end
        end
        if (in_fire) begin
            if (first_in < 0) first_in <= cycle;
            last_in  <= cycle;
            in_moved <= in_moved + 1;
        end

        // ---- sink
        m_tready <= aresetn && sink_go;
        idle <= in_fire || out_fire || !aresetn || done ? 0 : idle + 1;
        if (idle > 400) $fatal(1, "phase %0d: no beat moves, %0d frames are out (%m)", phase, out_frame);
        if (out_fire && ended && !struck)
            $fatal(1, "phase %0d: a beat after the last frame (%m)", phase);
        if (out_fire && !ended) begin
            length = bytes_of(out_frame);
            first  = out_beat * OUT_B;
            upto   = first + OUT_B < length ? first + OUT_B : length;
            last   = upto == length;
            user   = user_of(out_frame, (upto - 1) / IN_B);
            for (int b = 0; b < OUT_B; b++) begin
                keep[b]        = first + b < length;
                data[b*8 +: 8] = first + b < length ? byte_of(out_frame, first + b) : 8'd0;
            end
            if ({m_tdata, m_tkeep, m_tlast, m_tuser} !== {data, keep, last, user})
                $fatal(1, "phase %0d frame %0d of %0d bytes, beat %0d: got %h keep %b last %b user %h, %s %h %b %b %h (%m)",
                       phase, out_frame, length, out_beat, m_tdata, m_tkeep, m_tlast, m_tuser,
                       "expected", data, keep, last, user);
            compared  <= compared + 1;
            out_moved <= out_moved + 1;
            if (first_out < 0) first_out <= cycle;
            last_out <= cycle;
            if (last) begin
                out_beat  <= 0;
                out_frame <= out_frame + 1;
            end else out_beat <= out_beat + 1;
        end

        // ---- end of a phase
        if (ended && !done) begin
            tail <= tail + 1;
            if (tail == 0 && phase < 2) begin
                if (IN_W <= OUT_W && last_in - first_in != in_moved - 1)
                    $fatal(1, "phase %0d: %0d input beats took %0d cycles (%m)", phase, in_moved, last_in - first_in + 1);
                if (IN_W >= OUT_W && last_out - first_out != out_moved - 1)
                    $fatal(1, "phase %0d: %0d output beats took %0d cycles (%m)",
                           phase, out_moved, last_out - first_out + 1);
            end
            if (tail >= (struck ? int'(dice[3:0]) : 30)) begin
                done <= phase == PHASES - 1;
                if (phase != PHASES - 1) begin
                    phase    <= phase + 1;
                    aresetn  <= 1'b0;
                    s_tvalid <= 1'b0;
                    m_tready <= 1'b0;
                    pause    <= 1;
                    tail     <= 0;
                    in_frame <= 0; in_beat <= 0; out_frame <= 0; out_beat <= 0; in_moved <= 0; out_moved <= 0;
                    first_in <= -1; first_out <= -1;
                end
            end
        end
    end

    axis_checker #(.DATA_W(OUT_W + OUT_B + 1 + USER_W), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn),
        .axis_tdata({m_tdata, m_tkeep, m_tlast, m_tuser}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );
endmodule

`define CASE(K, I, O, U, F, M) \
    axis_width_last_case #(.IN_W(I), .OUT_W(O), .USER_W(U), .SLICE(1), .FRAMES(F), .MOST(M), .SEED(K + 1)) \
    u_slice_``K (.aclk(aclk), .done(done[2*K]), .compared(compared[2*K*32 +: 32])); \
    axis_width_last_case #(.IN_W(I), .OUT_W(O), .USER_W(U), .SLICE(0), .FRAMES(F), .MOST(M), .SEED(K + 1)) \
    u_bare_``K (.aclk(aclk), .done(done[2*K+1]), .compared(compared[(2*K+1)*32 +: 32]));

module tb_axis_width_last;
    localparam int N = 2 * 20;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // equal widths
    `CASE(0, 8, 8, 1, 20, 9)
    `CASE(1, 24, 24, 2, 30, 13)
    // integer ratios
    `CASE(2, 8, 16, 1, 40, 9)
    `CASE(3, 8, 32, 3, 60, 17)
    `CASE(4, 16, 48, 2, 60, 25)
    `CASE(5, 32, 64, 1, 60, 33)
    `CASE(6, 16, 8, 1, 40, 9)
    `CASE(7, 32, 8, 3, 60, 17)
    `CASE(8, 48, 16, 2, 60, 25)
    `CASE(9, 128, 64, 1, 60, 40)
    // rational and co-prime
    `CASE(10, 24, 32, 4, 80, 30)
    `CASE(11, 32, 24, 4, 80, 30)
    `CASE(12, 40, 56, 2, 90, 42)
    `CASE(13, 56, 40, 2, 90, 42)
    `CASE(14, 16, 72, 1, 60, 30)
    `CASE(15, 72, 16, 1, 60, 30)
    `CASE(16, 32, 112, 1, 60, 50)
    `CASE(17, 112, 32, 1, 60, 50)
    `CASE(18, 88, 120, 1, 60, 60)
    `CASE(19, 120, 88, 1, 60, 60)
endmodule

// Long multiplexers, wide beats, all lengths of 40 to 512. Slow on Icarus.
module tb_axis_width_last_long;
    localparam int N = 2 * 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    `CASE(0, 8, 512, 1, 70, 140)
    `CASE(1, 512, 8, 1, 70, 140)
    `CASE(2, 64, 512, 1, 150, 140)
    `CASE(3, 512, 64, 1, 150, 140)
    `CASE(4, 40, 512, 1, 330, 330)
    `CASE(5, 512, 40, 1, 330, 330)
    `CASE(6, 1024, 8, 1, 40, 300)
    `CASE(7, 1024, 72, 1, 140, 300)
    `CASE(8, 520, 1024, 1, 200, 400)
endmodule

`default_nettype wire
