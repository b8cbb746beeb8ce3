// SPDX-License-Identifier: BSD-3-Clause
//
// axis_register - AXI4-Stream register slice (skid buffer).
//
// Every output is a flop, tready included: no combinational path from s_axis to m_axis or back.
// The caller packs sidebands into tdata, so no sideband can be forgotten in one branch.
//
// Throughput  one beat per cycle
// Latency     1 cycle
// Storage     2 beats
// Resources   DATA_W + 5 LUT, 2 * DATA_W + 3 FF
// Reset       clears control only; tready is low during reset
//
// Parameters: DATA_W  bits of a beat, 1 or more
// Checked by: test_axis_register.py
`default_nettype none

module axis_register #(
    parameter int DATA_W = 8
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
    endgenerate

    logic [DATA_W-1:0] data_q, skid_q;
    logic              valid_q, skid_valid_q, ready_q;

    wire s_fire = s_axis_tvalid && ready_q;
    wire m_free = !valid_q || m_axis_tready;
    wire skid_valid_d = !m_free && (skid_valid_q || s_fire);

    always_ff @(posedge aclk) begin
        if (m_free) data_q <= ready_q ? s_axis_tdata : skid_q;
        if (ready_q) skid_q <= s_axis_tdata;

        if (m_free) valid_q <= skid_valid_q || s_fire;
        skid_valid_q <= skid_valid_d;
        ready_q      <= !skid_valid_d;

        if (!aresetn) begin
            valid_q      <= 1'b0;
            skid_valid_q <= 1'b0;
            ready_q      <= 1'b0;
        end
    end

    assign s_axis_tready = ready_q;
    assign m_axis_tdata  = data_q;
    assign m_axis_tvalid = valid_q;

endmodule

`default_nettype wire
