// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_tx - data, TLAST, TKEEP and frame_done of axis_frame_tx.
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

// Transfers of several frames: every byte at its place, TLAST where the transfer ends, and a new count from the next on.
module axis_frame_tx_many #(
    parameter int DATA_W = 8, LAST_BYTES = 1, BEATS = 1, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int KEEP_W    = DATA_W / 8;
    localparam int BYTES     = (BEATS - 1) * KEEP_W + LAST_BYTES;
    localparam int TRANSFERS = 60;
    wire                clock = aclk && !done;
    logic               aresetn, s_tlast, s_tvalid, m_tready;
    logic [DATA_W-1:0]  s_tdata;
    logic [15:0]        frames;
    wire                s_tready, m_tlast, m_tvalid;
    wire  [DATA_W-1:0]  m_tdata;
    wire  [KEEP_W-1:0]  m_tkeep;
    logic [31:0]        dice;
    int                 frame, beat, transfer, place, idle;

    function automatic logic [31:0] mix(input logic [31:0] a);
        logic [31:0] h;
        h = (a ^ 32'(SEED * 7919)) * 32'h9E3779B1;
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        mix = h ^ (h >> 13);
    endfunction
    // Two transfers in a row have the same count, so that some follow each other at once.
    function automatic int many(input int t);
        many = 1 + int'(mix(32'(t / 2)) % 5);
    endfunction
    // Byte i of what was sent since the beginning.
    function automatic logic [7:0] value(input int i);
        value = 8'(mix(32'(i) + 32'd77));
    endfunction

    axis_frame_tx #(.DATA_W(DATA_W), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(clock), .aresetn(aresetn), .frames(frames), .drain(1'b0), .drained(),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .frame_done()
    );

    // How many frames have begun when transfer t begins.
    int first, last, sending;
    initial begin
        aresetn = 1'b0; s_tvalid = 1'b0; s_tlast = 1'b0; s_tdata = '0; m_tready = 1'b0; done = 1'b0; compared = 0;
        dice = 32'(SEED); frame = 0; beat = 0; transfer = 0; place = 0; idle = 0; sending = 0; last = 0; first = 0;
        frames = 16'(many(0));
        last = many(0);
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        repeat (2) @(negedge clock);
        while (transfer < TRANSFERS) begin
            @(negedge clock);
            dice = dice * 32'd1664525 + 32'd1013904223;
            // What the posedge before has moved is looked at below; here the next cycle is prepared.
            if (!s_tvalid && dice[31] && sending < TRANSFERS && (frame < last || place == frame * BYTES)) begin
                if (frame == last) begin
                    sending = sending + 1;
                    last = last + many(sending);
                    if (frames != 16'(many(sending))) begin
                        frames = 16'(many(sending));
                        repeat (2) @(negedge clock);
                    end
                end
                s_tvalid = sending < TRANSFERS;
            end
            if (s_tvalid)
                for (int i = 0; i < KEEP_W; i++)
                    s_tdata[i*8 +: 8] = beat * KEEP_W + i < BYTES ? value(frame * BYTES + beat * KEEP_W + i) : 8'hEE;
            s_tlast  = beat == BEATS - 1;
            m_tready = dice[30] | dice[29];
            // In the middle of a transfer another count must mean nothing.
            if (frame > last - many(sending) && frame < last) frames = dice[28] ? 16'(many(sending)) : 16'(dice[27:24] + 1);
            else if (frame == last) frames = 16'(many(sending));
            #1;
            idle = (s_tvalid && s_tready) || (m_tvalid && m_tready) ? 0 : idle + 1;
            if (idle > 300) $fatal(1, "nothing moves, %0d transfers are out (%m)", transfer);
            if (m_tvalid && m_tready) begin
                for (int i = 0; i < KEEP_W; i++)
                    if (m_tkeep[i]) begin
                        if (m_tdata[i*8 +: 8] !== value(place)) $fatal(1, "byte %0d is %h (%m)", place, m_tdata[i*8 +: 8]);
                        place    = place + 1;
                        compared = compared + 1;
                    end else if (!m_tlast) $fatal(1, "tkeep %b without tlast (%m)", m_tkeep);
                if (m_tlast) begin
                    first    = first + many(transfer);
                    transfer = transfer + 1;
                    if (place != first * BYTES) $fatal(1, "tlast of transfer %0d after byte %0d (%m)", transfer, place);
                end
            end
            if (s_tvalid && s_tready) begin
                @(posedge clock);
                #1;
                s_tvalid = 1'b0;
                beat = beat == BEATS - 1 ? 0 : beat + 1;
                if (beat == 0) frame = frame + 1;
            end
        end
        done = 1'b1;
    end
endmodule

module tb_axis_frame_tx;
    localparam int N = 7;
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
    axis_frame_tx_many #(.DATA_W(64), .LAST_BYTES(1), .BEATS(2), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_frame_tx_many #(.DATA_W(128), .LAST_BYTES(12), .BEATS(3), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_frame_tx_many #(.DATA_W(32), .LAST_BYTES(4), .BEATS(2), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
endmodule

`default_nettype wire
