// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_tag_deal - tags of frames and marks between them, dealt to N replicas of which some may be out: each replica gets
// both tags of its own frames, in order, and gets every mark unless a frame with a higher number has come to it.
`default_nettype none

module axis_tag_deal_case #(
    parameter int N = 2, LENGTH = N, WHOLE = 0, GAP = 4, STALL = 4, FRAMES = 200, SEED = 1,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'({4{64'hFEDC_BA98_7654_3210}}),
    parameter logic [N-1:0] MASK = '1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    logic            aresetn;
    logic [31:0]     dice;
    logic [34:0]     tdata;
    logic            tvalid;
    wire             tready;
    wire [N*35-1:0]  m_tdata;
    wire [N-1:0]     m_tvalid;
    logic [N-1:0]    m_tready;

    function automatic logic [31:0] mix(input logic [31:0] a, input logic [31:0] b);
        mix = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ (32'(SEED) * 32'hC2B2AE3D);
        mix = (mix ^ mix >> 15) * 32'h2C1B3C6D;
        mix = mix ^ mix >> 13;
    endfunction
    // Numbers rise, by more than one where frames were lost.
    function automatic logic [31:0] numbered(input int frame);
        numbered = 32'(3 * frame) + mix(32'(frame), 32'd1) % 3;
    endfunction
    function automatic logic bad(input int frame);
        bad = mix(32'(frame), 32'd2) % 4 == 0;
    endfunction

    // The replica of each frame: the next place of the pattern that is alive.
    int owner [0:FRAMES-1];
    int at;
    initial begin
        at = 0;
        for (int frame = 0; frame < FRAMES; frame++) begin
            while (1'(16'(MASK) >> PATTERN[4*(at % LENGTH) +: 4]) == 1'b0) at = at + 1;
            owner[frame] = int'(PATTERN[4*(at % LENGTH) +: 4]);
            at = at + 1;
        end
    end

    axis_tag_deal #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .mask(MASK),
        .s_tag_tdata(tdata), .s_tag_tvalid(tvalid), .s_tag_tready(tready),
        .m_tag_tdata(m_tdata), .m_tag_tvalid(m_tvalid), .m_tag_tready(m_tready)
    );

    // ---- what is sent: frames, and marks between them
    int   frame, marked;
    logic open;
    wire [31:0] luck = mix(dice, 32'd1000);
    always @(posedge aclk) begin
        if (!aresetn) begin
            frame = 0; open = 1'b0; marked = -1;
            tvalid <= 1'b0;
        end else if (!tvalid || tready) begin
            tvalid <= 1'b0;
            if (int'(luck[3:0]) >= GAP) begin
                if (open) begin
                    tdata  <= {bad(frame), 2'd1, 8'd7, 24'(frame)};
                    tvalid <= 1'b1;
                    open = 1'b0; frame = frame + 1;
                end else if (frame == FRAMES || luck[6:4] == 3'd0) begin
                    if (marked != frame || luck[9:4] == 6'd0) begin
                        tdata  <= {1'b0, 2'd2, numbered(frame)};
                        tvalid <= 1'b1;
                        marked = frame;
                    end
                end else begin
                    tdata  <= {WHOLE != 0 && bad(frame), WHOLE != 0 ? 2'd3 : 2'd0, numbered(frame)};
                    tvalid <= 1'b1;
                    if (WHOLE != 0) frame = frame + 1;
                    else open = 1'b1;
                end
            end
        end
    end

    // ---- what each replica gets
    logic [N-1:0] told;      // the last mark, behind all frames
    int           phase, cycles, stopped;
    generate
        for (genvar i = 0; i < N; i++) begin : g_replica
            int          next;   // its next frame
            logic        under;
            logic [31:0] least;
            wire  [34:0] tag = m_tdata[35*i +: 35];
            axis_checker #(.DATA_W(35), .NAME("m_tag")) u_check (
                .aclk(aclk), .aresetn(aresetn), .axis_tdata(tag), .axis_tvalid(m_tvalid[i]), .axis_tready(m_tready[i])
            );
            always @(posedge aclk) begin
                m_tready[i] <= i != stopped && int'(mix(dice, 32'(i + 2000)) % 16) >= STALL;
                if (!aresetn) begin
                    next = 0; under = 1'b0; least = '0;
                    told[i] <= 1'b0;
                end else if (m_tvalid[i] && m_tready[i]) begin
                    while (next < FRAMES && owner[next] != i) next = next + 1;
                    compared = compared + 1;
                    if (tag[33:32] == 2'd2) begin
                        if (under) $fatal(1, "replica %0d: a mark inside frame %0d (%m)", i, next);
                        if (tag[34] || tag[31:0] < least) $fatal(1, "replica %0d: mark %h after %h (%m)", i, tag, least);
                        if (next < FRAMES && tag[31:0] > numbered(next)) $fatal(1, "replica %0d: frame %0d is denied (%m)", i, next);
                        least = tag[31:0];
                        told[i] <= tag[31:0] == numbered(FRAMES);
                    end else if (tag[33:32] == 2'd1) begin
                        if (!under || WHOLE != 0 || tag !== {bad(next), 2'd1, 8'd7, 24'(next)})
                            $fatal(1, "replica %0d: %h ends frame %0d (%m)", i, tag, next);
                        under = 1'b0; next = next + 1;
                    end else begin
                        if (under || tag !== {WHOLE != 0 && bad(next), WHOLE != 0 ? 2'd3 : 2'd0, numbered(next)})
                            $fatal(1, "replica %0d: %h begins frame %0d (%m)", i, tag, next);
                        least = numbered(next);
                        if (WHOLE != 0) next = next + 1;
                        else under = 1'b1;
                    end
                end
            end
        end
    endgenerate

    // A reset in the middle of a frame, then all again. A replica that is out takes nothing for a while: nobody waits.
    always @(posedge aclk) begin
        dice   = dice * 32'd1664525 + 32'd1013904223;
        cycles = cycles + 1;
        aresetn <= cycles >= 4;
        if (phase == 0 && frame > FRAMES / 3 && (open || WHOLE != 0)) begin
            phase = 1; cycles = 0;
            aresetn <= 1'b0;
        end
        stopped = -1;
        for (int i = 0; i < N; i++) if (!MASK[i] && frame < FRAMES / 2) stopped = i;
        if (phase == 1 && frame == FRAMES && (&told)) done <= 1'b1;
        if (cycles > 100 * FRAMES) $fatal(1, "stuck at frame %0d, told %b (%m)", frame, told);
    end

    initial begin
        done = 1'b0; compared = '0; aresetn = 1'b0; dice = 32'(SEED); tvalid = 1'b0; tdata = '0; m_tready = '0;
        cycles = 0; phase = 0; stopped = -1; frame = 0; marked = -1; open = 1'b0; told = '0;
    end
endmodule

module tb_axis_tag_deal;
    localparam int N = 5;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_tag_deal_case #(.SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_tag_deal_case #(.GAP(0), .STALL(0), .WHOLE(1), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_tag_deal_case #(.N(3), .LENGTH(5), .PATTERN(20'h01020), .STALL(9), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_tag_deal_case #(.N(4), .MASK(4'b1011), .GAP(0), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_tag_deal_case #(.N(16), .WHOLE(1), .GAP(9), .SEED(5)) u_4 (.aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

`default_nettype wire
