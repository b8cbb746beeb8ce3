// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width_framed - dense AXI4-Stream width converter for frames that end by tlast and tkeep, any whole bytes.
//
// A frame is one string of bytes: input beat i brings bytes [i*IN_W/8 +: IN_W/8], output beat j takes bytes
// [j*OUT_W/8 +: OUT_W/8]. s_axis_tkeep is full except on the last beat of a frame, there it is contiguous
// from bit 0, which is taken for 1 whatever it says: no beat is without a byte. So is m_axis_tkeep; bytes
// that are not kept are zero. m_axis_tuser is that of the latest input beat with a byte in the output beat,
// where a frame ends that of its last beat.
//
// Throughput  one beat per cycle on the side with more beats; no bubble inside a frame, at its end, or
//             between frames: the next frame enters while the tail of the last one leaves
// Latency     1 cycle from the last input beat that an output beat needs (0 when the widths are equal and
//             SLICE is 0); with SLICE 2 where the ratio is not an integer, or IN_W > 64 * OUT_W; one more
//             where IN_W is over 64 times gcd(IN_W, OUT_W)
// Paths       SLICE = 1: s_axis_tready and m_axis come from flops, m_axis through one 2:1 multiplexer where
//             IN_W > OUT_W and the ratio is not an integer up to 64; no combinational path from side to side.
//             SLICE = 0: combinational from m_axis_tready to s_axis_tready; m_axis is flops where
//             IN_W < OUT_W and comes from flops through a shifter where IN_W > OUT_W
// Resources   up:   9/8 * (OUT_W + IN_W) FF; down: IN_W + OUT_W FF; with SLICE once or twice the beat of the
//             narrow side more
//
// Parameters: IN_W, OUT_W  widths in bits, multiples of 8 from 8 to 2048
//             USER_W       bits of tuser, at least 1; to be tied to 0 where there is none
//             SLICE        1 cuts the ready path, see Paths; 0 leaves that to flops of the user's
// Checked by: test_axis_width_framed.py
`default_nettype none

module axis_width_framed #(
    parameter int IN_W   = 8,
    parameter int OUT_W  = 8,
    parameter int USER_W = 1,
    parameter bit SLICE  = 1
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [IN_W-1:0]     s_axis_tdata,
    input  wire  [IN_W/8-1:0]   s_axis_tkeep,
    input  wire                 s_axis_tlast,
    input  wire  [USER_W-1:0]   s_axis_tuser,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [OUT_W-1:0]    m_axis_tdata,
    output logic [OUT_W/8-1:0]  m_axis_tkeep,
    output logic                m_axis_tlast,
    output logic [USER_W-1:0]   m_axis_tuser,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    function automatic int gcd(input int a, input int b);
        int x, y, t;
        x = a;
        y = b;
        while (y > 0) begin
            t = x % y;
            x = y;
            y = t;
        end
        gcd = x > 0 ? x : 1;
    endfunction

    localparam int UNIT      = gcd(IN_W, OUT_W);
    localparam int IN_UNITS  = IN_W / UNIT;
    localparam int OUT_UNITS = OUT_W / UNIT;
    localparam int UNIT_B    = UNIT / 8;
    localparam int IN_B      = IN_W / 8;

    generate
        if (IN_W < 8 || IN_W > 2048 || IN_W % 8 != 0) begin : g_check_in_w
            IN_W_must_be_a_multiple_of_8_from_8_to_2048 parameter_error();
        end
        if (OUT_W < 8 || OUT_W > 2048 || OUT_W % 8 != 0) begin : g_check_out_w
            OUT_W_must_be_a_multiple_of_8_from_8_to_2048 parameter_error();
        end
        if (USER_W < 1) begin : g_check_user_w
            USER_W_must_be_at_least_1 parameter_error();
        end
    endgenerate

    // ---- input: the slice stands at the narrow side
    localparam bit FRONT  = SLICE && IN_W <= OUT_W;
    localparam int BEAT_W = USER_W + 1 + IN_B + IN_W;
    wire [BEAT_W-1:0] s_beat = {s_axis_tuser, s_axis_tlast, s_axis_tkeep | IN_B'(1), s_axis_tdata};
    wire [IN_W-1:0]   in_data;
    wire [IN_B-1:0]   in_keep;
    wire [USER_W-1:0] in_user;
    wire              in_last, in_valid, in_ready;
    generate
        if (FRONT) begin : g_slice
            // At an integer ratio the path of the data is short enough to be left open.
            localparam int FULL = 0, REVERSE = 2;
            axis_register #(.DATA_W(BEAT_W), .CUT(IN_UNITS == 1 && OUT_UNITS > 1 ? REVERSE : FULL)) u_slice (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(s_beat),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(s_axis_tready),
                .m_axis_tdata({in_user, in_last, in_keep, in_data}),
                .m_axis_tvalid(in_valid),
                .m_axis_tready(in_ready)
            );
        end else begin : g_no_slice
            assign {in_user, in_last, in_keep, in_data} = s_beat;
            assign in_valid = s_axis_tvalid;
            assign s_axis_tready = in_ready;
        end
    endgenerate

    // ---- conversion
    localparam int BY_KEEP = 2;
    generate
        if (IN_W > OUT_W) begin : g_down
            axis_width_down #(
                .UNIT_W(UNIT), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(BY_KEEP), .SLICE(SLICE),
                .USER_W(USER_W)
            ) u_down (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(in_data),
                .s_axis_tkeep(in_keep),
                .s_axis_tlast(in_last),
                .s_axis_tuser(in_user),
                .s_axis_tvalid(in_valid),
                .s_axis_tready(in_ready),
                .m_axis_tdata(m_axis_tdata),
                .m_axis_tkeep(m_axis_tkeep),
                .m_axis_tlast(m_axis_tlast),
                .m_axis_tuser(m_axis_tuser),
                .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready)
            );
        end else begin : g_up
            // The keep bits travel with the data: a lane is a unit and above it the keep bits of its bytes.
            localparam int LANE_W = 9 * UNIT_B;
            wire [IN_UNITS*LANE_W-1:0] lanes;
            wire [OUT_UNITS*LANE_W-1:0] out_lanes;
            for (genvar u = 0; u < IN_UNITS; u++) begin : g_in
                assign lanes[u*LANE_W + UNIT +: UNIT_B] = in_keep[u*UNIT_B +: UNIT_B];
                for (genvar b = 0; b < UNIT_B; b++) begin : g_byte
                    assign lanes[u*LANE_W + b*8 +: 8] =
                        in_keep[u*UNIT_B + b] ? in_data[u*UNIT + b*8 +: 8] : 8'd0;
                end
            end
            for (genvar u = 0; u < OUT_UNITS; u++) begin : g_out
                assign m_axis_tdata[u*UNIT +: UNIT] = out_lanes[u*LANE_W +: UNIT];
                assign m_axis_tkeep[u*UNIT_B +: UNIT_B] = out_lanes[u*LANE_W + UNIT +: UNIT_B];
            end
            if (OUT_UNITS == 1) begin : g_same
                assign out_lanes     = lanes;
                assign m_axis_tlast  = in_last;
                assign m_axis_tuser  = in_user;
                assign m_axis_tvalid = in_valid;
                assign in_ready = m_axis_tready;
                wire unused = &{1'b0, aclk, aresetn};
            end else if (IN_UNITS == 1) begin : g_integer
                axis_width_up_integer #(
                    .BEAT_W(LANE_W), .RATIO(OUT_UNITS), .FRAME_END(BY_KEEP), .KEEP_BIT(UNIT), .USER_W(USER_W)
                ) u_up (
                    .aclk(aclk),
                    .aresetn(aresetn),
                    .s_axis_tdata(lanes),
                    .s_axis_tlast(in_last),
                    .s_axis_tuser(in_user),
                    .s_axis_tvalid(in_valid),
                    .s_axis_tready(in_ready),
                    .m_axis_tdata(out_lanes),
                    .m_axis_tlast(m_axis_tlast),
                    .m_axis_tuser(m_axis_tuser),
                    .m_axis_tvalid(m_axis_tvalid),
                    .m_axis_tready(m_axis_tready)
                );
            end else begin : g_rational
                axis_width_up_rational #(
                    .UNIT_W(LANE_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(BY_KEEP), .KEEP_BIT(UNIT),
                    .USER_W(USER_W)
                ) u_up (
                    .aclk(aclk),
                    .aresetn(aresetn),
                    .s_axis_tdata(lanes),
                    .s_axis_tlast(in_last),
                    .s_axis_tuser(in_user),
                    .s_axis_tvalid(in_valid),
                    .s_axis_tready(in_ready),
                    .m_axis_tdata(out_lanes),
                    .m_axis_tlast(m_axis_tlast),
                    .m_axis_tuser(m_axis_tuser),
                    .m_axis_tvalid(m_axis_tvalid),
                    .m_axis_tready(m_axis_tready)
                );
            end
        end
    endgenerate

endmodule

`default_nettype wire
