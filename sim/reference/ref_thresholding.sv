// SPDX-License-Identifier: BSD-3-Clause
//
// ref_thresholding - per-channel thresholds, run-time writable, folded like FINN's Thresholding_rtl.
//
// An output element is BIAS plus the number of its channel's thresholds that are not above the input; thresholds need
// not be sorted. Registers: threshold t of channel c is 32-bit register
// ((c/PE) * 2**clog2(PE) + c%PE) * 2**clog2(STEPS) + t, two's complement in THRESHOLD_W bits, zero-extended.
// Throughput: one word of PE elements per cycle. Latency: 3 cycles.
// Resources: PE * STEPS comparators, a RAM of CHANNELS * STEPS thresholds with one write and two read ports.
//
// Parameters: CHANNELS        elements of a frame, a multiple of PE
//             INPUT_W, _CODE  bits of an input; 0 unsigned, 1 two's complement, 2 bipolar (0 is -1, 1 is +1)
//             THRESHOLD_W     bits of a threshold, at most 32, always two's complement
//             STEPS           thresholds of a channel
//             OUTPUT_W, BIAS  bits of an output and what a count of zero becomes
//             INIT_FILE       $readmemh file, one line of PE * STEPS thresholds per fold, threshold t of PE p at
//                             bit (p * STEPS + t) * THRESHOLD_W
// Checked by: tests/test_reference_rtl.py (Icarus and Verilator)
`default_nettype none

module ref_thresholding #(
    parameter int CHANNELS    = 4,
    parameter int PE          = 1,
    parameter int INPUT_W     = 16,
    parameter int INPUT_CODE  = 1,
    parameter int THRESHOLD_W = 16,
    parameter int STEPS       = 15,
    parameter int OUTPUT_W    = 4,
    parameter int BIAS        = 0,
    parameter     INIT_FILE   = "",
    localparam int FOLDS      = CHANNELS / PE,
    localparam int ADDR_W     = $clog2(FOLDS) + $clog2(PE) + $clog2(STEPS) + 2,
    localparam int S_TDATA_W  = (PE * INPUT_W + 7) / 8 * 8,
    localparam int M_TDATA_W  = (PE * OUTPUT_W + 7) / 8 * 8
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire [S_TDATA_W-1:0] s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,

    output wire [M_TDATA_W-1:0] m_axis_tdata,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready,

    input  wire [ADDR_W-1:0]    s_axilite_awaddr,
    input  wire                 s_axilite_awvalid,
    output wire                 s_axilite_awready,
    input  wire [31:0]          s_axilite_wdata,
    input  wire                 s_axilite_wvalid,
    output wire                 s_axilite_wready,
    output wire [1:0]           s_axilite_bresp,
    output wire                 s_axilite_bvalid,
    input  wire                 s_axilite_bready,
    input  wire [ADDR_W-1:0]    s_axilite_araddr,
    input  wire                 s_axilite_arvalid,
    output wire                 s_axilite_arready,
    output wire [31:0]          s_axilite_rdata,
    output wire [1:0]           s_axilite_rresp,
    output wire                 s_axilite_rvalid,
    input  wire                 s_axilite_rready
);
    generate
        if (CHANNELS % PE != 0) begin : g_check_pe
            CHANNELS_must_be_a_multiple_of_PE parameter_error();
        end
        if (THRESHOLD_W > 32) begin : g_check_threshold_w
            THRESHOLD_W_must_be_at_most_32 parameter_error();
        end
    endgenerate

    localparam int SIGNED    = 1;
    localparam int BIPOLAR   = 2;
    localparam int FOLD_W    = FOLDS > 1 ? $clog2(FOLDS) : 1;
    localparam int WORD_W    = PE * STEPS * THRESHOLD_W;
    localparam int COMPARE_W = (INPUT_W > THRESHOLD_W ? INPUT_W : THRESHOLD_W) + 1;

    wire               write_en, read_en;
    wire [31:0]        write_index, write_data, read_index;
    wire [31:0]        read_data;
    wire [WORD_W-1:0]  thresholds;

    logic [FOLD_W-1:0]      fold_q;
    logic [PE*INPUT_W-1:0]  input_q;
    logic                   input_valid_q, count_valid_q;
    logic [PE*OUTPUT_W-1:0] count, count_q;

    wire count_ready;
    wire run = count_ready || !count_valid_q;

    assign s_axis_tready = run;

    always_ff @(posedge aclk) begin
        if (run) begin
            input_q       <= s_axis_tdata[PE*INPUT_W-1:0];
            input_valid_q <= s_axis_tvalid;
            count_q       <= count;
            count_valid_q <= input_valid_q;
            if (s_axis_tvalid) fold_q <= fold_q == FOLD_W'(FOLDS - 1) ? '0 : fold_q + FOLD_W'(1);
        end
        if (!aresetn) begin
            fold_q        <= '0;
            input_valid_q <= 1'b0;
            count_valid_q <= 1'b0;
        end
    end

    generate
        for (genvar p = 0; p < PE; p++) begin : g_pe
            wire [INPUT_W-1:0] bits = input_q[p*INPUT_W +: INPUT_W];
            wire signed [COMPARE_W-1:0] value;
            if (INPUT_CODE == BIPOLAR) begin : g_bipolar
                assign value = {{(COMPARE_W-1){!bits[0]}}, 1'b1};
            end else begin : g_integer
                assign value = {{(COMPARE_W-INPUT_W){INPUT_CODE == SIGNED && bits[INPUT_W-1]}}, bits};
            end
            wire [STEPS-1:0] reached;
            for (genvar t = 0; t < STEPS; t++) begin : g_step
                localparam int LOW = (p * STEPS + t) * THRESHOLD_W;
                wire signed [COMPARE_W-1:0] threshold =
                    {{(COMPARE_W-THRESHOLD_W){thresholds[LOW+THRESHOLD_W-1]}}, thresholds[LOW +: THRESHOLD_W]};
                assign reached[t] = threshold <= value;
            end
            logic [OUTPUT_W-1:0] total;
            always_comb begin
                total = OUTPUT_W'(BIAS);
                for (int t = 0; t < STEPS; t++) total = total + OUTPUT_W'(reached[t]);
            end
            assign count[p*OUTPUT_W +: OUTPUT_W] = total;
        end
    endgenerate

    ref_thresholds #(
        .PE(PE), .STEPS(STEPS), .FOLDS(FOLDS), .THRESHOLD_W(THRESHOLD_W), .INIT_FILE(INIT_FILE)
    ) u_thresholds (
        .aclk, .fetch_en(run), .fetch_addr(fold_q), .fetch_word(thresholds),
        .write_en, .write_index, .write_data, .read_en, .read_index, .read_data
    );

    ref_axilite #(.ADDR_W(ADDR_W)) u_axilite (.*);

    ref_slice #(.DATA_W(M_TDATA_W)) u_slice (
        .aclk, .aresetn,
        .s_axis_tdata(M_TDATA_W'(count_q)), .s_axis_tvalid(count_valid_q), .s_axis_tready(count_ready),
        .m_axis_tdata, .m_axis_tvalid, .m_axis_tready
    );

    wire unused = &{1'b0, s_axis_tdata};  // padding
endmodule

`default_nettype wire
