// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_frame_fifo - axis_frame_fifo under the four shapes of bench_traffic: every frame fits and is good.
//
// Where the FIFO does not wait, a gate in front of it does, by its level: a frame is never dropped or cut. Frames are
// of 4 beats, for a latency that means something: from the last beat in, where frames are held back. With VARIED they
// are of 1 byte to LONGEST beats.
`default_nettype none

module traffic_axis_frame_fifo #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 8, USER_W = 1, DEPTH = 16, STORE = 0, ON_FULL = 2, LONGEST = 4,
    parameter bit OUT_REG = 0, DROP_BAD = 0, VARIED = 0,
    parameter logic [USER_W-1:0] BAD_VALUE = '1, BAD_MASK = '1
);
    localparam int BYTES = DATA_W / 8;
    localparam bit WAITS = ON_FULL < 2;
    localparam bit HOLDS = ON_FULL < 3;

    wire                       aclk, aresetn, s_tlast, s_tvalid, s_tready, ready, m_tlast, m_tvalid, m_tready, closing;
    wire                       good, bad, overflow;
    wire [DATA_W-1:0]          tdata, m_tdata;
    wire [BYTES-1:0]           s_tkeep, m_tkeep;
    wire [USER_W-1:0]          m_tuser;
    wire [$clog2(DEPTH+3)-1:0] level, whole;
    int                        frames, seen;

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W), .UNIT(8), .UNITS_MIN(VARIED ? 1 : LONGEST * BYTES),
        .UNITS_MAX(LONGEST * BYTES), .KEEP_IN(8), .KEEP_OUT(8), .LATENCY(HOLDS ? 1 - LONGEST : 0), .STEADY(!HOLDS)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(frames),
        .s_axis_tdata(tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // The bench wants zeros beyond the end of a frame.
    wire [DATA_W-1:0] s_tdata;
    generate
        for (genvar b = 0; b < BYTES; b++) begin : g_byte
            assign s_tdata[8*b +: 8] = tdata[8*b +: 8] & {8{s_tkeep[b]}};
        end
    endgenerate

    function automatic logic [USER_W-1:0] user(input logic [DATA_W-1:0] data);
        user = DROP_BAD ? ~BAD_VALUE : USER_W'(data);
    endfunction

    wire open = WAITS || 32'(level) < DEPTH - 1;
    assign s_tready = ready && open;

    axis_frame_fifo #(
        .DATA_W(DATA_W), .USER_W(USER_W), .DEPTH(DEPTH), .STORE(STORE), .OUT_REG(OUT_REG), .ON_FULL(ON_FULL),
        .DROP_BAD(DROP_BAD), .BAD_VALUE(BAD_VALUE), .BAD_MASK(BAD_MASK)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(user(s_tdata)),
        .s_axis_tvalid(s_tvalid && open), .s_axis_tready(ready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .good_frame(good), .bad_frame(bad), .overflow(overflow), .level(level), .level_whole(whole)
    );

    initial seen = 0;
    always @(posedge aclk) begin
        if (aresetn && good) seen = seen + 1;
        if (aresetn && (bad || overflow)) $fatal(1, "a frame is dropped (%m)");
        if (m_tvalid && m_tuser !== user(m_tdata)) $fatal(1, "tuser is %h (%m)", m_tuser);
    end
    always @(posedge closing) if (level !== '0 || whole !== '0) $fatal(1, "level is %0d of an empty FIFO (%m)", level);
    always @(negedge closing) begin
        if (seen != frames) $fatal(1, "good_frame for %0d of %0d frames (%m)", seen, frames);
        seen = 0;
    end
endmodule

`default_nettype wire
