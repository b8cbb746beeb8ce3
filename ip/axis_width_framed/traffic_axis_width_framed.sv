// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_width_framed - axis_width_framed under the four shapes of bench_traffic, frames of any number of bytes.
//
// The bytes of a last beat that are not kept hold junk. tuser counts input beats; what an output beat must have
// follows from its bytes.
`default_nettype none

module traffic_axis_width_framed #(
    parameter int SET = 0, TRAFFIC = 1000, IN_W = 8, OUT_W = 8, USER_W = 1,
    parameter bit SLICE = 1,
    parameter int TIE_S_AXIS_TUSER = -1, TIE_S_AXIS_TKEEP = -1
);
    localparam int IN_B  = IN_W / 8;
    localparam int OUT_B = OUT_W / 8;
    localparam int UNIT  = TIE_S_AXIS_TKEEP == 1 ? IN_W : 8;
    localparam int WIDE  = IN_W > OUT_W ? IN_W : OUT_W;
    wire               aclk, aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready;
    wire [IN_W-1:0]    s_tdata;
    wire [IN_B-1:0]    s_tkeep;
    wire [OUT_W-1:0]   m_tdata;
    wire [OUT_B-1:0]   m_tkeep;
    wire [USER_W-1:0]  m_tuser;
    logic [USER_W-1:0] s_tuser;

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(IN_W), .OUT_W(OUT_W), .UNIT(UNIT), .UNITS_MAX(4 * WIDE / UNIT),
        .KEEP_IN(8), .KEEP_OUT(8)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .frames(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_width_framed #(.IN_W(IN_W), .OUT_W(OUT_W), .USER_W(USER_W), .SLICE(SLICE)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // Numbers of the frames' last input beats, in order; a frame's first is the one after the last of the frame before.
    logic [USER_W-1:0] ends [0:1023];
    logic [USER_W-1:0] number, from, expected;
    logic [9:0]        frames_in, frames_out;
    int                bytes;
    initial begin
        s_tuser = '0;
        restart;
    end
    task restart;
        number = '0; from = '0; frames_in = '0; frames_out = '0; bytes = 0;
    endtask
    always @(posedge aclk) begin
        if (s_tvalid && s_tready) begin
            if (s_tlast) begin
                ends[frames_in] = number;
                frames_in = frames_in + 10'd1;
            end
            number = number + 1'b1;
            if (TIE_S_AXIS_TUSER != 0) s_tuser <= number;
        end
        if (m_tvalid && m_tready) begin
            bytes    = bytes + OUT_B;
            expected = from + USER_W'((bytes - 1) / IN_B);
            if (m_tlast) begin
                expected   = ends[frames_out];
                from       = expected + 1'b1;
                bytes      = 0;
                frames_out = frames_out + 10'd1;
            end
            if (TIE_S_AXIS_TUSER == 0) expected = '0;
            if (m_tuser !== expected) $fatal(1, "tuser is %h, expected %h (%m)", m_tuser, expected);
            if (TIE_S_AXIS_TUSER == 0 && m_tlast) from = '0;
        end
        if (!aresetn) begin
            s_tuser <= '0;
            restart;
        end
    end
endmodule

`default_nettype wire
