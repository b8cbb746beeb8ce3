// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_tid - the proof of axis_tid: a transfer has one TID, and it is that of the last beat before it.
`default_nettype none

module formal_axis_tid #(
    parameter int ID_W = 2
) (
    input wire            aclk,
    input wire            aresetn,
    input wire [ID_W-1:0] s_axis_tid,
    input wire            s_axis_tvalid,
    input wire            s_axis_tready,
    input wire            m_axis_tlast,
    input wire            m_axis_tvalid,
    input wire            m_axis_tready
);

    wire  [ID_W-1:0] m_axis_tid;
    logic [ID_W-1:0] came_q, before_q, was_q;  // taken last; the same a cycle ago; TID a cycle ago
    logic            within_q, up_q;           // a transfer was offered and has not ended

    axis_tid #(.ID_W(ID_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tid(s_axis_tid), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axis_tid(m_axis_tid)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(1), .POLITE(1), .QUIET(0)) u_leaves (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata(m_axis_tlast), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    always_ff @(posedge aclk) begin
        if (s_axis_tvalid && s_axis_tready) came_q <= s_axis_tid;
        before_q <= came_q;
        was_q    <= m_axis_tid;
        if (m_axis_tvalid) within_q <= !(m_axis_tready && m_axis_tlast);
        up_q <= aresetn;
        if (!aresetn) begin
            came_q   <= '0;
            before_q <= '0;
            within_q <= 1'b0;
        end
    end

    always_comb if (aresetn && up_q) begin
        if (within_q) one:    assert (m_axis_tid == was_q);
        else          latest: assert (m_axis_tid == before_q);
        another: cover (within_q && m_axis_tid != '0 && before_q != m_axis_tid && came_q != before_q);
    end

endmodule

`default_nettype wire
