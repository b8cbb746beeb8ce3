// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_seal - the proof of vnx_seal, with a reset of the link at any time and whatever crc32c makes of a packet.
//
// An arbitrary beat that is taken is followed: the harness counts the beats that must leave before it. One of a packet that is
// cut off is followed no longer. Asserted:
//   whole     no beat leaves before the last one of its packet has come
//   order     the beat followed leaves at its place: bit BIT of it, its tlast and tdest
//   known     the n-th packet leaves when crc32c has come to the end of the n-th whole packet
//   torn      a packet that has begun to leave goes on without a pause
//   stable    a beat on offer stays
//   `swallow` while link_aresetn is low everything is taken
`default_nettype none

module formal_vnx_seal #(
    parameter int DATA_W       = 64,
    parameter int DEST_W       = 1,
    parameter int PACKET_BEATS = 2,
    parameter int BIT          = 5   // that is followed; any but those of the field
) (
    input wire                aclk,
    input wire                aresetn,
    input wire                link_aresetn,
    input wire [DATA_W-1:0]   s_axis_tdata,
    input wire [DATA_W/8-1:0] s_axis_tkeep,
    input wire [DEST_W-1:0]   s_axis_tdest,
    input wire                s_axis_tlast,
    input wire                s_axis_tvalid,
    input wire                m_axis_tready,
    input wire                pick
);

    localparam int KEEP_W = DATA_W / 8;

    wire                s_axis_tready, m_axis_tlast, m_axis_tvalid;
    wire [DATA_W-1:0]   m_axis_tdata;
    wire [KEEP_W-1:0]   m_axis_tkeep;
    wire [DEST_W-1:0]   m_axis_tdest;

    vnx_seal #(.DATA_W(DATA_W), .DEST_W(DEST_W), .PACKET_BEATS(PACKET_BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tdest(s_axis_tdest),
        .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tdest(m_axis_tdest),
        .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    // Inside the block: crc32c has come to the end of a whole packet.
    wire d_whole;

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));


    wire take  = s_axis_tvalid && s_axis_tready && link_aresetn && aresetn;
    wire leave = m_axis_tvalid && m_axis_tready && aresetn;

    // Beats inside: of whole packets, and of the one under way.
    logic [5:0] whole_q, part_q, ahead_q;
    logic       follow_q, kept_q, bit_q, last_q, out_q;
    logic [DEST_W-1:0] dest_q;
    logic       keep_q;
    logic       offered_q;
    logic       still_q;

    // A packet has no more beats than it may have.
    always_comb assume (!s_axis_tvalid || s_axis_tlast || 32'(part_q) + 1 < PACKET_BEATS);

    wire ends = take && s_axis_tlast;
    wire cut  = !link_aresetn;

    always_ff @(posedge aclk) begin
        whole_q <= whole_q + (ends ? part_q + 6'd1 : 6'd0) - 6'(leave);
        part_q  <= cut || ends ? 6'd0 : part_q + 6'(take);
        out_q   <= leave ? !m_axis_tlast : out_q;
        if (take && pick && !follow_q) begin
            follow_q <= 1'b1;
            kept_q   <= s_axis_tlast;
            ahead_q  <= whole_q + part_q - 6'(leave);
            bit_q    <= s_axis_tdata[BIT];
            last_q   <= s_axis_tlast;
            dest_q   <= s_axis_tdest;
            keep_q   <= s_axis_tkeep[BIT / 8];
        end else if (follow_q) begin
            if (ends) kept_q <= 1'b1;
            if (cut && !kept_q) follow_q <= 1'b0;
            if (leave) ahead_q <= ahead_q - 6'd1;
            if (leave && ahead_q == '0) follow_q <= 1'b0;
        end
        offered_q <= m_axis_tvalid && !m_axis_tready;
        still_q   <= m_axis_tdata[BIT];
        if (!aresetn) begin
            whole_q   <= '0;
            part_q    <= '0;
            follow_q  <= 1'b0;
            out_q     <= 1'b0;
            offered_q <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        whole:   assert (!m_axis_tvalid || whole_q != '0);
        if (follow_q && ahead_q == '0 && m_axis_tvalid) begin
            order: assert (kept_q && m_axis_tdata[BIT] == bit_q
                           && {m_axis_tlast, m_axis_tdest, m_axis_tkeep[BIT / 8]} == {last_q, dest_q, keep_q});
        end
        torn:    assert (!out_q || m_axis_tvalid);
        stable:  assert (!offered_q || (m_axis_tvalid && m_axis_tdata[BIT] == still_q));
        swallow: assert (link_aresetn || s_axis_tready);
    end

    // A first beat leaves only when a checksum has been made for it; that it is this very one is simulated.
    logic [5:0] packets_q;
    always_ff @(posedge aclk) begin
        packets_q <= packets_q + 6'(d_whole) - 6'(leave && !out_q);
        if (!aresetn) packets_q <= '0;
    end
    always_comb if (aresetn && m_axis_tvalid && !out_q) begin
        known: assert (packets_q != '0);
    end

    always_comb begin
        can_leave: cover (leave && m_axis_tlast && out_q);
        can_cut:   cover (aresetn && cut && part_q != '0);
    end

endmodule

`default_nettype wire
