// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_receiver - the proof of vnx_receiver around its buffer, whatever comes from the network.
//
// formal_vnx_unpack proves that frames are what packets carried that were taken, if they are taken as its assumptions say.
// Here these are asserted, and what may be taken; tx and rx, seq and the boundary of a packet are free.
//   taken     exactly the DATA of this boundary that is right, of this session or of the one that is offered, has the number
//             expected, the marks and the length that its place in the frame demands, and a slot
//   opened    exactly by right DATA and PROBE of the session that was offered when they began, if no packet waits
//   named     the session that is opened has the numbers of the packet that opens it
//   buffer    the assumptions of formal_vnx_unpack
//   credit    the limit is the number expected and the slots that are free, less one that was freed in the last cycle
//   `told`    no answer names a limit that is below the number it names, or more than SLOTS above
//   epoch     the number of the next session changes by one, when one is opened, and by nothing else
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
    localparam logic [7:0] IS_VERSION = 8'h02;
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
    localparam logic [3:0] KIND_DATA = 4'd0;
    localparam logic [3:0] KIND_PROBE = 4'd2;
    localparam logic [3:0] KIND_ACK = 4'd9;
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
        .frame_done(frame_done), .error(error)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    always_comb if (!aresetn) assume (!link_aresetn);

    // Joined to what is inside by formal.toml.
    wire        d_take, d_open, d_room, d_empty, d_full_here, d_last_here, d_want_sof, d_want_eof, d_session, d_offered, d_freed;
    wire        d_middle, d_sized, d_ufirst, d_fits, d_full;
    wire        d_hits, d_begins, d_opens_full, d_opens_last;
    wire [15:0] d_tx, d_rx, d_offered_tx, d_next_rx, d_said_tx;
    wire [31:0] d_expected, d_beyond, d_limit;
    wire [$clog2(SLOTS+1)-1:0] d_used;

    // ---- the packet
    logic         within_q, void_q, cur_q, new_q;
    logic [255:0] head_q;
    wire          first = !within_q;
    wire [255:0]  head  = first ? s_net_axis_tdata[255:0] : head_q;
    wire [3:0]    kind  = head[BIT_KIND +: BITS_KIND];
    wire          sof   = head[BIT_SOF], eof = head[BIT_EOF];
    wire [15:0]   bytes = head[BIT_BYTES +: BITS_BYTES];
    wire [31:0]   seq   = head[BIT_SEQ +: BITS_SEQ];
    wire          cur   = first ? d_session && head[BIT_TX_EPOCH +: BITS_TX_EPOCH] == d_tx && head[BIT_RX_EPOCH +: BITS_RX_EPOCH] == d_rx : cur_q;
    wire          fresh = first ? d_offered && head[BIT_TX_EPOCH +: BITS_TX_EPOCH] == d_offered_tx && head[BIT_RX_EPOCH +: BITS_RX_EPOCH] == d_next_rx : new_q;
    wire          right = s_net_axis_tvalid && s_net_axis_tlast && s_net_axis_tuser && !void_q && head[BIT_LINK +: BITS_LINK] == LINK;
    wire          full_end = d_full_here && s_net_axis_tkeep[63];
    wire          last_end = d_last_here && s_net_axis_tkeep[LAST_KEEP-1] && (LAST_KEEP == 64 || !s_net_axis_tkeep[LAST_KEEP%64]);
    wire          sized = bytes == (eof ? 16'(LAST_BYTES) : 16'(FULL_BYTES));
    wire          ends  = eof ? last_end : full_end;
    wire          wanted  = kind == KIND_DATA && seq == d_expected && sof == d_want_sof && eof == d_want_eof && sized;
    wire          opening = kind == KIND_DATA && seq == '0 && sof && eof == (PACKETS == 1) && sized;
    wire          takes = right && ends && d_room && ((cur && wanted) || (fresh && opening && d_empty));
    wire          opens = right && fresh && d_empty && (kind == KIND_PROBE ? first && s_net_axis_tkeep[63] : kind == KIND_DATA && sized && ends);

    logic        open_q, opened_q, started_q, quiet_q;
    logic [15:0] named_q;
    logic [15:0] next_q;

    always_ff @(posedge aclk) begin
        if (s_net_axis_tvalid) within_q <= !s_net_axis_tlast;
        if (s_net_axis_tvalid && first) begin
            head_q <= s_net_axis_tdata[255:0];
            cur_q  <= cur;
            new_q  <= fresh;
        end
        if (!link_aresetn) void_q <= s_net_axis_tvalid ? !s_net_axis_tlast : within_q;
        else if (s_net_axis_tvalid && s_net_axis_tlast) void_q <= 1'b0;
        next_q    <= d_next_rx;
        open_q    <= d_open;
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

    // While a packet has the beats that the buffer counts: a slot is not longer than a full packet.
    always_comb if (link_aresetn) begin
        taken:  assert (d_take == takes);
        opened: assert (d_open == opens);
        buffer: assert ((!d_open || d_empty) && (!d_take || (s_net_axis_tvalid && s_net_axis_tlast && d_room))
                        && (!d_take || (d_open ? (PACKETS == 1 ? d_last_here : d_full_here)
                                               : (d_want_eof ? d_last_here : d_full_here))));
        credit: assert (d_limit + 32'(d_freed) == d_expected + 32'(SLOTS) - 32'(d_used));
        told:   assert (!m_net_axis_tvalid || m_net_axis_tdata[BIT_KIND +: BITS_KIND] != KIND_ACK
                        || m_net_axis_tdata[BIT_FRAME +: BITS_FRAME] - m_net_axis_tdata[BIT_SEQ +: BITS_SEQ] <= 32'(SLOTS));
        shape:  assert (!m_net_axis_tvalid || (m_net_axis_tlast && m_net_axis_tkeep == '1 && m_net_axis_tdata[23:0] == {IS_VERSION, IS_MAGIC}
                        && m_net_axis_tdata[BIT_KIND+2 +: 2] == 2'b10 && m_net_axis_tdata[63:28] == (36'(m_net_axis_tdata[BIT_NAK]) << 2)
                        && m_net_axis_tdata[BIT_LINK +: BITS_LINK] == LINK && m_net_axis_tdata[BIT_BYTES +: BITS_BYTES] == 16'd32));
        named:  assert (!opened_q || (d_session && d_tx == named_q && d_rx == next_q));
        quiet:  assert (!quiet_q || !drain || !m_net_axis_tvalid);
        l_used: assert (d_empty == (d_used == '0) && 32'(d_used) <= SLOTS && d_beyond == d_expected + 32'd1
                        && d_full == (32'(d_used) == SLOTS) && (d_ufirst || !d_fits || !d_full));
        l_next: assert ((!d_session || d_next_rx == d_rx + 16'd1) && (first || void_q || !(cur_q && new_q)));
        l_freed: assert (!d_freed || 32'(d_used) < SLOTS);
        l_head: assert (first || void_q || (d_hits == (cur_q && head_q[BIT_LINK +: BITS_LINK] == LINK && wanted)
                        && d_begins == (new_q && head_q[BIT_LINK +: BITS_LINK] == LINK && opening)
                        && d_opens_full == (new_q && head_q[BIT_LINK +: BITS_LINK] == LINK && kind == KIND_DATA && sized && !eof)
                        && d_opens_last == (new_q && head_q[BIT_LINK +: BITS_LINK] == LINK && kind == KIND_DATA && sized && eof)
                        && d_said_tx == head_q[BIT_TX_EPOCH +: BITS_TX_EPOCH]));
        l_void: assert (!void_q || (!first && !d_hits && !d_begins && !d_opens_full && !d_opens_last && !d_sized));
        l_beat: assert ((!d_ufirst || (!d_full_here && d_last_here == (LAST_BYTES <= 32))) && (!first || d_ufirst));
    end
    always_comb if (aresetn) l_place: assert (d_middle == within_q);
    always_comb if (started_q) epoch: assert (d_next_rx == next_q + 16'(open_q));

    formal_sink #(.DATA_W(577), .STALL(-1), .WITHIN(-1)) u_sink (
        .aclk(aclk), .aresetn(link_aresetn), .pending(1'b0), .tdata({m_net_axis_tlast, m_net_axis_tkeep, m_net_axis_tdata}),
        .tvalid(m_net_axis_tvalid), .tready(m_net_axis_tready)
    );

    always_comb if (link_aresetn) begin
        takes_one:  cover (d_take && !d_open);
        opens_one:  cover (d_open && d_take);
        acks_one:   cover (m_net_axis_tvalid && m_net_axis_tdata[BIT_KIND +: BITS_KIND] == KIND_ACK && m_net_axis_tready);
        naks_one:   cover (m_net_axis_tvalid && m_net_axis_tdata[BIT_NAK]);
        again:      cover (m_net_axis_tvalid && m_net_axis_tdata[BIT_KIND +: BITS_KIND] == KIND_RESTART);
    end

endmodule

`default_nettype wire
