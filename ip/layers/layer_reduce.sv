// SPDX-License-Identifier: BSD-3-Clause
//
// layer_reduce - sum or maximum over STEPS beats, for N channels side by side: FINN's Pool and GlobalAccPool.
//
// FOLDS results are in progress at a time: beat f of each group of FOLDS goes to result f, and after STEPS groups the
// FOLDS results leave, each in the cycle after its last beat came. A sum is shifted right by SHIFT, downwards for
// negative ones too. A pool behind a window generator has FOLDS 1, as one output's beats come one after another.
//
// Throughput  one beat per cycle in
// Latency     1 cycle from the beat that completes a result
// Paths       every output is a flop, no combinational path at all
// Resources   an adder or a comparison for each lane, FOLDS words of LUTRAM, axis_register #(N*OUT_W)
//
// Parameters: N          channels of a beat, 1 or more
//             IN_W       bits of a channel, 1 or more
//             OUT_W      bits of a result, 1 or more; the lower ones are handed out
//             SIGNED_EN  1: two's complement
//             OP         0 sum, 1 maximum
//             FOLDS      results in progress, 1 or more
//             STEPS      beats of a result, 1 or more
//             SHIFT      of a sum to the right, less than its bits
// Checked by: test_layers.py
`default_nettype none

module layer_reduce #(
    parameter int N         = 1,
    parameter int IN_W      = 8,
    parameter int OUT_W     = 8,
    parameter bit SIGNED_EN = 0,
    parameter int OP        = 0,
    parameter int FOLDS     = 1,
    parameter int STEPS     = 4,
    parameter int SHIFT     = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [N*IN_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [N*OUT_W-1:0]  m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    localparam int SUM     = 0;
    localparam int MAXIMUM = 1;

    localparam int ACC_W  = OP == SUM ? IN_W + $clog2(STEPS) : IN_W;
    localparam int WIDE_W = ACC_W > OUT_W ? ACC_W : OUT_W;
    localparam int FOLD_W = FOLDS > 1 ? $clog2(FOLDS) : 1;
    localparam int STEP_W = STEPS > 1 ? $clog2(STEPS) : 1;

    generate
        if (N < 1 || IN_W < 1 || OUT_W < 1) begin : g_check_sizes
            N_IN_W_and_OUT_W_must_be_at_least_1 parameter_error();
        end
        if (OP < SUM || OP > MAXIMUM) begin : g_check_op
            OP_must_be_0_or_1 parameter_error();
        end
        if (FOLDS < 1 || STEPS < 1) begin : g_check_counts
            FOLDS_and_STEPS_must_be_at_least_1 parameter_error();
        end
        if (SHIFT < 0 || SHIFT >= ACC_W) begin : g_check_shift
            SHIFT_must_be_less_than_the_bits_of_a_sum parameter_error();
        end
    endgenerate

    (* ram_style = "distributed" *) logic [N*ACC_W-1:0] kept [0:FOLDS-1];

    logic [FOLD_W-1:0]  fold_q;
    logic [STEP_W-1:0]  step_q;
    wire  [N*ACC_W-1:0] old = kept[fold_q];
    wire  [N*ACC_W-1:0] next;
    wire  [N*OUT_W-1:0] result;
    wire                ready;

    wire first = step_q == '0;
    wire last  = step_q == STEP_W'(STEPS - 1);
    wire fire  = s_axis_tvalid && s_axis_tready;

    // Ready in reset would take a beat that nothing counts.
    assign s_axis_tready = aresetn && (ready || !last);

    always_ff @(posedge aclk) begin
        if (fire) begin
            fold_q <= fold_q == FOLD_W'(FOLDS - 1) ? '0 : fold_q + 1'b1;
            if (fold_q == FOLD_W'(FOLDS - 1)) step_q <= last ? '0 : step_q + 1'b1;
        end
        if (!aresetn) begin
            fold_q <= '0;
            step_q <= '0;
        end
    end

    always_ff @(posedge aclk) if (fire) kept[fold_q] <= next;

    generate
        for (genvar i = 0; i < N; i++) begin : g_lane
            wire [IN_W-1:0]         in  = s_axis_tdata[i*IN_W +: IN_W];
            wire signed [ACC_W-1:0] acc = old[i*ACC_W +: ACC_W];
            wire signed [ACC_W-1:0] value;
            wire signed [ACC_W-1:0] made;
            if (ACC_W > IN_W) begin : g_extend
                assign value = {{(ACC_W-IN_W){SIGNED_EN && in[IN_W-1]}}, in};
            end else begin : g_same
                assign value = in;
            end

            if (OP == SUM) begin : g_sum
                assign made = first ? value : acc + value;
            end else if (SIGNED_EN) begin : g_signed
                assign made = first || value > acc ? value : acc;
            end else begin : g_unsigned
                assign made = first || $unsigned(value) > $unsigned(acc) ? value : acc;
            end
            assign next[i*ACC_W +: ACC_W] = made;

            wire signed [WIDE_W-1:0] wide;
            if (WIDE_W > ACC_W) begin : g_wide
                assign wide = {{(WIDE_W-ACC_W){SIGNED_EN && made[ACC_W-1]}}, made};
            end else begin : g_narrow
                assign wide = made;
            end
            wire signed [WIDE_W-1:0] shifted = SIGNED_EN ? wide >>> SHIFT : wide >> SHIFT;
            assign result[i*OUT_W +: OUT_W] = shifted[OUT_W-1:0];
            if (WIDE_W > OUT_W) begin : g_rest
                wire unused = &{1'b0, shifted[WIDE_W-1:OUT_W]};
            end
        end
    endgenerate

    axis_register #(.DATA_W(N * OUT_W)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(result),
        .s_axis_tvalid(s_axis_tvalid && last && aresetn),
        .s_axis_tready(ready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
