// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axil_cdc - the proof of axil_cdc, for all orders of the edges of its two clocks.
//
// A step is an edge of one clock or of both (formal/ticks.v); aclk is 1 in every step. The first flops of the
// synchronisers are ours: in a step in which a toggle changes they take the old or the new value (formal.toml connects
// them). The host is free, but takes back both valids of a write or none; the slaves are free. Both resets fall at any
// time. Of payload and data all bits are equal; a swapped bit is for the bench. Asserted:
//   whole          a write is taken as a whole, and no read with it
//   one            nothing is taken while an answer is owed or a request is still on the other side
//   still_*        what a side takes from the other did not change in the step before and does not in the step itself
//   place          what the slaves see is the request that was taken last: kind, address, data
//   once           none of its channels is offered after it was taken, or again after a reset that cut it short
//   stays          VALID and payload stay until READY, but for a reset of this side
//   answer_b, _r   the host gets what the slave said, or SLVERR and no data when the slaves' side was reset meanwhile,
//                  and only when it is owed an answer of this kind
//   hold_b, hold_r an answer stays until it is taken, but for a reset of this side
// and with FAIR, when of FAIR steps each clock has one, slaves take and answer within SLOW of their cycles, and the host
// keeps asking and takes what it is given:
//   progress       a request is answered within WITHIN steps, whatever the resets
`default_nettype none

module formal_axil_cdc #(
    parameter int SYNC_STAGES = 2,
    parameter int FAIR        = 0,
    parameter int SLOW        = 1,
    parameter int WITHIN      = 60
) (
    input wire        aclk,
    input wire        s_axil_aclk,
    input wire        s_axil_aresetn,
    input wire [1:0]  s_axil_awaddr,
    input wire        s_axil_awvalid,
    input wire        wbit,
    input wire        s_axil_wvalid,
    input wire        s_axil_bready,
    input wire [1:0]  s_axil_araddr,
    input wire        s_axil_arvalid,
    input wire        s_axil_rready,
    input wire        m_axil_aclk,
    input wire        m_axil_aresetn,
    input wire        m_axil_awready,
    input wire        m_axil_wready,
    input wire [1:0]  m_axil_bresp,
    input wire        m_axil_bvalid,
    input wire        m_axil_arready,
    input wire        rbit,
    input wire [1:0]  m_axil_rresp,
    input wire        m_axil_rvalid
);

    localparam int ADDR_W   = 2;
    localparam int ASK_W    = 1 + 4 + 32 + 3 + ADDR_W;
    localparam int ANSWER_W = 34;
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    wire              s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid;
    wire [1:0]        s_axil_bresp, s_axil_rresp;
    wire [31:0]       s_axil_rdata, m_axil_wdata;
    wire              m_axil_awvalid, m_axil_wvalid, m_axil_bready, m_axil_arvalid, m_axil_rready;
    wire [ADDR_W-1:0] m_axil_awaddr, m_axil_araddr;
    wire [2:0]        m_axil_awprot, m_axil_arprot;
    wire [3:0]        m_axil_wstrb;

    axil_cdc #(.ADDR_W(ADDR_W), .DATA_W(32), .SYNC_STAGES(SYNC_STAGES)) u_dut (
        .s_axil_aclk(s_axil_aclk), .s_axil_aresetn(s_axil_aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot({3{wbit}}), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata({32{wbit}}), .s_axil_wstrb({4{wbit}}),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot({3{wbit}}), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .m_axil_aclk(m_axil_aclk), .m_axil_aresetn(m_axil_aresetn),
        .m_axil_awaddr(m_axil_awaddr), .m_axil_awprot(m_axil_awprot), .m_axil_awvalid(m_axil_awvalid),
        .m_axil_awready(m_axil_awready), .m_axil_wdata(m_axil_wdata), .m_axil_wstrb(m_axil_wstrb),
        .m_axil_wvalid(m_axil_wvalid), .m_axil_wready(m_axil_wready), .m_axil_bresp(m_axil_bresp),
        .m_axil_bvalid(m_axil_bvalid), .m_axil_bready(m_axil_bready), .m_axil_araddr(m_axil_araddr),
        .m_axil_arprot(m_axil_arprot), .m_axil_arvalid(m_axil_arvalid), .m_axil_arready(m_axil_arready),
        .m_axil_rdata({32{rbit}}), .m_axil_rresp(m_axil_rresp), .m_axil_rvalid(m_axil_rvalid),
        .m_axil_rready(m_axil_rready)
    );

    // formal.toml connects these to signals of the block, and the first flops of the synchronisers to ours.
    wire                s_toggle, m_toggle, s_takes, m_takes;
    wire [ASK_W-1:0]    s_ask;
    wire [ANSWER_W-1:0] m_answer;

    always_comb assume (aclk);

    // ---- metastability
    (* anyseq *) logic s_late, m_late;
    logic s_before_q, m_before_q, s_meta_q, m_meta_q;

    initial {s_before_q, m_before_q, s_meta_q, m_meta_q} = 4'b0000;
    always_ff @(posedge aclk) {s_before_q, m_before_q} <= {s_toggle, m_toggle};
    always_ff @(posedge s_axil_aclk) s_meta_q <= s_late ? m_before_q : m_toggle;
    always_ff @(posedge m_axil_aclk) m_meta_q <= m_late ? s_before_q : s_toggle;

    logic                started_q, m_took_q, s_took_q;
    logic [ASK_W-1:0]    ask_before_q;
    logic [ANSWER_W-1:0] answer_before_q;

    initial {started_q, m_took_q, s_took_q} = 3'b000;
    always_ff @(posedge aclk) begin
        started_q       <= 1'b1;
        ask_before_q    <= s_ask;
        answer_before_q <= m_answer;
        m_took_q        <= m_axil_aclk && m_takes;
        s_took_q        <= s_axil_aclk && s_takes;
    end
    always_comb if (started_q) begin
        if (m_axil_aclk && m_takes) still_ask:      assert (s_ask == ask_before_q);
        if (m_took_q)               still_ask_then: assert (s_ask == ask_before_q);
        if (s_axil_aclk && s_takes) still_answer:      assert (m_answer == answer_before_q);
        if (s_took_q)               still_answer_then: assert (m_answer == answer_before_q);
    end

    // ---- the host
    logic              owed_q, write_q, bit_q;     // an answer is owed; the request that was taken last
    logic [ADDR_W-1:0] addr_q;
    logic              b_left_q, r_left_q;         // an answer was not taken yet
    logic [1:0]        bresp_q, rresp_q;
    logic [31:0]       rdata_q;

    wire s_up   = s_axil_aclk && s_axil_aresetn;
    wire w_take = s_up && s_axil_awvalid && s_axil_awready;
    wire r_take = s_up && s_axil_arvalid && s_axil_arready;
    wire b_new  = s_axil_bvalid && !b_left_q;
    wire r_new  = s_axil_rvalid && !r_left_q;

    initial {owed_q, b_left_q, r_left_q} = 3'b000;
    always_ff @(posedge s_axil_aclk) begin
        owed_q   <= s_axil_aresetn && (w_take || r_take || (owed_q && !b_new && !r_new));
        b_left_q <= s_axil_aresetn && s_axil_bvalid && !s_axil_bready;
        r_left_q <= s_axil_aresetn && s_axil_rvalid && !s_axil_rready;
        bresp_q  <= s_axil_bresp;
        rresp_q  <= s_axil_rresp;
        rdata_q  <= s_axil_rdata;
        if (w_take || r_take) {write_q, bit_q, addr_q} <= {w_take, wbit, w_take ? s_axil_awaddr : s_axil_araddr};
    end
    always_comb if (s_axil_awready) assume (s_axil_awvalid == s_axil_wvalid);

    // ---- the slaves
    logic flying_q;                        // the request has been taken, and not answered on the slaves' side
    logic issued_q, cut_q;                 // it has been offered to the slaves; and was cut short by a reset
    logic aw_took_q, w_took_q, ar_took_q;  // what a slave took of it
    logic reset_q;                         // the slaves' side was reset while it was under way
    logic said_q, said_bit_q;              // the slave has answered
    logic [1:0] code_q;
    logic m_up_q;                          // the last edge of m_axil_aclk was out of reset
    logic [2:0] open_q;                    // VALID without READY at that edge
    logic [2*ADDR_W+41:0] held_q;

    wire m_up    = m_axil_aclk && m_axil_aresetn;
    wire [2:0] valid = {m_axil_arvalid, m_axil_wvalid, m_axil_awvalid};
    wire [2:0] ready = {m_axil_arready, m_axil_wready, m_axil_awready};
    wire b_take  = m_up && m_axil_bvalid && m_axil_bready;
    wire r_reply = m_up && m_axil_rvalid && m_axil_rready;
    wire landed  = m_toggle == s_toggle;
    wire [2*ADDR_W+41:0] payload = {
        m_axil_awaddr, m_axil_awprot, m_axil_araddr, m_axil_arprot, m_axil_wstrb, m_axil_wdata
    };

    initial {issued_q, cut_q, aw_took_q, w_took_q, ar_took_q, reset_q, said_q, m_up_q} = 8'b0000_0000;
    initial open_q = 3'b000;
    always_ff @(posedge aclk) begin
        if (w_take || r_take) {issued_q, cut_q, aw_took_q, w_took_q, ar_took_q, reset_q, said_q} <= 7'b000_0000;
        else if (m_axil_aclk) begin
            issued_q  <= issued_q || valid != 3'b000;
            cut_q     <= cut_q || (!m_axil_aresetn && (issued_q || valid != 3'b000));
            aw_took_q <= aw_took_q || (m_up && valid[0] && ready[0]);
            w_took_q  <= w_took_q || (m_up && valid[1] && ready[1]);
            ar_took_q <= ar_took_q || (m_up && valid[2] && ready[2]);
            reset_q   <= reset_q || !m_axil_aresetn;
            if (b_take || r_reply) {said_q, said_bit_q, code_q} <= {1'b1, rbit, b_take ? m_axil_bresp : m_axil_rresp};
        end
        if (m_axil_aclk) begin
            m_up_q <= m_axil_aresetn;
            open_q <= m_axil_aresetn ? valid & ~ready : 3'b000;
            held_q <= payload;
        end
    end
    always_comb flying_q = !landed;

    always_comb begin
        whole: assert (s_axil_awready == s_axil_wready && !(s_axil_awready && s_axil_arready));
        if (w_take || r_take) one: assert (!owed_q && !flying_q);
        if (valid != 3'b000) place: assert (
            flying_q && (write_q ? !valid[2] : valid == 3'b100)
            && (!valid[0] || (m_axil_awaddr == addr_q && m_axil_awprot == {3{bit_q}}))
            && (!valid[1] || (m_axil_wdata == {32{bit_q}} && m_axil_wstrb == {4{bit_q}}))
            && (!valid[2] || (m_axil_araddr == addr_q && m_axil_arprot == {3{bit_q}})));
        once: assert (!(valid[0] && aw_took_q) && !(valid[1] && w_took_q) && !(valid[2] && ar_took_q)
                      && !(cut_q && valid != 3'b000));
        stays: assert ((open_q & ~valid) == 3'b000 && (open_q == 3'b000 || payload == held_q));
        if (b_new) answer_b: assert (owed_q && write_q && (said_q ? s_axil_bresp == code_q
                                                           : reset_q && s_axil_bresp == SLVERR));
        if (r_new) answer_r: assert (owed_q && !write_q && (
            said_q ? s_axil_rresp == code_q && s_axil_rdata == {32{said_bit_q}}
                   : reset_q && s_axil_rresp == SLVERR && s_axil_rdata == '0));
        if (b_left_q) hold_b: assert (s_axil_bvalid && s_axil_bresp == bresp_q);
        if (r_left_q) hold_r: assert (s_axil_rvalid && s_axil_rresp == rresp_q && s_axil_rdata == rdata_q);

        cover_write: cover (b_new && said_q && s_axil_bresp == OKAY);
        cover_read:  cover (r_new && said_q && s_axil_rdata == '1);
        cover_cut:   cover (b_new && cut_q);
        cover_reset: cover (r_new && reset_q && !issued_q);
        cover_both:  cover (b_new && said_q && reset_q);
    end

    // ---- progress
    generate
        if (FAIR > 0) begin : g_fair
            logic [$clog2(FAIR+1)-1:0]   s_idle_q, m_idle_q;
            logic [$clog2(SLOW+2)-1:0]   take_q, reply_q;
            logic [$clog2(WITHIN+2)-1:0] waited_q;

            logic w_open_q, r_open_q;

            wire asked  = (s_axil_awvalid && s_axil_wvalid) || s_axil_arvalid || owed_q;
            wire silent = (m_axil_bready && !m_axil_bvalid) || (m_axil_rready && !m_axil_rvalid);

            initial {w_open_q, r_open_q} = 2'b00;
            initial {s_idle_q, m_idle_q, take_q, reply_q, waited_q} = '0;
            always_ff @(posedge aclk) begin
                s_idle_q <= s_axil_aclk ? '0 : s_idle_q + 1'b1;
                m_idle_q <= m_axil_aclk ? '0 : m_idle_q + 1'b1;
                waited_q <= !asked || s_axil_bvalid || s_axil_rvalid || (s_axil_aclk && !s_axil_aresetn)
                            ? '0 : waited_q + 1'b1;
                if (s_axil_aclk) begin
                    w_open_q <= s_axil_aresetn && s_axil_awvalid && s_axil_wvalid && !s_axil_awready;
                    r_open_q <= s_axil_aresetn && s_axil_arvalid && !s_axil_arready;
                end
                if (m_axil_aclk) begin
                    take_q  <= (valid & ~ready) == 3'b000 || !m_axil_aresetn ? '0 : take_q + 1'b1;
                    reply_q <= !silent || !m_axil_aresetn ? '0 : reply_q + 1'b1;
                end
            end
            always_comb begin
                if (32'(s_idle_q) == FAIR - 1) assume (s_axil_aclk);
                if (32'(m_idle_q) == FAIR - 1) assume (m_axil_aclk);
                if (32'(take_q) == SLOW) assume ((valid & ~ready) == 3'b000);
                if (32'(reply_q) == SLOW) assume (!silent);
                assume (s_axil_bready && s_axil_rready);
                // A host that keeps the rules: what it asks stays until it is taken.
                if (w_open_q) assume (s_axil_awvalid && s_axil_wvalid);
                if (r_open_q) assume (s_axil_arvalid);
                progress: assert (32'(waited_q) < WITHIN);
            end
        end
    endgenerate

endmodule

`default_nettype wire
