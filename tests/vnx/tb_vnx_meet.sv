// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_meet - three cards: the first sends its frames to a branch on the second and to a join on the third, where the
// branch ends. A card is reset at a moment of +moment, by its host (+pin=0) or by its pin. Every result must be right or
// marked, later frames must be right, and so must all of the next run, which the host begins with a reset of the first card.
//
// The result goes back to the first card's host: its label there discards what an older run has left.
`default_nettype none

// What a link brings, with tags; the way of its answers.
module vnx_meet_receiver #(parameter int FRAME_BYTES = 200, BEATS = 4, parameter logic [15:0] LINK = 16'd1) (
    input  wire          aclk, aresetn, link_aresetn, drain,
    output wire          drained,
    input  wire  [511:0] n_tdata, input wire [63:0] n_tkeep, input wire n_tlast, n_tvalid,
    output wire  [511:0] r_tdata, output wire [63:0] r_tkeep, output wire r_tlast, r_tvalid,
    output wire  [511:0] m_tdata, output wire m_tvalid, input wire m_tready,
    output wire  [34:0]  tag_tdata, output wire tag_tvalid, input wire tag_tready
);
    wire [31:0]  number, mark;
    wire         taint, mark_known, a_tvalid, a_tready, t_tvalid, t_tready, b_tvalid, b_tready;
    wire [511:0] a_tdata;
    wire [34:0]  t_tdata;
    vnx_receiver #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(2), .SLOTS(8), .LINK(LINK), .ACK_EVERY(2), .ACK_CYCLES(32), .NUMBERED(1)
    ) u_end (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_awready(),
        .s_axil_wdata('0), .s_axil_wstrb('0), .s_axil_wvalid(1'b0), .s_axil_wready(),
        .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
        .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0), .s_axil_arready(),
        .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b1),
        .drain(drain), .drained(drained),
        .s_net_axis_tdata(n_tdata), .s_net_axis_tkeep(n_tkeep), .s_net_axis_tuser(1'b1), .s_net_axis_tlast(n_tlast),
        .s_net_axis_tvalid(n_tvalid),
        .m_net_axis_tdata(r_tdata), .m_net_axis_tkeep(r_tkeep), .m_net_axis_tlast(r_tlast), .m_net_axis_tvalid(r_tvalid),
        .m_net_axis_tready(1'b1),
        .m_axis_tdata(a_tdata), .m_axis_tvalid(a_tvalid), .m_axis_tready(a_tready),
        .m_axis_tuser(number), .m_axis_taint(taint), .mark(mark), .mark_known(mark_known), .frame_done(), .error()
    );
    axis_frame_tag #(.BEATS(BEATS)) u_tag (
        .aclk(aclk), .aresetn(link_aresetn), .number(number), .taint(taint), .mark(mark), .mark_known(mark_known),
        .s_axis_tvalid(a_tvalid), .s_axis_tready(a_tready), .m_axis_tvalid(b_tvalid), .m_axis_tready(b_tready), .now(),
        .m_tag_tdata(t_tdata), .m_tag_tvalid(t_tvalid), .m_tag_tready(t_tready)
    );
    axis_fifo #(.DATA_W(512), .DEPTH(2)) u_beats (
        .aclk(aclk), .aresetn(link_aresetn), .s_axis_tdata(a_tdata), .s_axis_tvalid(b_tvalid), .s_axis_tready(b_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .level()
    );
    axis_fifo #(.DATA_W(35), .DEPTH(16)) u_tags (
        .aclk(aclk), .aresetn(link_aresetn), .s_axis_tdata(t_tdata), .s_axis_tvalid(t_tvalid), .s_axis_tready(t_tready),
        .m_axis_tdata(tag_tdata), .m_axis_tvalid(tag_tvalid), .m_axis_tready(tag_tready), .level()
    );
endmodule

module vnx_meet_sender #(parameter int FRAME_BYTES = 200, BEATS = 4, parameter logic [15:0] LINK = 16'd1) (
    input  wire          aclk, aresetn, link_aresetn, drain,
    output wire          drained,
    input  wire  [511:0] s_tdata, input wire s_tvalid, output wire s_tready,
    input  wire  [34:0]  tag_tdata, input wire tag_tvalid, output wire tag_tready,
    output wire  [511:0] n_tdata, output wire [63:0] n_tkeep, output wire n_tlast, n_tvalid,
    input  wire  [511:0] r_tdata, input wire [63:0] r_tkeep, input wire r_tlast, r_tvalid
);
    wire [31:0] number;
    wire        known, taint, a_tvalid, a_tready;
    axis_frame_label #(.BEATS(BEATS)) u_label (
        .aclk(aclk), .aresetn(link_aresetn), .epoch(8'd0),
        .s_tag_tdata(tag_tdata), .s_tag_tvalid(tag_tvalid), .s_tag_tready(tag_tready),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready), .m_axis_tvalid(a_tvalid), .m_axis_tready(a_tready),
        .number(number), .number_known(known), .taint(taint), .passed(), .marked()
    );
    vnx_sender #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(2), .SLOTS(8), .LINK(LINK), .HELLO_CYCLES(128), .TIMEOUT_CYCLES(128),
        .NUMBERED(1)
    ) u_end (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axil_awaddr('0), .s_axil_awprot('0), .s_axil_awvalid(1'b0), .s_axil_awready(),
        .s_axil_wdata('0), .s_axil_wstrb('0), .s_axil_wvalid(1'b0), .s_axil_wready(),
        .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
        .s_axil_araddr('0), .s_axil_arprot('0), .s_axil_arvalid(1'b0), .s_axil_arready(),
        .s_axil_rdata(), .s_axil_rresp(), .s_axil_rvalid(), .s_axil_rready(1'b1),
        .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tlast(1'b0), .s_axis_tvalid(a_tvalid), .s_axis_tready(a_tready),
        .number(number), .number_known(known), .taint(taint),
        .s_net_axis_tdata(r_tdata), .s_net_axis_tkeep(r_tkeep), .s_net_axis_tuser(1'b1), .s_net_axis_tlast(r_tlast),
        .s_net_axis_tvalid(r_tvalid),
        .m_net_axis_tdata(n_tdata), .m_net_axis_tkeep(n_tkeep), .m_net_axis_tlast(n_tlast), .m_net_axis_tvalid(n_tvalid),
        .m_net_axis_tready(1'b1), .frame_done()
    );
endmodule

module tb_vnx_meet #(
    parameter int FRAME_BYTES = 200, HOLD = 40, RUN = 24, LOSS = 8
);
    localparam int BEATS = (FRAME_BYTES + 63) / 64, LATER = 4, STILL = 6000, WAIT = 1000;
    logic       aclk;
    logic [2:0] aresetn, link_aresetn, drain;
    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end

    // ---- the first card: the host's frames, two ways
    logic [511:0] s_tdata;
    logic         s_tvalid;
    wire          s_tready, o_tvalid, o_tready;
    wire  [31:0]  now;
    wire  [34:0]  o_tag;
    wire          o_tag_valid, o_tag_ready;
    wire  [1023:0] c_tdata;
    wire  [1:0]   c_tvalid, c_tready, c_tag_valid, c_tag_ready, q_tag_valid, q_tag_ready;
    wire  [69:0]  c_tag, q_tag;
    wire  [511:0] k_tdata;   // the way past the branch holds a frame and what the branch does
    wire          k_tvalid, k_tready;
    axis_frame_tag #(.BEATS(BEATS), .ORIGIN(1)) u_origin (
        .aclk(aclk), .aresetn(link_aresetn[0]), .number('0), .taint(1'b0), .mark('0), .mark_known(1'b0),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready), .m_axis_tvalid(o_tvalid), .m_axis_tready(o_tready), .now(now),
        .m_tag_tdata(o_tag), .m_tag_tvalid(o_tag_valid), .m_tag_tready(o_tag_ready)
    );
    axis_broadcast #(.N(2), .DATA_W(512)) u_fork (
        .aclk(aclk), .aresetn(link_aresetn[0]), .s_axis_tdata(s_tdata), .s_axis_tvalid(o_tvalid), .s_axis_tready(o_tready),
        .m_axis_tdata(c_tdata), .m_axis_tvalid(c_tvalid), .m_axis_tready(c_tready)
    );
    axis_broadcast #(.N(2), .DATA_W(35)) u_fork_tags (
        .aclk(aclk), .aresetn(link_aresetn[0]), .s_axis_tdata(o_tag), .s_axis_tvalid(o_tag_valid), .s_axis_tready(o_tag_ready),
        .m_axis_tdata(c_tag), .m_axis_tvalid(c_tag_valid), .m_axis_tready(c_tag_ready)
    );
    axis_fifo #(.DATA_W(512), .DEPTH(HOLD)) u_skip (
        .aclk(aclk), .aresetn(link_aresetn[0]), .s_axis_tdata(c_tdata[1023:512]), .s_axis_tvalid(c_tvalid[1]),
        .s_axis_tready(c_tready[1]), .m_axis_tdata(k_tdata), .m_axis_tvalid(k_tvalid), .m_axis_tready(k_tready), .level()
    );
    for (genvar i = 0; i < 2; i++) begin : g_tags
        axis_fifo #(.DATA_W(35), .DEPTH(64)) u_tags (
            .aclk(aclk), .aresetn(link_aresetn[0]), .s_axis_tdata(c_tag[35*i +: 35]), .s_axis_tvalid(c_tag_valid[i]),
            .s_axis_tready(c_tag_ready[i]), .m_axis_tdata(q_tag[35*i +: 35]), .m_axis_tvalid(q_tag_valid[i]),
            .m_axis_tready(q_tag_ready[i]), .level()
        );
    end

    // ---- three links: first to second, first to third, second to third
    wire [1535:0] n_tdata, r_tdata, nn_tdata, rr_tdata;
    wire [191:0]  n_tkeep, r_tkeep, nn_tkeep, rr_tkeep;
    wire [2:0]    n_tlast, n_tvalid, r_tlast, r_tvalid, nn_tlast, nn_tvalid, rr_tlast, rr_tvalid;
    wire [5:0]    drained;   // senders, receivers
    for (genvar i = 0; i < 3; i++) begin : g_wire
        localparam int FROM = i == 2 ? 1 : 0, TO = i == 0 ? 1 : 2;
        vnx_wire #(.LOSS(LOSS), .SEED(i + 1)) u_there (
            .aclk(aclk), .s_aresetn(link_aresetn[FROM]),
            .s_tdata(n_tdata[512*i +: 512]), .s_tkeep(n_tkeep[64*i +: 64]), .s_tlast(n_tlast[i]), .s_tvalid(n_tvalid[i]),
            .m_tdata(nn_tdata[512*i +: 512]), .m_tkeep(nn_tkeep[64*i +: 64]), .m_tlast(nn_tlast[i]), .m_tvalid(nn_tvalid[i])
        );
        vnx_wire #(.LOSS(LOSS), .SEED(i + 11)) u_back (
            .aclk(aclk), .s_aresetn(link_aresetn[TO]),
            .s_tdata(r_tdata[512*i +: 512]), .s_tkeep(r_tkeep[64*i +: 64]), .s_tlast(r_tlast[i]), .s_tvalid(r_tvalid[i]),
            .m_tdata(rr_tdata[512*i +: 512]), .m_tkeep(rr_tkeep[64*i +: 64]), .m_tlast(rr_tlast[i]), .m_tvalid(rr_tvalid[i])
        );
    end

    wire [511:0] p_tdata, b_tdata, j_tdata;
    wire         p_tvalid, p_tready, b_tvalid, b_tready;
    wire [34:0]  p_tag, b_tag;
    wire         p_tag_valid, p_tag_ready, b_tag_valid, b_tag_ready;
    wire [1023:0] i_tdata;
    wire [1:0]   i_tvalid, i_tready, i_tag_valid, i_tag_ready, m_tvalid, m_tready, zero;
    wire [69:0]  i_tag;
    wire [34:0]  m_tag, e_tag;
    wire         m_tag_valid, m_tag_ready, e_tag_valid, e_tag_ready;

    vnx_meet_sender #(.FRAME_BYTES(FRAME_BYTES), .BEATS(BEATS), .LINK(16'd1)) u_tx_branch (
        .aclk(aclk), .aresetn(aresetn[0]), .link_aresetn(link_aresetn[0]), .drain(drain[0]), .drained(drained[0]),
        .s_tdata(c_tdata[511:0]), .s_tvalid(c_tvalid[0]), .s_tready(c_tready[0]),
        .tag_tdata(q_tag[34:0]), .tag_tvalid(q_tag_valid[0]), .tag_tready(q_tag_ready[0]),
        .n_tdata(n_tdata[511:0]), .n_tkeep(n_tkeep[63:0]), .n_tlast(n_tlast[0]), .n_tvalid(n_tvalid[0]),
        .r_tdata(rr_tdata[511:0]), .r_tkeep(rr_tkeep[63:0]), .r_tlast(rr_tlast[0]), .r_tvalid(rr_tvalid[0])
    );
    vnx_meet_sender #(.FRAME_BYTES(FRAME_BYTES), .BEATS(BEATS), .LINK(16'd2)) u_tx_skip (
        .aclk(aclk), .aresetn(aresetn[0]), .link_aresetn(link_aresetn[0]), .drain(drain[0]), .drained(drained[1]),
        .s_tdata(k_tdata), .s_tvalid(k_tvalid), .s_tready(k_tready),
        .tag_tdata(q_tag[69:35]), .tag_tvalid(q_tag_valid[1]), .tag_tready(q_tag_ready[1]),
        .n_tdata(n_tdata[1023:512]), .n_tkeep(n_tkeep[127:64]), .n_tlast(n_tlast[1]), .n_tvalid(n_tvalid[1]),
        .r_tdata(rr_tdata[1023:512]), .r_tkeep(rr_tkeep[127:64]), .r_tlast(rr_tlast[1]), .r_tvalid(rr_tvalid[1])
    );
    // ---- the second card: a partition that holds some beats
    vnx_meet_receiver #(.FRAME_BYTES(FRAME_BYTES), .BEATS(BEATS), .LINK(16'd1)) u_rx_branch (
        .aclk(aclk), .aresetn(aresetn[1]), .link_aresetn(link_aresetn[1]), .drain(drain[1]), .drained(drained[3]),
        .n_tdata(nn_tdata[511:0]), .n_tkeep(nn_tkeep[63:0]), .n_tlast(nn_tlast[0]), .n_tvalid(nn_tvalid[0]),
        .r_tdata(r_tdata[511:0]), .r_tkeep(r_tkeep[63:0]), .r_tlast(r_tlast[0]), .r_tvalid(r_tvalid[0]),
        .m_tdata(p_tdata), .m_tvalid(p_tvalid), .m_tready(p_tready),
        .tag_tdata(p_tag), .tag_tvalid(p_tag_valid), .tag_tready(p_tag_ready)
    );
    axis_fifo #(.DATA_W(512), .DEPTH(3 * BEATS)) u_branch (
        .aclk(aclk), .aresetn(link_aresetn[1]), .s_axis_tdata(p_tdata), .s_axis_tvalid(p_tvalid), .s_axis_tready(p_tready),
        .m_axis_tdata(b_tdata), .m_axis_tvalid(b_tvalid), .m_axis_tready(b_tready), .level()
    );
    axis_fifo #(.DATA_W(35), .DEPTH(64)) u_branch_tags (
        .aclk(aclk), .aresetn(link_aresetn[1]), .s_axis_tdata(p_tag), .s_axis_tvalid(p_tag_valid), .s_axis_tready(p_tag_ready),
        .m_axis_tdata(b_tag), .m_axis_tvalid(b_tag_valid), .m_axis_tready(b_tag_ready), .level()
    );
    vnx_meet_sender #(.FRAME_BYTES(FRAME_BYTES), .BEATS(BEATS), .LINK(16'd3)) u_tx_join (
        .aclk(aclk), .aresetn(aresetn[1]), .link_aresetn(link_aresetn[1]), .drain(drain[1]), .drained(drained[2]),
        .s_tdata(b_tdata), .s_tvalid(b_tvalid), .s_tready(b_tready),
        .tag_tdata(b_tag), .tag_tvalid(b_tag_valid), .tag_tready(b_tag_ready),
        .n_tdata(n_tdata[1535:1024]), .n_tkeep(n_tkeep[191:128]), .n_tlast(n_tlast[2]), .n_tvalid(n_tvalid[2]),
        .r_tdata(rr_tdata[1535:1024]), .r_tkeep(rr_tkeep[191:128]), .r_tlast(rr_tlast[2]), .r_tvalid(rr_tvalid[2])
    );
    // ---- the third card: the join
    for (genvar i = 0; i < 2; i++) begin : g_in
        localparam int L = i + 1;
        vnx_meet_receiver #(.FRAME_BYTES(FRAME_BYTES), .BEATS(BEATS), .LINK(16'(L + 1))) u_rx (
            .aclk(aclk), .aresetn(aresetn[2]), .link_aresetn(link_aresetn[2]), .drain(drain[2]), .drained(drained[4+i]),
            .n_tdata(nn_tdata[512*L +: 512]), .n_tkeep(nn_tkeep[64*L +: 64]), .n_tlast(nn_tlast[L]), .n_tvalid(nn_tvalid[L]),
            .r_tdata(r_tdata[512*L +: 512]), .r_tkeep(r_tkeep[64*L +: 64]), .r_tlast(r_tlast[L]), .r_tvalid(r_tvalid[L]),
            .m_tdata(i_tdata[512*i +: 512]), .m_tvalid(i_tvalid[i]), .m_tready(i_tready[i]),
            .tag_tdata(i_tag[35*i +: 35]), .tag_tvalid(i_tag_valid[i]), .tag_tready(i_tag_ready[i])
        );
    end
    axis_frame_match #(.N(2), .WORDS({2{32'(BEATS)}})) u_match (
        .aclk(aclk), .aresetn(link_aresetn[2]), .mask(2'b11),
        .s_tag_tdata(i_tag), .s_tag_tvalid(i_tag_valid), .s_tag_tready(i_tag_ready),
        .s_axis_tvalid(i_tvalid), .s_axis_tready(i_tready), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .m_axis_tlast(),
        .zero(zero), .m_tag_tdata(m_tag), .m_tag_tvalid(m_tag_valid), .m_tag_tready(m_tag_ready)
    );
    axis_fifo #(.DATA_W(35), .DEPTH(16)) u_result_tags (
        .aclk(aclk), .aresetn(link_aresetn[2]), .s_axis_tdata(m_tag), .s_axis_tvalid(m_tag_valid), .s_axis_tready(m_tag_ready),
        .m_axis_tdata(e_tag), .m_axis_tvalid(e_tag_valid), .m_axis_tready(e_tag_ready), .level()
    );
    wire both = &m_tvalid;
    wire j_tready, h_tvalid, passed, marked;
    wire [31:0] result;
    assign m_tready = {2{both && j_tready}};
    axis_frame_label #(.BEATS(BEATS), .DROP(1)) u_result (
        .aclk(aclk), .aresetn(link_aresetn[2]), .epoch(now[31:24]),
        .s_tag_tdata(e_tag), .s_tag_tvalid(e_tag_valid), .s_tag_tready(e_tag_ready),
        .s_axis_tvalid(both), .s_axis_tready(j_tready), .m_axis_tvalid(h_tvalid), .m_axis_tready(1'b1),
        .number(result), .number_known(), .taint(), .passed(passed), .marked(marked)
    );

    // ---- results: right if every beat of both is of one frame, else marked
    int   at, compared, results, marks, frame_of, first_wrong, last_right;
    logic right;
    task look;
        for (int k = 0; k < 2; k++) begin
            if (zero[k] || i_tdata[512*k+32 +: 32] !== 32'(at)) right = 1'b0;
            if (at == 0 && k == 0) frame_of = int'(i_tdata[31:0]);
            if (i_tdata[512*k +: 32] !== 32'(frame_of)) right = 1'b0;
        end
        at = at + 1;
    endtask
    always @(posedge aclk) begin
        if (!link_aresetn[2]) begin at = 0; right = 1'b1; end
        else if (h_tvalid) begin
            look;
            if (passed) begin
                if (at != BEATS) $fatal(1, "a result of %0d beats", at);
                if (!right && !marked) $fatal(1, "result %h (frame %0d) is wrong and not marked", result, frame_of);
                if (right && frame_of <= last_right) $fatal(1, "frame %0d after %0d", frame_of, last_right);
                if (right) last_right = frame_of;
                // One that was at the first card's label when that was reset is not the host's any more.
                if (result[31:24] == now[31:24]) begin
                    results = results + 1;
                    if (marked) marks = marks + 1;
                end
                compared = compared + 1;
                at = 0; right = 1'b1;
            end
        end else if (j_tready && both) ;  // of an older run
    end

    // ---- the host sends frames of consecutive contents; resets begin in mid-frame as well
    int frame, beat, goal, quiet, cycle;
    always @(posedge aclk) begin
        cycle = cycle + 1;
        if (!link_aresetn[0]) begin
            s_tvalid <= 1'b0;
            if (beat != 0) frame = frame + 1;  // the host counts it as sent
            beat = 0;
        end else begin
            if (s_tvalid && s_tready) begin
                beat = beat + 1;
                if (beat == BEATS) begin beat = 0; frame = frame + 1; end
            end
            s_tvalid <= frame < goal;
            s_tdata  <= {448'd0, 32'(beat), 32'(frame)};
        end
        quiet = (s_tvalid && s_tready) || h_tvalid ? 0 : quiet + 1;
    end

    task reset_card(input int card, input logic pin);
        int k;
        if (!pin) begin
            drain[card] = 1'b1;
            k = 0;
            while (k < 400 && !(card == 0 ? &drained[1:0] : card == 1 ? drained[2] && drained[3] : &drained[5:4])) begin
                @(negedge aclk);
                k = k + 1;
            end
            if (k == 400) $fatal(1, "card %0d is not drained", card);
        end else aresetn[card] = 1'b0;
        link_aresetn[card] = 1'b0;
        repeat (16) @(negedge aclk);
        aresetn[card] = 1'b1;
        drain[card] = 1'b0;
        link_aresetn[card] = 1'b1;
        @(negedge aclk);
    endtask
    task settle;
        while (quiet < STILL) @(negedge aclk);
    endtask

    int moment, card, pin, from, had;
    initial begin
        aresetn = '0; link_aresetn = '0; drain = '0; s_tvalid = 1'b0; s_tdata = '0;
        at = 0; compared = 0; results = 0; marks = 0; frame_of = 0; right = 1'b1; last_right = -1; first_wrong = 0;
        frame = 0; beat = 0; goal = 0; quiet = 0; cycle = 0;
        if (!$value$plusargs("moment=%d", moment)) moment = 300;
        if (!$value$plusargs("card=%d", card)) card = 1;
        if (!$value$plusargs("pin=%d", pin)) pin = 0;
        repeat (8) @(negedge aclk);
        aresetn = '1; link_aresetn = '1;
        goal = RUN;
        while (results == 0) @(negedge aclk);
        repeat (moment) @(negedge aclk);
        reset_card(card, pin != 0);
        settle;
        $display("run 1: %0d results, %0d marked, of %0d frames", results, marks, RUN);
        // Later frames are right.
        had = marks; results = 0; quiet = 0;
        goal = frame + LATER;
        settle;
        if (results != LATER || marks != had) $fatal(1, "later: %0d results of %0d, %0d marked", results, LATER, marks - had);
        // A run is cut by the same reset while frames are under way, and the host gives up; then comes the next run.
        goal = frame + RUN;
        repeat (200 + moment) @(negedge aclk);
        reset_card(card, pin != 0);
        repeat (moment) @(negedge aclk);
        goal = frame;
        reset_card(0, 1'b0);
        repeat (WAIT) @(negedge aclk);  // a host takes longer, and every sender has noticed what was reset
        results = 0; had = marks; quiet = 0;
        goal = frame + RUN;
        settle;
        $display("next run: %0d results, %0d marked, of %0d frames", results, marks - had, RUN);
        if (results != RUN || marks != had) $fatal(1, "next run: %0d results of %0d, %0d marked", results, RUN, marks - had);
        $display("PASS %0d", compared);
        $finish;
    end
    initial begin
        #8000000;
        $fatal(1, "not done; frame %0d of %0d, %0d results", frame, goal, results);
    end
endmodule

`default_nettype wire
