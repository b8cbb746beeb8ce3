// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axil_bridge - the proof of axil_bridge: no host access hangs, whatever order the far side answers in.
//
// The host is free within AXI (valid and payload stay until ready). The far side is free, but answers only what it
// has taken. Asserted:
//   hold_*           valid and payload stay until ready, on all five channels that the bridge drives
//   late_b, late_r   no answer without an access, none twice
//   order            no far read while a posted write is left
//   lost             posted writes and far writes differ by what LEVEL may hold
//   read_*           a far read goes where the header says, and its answer is the host's
//   place, value     not with TIMED: an arbitrary posted write arrives at its address, with an arbitrary bit of its word
//   hang_w, hang_r   with TIMED: an access is answered within WITHIN cycles of being complete, if the host takes an
//                    answer within STALL cycles and each of the far side's three steps comes within SLOW
//   l_*              lemmas: what the flops inside have to do with the above. They make the rest inductive
`default_nettype none

module formal_axil_bridge #(
    parameter int WINDOW_W = 6,
    parameter int FAR_W    = 8,
    parameter int DEPTH    = 2,
    parameter int STALL    = 1,
    parameter int SLOW     = 1,
    parameter bit TIMED    = 0
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [WINDOW_W-1:0] s_axil_awaddr,
    input wire                s_axil_awvalid,
    input wire [31:0]         s_axil_wdata,
    input wire [3:0]          s_axil_wstrb,
    input wire                s_axil_wvalid,
    input wire                s_axil_bready,
    input wire [WINDOW_W-1:0] s_axil_araddr,
    input wire                s_axil_arvalid,
    input wire                s_axil_rready,
    input wire                m_axil_awready,
    input wire                m_axil_wready,
    input wire [1:0]          m_axil_bresp,
    input wire                m_axil_bvalid,
    input wire                m_axil_arready,
    input wire [31:0]         m_axil_rdata,
    input wire [1:0]          m_axil_rresp,
    input wire                m_axil_rvalid
);

    // Cycles of a far access from its first valid to its answer; one more for each posted write to reach that.
    localparam int FAR_CYCLES = 2 * (SLOW + 1);
    localparam int PER_POST   = FAR_CYCLES + 2;
    // An access in hand: the FIFO and its output drain, then a far access of its own, then the host takes the answer.
    localparam int IN_HAND = (DEPTH + 1) * PER_POST + 2 + FAR_CYCLES + STALL + 1;
    // One access of the other kind may go first.
    localparam int WITHIN  = 2 * (IN_HAND + 2) + 1;
    localparam int COUNT_W = $clog2(WITHIN + 2);
    localparam int LEFT_W  = $clog2(DEPTH + 4);

    wire             s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid;
    wire [1:0]       s_axil_bresp, s_axil_rresp;
    wire [31:0]      s_axil_rdata, m_axil_wdata;
    wire [FAR_W-1:0] m_axil_awaddr, m_axil_araddr;
    wire [3:0]       m_axil_wstrb;
    wire [2:0]       m_axil_awprot, m_axil_arprot;
    wire             m_axil_awvalid, m_axil_wvalid, m_axil_bready, m_axil_arvalid, m_axil_rready;

    axil_bridge #(.WINDOW_W(WINDOW_W), .FAR_W(FAR_W), .DEPTH(DEPTH)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(3'd0), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(3'd0), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .m_axil_awaddr(m_axil_awaddr), .m_axil_awprot(m_axil_awprot), .m_axil_awvalid(m_axil_awvalid),
        .m_axil_awready(m_axil_awready), .m_axil_wdata(m_axil_wdata), .m_axil_wstrb(m_axil_wstrb),
        .m_axil_wvalid(m_axil_wvalid), .m_axil_wready(m_axil_wready), .m_axil_bresp(m_axil_bresp),
        .m_axil_bvalid(m_axil_bvalid), .m_axil_bready(m_axil_bready), .m_axil_araddr(m_axil_araddr),
        .m_axil_arprot(m_axil_arprot), .m_axil_arvalid(m_axil_arvalid), .m_axil_arready(m_axil_arready),
        .m_axil_rdata(m_axil_rdata), .m_axil_rresp(m_axil_rresp), .m_axil_rvalid(m_axil_rvalid),
        .m_axil_rready(m_axil_rready)
    );

    (* anyconst *) logic [4:0] index;

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    wire aw = s_axil_awvalid && s_axil_awready, w = s_axil_wvalid && s_axil_wready;
    wire b  = s_axil_bvalid && s_axil_bready;
    wire ar = s_axil_arvalid && s_axil_arready, r = s_axil_rvalid && s_axil_rready;
    wire far_aw = m_axil_awvalid && m_axil_awready, far_w = m_axil_wvalid && m_axil_wready;
    wire far_b  = m_axil_bvalid && m_axil_bready;
    wire far_ar = m_axil_arvalid && m_axil_arready, far_r = m_axil_rvalid && m_axil_rready;

    // ---- what one cycle knows of the one before
    logic                was_q;
    logic                aw_q, w_q, ar_q, b_q, r_q, far_aw_q, far_w_q, far_ar_q;  // valid, and not taken
    logic [WINDOW_W-1:0] awaddr_q, araddr_q;
    logic [31:0]         wdata_q, rdata_q, far_wdata_q;
    logic [3:0]          wstrb_q, far_wstrb_q;
    logic [1:0]          rresp_q;
    logic [FAR_W-1:0]    far_awaddr_q, far_araddr_q;
    always_ff @(posedge aclk) begin
        was_q        <= aresetn;
        aw_q         <= s_axil_awvalid && !s_axil_awready;
        w_q          <= s_axil_wvalid && !s_axil_wready;
        ar_q         <= s_axil_arvalid && !s_axil_arready;
        b_q          <= s_axil_bvalid && !s_axil_bready;
        r_q          <= s_axil_rvalid && !s_axil_rready;
        far_aw_q     <= m_axil_awvalid && !m_axil_awready;
        far_w_q      <= m_axil_wvalid && !m_axil_wready;
        far_ar_q     <= m_axil_arvalid && !m_axil_arready;
        awaddr_q     <= s_axil_awaddr;
        araddr_q     <= s_axil_araddr;
        wdata_q      <= s_axil_wdata;
        wstrb_q      <= s_axil_wstrb;
        rdata_q      <= s_axil_rdata;
        rresp_q      <= s_axil_rresp;
        far_wdata_q  <= m_axil_wdata;
        far_wstrb_q  <= m_axil_wstrb;
        far_awaddr_q <= m_axil_awaddr;
        far_araddr_q <= m_axil_araddr;
    end

    // ---- the host
    always_comb if (aresetn && was_q) begin
        if (aw_q) assume (s_axil_awvalid && s_axil_awaddr == awaddr_q);
        // Of the word, what is looked at: an arbitrary bit, and what PAGE and ADDRESS take of it.
        if (w_q) assume (s_axil_wvalid && s_axil_wstrb == wstrb_q);
        if (w_q) assume (s_axil_wdata[index] == wdata_q[index] && s_axil_wdata[FAR_W-1:0] == wdata_q[FAR_W-1:0]);
        if (ar_q) assume (s_axil_arvalid && s_axil_araddr == araddr_q);
        if (b_q) hold_b: assert (s_axil_bvalid);
        if (r_q) hold_r: assert (s_axil_rvalid && s_axil_rdata[index] == rdata_q[index] && s_axil_rresp == rresp_q);
        if (far_aw_q) hold_aw: assert (m_axil_awvalid && m_axil_awaddr == far_awaddr_q);
        if (far_w_q) hold_w: assert (m_axil_wvalid && m_axil_wdata[index] == far_wdata_q[index] && m_axil_wstrb == far_wstrb_q);
        if (far_ar_q) hold_ar: assert (m_axil_arvalid && m_axil_araddr == far_araddr_q);
    end

    // ---- what is open, and for how long
    logic                     open_w_q, open_r_q;    // taken from the host, not answered
    logic                     far_aw_open_q, far_w_open_q, far_r_open_q;
    logic [COUNT_W-1:0]       wait_w_q, wait_r_q;
    logic [$clog2(STALL+2)-1:0] stall_b_q, stall_r_q;
    logic [$clog2(SLOW+2)-1:0]  slow_aw_q, slow_w_q, slow_b_q, slow_ar_q, slow_r_q;
    wire far_write_done = far_aw_open_q && far_w_open_q;
    always_ff @(posedge aclk) begin
        open_w_q      <= (open_w_q || aw) && !b;
        open_r_q      <= (open_r_q || ar) && !r;
        far_aw_open_q <= (far_aw_open_q || far_aw) && !far_b;
        far_w_open_q  <= (far_w_open_q || far_w) && !far_b;
        far_r_open_q  <= (far_r_open_q || far_ar) && !far_r;
        wait_w_q  <= ((s_axil_awvalid && s_axil_wvalid) || open_w_q) && !b ? wait_w_q + 1'b1 : '0;
        wait_r_q  <= (s_axil_arvalid || open_r_q) && !r ? wait_r_q + 1'b1 : '0;
        stall_b_q <= s_axil_bvalid && !s_axil_bready ? stall_b_q + 1'b1 : '0;
        stall_r_q <= s_axil_rvalid && !s_axil_rready ? stall_r_q + 1'b1 : '0;
        slow_aw_q <= m_axil_awvalid && !m_axil_awready ? slow_aw_q + 1'b1 : '0;
        slow_w_q  <= m_axil_wvalid && !m_axil_wready ? slow_w_q + 1'b1 : '0;
        slow_ar_q <= m_axil_arvalid && !m_axil_arready ? slow_ar_q + 1'b1 : '0;
        slow_b_q  <= far_write_done && !far_b ? slow_b_q + 1'b1 : '0;
        slow_r_q  <= far_r_open_q && !far_r ? slow_r_q + 1'b1 : '0;
        if (!aresetn) begin
            open_w_q <= 1'b0; open_r_q <= 1'b0;
            far_aw_open_q <= 1'b0; far_w_open_q <= 1'b0; far_r_open_q <= 1'b0;
            wait_w_q <= '0; wait_r_q <= '0; stall_b_q <= '0; stall_r_q <= '0;
            slow_aw_q <= '0; slow_w_q <= '0; slow_b_q <= '0; slow_ar_q <= '0; slow_r_q <= '0;
        end
    end
    always_comb if (TIMED) begin
        if (s_axil_bvalid && 32'(stall_b_q) == STALL) assume (s_axil_bready);
        if (s_axil_rvalid && 32'(stall_r_q) == STALL) assume (s_axil_rready);
        if (m_axil_awvalid && 32'(slow_aw_q) == SLOW) assume (m_axil_awready);
        if (m_axil_wvalid && 32'(slow_w_q) == SLOW) assume (m_axil_wready);
        if (m_axil_arvalid && 32'(slow_ar_q) == SLOW) assume (m_axil_arready);
        if (far_write_done && 32'(slow_b_q) == SLOW) assume (m_axil_bvalid);
        if (far_r_open_q && 32'(slow_r_q) == SLOW) assume (m_axil_rvalid);
    end
    always_comb begin
        // A slave answers what it has taken, once.
        if (!far_write_done) assume (!m_axil_bvalid);
        if (!far_r_open_q) assume (!m_axil_rvalid);
    end
    always_comb if (aresetn) begin
        if (TIMED) begin
            hang_w: assert (32'(wait_w_q) != WITHIN);
            hang_r: assert (32'(wait_r_q) != WITHIN);
        end
        one_w:  assert (aw == w && !(aw && open_w_q) && !(aw && open_r_q));
        one_r:  assert (!(ar && (open_w_q || open_r_q)));
        if (s_axil_bvalid) late_b: assert (open_w_q);
        if (s_axil_rvalid) late_r: assert (open_r_q);
        if (m_axil_bvalid) ready_b: assert (m_axil_bready);
        if (m_axil_rvalid) ready_r: assert (m_axil_rready);
        if (m_axil_arvalid || far_r_open_q)
            order: assert (!m_axil_awvalid && !m_axil_wvalid && !far_aw_open_q && !far_w_open_q);
    end

    // ---- posted writes: what they are by the header's text, and one that is followed
    localparam int HALF = WINDOW_W - 1;
    logic [FAR_W-HALF-1:0] page_q;
    logic [FAR_W-3:0]      address_q;
    wire high_w = s_axil_awaddr[HALF], high_r = s_axil_araddr[HALF];
    wire [HALF-3:0] word_w = s_axil_awaddr[HALF-1:2], word_r = s_axil_araddr[HALF-1:2];
    wire data_w = !high_w && 32'(word_w) == 4, data_r = !high_r && 32'(word_r) == 4;
    wire posts  = aw && (high_w || data_w);
    wire [FAR_W-3:0] place_w = high_w ? {page_q, word_w} : address_q;

    (* anyseq *)   logic       choose;
    logic [LEFT_W-1:0] left_q, ahead_q;    // posted and not answered; those ahead of the one that is followed
    logic              following_q, value_q;
    logic [3:0]        strobe_q;
    logic [FAR_W-3:0]  place_q;
    always_ff @(posedge aclk) begin
        if (aw && !high_w && 32'(word_w) == 2 && s_axil_wstrb == 4'hf) page_q <= s_axil_wdata[FAR_W-HALF-1:0];
        if (aw && !high_w && 32'(word_w) == 3 && s_axil_wstrb == 4'hf) address_q <= s_axil_wdata[FAR_W-1:2];
        if ((aw && data_w) || (ar && data_r)) address_q <= address_q + 1'b1;
        left_q <= left_q + LEFT_W'(posts) - LEFT_W'(far_b);
        if (posts && choose && !following_q) begin
            following_q <= 1'b1;
            ahead_q     <= left_q - LEFT_W'(far_b);
            place_q     <= place_w;
            strobe_q    <= s_axil_wstrb;
            value_q     <= s_axil_wdata[index];
        end else if (far_b) begin
            ahead_q <= ahead_q - 1'b1;
            if (ahead_q == '0) following_q <= 1'b0;
        end
        if (!aresetn) begin
            page_q      <= '0;
            address_q   <= '0;
            left_q      <= '0;
            following_q <= 1'b0;
        end
    end
    always_comb if (aresetn) begin
        lost: assert (32'(left_q) <= DEPTH + 2 && !(far_b && left_q == '0));
        if (!TIMED && following_q && ahead_q == '0 && m_axil_awvalid) place: assert (m_axil_awaddr == {place_q, 2'b00});
        if (!TIMED && following_q && ahead_q == '0 && m_axil_wvalid)
            value: assert (m_axil_wdata[index] == value_q && m_axil_wstrb == strobe_q);
    end

    // ---- far reads go where the header says, and their answer is the host's
    logic [FAR_W-3:0] read_q;
    logic             reading_q, got_q, got_bit_q;
    logic [1:0]       got_resp_q;
    always_ff @(posedge aclk) begin
        if (ar) begin
            reading_q <= high_r || data_r;
            read_q    <= high_r ? {page_q, word_r} : address_q;
            got_q     <= 1'b0;
        end
        if (far_r) begin
            got_q      <= 1'b1;
            got_bit_q  <= m_axil_rdata[index];
            got_resp_q <= m_axil_rresp;
        end
        if (!aresetn) got_q <= 1'b0;
    end
    always_comb if (aresetn) begin
        if (m_axil_arvalid) read_place: assert (open_r_q && reading_q && m_axil_araddr == {read_q, 2'b00});
        if (s_axil_rvalid && reading_q)
            read_value: assert (got_q && s_axil_rdata[index] == got_bit_q && s_axil_rresp == got_resp_q);
        if (s_axil_rvalid && !reading_q) read_okay: assert (s_axil_rresp == 2'b00 && !got_q);
        write_okay: assert (s_axil_bresp == 2'b00);
        prot: assert (m_axil_awprot == 3'd0 && m_axil_arprot == 3'd0);
    end

    // ---- what the bridge's flops have to do with the above: lemmas, so that the rest is inductive
    // formal.toml joins these to the flops of the same name.
    wire [2:0]             d_state;
    wire                   d_write, d_known, d_far, d_data, d_quiet, d_aw, d_w, d_b, d_ar, d_turn, d_post_valid;
    wire [2:0]             d_register;
    wire [WINDOW_W-1:2]    d_at;
    wire [31:0]            d_wdata;
    wire [3:0]             d_wstrb;
    wire [FAR_W-3:0]       d_far_word, d_address;
    wire [FAR_W-HALF-1:0]  d_page;
    wire [$clog2(DEPTH+2)-1:0] d_level;

    wire [$clog2(DEPTH)-1:0]   f_write, f_write_back, f_read, f_read_back;
    wire                       f_stored, f_ready;
    wire [$clog2(DEPTH)-1:0]   f_held = f_write - f_read;  // 0: none or all

    wire idle = d_state == 3'd0, decode = d_state == 3'd1, act = d_state == 3'd2, far = d_state == 3'd3, answer = d_state == 3'd4;
    wire post     = act && d_write && d_far;
    wire set_page = act && d_write && d_known && d_wstrb == 4'hf && d_register == 3'd2;
    wire set_addr = act && d_write && d_known && d_wstrb == 4'hf && d_register == 3'd3;
    wire at_data  = !d_at[HALF] && 32'(d_at[HALF-1:2]) == 4;
    always_comb if (aresetn) begin
        l_state:  assert (idle || decode || act || far || answer);
        l_write:  assert (open_w_q == (d_write && (act || answer)) && !(d_write && far));
        l_read:   assert (open_r_q == (!d_write && (act || far || answer)));
        l_ready:  assert (s_axil_awready == (decode && d_write) && s_axil_arready == (decode && !d_write));
        l_answer: assert (s_axil_bvalid == (answer && d_write) && s_axil_rvalid == (answer && !d_write));
        l_left:    assert (32'(left_q) == 32'(d_level) + 32'(post));
        l_b:       assert (d_b ? d_post_valid && d_aw == !far_aw_open_q && d_w == !far_w_open_q
                               : !d_aw && !d_w && !far_aw_open_q && !far_w_open_q);
        l_ar_open: assert (far == (d_ar || far_r_open_q) && !(d_ar && far_r_open_q));
        if (d_quiet || far) l_quiet: assert (d_level == '0 && !f_stored);
        l_level:   assert (32'(d_level) <= DEPTH + 1 && (d_level != '0 || !d_post_valid));
        // The ring of the FIFO, whose DEPTH is a power of two here.
        l_ring:    assert (f_write_back == f_write - 1'b1 && f_read_back == f_read - 1'b1);
        l_held:    assert (32'(d_level) == 32'(d_post_valid) + (!f_stored ? 0 : f_held == '0 ? DEPTH : 32'(f_held)));
        l_full:    assert (f_stored ? f_ready == (f_held != '0) : f_held == '0);
    end
    always_comb if (aresetn) begin
        if (decode && d_write) begin
            l_aw: assert (s_axil_awvalid && s_axil_wvalid && d_at == s_axil_awaddr[WINDOW_W-1:2] && d_wstrb == s_axil_wstrb);
            l_w:  assert (d_wdata[index] == s_axil_wdata[index] && d_wdata[FAR_W-1:0] == s_axil_wdata[FAR_W-1:0]);
        end
        if (decode && !d_write) l_ar: assert (s_axil_arvalid && d_at == s_axil_araddr[WINDOW_W-1:2]);
        if (act) begin
            l_kind: assert (d_register == d_at[4:2] && d_known == (!d_at[HALF] && 32'(d_at[HALF-1:2]) < 8)
                            && d_far == (d_at[HALF] || at_data) && d_data == at_data);
            l_word: assert (d_far_word == (d_at[HALF] ? {d_page, d_at[HALF-1:2]} : d_address));
        end
        if (far || (answer && !d_write)) l_reading: assert (d_far == reading_q);
        if (far) l_far: assert (reading_q && !got_q && read_q == d_far_word);
        if (act && !d_write) l_act: assert (reading_q == d_far && !got_q && (!d_far || read_q == d_far_word));
        if (answer && !d_write) l_got: assert (got_q == reading_q);
        l_page:    assert (page_q == (set_page ? d_wdata[FAR_W-HALF-1:0] : d_page));
        l_address: assert (address_q == (act && d_data ? d_address + 1'b1 : set_addr ? d_wdata[FAR_W-1:2] : d_address));
        if (!TIMED && following_q) l_ahead: assert (ahead_q < left_q);
        if (!TIMED && following_q && post && 32'(ahead_q) + 1 == 32'(left_q))
            l_place: assert (place_q == d_far_word && strobe_q == d_wstrb && value_q == d_wdata[index]);
    end

    // ---- how long it can still take: each of these falls by one or more in every cycle
    logic [31:0] drain, in_hand;
    wire  [31:0] far_left = far_write_done ? SLOW + 1 - 32'(slow_b_q)
                          : FAR_CYCLES - (d_aw && d_w ? (slow_aw_q < slow_w_q ? 32'(slow_aw_q) : 32'(slow_w_q))
                                                      : d_aw ? 32'(slow_aw_q) : 32'(slow_w_q));
    always_comb begin
        drain = d_level == '0 ? 0
              : (32'(d_level) - 1) * PER_POST + (d_b ? far_left : FAR_CYCLES + (d_post_valid ? 1 : 2));
        case (1'b1)
            answer:  in_hand = STALL + 1 - (d_write ? 32'(stall_b_q) : 32'(stall_r_q));
            far:     in_hand = STALL + 1 + (far_r_open_q ? SLOW + 1 - 32'(slow_r_q) : FAR_CYCLES - 32'(slow_ar_q));
            act:     in_hand = !d_far ? STALL + 2
                             : d_write ? STALL + 1 + (f_ready ? 1 : drain + 2)
                             : STALL + 1 + FAR_CYCLES + (d_quiet ? 1 : drain + 2);
            decode:  in_hand = 1 + STALL + 1 + FAR_CYCLES + drain + 2;
            default: in_hand = 0;
        endcase
    end
    always_comb if (aresetn && TIMED) begin
        l_slow:  assert (32'(slow_aw_q) <= SLOW && 32'(slow_w_q) <= SLOW && 32'(slow_b_q) <= SLOW
                         && 32'(slow_ar_q) <= SLOW && 32'(slow_r_q) <= SLOW
                         && 32'(stall_b_q) <= STALL && 32'(stall_r_q) <= STALL);
        l_drain: assert (drain <= (DEPTH + 1) * PER_POST);
        l_turn:  assert (idle || d_turn == !d_write);
        if (idle && !d_turn) l_idle_w: assert (wait_w_q == '0);
        if (idle && d_turn)  l_idle_r: assert (wait_r_q == '0);
        l_wait_w: assert (32'(wait_w_q) + in_hand + (idle || !d_write ? IN_HAND + 2 : 0) <= WITHIN - 1);
        l_wait_r: assert (32'(wait_r_q) + in_hand + (idle || d_write ? IN_HAND + 2 : 0) <= WITHIN - 1);
    end

    always_comb if (aresetn) begin
        // A far side without delay keeps up with the host.
        queue:    cover (32'(left_q) == (SLOW == 0 ? 1 : 3));
        read_far: cover (s_axil_rvalid && reading_q && got_resp_q != 2'b00);
        followed: cover (following_q && ahead_q == '0 && far_b);
    end

endmodule

`default_nettype wire
