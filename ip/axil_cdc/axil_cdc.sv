// SPDX-License-Identifier: BSD-3-Clause
//
// axil_cdc - AXI4-Lite between two unrelated clocks: one access at a time crosses and its answer comes back.
//
// A toggle crosses with each request and one comes back with its answer, each through SYNC_STAGES flops. Payload and
// answer are held in flops of their own side until the toggle has been seen on the other. A read and a write that
// come together take turns; an answer that the host does not take holds up only its own kind. A write is taken as a
// whole: AWREADY and WREADY rise together. axil_cdc.tcl holds the timing constraints, without which Vivado may break
// the crossing.
//
// Reset: either side may be reset alone, at any time and for a cycle of its own clock. The toggles are no part of it, so
// no access is done twice, and none is lost without a word:
//   s_axil_aresetn  nothing is answered any more that was asked before. What had been taken is done all the same, once,
//                   and a new request waits for it.
//   m_axil_aresetn  VALIDs fall, and what was under way is answered with SLVERR, whether it was done or not; so is
//                   what arrives during the reset, and that is not done. The slaves must be reset with this side.
// Both clocks must run; if one stops, so does the access, and the master must time out by itself (axil_node).
// Flops start as configured in the bitstream; no reset at all is needed after configuration. A slave that never answers
// holds up all that follows, so let an axil_root be the only one.
//
// Throughput  one access in 5 + 2*SYNC_STAGES cycles with equal clocks and a slave that answers in the next cycle
// Latency     2 cycles of s_axil_aclk, SYNC_STAGES + 1 to SYNC_STAGES + 2 of m_axil_aclk to the slave; the same of
//             s_axil_aclk back
// Paths       every output is a flop or a LUT of flops; no input reaches an output
// Resources   about ADDR_W + 33 LUT; FF: 2*ADDR_W + 4*DATA_W + DATA_W/4 + 2*SYNC_STAGES + 26
//
// Parameters: ADDR_W       address bits, 1 to 64
//             DATA_W       data bits, 32 or 64
//             SYNC_STAGES  2, 3 or 4 flops for metastability to settle in; 2 serves up to some 250 MHz, 3 beyond
// Checked by: test_axil_cdc.py, formal_axil_cdc.sv
`default_nettype none

module axil_cdc #(
    parameter int ADDR_W      = 12,
    parameter int DATA_W      = 32,
    parameter int SYNC_STAGES = 2
) (
    input  wire                  s_axil_aclk,
    input  wire                  s_axil_aresetn,

    input  wire  [ADDR_W-1:0]    s_axil_awaddr,
    input  wire  [2:0]           s_axil_awprot,
    input  wire                  s_axil_awvalid,
    output logic                 s_axil_awready,
    input  wire  [DATA_W-1:0]    s_axil_wdata,
    input  wire  [DATA_W/8-1:0]  s_axil_wstrb,
    input  wire                  s_axil_wvalid,
    output logic                 s_axil_wready,
    output logic [1:0]           s_axil_bresp,
    output logic                 s_axil_bvalid,
    input  wire                  s_axil_bready,
    input  wire  [ADDR_W-1:0]    s_axil_araddr,
    input  wire  [2:0]           s_axil_arprot,
    input  wire                  s_axil_arvalid,
    output logic                 s_axil_arready,
    output logic [DATA_W-1:0]    s_axil_rdata,
    output logic [1:0]           s_axil_rresp,
    output logic                 s_axil_rvalid,
    input  wire                  s_axil_rready,

    input  wire                  m_axil_aclk,
    input  wire                  m_axil_aresetn,

    output logic [ADDR_W-1:0]    m_axil_awaddr,
    output logic [2:0]           m_axil_awprot,
    output logic                 m_axil_awvalid,
    input  wire                  m_axil_awready,
    output logic [DATA_W-1:0]    m_axil_wdata,
    output logic [DATA_W/8-1:0]  m_axil_wstrb,
    output logic                 m_axil_wvalid,
    input  wire                  m_axil_wready,
    input  wire  [1:0]           m_axil_bresp,
    input  wire                  m_axil_bvalid,
    output logic                 m_axil_bready,
    output logic [ADDR_W-1:0]    m_axil_araddr,
    output logic [2:0]           m_axil_arprot,
    output logic                 m_axil_arvalid,
    input  wire                  m_axil_arready,
    input  wire  [DATA_W-1:0]    m_axil_rdata,
    input  wire  [1:0]           m_axil_rresp,
    input  wire                  m_axil_rvalid,
    output logic                 m_axil_rready
);

    localparam int STRB_W   = DATA_W / 8;
    localparam int ASK_W    = 1 + STRB_W + DATA_W + 3 + ADDR_W;  // kind, strobes, data, prot, address
    localparam int ANSWER_W = 2 + DATA_W;                        // response, data
    localparam int SYNC_W   = SYNC_STAGES > 1 ? SYNC_STAGES - 1 : 1;
    localparam logic [1:0] SLVERR = 2'b10;

    generate
        if (ADDR_W < 1 || ADDR_W > 64) begin : g_check_addr_w
            ADDR_W_must_be_1_to_64 parameter_error();
        end
        if (DATA_W != 32 && DATA_W != 64) begin : g_check_data_w
            DATA_W_must_be_32_or_64 parameter_error();
        end
        if (SYNC_STAGES < 2 || SYNC_STAGES > 4) begin : g_check_sync_stages
            SYNC_STAGES_must_be_2_to_4 parameter_error();
        end
    endgenerate

    // ---- What crosses: s_toggle_q with s_ask_q, m_toggle_q with m_answer_q. A request is under way where the toggles
    // differ.
    logic                s_toggle_q, m_toggle_q;
    logic [ASK_W-1:0]    s_ask_q;
    logic [ANSWER_W-1:0] m_answer_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic              s_meta_q, m_meta_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [SYNC_W-1:0] s_sync_q, m_sync_q;

    // Plain `always` where there are initial values: the toggles must not be reset by one side.
    initial {s_toggle_q, m_toggle_q, s_meta_q, m_meta_q} = 4'b0000;
    initial {s_sync_q, m_sync_q} = '0;

    wire s_seen = s_sync_q[SYNC_W-1];  // m_toggle_q
    wire m_seen = m_sync_q[SYNC_W-1];  // s_toggle_q

    // ---- The side of the host.
    logic wait_q;                // an answer is owed
    logic turn_q;                // the last access was a write: it is a read's turn
    logic w_ready_q, r_ready_q;  // a request is taken in this cycle, if it is still there
    logic b_valid_q, r_valid_q;

    wire idle    = s_toggle_q == s_seen && !wait_q && !w_ready_q && !r_ready_q;
    wire w_can   = s_axil_awvalid && s_axil_wvalid && !b_valid_q;
    wire r_can   = s_axil_arvalid && !r_valid_q;
    wire w_go    = w_ready_q && s_axil_awvalid && s_axil_wvalid && s_axil_aresetn;
    wire r_go    = r_ready_q && s_axil_arvalid && s_axil_aresetn;
    wire s_end   = wait_q && s_toggle_q == s_seen;
    wire s_write = s_ask_q[ASK_W-1];  // of the last request

    initial {wait_q, turn_q, w_ready_q, r_ready_q, b_valid_q, r_valid_q} = 6'b000000;

    always @(posedge s_axil_aclk) begin
        s_meta_q   <= m_toggle_q;
        s_sync_q   <= SYNC_W'({s_sync_q, s_meta_q});
        s_toggle_q <= s_toggle_q ^ (w_go || r_go);

        w_ready_q <= idle && w_can && !(r_can && turn_q);
        r_ready_q <= idle && r_can && !(w_can && !turn_q);
        if (w_go || r_go) turn_q <= w_go;
        wait_q    <= w_go || r_go || (wait_q && !s_end);
        b_valid_q <= (s_end && s_write) || (b_valid_q && !s_axil_bready);
        r_valid_q <= (s_end && !s_write) || (r_valid_q && !s_axil_rready);

        if (!s_axil_aresetn) begin
            w_ready_q <= 1'b0;
            r_ready_q <= 1'b0;
            wait_q    <= 1'b0;
            b_valid_q <= 1'b0;
            r_valid_q <= 1'b0;
        end
    end

    always_ff @(posedge s_axil_aclk) begin
        if (w_go) s_ask_q <= {1'b1, s_axil_wstrb, s_axil_wdata, s_axil_awprot, s_axil_awaddr};
        if (r_go) {s_ask_q[ASK_W-1], s_ask_q[ADDR_W+2:0]} <= {1'b0, s_axil_arprot, s_axil_araddr};
        if (s_end && s_write)  s_axil_bresp                 <= m_answer_q[ANSWER_W-1 -: 2];
        if (s_end && !s_write) {s_axil_rresp, s_axil_rdata} <= m_answer_q;
    end

    assign s_axil_awready = w_ready_q;
    assign s_axil_wready  = w_ready_q;
    assign s_axil_arready = r_ready_q;
    assign s_axil_bvalid  = b_valid_q;
    assign s_axil_rvalid  = r_valid_q;

    // ---- The side of the slaves.
    logic             run_q;                // the request is in m_ask_q
    logic             aw_q, w_q, ar_q;      // and not taken yet
    logic [ASK_W-1:0] m_ask_q;

    wire m_new   = m_seen != m_toggle_q;
    wire m_take  = m_new && !run_q;  // s_ask_q is stable by now
    wire m_write = m_ask_q[ASK_W-1];
    wire m_end   = (m_axil_bvalid && m_axil_bready) || (m_axil_rvalid && m_axil_rready);

    initial {run_q, aw_q, w_q, ar_q} = 4'b0000;

    always @(posedge m_axil_aclk) begin
        m_meta_q <= s_toggle_q;
        m_sync_q <= SYNC_W'({m_sync_q, m_meta_q});
        // In reset too: the host must get the response.
        if (m_end || (m_new && !m_axil_aresetn)) m_toggle_q <= m_seen;

        run_q <= m_new && !m_end;
        if (m_axil_awready) aw_q <= 1'b0;
        if (m_axil_wready)  w_q  <= 1'b0;
        if (m_axil_arready) ar_q <= 1'b0;
        if (m_take) {aw_q, w_q, ar_q} <= {{2{s_write}}, !s_write};

        if (!m_axil_aresetn) {run_q, aw_q, w_q, ar_q} <= 4'b0000;
    end

    always_ff @(posedge m_axil_aclk) begin
        if (m_take) m_ask_q <= s_ask_q;
        if (m_end) m_answer_q <= {m_write ? m_axil_bresp : m_axil_rresp, m_axil_rdata};
        if (m_new && !m_axil_aresetn) m_answer_q <= {SLVERR, {DATA_W{1'b0}}};
    end

    assign {m_axil_wstrb, m_axil_wdata, m_axil_awprot, m_axil_awaddr} = m_ask_q[ASK_W-2:0];
    assign {m_axil_arprot, m_axil_araddr} = m_ask_q[ADDR_W+2:0];
    assign m_axil_awvalid = aw_q;
    assign m_axil_wvalid  = w_q;
    assign m_axil_arvalid = ar_q;
    assign m_axil_bready  = run_q && m_write && !aw_q && !w_q;
    assign m_axil_rready  = run_q && !m_write && !ar_q;

endmodule

`default_nettype wire
