// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_sender_case - simulation only: frames through vnx_sender, a network with faults, and a receiver as in docs/vnx.md.
//
// At the end of a phase every frame must have come once, in order, or be among those that the registers name as lost;
// and the registers must have counted what the bench has seen. Phases, each after a reset of the link:
//    0 neither stalls nor loss; the rate is measured     1 stalls everywhere
//    2 packets are lost     3 replies are lost     4 both come twice and in another order
//    5 all that, and replies that are wrong, stale or too long     6 a receiver that takes few packets, slowly
//    7 a receiver that forgets its session now and then    8 REFUSE at first    9 acknowledgements of what was not sent
//   10 `drain` and a reset of the link in mid-frame, then a reset of all
//
// Parameters: FRAME_BYTES, PACKET_BEATS, SLOTS  of the block
//             FRAMES                            of phase 0
//             SEED                              of contents, faults and stalls
`default_nettype none

module bench_vnx_sender_case #(
    parameter int FRAME_BYTES = 64, PACKET_BEATS = 23, SLOTS = 8, FRAMES = 50, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output wire  [31:0] compared
);
    import bench_vnx_packet::*;
    localparam int PHASES  = 11;
    localparam int HELLO   = 100;
    localparam int TIMEOUT = 120;
    localparam int IDLE    = 500;
    localparam int REORDER = SEED % 4;
    localparam int FLIGHT  = SEED % 3 == 0 ? REORDER + 3 : SLOTS + 4;
    localparam int WAY     = 45;  // cycles from the last beat of a frame to the free slots
    localparam int PACKETS = packets_of(FRAME_BYTES, PACKET_BEATS);
    localparam int BEATS   = (PACKETS - 1) * PACKET_BEATS + beats_of(last_bytes(FRAME_BYTES, PACKET_BEATS));
    localparam logic [15:0] LINK = 16'hA55A ^ 16'(SEED);

    wire          clock = aclk && !done;
    logic         aresetn, link_aresetn, drain, eager;
    wire          drained, frame_done;
    wire  [511:0] s_tdata, n_tdata, m_tdata;
    wire  [31:0]  s_number;
    wire          s_taint, s_tlast, s_tvalid, s_tready, n_tlast, n_tuser, n_tvalid, m_tlast, m_tvalid;
    logic         m_tready;
    wire  [63:0]  n_tkeep, m_tkeep;

    wire [6:0] a_awaddr, a_araddr;
    wire [2:0] a_awprot, a_arprot;
    wire a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire a_arvalid, a_arready, a_rvalid, a_rready;
    wire [31:0] a_wdata, a_rdata;
    wire [3:0] a_wstrb;
    wire [1:0] a_bresp, a_rresp;

    bench_lite_master #(.ADDR_W(7), .LIMIT(90), .SEED(SEED)) u_master (
        .aclk(clock), .aresetn(aresetn), .eager(eager),
        .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid),
        .m_axil_awready(a_awready), .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb),
        .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready), .m_axil_bresp(a_bresp),
        .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready), .m_axil_araddr(a_araddr),
        .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
        .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid),
        .m_axil_rready(a_rready)
    );

    vnx_sender #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK), .CONTRACT(CONTRACT),
        .PACKING(PACKING), .ROLE(ROLE), .ELEMENT(ELEMENT), .SHAPE(SHAPE), .HELLO_CYCLES(HELLO), .TIMEOUT_CYCLES(TIMEOUT),
        .IDLE_CYCLES(IDLE), .REORDER(REORDER), .FLIGHT(FLIGHT), .NUMBERED(1)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
        .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
        .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
        .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready), .s_axil_araddr(a_araddr),
        .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
        .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid),
        .s_axil_rready(a_rready),
        .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .number(s_number), .number_known(1'b1), .taint(s_taint),
        .s_net_axis_tdata(n_tdata), .s_net_axis_tkeep(n_tkeep), .s_net_axis_tlast(n_tlast),
        .s_net_axis_tuser(n_tuser), .s_net_axis_tvalid(n_tvalid),
        .m_net_axis_tdata(m_tdata), .m_net_axis_tkeep(m_tkeep), .m_net_axis_tlast(m_tlast),
        .m_net_axis_tvalid(m_tvalid), .m_net_axis_tready(m_tready), .frame_done(frame_done)
    );

    axis_checker #(.DATA_W(577), .NAME("m_net_axis")) u_check (
        .aclk(clock), .aresetn(link_aresetn), .axis_tdata({m_tlast, m_tkeep, m_tdata}),
        .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    // ---- settings of a phase: chances of 64 ----------------------------------------------------------------------
    int         phase, latency, leave, wanted;
    logic [6:0] lose, lose_reply, twice, twice_reply, swap, swap_reply, junk, stall_s, stall_m, takes;
    logic       forget, refusing, straying, running;
    task setting(input int p);
        lose = '0; lose_reply = '0; twice = '0; twice_reply = '0; swap = '0; swap_reply = '0; junk = '0;
        stall_s = '0; stall_m = '0; latency = 17; takes = 7'd64; leave = SLOTS; forget = 1'b0;
        refusing = p == 8; straying = 1'b0;
        if (p == 1) begin stall_s = 7'd30; stall_m = 7'd30; takes = 7'd12; end
        if (p == 2) lose = 7'd20;
        if (p == 3) lose_reply = 7'd20;
        if (p == 4) begin twice = 7'd10; twice_reply = 7'd10; swap = 7'd10; swap_reply = 7'd10; stall_m = 7'd10; end
        if (p == 5) begin
            lose = 7'd6; lose_reply = 7'd6; twice = 7'd6; twice_reply = 7'd6; swap = 7'd6; swap_reply = 7'd6;
            junk = 7'd16; stall_s = 7'd20; stall_m = 7'd20;
        end
        if (p == 6) begin takes = 7'd2; leave = 3; latency = 60; stall_m = 7'd5; end
        if (p == 7) begin
            forget = 1'b1; lose = 7'd3; lose_reply = 7'd3; junk = 7'd4; stall_s = 7'd8; stall_m = 7'd8;
        end
        if (p == 10) begin stall_s = 7'd4; stall_m = 7'd20; end
    endtask

    // ---- frames in, packets out, the far receiver, replies -------------------------------------------------------
    wire [31:0] sent;
    bench_vnx_sender_source #(.FRAME_BYTES(FRAME_BYTES), .SEED(SEED)) u_source (
        .aclk(clock), .link_aresetn(link_aresetn), .running(running), .wanted(32'(wanted)), .stall(stall_s),
        .s_tdata(s_tdata), .s_tlast(s_tlast), .s_tvalid(s_tvalid), .s_tready(s_tready),
        .s_number(s_number), .s_taint(s_taint), .sent(sent)
    );

    wire         push, in_session, came_valid, way_empty, answered, pull, reply_valid, under_way, back_busy_unused, back_empty_unused;
    wire [133:0] pushed, came_packet;
    wire [132+SLOTS:0] answer, reply;
    wire [15:0]  epoch, session_rx;
    wire [31:0]  next_seq, compared_m;
    int          compared_here;
    assign compared = compared_m + 32'(compared_here);
    bench_vnx_sender_packets #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .LINK(LINK), .HELLO_CYCLES(HELLO), .TIMEOUT_CYCLES(TIMEOUT),
        .IDLE_CYCLES(IDLE), .SLOTS(SLOTS), .REORDER(REORDER), .FLIGHT(FLIGHT), .SEED(SEED)
    ) u_packets (
        .aclk(clock), .link_aresetn(link_aresetn), .drain(drain), .stalls(stall_m != '0), .phase(32'(phase)),
        .m_tdata(m_tdata), .m_tkeep(m_tkeep), .m_tlast(m_tlast), .m_tvalid(m_tvalid), .m_tready(m_tready),
        .frame_done(frame_done),
        .n_tdata(n_tdata), .n_tkeep(n_tkeep), .n_tlast(n_tlast), .n_tuser(n_tuser), .n_tvalid(n_tvalid),
        .push(push), .pushed(pushed), .in_session(in_session), .epoch(epoch), .session_rx(session_rx), .next_seq(next_seq),
        .compared(compared_m)
    );
    bench_vnx_network #(.W(134), .SEED(SEED + 100)) u_way (
        .aclk(clock), .clear(!link_aresetn), .lose(lose), .twice(twice), .swap(swap), .latency(32'(latency)),
        .push(push), .pushed(pushed), .pull(1'b1), .valid(came_valid), .data(came_packet), .busy(under_way), .empty(way_empty)
    );
    bench_vnx_sender_far #(.PACKETS(PACKETS), .SLOTS(SLOTS), .SEED(SEED)) u_far (
        .aclk(clock), .link_aresetn(link_aresetn), .takes(takes), .slots(32'(leave)), .forget(forget), .refuse(refusing),
        .under_way(under_way), .came_valid(came_valid), .came_packet(came_packet), .push(answered), .pushed(answer)
    );
    bench_vnx_network #(.W(133 + SLOTS), .SPREAD(8), .SEED(SEED + 200)) u_back (
        .aclk(clock), .clear(!link_aresetn), .lose(lose_reply), .twice(twice_reply), .swap(swap_reply), .latency(32'(latency)),
        .push(answered), .pushed(answer), .pull(pull), .valid(reply_valid), .data(reply), .busy(back_busy_unused),
        .empty(back_empty_unused)
    );
    bench_vnx_sender_replies #(.LINK(LINK), .SLOTS(SLOTS), .SEED(SEED)) u_replies (
        .aclk(clock), .link_aresetn(link_aresetn), .dense(phase == 4), .junk(junk), .straying(straying),
        .in_session(in_session), .epoch(epoch), .session_rx(session_rx), .next_seq(next_seq),
        .pull(pull), .reply_valid(reply_valid), .reply(reply),
        .n_tdata(n_tdata), .n_tkeep(n_tkeep), .n_tlast(n_tlast), .n_tuser(n_tuser), .n_tvalid(n_tvalid)
    );

    // ---- stalls of the network -----------------------------------------------------------------------------------
    logic [63:0] dice;
    int          cycle;
    always @(posedge clock) begin
        dice  = rolled(dice);
        cycle = cycle + 1;
        m_tready <= !(luck(dice, int'(stall_m), 9) || (stall_m > 7'd15 && cycle % 512 < 60));
    end

    // ---- phases --------------------------------------------------------------------------------------------------

    logic [31:0] word;
    logic [1:0]  resp;
    int          waited, missing, lowest, highest, lost_count, earlier;
    task want(input logic [6:0] at, input int value, input logic exact);
        u_master.read(at, word, resp);
        if (resp != 2'b00 || (exact ? int'(word) != value : int'(word) < value))
            $fatal(1, "phase %0d: register %h is %0d, the bench has %0d (%m)", phase, at, word, value);
        compared_here = compared_here + 1;
    endtask
    task reset_link;
        @(negedge clock);
        link_aresetn = 1'b0;
        @(negedge clock);
        u_master.write(7'h08, 32'd1, 4'b0001, resp);
        repeat (4) @(negedge clock);
        link_aresetn = 1'b1;
    endtask
    // Until all frames are in the hands of the receiver or given up, and the way is empty.
    task settle;
        waited = 0;
        earlier = 0;
        while (!(int'(sent) == wanted && u_dut.u_window.base_q == u_dut.u_window.seq_q && !u_dut.u_pack.mid_q
                 && way_empty)) begin
            @(negedge clock);
            waited = u_far.delivered == earlier ? waited + 1 : 0;
            earlier = u_far.delivered;
            if (waited > 30000 + 100 * PACKET_BEATS * PACKETS)
                $fatal(1, "phase %0d: nothing is delivered, %0d of %0d frames are in (%m)", phase, sent, wanted);
        end
        forget = 1'b0; stall_m = '0;
        repeat (2 * TIMEOUT) @(negedge clock);
        while (!(u_dut.open && u_far.open && way_empty)) @(negedge clock);
        // Until just after a PROBE, so that nothing is counted while the counters are read.
        repeat (TIMEOUT) @(negedge clock);
        earlier = u_packets.n_probe;
        while (u_packets.n_probe == earlier) @(negedge clock);
        repeat (20) @(negedge clock);
        eager = 1'b1;
    endtask

    initial begin
        done = 1'b0; compared_here = 0; dice = 64'(SEED) * 64'h9E3779B97F4A7C15 + 64'd5; cycle = 0; m_tready = 1'b0;
        phase = 0; running = 1'b0; setting(0);
        aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0; eager = 1'b1; wanted = FRAMES;
        repeat (4) @(negedge clock);
        aresetn = 1'b1; link_aresetn = 1'b1;
        for (int p = 0; p < PHASES; p++) begin
            phase = p;
            setting(p);
            eager = p != 1;
            wanted = p == 0 ? FRAMES : FRAMES / 2 + 2;
            running = 1'b1;
            if (p == 8) begin
                while (u_far.refused < 3) @(negedge clock);
                repeat (100) @(negedge clock);
                want(7'h00, 2, 1'b1);
                want(7'h0C, 32'h3A6, 1'b1);
                want(7'h10, 32'h00077777, 1'b1);
                want(7'h14, 32'h76543210, 1'b1);
                want(7'h18, 32'hFEDCBA98, 1'b1);
                want(7'h1C, 6, 1'b1);
                want(7'h20, 32'hBB, 1'b1);
                want(7'h24, 32'hAA, 1'b1);
                want(7'h28, 32'h050908, 1'b1);
                want(7'h60, 3, 1'b0);
                if (s_tready || sent != 0) $fatal(1, "frames are taken without a session (%m)");
                refusing = 1'b0;
            end
            if (p == 9) begin
                while (u_far.delivered < 3) @(negedge clock);
                straying   = 1'b1;
                lose_reply = 7'd64;
                earlier = int'(epoch);
                while (int'(epoch) == earlier) @(negedge clock);
                straying   = 1'b0;
                lose_reply = '0;
                settle;
                want(7'h5C, 1, 1'b1);
            end
            if (p == 10) begin
                while (u_far.delivered < 3) @(negedge clock);
                repeat (17) @(negedge clock);
                drain = 1'b1;
                waited = 0;
                while (!drained) begin
                    @(negedge clock);
                    waited = waited + 1;
                    if (waited > 4000) $fatal(1, "not drained (%m)");
                end
                repeat (2 * TIMEOUT) begin
                    @(negedge clock);
                    if (m_tvalid || !drained || u_packets.at_beat != 0) $fatal(1, "drained, and a packet is offered (%m)");
                end
                running = 1'b0;
                drain   = 1'b0;
                reset_link;
                running = 1'b1;
                wanted = 5;
            end
            settle;
            // ---- what came of it; PROBEs first, since the next one comes soon
            want(7'h50, u_packets.n_probe, p != 7 && p != 9);
            missing = 0; lowest = -1; highest = -1;
            for (int f = 0; f < wanted; f++) begin
                if (u_far.came[f] > 1) $fatal(1, "phase %0d: frame %0d came %0d times (%m)", phase, f, u_far.came[f]);
                if (u_far.came[f] == 0) begin
                    missing = missing + 1;
                    if (lowest < 0) lowest = f;
                    highest = f;
                end
                compared_here = compared_here + 1;
            end
            want(7'h34, missing, p != 7 && p != 9);
            lost_count = int'(word);
            want(7'h38, 0, 1'b0);
            if (lost_count != 0 && missing != 0 && int'(word) > lowest)
                $fatal(1, "phase %0d: frame %0d is lost, LOST_FIRST is %0d (%m)", phase, lowest, word);
            want(7'h3C, highest, 1'b0);
            // The first frame of the latest session was not lost, if it had one.
            if (lost_count != 0 && next_seq != 0 && int'(word) >= u_packets.base_frame)
                $fatal(1, "phase %0d: LOST_LAST is %0d, frame %0d came after it (%m)", phase, word, u_packets.base_frame);
            if (lost_count != 0 && lost_count > int'(word) + 1)
                $fatal(1, "phase %0d: %0d lost, LOST_LAST is %0d (%m)", phase, lost_count, word);
            if (p == 7) want(7'h5C, 1, 1'b0);
            want(7'h2C, wanted, 1'b1);
            want(7'h40, u_packets.n_done, 1'b1);
            if (p != 7 && p != 9) begin
                // Of a session that ended there may be a packet that was not counted here.
                if (u_packets.n_done != u_packets.n_frames && p != 10)
                    $fatal(1, "phase %0d: %0d frames were sent, frame_done came %0d times (%m)", phase,
                           u_packets.n_frames, u_packets.n_done);
                want(7'h44, u_packets.n_new, 1'b1);
                want(7'h48, u_packets.n_again, 1'b1);
                want(7'h54, u_packets.n_hello, 1'b1);
                want(7'h5C, 0, 1'b1);
                want(7'h58, p == 10 ? 0 : 1, 1'b0);
            end
            want(7'h00, 1, 1'b1);
            want(7'h04, int'({session_rx, epoch}), 1'b1);
            u_master.read(7'h30, word, resp);
            if (word[8:0] != 9'd0 || int'(word[24:16]) > SLOTS || word[24:16] == 9'd0)
                $fatal(1, "phase %0d: SLOTS is %h (%m)", phase, word);
            if (p == 0) begin
                want(7'h48, 0, 1'b1);
                want(7'h4C, 0, 1'b1);
                want(7'h74, 0, 1'b1);
                // An idle cycle between packets and one for a reply, and none for want of room, if the window without
                // the packet that is being stored and the frame that is not acknowledged yet is longer than the way.
                waited = u_packets.last_m - u_packets.first_m + 1;
                if (SLOTS * BEATS / PACKETS - PACKET_BEATS - BEATS > WAY && SLOTS * PACKET_BEATS > 150 && PACKETS > 1
                    && waited > u_packets.moved + u_packets.n_new + u_packets.n_acks + 2)
                    $fatal(1, "%0d beats of %0d packets took %0d cycles (%m)", u_packets.moved, u_packets.n_new, waited);
            end
            if (p == 2) want(7'h48, 1, 1'b0);
            if (p == 2) want(7'h4C, 1, 1'b0);
            if (p == 2 && u_packets.n_second > 1 && u_packets.n_pairs == 0)
                $fatal(1, "%0d packets were lost twice, and none was sent twice then (%m)", u_packets.n_second);
            if (p == 5) want(7'h64, 1, 1'b0);
            if (p == 5) want(7'h68, 1, 1'b0);
            if (p == 6) want(7'h6C, 20, 1'b0);
            if (p == 1) want(7'h74, 10, 1'b0);
            running = 1'b0;
            @(negedge clock);
            while (m_tvalid) @(negedge clock);
            setting(0);
            u_master.write(7'h08, 32'hFFFFFFFF, 4'b1110, resp);
            want(7'h40, u_packets.n_done, 1'b1);
            u_master.write(7'h08, 32'd1, 4'b0001, resp);
            want(7'h40, 0, 1'b1);
            want(7'h34, 0, 1'b1);
            reset_link;
        end
        aresetn = 1'b0; link_aresetn = 1'b0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        for (int k = 0; k < 32; k++) if (k != 1 && (k < 4 || k > 10)) want(7'(k * 4), 0, 1'b1);
        u_master.read(7'h04, word, resp);
        if (word != {16'd0, epoch} && word != {16'd0, epoch + 16'd1}) $fatal(1, "the epoch was cleared: %h (%m)", word);
        done = 1'b1;
    end
endmodule

`default_nettype wire
