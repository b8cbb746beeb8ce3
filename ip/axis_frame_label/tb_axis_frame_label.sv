// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_label - frames and tags that come on their own, early or late, through axis_frame_label: every frame waits for
// its tags and gets its own; with DROP those of another epoch are discarded whole, and only those.
`default_nettype none

module axis_frame_label_case #(
    parameter int BEATS = 3, DROP = 0, GAP = 5, LATE = 5, STALL = 5, FRAMES = 300, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    logic        aresetn, s_tvalid, tag_valid, m_tready;
    logic [34:0] tag;
    logic [31:0] dice;
    logic [7:0]  epoch;
    wire         tag_ready, s_tready, m_tvalid, known, taint, passed, marked;
    wire  [31:0] number;

    axis_frame_label #(.BEATS(BEATS), .DROP(DROP != 0)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .epoch(epoch),
        .s_tag_tdata(tag), .s_tag_tvalid(tag_valid), .s_tag_tready(tag_ready),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .number(number), .number_known(known), .taint(taint), .passed(passed), .marked(marked)
    );

    function automatic logic [31:0] mix(input logic [31:0] a, input logic [31:0] b);
        mix = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ (32'(SEED) * 32'hC2B2AE3D);
        mix = (mix ^ mix >> 15) * 32'h2C1B3C6D;
        mix = mix ^ mix >> 13;
    endfunction
    function automatic logic [31:0] numbered(input int k);   // one in four is of another epoch
        numbered = {mix(32'(k), 32'd1) % 4 == 0 ? 8'd6 : 8'd7, 24'(k * 3)};
    endfunction
    function automatic logic bad(input int k);
        bad = mix(32'(k), 32'd2) % 4 == 0;
    endfunction
    function automatic logic stays(input int k);
        stays = DROP == 0 || numbered(k) >> 24 == 32'd7;
    endfunction

    // Tags: in front of some frames one of kind 2, then one or two of the frame.
    int tag_frame, part, parts, in_frame, in_beat, out_frame, out_beat, cycles, marks;
    task offer;
        case (part)
            0: tag <= {1'b0, 2'd2, numbered(tag_frame)};
            1: tag <= {BEATS == 1 && bad(tag_frame), BEATS == 1 ? 2'd3 : 2'd0, numbered(tag_frame)};
            default: tag <= {bad(tag_frame), 2'd1, numbered(tag_frame)};
        endcase
    endtask
    always @(posedge aclk) begin
        dice   = dice * 32'd1664525 + 32'd1013904223;
        cycles = cycles + 1;
        aresetn  <= cycles > 4;
        m_tready <= int'(mix(dice, 32'd5) % 16) >= STALL;
        if (aresetn) begin
            if (tag_valid && tag_ready) begin
                if (part == 0) marks = marks + 1;
                part = part + 1;
                if (part == (BEATS == 1 ? 2 : 3)) begin
                    tag_frame = tag_frame + 1;
                    part      = tag_frame % 5 == 0 ? 0 : 1;
                end
            end
            if (!tag_valid || tag_ready) begin
                tag_valid <= tag_frame < FRAMES && int'(mix(dice, 32'd6) % 16) >= LATE;
                offer;
            end
            if (s_tvalid && s_tready) begin
                // Discarded here, or it must have left.
                if (!stays(in_frame) && m_tvalid) $fatal(1, "frame %0d is of another epoch (%m)", in_frame);
                in_beat = in_beat + 1;
                if (in_beat == BEATS) begin in_beat = 0; in_frame = in_frame + 1; end
            end
            if (!s_tvalid || s_tready) s_tvalid <= in_frame < FRAMES && int'(mix(dice, 32'd7) % 16) >= GAP;
            while (out_frame < FRAMES && out_beat == 0 && !stays(out_frame)) out_frame = out_frame + 1;
            if (m_tvalid && m_tready) begin
                if (!known || number !== numbered(out_frame)) $fatal(1, "frame %0d has %h (%m)", out_frame, number);
                if (taint !== (out_beat == BEATS - 1 && bad(out_frame))) $fatal(1, "frame %0d: taint %b (%m)", out_frame, taint);
                if (passed !== (out_beat == BEATS - 1) || marked !== taint) $fatal(1, "frame %0d: %b %b (%m)", out_frame, passed, marked);
                compared = compared + 1;
                out_beat = out_beat + 1;
                if (out_beat == BEATS) begin out_beat = 0; out_frame = out_frame + 1; end
            end else if (passed || marked) $fatal(1, "no frame, and passed (%m)");
            if (out_frame == FRAMES && in_frame == FRAMES && !done) begin
                if (marks < FRAMES / 6) $fatal(1, "%0d tags of kind 2 (%m)", marks);
                done <= 1'b1;
            end
            if (cycles > 100 * FRAMES) $fatal(1, "stuck at frame %0d (%m)", out_frame);
        end
    end

    initial begin
        done = 1'b0; compared = '0; aresetn = 1'b0; s_tvalid = 1'b0; tag_valid = 1'b0; tag = '0; m_tready = 1'b0;
        dice = 32'(SEED); epoch = 8'd7;
        tag_frame = 0; part = 0; in_frame = 0; in_beat = 0; out_frame = 0; out_beat = 0; cycles = 0; marks = 0;
    end
endmodule

module tb_axis_frame_label;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_frame_label_case #(.SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_frame_label_case #(.BEATS(1), .DROP(1), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_frame_label_case #(.BEATS(4), .DROP(1), .GAP(0), .LATE(0), .STALL(0), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_frame_label_case #(.BEATS(2), .DROP(1), .GAP(0), .LATE(12), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
