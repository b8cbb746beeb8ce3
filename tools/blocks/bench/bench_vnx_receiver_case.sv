// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_receiver_case - simulation only: vnx_receiver behind a channel that loses, doubles, delays, cuts, joins and
// alters packets.
//
// The far sender is a model; a reference says by docs/vnx.md what must become of each packet that enters the block. So
// all frames that leave are known in advance, those that are cut included, and all counters. Phases, one after the other:
//   0 nothing happens, counted in cycles     1 the partition stalls         2 packets are lost, replies too
//   3 duplicated and reordered               4 cut, joined, corrupted: the checksum detects it
//   5 wrong in length, marks, kind, boundary, session, with a right checksum
//   6 all of these, gaps within packets      7 the partition stalls for long, credits are kept: nothing is lost
//   8 likewise, and the sender ignores the limit    9 the sender restarts, at any place
//   10 reset of the link, with and without draining first, at any place     11 HELLOs that differ, bit by bit
//   12 reset of all
//
// Parameters: FRAME_BYTES, PACKET_BEATS, SLOTS, ACK_EVERY, ACK_CYCLES  of the block
//             FRAMES                                                   of a phase
//             STRIKES                                                  sessions that end, and resets
//             SEED                                                     of contents, faults and stalls
`default_nettype none

module bench_vnx_receiver_case #(
    parameter int FRAME_BYTES = 64, PACKET_BEATS = 23, SLOTS = 32, ACK_EVERY = 4, ACK_CYCLES = 64,
    parameter int FRAMES = 20, STRIKES = 16, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output wire  [31:0] compared
);
    import bench_vnx_packet::*;
    localparam logic [15:0] LINK = 16'h1234 + 16'(SEED);
    localparam int N         = packets_of(FRAME_BYTES, PACKET_BEATS);
    localparam int OUT_BEATS = (FRAME_BYTES + 63) / 64;
    localparam int IN_BEATS  = (N - 1) * PACKET_BEATS + beats_of(last_bytes(FRAME_BYTES, PACKET_BEATS));
    localparam int STILL     = 40 * SLOTS + FRAMES * IN_BEATS;  // cycles

    logic         aresetn, link_aresetn, drain;
    wire          drained, frame_done;
    wire  [2:0]   error;
    wire  [511:0] s_tdata;
    wire  [63:0]  s_tkeep;
    wire          s_tlast, s_tuser, s_tvalid;
    wire  [511:0] r_tdata, m_tdata;
    wire  [63:0]  r_tkeep;
    wire          r_tlast, r_tvalid, m_tvalid, m_taint, mark_known;
    wire  [31:0]  m_tuser, mark;
    logic         r_tready, m_tready;
    wire  [6:0]   awaddr, araddr;
    wire  [2:0]   awprot, arprot;
    wire          awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire  [31:0]  wdata, rdata;
    wire  [3:0]   wstrb;
    wire  [1:0]   bresp, rresp;

    bench_lite_master #(.ADDR_W(7), .LIMIT(100), .SEED(SEED)) u_master (
        .aclk(aclk), .aresetn(aresetn), .eager(1'b0),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );
    vnx_receiver #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK), .CONTRACT(CONTRACT),
        .PACKING(PACKING), .ROLE(ROLE), .ELEMENT(ELEMENT), .SHAPE(SHAPE), .ACK_EVERY(ACK_EVERY), .ACK_CYCLES(ACK_CYCLES),
        .NUMBERED(1)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .drain(drain), .drained(drained),
        .s_net_axis_tdata(s_tdata), .s_net_axis_tkeep(s_tkeep), .s_net_axis_tlast(s_tlast),
        .s_net_axis_tuser(s_tuser), .s_net_axis_tvalid(s_tvalid),
        .m_net_axis_tdata(r_tdata), .m_net_axis_tkeep(r_tkeep), .m_net_axis_tlast(r_tlast),
        .m_net_axis_tvalid(r_tvalid), .m_net_axis_tready(r_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .m_axis_tuser(m_tuser), .m_axis_taint(m_taint), .mark(mark), .mark_known(mark_known),
        .frame_done(frame_done), .error(error)
    );
    axis_checker #(.DATA_W(545), .NAME("m_axis")) u_check_m (
        .aclk(aclk), .aresetn(link_aresetn), .axis_tdata({m_taint, m_tuser, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );
    axis_checker #(.DATA_W(577), .NAME("m_net_axis")) u_check_r (
        .aclk(aclk), .aresetn(link_aresetn), .axis_tdata({r_tlast, r_tkeep, r_tdata}),
        .axis_tvalid(r_tvalid), .axis_tready(r_tready)
    );

    // ---- the far sender, the reference, and checks of what leaves ------------------------------------------------
    int          phase, p_stall, p_hold;    // stalls of the partition and of the network, in 1024
    logic [10:0] p_lose, p_late, p_spoil, p_wrong, p_reply, p_gap;
    logic        ignore, stand, hush;       // no limit; the partition stands; no unsolicited replies
    logic [9:0]  lie;
    int          goal;                      // first frame that is not to be sent
    wire [15:0]  now_tx;
    wire         far_idle;
    wire [31:0]  begun;
    bench_vnx_receiver_far #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK), .WINDOW(2 * SLOTS), .SEED(SEED)
    ) u_far (
        .aclk(aclk), .lose(p_lose), .later(p_late), .spoil(p_spoil), .wrong(p_wrong), .reply_lost(p_reply), .gap(p_gap),
        .ignore(ignore), .all(phase % 2 == 0), .hush(hush), .lie(lie), .goal(32'(goal)),
        .r_tdata(r_tdata), .r_fire(r_tvalid && r_tready && link_aresetn),
        .s_tdata(s_tdata), .s_tkeep(s_tkeep), .s_tlast(s_tlast), .s_tuser(s_tuser), .s_tvalid(s_tvalid),
        .now_tx(now_tx), .idle(far_idle), .begun(begun)
    );

    // The block looks at a beat in the cycle after it came.
    logic [511:0] n_tdata;
    logic [63:0]  n_tkeep;
    logic         n_tlast, n_tuser, n_tvalid;
    always @(posedge aclk) begin
        {n_tdata, n_tkeep, n_tlast, n_tuser} <= {s_tdata, s_tkeep, s_tlast, s_tuser};
        n_tvalid <= s_tvalid && aresetn;
    end
    initial n_tvalid = 1'b0;

    wire         cut, took, is_open;
    wire [31:0]  took_frame, took_piece, expected;
    wire [15:0]  open_tx, open_rx;
    wire [9:0]   refused;
    wire [SLOTS-1:0] kept;
    wire [31:0]  heard;
    wire [511:0] refused_head;
    bench_vnx_receiver_reference #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK)
    ) u_reference (
        .aclk(aclk), .link_aresetn(link_aresetn), .limit(u_dut.limit), .empty(u_dut.empty),
        .s_tdata(n_tdata), .s_tkeep(n_tkeep), .s_tlast(n_tlast), .s_tuser(n_tuser), .s_tvalid(n_tvalid),
        .cut(cut), .took(took), .took_frame(took_frame), .took_piece(took_piece),
        .is_open(is_open), .open_tx(open_tx), .open_rx(open_rx), .expected(expected), .kept(kept), .heard(heard),
        .refused(refused), .refused_head(refused_head)
    );

    wire [31:0] left, compared_m, compared_r;
    wire        all_told;
    int         compared_here;
    assign compared = compared_m + compared_r + 32'(compared_here);
    bench_vnx_receiver_frames #(.FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SEED(SEED)) u_frames (
        .aclk(aclk), .link_aresetn(link_aresetn), .phase(32'(phase)),
        .cut(cut), .took(took), .took_frame(took_frame), .took_piece(took_piece),
        .m_tdata(m_tdata), .m_number(m_tuser), .m_taint(m_taint), .mark(mark), .mark_known(mark_known),
        .m_fire(m_tvalid && m_tready), .frame_done(frame_done), .left(left), .compared(compared_m)
    );
    bench_vnx_receiver_replies #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK)
    ) u_replies (
        .aclk(aclk), .link_aresetn(link_aresetn), .phase(32'(phase)),
        .r_tdata(r_tdata), .r_tkeep(r_tkeep), .r_tlast(r_tlast), .r_tvalid(r_tvalid), .r_tready(r_tready), .drain(drain), .lacks(32'(u_reference.lacks)),
        .is_open(is_open), .open_tx(open_tx), .open_rx(open_rx), .expected(expected), .kept(kept), .heard(heard),
        .refused(refused), .refused_head(refused_head), .now_tx(now_tx), .all_told(all_told), .compared(compared_r)
    );

    // ---- every cycle ---------------------------------------------------------------------------------------------
    logic [31:0] dice;
    task pick(input int most, output int got);
        dice = dice * 32'd1664525 + 32'd1013904223;
        got  = int'((32'(dice[31:12]) * 32'(most)) >> 20);
    endtask
    int x, cuts_told, most;
    always @(posedge aclk) begin
        if (error[2:1] !== 2'b00) $fatal(1, "error is %b (%m)", error);
        if (error[0] && link_aresetn) cuts_told = cuts_told + 1;
        if (int'(u_dut.used) > SLOTS) $fatal(1, "%0d slots of %0d (%m)", u_dut.used, SLOTS);
        if (int'(u_dut.used) > most) most = int'(u_dut.used);
        if (drain && drained && r_tvalid) $fatal(1, "drained, and a reply is offered (%m)");
        pick(1024, x);
        m_tready <= !stand && x >= p_stall && link_aresetn;
        pick(1024, x);
        r_tready <= x >= p_hold;
    end

    // ---- registers -----------------------------------------------------------------------------------------------
    logic [31:0] value;
    logic [1:0]  resp;
    task expect_at(input logic [6:0] at, input int is);
        u_master.read(at, value, resp);
        if (value !== 32'(is) || resp !== 2'b00)
            $fatal(1, "phase %0d: register %h is %0d, expected %0d (%m)", phase, at, value, is);
        compared_here = compared_here + 1;
    endtask
    task clear_counts;
        u_reference.clear;
        u_replies.clear;
        u_frames.n_frames = 0;
        cuts_told = 0;
        most = 0;
    endtask

    // All sent frames have arrived and been reported.
    task settle;
        int quiet, patience;
        quiet = 0; patience = 0;
        while (quiet < ACK_CYCLES + 40) begin
            @(posedge aclk);
            patience = patience + 1;
            if (patience > 400000)
                $fatal(1, "phase %0d: next %0d, acked %0d, limit %0d, expected %0d; frames %0d to %0d (%m)",
                       phase, u_far.next, u_far.acked, u_far.limit, expected, u_far.first_frame, goal);
            quiet = far_idle && u_dut.empty && !m_tvalid && link_aresetn && (all_told || p_reply > 0) ? quiet + 1 : 0;
        end
    endtask

    task check_all;
        hush = 1'b1;
        repeat (20) @(posedge aclk);
        if (left != 0) $fatal(1, "phase %0d: %0d packets were taken and did not leave (%m)", phase, left);
        if (cuts_told != u_reference.n_cut)
            $fatal(1, "phase %0d: %0d frames cut, error[0] %0d times (%m)", phase, u_reference.n_cut, cuts_told);
        if (u_replies.n_nak > u_reference.lacks || u_replies.n_restart > u_reference.restarts)
            $fatal(1, "phase %0d: %0d naks for %0d, %0d restarts for %0d (%m)", phase,
                   u_replies.n_nak, u_reference.lacks, u_replies.n_restart, u_reference.restarts);
        p_stall = 0;
        repeat (4) @(posedge aclk);
        expect_at(7'h40, u_frames.n_frames);
        expect_at(7'h44, u_reference.n_cut);
        expect_at(7'h48, u_reference.n_took);
        expect_at(7'h4C, u_reference.n_gap);
        expect_at(7'h50, u_reference.n_double);
        expect_at(7'h54, u_reference.n_sum);
        expect_at(7'h58, u_reference.n_length);
        expect_at(7'h5C, u_reference.n_kind);
        expect_at(7'h60, u_reference.n_link);
        expect_at(7'h64, u_reference.n_session);
        expect_at(7'h68, u_reference.n_slot);
        expect_at(7'h6C, u_reference.n_hello);
        expect_at(7'h70, u_reference.n_open);
        expect_at(7'h7C, u_replies.n_restart);
        expect_at(7'h00, 1 + (u_reference.offered ? 2 : 0));
        expect_at(7'h04, int'({open_rx, open_tx}));
        expect_at(7'h2C, most);
        expect_at(7'h30, u_reference.begun_frame);
        expect_at(7'h34, u_reference.whole_frame);
        expect_at(7'h38, u_reference.cut_frame);
        hush = 1'b0;
    endtask

    // The HELLO comes behind a packet that the sender has begun.
    task automatic until_offered;
        repeat (20) @(posedge aclk);
        for (int k = 0; k < 4 * PACKET_BEATS && !u_reference.offered; k++) @(posedge aclk);
    endtask

    // A phase with these chances.
    int frames_before, took_before;
    task run(input int which, input int frames_of_it, input int lose, input int later, input int spoil, input int wrong,
             input int gap, input int stall);
        phase = which;
        p_lose = 11'(lose); p_late = 11'(later); p_spoil = 11'(spoil); p_wrong = 11'(wrong); p_gap = 11'(gap); p_stall = stall;
        p_reply = 11'(lose); p_hold = stall / 2;
        frames_before = u_frames.n_frames;
        took_before   = u_reference.n_took;
        goal = int'(begun) + frames_of_it;
    endtask
    task finish(input logic all);  // as many frames as were asked for, no more and no less
        settle;
        if (all && (u_frames.n_frames - frames_before != FRAMES || u_reference.n_took - took_before != N * FRAMES))
            $fatal(1, "phase %0d: %0d frames, %0d packets (%m)", phase, u_frames.n_frames - frames_before,
                   u_reference.n_took - took_before);
        p_lose = '0; p_late = '0; p_spoil = '0; p_wrong = '0; p_gap = '0; p_reply = '0; p_hold = 0;
        repeat (ACK_CYCLES + 40) @(posedge aclk);
        settle;
        check_all;
    endtask
    function automatic logic few();
        few = u_reference.n_gap == 0 || u_reference.n_double == 0 || u_reference.n_sum == 0 || u_reference.n_length == 0
              || u_reference.n_kind == 0 || u_reference.n_link == 0 || u_reference.n_session == 0 || u_replies.n_nak == 0 || u_replies.n_have == 0;
    endfunction
    task no_faults;
        if (u_reference.n_gap != 0 || u_reference.n_double != 0 || u_reference.n_slot != 0)
            $fatal(1, "faults where there are none (%m)");
    endtask
    task pause(input int least, input int up_to);
        int more;
        turns = turns * 32'd1664525 + 32'd1013904223;
        more  = int'((32'(turns[31:12]) * 32'(up_to)) >> 20);
        repeat (least + more) @(posedge aclk);
    endtask
    logic [31:0] turns;
    logic [15:0] old_tx, old_rx;
    int          opened_before, old_seq, cycles_least;
    initial begin
        done = 1'b0; compared_here = 0; dice = 32'(SEED) * 32'h9E3779B1 + 7; turns = 32'(SEED) * 32'h85EBCA77 + 3;
        aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0; m_tready = 1'b0; r_tready = 1'b0;
        goal = 0; ignore = 1'b0; stand = 1'b0; hush = 1'b1; lie = '0; most = 0; cuts_told = 0; phase = 0;
        p_lose = '0; p_late = '0; p_spoil = '0; p_wrong = '0; p_reply = '0; p_gap = '0; p_stall = 0; p_hold = 0;
        repeat (5) @(posedge aclk);
        @(negedge aclk) aresetn = 1'b1;
        repeat (20) @(posedge aclk);
        @(negedge aclk) link_aresetn = 1'b1;
        hush = 1'b0;

        run(0, FRAMES, 0, 0, 0, 0, 0, 0); finish(1'b1);
        cycles_least = FRAMES * (IN_BEATS > OUT_BEATS ? IN_BEATS + 1 : OUT_BEATS + 1);
        if (SLOTS >= 16 && u_frames.last_cycle - u_frames.first_cycle > cycles_least + 20)
            $fatal(1, "%0d frames took %0d cycles, expected %0d (%m)", FRAMES,
                   u_frames.last_cycle - u_frames.first_cycle, cycles_least);
        no_faults;
        run(1, FRAMES, 0, 0, 0, 0, 0, 512); finish(1'b1);
        no_faults;
        run(2, FRAMES, 100, 0, 0, 0, 0, 0); finish(1'b1);
        run(3, FRAMES, 0, 200, 0, 0, 0, 100); finish(1'b1);
        run(4, FRAMES, 0, 0, 150, 0, 100, 0); finish(1'b1);
        run(5, FRAMES, 0, 0, 0, 300, 0, 0); finish(1'b1);
        // Until each has happened.
        for (int k = 0; k == 0 || few(); k++) begin
            run(6, FRAMES, 50, 100, 50, 100, 300, 300); finish(1'b1);
            if (k > 20) $fatal(1, "too few faults (%m)");
        end

        // ---- the partition stalls
        run(7, FRAMES, 0, 0, 0, 0, 0, 0);
        stand = 1'b1;
        repeat (STILL) @(posedge aclk);
        if (FRAMES * N > SLOTS + 2 && int'(u_dut.used) != SLOTS) $fatal(1, "%0d slots are used of %0d (%m)", u_dut.used, SLOTS);
        stand = 1'b0;
        took_before = u_reference.n_took;
        settle;
        if (FRAMES * N > SLOTS + 2 && u_reference.n_took == took_before) $fatal(1, "nothing was left to be taken (%m)");
        check_all;
        if (u_reference.n_slot != 0 || u_reference.n_gap + u_reference.n_double == 0)
            $fatal(1, "a packet was dropped for want of a slot (%m)");
        run(8, FRAMES, 0, 0, 0, 0, 0, 100);
        ignore = 1'b1;
        repeat (4) begin
            stand = 1'b1;
            repeat (STILL / 4) @(posedge aclk);
            stand = 1'b0;
            repeat (STILL / 8) @(posedge aclk);
        end
        finish(1'b1);
        ignore = 1'b0;
        if (FRAMES * N > SLOTS + 2 && u_reference.n_slot == 0) $fatal(1, "nobody ignored the limit (%m)");

        // ---- sessions end at any place
        for (int k = 0; k < STRIKES; k++) begin
            run(9, 1000000, k % 4 == 3 ? 60 : 0, 30, 10, 30, k % 2 == 1 ? 200 : 0, k % 3 == 2 ? 300 : 0);
            pause(60, 4 * PACKET_BEATS + 200);
            // Between two beats of a packet as well: the rest of it still comes.
            @(negedge aclk) u_far.renew;
        end
        run(9, 3, 0, 0, 0, 0, 0, 0); finish(1'b0);
        // A session is offered; then late packets of the old one come, and wait, while the sender wants to begin.
        stand   = 1'b1;
        p_reply = 11'd1024;
        old_tx  = u_far.tx;
        old_rx  = u_far.rx;
        old_seq = u_reference.want;
        @(negedge aclk) u_far.renew;
        goal = int'(begun) + 4;
        until_offered;
        if (!u_reference.offered) $fatal(1, "no session was offered (%m)");
        for (int k = 0; k < 4; k++) begin
            @(negedge aclk);
            u_far.send_late(KIND_DATA, old_seq + k, int'(begun) + (old_seq + k) / N, old_tx, old_rx);
            while (u_far.late_valid || u_far.playing) @(posedge aclk);
        end
        repeat (3) @(posedge aclk);
        if (u_dut.empty || u_reference.n_open == 0) $fatal(1, "no packet waits (%m)");
        // As if the WELCOME of before came only now.
        @(negedge aclk);
        p_reply = '0;
        u_far.open_with(u_reference.next_rx);
        opened_before = u_reference.n_open;
        repeat (400) @(posedge aclk);
        if (u_reference.n_open != opened_before || !u_far.talking) $fatal(1, "a session began over packets that wait (%m)");
        stand = 1'b0;
        finish(1'b0);
        if (u_reference.n_open != opened_before + 1) $fatal(1, "the session that was offered did not begin (%m)");
        if (N > 1 && u_reference.n_cut < STRIKES / 8) $fatal(1, "only %0d frames were cut (%m)", u_reference.n_cut);
        for (int k = 0; k < STRIKES; k++) begin
            run(10, 1000000, 0, 30, 10, 30, k % 2 == 1 ? 200 : 0, k % 3 == 2 ? 300 : 0);
            pause(60, 4 * PACKET_BEATS + 200);
            if (k % 2 == 0) begin
                @(negedge aclk) drain = 1'b1;
                p_hold = 700;
                pause(100, 20);
                if (!drained) $fatal(1, "not drained (%m)");
            end
            @(negedge aclk) link_aresetn = 1'b0;
            if (turns[20]) repeat (40) @(posedge aclk);
            @(posedge aclk);
            @(negedge aclk) link_aresetn = 1'b1;
            drain = 1'b0;
        end
        run(10, 3, 0, 0, 0, 0, 0, 0); finish(1'b0);
        if (u_reference.n_open < STRIKES) $fatal(1, "only %0d sessions (%m)", u_reference.n_open);
        // A session is offered; behind a reset its HELLO comes once more, and then the packets that it was offered for.
        p_reply = 11'd1024;
        @(negedge aclk) u_far.renew;
        goal = int'(begun) + 2;
        until_offered;
        if (!u_reference.offered) $fatal(1, "no session was offered before the reset (%m)");
        old_rx = u_reference.next_rx;
        @(negedge aclk) link_aresetn = 1'b0;
        repeat (2) @(posedge aclk);
        @(negedge aclk) link_aresetn = 1'b1;
        repeat (80) @(posedge aclk);
        until_offered;
        if (!u_reference.offered) $fatal(1, "no session was offered behind the reset (%m)");
        opened_before = u_reference.n_open;
        @(negedge aclk);
        p_reply = '0;
        u_far.open_with(old_rx);
        repeat (20) @(posedge aclk);
        // With short packets, one that was offered since may have begun.
        if (u_reference.n_open != opened_before ? open_rx == old_rx : !u_dut.empty)
            $fatal(1, "a session began that was offered before a reset (%m)");
        finish(1'b0);

        // ---- HELLO
        for (int k = 0; k < 12; k++) begin
            phase = 11;
            hush  = 1'b1;
            repeat (20) @(posedge aclk);
            @(negedge aclk) u_far.renew;
            lie   = k < 10 ? 10'd1 << k : k == 10 ? 10'h2A5 : 10'h15A;
            goal  = int'(begun);
            hush  = 1'b0;
            repeat (200) @(posedge aclk);
            hush = 1'b1;
            repeat (20) @(posedge aclk);
            if (refused !== lie || u_replies.refuses < k + 1) $fatal(1, "refused %b, said wrongly %b (%m)", refused, lie);
            expect_at(7'h0C, int'(refused));
            expect_at(7'h10, int'({refused_head[BIT_PACKET_BEATS +: BITS_PACKET_BEATS], refused_head[BIT_LINK +: BITS_LINK]}));
            expect_at(7'h14, int'(refused_head[BIT_CONTRACT +: 32]));
            expect_at(7'h18, int'(refused_head[BIT_CONTRACT + 32 +: 32]));
            expect_at(7'h1C, int'(refused_head[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]));
            expect_at(7'h20, int'(refused_head[BIT_ELEMENT +: BITS_ELEMENT]));
            expect_at(7'h24, int'(refused_head[BIT_SHAPE +: BITS_SHAPE]));
            expect_at(7'h28, int'({refused_head[BIT_VERSION +: BITS_VERSION], refused_head[BIT_SLOTS +: BITS_SLOTS],
                                   refused_head[BIT_PACKING +: BITS_PACKING + BITS_ROLE]}));
            hush = 1'b0;
        end
        lie = '0;
        run(11, 2, 0, 0, 0, 0, 0, 0); finish(1'b0);
        expect_at(7'h0C, int'(refused));

        // ---- clear, which leaves the session alone, and reset of all
        hush = 1'b1;
        repeat (20) @(posedge aclk);
        u_master.write(7'h08, 32'hFFFFFFFE, 4'hF, resp);
        u_master.write(7'h08, 32'h00000001, 4'hE, resp);
        u_master.write(7'h0C, 32'h00000001, 4'hF, resp);
        expect_at(7'h48, u_reference.n_took);
        u_master.write(7'h08, 32'h00000001, 4'h1, resp);
        clear_counts;
        expect_at(7'h0C, 0);
        for (int k = 16; k < 32; k++) expect_at(7'(4 * k), 0);
        hush = 1'b0;
        run(12, 2, 0, 0, 0, 0, 0, 0); finish(1'b0);
        if (u_reference.n_took != 2 * N) $fatal(1, "%0d packets after clear (%m)", u_reference.n_took);
        @(negedge aclk) {aresetn, link_aresetn} = 2'b00;
        clear_counts;
        u_reference.clear_all;
        repeat (3) @(posedge aclk);
        @(negedge aclk) {aresetn, link_aresetn} = 2'b11;
        run(12, 2, 0, 0, 0, 0, 0, 0); finish(1'b0);
        expect_at(7'h0C, 0);
        if (open_rx != u_reference.next_rx - 16'd1 || u_reference.n_open != 1)
            $fatal(1, "session %0d after reset (%m)", open_rx);
        done = 1'b1;
    end
endmodule

`default_nettype wire
