// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_tag_deal - the proof of axis_tag_deal, for one of the replicas and any mask that stays.
//
//   own      the replica gets the tags whose turn is its own, in order and unchanged, and no others
//   grammar  tags come as those who take them know them: begins, ends, and between frames what is least
//   least    kind 2 says what the last such tag said; no frame went to the replica since
//   lively   a tag waits only for the replica whose turn it is
`default_nettype none

module formal_axis_tag_deal #(
    parameter int N      = 2,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'(64'hFEDC_BA98_7654_3210)
) (
    input wire         aclk,
    input wire         aresetn,
    input wire [N-1:0] mask,
    input wire [34:0]  s_tag_tdata,
    input wire         s_tag_tvalid,
    input wire [N-1:0] m_tag_tready
);

    localparam int ID_W = $clog2(N);

    wire            s_tag_tready;
    wire [N*35-1:0] m_tag_tdata;
    wire [N-1:0]    m_tag_tvalid;
    (* anyconst *) logic [N-1:0]    alive;
    (* anyconst *) logic [ID_W-1:0] which;

    axis_tag_deal #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .mask(mask),
        .s_tag_tdata(s_tag_tdata), .s_tag_tvalid(s_tag_tvalid), .s_tag_tready(s_tag_tready),
        .m_tag_tdata(m_tag_tdata), .m_tag_tvalid(m_tag_tvalid), .m_tag_tready(m_tag_tready)
    );
    // Its turns are those of an axis_deal beside it, which has the same axis_turn.
    wire [ID_W-1:0] turn;
    wire            known;
    wire [1:0]      kind = s_tag_tdata[33:32];
    wire            take = s_tag_tvalid && s_tag_tready;
    wire            says = kind == 2'd2;
    logic           open_q;
    axis_turn #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_turn (
        .aclk(aclk), .aresetn(aresetn), .mask(mask), .offered((s_tag_tvalid && !says) || open_q),
        .next(take && kind[0]), .turn(turn), .known(known)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(35), .POLITE(1), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(s_tag_tdata), .tvalid(s_tag_tvalid), .tready(s_tag_tready)
    );
    generate
        for (genvar i = 0; i < N; i++) begin : g_sink
            formal_sink #(.DATA_W(35)) u_sink (
                .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata(m_tag_tdata[35*i +: 35]),
                .tvalid(m_tag_tvalid[i]), .tready(m_tag_tready[i])
            );
        end
    endgenerate

    always_comb begin
        assume (32'(which) < N && mask == alive);
        if (s_tag_tvalid) assume (open_q ? kind == 2'd1 : kind != 2'd1);
    end

    wire [34:0] tag  = m_tag_tdata[35*which +: 35];
    wire        made = m_tag_tvalid[which] && m_tag_tready[which];
    wire        mine = take && !says && turn == which;
    logic        waits_q, out_open_q, said_q, new_q, due_q;
    logic [34:0] last_q;      // the tag that waits in the replica's register
    logic [31:0] least_q, was_q;
    always_ff @(posedge aclk) begin
        if (take && !says) open_q <= !kind[0];
        if (mine) last_q <= s_tag_tdata;
        waits_q <= mine || (waits_q && !(made && tag[33:32] != 2'd2));
        if (take && says) least_q <= s_tag_tdata[31:0];
        new_q  <= !m_tag_tvalid[which] || m_tag_tready[which];
        was_q  <= least_q;
        due_q  <= said_q;
        said_q <= (said_q || (take && says)) && !mine;
        if (made && tag[33:32] != 2'd2) out_open_q <= !tag[32];
        if (!aresetn) begin
            open_q     <= 1'b0;
            out_open_q <= 1'b0;
            waits_q    <= 1'b0;
            said_q     <= 1'b0;
            new_q      <= 1'b0;
        end
    end
    always_comb if (aresetn) begin
        if (m_tag_tvalid[which] && tag[33:32] != 2'd2) own: assert (waits_q && tag == last_q);
        if (waits_q) kept: assert (m_tag_tvalid[which] && tag[33:32] != 2'd2);
        if (m_tag_tvalid[which]) grammar: assert (out_open_q ? tag[33:32] == 2'd1 : tag[33:32] != 2'd1);
        if (s_tag_tvalid && !says && known && m_tag_tready[turn]) lively: assert (s_tag_tready);
        if (s_tag_tvalid && says) told: assert (s_tag_tready);
        if (new_q && m_tag_tvalid[which] && tag[33:32] == 2'd2) least: assert (due_q && tag[31:0] == was_q);
        deals: cover (m_tag_tvalid[which] && tag[33:32] == 2'd1);
        marks: cover (m_tag_tvalid[which] && tag[33:32] == 2'd2 && said_q && tag[31:0] == least_q);
    end

endmodule

`default_nettype wire
