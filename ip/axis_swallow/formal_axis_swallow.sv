// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_swallow - the proof of axis_swallow: in a reset, the transfer under way is taken up to TLAST and no other one
// begins; else it is wires.
`default_nettype none

module formal_axis_swallow (
    input wire aclk,
    input wire aresetn,
    input wire link_aresetn,
    input wire s_axis_tlast,
    input wire s_axis_tvalid,
    input wire m_axis_tready
);

    wire  s_axis_tready, m_axis_tvalid;
    logic within_q;  // the sender has begun a transfer that nobody has forgotten
    logic down_q;

    axis_swallow u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(1), .POLITE(1), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata(s_axis_tlast), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    always_comb if (!aresetn) assume (!link_aresetn);

    wire s_fire = s_axis_tvalid && s_axis_tready;

    always_ff @(posedge aclk) begin
        down_q <= !link_aresetn;
        if (s_fire) within_q <= !s_axis_tlast;
        else if (link_aresetn && down_q) within_q <= 1'b0;
        if (!aresetn) within_q <= 1'b0;
        if (!aresetn) down_q <= 1'b1;
    end

    always_comb if (aresetn) begin
        if (link_aresetn) begin
            through:   assert (m_axis_tvalid == s_axis_tvalid && s_axis_tready == m_axis_tready);
        end else begin
            nothing:   assert (!m_axis_tvalid);
            to_tlast:  assert (s_axis_tready == within_q);
        end
        swallowed: cover (!link_aresetn && s_fire && s_axis_tlast);
        next_waits: cover (!link_aresetn && down_q && s_axis_tvalid && !s_axis_tready);
    end

endmodule

`default_nettype wire
