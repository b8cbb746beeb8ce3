// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_fifo_cdc - the proof of axis_fifo_cdc, for all orders of the edges of its two clocks.
//
// A step is an edge of one clock or of both (formal/ticks.v); aclk is 1 in every step. The first flops of the
// synchronisers are cut out: each of their bits takes the new value of what crosses or, when that changed in the
// step before, still the old one. That is metastability and skew of up to a step, bit by bit.
//   one_bit       a Gray pointer changes at most one bit an edge, or jumps while m_stop says that nobody looks
//   order         as in formal_track, with a position in each clock's count of beats
//   stopped       nothing enters or leaves while m_stop is high
//   after_reset   RESETS = 1: either side is reset at any time. What enters between that and the clearing may be
//                 lost; from the clearing on all of the above holds
//   progress      FAIR > 0: each clock has an edge at least every FAIR steps; then a beat passes in WITHIN steps
`default_nettype none

module formal_axis_fifo_cdc #(
    parameter int DATA_W      = 1,
    parameter int DEPTH       = 4,
    parameter int SYNC_STAGES = 2,
    parameter bit RESETS      = 0,
    parameter int FAIR        = 0,
    parameter int WITHIN      = 40
) (
    input wire              aclk,
    input wire              s_axis_aclk,
    input wire              s_axis_aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire              m_axis_aclk,
    input wire              m_axis_aresetn,
    input wire              m_axis_tready
);

    localparam int PTR_W   = $clog2(DEPTH) + 1;
    localparam int S_CROSS_W = PTR_W + 1;
    localparam int M_CROSS_W = PTR_W + 2;
    localparam int LEVEL_W = $clog2(DEPTH + 2);
    // More than are ever inside: DEPTH, one in the output register, and the same again behind the synchronisers.
    localparam int COUNT_W = $clog2(DEPTH) + 2;

    wire               s_axis_tready, m_axis_tvalid;
    wire [DATA_W-1:0]  m_axis_tdata;
    wire [LEVEL_W-1:0] s_level, m_level;

    axis_fifo_cdc #(.DATA_W(DATA_W), .DEPTH(DEPTH), .SYNC_STAGES(SYNC_STAGES)) u_dut (
        .s_axis_aclk(s_axis_aclk), .s_axis_aresetn(s_axis_aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .s_level(s_level),
        .m_axis_aclk(m_axis_aclk), .m_axis_aresetn(m_axis_aresetn),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_level(m_level)
    );

    // formal.toml connects these to signals of the block, and the first flops of the synchronisers to ours.
    wire [S_CROSS_W-1:0] s_cross;
    wire [M_CROSS_W-1:0] m_cross;
    wire                 m_stop = m_cross[PTR_W+1];
    wire                 s_seen_stop;
    logic                started_q;

    always_comb assume (aclk);
    always_comb if (!RESETS) assume (s_axis_aresetn && m_axis_aresetn);

    // ---- metastability
    (* anyseq *) logic [M_CROSS_W-1:0] s_late;
    (* anyseq *) logic [S_CROSS_W-1:0] m_late;
    logic [S_CROSS_W-1:0] s_before_q, m_meta_q;
    logic [M_CROSS_W-1:0] m_before_q, s_meta_q;

    initial begin
        s_before_q = '0;
        m_before_q = M_CROSS_W'(1) << PTR_W;
        s_meta_q   = '0;
        m_meta_q   = '0;
        started_q  = 1'b0;
    end
    always_ff @(posedge aclk) begin
        s_before_q <= s_cross;
        m_before_q <= m_cross;
        started_q  <= 1'b1;
    end
    always_ff @(posedge s_axis_aclk) s_meta_q <= (m_cross & ~s_late) | (m_before_q & s_late);
    always_ff @(posedge m_axis_aclk) m_meta_q <= (s_cross & ~m_late) | (s_before_q & m_late);

    function automatic logic one(input logic [PTR_W-1:0] changed);
        one = (changed & (changed - 1'b1)) == '0;
    endfunction

    always_comb if (started_q && !m_stop) begin
        s_one_bit: assert (one(s_cross[PTR_W-1:0] ^ s_before_q[PTR_W-1:0]));
        m_one_bit: assert (one(m_cross[PTR_W-1:0] ^ m_before_q[PTR_W-1:0]));
    end

    // ---- epochs: what enters between a reset and the clearing is lost; while m_stop is high nothing enters or leaves
    logic lost_q;

    // A reset of the reading side that came too late for this clearing asks for another one.
    wire cleared     = (m_stop || (s_seen_stop && !s_cross[PTR_W])) && !m_cross[PTR_W];
    wire event_reset = (s_axis_aclk && !s_axis_aresetn) || (m_axis_aclk && !m_axis_aresetn);

    initial lost_q = 1'b1;
    always_ff @(posedge aclk) begin
        if (event_reset)  lost_q <= 1'b1;
        else if (cleared) lost_q <= 1'b0;
    end

    always_comb if (m_stop) stopped: assert (!s_axis_tready && !m_axis_tvalid);

    // ---- order
    (* anyseq *)   logic choose;
    (* anyconst *) logic [$clog2(DATA_W+1)-1:0] place;
    logic [COUNT_W-1:0] in_q, out_q, at_q;
    logic               following_q, value_q, waiting_q, bit_q;

    wire s_fire = s_axis_aclk && s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_aclk && m_axis_tvalid && m_axis_tready;
    wire [COUNT_W-1:0] held = in_q - out_q;
    wire here = following_q && at_q == out_q;

    always_comb assume (32'(place) < DATA_W);
    always_ff @(posedge aclk) begin
        if (s_fire) in_q  <= in_q + 1'b1;
        if (m_fire) out_q <= out_q + 1'b1;
        if (choose && s_fire && !following_q) begin
            following_q <= 1'b1;
            value_q     <= s_axis_tdata[place];
            at_q        <= in_q;
        end else if (m_fire && here) begin
            following_q <= 1'b0;
        end
        waiting_q <= m_axis_tvalid && !(m_axis_aclk && m_axis_tready);
        bit_q     <= m_axis_tdata[place];
        if (lost_q || event_reset) begin
            in_q        <= '0;
            out_q       <= '0;
            following_q <= 1'b0;
            waiting_q   <= 1'b0;
        end
    end

    always_comb if (!lost_q) begin
        level: assert (32'(held) <= DEPTH + 1);
        if (m_axis_tvalid) origin: assert (held != '0);
        if (m_axis_tvalid && here) order: assert (m_axis_tdata[place] == value_q);
        if (waiting_q) begin
            stable_valid: assert (m_axis_tvalid);
            stable_data:  assert (m_axis_tdata[place] == bit_q);
        end
        // The writer never promises more room than there is, the reader never more beats.
        s_room: assert (32'(s_level) + 1 >= 32'(held));
        m_room: assert (32'(m_level) <= 32'(held));
        followed: cover (m_fire && here && held == COUNT_W'(DEPTH));
    end

    // ---- progress
    generate
        if (FAIR > 0) begin : g_fair
            logic [$clog2(FAIR+1)-1:0]   s_idle_q, m_idle_q;
            logic [$clog2(WITHIN+2)-1:0] in_waited_q, out_waited_q;

            initial begin
                s_idle_q     = '0;
                m_idle_q     = '0;
                in_waited_q  = '0;
                out_waited_q = '0;
            end
            always_ff @(posedge aclk) begin
                s_idle_q     <= s_axis_aclk ? '0 : s_idle_q + 1'b1;
                m_idle_q     <= m_axis_aclk ? '0 : m_idle_q + 1'b1;
                in_waited_q  <= event_reset || s_axis_tready ? '0 : in_waited_q + 1'b1;
                out_waited_q <= lost_q || event_reset || held == '0 || m_fire ? '0 : out_waited_q + 1'b1;
            end
            always_comb begin
                if (32'(s_idle_q) == FAIR - 1) assume (s_axis_aclk);
                if (32'(m_idle_q) == FAIR - 1) assume (m_axis_aclk);
                assume (m_axis_tready);
                if (!event_reset && !s_axis_tready) progress_in: assert (32'(in_waited_q) < WITHIN);
                if (!lost_q && held != '0 && !m_fire) progress_out: assert (32'(out_waited_q) < WITHIN);
            end
        end
    endgenerate

endmodule

`default_nettype wire
