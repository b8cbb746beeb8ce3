// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_receiver - the proof of vnx_receiver around its buffer, whatever comes from the network.
//
// formal_vnx_unpack proves that frames are what packets carried that were taken, if they are taken as its assumptions say.
// Here these are asserted, and what may be stored; tx and rx, seq and the boundary of a packet are free.
//   stored    exactly the DATA of this boundary that is right, of the length that its own mark says, of this session or of the one that
//             is offered, with a number that has a slot, in which no packet is
//   written   whatever comes, a beat is written only to a slot in which no packet is kept, in order or not
//   opened    exactly by right DATA and PROBE of the session that was offered when they began, if no packet waits
//   named     the session that is opened has the numbers of the packet that opens it
//   buffer    the assumptions of formal_vnx_unpack
//   credit    the limit is the number expected and the slots that are free, less one that was freed in the last cycle
//   `told`    no answer names a limit that is below the number it names, or more than SLOTS above; `had`: the slots that it names are
//             of numbers from that one on and below the limit
//   epoch     the number of the next session changes by one, when one is opened or a reset takes back an offer, and by nothing else
//   shape     an answer is one full beat of a kind that receivers send; magic, boundary and zeros are in their places
//   quiet     after `drained` no answer is offered
//   l_*       lemmas: what the flops inside have to do with the first beat of the packet
`default_nettype none

module formal_vnx_receiver #(
    parameter int FRAME_BYTES  = 64,
    parameter int PACKET_BEATS = 2,
    parameter int SLOTS        = 4,
    parameter logic [15:0] LINK = 16'h1234,
    parameter int ACK_EVERY    = 2,
    parameter int ACK_CYCLES   = 4
) (
    input wire         aclk,
    input wire         aresetn,
    input wire         link_aresetn,
    input wire         drain,
    input wire [511:0] s_net_axis_tdata,
    input wire [63:0]  s_net_axis_tkeep,
    input wire         s_net_axis_tlast,
    input wire         s_net_axis_tuser,
    input wire         s_net_axis_tvalid,
    input wire         m_net_axis_tready,
    input wire         m_axis_tready
);

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_SOF = 28;
    localparam int BIT_EOF = 29;
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
    localparam int BIT_HAVE = 256;
    localparam logic [3:0] KIND_DATA = 4'd0;
    localparam logic [3:0] KIND_PROBE = 4'd2;
    localparam logic [3:0] KIND_ACK = 4'd9;
    localparam logic [3:0] KIND_REFUSE = 4'd10;
    localparam logic [3:0] KIND_RESTART = 4'd11;

    localparam int FULL_BYTES = 64 * PACKET_BEATS - 32;
    localparam int PACKETS    = (FRAME_BYTES + FULL_BYTES - 1) / FULL_BYTES;
    localparam int LAST_BYTES = FRAME_BYTES - (PACKETS - 1) * FULL_BYTES;
    localparam int LAST_KEEP  = (LAST_BYTES + 31) % 64 + 1;

    wire [511:0] m_net_axis_tdata, m_axis_tdata;
    wire [63:0]  m_net_axis_tkeep;
    wire         m_net_axis_tlast, m_net_axis_tvalid, m_axis_tvalid, drained, frame_done;
    wire [2:0]   error;

    vnx_receiver #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK),
        .ACK_EVERY(ACK_EVERY), .ACK_CYCLES(ACK_CYCLES)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axil_awaddr(7'd0), .s_axil_awprot(3'd0), .s_axil_awvalid(1'b0), .s_axil_awready(), .s_axil_wdata(32'd0),
        .s_axil_wstrb(4'd0), .s_axil_wvalid(1'b0), .s_axil_wready(), .s_axil_bresp(), .s_axil_bvalid(),
        .s_axil_bready(1'b0), .s_axil_araddr(7'd0), .s_axil_arprot(3'd0), .s_axil_arvalid(1'b0), .s_axil_arready(),
        .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b0),
        .drain(drain), .drained(drained),
        .s_net_axis_tdata(s_net_axis_tdata), .s_net_axis_tkeep(s_net_axis_tkeep), .s_net_axis_tlast(s_net_axis_tlast),
        .s_net_axis_tuser(s_net_axis_tuser), .s_net_axis_tvalid(s_net_axis_tvalid),
        .m_net_axis_tdata(m_net_axis_tdata), .m_net_axis_tkeep(m_net_axis_tkeep), .m_net_axis_tlast(m_net_axis_tlast),
        .m_net_axis_tvalid(m_net_axis_tvalid), .m_net_axis_tready(m_net_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axis_tuser(), .m_axis_taint(), .mark(), .mark_known(),
        .frame_done(frame_done), .error(error)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    always_comb if (!aresetn) assume (!link_aresetn);

    // Joined to what is inside by formal.toml.
    localparam int SLOT_W = $clog2(SLOTS);
    localparam int USED_W = $clog2(SLOTS + 1);
    wire        d_store, d_write, d_open, d_empty, d_empty_flop, d_advance, d_full_here, d_last_here, d_session, d_offered, d_freed;
    wire        d_row_any, d_here, d_quiet, d_settled, d_now_valid, d_now_last;
    wire [511:0] d_now_data;
    wire [(1 << (SLOT_W-SLOT_W/2))-1:0] d_row;
    wire [SLOT_W/2-1:0] d_low_more;
    wire        d_middle, d_sized, d_hits, d_begins, d_opens, d_writes, d_eof;
    wire [SLOTS-1:0]  d_have;
    wire [SLOT_W-1:0] d_slot, d_next;
    wire [$clog2(PACKET_BEATS)-1:0] d_at;
    wire [15:0] d_tx, d_rx, d_offered_tx, d_next_rx, d_said_tx;
    wire [31:0] d_expected, d_beyond, d_limit;
    wire [$clog2(SLOTS+1)-1:0] d_used;

    // ---- the beat of the cycle before, and what the buffer had then of the number in it
    logic [511:0] now_data_q;
    logic [63:0]  now_keep_q;
    logic         opened_q, now_last_q, now_user_q, now_valid_q, fits_q, had_q, store_q;
    logic [SLOT_W-1:0] slot_1_q;
    wire [31:0]   peek = s_net_axis_tdata[BIT_SEQ +: BITS_SEQ];
    always_ff @(posedge aclk) begin
        now_data_q  <= s_net_axis_tdata;
        now_keep_q  <= s_net_axis_tkeep;
        now_last_q  <= s_net_axis_tlast;
        now_user_q  <= s_net_axis_tuser;
        now_valid_q <= s_net_axis_tvalid && aresetn;
        fits_q      <= peek - d_expected < d_limit - d_expected;
        had_q       <= d_have[peek[SLOT_W-1:0]] && link_aresetn;
        store_q     <= d_store && link_aresetn;
        slot_1_q    <= d_slot;
    end

    // ---- the packet
    logic         within_q, void_q, cur_q, new_q;
    logic [255:0] head_q;
    wire          first = !within_q;
    wire [255:0]  head  = first ? now_data_q[255:0] : head_q;
    wire [3:0]    kind  = head[BIT_KIND +: BITS_KIND];
    wire          sof   = head[BIT_SOF], eof = head[BIT_EOF];
    wire [15:0]   bytes = head[BIT_BYTES +: BITS_BYTES];
    wire [31:0]   seq   = head[BIT_SEQ +: BITS_SEQ];
    wire          cur   = first ? d_session && head[BIT_TX_EPOCH +: BITS_TX_EPOCH] == d_tx && head[BIT_RX_EPOCH +: BITS_RX_EPOCH] == d_rx : cur_q;
    wire          fresh = first ? d_offered && head[BIT_TX_EPOCH +: BITS_TX_EPOCH] == d_offered_tx && head[BIT_RX_EPOCH +: BITS_RX_EPOCH] == d_next_rx : new_q;
    wire          right = now_valid_q && now_last_q && now_user_q && !void_q && head[BIT_LINK +: BITS_LINK] == LINK;
    wire          full_end = d_full_here && now_keep_q[63];
    wire          last_end = d_last_here && now_keep_q[LAST_KEEP-1] && (LAST_KEEP == 64 || !now_keep_q[LAST_KEEP%64]);
    wire          sized = bytes == (eof ? 16'(LAST_BYTES) : 16'(FULL_BYTES));
    wire          ends  = eof ? last_end : full_end;
    // Before it began: whether its number has a slot, in this session or as one of the first of another one.
    logic         slot_q, early_q;
    wire [31:0]   ahead   = seq - d_expected;
    wire          vacant  = !(store_q && slot_1_q == seq[SLOT_W-1:0]) && (opened_q || !had_q);
    wire          slotted = first ? vacant && (opened_q ? seq < SLOTS : fits_q) : slot_q;
    wire          early   = first ? vacant && seq < SLOTS && d_empty : early_q;
    wire          piece   = kind == KIND_DATA && sized;
    wire          stores  = right && ends && piece && ((cur && slotted) || (fresh && early && d_empty));
    // Slots in which packets are, in order or not.
    wire [SLOT_W-1:0] place = d_slot - (d_next - SLOT_W'(d_used));
    wire          filled  = d_have[d_slot] || USED_W'(place) < d_used;
    wire          opens = right && fresh && d_empty && (kind == KIND_PROBE ? first && now_keep_q[63] : kind == KIND_DATA && sized && ends);

    logic        open_q, started_q, quiet_q, taken_back_q;
    logic [15:0] named_q;
    logic [15:0] next_q;

    always_ff @(posedge aclk) begin
        if (now_valid_q) within_q <= !now_last_q;
        if (now_valid_q && first) begin
            head_q <= now_data_q[255:0];
            cur_q  <= cur;
            new_q  <= fresh;
            slot_q  <= slotted;
            early_q <= early;
        end
        if (!link_aresetn) void_q <= now_valid_q ? !now_last_q : within_q;
        else if (now_valid_q && now_last_q) void_q <= 1'b0;
        next_q    <= d_next_rx;
        open_q    <= d_open;
        taken_back_q <= d_offered && !link_aresetn;
        opened_q  <= d_open && link_aresetn;
        named_q   <= head[BIT_TX_EPOCH +: BITS_TX_EPOCH];
        started_q <= 1'b1;
        quiet_q   <= drain && drained;
        if (!aresetn) begin
            within_q <= 1'b0;
            void_q   <= 1'b0;
            quiet_q  <= 1'b0;
        end
    end
    initial started_q = 1'b0;

    // Slots of an answer, and of the buffer, that are those of no number that may be there.
    logic misnamed, astray;
    logic [SLOT_W-1:0] from_said, from_next;
    always_comb begin
        misnamed = 1'b0;
        astray   = 1'b0;
        for (int s = 0; s < SLOTS; s++) begin
            from_said = SLOT_W'(s) - m_net_axis_tdata[BIT_SEQ +: SLOT_W];
            from_next = SLOT_W'(s) - d_next;
            if (m_net_axis_tdata[BIT_HAVE + s] && 32'(from_said)
                >= m_net_axis_tdata[BIT_FRAME +: BITS_FRAME] - m_net_axis_tdata[BIT_SEQ +: BITS_SEQ]) misnamed = 1'b1;
            if (d_have[s] && 32'(from_next) >= SLOTS - 32'(d_used)) astray = 1'b1;
        end
    end

    // While a packet has the beats that the buffer counts: a slot is not longer than a full packet.
    always_comb if (link_aresetn) begin
        stored: assert (d_store == stores && (!d_store || (d_write && d_slot == seq[SLOT_W-1:0])));
        opened: assert (d_open == opens);
        written: assert (!(now_valid_q && d_write) || !filled);
        buffer: assert ((!d_open || d_empty) && (!d_store || (now_valid_q && now_last_q && (eof ? d_last_here : d_full_here))));
        credit: assert (d_limit + 32'(d_freed) == d_expected + 32'(SLOTS) - 32'(d_used));
        told:   assert (!m_net_axis_tvalid || m_net_axis_tdata[BIT_KIND +: BITS_KIND] != KIND_ACK
                        || m_net_axis_tdata[BIT_FRAME +: BITS_FRAME] - m_net_axis_tdata[BIT_SEQ +: BITS_SEQ] <= 32'(SLOTS));
        had:    assert (!m_net_axis_tvalid || m_net_axis_tdata[BIT_KIND +: BITS_KIND] != KIND_ACK || !misnamed);
        shape:  assert (!m_net_axis_tvalid || (m_net_axis_tlast && m_net_axis_tkeep == '1 && m_net_axis_tdata[15:0] == IS_MAGIC
                        && (m_net_axis_tdata[23:16] == IS_VERSION || m_net_axis_tdata[BIT_KIND +: BITS_KIND] == KIND_REFUSE)
                        && m_net_axis_tdata[BIT_KIND+2 +: 2] == 2'b10 && m_net_axis_tdata[63:28] == (36'(m_net_axis_tdata[BIT_NAK]) << 2)
                        && m_net_axis_tdata[BIT_LINK +: BITS_LINK] == LINK && m_net_axis_tdata[BIT_BYTES +: BITS_BYTES] == 16'd32));
        named:  assert (!opened_q || (d_session && d_tx == named_q && d_rx == next_q));
        quiet:  assert (!quiet_q || !drain || !m_net_axis_tvalid);
        l_used: assert (d_empty_flop == (d_used == '0) && 32'(d_used) <= SLOTS && d_beyond == d_expected + 32'd1
                        && d_next == d_expected[SLOT_W-1:0] && d_low_more == (SLOT_W/2)'(d_next + 1'b1));
        l_have: assert (!astray);
        l_row: assert (!(d_row_any && d_row[d_next[SLOT_W-1:SLOT_W/2]]) || d_have[d_next]);
        l_here: assert (!d_here || d_have[d_next]);
        l_quiet: assert (!d_quiet || (d_row_any && d_row[d_next[SLOT_W-1:SLOT_W/2]] == d_have[d_next]));
        l_settled: assert (!d_settled || (!d_have[d_next] && !d_here));
        l_now: assert (d_now_valid == now_valid_q && d_now_last == now_last_q && d_now_data == now_data_q);
        l_next: assert ((!d_session || d_next_rx == d_rx + 16'd1) && (first || void_q || !(cur_q && new_q)));
        l_freed: assert (!d_freed || 32'(d_used) < SLOTS);
        l_head: assert (first || void_q || (d_hits == (cur_q && head_q[BIT_LINK +: BITS_LINK] == LINK && piece && slot_q)
                        && d_begins == (new_q && head_q[BIT_LINK +: BITS_LINK] == LINK && piece && early_q)
                        && d_opens == (new_q && head_q[BIT_LINK +: BITS_LINK] == LINK && piece)
                        && d_eof == eof && (!d_hits || d_writes) && (!d_begins || d_writes)
                        && d_said_tx == head_q[BIT_TX_EPOCH +: BITS_TX_EPOCH]));
        l_void: assert (!void_q || (!first && !d_hits && !d_begins && !d_opens && !d_writes && !d_sized));
        l_slot: assert (first || void_q || (d_slot == head_q[BIT_SEQ +: SLOT_W] && (!d_writes || !filled)
                        && (!d_hits || ahead < SLOTS - 32'(d_used))));
        l_beat: assert (!first || (!d_full_here && d_last_here == (LAST_BYTES <= 32) && d_at == '0));
    end
    always_comb if (aresetn) l_place: assert (d_middle == within_q);
    always_comb if (started_q) epoch: assert (d_next_rx == next_q + 16'(open_q || taken_back_q));

    formal_sink #(.DATA_W(577), .STALL(-1), .WITHIN(-1)) u_sink (
        .aclk(aclk), .aresetn(link_aresetn), .pending(1'b0), .tdata({m_net_axis_tlast, m_net_axis_tkeep, m_net_axis_tdata}),
        .tvalid(m_net_axis_tvalid), .tready(m_net_axis_tready)
    );

    always_comb if (link_aresetn) begin
        takes_one:  cover (d_store && !d_open && seq != d_expected);
        opens_one:  cover (d_open && d_store);
        acks_one:   cover (m_net_axis_tvalid && m_net_axis_tdata[BIT_KIND +: BITS_KIND] == KIND_ACK && m_net_axis_tready);
        naks_one:   cover (m_net_axis_tvalid && m_net_axis_tdata[BIT_NAK]);
        again:      cover (m_net_axis_tvalid && m_net_axis_tdata[BIT_KIND +: BITS_KIND] == KIND_RESTART);
    end

endmodule

`default_nettype wire
