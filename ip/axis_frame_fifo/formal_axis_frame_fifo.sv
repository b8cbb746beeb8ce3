// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_fifo - the proof of axis_frame_fifo, whatever frames come and whatever their marks say.
//
// A model counts: `whole` beats in the memory that may leave, `part` beats of the frame under way, those in the output
// registers. It says of every beat whether it is kept, and of every frame whether it is good, bad or does not fit.
// An arbitrary bit of an arbitrary beat that is kept is followed to its place at the output. Asserted:
//   offered   a beat is on offer exactly when one that may leave has arrived at the output
//   accepted  tready is what it has to be in every cycle: a place is free, or beats are never refused
//   order     the bit followed leaves at its place; one of a frame that is forgotten is not there any more
//   whole     a beat leaves only when its frame is whole, or has to be let through; ON_FULL 0, 1, 2
//   torn      once a frame has begun to leave a beat is on offer until its last one has left; ON_FULL 1, 2
//   pulses, levels  are those of the model
`default_nettype none

module formal_axis_frame_fifo #(
    parameter int DATA_W   = 8,
    parameter int USER_W   = 1,
    parameter int DEPTH    = 4,
    parameter int STORE     = 0,
    parameter bit OUT_REG  = 0,
    parameter int ON_FULL  = 2,
    parameter bit DROP_BAD = 0,
    parameter logic [USER_W-1:0] BAD_VALUE = '1,
    parameter logic [USER_W-1:0] BAD_MASK  = '1,
    parameter int STALL    = 2
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [DATA_W-1:0]   s_axis_tdata,
    input wire [DATA_W/8-1:0] s_axis_tkeep,
    input wire                s_axis_tlast,
    input wire [USER_W-1:0]   s_axis_tuser,
    input wire                s_axis_tvalid,
    input wire                m_axis_tready
);

    localparam int PASS     = 0;
    localparam int OVERSIZE = 1;
    localparam int DROP     = 2;
    localparam int CUT      = 3;
    localparam bit WAITS    = ON_FULL == PASS || ON_FULL == OVERSIZE;
    localparam bit TWO      = STORE == 4 || (STORE == 3 && OUT_REG);
    localparam int LEVEL_W  = $clog2(DEPTH + 3);
    localparam int BEAT_W   = DATA_W + DATA_W / 8 + 1 + USER_W;
    localparam logic [LEVEL_W-1:0] MOST = LEVEL_W'(DEPTH);

    wire                s_axis_tready, m_axis_tvalid, m_axis_tlast, good_frame, bad_frame, overflow;
    wire [DATA_W-1:0]   m_axis_tdata;
    wire [DATA_W/8-1:0] m_axis_tkeep;
    wire [USER_W-1:0]   m_axis_tuser;
    wire [LEVEL_W-1:0]  level, level_whole;

    axis_frame_fifo #(
        .DATA_W(DATA_W), .USER_W(USER_W), .DEPTH(DEPTH), .STORE(STORE), .OUT_REG(OUT_REG), .ON_FULL(ON_FULL),
        .DROP_BAD(DROP_BAD), .BAD_VALUE(BAD_VALUE), .BAD_MASK(BAD_MASK)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tlast(s_axis_tlast),
        .s_axis_tuser(s_axis_tuser), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast),
        .m_axis_tuser(m_axis_tuser), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .good_frame(good_frame), .bad_frame(bad_frame), .overflow(overflow), .level(level), .level_whole(level_whole)
    );

    // The model.
    logic [LEVEL_W-1:0] whole_q, part_q;
    logic               up_q, first_q, second_q, skip_q, through_q, good_q, bad_q, over_q;

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_tvalid && m_axis_tready;
    wire free_2 = !second_q || m_axis_tready;
    wire free_1 = TWO ? !first_q || free_2 : free_2;
    wire pop    = whole_q != '0 && free_1;
    wire [LEVEL_W-1:0] used    = whole_q + part_q;
    wire [LEVEL_W-1:0] outside = LEVEL_W'(first_q) + LEVEL_W'(second_q);

    wire beat   = s_fire && !skip_q;
    wire filled = used == MOST;
    wire fills  = used == MOST - 1'b1;
    wire alone  = fills && whole_q == '0;   // the frame under way has all the memory
    wire over   = ON_FULL == DROP ? filled :
                  ON_FULL == CUT ? filled || (fills && !s_axis_tlast) :
                  ON_FULL == OVERSIZE && alone && !s_axis_tlast;
    wire spoilt = DROP_BAD && s_axis_tlast && (s_axis_tuser & BAD_MASK) == (BAD_VALUE & BAD_MASK);
    wire keeps  = beat && (ON_FULL == CUT ? !filled : !over && !spoilt);
    wire forget = beat && ON_FULL != CUT && (over || spoilt);
    wire let_go = keeps && (s_axis_tlast || ON_FULL == CUT || (ON_FULL == PASS && (through_q || alone)));
    wire cut    = ON_FULL == CUT && over;

    always_ff @(posedge aclk) begin
        up_q      <= aresetn;
        whole_q   <= whole_q - LEVEL_W'(pop) + (let_go ? part_q + 1'b1 : '0);
        part_q    <= let_go || forget ? '0 : part_q + LEVEL_W'(keeps);
        if (s_fire) skip_q <= !s_axis_tlast && (skip_q || over);
        if (keeps) through_q <= let_go && !s_axis_tlast;
        if (free_1) first_q <= TWO && pop;
        if (free_2) second_q <= TWO ? first_q : pop;
        good_q    <= beat && s_axis_tlast && !over && !spoilt;
        bad_q     <= beat && spoilt && !over;
        over_q    <= beat && over;
        if (!aresetn) begin
            whole_q   <= '0;
            part_q    <= '0;
            skip_q    <= 1'b0;
            through_q <= 1'b0;
            first_q   <= 1'b0;
            second_q  <= 1'b0;
            good_q    <= 1'b0;
            bad_q     <= 1'b0;
            over_q    <= 1'b0;
        end
    end

    // The beat that is followed.
    (* anyseq *)   logic                      choose;
    (* anyconst *) logic [$clog2(BEAT_W)-1:0] place;

    logic [LEVEL_W-1:0] ahead_q;
    logic               following_q, fresh_q, value_q, begun_q;

    wire [BEAT_W-1:0] s_beat = {
        cut ? (s_axis_tuser & ~BAD_MASK) | (BAD_VALUE & BAD_MASK) : s_axis_tuser,
        s_axis_tlast || cut, s_axis_tkeep, s_axis_tdata
    };
    wire [BEAT_W-1:0] m_beat = {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata};
    wire              start  = choose && keeps && !following_q;
    wire              here   = following_q && ahead_q == '0;

    always_comb assume (32'(place) < BEAT_W);

    always_ff @(posedge aclk) begin
        following_q <= (following_q && !(here && m_fire) && !(fresh_q && forget)) || start;
        fresh_q     <= (start || fresh_q) && !let_go;
        ahead_q     <= (start ? used + outside : ahead_q) - LEVEL_W'(m_fire);
        if (start) value_q <= s_beat[place];
        if (m_fire) begun_q <= !m_axis_tlast;
        if (!aresetn) begin
            following_q <= 1'b0;
            begun_q     <= 1'b0;
        end
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(.DATA_W(BEAT_W), .WITHIN(STALL + 3)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata({s_axis_tuser, s_axis_tlast, s_axis_tkeep, s_axis_tdata}), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    formal_sink #(.DATA_W(BEAT_W), .STALL(STALL), .WITHIN(STALL + 2)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(whole_q + outside != '0),
        .tdata(m_beat), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    always_comb if (aresetn) begin
        offered:  assert (m_axis_tvalid == second_q);
        accepted: assert (s_axis_tready == (up_q && (!WAITS || !filled)));
        room:     assert (used <= MOST);
        if (here && m_axis_tvalid) begin
            order: assert (m_beat[place] == value_q);
        end
        pulses: assert (good_frame == good_q && bad_frame == bad_q && overflow == over_q);
        levels: assert (level == used + outside && level_whole == whole_q + outside);
    end

    generate
        if (ON_FULL != CUT) begin : g_whole
            always_comb if (aresetn && here && m_axis_tvalid) whole: assert (!fresh_q);
        end
        if (ON_FULL == OVERSIZE || ON_FULL == DROP) begin : g_torn
            always_comb if (aresetn && begun_q) torn: assert (m_axis_tvalid);
        end
    endgenerate

    // The proof is not empty: the beat followed has left, and the memory was full when a frame did not fit.
    always_comb if (aresetn) begin
        followed:  cover (here && m_fire);
        exhausted: cover (filled);
        if (ON_FULL != PASS) too_much: cover (over_q);
        if (DROP_BAD) refused: cover (bad_q);
    end

endmodule

`default_nettype wire
