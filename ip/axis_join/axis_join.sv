// SPDX-License-Identifier: BSD-3-Clause
//
// axis_join - joins one beat from each of N inputs into one beat; all are taken in the same cycle.
//
// The payloads lie side by side in s_axis_tdata and stay there, so they need not be equally wide. An input waits
// until all others have a beat.
//
// Throughput  one beat per cycle
// Latency     none; REG_EN: 1 cycle
// Paths       s_axis_tready of an input waits for s_axis_tvalid of all, combinational
//             REG_EN 0: so does m_axis_tvalid; s_axis_tready follows m_axis_tready
//             REG_EN 1: all of m_axis is flops, and m_axis_tready ends in one
// Resources   REG_EN 0: N/5 + 1 LUT; REG_EN 1: axis_register #(SUM_W) in addition
//
// Parameters: N       inputs, 1 to 32
//             SUM_W   bits of all payloads together, N or more
//             REG_EN  1 puts a register slice at the output
// Checked by: test_axis_join.py
`default_nettype none

module axis_join #(
    parameter int N      = 2,
    parameter int SUM_W  = 16,
    parameter bit REG_EN = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [SUM_W-1:0]    s_axis_tdata,
    input  wire  [N-1:0]        s_axis_tvalid,
    output logic [N-1:0]        s_axis_tready,

    output logic [SUM_W-1:0]    m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    wire valid = &s_axis_tvalid;
    wire ready;

    assign s_axis_tready = {N{valid && ready}};

    generate
        if (N < 1 || N > 32) begin : g_check_n
            N_must_be_1_to_32 parameter_error();
        end
        if (SUM_W < N) begin : g_check_sum_w
            SUM_W_must_be_at_least_N parameter_error();
        end

        if (REG_EN) begin : g_slice
            axis_register #(.DATA_W(SUM_W)) u_slice (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(s_axis_tdata),
                .s_axis_tvalid(valid),
                .s_axis_tready(ready),
                .m_axis_tdata(m_axis_tdata),
                .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready)
            );
        end else begin : g_wires
            assign m_axis_tdata  = s_axis_tdata;
            assign m_axis_tvalid = valid;
            assign ready         = m_axis_tready;
            wire unused = &{1'b0, aclk, aresetn};
        end
    endgenerate

endmodule

`default_nettype wire
