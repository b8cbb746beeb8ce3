// SPDX-License-Identifier: BSD-3-Clause
//
// layer_top - indices of the K largest of LABELS values, largest first: FINN's LabelSelect.
//
// Each beat is a value. Of equal values the earlier counts as larger.
//
// Throughput  one beat per cycle in, except that the last value of a vector waits for the indices of the previous one
// Latency     1 cycle from the last value to the first index
// Paths       combinational from m_axis_tready to s_axis_tready; m_axis is flops
// Resources   K registers of IN_W + $clog2(LABELS) bits with a comparison each, and K*OUT_W FF for the output
//
// Parameters: IN_W       bits of a value, 1 or more
//             SIGNED_EN  1: two's complement
//             LABELS     values of a vector, K or more
//             K          indices handed out, 1 or more
//             OUT_W      bits of an index, enough for LABELS - 1
// Checked by: test_layers.py
`default_nettype none

module layer_top #(
    parameter int IN_W      = 8,
    parameter bit SIGNED_EN = 0,
    parameter int LABELS    = 10,
    parameter int K         = 1,
    parameter int OUT_W     = 8
) (
    input  wire               aclk,
    input  wire               aresetn,

    input  wire  [IN_W-1:0]   s_axis_tdata,
    input  wire               s_axis_tvalid,
    output logic              s_axis_tready,

    output logic [OUT_W-1:0]  m_axis_tdata,
    output logic              m_axis_tvalid,
    input  wire               m_axis_tready
);

    localparam int INDEX_W = LABELS > 1 ? $clog2(LABELS) : 1;
    localparam int LEFT_W  = $clog2(K + 1);

    generate
        if (IN_W < 1) begin : g_check_in_w
            IN_W_must_be_at_least_1 parameter_error();
        end
        if (K < 1 || LABELS < K) begin : g_check_k
            K_must_be_1_to_LABELS parameter_error();
        end
        if (OUT_W < INDEX_W) begin : g_check_out_w
            OUT_W_must_hold_LABELS_minus_1 parameter_error();
        end
    endgenerate

    logic [INDEX_W-1:0] index_q;
    logic [K*OUT_W-1:0] out_q;
    logic [LEFT_W-1:0]  left_q;

    // Slot 0 is the largest so far; slot j is empty while no more than j values have come.
    wire [K-1:0]       larger;
    wire [K*IN_W-1:0]  value_q;
    wire [K*OUT_W-1:0] label_q, label_d;

    wire last   = index_q == INDEX_W'(LABELS - 1);
    wire room   = left_q == '0 || (left_q == LEFT_W'(1) && m_axis_tready);
    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_tvalid && m_axis_tready;

    assign s_axis_tready = aresetn && (!last || room);
    assign m_axis_tvalid = left_q != '0;
    assign m_axis_tdata  = out_q[OUT_W-1:0];

    always_ff @(posedge aclk) begin
        if (s_fire) index_q <= last ? '0 : index_q + 1'b1;
        if (s_fire && last) begin
            out_q  <= label_d;
            left_q <= LEFT_W'(K);
        end else if (m_fire) begin
            out_q  <= out_q >> OUT_W;
            left_q <= left_q - 1'b1;
        end
        if (!aresetn) begin
            index_q <= '0;
            left_q  <= '0;
        end
    end

    generate
        for (genvar j = 0; j < K; j++) begin : g_slot
            logic [IN_W-1:0]  v_q;
            logic [OUT_W-1:0] l_q;
            wire  [IN_W-1:0]  v_d;
            wire  [OUT_W-1:0] l_d;
            wire              empty = 32'(index_q) <= j;

            if (SIGNED_EN) begin : g_signed
                assign larger[j] = empty || $signed(s_axis_tdata) > $signed(v_q);
            end else begin : g_unsigned
                assign larger[j] = empty || s_axis_tdata > v_q;
            end
            // Slots are in order, so that from the first smaller one on all are.
            if (j == 0) begin : g_first
                assign v_d = larger[0] ? s_axis_tdata : v_q;
                assign l_d = larger[0] ? OUT_W'(index_q) : l_q;
            end else begin : g_next
                assign v_d = !larger[j] ? v_q : larger[j-1] ? value_q[(j-1)*IN_W +: IN_W] : s_axis_tdata;
                assign l_d = !larger[j] ? l_q : larger[j-1] ? label_q[(j-1)*OUT_W +: OUT_W] : OUT_W'(index_q);
            end

            always_ff @(posedge aclk) if (s_fire) begin
                v_q <= v_d;
                l_q <= l_d;
            end
            assign value_q[j*IN_W +: IN_W]   = v_q;
            assign label_q[j*OUT_W +: OUT_W] = l_q;
            assign label_d[j*OUT_W +: OUT_W] = l_d;
        end
    endgenerate

    wire unused = &{1'b0, value_q[(K-1)*IN_W +: IN_W], label_q[(K-1)*OUT_W +: OUT_W], larger[K-1]};

endmodule

`default_nettype wire
