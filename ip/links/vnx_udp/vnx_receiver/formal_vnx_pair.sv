// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_pair - vnx_sender and vnx_receiver, and between them a network that may do anything to whole packets.
//
// Of the packets that came in each direction it keeps two, chosen freely, and forwards either of the two at any time, any number of
// times, or never: packets are lost, duplicated, reordered and late. Either side may be reset at any time (RESETS), and both numbers
// of the first session are arbitrary. All halves of a frame say its number and their place, so the sink sees what it got. Asserted:
//   order     frames come in their order, none twice, none that was not offered
//   exact     each half beat of a frame is that of its place, but for the end of a frame that was cut, which is zero
//   flagged   as many frames end so as `error` said before
//   all       without resets: each frame comes, none is cut, and no session ends
`default_nettype none

module formal_vnx_pair #(
    parameter int FRAME_BYTES    = 128,
    parameter int PACKET_BEATS   = 2,
    parameter int SLOTS          = 4,
    parameter int HELLO_CYCLES   = 16,
    parameter int TIMEOUT_CYCLES = 8,
    parameter int REORDER        = 0,
    parameter int FLIGHT         = 8,
    parameter int ACK_EVERY      = 1,
    parameter int ACK_CYCLES     = 4,
    parameter int CALM           = 0,
    parameter bit RESETS         = 1,
    parameter int ID_W           = 4
) (
    input wire aclk,
    input wire tx_aresetn,
    input wire rx_aresetn,
    input wire s_axis_tvalid,
    input wire m_axis_tready
);
    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int BIT_TURN = 192;
    localparam int BITS_TURN = 32;
    localparam int BIT_SLOTS = 448;
    localparam int BITS_SLOTS = 8;
    localparam int BIT_HAVE = 256;

    localparam int HALVES = FRAME_BYTES / 32;
    localparam int BEATS  = (FRAME_BYTES + 63) / 64;
    localparam int AT_W   = $clog2(BEATS + 1) + 1;
    localparam int MARK_W = ID_W + AT_W + 1;

    (* anyseq *) logic f_keep, f_where, f_send, f_which, b_keep, b_where, b_send, b_which;

    logic started_q, f_fresh_q, b_fresh_q;
    initial started_q = 1'b0;
    always_ff @(posedge aclk) started_q <= 1'b1;
    logic [7:0] calm_q;                     // cycles until anything may happen
    wire        calm = calm_q != '0;
    always_ff @(posedge aclk) calm_q <= !started_q ? 8'(CALM) : calm_q - 8'(calm);
    always_comb begin
        if (!started_q) assume (!tx_aresetn && !rx_aresetn);
        if (started_q && (calm || !RESETS)) assume (tx_aresetn && rx_aresetn);
        if (started_q && calm) begin
            assume (!s_axis_tvalid && m_axis_tready);
            assume (f_keep && !f_where && f_send == f_fresh_q && !f_which);
            assume (b_keep && !b_where && b_send == b_fresh_q && !b_which);
        end
    end

    // ---- source: number and place in the first bits of every half beat

    logic [ID_W-1:0] s_id_q;
    logic [AT_W-1:0] s_at_q;
    wire             s_axis_tready;
    wire             s_last = s_at_q == AT_W'(BEATS - 1);
    logic [511:0]    s_axis_tdata;

    always_comb begin
        s_axis_tdata = '0;
        s_axis_tdata[0   +: MARK_W] = {1'b0, s_at_q, s_id_q};
        s_axis_tdata[256 +: MARK_W] = {1'b1, s_at_q, s_id_q};
    end
    always_ff @(posedge aclk) begin
        if (!tx_aresetn) begin
            if (s_at_q != '0) s_id_q <= s_id_q + 1'b1;
            s_at_q <= '0;
        end else if (s_axis_tvalid && s_axis_tready) begin
            s_at_q <= s_last ? '0 : s_at_q + 1'b1;
            if (s_last) s_id_q <= s_id_q + 1'b1;
        end
        if (!started_q) begin
            s_id_q <= ID_W'(1);
            s_at_q <= '0;
        end
    end

    // ---- the blocks

    wire [511:0] f_tdata, b_tdata, m_axis_tdata;
    wire [63:0]  f_tkeep, b_tkeep;
    wire         f_tlast, f_tvalid, b_tlast, b_tvalid, m_axis_tvalid;
    wire [2:0]   error;
    logic [511:0] fo_tdata, bo_tdata;
    logic [63:0]  fo_tkeep;
    logic         fo_tlast, fo_tvalid, bo_tvalid;

    vnx_sender #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .HELLO_CYCLES(HELLO_CYCLES),
        .TIMEOUT_CYCLES(TIMEOUT_CYCLES), .IDLE_CYCLES(2 * TIMEOUT_CYCLES), .REORDER(REORDER), .FLIGHT(FLIGHT)
    ) u_tx (
        .aclk(aclk), .aresetn(tx_aresetn), .link_aresetn(tx_aresetn),
        .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_wdata('0), .s_axil_wstrb('0),
        .s_axil_wvalid(1'b0), .s_axil_bready(1'b1), .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0),
        .s_axil_rready(1'b1),
        .drain(1'b0),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_last), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .number('0), .number_known(1'b0), .taint(1'b0),
        .s_net_axis_tdata(bo_tdata), .s_net_axis_tkeep('1), .s_net_axis_tlast(1'b1), .s_net_axis_tuser(1'b1),
        .s_net_axis_tvalid(bo_tvalid),
        .m_net_axis_tdata(f_tdata), .m_net_axis_tkeep(f_tkeep), .m_net_axis_tlast(f_tlast), .m_net_axis_tvalid(f_tvalid),
        .m_net_axis_tready(1'b1)
    );

    vnx_receiver #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .ACK_EVERY(ACK_EVERY), .ACK_CYCLES(ACK_CYCLES)
    ) u_rx (
        .aclk(aclk), .aresetn(rx_aresetn), .link_aresetn(rx_aresetn),
        .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_wdata('0), .s_axil_wstrb('0),
        .s_axil_wvalid(1'b0), .s_axil_bready(1'b1), .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0),
        .s_axil_rready(1'b1),
        .drain(1'b0),
        .s_net_axis_tdata(fo_tdata), .s_net_axis_tkeep(fo_tkeep), .s_net_axis_tlast(fo_tlast), .s_net_axis_tuser(1'b1),
        .s_net_axis_tvalid(fo_tvalid),
        .m_net_axis_tdata(b_tdata), .m_net_axis_tkeep(b_tkeep), .m_net_axis_tlast(b_tlast), .m_net_axis_tvalid(b_tvalid),
        .m_net_axis_tready(1'b1),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .error(error)
    );

    // ---- the network: from the sender; packets of up to two beats

    // Of a packet only what is looked at is kept; the rest is what it always is.
    localparam int HEAD   = 8 + 16 + 32 + 32 + 32;
    localparam int KEPT   = HEAD + 2 * MARK_W;
    function automatic logic [KEPT-1:0] shrink(input logic [511:0] beat);
        shrink = {beat[31:24], beat[95:80], beat[127:96], beat[191:160], beat[BIT_TURN +: BITS_TURN], beat[256 +: MARK_W], beat[0 +: MARK_W]};
    endfunction
    function automatic logic [511:0] grow(input logic [KEPT-1:0] kept, input logic head);
        grow = '0;
        if (head) begin
            grow[23:0]  = {IS_VERSION, IS_MAGIC};
            grow[79:64] = 16'd1;
            {grow[31:24], grow[95:80], grow[127:96], grow[191:160], grow[BIT_TURN +: BITS_TURN]} = kept[2*MARK_W +: HEAD];
            if (grow[27:24] == 4'd1) begin
                grow[351:320] = 32'(FRAME_BYTES);
                grow[367:352] = 16'(PACKET_BEATS);
                grow[BIT_SLOTS +: BITS_SLOTS] = BITS_SLOTS'($clog2(SLOTS));
            end else grow[256 +: MARK_W] = kept[MARK_W +: MARK_W];
        end else {grow[256 +: MARK_W], grow[0 +: MARK_W]} = kept[2*MARK_W-1:0];
    endfunction
    logic [KEPT-1:0] f0_q [0:1], f1_q [0:1], new_q;
    logic [1:0]   f_short_q;                // the last beat is half a beat
    logic [1:0]   f_long_q, f_full_q, b_full_q;
    logic         second_q, out_q, out_which_q;
    localparam int BACK   = 8 + 96 + BITS_TURN + SLOTS;
    logic [BACK-1:0] b_q [0:1];

    wire greets  = f0_q[out_which_q][KEPT-8 +: 4] == 4'd1;  // a HELLO, whose beats are alike
    wire f_first = f_send && f_full_q[f_which] && !out_q;
    always_comb begin
        fo_tlast  = out_q || !f_long_q[f_which];
        fo_tvalid = f_first || out_q;
        fo_tdata  = grow(out_q ? f1_q[out_which_q] : f0_q[f_which], !out_q || greets);
        fo_tkeep  = fo_tlast && f_short_q[out_q ? out_which_q : f_which] ? 64'hFFFF_FFFF : '1;
        bo_tvalid = b_send && b_full_q[b_which];
        bo_tdata  = '0;
        bo_tdata[23:0]  = {IS_VERSION, IS_MAGIC};
        bo_tdata[79:64] = 16'd1;
        bo_tdata[95:80] = 16'd32;
        {bo_tdata[31:24], bo_tdata[191:96], bo_tdata[BIT_TURN +: BITS_TURN], bo_tdata[BIT_HAVE +: SLOTS]} = b_q[b_which];
    end
    always_ff @(posedge aclk) begin
        out_q       <= f_first && f_long_q[f_which];
        out_which_q <= f_which;
        if (f_tvalid) begin
            second_q   <= !f_tlast;
            new_q      <= shrink(f_tdata);
            // What is on its way out stays as it is.
            if (f_tlast && f_keep && !(f_first && f_which == f_where) && !(out_q && out_which_q == f_where)) begin
                f_full_q[f_where]  <= 1'b1;
                f_long_q[f_where]  <= second_q;
                f0_q[f_where]      <= second_q ? new_q : shrink(f_tdata);
                f_short_q[f_where] <= !f_tkeep[63];
                f1_q[f_where]      <= shrink(f_tdata);
            end
        end
        f_fresh_q <= f_tvalid && f_tlast;
        b_fresh_q <= b_tvalid;
        if (!tx_aresetn) second_q <= 1'b0;
        if (b_tvalid && b_keep) begin
            b_full_q[b_where] <= 1'b1;
            b_q[b_where]      <= {b_tdata[31:24], b_tdata[191:96], b_tdata[BIT_TURN +: BITS_TURN], b_tdata[BIT_HAVE +: SLOTS]};
        end
        if (!started_q) begin
            f_full_q <= '0;
            b_full_q <= '0;
            second_q <= 1'b0;
            out_q    <= 1'b0;
        end
    end

    // ---- sink

    logic [ID_W-1:0] m_next_q, m_id_q;
    logic [AT_W-1:0] m_at_q;
    logic            m_bad_q;
    logic [ID_W-1:0] cuts_q;       // flagged, and not yet seen
    wire             m_fire  = m_axis_tvalid && m_axis_tready && rx_aresetn;
    wire [ID_W-1:0]  m_id    = m_at_q == '0 ? m_axis_tdata[ID_W-1:0] : m_id_q;
    wire             m_last  = m_at_q == AT_W'(BEATS - 1);
    wire             low_ok  = m_axis_tdata[0   +: MARK_W] == {1'b0, m_at_q, m_id};
    wire             high_ok = m_axis_tdata[256 +: MARK_W] == {1'b1, m_at_q, m_id};
    wire             low_0   = m_axis_tdata[0   +: MARK_W] == '0;
    wire             high_0  = m_axis_tdata[256 +: MARK_W] == '0;
    wire             was_bad = m_at_q != '0 && m_bad_q;
    wire             bad     = was_bad || !low_ok || !high_ok;
    wire [ID_W-1:0]  since   = m_id - m_next_q;         // frames between
    wire [ID_W-1:0]  offered = s_id_q - m_next_q;       // frames that may come

    always_ff @(posedge aclk) begin
        if (m_fire) begin
            m_at_q  <= m_last ? '0 : m_at_q + 1'b1;
            m_id_q  <= m_id;
            m_bad_q <= bad;
            if (m_last) m_next_q <= m_id + 1'b1;
        end
        cuts_q <= cuts_q + ID_W'(error[0]) - ID_W'(m_fire && m_last && bad);
        if (!rx_aresetn) begin
            m_at_q <= '0;
            cuts_q <= '0;
            // A frame that has begun does not come again.
            if (m_at_q != '0) m_next_q <= m_id_q + 1'b1;
        end
        if (!started_q) m_next_q <= ID_W'(1);
    end

    always_comb if (started_q && m_fire) begin
        order:   assert (since <= offered);
        exact:   assert ((!was_bad && low_ok && high_ok) || (!was_bad && low_ok && high_0) || (m_at_q != '0 && low_0 && high_0));
        flagged: assert (!(m_last && bad) || cuts_q != '0 || error[0]);
    end

    generate
        if (!RESETS) begin : g_all
            always_comb if (started_q && m_fire) all: assert (since == '0 && !bad && !error[0]);
        end
    endgenerate

    always_comb begin
        c_frame: cover (m_fire && m_last && !bad);
    end

endmodule

`default_nettype wire
