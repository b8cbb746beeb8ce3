// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axil_node - the proof of axil_node by itself, under any root that keeps the rules of one.
//
// Two slaves and a branch: slave 0 at 4 to 7, slave 1 at 12 and 13, which `shut` does not concern, the branch at 8 to
// 11; the other addresses of 0 to 15 are holes. The root is free within its rules: one access at a time, address and
// kind stay until the cycle after the end, an access expires between EARLIEST and LIMIT. `shut` may rise at any time, for
// 8 cycles or more, and from its second cycle on slave 0 is in reset.
// The slaves are free, but with POLITE they give an answer only for a request that they took as a whole, once, and keep
// it until it is taken. Of payload and data all bits are equal; a swapped bit is for the bench. Asserted:
//   place        only the slave of the address sees VALID, of the kind of the access, while the access lasts
//   withdrawn    VALID falls without READY only when the access expires or the port is shut, of all channels at once
//   closed       a port that is shut for two cycles shows no VALID
//   branch       what a branch says goes up as it is, and a branch sees no VALID and no READY
//   hole         an address without a window ends in a hole, every other one does not
//   hang         an access ends LATE + 1 cycles after it has expired at the latest
// and with POLITE:
//   asks         a slave without an outstanding answer is asked at once
//   single       no request while an older one is outstanding
//   half         no request after one that was withdrawn and not taken as a whole, but after the port was shut
//   quick        an access to a slave with an outstanding answer that does not come, or to a closed port, ends
//                in 3 + LATE cycles
//   taken        the answer of the access goes up as it is, and ends it
//   astray       no other answer does
`default_nettype none

module formal_axil_node #(
    parameter bit REG_EN   = 0,
    parameter bit POLITE   = 1,
    parameter int EARLIEST = 6,  // cycle after the start in which axil_root with the shortest TIMEOUT lets an access expire
    parameter int LIMIT    = 8
) (
    input wire       aclk,
    input wire       aresetn,
    input wire       tree_start,
    input wire       tree_write,
    input wire       tree_expired,
    input wire [3:0] tree_addr,
    input wire       shut,
    input wire       branch_wait,
    input wire       branch_last,
    input wire       branch_hole,
    input wire [2:0] m_axil_bvalid,   // of the slaves and the branch
    input wire [5:0] m_axil_bresp,
    input wire [2:0] m_axil_rvalid,
    input wire [5:0] m_axil_rresp,
    input wire [2:0] rbit,
    input wire [1:0] m_axil_awready,  // of the slaves
    input wire [1:0] m_axil_wready,
    input wire [1:0] m_axil_arready
);

    localparam int LATE   = REG_EN ? 1 : 0;  // cycles that registers in the answer cost
    localparam int AGE_W  = $clog2(LIMIT + 6);
    localparam int SLAVES = 2;
    localparam int BRANCH = 2;
    localparam bit [SLAVES-1:0] KEPT = 2'b10;

    wire        up_wait, up_last, up_hole, up_bvalid, up_rvalid;
    wire [1:0]  up_bresp, up_rresp;
    wire [31:0] up_rdata;
    wire [2:0]  m_axil_awvalid, m_axil_wvalid, m_axil_bready, m_axil_arvalid, m_axil_rready;

    axil_node #(
        .N(3), .ADDR_W(4), .DATA_W(32), .BASES({4'd8, 4'd12, 4'd4}), .SIZES_LOG2({8'd2, 8'd1, 8'd2}),
        .BRANCHES(3'b100), .KEEPS({1'b0, KEPT}), .REG_EN(REG_EN)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .tree_start(tree_start), .tree_write(tree_write), .tree_expired(tree_expired), .tree_addr(tree_addr),
        .shut(shut),
        .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp), .up_bvalid(up_bvalid),
        .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid),
        .m_axil_awvalid(m_axil_awvalid), .m_axil_awready({branch_wait, m_axil_awready}),
        .m_axil_wvalid(m_axil_wvalid), .m_axil_wready({branch_last, m_axil_wready}),
        .m_axil_bresp(m_axil_bresp), .m_axil_bvalid(m_axil_bvalid), .m_axil_bready(m_axil_bready),
        .m_axil_arvalid(m_axil_arvalid), .m_axil_arready({branch_hole, m_axil_arready}),
        .m_axil_rdata({{32{rbit[2]}}, {32{rbit[1]}}, {32{rbit[0]}}}), .m_axil_rresp(m_axil_rresp),
        .m_axil_rvalid(m_axil_rvalid), .m_axil_rready(m_axil_rready)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    // ---- the root --------------------------------------------------------------------------------

    logic             up_q;            // out of reset for one cycle
    logic             run_q, ended_q;  // from the cycle after the start to the end; the cycle after that
    logic             write_q, expired_q;
    logic [3:0]       addr_q;
    logic [AGE_W-1:0] age_q;           // cycles since the start: 0 in the first after it
    logic [AGE_W-1:0] over_q;          // cycles since the access expired
    logic [2:0]       shut_count_q;    // cycles of shut up to here, at most 7
    logic             shut_q, shut_qq;

    wire answer = tree_write ? up_bvalid : up_rvalid;
    wire ended  = run_q && (answer ? up_wait : up_last);
    wire on     = aresetn && up_q;

    always_ff @(posedge aclk) begin
        up_q      <= aresetn;
        run_q     <= aresetn && (tree_start || (run_q && !ended));
        ended_q   <= aresetn && ended;
        write_q   <= tree_write;
        addr_q    <= tree_addr;
        expired_q <= aresetn && run_q && tree_expired;
        age_q     <= tree_start ? '0 : (&age_q ? age_q : age_q + 1'b1);
        over_q    <= run_q && (tree_expired || expired_q) ? over_q + 1'b1 : '0;
        shut_q    <= aresetn && shut;
        shut_qq   <= aresetn && shut_q;
        shut_count_q <= !aresetn || !shut ? '0 : (&shut_count_q ? shut_count_q : shut_count_q + 1'b1);
    end

    always_comb begin
        if (tree_start) assume (on && !run_q && !ended_q);
        if (run_q || ended_q) assume (tree_addr == addr_q && tree_write == write_q);
        if (run_q && 32'(age_q) < EARLIEST) assume (!tree_expired);
        if (run_q && (expired_q || 32'(age_q) >= LIMIT)) assume (tree_expired);
        if (shut_q && !(&shut_count_q) && aresetn) assume (shut);
        // A branch is a node too, and ends an access in the cycle after it has expired.
        if (run_q && over_q == AGE_W'(1)) assume (branch_wait && branch_last);
    end

    wire [2:0] window = {tree_addr[3:2] == 2'b10, tree_addr[3:1] == 3'b110, tree_addr[3:2] == 2'b01};

    always_comb if (on && run_q) hang: assert (32'(over_q) <= LATE + 1);
    always_comb if (on && ended && window == '0) hole: assert (up_hole && up_wait && up_last);
    always_comb if (on && ended && window[1:0] != '0) no_hole: assert (!up_hole);

    // ---- the branch ------------------------------------------------------------------------------

    wire [8:0] branch_says = {
        branch_wait, branch_last, branch_hole, m_axil_bvalid[BRANCH], m_axil_rvalid[BRANCH],
        m_axil_bresp[2*BRANCH +: 2], m_axil_rresp[2*BRANCH +: 2]
    };
    wire [8:0] up_says = {up_wait, up_last, up_hole, up_bvalid, up_rvalid, up_bresp, up_rresp};

    always_comb if (on) branch_unasked: assert (
        !m_axil_awvalid[BRANCH] && !m_axil_wvalid[BRANCH] && !m_axil_arvalid[BRANCH]
        && !m_axil_bready[BRANCH] && !m_axil_rready[BRANCH]);
    generate
        if (REG_EN) begin : g_late
            logic [8:0] branch_says_q;
            logic       branch_bit_q;
            always_ff @(posedge aclk) begin
                branch_says_q <= branch_says;
                branch_bit_q  <= rbit[BRANCH];
            end
            // In the first cycle the registers still hold what was said of another access, and end nothing.
            always_comb if (on && run_q && age_q == '0) first: assert (!up_wait && !up_last);
            always_comb if (on && run_q && age_q != '0 && window[BRANCH])
                branch: assert (up_says == branch_says_q && up_rdata == {32{branch_bit_q}});
        end else begin : g_now
            always_comb if (on && run_q && window[BRANCH])
                branch: assert (up_says == branch_says && up_rdata == {32{rbit[BRANCH]}});
        end
    endgenerate

    // ---- the slaves ------------------------------------------------------------------------------

    wire  [SLAVES-1:0] fresh_b, fresh_r, misplaced, early, unasked, again, after, slow, unshut;
    wire  [SLAVES-1:0] swallowed, reopened;
    wire  [SLAVES-1:0] owing;
    logic              seen_shut_q;  // shut, and open again

    always_ff @(posedge aclk) seen_shut_q <= aresetn && (seen_shut_q || (shut_qq && !shut_q));

    generate
        for (genvar k = 0; k < SLAVES; k++) begin : g_slave
            logic aw_took_q, w_took_q, ar_took_q;  // taken, and not answered yet
            logic aw_ours_q, w_ours_q, ar_ours_q;  // the same, of the access under way
            logic aw_open_q, w_open_q, ar_open_q;  // VALID without READY in the cycle before
            logic b_open_q, r_open_q, r_bit_q;
            logic [1:0] b_resp_q, r_resp_q;
            logic half_q, half_old_q;              // withdrawn, and not taken as a whole; before this access
            logic came_q, showed_q;                // an older answer was discarded in this access, has shown in it
            logic was_shut_q;                      // shut in this access

            wire aw_take = m_axil_awvalid[k] && m_axil_awready[k];
            wire w_take  = m_axil_wvalid[k] && m_axil_wready[k];
            wire ar_take = m_axil_arvalid[k] && m_axil_arready[k];
            wire b_take  = m_axil_bvalid[k] && m_axil_bready[k];
            wire r_take  = m_axil_rvalid[k] && m_axil_rready[k];
            wire fell    = (aw_open_q && !m_axil_awvalid[k]) || (w_open_q && !m_axil_wvalid[k])
                           || (ar_open_q && !m_axil_arvalid[k]);
            wire asked   = m_axil_awvalid[k] || m_axil_wvalid[k] || m_axil_arvalid[k];
            wire closing = !KEPT[k] && (shut || shut_q || shut_qq);
            wire alive   = aresetn && !(shut_q && !KEPT[k]);  // the slave is not in reset
            wire mine    = run_q && window[k];
            // Of an access that is over.
            wire owes    = (aw_took_q && !aw_ours_q) || (w_took_q && !w_ours_q) || (ar_took_q && !ar_ours_q);

            always_ff @(posedge aclk) begin
                aw_took_q <= alive && (aw_take || (aw_took_q && !b_take));
                w_took_q  <= alive && (w_take || (w_took_q && !b_take));
                ar_took_q <= alive && (ar_take || (ar_took_q && !r_take));
                aw_ours_q <= alive && !tree_start && (aw_take || (aw_ours_q && !b_take));
                w_ours_q  <= alive && !tree_start && (w_take || (w_ours_q && !b_take));
                ar_ours_q <= alive && !tree_start && (ar_take || (ar_ours_q && !r_take));
                aw_open_q <= alive && m_axil_awvalid[k] && !m_axil_awready[k];
                w_open_q  <= alive && m_axil_wvalid[k] && !m_axil_wready[k];
                ar_open_q <= alive && m_axil_arvalid[k] && !m_axil_arready[k];
                b_open_q  <= alive && m_axil_bvalid[k] && !m_axil_bready[k];
                r_open_q  <= alive && m_axil_rvalid[k] && !m_axil_rready[k];
                b_resp_q  <= m_axil_bresp[k*2 +: 2];
                r_resp_q  <= m_axil_rresp[k*2 +: 2];
                r_bit_q   <= rbit[k];
                half_q    <= alive && (half_q || fell);
                half_old_q <= alive && (half_old_q || (half_q && tree_start));
                came_q    <= alive && !tree_start && (came_q || (owes && (b_take || r_take)));
                showed_q  <= aresetn && !tree_start && (showed_q || (owes && (m_axil_bvalid[k] || m_axil_rvalid[k])));
                was_shut_q <= aresetn && (closing || (was_shut_q && !tree_start));
            end

            always_comb if (POLITE && aresetn) begin
                if (m_axil_bvalid[k]) assume (aw_took_q && w_took_q);
                if (m_axil_rvalid[k]) assume (ar_took_q);
                if (b_open_q) assume (m_axil_bvalid[k] && m_axil_bresp[k*2 +: 2] == b_resp_q);
                if (r_open_q)
                    assume (m_axil_rvalid[k] && m_axil_rresp[k*2 +: 2] == r_resp_q && rbit[k] == r_bit_q);
            end

            assign fresh_b[k] = b_take && aw_ours_q && w_ours_q && mine;
            assign fresh_r[k] = r_take && ar_ours_q && mine;
            assign owing[k]   = owes;

            assign misplaced[k] = (asked && !mine) || ((m_axil_awvalid[k] || m_axil_wvalid[k]) && !tree_write)
                                  || (m_axil_arvalid[k] && tree_write);
            assign early[k]     = fell && (asked || !(expired_q || closing));
            assign unshut[k]    = !KEPT[k] && shut && shut_q && asked;
            assign unasked[k]   = mine && age_q == '0 && !owes && !half_q && !closing && !was_shut_q
                                  && !(tree_write ? m_axil_awvalid[k] && m_axil_wvalid[k] : m_axil_arvalid[k]);
            assign again[k]     = asked && owes;
            assign after[k]     = asked && half_q && !closing;
            assign slow[k]      = mine && !showed_q && 32'(age_q) > 3 + LATE
                                  && (owes || half_old_q || (!KEPT[k] && 32'(shut_count_q) > 3 + LATE));
            assign swallowed[k] = came_q && fresh_r[k];
            assign reopened[k]  = fresh_b[k] && !KEPT[k] && seen_shut_q;
        end
    endgenerate

    always_comb if (on) place:     assert (misplaced == '0);
    always_comb if (on) withdrawn: assert (early == '0);
    always_comb if (on) closed:    assert (unshut == '0);

    generate
        if (POLITE) begin : g_polite
            logic       b_due, r_due, bit_due;
            logic [1:0] code_due;

            // What the slave answers now, as it must go up now or with REG_EN a cycle later.
            always_comb begin
                b_due    = fresh_b != '0;
                r_due    = fresh_r != '0;
                bit_due  = |(fresh_r & rbit[1:0]);
                code_due = '0;
                for (int k = 0; k < SLAVES; k++) begin
                    if (fresh_b[k]) code_due = code_due | m_axil_bresp[k*2 +: 2];
                    if (fresh_r[k]) code_due = code_due | m_axil_rresp[k*2 +: 2];
                end
            end

            wire       b_up, r_up, bit_up;
            wire [1:0] code_up;
            if (REG_EN) begin : g_late
                logic       b_q, r_q, bit_q;
                logic [1:0] code_q;
                always_ff @(posedge aclk) begin
                    {b_q, r_q}      <= {b_due && aresetn, r_due && aresetn};
                    {bit_q, code_q} <= {bit_due, code_due};
                end
                assign {b_up, r_up, bit_up, code_up} = {b_q, r_q, bit_q, code_q};
            end else begin : g_now
                assign {b_up, r_up, bit_up, code_up} = {b_due, r_due, bit_due, code_due};
            end

            always_comb if (on) asks:   assert (unasked == '0);
            always_comb if (on) single: assert (again == '0);
            always_comb if (on) half:   assert (after == '0);
            always_comb if (on) quick:  assert (slow == '0);
            always_comb if (on && b_up)
                taken_b: assert (ended && up_bvalid && !up_hole && up_bresp == code_up);
            always_comb if (on && r_up)
                taken_r: assert (ended && up_rvalid && !up_hole && up_rresp == code_up && up_rdata == {32{bit_up}});
            always_comb if (on && ended && window[1:0] != '0 && !b_up && !r_up) astray: assert (!answer);

            always_comb cover_write:     cover (on && b_up && code_up == 2'b00);
            always_comb cover_read:      cover (on && r_up && bit_up);
            always_comb cover_swallowed: cover (on && swallowed != '0);
            always_comb cover_refused:   cover (on && ended && owing[0] && !answer && age_q < AGE_W'(5));
            always_comb cover_reopened:  cover (on && reopened != '0);
        end
    endgenerate
    always_comb cover_branch: cover (on && ended && window[BRANCH] && answer);
    always_comb cover_hole:   cover (on && ended && up_hole && window == '0);
    always_comb cover_expired: cover (on && ended && expired_q);

endmodule

`default_nettype wire
