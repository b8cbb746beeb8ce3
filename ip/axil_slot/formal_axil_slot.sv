// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axil_slot - the proof of axil_slot: exact, once, and no access hangs.
//
// The host is free within AXI (valid and payload stay until ready) and takes an answer within STALL cycles. The far
// side takes a request within SLOW cycles, and answers within SLOW more and keeps that answer; for the rest it is
// free, and may show answers that nobody asked for. Asserted:
//   hang_w, hang_r   an access is answered within the cycles that host and far side take, and none of its own
//   hold_*           valid and payload stay until ready, on all five channels that the block drives
//   once_*           a request is taken once, and passed on in that cycle or not at all
//   place_*, value   what is passed on is the host's, at half its address
//   nobody_*         nothing of an access to an upper half is passed on, all of any other is
//   answer_*         DECERR and no data there, the far side's answer elsewhere; never one for no access
//   stray_*          the far side's answer is taken only with the host's, and only for an access that it got
`default_nettype none

module formal_axil_slot #(
    parameter int ADDR_W = 6,
    parameter int STALL  = 2,
    parameter int SLOW   = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [ADDR_W-1:0] s_axil_awaddr,
    input wire [2:0]        s_axil_awprot,
    input wire              s_axil_awvalid,
    input wire [63:0]       s_axil_wdata,
    input wire [7:0]        s_axil_wstrb,
    input wire              s_axil_wvalid,
    input wire              s_axil_bready,
    input wire [ADDR_W-1:0] s_axil_araddr,
    input wire [2:0]        s_axil_arprot,
    input wire              s_axil_arvalid,
    input wire              s_axil_rready,
    input wire              m_axil_awready,
    input wire              m_axil_wready,
    input wire [1:0]        m_axil_bresp,
    input wire              m_axil_bvalid,
    input wire              m_axil_arready,
    input wire [31:0]       m_axil_rdata,
    input wire [1:0]        m_axil_rresp,
    input wire              m_axil_rvalid
);

    // The request waits SLOW cycles, the answer as many, then for the host; DECERR waits for the host alone.
    localparam int WITHIN  = 2 * SLOW + STALL + 1;
    localparam int COUNT_W = $clog2(WITHIN + 2);
    localparam int SLOW_W  = $clog2(SLOW + 2);
    localparam int STALL_W = $clog2(STALL + 2);
    localparam logic [1:0] DECERR = 2'b11;

    wire              s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid;
    wire [1:0]        s_axil_bresp, s_axil_rresp;
    wire [63:0]       s_axil_rdata;
    wire [ADDR_W-2:0] m_axil_awaddr, m_axil_araddr;
    wire [2:0]        m_axil_awprot, m_axil_arprot;
    wire              m_axil_awvalid, m_axil_wvalid, m_axil_bready, m_axil_arvalid, m_axil_rready;
    wire [31:0]       m_axil_wdata;
    wire [3:0]        m_axil_wstrb;

    axil_slot #(.ADDR_W(ADDR_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
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
    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    wire aw = s_axil_awvalid && s_axil_awready, w = s_axil_wvalid && s_axil_wready;
    wire b  = s_axil_bvalid && s_axil_bready;
    wire ar = s_axil_arvalid && s_axil_arready, r = s_axil_rvalid && s_axil_rready;
    wire far_aw = m_axil_awvalid && m_axil_awready, far_w = m_axil_wvalid && m_axil_wready;
    wire far_b  = m_axil_bvalid && m_axil_bready;
    wire far_ar = m_axil_arvalid && m_axil_arready, far_r = m_axil_rvalid && m_axil_rready;

    // ---- what was taken of the access that is open, by the block and by the far side
    logic aw_q, w_q, ar_q, far_aw_q, far_w_q, far_ar_q;
    logic high_q, only_q, read_high_q;
    always_ff @(posedge aclk) begin
        aw_q     <= aresetn && (aw_q || aw) && !b;
        w_q      <= aresetn && (w_q || w) && !b;
        ar_q     <= aresetn && (ar_q || ar) && !r;
        far_aw_q <= aresetn && (far_aw_q || far_aw) && !far_b;
        far_w_q  <= aresetn && (far_w_q || far_w) && !far_b;
        far_ar_q <= aresetn && (far_ar_q || far_ar) && !far_r;
        if (aw) high_q <= s_axil_awaddr[2];
        if (w) only_q <= s_axil_wstrb[7:4] != 4'd0 && s_axil_wstrb[3:0] == 4'd0;
        if (ar) read_high_q <= s_axil_araddr[2];
    end
    wire high     = aw_q ? high_q : s_axil_awaddr[2];
    wire only     = w_q ? only_q : s_axil_wstrb[7:4] != 4'd0 && s_axil_wstrb[3:0] == 4'd0;
    wire complete = (aw_q || s_axil_awvalid) && (w_q || s_axil_wvalid);
    wire nobody   = high || only;

    // ---- what stays until ready
    localparam int A = ADDR_W + 3;
    logic         aw_wait_q, w_wait_q, b_wait_q, ar_wait_q, r_wait_q;
    logic         far_aw_wait_q, far_w_wait_q, far_b_wait_q, far_ar_wait_q, far_r_wait_q;
    logic [A-1:0] aw_held_q, ar_held_q;
    logic [71:0]  w_held_q;
    logic [1:0]   b_held_q, far_b_held_q;
    logic [65:0]  r_held_q;
    logic [A-2:0] far_aw_held_q, far_ar_held_q;
    logic [35:0]  far_w_held_q;
    logic [33:0]  far_r_held_q;
    always_ff @(posedge aclk) begin
        aw_wait_q     <= aresetn && s_axil_awvalid && !s_axil_awready;
        w_wait_q      <= aresetn && s_axil_wvalid && !s_axil_wready;
        b_wait_q      <= aresetn && s_axil_bvalid && !s_axil_bready;
        ar_wait_q     <= aresetn && s_axil_arvalid && !s_axil_arready;
        r_wait_q      <= aresetn && s_axil_rvalid && !s_axil_rready;
        far_aw_wait_q <= aresetn && m_axil_awvalid && !m_axil_awready;
        far_w_wait_q  <= aresetn && m_axil_wvalid && !m_axil_wready;
        far_b_wait_q  <= aresetn && far_aw_q && far_w_q && m_axil_bvalid && !m_axil_bready;
        far_ar_wait_q <= aresetn && m_axil_arvalid && !m_axil_arready;
        far_r_wait_q  <= aresetn && far_ar_q && m_axil_rvalid && !m_axil_rready;
        aw_held_q     <= {s_axil_awprot, s_axil_awaddr};
        w_held_q      <= {s_axil_wstrb, s_axil_wdata};
        b_held_q      <= s_axil_bresp;
        ar_held_q     <= {s_axil_arprot, s_axil_araddr};
        r_held_q      <= {s_axil_rresp, s_axil_rdata};
        far_aw_held_q <= {m_axil_awprot, m_axil_awaddr};
        far_w_held_q  <= {m_axil_wstrb, m_axil_wdata};
        far_b_held_q  <= m_axil_bresp;
        far_ar_held_q <= {m_axil_arprot, m_axil_araddr};
        far_r_held_q  <= {m_axil_rresp, m_axil_rdata};
    end
    always_comb if (aresetn) begin
        if (aw_wait_q) assume (s_axil_awvalid && {s_axil_awprot, s_axil_awaddr} == aw_held_q);
        if (w_wait_q) assume (s_axil_wvalid && {s_axil_wstrb, s_axil_wdata} == w_held_q);
        if (ar_wait_q) assume (s_axil_arvalid && {s_axil_arprot, s_axil_araddr} == ar_held_q);
        if (far_b_wait_q) assume (m_axil_bvalid && m_axil_bresp == far_b_held_q);
        if (far_r_wait_q) assume (m_axil_rvalid && {m_axil_rresp, m_axil_rdata} == far_r_held_q);
        if (b_wait_q) hold_b: assert (s_axil_bvalid && s_axil_bresp == b_held_q);
        if (r_wait_q) hold_r: assert (s_axil_rvalid && {s_axil_rresp, s_axil_rdata} == r_held_q);
        if (far_aw_wait_q) hold_aw: assert (m_axil_awvalid && {m_axil_awprot, m_axil_awaddr} == far_aw_held_q);
        if (far_w_wait_q) hold_w: assert (m_axil_wvalid && {m_axil_wstrb, m_axil_wdata} == far_w_held_q);
        if (far_ar_wait_q) hold_ar: assert (m_axil_arvalid && {m_axil_arprot, m_axil_araddr} == far_ar_held_q);
    end

    // ---- how long it takes
    logic [COUNT_W-1:0] wait_w_q, wait_r_q;
    logic [STALL_W-1:0] stall_b_q, stall_r_q;
    logic [SLOW_W-1:0]  slow_aw_q, slow_w_q, slow_b_q, slow_ar_q, slow_r_q;
    always_ff @(posedge aclk) begin
        wait_w_q  <= aresetn && complete && !b ? wait_w_q + 1'b1 : '0;
        wait_r_q  <= aresetn && (ar_q || s_axil_arvalid) && !r ? wait_r_q + 1'b1 : '0;
        stall_b_q <= aresetn && s_axil_bvalid && !s_axil_bready ? stall_b_q + 1'b1 : '0;
        stall_r_q <= aresetn && s_axil_rvalid && !s_axil_rready ? stall_r_q + 1'b1 : '0;
        slow_aw_q <= aresetn && m_axil_awvalid && !m_axil_awready ? slow_aw_q + 1'b1 : '0;
        slow_w_q  <= aresetn && m_axil_wvalid && !m_axil_wready ? slow_w_q + 1'b1 : '0;
        slow_ar_q <= aresetn && m_axil_arvalid && !m_axil_arready ? slow_ar_q + 1'b1 : '0;
        slow_b_q  <= aresetn && far_aw_q && far_w_q && !m_axil_bvalid ? slow_b_q + 1'b1 : '0;
        slow_r_q  <= aresetn && far_ar_q && !m_axil_rvalid ? slow_r_q + 1'b1 : '0;
    end
    always_comb if (aresetn) begin
        if (s_axil_bvalid && 32'(stall_b_q) == STALL) assume (s_axil_bready);
        if (s_axil_rvalid && 32'(stall_r_q) == STALL) assume (s_axil_rready);
        if (m_axil_awvalid && 32'(slow_aw_q) == SLOW) assume (m_axil_awready);
        if (m_axil_wvalid && 32'(slow_w_q) == SLOW) assume (m_axil_wready);
        if (m_axil_arvalid && 32'(slow_ar_q) == SLOW) assume (m_axil_arready);
        if (far_aw_q && far_w_q && 32'(slow_b_q) == SLOW) assume (m_axil_bvalid);
        if (far_ar_q && 32'(slow_r_q) == SLOW) assume (m_axil_rvalid);
        hang_w: assert (32'(wait_w_q) <= WITHIN);
        hang_r: assert (32'(wait_r_q) <= WITHIN);
    end

    // ---- exact, and once
    always_comb if (aresetn) begin
        if (aw) once_aw: assert (!aw_q && far_aw == !nobody);
        if (w)  once_w:  assert (!w_q && far_w == !nobody);
        if (ar) once_ar: assert (!ar_q && far_ar == !s_axil_araddr[2]);
        if (m_axil_awvalid) begin
            nobody_aw: assert (s_axil_awvalid && complete && !nobody && !far_aw_q && far_aw == aw);
            place_aw:  assert (m_axil_awaddr == {s_axil_awaddr[ADDR_W-1:3], s_axil_awaddr[1:0]}
                               && m_axil_awprot == s_axil_awprot);
        end
        if (m_axil_wvalid) begin
            nobody_w: assert (s_axil_wvalid && complete && !nobody && !far_w_q && far_w == w);
            value:    assert (m_axil_wdata == s_axil_wdata[31:0] && m_axil_wstrb == s_axil_wstrb[3:0]);
        end
        if (m_axil_arvalid) begin
            nobody_ar: assert (s_axil_arvalid && !s_axil_araddr[2] && !far_ar_q && far_ar == ar);
            place_ar:  assert (m_axil_araddr == {s_axil_araddr[ADDR_W-1:3], s_axil_araddr[1:0]}
                               && m_axil_arprot == s_axil_arprot);
        end
        if (s_axil_bvalid)
            answer_b: assert (aw_q && w_q && (nobody ? !far_aw_q && !far_w_q && s_axil_bresp == DECERR
                              : far_aw_q && far_w_q && m_axil_bvalid && s_axil_bresp == m_axil_bresp));
        if (s_axil_rvalid)
            answer_r: assert (ar_q && (read_high_q ? !far_ar_q && s_axil_rresp == DECERR && s_axil_rdata == 64'd0
                              : far_ar_q && m_axil_rvalid && s_axil_rresp == m_axil_rresp
                                && s_axil_rdata == {32'd0, m_axil_rdata}));
        if (m_axil_bready) stray_b: assert (far_aw_q && far_w_q && far_b == b);
        if (m_axil_rready) stray_r: assert (far_ar_q && far_r == r);
    end

    always_comb if (aresetn) begin
        cover_write:  cover (b && !nobody && m_axil_bresp == 2'b10);
        cover_read:   cover (r && !read_high_q && s_axil_rdata[31:0] == 32'hffffffff);
        cover_upper:  cover (b && high_q && wait_w_q == 1);
        cover_only:   cover (b && only_q && !high_q);
        cover_split:  cover (far_aw_q && !far_w_q && s_axil_awvalid);
        cover_longest: cover (32'(wait_w_q) == WITHIN && b);
    end

endmodule

`default_nettype wire
