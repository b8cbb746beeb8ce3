// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_gather - the proof of axis_gather, for an arbitrary replica and a mask that stays.
//
//   order         its frames come out whole and in order, in its turns and no others
//   progress_in   in its turn it is served in time, whether the other replicas have frames or not
//   consecutive   NUM_W: the numbers of the frames that come out leave none out
//   right         and each frame is the one with its number, or has the taint and zeros; its beats are of one frame
`default_nettype none

module formal_axis_gather #(
    parameter int N      = 2,
    parameter int DATA_W = 1,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'(64'hFEDC_BA98_7654_3210),
    parameter int NUM_W  = 0,
    parameter int BEATS  = 2,
    parameter int CUT    = 4,
    parameter int STALL  = 1,
    localparam int USER_W = NUM_W + 1
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [N*DATA_W-1:0] s_axis_tdata,
    input wire [N*USER_W-1:0] s_axis_tuser,
    input wire [N-1:0]        s_axis_tlast,
    input wire [N-1:0]        s_axis_tvalid,
    input wire                m_axis_tready
);

    localparam int CAPACITY = CUT == 4 ? 3 : CUT == 0 ? 2 : 1;
    localparam int HELD_W   = $clog2(CAPACITY + 2);
    localparam int ID_W     = $clog2(N);
    localparam int PLACE_W  = LENGTH > 1 ? $clog2(LENGTH) : 1;
    localparam int BEAT_W   = DATA_W + USER_W + 1;

    wire                m_axis_tlast, m_axis_tvalid, lost, stray, error_number;
    wire [N-1:0]        s_axis_tready;
    wire [DATA_W-1:0]   m_axis_tdata;
    wire [USER_W-1:0]   m_axis_tuser;
    wire [HELD_W-1:0]   held;

    (* anyconst *) logic [N-1:0] alive;

    axis_gather #(
        .N(N), .DATA_W(DATA_W), .LENGTH(LENGTH), .PATTERN(PATTERN), .NUM_W(NUM_W), .BEATS(BEATS), .CUT(CUT)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .mask(alive),
        .s_axis_tdata(s_axis_tdata), .s_axis_tuser(s_axis_tuser), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tuser(m_axis_tuser), .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .lost(lost), .stray(stray), .error_number(error_number)
    );

    (* anyconst *) logic [ID_W-1:0] which;
    logic any;

    function automatic logic [3:0] entry(input int place);
        entry = 4'(PATTERN >> (place * 4));
    endfunction

    always_comb begin
        any = 1'b0;
        for (int k = 0; k < LENGTH; k++) any = any || 1'(alive >> entry(k));
        assume (any && 32'(which) < N);
    end

    // The first place from `from` on, around the end, of a replica that is alive.
    function automatic logic [PLACE_W-1:0] following(input logic [N-1:0] left, input int from);
        following = '0;
        for (int k = LENGTH - 1; k >= 0; k--)
            if (1'(left >> entry((from + k) % LENGTH))) following = PLACE_W'((from + k) % LENGTH);
    endfunction

    // The turns at both sides.
    logic [PLACE_W-1:0] in_q, out_q;
    wire [N-1:0] fire   = s_axis_tvalid & s_axis_tready;
    wire         m_fire = m_axis_tvalid && m_axis_tready;
    wire         turn   = 32'(entry(int'(in_q))) == 32'(which);
    wire         mine   = 32'(entry(int'(out_q))) == 32'(which);

    always_ff @(posedge aclk) begin
        if ((fire & s_axis_tlast) != '0) in_q <= following(alive, (int'(in_q) + 1) % LENGTH);
        if (m_fire && m_axis_tlast) out_q <= following(alive, (int'(out_q) + 1) % LENGTH);
        if (!aresetn) begin
            in_q  <= following(alive, 0);
            out_q <= following(alive, 0);
        end
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_sink #(.DATA_W(BEAT_W), .STALL(STALL), .WITHIN(NUM_W > 0 ? -1 : STALL + int'(CUT == 4))) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0 && mine),
        .tdata({m_axis_tlast, m_axis_tuser, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    always_comb if (aresetn) one_ready: assert ((s_axis_tready & (s_axis_tready - 1'b1)) == '0);

    generate
        if (NUM_W == 0) begin : g_track
            formal_source #(.DATA_W(1), .WITHIN(LENGTH + STALL + 2)) u_source (
                .aclk(aclk), .aresetn(aresetn), .fair(turn), .tdata(1'b0),
                .tvalid(s_axis_tvalid[which]), .tready(s_axis_tready[which])
            );
            formal_track #(.UNIT(BEAT_W), .CAPACITY(CAPACITY)) u_track (
                .aclk(aclk), .aresetn(aresetn),
                .in_data({s_axis_tlast[which], USER_W'(s_axis_tuser >> (32'(which) * USER_W)),
                          DATA_W'(s_axis_tdata >> (32'(which) * DATA_W))}),
                .in_units(1'b1), .in_fire(fire[which]),
                .out_data({m_axis_tlast, m_axis_tuser, m_axis_tdata}), .out_units(1'b1),
                .out_valid(m_axis_tvalid && mine), .out_fire(m_fire && mine), .held(held)
            );
        end else begin : g_number
            // A frame has BEATS beats with its number as data and no taint.
            localparam int COUNT_W = $clog2(BEATS + 1);
            logic [NUM_W-1:0]   expected_q;
            logic [COUNT_W-1:0] beat_q;
            logic               taint_q, wrong_q;
            assign held = '0;
            for (genvar i = 0; i < N; i++) begin : g_input
                logic [COUNT_W-1:0] left_q;
                logic [NUM_W-1:0]   number_q;
                wire  [NUM_W-1:0]   number = s_axis_tuser[i*USER_W+1 +: NUM_W];
                formal_source #(.DATA_W(BEAT_W), .POLITE(1), .QUIET(0)) u_source (
                    .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
                    .tdata({s_axis_tlast[i], s_axis_tuser[i*USER_W +: USER_W], s_axis_tdata[i*DATA_W +: DATA_W]}),
                    .tvalid(s_axis_tvalid[i]), .tready(s_axis_tready[i])
                );
                always_comb begin
                    assume (!s_axis_tuser[i*USER_W] && s_axis_tdata[i*DATA_W +: DATA_W] == DATA_W'(number));
                    assume (s_axis_tlast[i] == (32'(left_q) == BEATS - 1));
                    if (left_q != '0) assume (number == number_q);
                end
                always_ff @(posedge aclk) begin
                    if (fire[i]) begin
                        left_q   <= s_axis_tlast[i] ? '0 : left_q + 1'b1;
                        number_q <= number;
                    end
                    if (!aresetn) left_q <= '0;
                end
            end
            always_ff @(posedge aclk) begin
                if (m_fire) begin
                    beat_q  <= m_axis_tlast ? '0 : beat_q + 1'b1;
                    taint_q <= m_axis_tuser[0];
                    if (m_axis_tlast) expected_q <= expected_q + 1'b1;
                end
                wrong_q <= wrong_q || lost || stray;
                if (!aresetn) begin
                    beat_q     <= '0;
                    expected_q <= '0;
                    wrong_q    <= 1'b0;
                end
            end
            always_comb if (aresetn) begin
                if (m_axis_tvalid) begin
                    consecutive: assert (m_axis_tuser[USER_W-1:1] == expected_q);
                    right:       assert (m_axis_tdata == (m_axis_tuser[0] ? '0 : DATA_W'(expected_q)));
                    whole:       assert (m_axis_tlast == (32'(beat_q) == BEATS - 1));
                    if (beat_q != '0) one_frame: assert (m_axis_tuser[0] == taint_q);
                    if (m_axis_tuser[0]) reported: assert (error_number);
                end
                if (lost || stray || wrong_q) sticky: assert (error_number);
                after_a_loss: cover (wrong_q && m_fire && !m_axis_tuser[0] && expected_q == '0);
            end
        end
    endgenerate

endmodule

`default_nettype wire
