// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axil_root - the proof of axil_root by itself, under any tree that ends what has expired.
//
// The root serves 4 to 7 of the addresses 0 to 7. The host is free: it need not even keep VALID up. The tree is free,
// but an access that has expired it ends GRACE cycles later at the latest. Of payload and data all bits are equal; a
// swapped bit is for the bench. Asserted of the host's side:
//   hang_w, hang_r     an access is answered within WITHIN cycles, unless the host leaves the answer before it
//   ready_*            a channel takes a request whenever none is held
//   late_b, late_r     no answer without an access, none twice
//   hold_b, hold_r     an answer stays until it is taken
//   far_b, far_r       DECERR for an address that is not the tree's, and no data
// and of the tree's side:
//   once               no start while an access runs or in the two cycles after its end
//   theirs             a start is of an access that the host has asked for and that is the tree's
//   stays              kind, address and payload stay from the start to the cycle after the end
//   expires            tree_expired is up from TIMEOUT - 1 cycles after the start on, and not before
//   says_b, says_r     what the tree says in the cycle of the end is what the host gets in the next: DECERR for a
//                      hole, else the answer, else SLVERR; no data with an error that is not the slave's
//   only_b, only_r     the host gets nothing else
`default_nettype none

module formal_axil_root #(
    parameter int TIMEOUT = 8,
    parameter int GRACE   = 1
) (
    input wire       aclk,
    input wire       aresetn,
    input wire [2:0] s_axil_awaddr,
    input wire       s_axil_awvalid,
    input wire       wbit,
    input wire       s_axil_wvalid,
    input wire       s_axil_bready,
    input wire [2:0] s_axil_araddr,
    input wire       s_axil_arvalid,
    input wire       s_axil_rready,
    input wire       up_wait,
    input wire       up_last,
    input wire       up_hole,
    input wire [1:0] up_bresp,
    input wire       up_bvalid,
    input wire       rbit,
    input wire [1:0] up_rresp,
    input wire       up_rvalid
);

    localparam int SPAN_LOG2 = 2;
    localparam int ACCESS    = TIMEOUT + 3 + GRACE;
    localparam int WITHIN    = 2 * ACCESS + 2;
    localparam int COUNT_W   = $clog2(WITHIN + 2);
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    wire        s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid;
    wire [1:0]  s_axil_bresp, s_axil_rresp;
    wire [31:0] s_axil_rdata, wdata;
    wire        start, write, expired;
    wire [1:0]  addr;
    wire [2:0]  awaddr, araddr, awprot, arprot;
    wire [3:0]  wstrb;

    axil_root #(
        .ADDR_W(3), .DATA_W(32), .SPAN_LOG2(SPAN_LOG2), .BASE(3'd4), .TIMEOUT(TIMEOUT)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot({3{wbit}}), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata({32{wbit}}), .s_axil_wstrb({4{wbit}}),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot({3{wbit}}), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_wdata(wdata), .m_axil_wstrb(wstrb),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot),
        .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp), .up_bvalid(up_bvalid),
        .up_rdata({32{rbit}}), .up_rresp(up_rresp), .up_rvalid(up_rvalid)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    // ---- the host's side -------------------------------------------------------------------------

    logic               up_q, booted_q;     // out of reset for one cycle, for two
    logic               aw_q, w_q, ar_q;    // a request is held, of which the answer did not come yet
    logic [2:0]         awaddr_q, araddr_q;
    logic               awprot_q, wbit_q, arprot_q;
    logic               b_left_q, r_left_q; // an answer was not taken in the cycle before
    logic [1:0]         bresp_q, rresp_q;
    logic [31:0]        rdata_q;
    logic [COUNT_W-1:0] w_count_q, r_count_q;

    wire b_new = s_axil_bvalid && !b_left_q;
    wire r_new = s_axil_rvalid && !r_left_q;
    wire aw_in = s_axil_awvalid && s_axil_awready;
    wire w_in  = s_axil_wvalid && s_axil_wready;
    wire ar_in = s_axil_arvalid && s_axil_arready;
    wire w_far = !awaddr_q[SPAN_LOG2];
    wire r_far = !araddr_q[SPAN_LOG2];
    wire on    = aresetn && up_q;

    always_ff @(posedge aclk) begin
        up_q     <= aresetn;
        booted_q <= aresetn && up_q;
        aw_q     <= aresetn && (aw_in || (aw_q && !b_new));
        w_q      <= aresetn && (w_in || (w_q && !b_new));
        ar_q     <= aresetn && (ar_in || (ar_q && !r_new));
        if (aw_in) {awprot_q, awaddr_q} <= {wbit, s_axil_awaddr};
        if (w_in)  wbit_q               <= wbit;
        if (ar_in) {arprot_q, araddr_q} <= {wbit, s_axil_araddr};
        b_left_q  <= aresetn && s_axil_bvalid && !s_axil_bready;
        r_left_q  <= aresetn && s_axil_rvalid && !s_axil_rready;
        bresp_q   <= s_axil_bresp;
        rresp_q   <= s_axil_rresp;
        rdata_q   <= s_axil_rdata;
        w_count_q <= aresetn && aw_q && w_q && !s_axil_bvalid ? w_count_q + 1'b1 : '0;
        r_count_q <= aresetn && ar_q && !s_axil_rvalid ? r_count_q + 1'b1 : '0;
    end

    always_comb if (on) hang_w: assert (w_count_q < COUNT_W'(WITHIN));
    always_comb if (on) hang_r: assert (r_count_q < COUNT_W'(WITHIN));
    always_comb if (on && booted_q) ready_aw: assert (s_axil_awready == (!aw_q || b_new));
    always_comb if (on && booted_q) ready_w:  assert (s_axil_wready == (!w_q || b_new));
    always_comb if (on && booted_q) ready_ar: assert (s_axil_arready == (!ar_q || r_new));
    always_comb if (on && b_new) late_b: assert (aw_q && w_q);
    always_comb if (on && r_new) late_r: assert (ar_q);
    always_comb if (on && b_left_q) hold_b: assert (s_axil_bvalid && s_axil_bresp == bresp_q);
    always_comb if (on && r_left_q)
        hold_r: assert (s_axil_rvalid && s_axil_rresp == rresp_q && s_axil_rdata == rdata_q);
    always_comb if (on && b_new && w_far) far_b: assert (s_axil_bresp == DECERR);
    always_comb if (on && r_new && r_far) far_r: assert (s_axil_rresp == DECERR && s_axil_rdata == '0);

    // ---- the tree's side -------------------------------------------------------------------------

    logic                       run_q, ended_q;   // from the cycle after the start to the end; the cycle after that
    logic                       write_q, hole_q, answer_q, bit_q;
    logic                       none_q, none_hole_q;  // a cycle later where a read had no answer
    logic [1:0]                 addr_q, code_q;
    logic [$clog2(ACCESS+2)-1:0] age_q;           // cycles since the start
    logic [$clog2(GRACE+2)-1:0] over_q;           // cycles since the access expired

    wire answer = write ? up_bvalid : up_rvalid;
    wire ended  = run_q && (answer ? up_wait : up_last);
    wire none   = ended_q && !write_q && !answer_q;

    always_ff @(posedge aclk) begin
        run_q   <= aresetn && (start || (run_q && !ended));
        ended_q <= aresetn && ended;
        write_q <= write;
        addr_q  <= addr;
        age_q   <= start ? $bits(age_q)'(1) : age_q + 1'b1;
        over_q  <= run_q && expired ? over_q + 1'b1 : '0;
        {hole_q, answer_q, bit_q} <= {up_hole, answer, rbit};
        none_q      <= aresetn && none;
        none_hole_q <= hole_q;
        code_q  <= write ? up_bresp : up_rresp;
    end

    always_comb if (run_q && 32'(over_q) == GRACE) assume (up_wait && up_last);

    wire w_told = ended_q && write_q;
    wire r_told = (ended_q && !write_q && answer_q) || none_q;
    wire [1:0] code   = hole_q ? DECERR : answer_q ? code_q : SLVERR;
    wire [1:0] r_code = none_q ? (none_hole_q ? DECERR : SLVERR) : code;

    always_comb if (on && start) once: assert (!run_q && !ended_q && !none_q);
    always_comb if (on && start) theirs: assert (
        write ? aw_q && w_q && !w_far && addr == awaddr_q[1:0] : ar_q && !r_far && addr == araddr_q[1:0]);
    always_comb if (on && (run_q || ended_q)) stays: assert (addr == addr_q && write == write_q);
    always_comb if (on && (start || run_q)) payload: assert (write
        ? awaddr == awaddr_q && awprot == {3{awprot_q}} && wdata == {32{wbit_q}} && wstrb == {4{wbit_q}}
        : araddr == araddr_q && arprot == {3{arprot_q}});
    always_comb if (on && run_q) expires: assert (expired == (32'(age_q) >= TIMEOUT - 1));
    always_comb if (on && w_told) says_b: assert (b_new && s_axil_bresp == code);
    always_comb if (on && r_told) says_r: assert (r_new && s_axil_rresp == r_code
        && s_axil_rdata == (!none_q && answer_q && !hole_q ? {32{bit_q}} : 32'd0));
    always_comb if (on && b_new) only_b: assert (w_told || w_far);
    always_comb if (on && r_new) only_r: assert (r_told || r_far);

    always_comb cover_write:   cover (on && w_told && code == OKAY);
    always_comb cover_read:    cover (on && r_told && r_code == OKAY && s_axil_rdata == '1);
    always_comb cover_hole:    cover (on && r_told && hole_q && !none_q);
    always_comb cover_none:    cover (on && none_q && !none_hole_q);
    always_comb cover_far:     cover (on && b_new && w_far);
    always_comb cover_expired: cover (on && w_told && !answer_q && !hole_q && 32'(over_q) == GRACE + 1);

endmodule

`default_nettype wire
