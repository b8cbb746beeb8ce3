// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_tx - data, TLAST, TKEEP and frame_done of axis_frame_tx: single frames, and transfers of several.
`default_nettype none

module axis_frame_tx_case #(
    parameter int DATA_W = 8, LAST_BYTES = 1, BEATS = 1, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int KEEP_W = DATA_W / 8;
    wire              clock = aclk && !done;
    wire              aresetn, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast, frame_done;
    wire [DATA_W-1:0] s_tdata, m_tdata;
    wire [KEEP_W-1:0] m_tkeep;

    bench_stream #(.IN_W(DATA_W), .IN_BEATS(BEATS), .OUT_BEATS(BEATS), .FRAMES(60), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_frame_tx #(.DATA_W(DATA_W), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(clock), .aresetn(aresetn), .frames(16'd1), .drain(1'b0), .drained(),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .frame_done(frame_done)
    );

    int ones, frames, pulses;
    initial begin
        frames = 0;
        pulses = 0;
    end
    always @(posedge clock) begin
        if (m_tvalid && aresetn) begin
            ones = 0;
            for (int i = 0; i < KEEP_W; i++) begin
                if (m_tkeep[i] && ones != i) $fatal(1, "tkeep %b has a hole (%m)", m_tkeep);
                ones = ones + int'(m_tkeep[i]);
            end
            if (ones != (m_tlast ? LAST_BYTES : KEEP_W)) $fatal(1, "tkeep %b, tlast %b (%m)", m_tkeep, m_tlast);
        end
        frames <= aresetn ? frames + int'(s_tvalid && s_tready && s_tlast) : 0;
        pulses <= aresetn ? pulses + int'(frame_done) : 0;
        if (aresetn && frames != pulses + int'(frame_done)) $fatal(1, "frame_done is not one pulse a frame (%m)");
    end
endmodule

// Transfers of several frames, another number in each, byte by byte. The model sees the beats and `frames`.
// Phase 0: no stalls, and no cycle of s_axis is wasted. 1 to STRUCK: stalls on both sides, ended by a reset in the
// middle, before which every other phase is drained. Then stalls on both sides, of the sink only, of the source only,
// each to the end of all transfers; with HUGE and +huge a transfer of 65,535 frames.
module axis_frame_tx_many #(
    parameter int DATA_W = 8, LAST_BYTES = 1, BEATS = 1, SEED = 1,
    parameter bit HUGE = 0
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int KEEP_W = DATA_W / 8;
    localparam int BYTES  = (BEATS - 1) * KEEP_W + LAST_BYTES;
    localparam int FRAMES = 150;  // of a phase that is not struck, at least
    localparam int STRUCK = 40;
    localparam int ROOM   = 1024;  // more bytes than the block holds
    wire                clock = aclk && !done;
    logic               aresetn, drain, s_tlast, s_tvalid, m_tready;
    logic [DATA_W-1:0]  s_tdata;
    logic [15:0]        frames;
    wire                drained, s_tready, m_tlast, m_tvalid, frame_done;
    wire  [DATA_W-1:0]  m_tdata;
    wire  [KEEP_W-1:0]  m_tkeep;
    wire                s_fire = s_tvalid && s_tready && aresetn;
    wire                m_fire = m_tvalid && m_tready && aresetn;

    axis_frame_tx #(.DATA_W(DATA_W), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(clock), .aresetn(aresetn), .frames(frames), .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .frame_done(frame_done)
    );

    axis_checker #(.DATA_W(DATA_W + KEEP_W + 1), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tkeep, m_tdata}),
        .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    int phase, age, strike, idle, tail, sent, cuts, several, changed;
    wire struck_phase = phase > 0 && phase <= STRUCK;

    // ---- the model -------------------------------------------------------------------------------------
    logic [7:0]  store [0:ROOM-1];
    int          written, struck;           // bytes that have come, and those of them that have gone
    int          ends [0:15];               // where transfers end, in bytes
    int          ends_in, ends_out, began;  // how many of these are known, are reached; where the transfer began
    int          beat, frame, count;        // at s_axis: of the frame, of the transfer, of its frames
    logic        open, cut, ended, closed;  // at m_axis within a transfer, which was cut short; what came last
    logic [15:0] shown;                     // `frames` in the cycle before
    int          size, due;

    task automatic take;
        for (int i = 0; i < KEEP_W; i++)
            if (beat < BEATS - 1 || i < LAST_BYTES) begin
                store[written % ROOM] = s_tdata[i*8 +: 8];
                written = written + 1;
            end
        beat   = s_tlast ? 0 : beat + 1;
        closed = 1'b0;
        if (s_tlast) begin
            if (frame == 0 && count != int'(shown)) changed = changed + 1;
            if (frame == 0) count = int'(shown);
            sent  = sent + 1;
            frame = frame + 1;
            if (frame == count) begin
                ends[ends_in % 16] = written;
                ends_in = ends_in + 1;
                frame   = 0;
                closed  = 1'b1;
                if (count > 1) several = several + 1;
            end
        end
    endtask

    task automatic give;
        size = 0;
        for (int i = 0; i < KEEP_W; i++)
            if (m_tkeep[i]) begin
                if (size != i) $fatal(1, "phase %0d: tkeep %b has a hole (%m)", phase, m_tkeep);
                size = size + 1;
            end
        if (cut) $fatal(1, "phase %0d: a beat follows the end (%m)", phase);
        if (drain && m_tlast && ends_out == ends_in) begin
            // Zeros that end what was begun, and no more of them than were missing.
            cut  = 1'b1;
            cuts = cuts + 1;
            for (int i = 0; i < KEEP_W; i++)
                if (m_tkeep[i] && m_tdata[i*8 +: 8] !== 8'd0) $fatal(1, "phase %0d: not zero: %h (%m)", phase, m_tdata);
            if (!open || size == 0 || struck + size > began + BYTES * (frame == 0 ? 1 : count))
                $fatal(1, "phase %0d: %0d bytes of zeros after %0d (%m)", phase, size, struck - began);
        end else begin
            due = ends_out < ends_in ? ends[ends_out % 16] : struck + KEEP_W + 1;
            if (size != (due - struck < KEEP_W ? due - struck : KEEP_W) || m_tlast !== (struck + size == due))
                $fatal(1, "phase %0d: tkeep %b, tlast %b, %0d bytes before the end (%m)",
                       phase, m_tkeep, m_tlast, due - struck);
            if (struck + size > written) $fatal(1, "phase %0d: a byte leaves that has not come (%m)", phase);
            for (int i = 0; i < size; i++)
                if (m_tdata[i*8 +: 8] !== store[(struck + i) % ROOM])
                    $fatal(1, "phase %0d: byte %0d of %h should be %h (%m)",
                           phase, i, m_tdata, store[(struck + i) % ROOM]);
            struck   = struck + size;
            compared = compared + 32'(size);
            if (m_tlast) ends_out = ends_out + 1;
            if (m_tlast) began = struck;
        end
        open = !m_tlast;
    endtask

    task automatic look;
        if (frame_done !== ended) $fatal(1, "phase %0d: frame_done is %b (%m)", phase, frame_done);
        if (drained && (!drain || m_tvalid || open)) $fatal(1, "phase %0d: drained is told too early (%m)", phase);
        if (drain && s_tready !== 1'b0) $fatal(1, "phase %0d: tready while draining (%m)", phase);
        // Only what did not find room at the end of a transfer takes a cycle.
        if (phase == 0 && written > 0 && s_tvalid && !s_tready && (!closed || LAST_BYTES == KEEP_W))
            $fatal(1, "after byte %0d a cycle is lost (%m)", written);
        closed = 1'b0;
    endtask

    // ---- phases ----------------------------------------------------------------------------------------
    logic [31:0]       dice;
    logic [DATA_W-1:0] drawn;

    function automatic int pick(input int below);
        dice = dice * 32'd1664525 + 32'd1013904223;
        pick = int'(dice >> 9) % below;
    endfunction

    task automatic restart;
        written = 0; struck = 0; ends_in = 0; ends_out = 0; began = 0; beat = 0; frame = 0; count = 0;
        open = 1'b0; cut = 1'b0; ended = 1'b0; closed = 1'b0;
        sent = 0; age = 0; idle = 0; tail = 0;
        strike = 5 + pick(60);
    endtask

    initial begin
        aresetn = 1'b0; s_tvalid = 1'b0; drain = 1'b0; m_tready = 1'b0;
        done = 1'b0; compared = 0; dice = 32'(SEED); phase = 0; cuts = 0; several = 0; changed = 0;
        s_tdata = '0; s_tlast = 1'b0; frames = 16'd1; shown = 16'd1;
        restart();
    end

    always @(posedge clock) begin
        if (aresetn) begin
            look();
            ended = s_fire && s_tlast;
            if (m_fire) give();
            if (s_fire) take();
            if (!s_tvalid || s_tready) begin
                for (int i = 0; i < KEEP_W; i++) drawn[i*8 +: 8] = 8'(pick(256));
                s_tdata  <= drawn;
                s_tlast  <= beat == BEATS - 1;
                s_tvalid <= (phase == 0 || phase == STRUCK + 2 || phase == STRUCK + 4 || pick(3) != 0)
                            && (sent < (phase == STRUCK + 4 ? 1 : FRAMES) || frame > 0 || beat > 0);
            end
            m_tready <= phase == 0 || phase >= STRUCK + 3 || pick(3) != 0;

            idle = s_fire || m_fire ? 0 : idle + 1;
            if (idle > 200) $fatal(1, "phase %0d: nothing moves, %0d frames are in (%m)", phase, sent);
            age = age + 1;
            if (struck_phase && age == strike && phase % 2 == 0) drain <= 1'b1;
            tail = (struck_phase ? age >= strike && (drained || phase % 2 == 1)
                                 : sent > 0 && struck == written && !s_tvalid) ? tail + 1 : 0;
        end else aresetn <= 1'b1;
        shown <= frames;
        if (phase == STRUCK + 4) frames <= 16'd65535;
        else if (pick(3) == 0)   frames <= 16'(1 + pick(pick(8) == 0 ? 60 : 5));

        if (tail == (struck_phase ? 4 : 20)) begin
            if (!struck_phase && (sent < (phase == STRUCK + 4 ? 65535 : FRAMES) || ends_in != ends_out))
                $fatal(1, "phase %0d ends after %0d frames, %0d of %0d transfers (%m)", phase, sent, ends_out, ends_in);
            phase = phase + 1;
            restart();
            aresetn  <= 1'b0;
            s_tvalid <= 1'b0;
            drain    <= 1'b0;
            m_tready <= 1'b0;
            if (phase > (HUGE && $test$plusargs("huge") ? STRUCK + 4 : STRUCK + 3)) begin
                done <= 1'b1;
                if (cuts < 5 || several < 50 || changed < 50)
                    $fatal(1, "too little to mean anything: %0d %0d %0d (%m)", cuts, several, changed);
            end
        end
    end
endmodule

module tb_axis_frame_tx;
    localparam int N = 11;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_frame_tx_case #(.DATA_W(8), .LAST_BYTES(1), .BEATS(3), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_frame_tx_case #(.DATA_W(64), .LAST_BYTES(3), .BEATS(1), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_frame_tx_case #(.DATA_W(512), .LAST_BYTES(64), .BEATS(4), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_frame_tx_case #(.DATA_W(32), .LAST_BYTES(1), .BEATS(2), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_frame_tx_many #(.DATA_W(8), .LAST_BYTES(1), .BEATS(1), .HUGE(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[4*32 +: 32]));
    axis_frame_tx_many #(.DATA_W(8), .LAST_BYTES(1), .BEATS(3), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[5*32 +: 32]));
    axis_frame_tx_many #(.DATA_W(24), .LAST_BYTES(2), .BEATS(2), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[6*32 +: 32]));
    axis_frame_tx_many #(.DATA_W(32), .LAST_BYTES(3), .BEATS(1), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[7*32 +: 32]));
    axis_frame_tx_many #(.DATA_W(32), .LAST_BYTES(4), .BEATS(2), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[8*32 +: 32]));
    axis_frame_tx_many #(.DATA_W(64), .LAST_BYTES(1), .BEATS(2), .SEED(10)) u_9 (
        .aclk(aclk), .done(done[9]), .compared(compared[9*32 +: 32]));
    axis_frame_tx_many #(.DATA_W(128), .LAST_BYTES(12), .BEATS(3), .SEED(11)) u_10 (
        .aclk(aclk), .done(done[10]), .compared(compared[10*32 +: 32]));
endmodule

`default_nettype wire
