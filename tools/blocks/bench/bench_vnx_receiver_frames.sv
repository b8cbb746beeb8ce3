// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_receiver_frames - simulation only: compares each beat of the frames that leave vnx_receiver.
//
// A frame holds the packets that were taken, in order, and zeros from the place where it was cut. `frame_done` comes a
// cycle after its last beat.
//
// Parameters: FRAME_BYTES, PACKET_BEATS  of the link
//             SEED                       of the contents
`default_nettype none

module bench_vnx_receiver_frames #(
    parameter int FRAME_BYTES  = 64,
    parameter int PACKET_BEATS = 23,
    parameter int SEED         = 1
) (
    input  wire          aclk,
    input  wire          link_aresetn,
    input  wire  [31:0]  phase,

    input  wire          cut,
    input  wire          took,
    input  wire  [31:0]  took_frame,
    input  wire  [31:0]  took_piece,

    input  wire  [511:0] m_tdata,
    input  wire  [31:0]  m_number,
    input  wire          m_taint,
    input  wire  [31:0]  mark,         // of a frame, for the next one that begins
    input  wire          mark_known,
    input  wire          m_fire,
    input  wire          frame_done,

    output logic [31:0]  left,       // packets that were taken and have not left; a cut at the end does not count
    output logic [31:0]  compared
);
    import bench_vnx_packet::*;
    localparam int FULL_HALVES = 2 * PACKET_BEATS - 1;
    localparam int HALVES      = (FRAME_BYTES + 31) / 32;
    localparam int BEATS       = (FRAME_BYTES + 63) / 64;
    localparam int LIST        = 1024;

    int           list_frame [0:LIST-1];    // piece -1: the frame is cut here
    int           list_piece [0:LIST-1];
    int           put, got;
    int           out_at;                   // beat of the frame
    int           out_frame, have, x;       // frame, and packets of it that were taken from the list
    logic         out_cut, done_next;
    logic [511:0] expected;
    int           first_cycle, last_cycle, cycle, n_frames;

    task look;
        for (int k = 0; k < 2; k++) begin
            x = 2 * out_at + k;
            while (x < HALVES && !out_cut && have <= x / FULL_HALVES) begin
                if (got == put) $fatal(1, "phase %0d: beat %0d of a frame of which no packet was taken (%m)", phase, out_at);
                if (list_piece[got % LIST] < 0) out_cut = 1'b1;
                else begin
                    if (list_piece[got % LIST] != have) $fatal(1, "bench: packet %0d of the list (%m)", got);
                    out_frame = list_frame[got % LIST];
                    have = have + 1;
                end
                got = got + 1;
            end
            expected[256*k +: 256] = x / FULL_HALVES < have ? half_of(out_frame, x, FRAME_BYTES, SEED) : '0;
        end
        if (m_tdata !== expected) begin
            $display("got      %h", m_tdata);
            $display("expected %h", expected);
            $fatal(1, "phase %0d: beat %0d of frame %0d (%m)", phase, out_at, out_frame);
        end
        if (m_number !== 32'(out_frame)) $fatal(1, "phase %0d: frame %0d has number %0d (%m)", phase, out_frame, m_number);
        if (m_taint !== (out_at == BEATS - 1 && (out_cut || out_frame % 4 > 1)))
            $fatal(1, "phase %0d: beat %0d of frame %0d, taint is %b (%m)", phase, out_at, out_frame, m_taint);
        compared = compared + 1;
        if (first_cycle < 0) first_cycle = cycle;
        last_cycle = cycle;
        out_at = out_at + 1;
        if (out_at == BEATS) begin
            out_at = 0; have = 0; out_cut = 1'b0;
            n_frames = n_frames + 1;
            done_next = 1'b1;
        end
    endtask

    always @(posedge aclk) begin
        cycle = cycle + 1;
        if (cut) begin
            list_piece[put % LIST] = -1;
            put = put + 1;
        end
        if (took) begin
            list_frame[put % LIST] = int'(took_frame);
            list_piece[put % LIST] = int'(took_piece);
            put = put + 1;
        end
        if (!link_aresetn) begin
            put = 0; got = 0; out_at = 0; out_cut = 1'b0; have = 0; done_next = 1'b0;
        end else begin
            if (frame_done !== done_next) $fatal(1, "phase %0d: frame_done is %b (%m)", phase, frame_done);
            done_next = 1'b0;
            if (m_fire) look;
        end
        left <= got + 1 == put && list_piece[got % LIST] < 0 ? 32'd0 : 32'(put - got);
    end

    initial begin
        compared = 0; left = '0; put = 0; got = 0; out_at = 0; out_frame = 0; have = 0; out_cut = 1'b0; done_next = 1'b0;
        first_cycle = -1; last_cycle = 0; cycle = 0; n_frames = 0;
    end
endmodule

`default_nettype wire
