// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_match - the proof of axis_frame_match, for an arbitrary input and tags of few numbers.
//
//   in_step   a word that is not made up is the next of its input, and a frame passes whole, its last word marked
//   alone     while a word is made up, the input keeps its own
//   grammar   tags go on as their takers know them
`default_nettype none

module formal_axis_frame_match #(
    parameter int N = 2,
    parameter logic [N*32-1:0] WORDS = {32'd2, 32'd1},
    parameter bit ANY = 0
) (
    input wire            aclk,
    input wire            aresetn,
    input wire [N-1:0]    mask,
    input wire [N*35-1:0] s_tag_tdata,
    input wire [N-1:0]    s_tag_tvalid,
    input wire [N-1:0]    s_axis_tvalid,
    input wire [N-1:0]    m_axis_tready,
    input wire            m_tag_tready
);

    wire [N-1:0] s_tag_tready, s_axis_tready, m_axis_tvalid, m_axis_tlast, zero;
    wire [34:0]  m_tag_tdata;
    wire         m_tag_tvalid;

    axis_frame_match #(.N(N), .WORDS(WORDS), .ANY(ANY)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .mask(mask),
        .s_tag_tdata(s_tag_tdata), .s_tag_tvalid(s_tag_tvalid), .s_tag_tready(s_tag_tready),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .zero(zero),
        .m_tag_tdata(m_tag_tdata), .m_tag_tvalid(m_tag_tvalid), .m_tag_tready(m_tag_tready)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_sink #(.DATA_W(35)) u_tags (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata(m_tag_tdata), .tvalid(m_tag_tvalid), .tready(m_tag_tready)
    );

    // ---- an input: its tags begin and end frames by turns; it counts what it has begun, ended, and given away
    wire [N-1:0] unlike, cut, held, taken;
    generate
        for (genvar i = 0; i < N; i++) begin : g_input
            localparam int W = int'(WORDS[32*i +: 32]);
            localparam int W_W = $clog2(W + 1);
            logic           open_q;
            logic [W_W-1:0] word_q, out_q;
            wire [34:0] tag  = s_tag_tdata[35*i +: 35];
            wire [1:0]  kind = tag[33:32];
            wire        take = s_tag_tvalid[i] && s_tag_tready[i];
            wire        fire = s_axis_tvalid[i] && s_axis_tready[i];
            wire        leaves = m_axis_tvalid[i] && m_axis_tready[i];
            formal_source #(.DATA_W(35), .POLITE(1), .QUIET(0)) u_source_tag (
                .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(tag), .tvalid(s_tag_tvalid[i]), .tready(s_tag_tready[i])
            );
            formal_source #(.DATA_W(1), .POLITE(1), .QUIET(0)) u_source (
                .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(1'b0), .tvalid(s_axis_tvalid[i]), .tready(s_axis_tready[i])
            );
            formal_sink #(.DATA_W(2), .QUIET(0)) u_sink (
                .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata({m_axis_tlast[i], zero[i]}),
                .tvalid(m_axis_tvalid[i]), .tready(m_axis_tready[i])
            );
            always_comb begin
                assume (tag[30:26] == '0 && tag[23:2] == '0);  // epochs 128 apart, too
                if (s_tag_tvalid[i]) assume (kind == (open_q ? 2'd1 : kind == 2'd2 ? 2'd2 : 2'd0));
            end
            always_ff @(posedge aclk) begin
                if (take && kind == 2'd0) open_q <= 1'b1;
                if (take && kind == 2'd1) open_q <= 1'b0;
                if (fire) word_q <= 32'(word_q) == W - 1 ? '0 : word_q + 1'b1;
                if (leaves) out_q <= 32'(out_q) == W - 1 ? '0 : out_q + 1'b1;
                if (!aresetn) begin
                    open_q <= 1'b0;
                    word_q <= '0;
                    out_q  <= '0;
                end
            end
            assign unlike[i] = m_axis_tvalid[i] && !zero[i] && word_q != out_q;
            assign cut[i]    = m_axis_tvalid[i] && m_axis_tlast[i] != (32'(out_q) == W - 1);
            assign held[i]   = m_axis_tvalid[i] && !zero[i] && !(s_axis_tvalid[i] && s_axis_tready[i] == m_axis_tready[i]);
            assign taken[i]  = m_axis_tvalid[i] && zero[i] && s_axis_tready[i];
        end
    endgenerate

    (* anyconst *) logic [N-1:0] alive;
    always_comb assume (mask == alive);

    logic        open_q;
    wire  [1:0]  kind = m_tag_tdata[33:32];
    wire         made = m_tag_tvalid && m_tag_tready;
    always_ff @(posedge aclk) begin
        if (made && kind == 2'd0) open_q <= 1'b1;
        if (made && kind == 2'd1) open_q <= 1'b0;
        if (!aresetn) begin
            open_q    <= 1'b0;
        end
    end
    always_comb if (aresetn) begin
        if (m_tag_tvalid) grammar: assert (kind == (open_q ? 2'd1 : kind == 2'd2 ? 2'd2 : 2'd0));
        in_step: assert (unlike == '0 && held == '0);
        whole:   assert (cut == '0);
        alone:   assert (taken == '0);
        if (ANY) one: assert ((m_axis_tvalid & zero) == '0 && (m_axis_tvalid & (m_axis_tvalid - 1'b1)) == '0);
        joins: cover (m_tag_tvalid && kind == 2'd1 && !m_tag_tdata[34]);
        fills: cover (ANY || (m_tag_tvalid && kind == 2'd1 && (m_axis_tvalid & zero) != '0));
    end

endmodule

`default_nettype wire
