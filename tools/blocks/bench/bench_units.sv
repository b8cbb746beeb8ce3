// SPDX-License-Identifier: BSD-3-Clause
//
// bench_units - simulation only: source, sink and reference model for a block that re-cuts frames of units.
//
// A frame is a string of units. Unit n of frame f and the tuser of its input beat i are hashes of (f, n) and
// (f, i), so source and sink know them without a memory. Units after a frame's last one are junk or zero at the
// input and must be zero at the output; a stream without ends has junk on s_axis_tlast. Phases, each from reset:
//   0 no stalls; frames of 1, 2, 3 ... units; beats counted against cycles   1 no stalls, random lengths, counted
//   2 source stalls   3 sink stalls   4 both   5 long bursts of both   6 to 25 both, two frames and a few beats
// After phases 0 to 5 nothing more may come out; after the others reset, one cycle long, strikes in mid-stream.
//
// Parameters: UNIT_W, IN_UNITS, OUT_UNITS, USER_W  of the block; UNIT_W is at most 32
//             LENGTH  units of every frame; 0: 1 to MOST of them
//             MOST    units of the longest frame, where LENGTH is 0
//             ENDS    0: the stream has no ends, and both sides have whole beats after LENGTH units
//             KEEP    1: m_axis_tkeep is compared, a bit for each unit
//             JUNK    1: what is not kept at the input is junk, 0: it is zero
//             FRAMES  frames a phase
//             SEED    of the stalls
`default_nettype none

module bench_units #(
    parameter int UNIT_W    = 8,
    parameter int IN_UNITS  = 1,
    parameter int OUT_UNITS = 1,
    parameter int USER_W    = 1,
    parameter int LENGTH    = 0,
    parameter int MOST      = 9,
    parameter bit ENDS      = 1,
    parameter bit KEEP      = 1,
    parameter bit JUNK      = 1,
    parameter int FRAMES    = 20,
    parameter int SEED      = 1
) (
    input  wire                         aclk,
    output logic                        aresetn,

    output logic [IN_UNITS*UNIT_W-1:0]  s_axis_tdata,
    output logic [IN_UNITS-1:0]         s_axis_tkeep,
    output logic                        s_axis_tlast,
    output logic [USER_W-1:0]           s_axis_tuser,
    output logic                        s_axis_tvalid,
    input  wire                         s_axis_tready,

    input  wire  [OUT_UNITS*UNIT_W-1:0] m_axis_tdata,
    input  wire  [OUT_UNITS-1:0]        m_axis_tkeep,
    input  wire                         m_axis_tlast,
    input  wire  [USER_W-1:0]           m_axis_tuser,
    input  wire                         m_axis_tvalid,
    output logic                        m_axis_tready,

    output logic                        done,
    output logic [31:0]                 compared
);
    localparam int PHASES = 26;

    function automatic logic [31:0] mix(input int a, input int b);
        logic [31:0] h;
        h = 32'(a) * 32'h9E3779B1 + 32'(b) * 32'h85EBCA77 + 32'(SEED);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        mix = h ^ (h >> 13);
    endfunction

    int phase;

    function automatic int units_of(input int f);
        units_of = LENGTH != 0 ? LENGTH : phase == 0 ? f % MOST + 1 : int'(mix(f, -phase - 1) % 32'(MOST)) + 1;
    endfunction

    // Four narrow units of a frame from one hash.
    function automatic logic [UNIT_W-1:0] unit_of(input int f, input int n);
        unit_of = UNIT_W'(UNIT_W > 8 ? mix(f, n) : mix(f, n / 4) >> (n % 4 * 8));
    endfunction

    function automatic logic [USER_W-1:0] user_of(input int f, input int beat);
        user_of = USER_W'(mix(f + 7777, beat) >> 5);
    endfunction

    int          pause, tail, idle, cycle;
    int          in_frame, in_beat, out_frame, out_beat, in_moved, out_moved;
    int          first_in, first_out, last_in, last_out, length, first, upto;
    logic [31:0] dice;
    logic        source_go, sink_go;
    logic [OUT_UNITS*UNIT_W-1:0] data;
    logic [OUT_UNITS-1:0]        keep;
    logic [USER_W-1:0]           user;
    logic                        last;

    initial begin
        aresetn = 1'b0;
        s_axis_tvalid = 1'b0; s_axis_tlast = 1'b0; s_axis_tdata = '0; s_axis_tkeep = '0; s_axis_tuser = '0;
        m_axis_tready = 1'b0;
        done = 1'b0;
        compared = 0;
        phase = 0; pause = 4; tail = 0; idle = 0; cycle = 0;
        in_frame = 0; in_beat = 0; out_frame = 0; out_beat = 0; in_moved = 0; out_moved = 0;
        first_in = -1; first_out = -1; last_in = 0; last_out = 0;
        dice = 32'(SEED) * 32'h9E3779B1 + 1;
    end

    wire in_fire  = s_axis_tvalid && s_axis_tready && aresetn;
    wire out_fire = m_axis_tvalid && m_axis_tready && aresetn;
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

    always @(posedge aclk) begin
        dice  <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};
        cycle <= cycle + 1;

        // ---- source
        if (pause == 1) aresetn <= 1'b1;
        if (pause != 0) pause <= pause - 1;
        if (aresetn && (!s_axis_tvalid || s_axis_tready)) begin
            s_axis_tvalid <= source_go && more && !done;
            if (source_go && more) begin
                length = units_of(in_frame);
                first  = in_beat * IN_UNITS;
                for (int b = 0; b < IN_UNITS; b++) begin
                    s_axis_tdata[b*UNIT_W +: UNIT_W] <= first + b < length ? unit_of(in_frame, first + b)
                                                      : JUNK ? UNIT_W'(dice >> b % 20) | UNIT_W'(1) : '0;
                    s_axis_tkeep[b] <= first + b < length;
                end
                s_axis_tuser <= user_of(in_frame, in_beat);
                s_axis_tlast <= ENDS ? first + IN_UNITS >= length : dice[7];
                if (first + IN_UNITS >= length) begin
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
        m_axis_tready <= aresetn && sink_go;
        idle <= in_fire || out_fire || !aresetn || done ? 0 : idle + 1;
        if (idle > 400) $fatal(1, "phase %0d: no beat moves, %0d frames are out (%m)", phase, out_frame);
        if (out_fire && ended && !struck)
            $fatal(1, "phase %0d: a beat after the last frame (%m)", phase);
        if (out_fire && !ended) begin
            length = units_of(out_frame);
            first  = out_beat * OUT_UNITS;
            upto   = first + OUT_UNITS < length ? first + OUT_UNITS : length;
            last   = upto == length;
            user   = user_of(out_frame, (upto - 1) / IN_UNITS);
            for (int b = 0; b < OUT_UNITS; b++) begin
                keep[b] = first + b < length;
                data[b*UNIT_W +: UNIT_W] = first + b < length ? unit_of(out_frame, first + b) : '0;
            end
            if (m_axis_tdata !== data || (KEEP && m_axis_tkeep !== keep) || m_axis_tlast !== (ENDS && last)
                || m_axis_tuser !== user) begin
                $display("got      %h keep %b last %b user %h", m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser);
                $display("expected %h keep %b last %b user %h", data, keep, ENDS && last, user);
                $fatal(1, "phase %0d frame %0d of %0d units, beat %0d (%m)", phase, out_frame, length, out_beat);
            end
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
                if (IN_UNITS <= OUT_UNITS && last_in - first_in != in_moved - 1)
                    $fatal(1, "phase %0d: %0d input beats took %0d cycles (%m)",
                           phase, in_moved, last_in - first_in + 1);
                if (IN_UNITS >= OUT_UNITS && last_out - first_out != out_moved - 1)
                    $fatal(1, "phase %0d: %0d output beats took %0d cycles (%m)",
                           phase, out_moved, last_out - first_out + 1);
            end
            if (tail >= (struck ? int'(dice[3:0]) : 30)) begin
                done <= phase == PHASES - 1;
                if (phase != PHASES - 1) begin
                    phase         <= phase + 1;
                    aresetn       <= 1'b0;
                    s_axis_tvalid <= 1'b0;
                    m_axis_tready <= 1'b0;
                    pause         <= 1;
                    tail          <= 0;
                    in_frame <= 0; in_beat <= 0; out_frame <= 0; out_beat <= 0; in_moved <= 0; out_moved <= 0;
                    first_in <= -1; first_out <= -1;
                end
            end
        end
    end

    axis_checker #(.DATA_W(OUT_UNITS * UNIT_W + OUT_UNITS + 1 + USER_W), .NAME("m_axis")) u_check (
        .aclk(aclk),
        .aresetn(aresetn),
        .axis_tdata({m_axis_tdata, m_axis_tkeep & {OUT_UNITS{KEEP}}, m_axis_tlast, m_axis_tuser}),
        .axis_tvalid(m_axis_tvalid),
        .axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
