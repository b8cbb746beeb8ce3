// SPDX-License-Identifier: BSD-3-Clause
//
// axis_swallow - takes the rest of a transfer while what is behind it is in reset.
//
// For a sender that no reset of a core reaches and that always delivers what it has begun, such as Coyote's host streams:
// TDATA goes past the block, only the handshake goes through it. While link_aresetn is low nothing is forwarded. If a
// transfer is under way it is taken up to its TLAST, and no other one begins. When link_aresetn rises, all is forgotten, so
// a transfer that has not ended by then must not go on.
//
// Throughput  one beat per cycle
// Latency     none
// Paths       s_axis_tvalid to m_axis_tvalid and m_axis_tready to s_axis_tready, each with link_aresetn through one LUT
// Resources   4 LUT and 2 FF
//
// Parameters: none
// Checked by: test_axis_swallow.py
`default_nettype none

module axis_swallow (
    input  wire  aclk,
    input  wire  aresetn,
    input  wire  link_aresetn,  // low also while aresetn is

    input  wire  s_axis_tlast,
    input  wire  s_axis_tvalid,
    output logic s_axis_tready,

    output logic m_axis_tvalid,
    input  wire  m_axis_tready
);

    logic open_q;  // a transfer is under way
    logic down_q;

    assign m_axis_tvalid = link_aresetn && s_axis_tvalid;
    assign s_axis_tready = link_aresetn ? m_axis_tready : open_q;

    always_ff @(posedge aclk) begin
        down_q <= !link_aresetn;
        if (s_axis_tvalid && s_axis_tready)  open_q <= !s_axis_tlast;
        else if (link_aresetn && down_q)     open_q <= 1'b0;
        if (!aresetn) begin
            open_q <= 1'b0;
            down_q <= 1'b1;
        end
    end

endmodule

`default_nettype wire
