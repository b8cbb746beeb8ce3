// SPDX-License-Identifier: BSD-3-Clause
//
// axil_root - the host's end of an AXI4-Lite tree: takes an access, broadcasts it, times it, answers it.
//
// Below it hang axil_nodes, the first of which gives it `up_*`. The tree serves 2**SPAN_LOG2 bytes from BASE; its
// nodes see the address bits below SPAN_LOG2 only, its slaves see all. One access at a time; when a read and a write
// come together they take turns, so neither waits for more than one of the other. AWADDR and WDATA may arrive in
// any order. An answer that the host does not take holds up only its own kind. No access ever hangs, whatever the
// slaves do:
//   no window holds the address       DECERR, read data zero
//   no answer within TIMEOUT cycles   SLVERR, read data zero; what becomes of the slave: see axil_node
//
// Throughput  one access per 4 cycles with a slave that answers in the next cycle
// Latency     3 cycles from the request to the slave, 1 cycle back; an error because nobody answered a read 2 cycles
// Paths       every output is a flop or a LUT of flops; no input reaches an output
// Resources   FF: 2*ADDR_W + 2*DATA_W + DATA_W/8 + 17 + log2(TIMEOUT)
//
// Parameters: ADDR_W     address bits, 1 to 64
//             DATA_W     data bits, 32 or 64
//             SPAN_LOG2  log2 of the bytes that the tree serves, 1 to ADDR_W; two flops more when below ADDR_W
//             BASE       first of them, a multiple of their number
//             TIMEOUT    cycles that a slave has to take and answer an access, 8 or more, of which a tree with registered
//                      answers uses one. Where an access goes on through another root, behind a bridge, this one
//                      must wait longer, or a dead leaf there closes the bridge for a moment
// Checked by: test_axil_root.py, formal_axil_root.sv, and in trees with axil_crossbar
`default_nettype none

module axil_root #(
    parameter int                ADDR_W    = 12,
    parameter int                DATA_W    = 32,
    parameter int                SPAN_LOG2 = ADDR_W,
    parameter logic [ADDR_W-1:0] BASE      = '0,
    parameter int                TIMEOUT   = 1024
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [ADDR_W-1:0]           s_axil_awaddr,
    input  wire  [2:0]                  s_axil_awprot,
    input  wire                         s_axil_awvalid,
    output logic                        s_axil_awready,
    input  wire  [DATA_W-1:0]           s_axil_wdata,
    input  wire  [DATA_W/8-1:0]         s_axil_wstrb,
    input  wire                         s_axil_wvalid,
    output logic                        s_axil_wready,
    output logic [1:0]                  s_axil_bresp,
    output logic                        s_axil_bvalid,
    input  wire                         s_axil_bready,
    input  wire  [ADDR_W-1:0]           s_axil_araddr,
    input  wire  [2:0]                  s_axil_arprot,
    input  wire                         s_axil_arvalid,
    output logic                        s_axil_arready,
    output logic [DATA_W-1:0]           s_axil_rdata,
    output logic [1:0]                  s_axil_rresp,
    output logic                        s_axil_rvalid,
    input  wire                         s_axil_rready,

    // to every node and slave of the tree
    output logic                        tree_start,
    output logic                        tree_write,
    output logic                        tree_expired,
    output logic [SPAN_LOG2-1:0]        tree_addr,
    output logic [ADDR_W-1:0]           m_axil_awaddr,
    output logic [2:0]                  m_axil_awprot,
    output logic [DATA_W-1:0]           m_axil_wdata,
    output logic [DATA_W/8-1:0]         m_axil_wstrb,
    output logic [ADDR_W-1:0]           m_axil_araddr,
    output logic [2:0]                  m_axil_arprot,

    // from the first node
    input  wire                         up_wait,
    input  wire                         up_last,
    input  wire                         up_hole,
    input  wire  [1:0]                  up_bresp,
    input  wire                         up_bvalid,
    input  wire  [DATA_W-1:0]           up_rdata,
    input  wire  [1:0]                  up_rresp,
    input  wire                         up_rvalid
);

    // The timer runs into its top bit TIMEOUT - 2 cycles after the request went out: it takes one cycle to
    // make this the slave's last cycle.
    localparam int TIMER_W = $clog2(TIMEOUT - 1) + 1;
    localparam logic [TIMER_W-1:0] TIMER_START = TIMER_W'((1 << (TIMER_W - 1)) - (TIMEOUT - 2));

    localparam logic [ADDR_W-1:0] ABOVE = ~((ADDR_W'(2) << (SPAN_LOG2 - 1)) - ADDR_W'(1));  // bits that the root looks at

    generate
        if (SPAN_LOG2 < 1 || SPAN_LOG2 > ADDR_W) begin : g_check_span
            SPAN_LOG2_must_be_1_to_ADDR_W parameter_error();
        end
        if ((BASE & ~ABOVE) != 0) begin : g_check_base
            BASE_must_be_a_multiple_of_the_span parameter_error();
        end
        if (ADDR_W < 1 || ADDR_W > 64) begin : g_check_addr_w
            ADDR_W_must_be_1_to_64 parameter_error();
        end
        if (DATA_W != 32 && DATA_W != 64) begin : g_check_data_w
            DATA_W_must_be_32_or_64 parameter_error();
        end
        if (TIMEOUT < 8) begin : g_check_timeout
            TIMEOUT_must_be_at_least_8 parameter_error();
        end
    endgenerate

    logic               up_q, start_q, write_q;
    logic               w_run_q, r_run_q;                // an access is under way
    logic               aw_full_q, w_full_q, ar_full_q;  // a request is held
    logic               b_valid_q, r_valid_q;            // an answer was not taken at once
    logic               wait_q, last_q, b_q, r_q, w_hole_q, r_hole_q;
    logic               r_none_q;                        // no answer came to a read
    logic               aw_far_q, ar_far_q;              // the address held is not the tree's
    logic [1:0]         bresp_q, rresp_q;
    logic [TIMER_W-1:0] timer_q;

    wire far = write_q ? aw_far_q : ar_far_q;

    // What the tree says goes straight into flops: the way there was long. This is judged in the next cycle.
    wire w_end  = w_run_q & (b_q ? wait_q : last_q);
    wire r_none = r_run_q & !r_q & last_q & !r_none_q;
    wire r_end  = r_run_q & (r_q ? wait_q : r_none_q);
    wire r_look = r_run_q & !r_none & !r_end;

    // No data with an error that is not the slave's. Where no answer came this takes a cycle of its own: up_rvalid is
    // late, and would have to reach every bit.
    wire r_clear = (start_q & !write_q) | r_none | (r_look & up_hole);

    // In the cycle in which the answer is new its request is dropped, and the next one taken.
    wire aw_full_d = (aw_full_q & !w_end) | (up_q & s_axil_awvalid);
    wire w_full_d  = (w_full_q & !w_end) | (up_q & s_axil_wvalid);
    wire ar_full_d = (ar_full_q & !r_end) | (up_q & s_axil_arvalid);
    wire b_valid_d = s_axil_bvalid & !s_axil_bready;
    wire r_valid_d = s_axil_rvalid & !s_axil_rready;

    // The next cycle is looked at, so that the decision which access to start is a flop.
    wire w_next = aw_full_d & w_full_d & !b_valid_d;
    wire r_next = ar_full_d & !r_valid_d;
    wire idle   = !start_q & !(w_run_q & !w_end) & !(r_run_q & !r_end);

    always_ff @(posedge aclk) begin
        up_q <= 1'b1;
        if (idle) write_q <= w_next & !(r_next & write_q);
        start_q   <= idle & (w_next | r_next);
        w_run_q   <= (start_q & write_q) | (w_run_q & !w_end);
        r_run_q   <= (start_q & !write_q) | (r_run_q & !r_end);
        r_none_q  <= r_none;
        aw_full_q <= aw_full_d;
        w_full_q  <= w_full_d;
        ar_full_q <= ar_full_d;
        b_valid_q <= b_valid_d;
        r_valid_q <= r_valid_d;

        if (!aresetn) begin
            up_q      <= 1'b0;
            start_q   <= 1'b0;
            w_run_q   <= 1'b0;
            r_run_q   <= 1'b0;
            r_none_q  <= 1'b0;
            aw_full_q <= 1'b0;
            w_full_q  <= 1'b0;
            ar_full_q <= 1'b0;
            b_valid_q <= 1'b0;
            r_valid_q <= 1'b0;
        end
    end

    // Without reset: what counts only in an access, and the payload.
    always_ff @(posedge aclk) begin
        timer_q <= start_q ? TIMER_START : timer_q + 1'b1;
        // In the cycle of the start the tree speaks of the access before.
        wait_q  <= start_q ? far : up_wait;
        last_q  <= start_q ? far : up_last;
        if (w_run_q & !w_end) {b_q, w_hole_q, bresp_q}               <= {up_bvalid, up_hole, up_bresp};
        if (r_look)            {r_q, r_hole_q, rresp_q} <= {up_rvalid, up_hole, up_rresp};
        if (start_q & write_q)  w_hole_q <= aw_far_q;
        if (start_q & !write_q) {r_q, r_hole_q} <= {1'b0, ar_far_q};
        if (r_clear)     s_axil_rdata <= '0;
        else if (r_look) s_axil_rdata <= up_rdata;
        if (s_axil_awready) aw_far_q <= ((s_axil_awaddr ^ BASE) & ABOVE) != '0;
        if (s_axil_arready) ar_far_q <= ((s_axil_araddr ^ BASE) & ABOVE) != '0;
        if (s_axil_awready) {m_axil_awprot, m_axil_awaddr} <= {s_axil_awprot, s_axil_awaddr};
        if (s_axil_wready)  {m_axil_wstrb, m_axil_wdata}   <= {s_axil_wstrb, s_axil_wdata};
        if (s_axil_arready) {m_axil_arprot, m_axil_araddr} <= {s_axil_arprot, s_axil_araddr};
    end

    assign s_axil_awready = up_q & (!aw_full_q | w_end);
    assign s_axil_wready  = up_q & (!w_full_q | w_end);
    assign s_axil_arready = up_q & (!ar_full_q | r_end);
    assign s_axil_bvalid  = b_valid_q | w_end;
    assign s_axil_rvalid  = r_valid_q | r_end;
    assign s_axil_bresp   = w_hole_q | !b_q ? {1'b1, w_hole_q} : bresp_q;
    assign s_axil_rresp   = r_hole_q | !r_q ? {1'b1, r_hole_q} : rresp_q;

    assign tree_start   = start_q & !far;
    assign tree_write   = write_q;
    assign tree_expired = timer_q[TIMER_W-1];
    assign tree_addr    = write_q ? m_axil_awaddr[SPAN_LOG2-1:0] : m_axil_araddr[SPAN_LOG2-1:0];

endmodule

`default_nettype wire
