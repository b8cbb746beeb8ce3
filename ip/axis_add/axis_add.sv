// SPDX-License-Identifier: BSD-3-Clause
//
// axis_add - sum of N streams, element by element.
//
// One beat of every input is taken in the same cycle, and each element of the output beat is the sum of the elements
// at its place. The elements of an input have their own width and sign. The payloads lie side by side in s_axis_tdata,
// input 0 lowest, each with its element 0 lowest. OUT_W must hold every sum, so none overflows; if any input is signed,
// so is the sum.
//
// Throughput  one beat per cycle
// Latency     $clog2(N) cycles: a row of flops behind each row of adders
// Paths       all of m_axis is flops; s_axis_tready of an input waits for s_axis_tvalid of all and for m_axis_tready,
//             combinational
// Resources   1 LUT for each bit of each adder, and N/5 + 3 LUT; FF for each adder and 2 for each row
//
// While the output stalls all rows wait; a beat that has entered leaves without another one behind it.
//
// Parameters: N         inputs, 2 to 16
//             ELEMENTS  of a beat, 1 or more
//             IN_W      bits of an element, 8 bits for each input, each 1 to 64; input 0 lowest
//             SIGNED    a bit for each input: its elements are signed
//             ALL_W     bits of s_axis_tdata: ELEMENTS times the sum of IN_W
//             OUT_W     bits of an element of the output, enough for every sum
// Checked by: test_axis_add.py
`default_nettype none

module axis_add #(
    parameter int N        = 2,
    parameter int ELEMENTS = 1,
    parameter logic [N*8-1:0] IN_W   = {N{8'd8}},
    parameter logic [N-1:0]   SIGNED = '0,
    parameter int ALL_W    = 16,
    parameter int OUT_W    = 9
) (
    input  wire                       aclk,
    input  wire                       aresetn,

    input  wire  [ALL_W-1:0]          s_axis_tdata,
    input  wire                       s_axis_tlast,   // of input 0
    input  wire  [N-1:0]              s_axis_tvalid,
    output logic [N-1:0]              s_axis_tready,

    output logic [ELEMENTS*OUT_W-1:0] m_axis_tdata,
    output logic                      m_axis_tlast,
    output logic                      m_axis_tvalid,
    input  wire                       m_axis_tready
);

    localparam bit ANY  = SIGNED != '0;
    localparam int ROWS = $clog2(N);

    // Bits in front of the payload of an input, of an element of all.
    function automatic int offset(input int upto);
        offset = 0;
        for (int i = 0; i < upto; i++) offset = offset + int'(IN_W[i*8 +: 8]);
    endfunction

    // Bits that hold the elements of every input; an unsigned one needs a sign if another one has it.
    function automatic int widest();
        widest = 1;
        for (int i = 0; i < N; i++)
            if (int'(IN_W[i*8 +: 8]) + int'(ANY && !SIGNED[i]) > widest)
                widest = int'(IN_W[i*8 +: 8]) + int'(ANY && !SIGNED[i]);
    endfunction

    function automatic logic wrong();
        wrong = 1'b0;
        for (int i = 0; i < N; i++) if (IN_W[i*8 +: 8] == 8'd0 || IN_W[i*8 +: 8] > 8'd64) wrong = 1'b1;
    endfunction

    // Whether every sum fits: the largest one, and the size of the smallest.
    function automatic logic fits();
        logic [79:0] most, least, one;
        most  = '0;
        least = '0;
        one   = 80'd1;
        for (int i = 0; i < N; i++) begin
            most = most + (one << (int'(IN_W[i*8 +: 8]) - int'(SIGNED[i]))) - one;
            if (SIGNED[i]) least = least + (one << (int'(IN_W[i*8 +: 8]) - 1));
        end
        fits = OUT_W > 70 || (most < one << (OUT_W - int'(ANY)) && (!ANY || least <= one << (OUT_W - 1)));
    endfunction

    localparam int WIDEST = widest();

    wire  all   = &s_axis_tvalid;
    logic up_q;                       // instead of aresetn: keeps the reset net out of the ready path
    wire  ends;                       // the last row has a beat
    wire  run   = !ends || m_axis_tready;

    assign s_axis_tready = {N{all && run && up_q}};
    always_ff @(posedge aclk) up_q <= aresetn;

    generate
        if (N < 2 || N > 16) begin : g_check_n
            N_must_be_2_to_16 parameter_error();
        end
        if (ELEMENTS < 1) begin : g_check_elements
            ELEMENTS_must_be_at_least_1 parameter_error();
        end
        if (wrong()) begin : g_check_in_w
            IN_W_must_be_1_to_64_for_each_input parameter_error();
        end
        if (ALL_W != ELEMENTS * offset(N)) begin : g_check_all_w
            ALL_W_must_be_ELEMENTS_times_the_sum_of_IN_W parameter_error();
        end
        if (OUT_W < 1 || !fits()) begin : g_check_out_w
            OUT_W_must_hold_every_sum parameter_error();
        end

        // Row r has the sums of 2**r inputs each; row 0 is the inputs, extended to the widest.
        for (genvar r = 0; r <= ROWS; r++) begin : g_row
            localparam int COUNT = (N + (1 << r) - 1) >> r;
            localparam int W     = WIDEST + r < OUT_W ? WIDEST + r : OUT_W;
            wire [COUNT*ELEMENTS*W-1:0] value;
            wire valid, last;

            if (r == 0) begin : g_inputs
                for (genvar i = 0; i < N; i++) begin : g_input
                    localparam int BITS = int'(IN_W[i*8 +: 8]);
                    for (genvar e = 0; e < ELEMENTS; e++) begin : g_element
                        wire [BITS-1:0] element = s_axis_tdata[offset(i)*ELEMENTS + e*BITS +: BITS];
                        wire            sign    = SIGNED[i] && element[BITS-1];
                        if (W > BITS) begin : g_extend
                            assign value[(i*ELEMENTS+e)*W +: W] = {{W-BITS{sign}}, element};
                        end else begin : g_whole
                            wire unused = sign;
                            assign value[(i*ELEMENTS+e)*W +: W] = element[W-1:0];
                        end
                    end
                end
                assign valid = all && up_q;
                assign last  = s_axis_tlast;
            end else begin : g_sums
                localparam int BELOW = (N + (1 << (r - 1)) - 1) >> (r - 1);
                localparam int B     = WIDEST + r - 1 < OUT_W ? WIDEST + r - 1 : OUT_W;
                logic [COUNT*ELEMENTS*W-1:0] value_q;
                logic                        valid_q, last_q;

                for (genvar k = 0; k < COUNT*ELEMENTS; k++) begin : g_sum
                    localparam int NODE = k / ELEMENTS;
                    localparam int E    = k % ELEMENTS;
                    wire [B-1:0] a = g_row[r-1].value[(2*NODE*ELEMENTS+E)*B +: B];
                    wire [W-1:0] a_wide;
                    if (W > B) begin : g_grow
                        assign a_wide = {ANY && a[B-1], a};
                    end else begin : g_same
                        assign a_wide = a;
                    end
                    if (2 * NODE + 1 < BELOW) begin : g_two
                        wire [B-1:0] b = g_row[r-1].value[((2*NODE+1)*ELEMENTS+E)*B +: B];
                        wire [W-1:0] b_wide;
                        if (W > B) begin : g_grow
                            assign b_wide = {ANY && b[B-1], b};
                        end else begin : g_same
                            assign b_wide = b;
                        end
                        always_ff @(posedge aclk) if (run) value_q[k*W +: W] <= a_wide + b_wide;
                    end else begin : g_one
                        always_ff @(posedge aclk) if (run) value_q[k*W +: W] <= a_wide;
                    end
                end
                always_ff @(posedge aclk) begin
                    if (run) last_q  <= g_row[r-1].last;
                    if (run) valid_q <= g_row[r-1].valid;
                    if (!aresetn) valid_q <= 1'b0;
                end
                assign value = value_q;
                assign valid = valid_q;
                assign last  = last_q;
            end
        end

        localparam int LAST_W = WIDEST + ROWS < OUT_W ? WIDEST + ROWS : OUT_W;
        for (genvar e = 0; e < ELEMENTS; e++) begin : g_out
            wire [LAST_W-1:0] sum = g_row[ROWS].value[e*LAST_W +: LAST_W];
            if (OUT_W > LAST_W) begin : g_extend
                assign m_axis_tdata[e*OUT_W +: OUT_W] = {{OUT_W-LAST_W{ANY && sum[LAST_W-1]}}, sum};
            end else begin : g_whole
                assign m_axis_tdata[e*OUT_W +: OUT_W] = sum;
            end
        end
    endgenerate

    assign ends          = g_row[ROWS].valid;
    assign m_axis_tvalid = ends;
    assign m_axis_tlast  = g_row[ROWS].last;

endmodule

`default_nettype wire
