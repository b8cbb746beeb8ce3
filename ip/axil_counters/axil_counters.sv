// SPDX-License-Identifier: BSD-3-Clause
//
// axil_counters - status words and event counters behind AXI4-Lite, all counters with one adder.
//
// Registers are 32 bits wide. The lower half of the 2**ADDR_W bytes shows the words of `status`, the upper half the
// counters; what is beyond WORDS and COUNTERS reads 0. Every access is answered OKAY. A write is forwarded: `write`
// pulses with the number of the word and its data, in which bytes without WSTRB are zero, which suits registers
// with bits that are written as 1 to act.
//
// The counts lie in LUTRAM. One counter after the other is visited; what happened since the last visit waits in a few
// flops of each and is added. A read of a counter waits for the visit, so it is exact. `clear` is exact, too:
// what happens in its cycle or later is counted, what was before is not. Counts wrap at 2**32.
//
// Throughput  an event of each kind in every cycle; a write per 2 cycles, a read per 3, of a counter at most
//             COUNTERS, rounded up to a power of two, more
// Latency     2 cycles from a write to its answer, 3 from a read of a status word to its data
// Paths       every output is a flop, every input ends in flops
// Resources   LUTRAM of COUNTERS words; $clog2(COUNTERS) + 1 FF and about as many LUT for each counter, 32 LUT for the
//             adder, a multiplexer of WORDS words, 130 FF
//
// Parameters: ADDR_W    address bits, 4 to 12
//             WORDS     words of status, 1 to 2**(ADDR_W - 3)
//             COUNTERS  1 to 2**(ADDR_W - 3)
// Checked by: test_axil_counters.py
`default_nettype none

module axil_counters #(
    parameter int ADDR_W   = 7,
    parameter int WORDS    = 1,
    parameter int COUNTERS = 1
) (
    input  wire                  aclk,
    input  wire                  aresetn,

    input  wire  [ADDR_W-1:0]    s_axil_awaddr,
    input  wire  [2:0]           s_axil_awprot,
    input  wire                  s_axil_awvalid,
    output logic                 s_axil_awready,
    input  wire  [31:0]          s_axil_wdata,
    input  wire  [3:0]           s_axil_wstrb,
    input  wire                  s_axil_wvalid,
    output logic                 s_axil_wready,
    output logic [1:0]           s_axil_bresp,
    output logic                 s_axil_bvalid,
    input  wire                  s_axil_bready,
    input  wire  [ADDR_W-1:0]    s_axil_araddr,
    input  wire  [2:0]           s_axil_arprot,
    input  wire                  s_axil_arvalid,
    output logic                 s_axil_arready,
    output logic [31:0]          s_axil_rdata,
    output logic [1:0]           s_axil_rresp,
    output logic                 s_axil_rvalid,
    input  wire                  s_axil_rready,

    input  wire  [WORDS*32-1:0]  status,
    input  wire  [COUNTERS-1:0]  inc,
    input  wire                  clear,

    output logic                 write,
    output logic [ADDR_W-3:0]    write_word,
    output logic [31:0]          write_data
);

    localparam int HALF_W  = ADDR_W - 3;                            // address bits of a word within its half
    localparam int AT_W    = COUNTERS > 2 ? $clog2(COUNTERS) : 1;   // of a counter
    localparam int PLACES  = 1 << AT_W;
    localparam int COUNT_W = AT_W + 1;                              // of what may happen between two visits

    generate
        if (ADDR_W < 4 || ADDR_W > 12) begin : g_check_addr_w
            ADDR_W_must_be_4_to_12 parameter_error();
        end
        if (WORDS < 1 || WORDS > 1 << HALF_W) begin : g_check_words
            WORDS_must_be_1_to_half_of_the_words parameter_error();
        end
        if (COUNTERS < 1 || COUNTERS > 1 << HALF_W) begin : g_check_counters
            COUNTERS_must_be_1_to_half_of_the_words parameter_error();
        end
    endgenerate

    // ---- bus -------------------------------------------------------------------------------------

    logic              aw_have_q, w_have_q, ar_have_q, aw_ready_q, w_ready_q, ar_ready_q, b_valid_q, r_valid_q, seen_q;
    logic [ADDR_W-3:0] aw_word_q, ar_word_q;
    logic [31:0]       w_data_q, r_data_q, seen_data_q;
    wire  [31:0]       sum;
    wire               visited;  // `sum` is that of the counter which is read

    wire act  = aw_have_q && w_have_q && !b_valid_q;
    // A read looks at the status words in one cycle and answers from what it saw in a later one.
    wire look = ar_have_q && !seen_q;
    wire counter = ar_word_q[ADDR_W-3] && 32'(ar_word_q[HALF_W-1:0]) < 32'(PLACES);
    wire read = seen_q && !r_valid_q && (!counter || visited);
    wire aw_have_d = (s_axil_awvalid && aw_ready_q) || (aw_have_q && !act);
    wire w_have_d  = (s_axil_wvalid && w_ready_q) || (w_have_q && !act);
    wire ar_have_d = (s_axil_arvalid && ar_ready_q) || (ar_have_q && !read);

    // A tree of multiplexers; the last nodes are the words.
    localparam int WORD_W = WORDS > 1 ? $clog2(WORDS) : 1;
    generate
        for (genvar i = (2 << WORD_W) - 1; i > 0; i--) begin : g_node
            wire [31:0] value;
            if (i >= (1 << WORD_W) + WORDS) begin : g_none
                assign value = '0;
            end else if (i >= 1 << WORD_W) begin : g_word
                assign value = status[(i-(1<<WORD_W))*32 +: 32];
            end else begin : g_choice
                assign value = ar_word_q[WORD_W-$clog2(i+1)] ? g_node[2*i+1].value : g_node[2*i].value;
            end
        end
    endgenerate
    wire [31:0] word = 32'(ar_word_q) < 32'(1 << WORD_W) ? g_node[1].value : '0;

    always_ff @(posedge aclk) begin
        if (aw_ready_q) aw_word_q <= s_axil_awaddr[ADDR_W-1:2];
        if (ar_ready_q) ar_word_q <= s_axil_araddr[ADDR_W-1:2];
        if (w_ready_q)
            for (int k = 0; k < 4; k++) w_data_q[8*k +: 8] <= s_axil_wdata[8*k +: 8] & {8{s_axil_wstrb[k]}};
        if (look) seen_data_q <= word;
        if (read) r_data_q <= counter ? sum : seen_data_q;

        aw_have_q  <= aw_have_d;
        w_have_q   <= w_have_d;
        ar_have_q  <= ar_have_d;
        seen_q     <= look || (seen_q && !read);
        aw_ready_q <= !aw_have_d;
        w_ready_q  <= !w_have_d;
        ar_ready_q <= !ar_have_d;
        b_valid_q  <= act || (b_valid_q && !s_axil_bready);
        r_valid_q  <= read || (r_valid_q && !s_axil_rready);

        write <= act;

        if (!aresetn) begin
            aw_have_q  <= 1'b0;
            w_have_q   <= 1'b0;
            ar_have_q  <= 1'b0;
            seen_q     <= 1'b0;
            aw_ready_q <= 1'b0;
            w_ready_q  <= 1'b0;
            ar_ready_q <= 1'b0;
            b_valid_q  <= 1'b0;
            r_valid_q  <= 1'b0;
            write      <= 1'b0;
        end
    end

    assign s_axil_awready = aw_ready_q;
    assign s_axil_wready  = w_ready_q;
    assign s_axil_arready = ar_ready_q;
    assign s_axil_bvalid  = b_valid_q;
    assign s_axil_bresp   = 2'b00;
    assign s_axil_rvalid  = r_valid_q;
    assign s_axil_rdata   = r_data_q;
    assign s_axil_rresp   = 2'b00;

    // Address and data of a write stay for the cycle after it, in which the next ones may be taken.
    assign write_word = aw_word_q;
    assign write_data = w_data_q;

    wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0]};

    // ---- counters --------------------------------------------------------------------------------

    // Counter at_q is looked at, with what waits for it; in the next cycle the sum is written.
    (* ram_style = "distributed" *) logic [31:0] count [0:PLACES-1];
    logic [AT_W-1:0]           at_q, sum_at_q;
    logic [31:0]               count_q;
    logic [COUNT_W-1:0]        more_q;
    logic [COUNTERS*COUNT_W-1:0] wait_q;
    logic [AT_W:0]             blank_q;      // visits whose count is still that from before a clear
    logic                      sum_blank_q;

    generate
        for (genvar i = 2 * PLACES - 1; i > 0; i--) begin : g_more
            wire [COUNT_W-1:0] value;
            if (i >= PLACES + COUNTERS) begin : g_none
                assign value = '0;
            end else if (i >= PLACES) begin : g_wait
                assign value = wait_q[(i-PLACES)*COUNT_W +: COUNT_W];
            end else begin : g_choice
                assign value = at_q[AT_W-$clog2(i+1)] ? g_more[2*i+1].value : g_more[2*i].value;
            end
        end
    endgenerate
    assign sum     = (sum_blank_q ? 32'd0 : count_q) + 32'(more_q);
    assign visited = sum_at_q == ar_word_q[AT_W-1:0];

    always_ff @(posedge aclk) begin
        count_q <= count[at_q];
        count[sum_at_q] <= sum;
    end

    always_ff @(posedge aclk) begin
        at_q        <= at_q + 1'b1;
        sum_at_q    <= at_q;
        more_q      <= clear ? '0 : g_more[1].value;
        sum_blank_q <= clear || blank_q != '0;
        if (clear)              blank_q <= (AT_W+1)'(PLACES);
        else if (blank_q != '0) blank_q <= blank_q - 1'b1;
        for (int k = 0; k < COUNTERS; k++)
            if (clear || at_q == AT_W'(k)) wait_q[k*COUNT_W +: COUNT_W] <= COUNT_W'(inc[k]);
            else wait_q[k*COUNT_W +: COUNT_W] <= wait_q[k*COUNT_W +: COUNT_W] + COUNT_W'(inc[k]);

        if (!aresetn) begin
            at_q        <= '0;
            more_q      <= '0;
            sum_blank_q <= 1'b1;
            blank_q     <= (AT_W+1)'(PLACES);
            wait_q      <= '0;
        end
    end

endmodule

`default_nettype wire
