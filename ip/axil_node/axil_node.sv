// SPDX-License-Identifier: BSD-3-Clause
//
// axil_node - N ports of an AXI4-Lite tree: decodes, requests, waits, and closes the port of a dead slave.
//
// An axil_root broadcasts the address of one access at a time to all nodes. Port k serves the 2**SIZES_LOG2[k]
// bytes from BASES[k], naturally aligned; windows are disjoint. It leads to a slave or, where BRANCHES[k] is
// set, to another node, whose up_* go into the places of a slave's answers:
//   up_wait up_last up_hole up_bvalid up_bresp up_rvalid up_rresp up_rdata
//   awready wready  arready bvalid    bresp    rvalid    rresp    rdata
// The payload comes to the slaves from the root, not through the nodes.
//
// To the parent: the access is over when `answer ? up_wait : up_last`, where answer is up_bvalid of a write and
// up_rvalid of a read. It ends in DECERR when up_hole, else in the answer, else in SLVERR.
//
// A slave that has not answered when the root says `tree_expired` is dead: its valids are withdrawn, its port is
// closed, and an access to it gets SLVERR at once. A slave answers only what it took as a whole; so when a
// closed port shows an answer, nothing of the old request is left behind in the slave: the next access discards
// the answer, opens the port and goes on. A request of which only a part was taken is never answered, and its
// port stays closed until reset. Reads and writes share a port's fate.
//
// While `shut` is high the slaves but those of KEEPS are in reset: their ports are closed, accesses to them get SLVERR at
// once, one that is under way too, and when `shut` falls all of them are open, whatever was before. It must be high
// for 8 cycles at least, and slaves must be out of reset when it falls.
//
// Throughput  see axil_root
// Latency     1 cycle from the address to the decision; none for an answer, 1 with REG_EN
// Paths       m_axil_* from flops through one LUT; up_* from flops and through the multiplexer of the ports, flops
//             with REG_EN
// Resources   LUT a port: 4, and 5/16 for each of the 43 answer bits at 32 bit data; FF a port: 1; FF a node: 13
//
// Parameters: N           ports, 1 to 16
//             ADDR_W      address bits of the tree, 1 to 64: SPAN_LOG2 of its root
//             DATA_W      data bits, 32 or 64
//             BASES       first byte of window k in bits [k*ADDR_W +: ADDR_W]
//             SIZES_LOG2  log2 of the bytes of window k in bits [k*8 +: 8], at most ADDR_W
//             BRANCHES    bit k: port k leads to a node
//             KEEPS       bit k: port k is not closed by shut
//             REG_EN      1: answers to the parent are registered. Needed so often that no path goes through more
//                         than two nodes of 16 ports, if it shall have at most 5 LUTs
// Checked by: test_axil_node.py, formal_axil_node.sv, and in trees with axil_crossbar
`default_nettype none

module axil_node #(
    parameter int                    N          = 1,
    parameter int                    ADDR_W     = 12,
    parameter int                    DATA_W     = 32,
    parameter logic [N*ADDR_W-1:0]   BASES      = '0,
    parameter logic [N*8-1:0]        SIZES_LOG2 = {N{8'(ADDR_W)}},
    parameter logic [N-1:0]          BRANCHES   = '0,
    parameter logic [N-1:0]          KEEPS      = '0,
    parameter bit                    REG_EN     = 0
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire                         tree_start,    // decode now
    input  wire                         tree_write,    // kind of the access
    input  wire                         tree_expired,  // its time is over
    input  wire  [ADDR_W-1:0]           tree_addr,
    input  wire                         shut,

    output logic                        up_wait,
    output logic                        up_last,
    output logic                        up_hole,
    output logic [1:0]                  up_bresp,
    output logic                        up_bvalid,
    output logic [DATA_W-1:0]           up_rdata,
    output logic [1:0]                  up_rresp,
    output logic                        up_rvalid,

    output logic [N-1:0]                m_axil_awvalid,
    input  wire  [N-1:0]                m_axil_awready,
    output logic [N-1:0]                m_axil_wvalid,
    input  wire  [N-1:0]                m_axil_wready,
    input  wire  [N*2-1:0]              m_axil_bresp,
    input  wire  [N-1:0]                m_axil_bvalid,
    output logic [N-1:0]                m_axil_bready,
    output logic [N-1:0]                m_axil_arvalid,
    input  wire  [N-1:0]                m_axil_arready,
    input  wire  [N*DATA_W-1:0]         m_axil_rdata,
    input  wire  [N*2-1:0]              m_axil_rresp,
    input  wire  [N-1:0]                m_axil_rvalid,
    output logic [N-1:0]                m_axil_rready
);

    localparam int INDEX_W = N > 1 ? $clog2(N) : 1;

    // Address bits that select window k.
    function automatic logic [ADDR_W-1:0] window_mask(input int k);
        window_mask = ~((ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1));
    endfunction

    // Address bits that are the same in all windows: those above each bit that differs or lies within one.
    function automatic logic [ADDR_W-1:0] common_mask(input int ports);
        common_mask = '0;
        for (int k = 0; k < ports; k++)
            common_mask = common_mask | ((ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1))
                          | (BASES[k*ADDR_W +: ADDR_W] ^ BASES[ADDR_W-1:0]);
        for (int i = 1; i < ADDR_W; i++)
            common_mask = common_mask | (common_mask >> 1);
        common_mask = ~common_mask;
    endfunction

    localparam logic [ADDR_W-1:0] COMMON = common_mask(N);

    generate
        if (N < 1 || N > 16) begin : g_check_n
            N_must_be_1_to_16 parameter_error();
        end
        if (ADDR_W < 1 || ADDR_W > 64) begin : g_check_addr_w
            ADDR_W_must_be_1_to_64 parameter_error();
        end
        if (DATA_W != 32 && DATA_W != 64) begin : g_check_data_w
            DATA_W_must_be_32_or_64 parameter_error();
        end
        for (genvar k = 0; k < N; k++) begin : g_check_window
            if (SIZES_LOG2[k*8 +: 8] > 8'(ADDR_W)) begin : g_size
                SIZES_LOG2_must_be_at_most_ADDR_W parameter_error();
            end
            if ((BASES[k*ADDR_W +: ADDR_W] & ~window_mask(k)) != 0) begin : g_base
                BASES_must_be_multiples_of_the_window_size parameter_error();
            end
            for (genvar j = 0; j < k; j++) begin : g_pair
                if (((BASES[k*ADDR_W +: ADDR_W] ^ BASES[j*ADDR_W +: ADDR_W])
                     & window_mask(k) & window_mask(j)) == 0) begin : g_overlap
                    windows_must_not_overlap parameter_error();
                end
            end
        end
    endgenerate

    // ---- which port ------------------------------------------------------------------------------
    // Decoded in every cycle: the root holds the address and the kind during an access.

    logic [INDEX_W-1:0] index_q, index_d;
    logic               leaf_d, branch_d, hit_q, branch_q;
    wire  [N-1:0]       closed;
    wire                near = ((tree_addr ^ BASES[ADDR_W-1:0]) & COMMON) == '0;

    always_comb begin
        index_d  = '0;
        leaf_d   = 1'b0;
        branch_d = 1'b0;
        for (int k = 0; k < N; k++)
            if (((tree_addr ^ BASES[k*ADDR_W +: ADDR_W]) & window_mask(k) & ~COMMON) == '0) begin
                index_d  = index_d | INDEX_W'(k);
                leaf_d   = leaf_d | (near & !BRANCHES[k]);
                branch_d = branch_d | (near & BRANCHES[k]);
            end
    end

    always_ff @(posedge aclk) begin
        index_q  <= index_d;
        hit_q    <= leaf_d | branch_d;
        branch_q <= branch_d;
    end

    // ---- what that port says ---------------------------------------------------------------------
    // A heap of multiplexers, one index bit each: 2*i+1 and 2*i+2 feed i. What has registers with REG_EN is the level
    // that two index bits have chosen; so a parent of 16 nodes keeps four answers and not sixteen.

    localparam int PORTS    = 1 << INDEX_W;
    localparam int REG_AT   = INDEX_W > 2 ? (1 << (INDEX_W - 2)) - 1 : 0;  // the first of that level
    localparam int ANSWER_W = DATA_W + 9;

    // In place of a port that does not exist: the one that makes the last multiplexers the same or none.
    function automatic int stand_in(input int k);
        stand_in = k;
        for (int j = INDEX_W - 1; j >= 0; j--)
            if (((stand_in >> j) << j) >= N) stand_in = stand_in - (1 << j);
    endfunction

    generate
        for (genvar i = 0; i < 2*PORTS - 1; i++) begin : g_heap
            wire  [ANSWER_W-1:0] chosen;  // of two, or of the port
            logic [ANSWER_W-1:0] answer;  // the same, registered at one level
            wire  [5:0]          now;     // of that what a leaf's node acts upon, never registered
            if (i < PORTS - 1) begin : g_halve
                wire high = index_q[INDEX_W-$clog2(i+2)];
                assign chosen = high ? g_heap[2*i+2].answer : g_heap[2*i+1].answer;
                assign now    = high ? g_heap[2*i+2].now : g_heap[2*i+1].now;
            end else begin : g_port
                localparam int P = stand_in(i - PORTS + 1);
                assign now = {closed[P], chosen[ANSWER_W-1 -: 5]};
                assign chosen = {
                    m_axil_awready[P], m_axil_wready[P], m_axil_arready[P], m_axil_bvalid[P], m_axil_rvalid[P],
                    m_axil_bresp[P*2 +: 2], m_axil_rresp[P*2 +: 2], m_axil_rdata[P*DATA_W +: DATA_W]
                };
            end
            if (REG_EN && i >= REG_AT && i <= 2*REG_AT) begin : g_reg
                always_ff @(posedge aclk) begin
                    answer <= chosen;
                    // At the start this is of the access before, and a branch must not end the new one with it.
                    if (tree_start) answer[ANSWER_W-1 -: 2] <= 2'b00;
                end
            end else begin : g_wire
                assign answer = chosen;
            end
        end
    endgenerate

    wire dead, awready, wready, arready, bvalid, rvalid;
    assign {dead, awready, wready, arready, bvalid, rvalid} = g_heap[0].now;

    // ---- the access ------------------------------------------------------------------------------

    // waiting: an answer now is the access's.  last: no answer now ends it with SLVERR.
    wire waiting, last_chance;

    generate
        if (BRANCHES != '1) begin : g_leaves
            // look: an answer now is a late one and opens the port; none, and the access is refused.
            logic act_q, aw_pend_q, w_pend_q, ar_pend_q, look_q, last_q, shut_q;

            wire pending = aw_pend_q | w_pend_q | ar_pend_q;
            wire answer  = tree_write ? bvalid : rvalid;
            wire any     = bvalid | rvalid;
            wire listen  = waiting | look_q;

            assign waiting     = act_q & !pending;
            assign last_chance = last_q;

            always_ff @(posedge aclk) begin
                shut_q <= shut & aresetn;
                // A request stays up until it is taken, out of time or refused. A closed port does not ask.
                if (!dead & awready) aw_pend_q <= 1'b0;
                if (!dead & wready)  w_pend_q  <= 1'b0;
                if (!dead & arready) ar_pend_q <= 1'b0;
                if (tree_expired | (last_q & !answer)) begin
                    aw_pend_q <= 1'b0;
                    w_pend_q  <= 1'b0;
                    ar_pend_q <= 1'b0;
                end
                look_q <= pending & dead & !look_q & !last_q & !tree_expired;
                last_q <= (look_q & dead & !any) | (act_q & tree_expired) | (waiting & dead);
                if (answer ? waiting : last_q) act_q <= 1'b0;
                if (tree_start) begin
                    act_q     <= leaf_d;
                    aw_pend_q <= leaf_d & tree_write;
                    w_pend_q  <= leaf_d & tree_write;
                    ar_pend_q <= leaf_d & !tree_write;
                end

                if (!aresetn) begin
                    act_q     <= 1'b0;
                    aw_pend_q <= 1'b0;
                    w_pend_q  <= 1'b0;
                    ar_pend_q <= 1'b0;
                    look_q    <= 1'b0;
                    last_q    <= 1'b0;
                end
            end

            for (genvar k = 0; k < N; k++) begin : g_port
                if (BRANCHES[k]) begin : g_branch
                    assign closed[k]         = 1'b0;
                    assign m_axil_awvalid[k] = 1'b0;
                    assign m_axil_wvalid[k]  = 1'b0;
                    assign m_axil_arvalid[k] = 1'b0;
                    assign m_axil_bready[k]  = 1'b0;
                    assign m_axil_rready[k]  = 1'b0;
                end else begin : g_leaf
                    logic dead_q;
                    wire  mine  = index_q == INDEX_W'(k);
                    wire  ready = mine & listen;

                    always_ff @(posedge aclk)
                        if (!aresetn)                        dead_q <= 1'b0;
                        else if (!KEEPS[k] & (shut | shut_q)) dead_q <= shut;
                        else if (ready)                      dead_q <= (last_q | (look_q & dead_q)) & !any;

                    // An access that is refused does not ask, though the port may open just then.
                    assign closed[k]         = dead_q;
                    assign m_axil_awvalid[k] = mine & aw_pend_q & !dead_q & !last_q;
                    assign m_axil_wvalid[k]  = mine & w_pend_q & !dead_q & !last_q;
                    assign m_axil_arvalid[k] = mine & ar_pend_q & !dead_q & !last_q;
                    assign m_axil_bready[k]  = ready;
                    assign m_axil_rready[k]  = ready;
                end
            end
        end else begin : g_no_leaves
            wire unused = &{1'b0, aresetn, shut, tree_start, tree_write, tree_expired, dead, awready, wready, arready, bvalid, rvalid};
            assign closed         = '0;
            assign waiting        = 1'b0;
            assign last_chance    = 1'b0;
            assign m_axil_awvalid = '0;
            assign m_axil_wvalid  = '0;
            assign m_axil_arvalid = '0;
            assign m_axil_bready  = '0;
            assign m_axil_rready  = '0;
        end
    endgenerate

    // ---- to the parent ---------------------------------------------------------------------------

    logic ours_wait, ours_last, ours_hole;  // what this node itself has to say
    wire  branch_wait, branch_last, branch_hole;

    generate
        if (REG_EN) begin : g_late
            always_ff @(posedge aclk) begin
                ours_wait <= (!hit_q | waiting) & !tree_start;
                ours_last <= (!hit_q | last_chance) & !tree_start;
                ours_hole <= !hit_q;
            end
        end else begin : g_now
            assign ours_wait = !hit_q | waiting;
            assign ours_last = !hit_q | last_chance;
            assign ours_hole = !hit_q;
        end
    endgenerate

    assign {branch_wait, branch_last, branch_hole, up_bvalid, up_rvalid, up_bresp, up_rresp, up_rdata} = g_heap[0].answer;
    assign up_wait = ours_wait | (branch_q & branch_wait);
    assign up_last = ours_last | (branch_q & branch_last);
    assign up_hole = ours_hole | (branch_q & branch_hole);

endmodule

`default_nettype wire
