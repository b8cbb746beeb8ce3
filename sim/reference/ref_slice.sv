// SPDX-License-Identifier: BSD-3-Clause
//
// ref_slice - two-word register slice at the output of every reference layer.
//
// Every output is a flop, tready included, so layers chain without a combinational path through the partition.
// Throughput: one word per cycle. Latency: one cycle. Resources: 2 * DATA_W + 2 flops.
//
// Parameters: DATA_W  width of a word in bits
// Checked by: tests/test_reference_rtl.py (Icarus and Verilator)
`default_nettype none

module ref_slice #(
    parameter int DATA_W = 8
) (
    input  wire              aclk,
    input  wire              aresetn,

    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,

    output wire [DATA_W-1:0] m_axis_tdata,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready
);
    logic [DATA_W-1:0] out_q, skid_q;
    logic              out_valid_q, skid_valid_q;

    wire take = s_axis_tvalid && !skid_valid_q;
    wire free = !out_valid_q || m_axis_tready;

    assign s_axis_tready = !skid_valid_q;
    assign m_axis_tdata  = out_q;
    assign m_axis_tvalid = out_valid_q;

    always_ff @(posedge aclk) begin
        if (free) begin
            out_q        <= skid_valid_q ? skid_q : s_axis_tdata;
            out_valid_q  <= skid_valid_q || take;
            skid_valid_q <= 1'b0;
        end else if (take) begin
            skid_q       <= s_axis_tdata;
            skid_valid_q <= 1'b1;
        end
        if (!aresetn) begin
            out_valid_q  <= 1'b0;
            skid_valid_q <= 1'b0;
        end
    end
endmodule

`default_nettype wire
