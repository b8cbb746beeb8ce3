// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_session - sessions and answers of the receiving end of docs/vnx.md; part of vnx_receiver.
//
// vnx_match says what came; here are the numbers of the session that is open, of the one that is offered and of the next one,
// of the packet that is expected, and of the newest transmission. An ACK also says which slots are had of packets that came
// before one that is missing. Answers are packets of one beat; of each kind one waits at most, a newer one in its place.
// An ACK alternates with the others; these go in the order WELCOME, REFUSE, RESTART. With `drain` no answer is begun,
// `drained` says that none is offered.
//
// link_aresetn resets all but the number of the next session, which has only an initial value; a number that was offered is
// not offered again. aresetn clears session_tx and
// session_rx, which the host reads after the session, too; link_aresetn must be low while it is.
//
// Throughput  an answer in two cycles
// Latency     2 or 3 cycles from what vnx_match says to an answer
// Paths       from drain to drained; all other outputs are flops but what is constant in an answer, acks, naks and restarts
// Resources   about 280 LUT and 550 FF with 64 slots
//
// Parameters: FRAME_BYTES   the receiver's own, for REFUSE; so are the others but the last three
//             PACKET_BEATS  likewise
//             LINK          number of the boundary
//             CONTRACT      likewise
//             PACKING       likewise
//             ROLE          likewise
//             ELEMENT       likewise
//             SHAPE         likewise
//             SLOTS         packets in the buffer, a power of two, 4 to 256
//             ACK_EVERY     packets, or slots freed, for an ACK, 1 to SLOTS
//             ACK_CYCLES    until a change is acknowledged in any case, 2 or more
// Checked by: test_vnx_receiver.py
`default_nettype none

module vnx_session #(
    parameter int          FRAME_BYTES  = 64,
    parameter int          PACKET_BEATS = 23,
    parameter logic [15:0] LINK         = 16'd1,
    parameter logic [63:0] CONTRACT     = 64'd0,
    parameter logic [7:0]  PACKING      = 8'd0,
    parameter logic [7:0]  ROLE         = 8'd0,
    parameter logic [31:0] ELEMENT      = 32'd0,
    parameter logic [31:0] SHAPE        = 32'd0,
    parameter int          SLOTS        = 32,
    parameter int          ACK_EVERY    = 4,
    parameter int          ACK_CYCLES   = 256
) (
    input  wire          aclk,
    input  wire          aresetn,
    input  wire          link_aresetn,
    input  wire          drain,
    output logic         drained,

    // ---- of vnx_match, in the cycle of a packet's last beat
    input  wire          open,
    input  wire          refuse,
    input  wire  [15:0]  net_tx,
    input  wire  [7:0]   net_version,       // of the HELLO that is refused

    // ---- of vnx_match, a cycle later
    input  wire          stored,
    input  wire          opened,
    input  wire          about,
    input  wire          offer,
    input  wire          restart,
    input  wire          asks,              // a PROBE came, after all that came before it was taken
    input  wire  [31:0]  asks_seq,
    output logic         asks_next,         // it is about the packet that is expected
    input  wire  [31:0]  seq,
    input  wire  [31:0]  sent_turn,
    input  wire  [15:0]  said_tx,
    input  wire  [15:0]  said_rx,

    // ---- of the buffer
    input  wire          advance,           // a packet is taken
    input  wire          took,              // was, in the cycle before
    input  wire          took_eof,
    input  wire          freed,
    input  wire  [SLOTS-1:0] have,          // slots with packets that are not taken yet
    input  wire          settled,           // the next packet in the order is not one of them

    // ---- to vnx_match
    output logic         session,
    output logic         offered,
    output logic [15:0]  session_tx,
    output logic [15:0]  session_rx,
    output logic [15:0]  offered_tx,
    output logic [15:0]  next_rx,
    output logic [31:0]  expected,
    output logic [31:0]  limit,             // first number that has no slot

    // ---- from and to the registers
    input  wire          clear,
    input  wire  [9:0]   refused_fields,
    output logic         is_gap,            // pulses: a packet came, and one before it is missing
    output logic         is_ack,
    output logic         is_nak,
    output logic         is_restart,

    output logic [511:0] m_net_axis_tdata,
    output logic [63:0]  m_net_axis_tkeep,
    output logic         m_net_axis_tlast,
    output logic         m_net_axis_tvalid,
    input  wire          m_net_axis_tready
);

    generate
        if (SLOTS < 4 || SLOTS > 256 || (SLOTS & (SLOTS - 1)) != 0) begin : g_check_slots
            SLOTS_must_be_a_power_of_two_from_4_to_256 parameter_error();
        end
        if (ACK_EVERY < 1 || ACK_EVERY > SLOTS) begin : g_check_ack_every
            ACK_EVERY_must_be_1_to_SLOTS parameter_error();
        end
        if (ACK_CYCLES < 2) begin : g_check_ack_cycles
            ACK_CYCLES_must_be_at_least_2 parameter_error();
        end
    endgenerate

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int HEADER_BYTES = 32;
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_NAK = 30;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
    localparam int BIT_BYTES = 80;
    localparam int BITS_BYTES = 16;
    localparam int BIT_SEQ = 96;
    localparam int BITS_SEQ = 32;
    localparam int BIT_FRAME = 128;
    localparam int BITS_FRAME = 32;
    localparam int BIT_TX_EPOCH = 160;
    localparam int BITS_TX_EPOCH = 16;
    localparam int BIT_RX_EPOCH = 176;
    localparam int BITS_RX_EPOCH = 16;
    localparam int BIT_TURN = 192;
    localparam int BITS_TURN = 32;
    localparam int BIT_CONTRACT = 256;
    localparam int BITS_CONTRACT = 64;
    localparam int BIT_FRAME_BYTES = 320;
    localparam int BITS_FRAME_BYTES = 32;
    localparam int BIT_PACKET_BEATS = 352;
    localparam int BITS_PACKET_BEATS = 16;
    localparam int BIT_PACKING = 368;
    localparam int BITS_PACKING = 8;
    localparam int BIT_ROLE = 376;
    localparam int BITS_ROLE = 8;
    localparam int BIT_ELEMENT = 384;
    localparam int BITS_ELEMENT = 32;
    localparam int BIT_SHAPE = 416;
    localparam int BITS_SHAPE = 32;
    localparam int BIT_SLOTS = 448;
    localparam int BITS_SLOTS = 8;
    localparam int BIT_HAVE = 256;
    localparam logic [3:0] KIND_WELCOME = 4'd8;
    localparam logic [3:0] KIND_ACK = 4'd9;
    localparam logic [3:0] KIND_REFUSE = 4'd10;
    localparam logic [3:0] KIND_RESTART = 4'd11;

    localparam int SLOT_W  = $clog2(SLOTS);
    localparam int EVERY_W = ACK_EVERY > 1 ? $clog2(ACK_EVERY) : 1;
    localparam int TIMER_W = $clog2(ACK_CYCLES);

    // The session, the one that is offered, and the number that the next one gets, which no reset clears.
    logic                     session_q, offered_q;
    logic [BITS_TX_EPOCH-1:0] tx_q, offered_tx_q;
    logic [BITS_RX_EPOCH-1:0] rx_q, next_rx_q;
    logic [BITS_SEQ-1:0]      expected_q, beyond_q, limit_q;  // number of the next packet, the one after it, see `frame` of ACK
    initial next_rx_q = 'd1;

    // A gap, and what is missing before a PROBE, are decided another cycle later.
    logic [BITS_SEQ-1:0]  newest_q;  // number behind the highest that has come in the session
    logic [BITS_TURN-1:0] turn_q;    // newest transmission that has
    logic                 gap_q, probed_q, miss_q;
    wire [BITS_SEQ-1:0]   newest = opened ? '0 : newest_q;
    wire [BITS_SEQ-1:0]   beyond = seq - newest;
    wire [BITS_TURN-1:0]  later  = sent_turn - turn_q;
    wire                  lacks  = gap_q || miss_q;
    // Some bits of two numbers to a LUT, and an addition joins them.
    wire [32:0]           off_seq    = 33'(asks_seq ^ expected_q);
    wire [31:0]           off_newest = seq ^ newest;
    logic [10:0]          same_seq;
    logic [15:0]          same_newest;
    wire                  is_newest  = 1'((17'(same_newest) + 17'd1) >> 16);
    always_comb begin
        for (int g = 0; g < 11; g++) same_seq[g] = off_seq[3*g +: 3] == '0;
        for (int g = 0; g < 16; g++) same_newest[g] = off_newest[2*g +: 2] == '0;
    end

    // ---- answers -------------------------------------------------------------------------------------

    logic                     ack_q, nak_q, welcome_q, refuse_q, restart_q, acked_q, changed_q;
    logic [BITS_TX_EPOCH-1:0] refused_tx_q, restart_tx_q;
    logic [BITS_RX_EPOCH-1:0] restart_rx_q;
    logic [BITS_VERSION-1:0]  refused_version_q;
    logic [EVERY_W-1:0]       stored_q, taken_q, freed_q;
    logic [TIMER_W-1:0]       timer_q;

    // Whose turn it is, one of the four or none, is decided a cycle ahead.
    logic                     turn_ack_q, turn_welcome_q, turn_refuse_q, turn_restart_q;
    wire others   = welcome_q || refuse_q || restart_q;
    logic turn;  // any has it
    // A packet that has just come is about to be taken: an ACK waits for it, but not for one after the other.
    logic [2:0] held_q;
    wire settles  = turn_ack_q && !settled && held_q != '1;
    wire send     = turn && !settles && !drain && (!m_net_axis_tvalid || m_net_axis_tready);
    wire acks     = send && turn_ack_q;
    wire enough   = (took && (took_eof || taken_q == EVERY_W'(ACK_EVERY - 1))) || (freed && freed_q == EVERY_W'(ACK_EVERY - 1))
                    || (stored && stored_q == EVERY_W'(ACK_EVERY - 1))
                    || timer_q == TIMER_W'(ACK_CYCLES - 1);

    wire next_ack     = turn ? turn_ack_q && !send : ack_q && !(acked_q && others);
    wire next_welcome = turn ? turn_welcome_q && !send && !open : welcome_q && !open && !(ack_q && !acked_q);
    wire next_refuse  = turn ? turn_refuse_q && !send && !clear : refuse_q && !clear && !welcome_q && !(ack_q && !acked_q);
    wire next_restart = turn ? turn_restart_q && !send : restart_q && !welcome_q && !refuse_q && !(ack_q && !acked_q);

    // The answer that is offered; what it lacks is constant.
    logic [BITS_KIND-1:0]     out_kind_q;
    logic                     out_nak_q, out_self_q;
    logic [BITS_SEQ-1:0]      out_seq_q;
    logic [BITS_FRAME-1:0]    out_frame_q;
    logic [BITS_TX_EPOCH-1:0] out_tx_q;
    logic [BITS_RX_EPOCH-1:0] out_rx_q;
    logic [BITS_VERSION-1:0]  out_version_q;
    logic [BITS_TURN-1:0]     out_turn_q;
    logic [SLOTS-1:0]         out_have_q;

    always_ff @(posedge aclk) begin
        if (open) begin
            session_q  <= 1'b1;
            offered_q  <= 1'b0;
            tx_q       <= net_tx;
            rx_q       <= next_rx_q;
            expected_q <= '0;
            beyond_q   <= 'd1;
            limit_q    <= BITS_SEQ'(SLOTS);
        end else begin
            if (advance) expected_q <= beyond_q;
            if (advance) beyond_q   <= beyond_q + 1'b1;
            if (freed) limit_q   <= limit_q + 1'b1;
        end
        // What a sender sent when it had been offered a number may come behind the reset, after a HELLO that was repeated.
        if (open || (offered_q && !link_aresetn)) next_rx_q <= next_rx_q + 1'b1;
        if (offer) begin
            offered_q    <= 1'b1;
            offered_tx_q <= said_tx;
        end
        if (stored && !beyond[BITS_SEQ-1]) newest_q <= seq + 1'b1;
        else if (opened)                   newest_q <= '0;
        if (about && (opened || !later[BITS_TURN-1])) turn_q <= sent_turn;
        gap_q    <= stored && !beyond[BITS_SEQ-1] && !is_newest;
        miss_q   <= asks && !asks_next;
        probed_q <= asks;

        // An event in the cycle in which an answer leaves calls for another one.
        ack_q     <= lacks || probed_q || enough || (ack_q && !acks);
        nak_q     <= lacks || (nak_q && !acks);
        welcome_q <= offer || (welcome_q && !open && !(send && turn_welcome_q));
        refuse_q  <= refuse || (refuse_q && !clear && !(send && turn_refuse_q));
        restart_q <= restart || (restart_q && !(send && turn_restart_q));

        turn           <= next_ack || next_welcome || next_refuse || next_restart;
        turn_ack_q     <= next_ack;
        turn_welcome_q <= next_welcome;
        turn_refuse_q  <= next_refuse;
        turn_restart_q <= next_restart;

        if (!turn_ack_q)        held_q <= '0;
        else if (held_q != '1) held_q <= held_q + 1'b1;

        if (restart) {restart_tx_q, restart_rx_q} <= {said_tx, said_rx};
        if (refuse) {refused_tx_q, refused_version_q} <= {net_tx, net_version};

        changed_q <= stored || took || freed || (changed_q && !acks);
        timer_q   <= acks || !changed_q || ack_q ? '0 : timer_q + 1'b1;
        if (acks) stored_q <= '0;
        else if (stored) stored_q <= stored_q == EVERY_W'(ACK_EVERY - 1) ? '0 : stored_q + 1'b1;
        if (acks) taken_q <= '0;
        else if (took) taken_q <= taken_q == EVERY_W'(ACK_EVERY - 1) ? '0 : taken_q + 1'b1;
        if (acks) freed_q <= EVERY_W'(freed && ACK_EVERY > 1);
        else if (freed) freed_q <= freed_q == EVERY_W'(ACK_EVERY - 1) ? '0 : freed_q + 1'b1;

        m_net_axis_tvalid <= send || (m_net_axis_tvalid && !m_net_axis_tready);
        if (send) begin
            acked_q     <= turn_ack_q;
            out_nak_q   <= turn_ack_q && nak_q;
            out_self_q  <= turn_refuse_q;
            out_kind_q  <= turn_ack_q ? KIND_ACK : turn_welcome_q ? KIND_WELCOME : turn_refuse_q ? KIND_REFUSE : KIND_RESTART;
            out_seq_q   <= turn_ack_q ? expected_q : turn_refuse_q ? BITS_SEQ'(refused_fields) : '0;
            out_frame_q <= turn_ack_q ? limit_q : turn_welcome_q ? BITS_FRAME'(SLOTS) : '0;
            out_tx_q    <= turn_ack_q ? tx_q : turn_welcome_q ? offered_tx_q : turn_refuse_q ? refused_tx_q : restart_tx_q;
            out_version_q <= turn_refuse_q && !turn_ack_q && !turn_welcome_q ? refused_version_q : IS_VERSION;
            out_turn_q  <= turn_ack_q ? turn_q : '0;
            out_have_q  <= turn_ack_q ? have : '0;
            out_rx_q    <= turn_ack_q ? rx_q : turn_welcome_q ? next_rx_q : turn_refuse_q ? '0 : restart_rx_q;
        end

        // A cycle later, since a reset takes back what would leave in its first cycle.
        is_ack     <= acks;
        is_nak     <= acks && nak_q;
        is_restart <= send && turn_restart_q;

        if (!link_aresetn) begin
            is_ack            <= 1'b0;
            is_nak            <= 1'b0;
            is_restart        <= 1'b0;
            session_q         <= 1'b0;
            offered_q         <= 1'b0;
            expected_q        <= '0;
            beyond_q          <= 'd1;
            limit_q           <= BITS_SEQ'(SLOTS);
            newest_q          <= '0;
            gap_q             <= 1'b0;
            miss_q            <= 1'b0;
            probed_q          <= 1'b0;
            ack_q             <= 1'b0;
            nak_q             <= 1'b0;
            welcome_q         <= 1'b0;
            refuse_q          <= 1'b0;
            restart_q         <= 1'b0;
            changed_q         <= 1'b0;
            stored_q          <= '0;
            taken_q           <= '0;
            freed_q           <= '0;
            acked_q           <= 1'b0;
            turn_ack_q        <= 1'b0;
            turn_welcome_q    <= 1'b0;
            turn              <= 1'b0;
            turn_refuse_q     <= 1'b0;
            turn_restart_q    <= 1'b0;
            m_net_axis_tvalid <= 1'b0;
        end
        if (!aresetn) {tx_q, rx_q} <= '0;
    end
    assign session    = session_q;
    assign offered    = offered_q;
    assign session_tx = tx_q;
    assign session_rx = rx_q;
    assign offered_tx = offered_tx_q;
    assign next_rx    = next_rx_q;
    assign expected   = expected_q;
    assign limit      = limit_q;
    assign asks_next  = 1'((12'(same_seq) + 12'd1) >> 11);
    assign is_gap     = gap_q;

    assign drained          = drain && !m_net_axis_tvalid;
    assign m_net_axis_tkeep = '1;
    assign m_net_axis_tlast = 1'b1;
    always_comb begin
        m_net_axis_tdata = '0;
        m_net_axis_tdata[BIT_MAGIC +: BITS_MAGIC]       = IS_MAGIC;
        m_net_axis_tdata[BIT_VERSION +: BITS_VERSION]   = out_version_q;
        m_net_axis_tdata[BIT_KIND +: BITS_KIND]         = out_kind_q;
        m_net_axis_tdata[BIT_NAK]                       = out_nak_q;
        m_net_axis_tdata[BIT_LINK +: BITS_LINK]         = LINK;
        m_net_axis_tdata[BIT_BYTES +: BITS_BYTES]       = BITS_BYTES'(64 - HEADER_BYTES);
        m_net_axis_tdata[BIT_SEQ +: BITS_SEQ]           = out_seq_q;
        m_net_axis_tdata[BIT_FRAME +: BITS_FRAME]       = out_frame_q;
        m_net_axis_tdata[BIT_TX_EPOCH +: BITS_TX_EPOCH] = out_tx_q;
        m_net_axis_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH] = out_rx_q;
        m_net_axis_tdata[BIT_TURN +: BITS_TURN]         = out_turn_q;
        m_net_axis_tdata[BIT_HAVE +: SLOTS]             = out_have_q;
        if (out_self_q) begin
            m_net_axis_tdata[BIT_CONTRACT +: BITS_CONTRACT]         = CONTRACT;
            m_net_axis_tdata[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]   = BITS_FRAME_BYTES'(FRAME_BYTES);
            m_net_axis_tdata[BIT_PACKET_BEATS +: BITS_PACKET_BEATS] = BITS_PACKET_BEATS'(PACKET_BEATS);
            m_net_axis_tdata[BIT_PACKING +: BITS_PACKING]           = PACKING;
            m_net_axis_tdata[BIT_ROLE +: BITS_ROLE]                 = ROLE;
            m_net_axis_tdata[BIT_ELEMENT +: BITS_ELEMENT]           = ELEMENT;
            m_net_axis_tdata[BIT_SHAPE +: BITS_SHAPE]               = SHAPE;
            m_net_axis_tdata[BIT_SLOTS +: BITS_SLOTS]               = BITS_SLOTS'(SLOT_W);
        end
    end

endmodule

`default_nettype wire
