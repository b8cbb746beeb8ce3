// SPDX-License-Identifier: BSD-3-Clause
//
// axis_tid - gives the transfers that leave a core the TID of what came in last.
//
// A host whose threads share a stream tells them apart by TID. TDATA goes past the block, which only watches both
// handshakes. A transfer gets the TID of the last beat that was taken before it begins, 0 if there was none, and keeps it up
// to TLAST whatever comes in meanwhile. Threads that take turns must wait for each other's results.
//
// Throughput  one beat per cycle
// Latency     2 cycles from a beat that is taken to m_axis_tid
// Paths       m_axis_tid is flops
// Resources   3 LUT, 2 * ID_W + 1 FF
//
// Parameters: ID_W  bits of TID, 1 or more
// Checked by: test_axis_tid.py
`default_nettype none

module axis_tid #(
    parameter int ID_W = 6
) (
    input  wire              aclk,
    input  wire              aresetn,

    input  wire  [ID_W-1:0]  s_axis_tid,
    input  wire              s_axis_tvalid,
    input  wire              s_axis_tready,

    input  wire              m_axis_tlast,
    input  wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output logic [ID_W-1:0]  m_axis_tid
);

    generate
        if (ID_W < 1) begin : g_check_id_w
            ID_W_must_be_at_least_1 parameter_error();
        end
    endgenerate

    logic [ID_W-1:0] came_q;
    logic            open_q;  // a transfer that leaves is under way

    wire turn = m_axis_tvalid ? m_axis_tready && m_axis_tlast : !open_q;

    always_ff @(posedge aclk) begin
        if (s_axis_tvalid && s_axis_tready) came_q     <= s_axis_tid;
        if (turn)                           m_axis_tid <= came_q;
        if (m_axis_tvalid && m_axis_tready) open_q     <= !m_axis_tlast;
        if (!aresetn) begin
            came_q     <= '0;
            m_axis_tid <= '0;
            open_q     <= 1'b0;
        end
    end

endmodule

`default_nettype wire
