// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_sender_source - simulation only: frames for vnx_sender, numbered from 0 after each reset of the link.
//
// After the end of each frame its last beat holds junk.
//
// Parameters: FRAME_BYTES  of a frame
//             SEED         of contents and stalls
`default_nettype none

module bench_vnx_sender_source #(
    parameter int FRAME_BYTES = 64,
    parameter int SEED        = 1
) (
    input  wire          aclk,
    input  wire          link_aresetn,
    input  wire          running,
    input  wire  [31:0]  wanted,       // frames
    input  wire  [6:0]   stall,        // of 64

    output logic [511:0] s_tdata,
    output logic         s_tlast,
    output logic         s_tvalid,
    output logic [31:0]  s_number,
    output logic         s_taint,
    input  wire          s_tready,
    output logic [31:0]  sent          // frames that were taken
);
    import bench_vnx_packet::*;
    localparam int BEATS = (FRAME_BYTES + 63) / 64;

    int           frame, beat;  // next beat to offer
    logic [63:0]  dice;
    logic [511:0] word;
    logic         fire;

    always @(posedge aclk) begin
        dice = rolled(dice);
        fire = s_tvalid && s_tready;
        if (!link_aresetn) begin
            frame = 0;
            beat  = 0;
            s_tvalid <= 1'b0;
        end else begin
            if (fire) begin
                beat = beat + 1;
                if (beat == BEATS) begin
                    beat  = 0;
                    frame = frame + 1;
                end
            end
            if (fire || !s_tvalid) begin
                if (running && frame < int'(wanted) && !luck(dice, int'(stall), 0)) begin
                    word = {half_of(frame, 2 * beat + 1, FRAME_BYTES, SEED), half_of(frame, 2 * beat, FRAME_BYTES, SEED)};
                    if (beat == BEATS - 1)
                        for (int b = 0; b < 64; b++)
                            if (beat * 64 + b >= FRAME_BYTES) word[8*b +: 8] = 8'(dice >> b % 32) | 8'd1;
                    s_tvalid <= 1'b1;
                    s_tdata  <= word;
                    s_tlast  <= beat == BEATS - 1;
                    s_taint  <= beat == BEATS - 1 && frame % 4 > 1;
                end else s_tvalid <= 1'b0;
            end
        end
        sent     <= 32'(frame);
        s_number <= 32'(frame);
    end

    initial begin
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15 + 64'd2;
        frame = 0; beat = 0; s_tdata = '0; s_tlast = 1'b0; s_tvalid = 1'b0; s_number = '0; s_taint = 1'b0; sent = '0;
    end
endmodule

`default_nettype wire
