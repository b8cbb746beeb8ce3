// SPDX-License-Identifier: BSD-3-Clause
//
// axis_broadcast - hands every beat to each of N outputs exactly once; the outputs stall independently.
//
// A beat leaves the block when the last output has taken it; a faster output waits, at most one beat ahead of the
// slowest. If outputs must be able to run further apart, put an axis_fifo behind them.
//
// Throughput  one beat per cycle while no output stalls
// Latency     none; REG_EN: 1 cycle
// Paths       REG_EN 0: m_axis_tvalid follows s_axis_tvalid, s_axis_tready the m_axis_tready of all outputs,
//             both combinational; no path from a tready to a tvalid
//             REG_EN 1: every output is a flop, no combinational path at all
// Resources   REG_EN 0: 2*N LUT, N FF; REG_EN 1: DATA_W + 2*N + 4 LUT, 2*DATA_W + N + 2 FF
//
// Parameters: N       outputs, 1 to 32
//             DATA_W  bits of a beat, 1 or more
//             REG_EN  1 registers both directions, see Paths
// Checked by: test_axis_broadcast.py
`default_nettype none

module axis_broadcast #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter bit REG_EN = 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [DATA_W-1:0]     s_axis_tdata,
    input  wire                   s_axis_tvalid,
    output logic                  s_axis_tready,

    output logic [N*DATA_W-1:0]   m_axis_tdata,
    output logic [N-1:0]          m_axis_tvalid,
    input  wire  [N-1:0]          m_axis_tready
);

    generate
        if (N < 1 || N > 32) begin : g_check_n
            N_must_be_1_to_32 parameter_error();
        end
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end

        if (REG_EN) begin : g_registered
            // axis_register with a valid flop for each output.
            logic [DATA_W-1:0] data_q, skid_q;
            logic [N-1:0]      valid_q;
            logic              skid_valid_q, ready_q;

            wire s_fire = s_axis_tvalid && ready_q;
            wire m_free = (valid_q & ~m_axis_tready) == '0;
            wire skid_valid_d = !m_free && (skid_valid_q || s_fire);

            always_ff @(posedge aclk) begin
                if (m_free) data_q <= ready_q ? s_axis_tdata : skid_q;
                if (ready_q) skid_q <= s_axis_tdata;

                valid_q      <= m_free ? {N{skid_valid_q || s_fire}} : valid_q & ~m_axis_tready;
                skid_valid_q <= skid_valid_d;
                ready_q      <= !skid_valid_d;

                if (!aresetn) begin
                    valid_q      <= '0;
                    skid_valid_q <= 1'b0;
                    ready_q      <= 1'b0;
                end
            end

            assign s_axis_tready = ready_q;
            assign m_axis_tdata  = {N{data_q}};
            assign m_axis_tvalid = valid_q;
        end else begin : g_wires
            // Outputs that have taken the present beat.
            logic [N-1:0] taken_q;

            always_ff @(posedge aclk) begin
                if (s_axis_tvalid) taken_q <= s_axis_tready ? '0 : taken_q | m_axis_tready;
                if (!aresetn) taken_q <= '0;
            end

            assign s_axis_tready = &(taken_q | m_axis_tready);
            assign m_axis_tdata  = {N{s_axis_tdata}};
            assign m_axis_tvalid = {N{s_axis_tvalid}} & ~taken_q;
        end
    endgenerate

endmodule

`default_nettype wire
