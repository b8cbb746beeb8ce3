// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axil_crossbar - the proof of axil_crossbar and of trees: no access hangs, no answer goes astray.
//
// Three slaves: A at 16 to 19, B at 24 to 27, C at 28 and 29; the other addresses of 0 to 31 are holes. SHAPE says what
// they hang on: one axil_crossbar, or two axil_nodes, of which the second has B and C, with registers in neither, in the
// first or in the second.
// The host is free: it need not even keep VALID up. Of payload and data all bits are equal; a swapped bit is for the
// benches. With LIVE the ports of a tree are shut at any time too. The slaves are free, but with POLITE they give an
// answer only for a request that they took, once, and keep it until it is taken. Asserted whatever the slaves do, of the
// host's side:
//   hang_w, hang_r     an access is answered within WITHIN cycles, unless the host leaves the answer before it
//   ready_*            a channel takes a request whenever none is held: a hung one would never again
//   late_b, late_r     no answer without an access, none twice
//   hold_b, hold_r     an answer stays until it is taken
//   hole_b, hole_r     DECERR for a hole, and no data
// and of each slave's side, the last four with POLITE only:
//   place, value       a request carries address, kind, data and strobes of the host's access, and is for this slave
//   withdrawn          VALID falls without READY only in the access's last cycles, or when the port is shut, and of all
//                      channels at once
//   alone              only one slave sees VALID
//   single             no request before the last was answered
//   half               no request after one that was withdrawn and not taken as a whole
//   taken              an answer to the access in progress is what the host gets, at once
//   astray             the host gets SLVERR and no data without one
`default_nettype none

module formal_axil_crossbar #(
    parameter int SHAPE   = 0,  // ONE_NODE and its like, see below
    parameter int TIMEOUT = 8,
    parameter bit POLITE  = 1,
    parameter bit LIVE    = 1
) (
    input wire       aclk,
    input wire       aresetn,
    input wire [4:0] s_axil_awaddr,
    input wire       s_axil_awvalid,
    input wire       wbit,
    input wire       wstrb_bit,
    input wire       s_axil_wvalid,
    input wire       s_axil_bready,
    input wire [4:0] s_axil_araddr,
    input wire       s_axil_arvalid,
    input wire       s_axil_rready,
    input wire [2:0] m_axil_awready,
    input wire [2:0] m_axil_wready,
    input wire [5:0] m_axil_bresp,
    input wire [2:0] m_axil_bvalid,
    input wire [2:0] m_axil_arready,
    input wire [2:0] rbit,
    input wire [5:0] m_axil_rresp,
    input wire [2:0] m_axil_rvalid,
    input wire       shut
);

    localparam int ONE_NODE    = 0;
    localparam int TWO_NODES   = 1;
    localparam int FIRST_LATE  = 2;
    localparam int SECOND_LATE = 3;
    localparam int LATE    = SHAPE > TWO_NODES ? 1 : 0;  // cycles from the node's end of an access to the root's
    localparam int ACCESS  = TIMEOUT + 4 + LATE;
    localparam int WITHIN  = 2 * ACCESS + 2;
    localparam int COUNT_W = $clog2(WITHIN + 2);
    localparam int AGE_W   = $clog2(TIMEOUT + 2);
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    wire        s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid;
    wire [1:0]  s_axil_bresp, s_axil_rresp;
    wire [31:0] s_axil_rdata;
    wire [95:0] m_axil_rdata = {{32{rbit[2]}}, {32{rbit[1]}}, {32{rbit[0]}}};
    wire [2:0]  m_axil_awvalid, m_axil_wvalid, m_axil_bready, m_axil_arvalid, m_axil_rready;
    wire [4:0]  awaddr, araddr;
    wire [3:0]  wstrb;
    wire [2:0]  awprot, arprot;
    wire [31:0] wdata;

    generate
        if (SHAPE == ONE_NODE) begin : g_crossbar
            wire [14:0] awaddrs, araddrs;
            wire [11:0] wstrbs;
            wire [8:0]  awprots, arprots;
            wire [95:0] wdatas;
            assign {awaddr, araddr, wstrb} = {awaddrs[4:0], araddrs[4:0], wstrbs[3:0]};
            assign {awprot, arprot, wdata} = {awprots[2:0], arprots[2:0], wdatas[31:0]};
            axil_crossbar #(
                .N(3), .ADDR_W(5), .BASES({5'd28, 5'd24, 5'd16}), .SIZES_LOG2({8'd1, 8'd2, 8'd2}), .TIMEOUT(TIMEOUT)
            ) u_dut (
                .aclk(aclk), .aresetn(aresetn),
                .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot({3{wbit}}), .s_axil_awvalid(s_axil_awvalid),
                .s_axil_awready(s_axil_awready), .s_axil_wdata({32{wbit}}), .s_axil_wstrb({4{wstrb_bit}}),
                .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
                .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
                .s_axil_arprot({3{wbit}}), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
                .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
                .s_axil_rready(s_axil_rready),
                .m_axil_awaddr(awaddrs), .m_axil_awprot(awprots), .m_axil_awvalid(m_axil_awvalid),
                .m_axil_awready(m_axil_awready), .m_axil_wdata(wdatas), .m_axil_wstrb(wstrbs),
                .m_axil_wvalid(m_axil_wvalid), .m_axil_wready(m_axil_wready), .m_axil_bresp(m_axil_bresp),
                .m_axil_bvalid(m_axil_bvalid), .m_axil_bready(m_axil_bready), .m_axil_araddr(araddrs),
                .m_axil_arprot(arprots), .m_axil_arvalid(m_axil_arvalid), .m_axil_arready(m_axil_arready),
                .m_axil_rdata(m_axil_rdata), .m_axil_rresp(m_axil_rresp), .m_axil_rvalid(m_axil_rvalid),
                .m_axil_rready(m_axil_rready)
            );
        end else begin : g_tree
            wire        start, write, expired;
            wire [3:0]  addr;
            wire        up_wait, up_last, up_hole, up_bvalid, up_rvalid;
            wire        b_wait, b_last, b_hole, b_bvalid, b_rvalid;
            wire [1:0]  up_bresp, up_rresp, b_bresp, b_rresp;
            wire [31:0] up_rdata, b_rdata;
            wire [4:0]  unasked;  // requests of the first node to its branch
            axil_root #(
                .ADDR_W(5), .DATA_W(32), .SPAN_LOG2(4), .BASE(5'd16), .TIMEOUT(TIMEOUT)
            ) u_root (
                .aclk(aclk), .aresetn(aresetn),
                .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot({3{wbit}}), .s_axil_awvalid(s_axil_awvalid),
                .s_axil_awready(s_axil_awready), .s_axil_wdata({32{wbit}}), .s_axil_wstrb({4{wstrb_bit}}),
                .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
                .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
                .s_axil_arprot({3{wbit}}), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
                .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
                .s_axil_rready(s_axil_rready),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr),
                .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_wdata(wdata), .m_axil_wstrb(wstrb),
                .m_axil_araddr(araddr), .m_axil_arprot(arprot),
                .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp),
                .up_bvalid(up_bvalid), .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid)
            );
            axil_node #(
                .N(2), .ADDR_W(4), .BASES({4'd8, 4'd0}), .SIZES_LOG2({8'd3, 8'd2}), .BRANCHES(2'b10), .REG_EN(SHAPE == FIRST_LATE)
            ) u_first (
                .aclk(aclk), .aresetn(aresetn),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr), .shut(shut && LIVE),
                .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp),
                .up_bvalid(up_bvalid), .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid),
                .m_axil_awvalid({unasked[0], m_axil_awvalid[0]}), .m_axil_awready({b_wait, m_axil_awready[0]}),
                .m_axil_wvalid({unasked[1], m_axil_wvalid[0]}), .m_axil_wready({b_last, m_axil_wready[0]}),
                .m_axil_bresp({b_bresp, m_axil_bresp[1:0]}), .m_axil_bvalid({b_bvalid, m_axil_bvalid[0]}),
                .m_axil_bready({unasked[2], m_axil_bready[0]}),
                .m_axil_arvalid({unasked[3], m_axil_arvalid[0]}), .m_axil_arready({b_hole, m_axil_arready[0]}),
                .m_axil_rdata({b_rdata, m_axil_rdata[31:0]}), .m_axil_rresp({b_rresp, m_axil_rresp[1:0]}),
                .m_axil_rvalid({b_rvalid, m_axil_rvalid[0]}), .m_axil_rready({unasked[4], m_axil_rready[0]})
            );
            axil_node #(
                .N(2), .ADDR_W(4), .BASES({4'd12, 4'd8}), .SIZES_LOG2({8'd1, 8'd2}), .REG_EN(SHAPE == SECOND_LATE)
            ) u_second (
                .aclk(aclk), .aresetn(aresetn),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr), .shut(shut && LIVE),
                .up_wait(b_wait), .up_last(b_last), .up_hole(b_hole), .up_bresp(b_bresp),
                .up_bvalid(b_bvalid), .up_rdata(b_rdata), .up_rresp(b_rresp), .up_rvalid(b_rvalid),
                .m_axil_awvalid(m_axil_awvalid[2:1]), .m_axil_awready(m_axil_awready[2:1]),
                .m_axil_wvalid(m_axil_wvalid[2:1]), .m_axil_wready(m_axil_wready[2:1]),
                .m_axil_bresp(m_axil_bresp[5:2]), .m_axil_bvalid(m_axil_bvalid[2:1]),
                .m_axil_bready(m_axil_bready[2:1]), .m_axil_arvalid(m_axil_arvalid[2:1]),
                .m_axil_arready(m_axil_arready[2:1]), .m_axil_rdata(m_axil_rdata[95:32]),
                .m_axil_rresp(m_axil_rresp[5:2]), .m_axil_rvalid(m_axil_rvalid[2:1]),
                .m_axil_rready(m_axil_rready[2:1])
            );
        end
    endgenerate

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    // ---- the host's side -------------------------------------------------------------------------

    function automatic logic [2:0] slave_of(input logic [4:0] addr);
        slave_of = {addr[4:1] == 4'b1110, addr[4:2] == 3'b110, addr[4:2] == 3'b100};
    endfunction

    logic               up_q, booted_q;               // out of reset for one cycle, for two
    logic               aw_q, w_q, ar_q;              // a request is held, of which the answer did not come yet
    logic [4:0]         awaddr_q, araddr_q;
    logic               wbit_q, wstrb_q, awprot_q, arprot_q;
    logic               b_left_q, r_left_q;           // an answer was not taken in the cycle before
    logic [1:0]         bresp_q, rresp_q;
    logic [31:0]        rdata_q;
    logic [COUNT_W-1:0] w_count_q, r_count_q;

    wire b_new = s_axil_bvalid && !b_left_q;
    wire r_new = s_axil_rvalid && !r_left_q;
    wire aw_in = s_axil_awvalid && s_axil_awready;
    wire w_in  = s_axil_wvalid && s_axil_wready;
    wire ar_in = s_axil_arvalid && s_axil_arready;

    always_ff @(posedge aclk) begin
        up_q     <= aresetn;
        booted_q <= aresetn && up_q;
        aw_q     <= aresetn && (aw_in || (aw_q && !b_new));
        w_q      <= aresetn && (w_in || (w_q && !b_new));
        ar_q     <= aresetn && (ar_in || (ar_q && !r_new));
        if (aw_in) {awprot_q, awaddr_q} <= {wbit, s_axil_awaddr};
        if (w_in)  {wstrb_q, wbit_q}    <= {wstrb_bit, wbit};
        if (ar_in) {arprot_q, araddr_q} <= {wbit, s_axil_araddr};
        b_left_q <= aresetn && s_axil_bvalid && !s_axil_bready;
        r_left_q <= aresetn && s_axil_rvalid && !s_axil_rready;
        bresp_q  <= s_axil_bresp;
        rresp_q  <= s_axil_rresp;
        rdata_q  <= s_axil_rdata;
        w_count_q <= aresetn && aw_q && w_q && !s_axil_bvalid ? w_count_q + 1'b1 : '0;
        r_count_q <= aresetn && ar_q && !s_axil_rvalid ? r_count_q + 1'b1 : '0;
    end

    wire on = aresetn && up_q;

    generate
        if (LIVE) begin : g_live
            always_comb if (on) hang_w: assert (w_count_q < COUNT_W'(WITHIN));
            always_comb if (on) hang_r: assert (r_count_q < COUNT_W'(WITHIN));
        end
    endgenerate
    always_comb if (on && booted_q) ready_aw: assert (s_axil_awready == (!aw_q || b_new));
    always_comb if (on && booted_q) ready_w:  assert (s_axil_wready == (!w_q || b_new));
    always_comb if (on && booted_q) ready_ar: assert (s_axil_arready == (!ar_q || r_new));
    always_comb if (on && b_new) late_b: assert (aw_q && w_q);
    always_comb if (on && r_new) late_r: assert (ar_q);
    always_comb if (on && b_left_q) hold_b: assert (s_axil_bvalid && s_axil_bresp == bresp_q);
    always_comb if (on && r_left_q)
        hold_r: assert (s_axil_rvalid && s_axil_rresp == rresp_q && s_axil_rdata == rdata_q);
    always_comb if (on && b_new && slave_of(awaddr_q) == '0) hole_b: assert (s_axil_bresp == DECERR);
    always_comb if (on && r_new && slave_of(araddr_q) == '0)
        hole_r: assert (s_axil_rresp == DECERR && s_axil_rdata == '0);

    always_comb cover_write: cover (on && b_new && s_axil_bresp == OKAY);
    always_comb cover_read: cover (on && r_new && s_axil_rresp == OKAY && s_axil_rdata == '1);
    always_comb cover_hole: cover (on && r_new && slave_of(araddr_q) == '0);
    always_comb cover_slverr: cover (on && b_new && s_axil_bresp == SLVERR);

    // ---- the slaves' side ------------------------------------------------------------------------

    // What the slave of the access in progress has just answered, as the host must see it LATE + 1 cycles later.
    wire  [2:0] fresh_b, fresh_r;
    logic       b_due_q, r_due_q, b_due, r_due;
    logic [1:0] b_code_q, r_code_q, b_code, r_code;
    logic       r_bit_q, r_bit;

    wire  [2:0] wrong_aw, wrong_ar, wrong_w, early, again, after, late, refused;
    wire  [2:0] asked = m_axil_awvalid | m_axil_wvalid | m_axil_arvalid;
    // Ports were shut in the access.
    logic seen_q;
    always_ff @(posedge aclk)
        seen_q <= aresetn && ((shut && LIVE && SHAPE != ONE_NODE) || (seen_q && (aw_q || w_q || ar_q || b_new || r_new)));

    always_comb if (on) alone: assert ((asked & (asked - 3'd1)) == 3'd0);

    generate
        for (genvar k = 0; k < 3; k++) begin : g_slave
            logic             aw_took_q, w_took_q, ar_took_q;     // taken, and not answered yet
            logic             stale_q;                            // of an access that is over
            logic             came_q;                             // a late answer was discarded in this access
            logic             half_q;                             // withdrawn, and not taken as a whole before
            logic             aw_open_q, w_open_q, ar_open_q;     // valid without ready in the cycle before
            logic             b_open_q, r_open_q;
            logic [1:0]       b_resp_q, r_resp_q;
            logic             r_data_q;
            logic [AGE_W-1:0] age_q;                              // cycles since the request came

            wire aw_take = m_axil_awvalid[k] && m_axil_awready[k];
            wire w_take  = m_axil_wvalid[k] && m_axil_wready[k];
            wire ar_take = m_axil_arvalid[k] && m_axil_arready[k];
            wire b_take  = m_axil_bvalid[k] && m_axil_bready[k];
            wire r_take  = m_axil_rvalid[k] && m_axil_rready[k];
            wire fell    = (aw_open_q && !m_axil_awvalid[k]) || (w_open_q && !m_axil_wvalid[k])
                           || (ar_open_q && !m_axil_arvalid[k]);
            // The access is over for this node, which the host learns LATE cycles later.
            wire idle    = !asked[k] && !m_axil_bready[k];

            always_ff @(posedge aclk) begin
                aw_took_q <= aresetn && (aw_take || (aw_took_q && !b_take));
                w_took_q  <= aresetn && (w_take || (w_took_q && !b_take));
                ar_took_q <= aresetn && (ar_take || (ar_took_q && !r_take));
                aw_open_q <= aresetn && m_axil_awvalid[k] && !m_axil_awready[k];
                w_open_q  <= aresetn && m_axil_wvalid[k] && !m_axil_wready[k];
                ar_open_q <= aresetn && m_axil_arvalid[k] && !m_axil_arready[k];
                b_open_q  <= aresetn && m_axil_bvalid[k] && !m_axil_bready[k];
                r_open_q  <= aresetn && m_axil_rvalid[k] && !m_axil_rready[k];
                b_resp_q  <= m_axil_bresp[k*2 +: 2];
                r_resp_q  <= m_axil_rresp[k*2 +: 2];
                r_data_q  <= rbit[k];
                // Between the last handshake and the answer, a slave is not asked and READY is up for the answer.
                stale_q   <= aresetn && (stale_q ? !(b_take || r_take)
                                         : (aw_took_q || w_took_q || ar_took_q) && idle);
                came_q    <= aresetn && !b_new && !r_new && (came_q || b_take || r_take);
                half_q    <= aresetn && (half_q || fell);
                age_q     <= !aresetn || !asked[k] ? '0 : (&age_q ? age_q : age_q + 1'b1);
            end

            always_comb if (POLITE && aresetn) begin
                if (m_axil_bvalid[k]) assume (aw_took_q && w_took_q);
                if (m_axil_rvalid[k]) assume (ar_took_q);
                if (b_open_q) assume (m_axil_bvalid[k] && m_axil_bresp[k*2 +: 2] == b_resp_q);
                if (r_open_q)
                    assume (m_axil_rvalid[k] && m_axil_rresp[k*2 +: 2] == r_resp_q && rbit[k] == r_data_q);
            end

            assign fresh_b[k] = b_take && !stale_q;
            assign fresh_r[k] = r_take && !stale_q;

            wire mine_w = aw_q && w_q && slave_of(awaddr_q) == 3'd1 << k;
            wire mine_r = ar_q && slave_of(araddr_q) == 3'd1 << k;
            assign wrong_aw[k] = m_axil_awvalid[k]
                                 && !(mine_w && awaddr == awaddr_q && awprot == {3{awprot_q}});
            assign wrong_ar[k] = m_axil_arvalid[k]
                                 && !(mine_r && araddr == araddr_q && arprot == {3{arprot_q}});
            assign wrong_w[k]  = m_axil_wvalid[k]
                                 && !(mine_w && wdata == {32{wbit_q}} && wstrb == {4{wstrb_q}});
            assign early[k]    = fell && (asked[k] || age_q < (came_q ? AGE_W'(TIMEOUT - 6) : AGE_W'(TIMEOUT - 1)));
            assign again[k]    = asked[k] && !aw_open_q && !w_open_q && !ar_open_q
                                 && (aw_took_q || w_took_q || ar_took_q);
            assign after[k]    = asked[k] && half_q;
            assign late[k]     = stale_q && b_take;
            assign refused[k]  = half_q && b_new && slave_of(awaddr_q) == 3'd1 << k;
        end
    endgenerate

    always_comb if (on) place_aw:  assert (wrong_aw == '0);
    always_comb if (on) place_ar:  assert (wrong_ar == '0);
    always_comb if (on) value:     assert (wrong_w == '0);
    always_comb if (on) withdrawn: assert (early == '0 || seen_q);

    generate
        if (POLITE) begin : g_polite
            always_comb if (on) single: assert (again == '0);
            always_comb if (on) half:   assert (after == '0);
            always_comb cover_late: cover (on && late != '0);
            always_comb cover_half: cover (on && refused != '0);
        end
    endgenerate

    logic       b_first_q, r_first_q;
    logic [1:0] b_first_code_q, r_first_code_q;
    logic       r_first_bit_q;

    always_comb begin
        b_code = '0;
        r_code = '0;
        r_bit  = 1'b0;
        for (int k = 0; k < 3; k++) begin
            if (fresh_b[k]) b_code = b_code | m_axil_bresp[k*2 +: 2];
            if (fresh_r[k]) r_code = r_code | m_axil_rresp[k*2 +: 2];
            if (fresh_r[k]) r_bit  = r_bit | rbit[k];
        end
        b_due = fresh_b != '0;
        r_due = fresh_r != '0;
    end

    wire b_slow = SHAPE == FIRST_LATE ? fresh_b != '0 : SHAPE == SECOND_LATE && fresh_b[2:1] != '0;
    wire r_slow = SHAPE == FIRST_LATE ? fresh_r != '0 : SHAPE == SECOND_LATE && fresh_r[2:1] != '0;

    always_ff @(posedge aclk) begin
        b_first_q      <= aresetn && b_slow;
        r_first_q      <= aresetn && r_slow;
        b_first_code_q <= b_code;
        r_first_code_q <= r_code;
        r_first_bit_q  <= r_bit;
        b_due_q        <= aresetn && ((b_due && !b_slow) || b_first_q);
        r_due_q        <= aresetn && ((r_due && !r_slow) || r_first_q);
        b_code_q       <= b_first_q ? b_first_code_q : b_code;
        r_code_q       <= r_first_q ? r_first_code_q : r_code;
        r_bit_q        <= r_first_q ? r_first_bit_q : r_bit;
    end

    generate
        if (POLITE) begin : g_answers
            always_comb if (on && b_due_q) taken_b: assert (b_new && s_axil_bresp == b_code_q);
            always_comb if (on && r_due_q)
                taken_r: assert (r_new && s_axil_rresp == r_code_q && s_axil_rdata == {32{r_bit_q}});
            always_comb if (on && b_new && !b_due_q)
                astray_b: assert (s_axil_bresp == (slave_of(awaddr_q) == '0 ? DECERR : SLVERR));
            always_comb if (on && r_new && !r_due_q)
                astray_r: assert (s_axil_rresp == (slave_of(araddr_q) == '0 ? DECERR : SLVERR)
                                  && s_axil_rdata == '0);
        end
    endgenerate

endmodule

`default_nettype wire
