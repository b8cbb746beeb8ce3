// SPDX-License-Identifier: BSD-3-Clause
//
// axil_crossbar - one AXI4-Lite slave port to N master ports by address.
//
// Window k is the 2**SIZES_LOG2[k] bytes from BASES[k], naturally aligned; windows are disjoint. The whole
// address is passed on. Reads and writes are independent, one access outstanding each. AWADDR and WDATA
// may arrive in any order.
//
// No access ever hangs:
//   no window matches                 DECERR, read data zero
//   no answer within TIMEOUT cycles   SLVERR, read data zero. The slave is dead from then on: its pending
//                                     handshakes stay up as AXI demands, its late answer is dropped, and
//                                     until both are over every access to it gets SLVERR at once.
// A dead slave must not see its address or data change while its valid is up, and the others must go on:
// hence address and data registers for each port. Reads and writes of a slave die separately.
//
// Throughput  one access per 4 cycles with a slave that answers in the next cycle
// Latency     2 cycles from the request to the slave, 1 cycle back
// Paths       every output is a flop
// Resources   FF a port: 2*ADDR_W + 6 + DATA_W + DATA_W/8 + 5; read data: an AND-OR of N*DATA_W bits
//
// Parameters: N           master ports, 1 to 16
//             ADDR_W      address bits, 1 to 64
//             DATA_W      data bits, 32 or 64
//             BASES       first byte of window k in bits [k*ADDR_W +: ADDR_W]
//             SIZES_LOG2  log2 of the bytes of window k in bits [k*8 +: 8], at most ADDR_W
//             TIMEOUT     cycles from the request at a master port to SLVERR, 2 or more. In a tree a parent's
//                         must exceed its children's by the way between them (16 cycles do), or a dead
//                         leaf kills its whole branch for a moment
// Checked by: test_axil_crossbar.py
`default_nettype none

module axil_crossbar #(
    parameter int                    N          = 1,
    parameter int                    ADDR_W     = 12,
    parameter int                    DATA_W     = 32,
    parameter logic [N*ADDR_W-1:0]   BASES      = '0,
    parameter logic [N*8-1:0]        SIZES_LOG2 = {N{8'(ADDR_W)}},
    parameter int                    TIMEOUT    = 1024
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [ADDR_W-1:0]            s_axil_awaddr,
    input  wire  [2:0]                   s_axil_awprot,
    input  wire                          s_axil_awvalid,
    output logic                         s_axil_awready,
    input  wire  [DATA_W-1:0]            s_axil_wdata,
    input  wire  [DATA_W/8-1:0]          s_axil_wstrb,
    input  wire                          s_axil_wvalid,
    output logic                         s_axil_wready,
    output logic [1:0]                   s_axil_bresp,
    output logic                         s_axil_bvalid,
    input  wire                          s_axil_bready,
    input  wire  [ADDR_W-1:0]            s_axil_araddr,
    input  wire  [2:0]                   s_axil_arprot,
    input  wire                          s_axil_arvalid,
    output logic                         s_axil_arready,
    output logic [DATA_W-1:0]            s_axil_rdata,
    output logic [1:0]                   s_axil_rresp,
    output logic                         s_axil_rvalid,
    input  wire                          s_axil_rready,

    output logic [N*ADDR_W-1:0]          m_axil_awaddr,
    output logic [N*3-1:0]               m_axil_awprot,
    output logic [N-1:0]                 m_axil_awvalid,
    input  wire  [N-1:0]                 m_axil_awready,
    output logic [N*DATA_W-1:0]          m_axil_wdata,
    output logic [N*DATA_W/8-1:0]        m_axil_wstrb,
    output logic [N-1:0]                 m_axil_wvalid,
    input  wire  [N-1:0]                 m_axil_wready,
    input  wire  [N*2-1:0]               m_axil_bresp,
    input  wire  [N-1:0]                 m_axil_bvalid,
    output logic [N-1:0]                 m_axil_bready,
    output logic [N*ADDR_W-1:0]          m_axil_araddr,
    output logic [N*3-1:0]               m_axil_arprot,
    output logic [N-1:0]                 m_axil_arvalid,
    input  wire  [N-1:0]                 m_axil_arready,
    input  wire  [N*DATA_W-1:0]          m_axil_rdata,
    input  wire  [N*2-1:0]               m_axil_rresp,
    input  wire  [N-1:0]                 m_axil_rvalid,
    output logic [N-1:0]                 m_axil_rready
);

    localparam int STRB_W  = DATA_W / 8;
    localparam int TIMER_W = $clog2(TIMEOUT + 1);
    localparam logic [TIMER_W-1:0] TIMER_END = TIMER_W'(TIMEOUT - 1);
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    // Mask of the address bits that select window k.
    function automatic logic [ADDR_W-1:0] window_mask(input int k);
        window_mask = ~((ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1));
    endfunction

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
        if (TIMEOUT < 2) begin : g_check_timeout
            TIMEOUT_must_be_at_least_2 parameter_error();
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

    // ---- writes ----------------------------------------------------------------------------------

    logic [ADDR_W-1:0]  aw_addr_q;
    logic [2:0]         aw_prot_q;
    logic [DATA_W-1:0]  w_data_q;
    logic [STRB_W-1:0]  w_strb_q;
    logic               aw_ready_q, w_ready_q, aw_have_q, w_have_q;
    logic [N-1:0]       w_select_q;
    logic               w_wait_q, b_valid_q;
    logic [1:0]         b_resp_q, b_resp_d;
    logic [TIMER_W-1:0] w_timer_q;
    wire  [N-1:0]       w_hit, w_busy, w_done;

    wire w_decide  = aw_have_q && w_have_q && !w_wait_q && !b_valid_q;
    wire w_launch  = w_decide && (w_hit & ~w_busy) != '0;
    wire w_answer  = w_wait_q && (w_select_q & w_done) != '0;
    wire w_expired = w_wait_q && w_timer_q == TIMER_END;
    wire w_finish  = (w_decide && !w_launch) || w_answer || w_expired;
    wire b_taken   = b_valid_q && s_axil_bready;

    always_comb begin
        b_resp_d = SLVERR;
        if (w_decide && w_hit == '0) b_resp_d = DECERR;
        if (w_answer) begin
            b_resp_d = OKAY;
            for (int i = 0; i < N; i++)
                b_resp_d = b_resp_d | (m_axil_bresp[i*2 +: 2] & {2{w_select_q[i]}});
        end
    end

    always_ff @(posedge aclk) begin
        if (s_axil_awvalid && aw_ready_q) begin
            aw_addr_q  <= s_axil_awaddr;
            aw_prot_q  <= s_axil_awprot;
            aw_have_q  <= 1'b1;
            aw_ready_q <= 1'b0;
        end
        if (s_axil_wvalid && w_ready_q) begin
            w_data_q  <= s_axil_wdata;
            w_strb_q  <= s_axil_wstrb;
            w_have_q  <= 1'b1;
            w_ready_q <= 1'b0;
        end
        if (w_launch) begin
            w_select_q <= w_hit;
            w_wait_q   <= 1'b1;
        end
        w_timer_q <= w_wait_q ? w_timer_q + 1'b1 : '0;
        if (w_finish) begin
            w_wait_q  <= 1'b0;
            b_valid_q <= 1'b1;
            b_resp_q  <= b_resp_d;
            aw_have_q <= 1'b0;
            w_have_q  <= 1'b0;
        end
        if (b_taken) b_valid_q <= 1'b0;
        // Ready again with the answer, so that the next request can be taken in the same cycle.
        if (w_finish || !(aw_have_q || (s_axil_awvalid && aw_ready_q))) aw_ready_q <= 1'b1;
        if (w_finish || !(w_have_q || (s_axil_wvalid && w_ready_q)))    w_ready_q  <= 1'b1;

        if (!aresetn) begin
            aw_have_q  <= 1'b0;
            w_have_q   <= 1'b0;
            aw_ready_q <= 1'b0;
            w_ready_q  <= 1'b0;
            w_wait_q   <= 1'b0;
            b_valid_q  <= 1'b0;
        end
    end

    assign s_axil_awready = aw_ready_q;
    assign s_axil_wready  = w_ready_q;
    assign s_axil_bvalid  = b_valid_q;
    assign s_axil_bresp   = b_resp_q;

    // ---- reads -----------------------------------------------------------------------------------

    logic [ADDR_W-1:0]  ar_addr_q;
    logic [2:0]         ar_prot_q;
    logic               ar_ready_q, ar_have_q;
    logic [N-1:0]       r_select_q;
    logic               r_wait_q, r_valid_q;
    logic [1:0]         r_resp_q, r_resp_d;
    logic [DATA_W-1:0]  r_data_q, r_data_d;
    logic [TIMER_W-1:0] r_timer_q;
    wire  [N-1:0]       r_hit, r_busy, r_done;

    wire r_decide  = ar_have_q && !r_wait_q && !r_valid_q;
    wire r_launch  = r_decide && (r_hit & ~r_busy) != '0;
    wire r_answer  = r_wait_q && (r_select_q & r_done) != '0;
    wire r_expired = r_wait_q && r_timer_q == TIMER_END;
    wire r_finish  = (r_decide && !r_launch) || r_answer || r_expired;
    wire r_taken   = r_valid_q && s_axil_rready;

    always_comb begin
        r_resp_d = SLVERR;
        r_data_d = '0;
        if (r_decide && r_hit == '0) r_resp_d = DECERR;
        if (r_answer) begin
            r_resp_d = OKAY;
            for (int i = 0; i < N; i++) begin
                r_resp_d = r_resp_d | (m_axil_rresp[i*2 +: 2] & {2{r_select_q[i]}});
                r_data_d = r_data_d | (m_axil_rdata[i*DATA_W +: DATA_W] & {DATA_W{r_select_q[i]}});
            end
        end
    end

    always_ff @(posedge aclk) begin
        if (s_axil_arvalid && ar_ready_q) begin
            ar_addr_q  <= s_axil_araddr;
            ar_prot_q  <= s_axil_arprot;
            ar_have_q  <= 1'b1;
            ar_ready_q <= 1'b0;
        end
        if (r_launch) begin
            r_select_q <= r_hit;
            r_wait_q   <= 1'b1;
        end
        r_timer_q <= r_wait_q ? r_timer_q + 1'b1 : '0;
        if (r_finish) begin
            r_wait_q  <= 1'b0;
            r_valid_q <= 1'b1;
            r_resp_q  <= r_resp_d;
            r_data_q  <= r_data_d;
            ar_have_q <= 1'b0;
        end
        if (r_taken) r_valid_q <= 1'b0;
        if (r_finish || !(ar_have_q || (s_axil_arvalid && ar_ready_q))) ar_ready_q <= 1'b1;

        if (!aresetn) begin
            ar_have_q  <= 1'b0;
            ar_ready_q <= 1'b0;
            r_wait_q   <= 1'b0;
            r_valid_q  <= 1'b0;
        end
    end

    assign s_axil_arready = ar_ready_q;
    assign s_axil_rvalid  = r_valid_q;
    assign s_axil_rresp   = r_resp_q;
    assign s_axil_rdata   = r_data_q;

    // ---- one master port each --------------------------------------------------------------------

    generate
        for (genvar k = 0; k < N; k++) begin : g_port
            localparam logic [ADDR_W-1:0] MASK = window_mask(k);
            localparam logic [ADDR_W-1:0] BASE = BASES[k*ADDR_W +: ADDR_W];

            logic [ADDR_W-1:0] port_awaddr_q, port_araddr_q;
            logic [2:0]        port_awprot_q, port_arprot_q;
            logic [DATA_W-1:0] port_wdata_q;
            logic [STRB_W-1:0] port_wstrb_q;
            logic              awvalid_q, wvalid_q, bready_q, arvalid_q, rready_q;

            assign w_hit[k]  = ((aw_addr_q ^ BASE) & MASK) == '0;
            assign r_hit[k]  = ((ar_addr_q ^ BASE) & MASK) == '0;
            // bready and rready stay up until the answer, be it late: they mark the access as pending.
            assign w_busy[k] = awvalid_q || wvalid_q || bready_q;
            assign r_busy[k] = arvalid_q || rready_q;
            assign w_done[k] = bready_q && m_axil_bvalid[k];
            assign r_done[k] = rready_q && m_axil_rvalid[k];

            always_ff @(posedge aclk) begin
                if (m_axil_awready[k]) awvalid_q <= 1'b0;
                if (m_axil_wready[k])  wvalid_q  <= 1'b0;
                if (m_axil_bvalid[k])  bready_q  <= 1'b0;
                if (m_axil_arready[k]) arvalid_q <= 1'b0;
                if (m_axil_rvalid[k])  rready_q  <= 1'b0;
                if (w_launch && w_hit[k]) begin
                    awvalid_q     <= 1'b1;
                    wvalid_q      <= 1'b1;
                    bready_q      <= 1'b1;
                    port_awaddr_q <= aw_addr_q;
                    port_awprot_q <= aw_prot_q;
                    port_wdata_q  <= w_data_q;
                    port_wstrb_q  <= w_strb_q;
                end
                if (r_launch && r_hit[k]) begin
                    arvalid_q     <= 1'b1;
                    rready_q      <= 1'b1;
                    port_araddr_q <= ar_addr_q;
                    port_arprot_q <= ar_prot_q;
                end
                if (!aresetn) begin
                    awvalid_q <= 1'b0;
                    wvalid_q  <= 1'b0;
                    bready_q  <= 1'b0;
                    arvalid_q <= 1'b0;
                    rready_q  <= 1'b0;
                end
            end

            assign m_axil_awaddr[k*ADDR_W +: ADDR_W] = port_awaddr_q;
            assign m_axil_awprot[k*3 +: 3]           = port_awprot_q;
            assign m_axil_awvalid[k]                 = awvalid_q;
            assign m_axil_wdata[k*DATA_W +: DATA_W]  = port_wdata_q;
            assign m_axil_wstrb[k*STRB_W +: STRB_W]  = port_wstrb_q;
            assign m_axil_wvalid[k]                  = wvalid_q;
            assign m_axil_bready[k]                  = bready_q;
            assign m_axil_araddr[k*ADDR_W +: ADDR_W] = port_araddr_q;
            assign m_axil_arprot[k*3 +: 3]           = port_arprot_q;
            assign m_axil_arvalid[k]                 = arvalid_q;
            assign m_axil_rready[k]                  = rready_q;
        end
    endgenerate

endmodule

`default_nettype wire
