// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_pair - two cards of vnx_card with LINKS links between them, both ways, through a network with faults.
//
// Each card has its own clock. A frame is a hash of its number, which is its first word, so the sink knows what must
// come. Faults end after `frames` frames of link 0; then everything that is under way must come in. Reported at the end as faults:
//   a frame that is neither exact nor a beginning of itself, flagged by `error`, with zeros behind
//   a frame twice, or after a later one
//   a frame that is missing or cut, unless its sender named it, its sender was reset before it was delivered, or its receiver was
//   reset when it was under way
//   a frame that is missing, cut or named without any reset
//   nothing comes for a long time
//
// Plusargs: frames, seed, fault0 to fault7, burst, pause (see vnx_faults), resets (cycles between two, 0: none), stall (1: sinks stand
//   still for long, one at a time; the others must go on)
`default_nettype none

module tb_vnx_pair #(
    parameter int LINKS        = 3,
    parameter int PACKET_BEATS = 3,
    parameter int SLOTS        = 8,
    parameter bit [32*LINKS-1:0] FRAME_BYTES = {32'd33, 32'd700, 32'd200},
    parameter int MOST         = 1 << 20   // frames of a link with distinct contents
) ();
    logic [1:0] aclk, aresetn, link_aresetn, drain;
    wire  [1:0] drained;

    initial begin aclk[0] = 0; forever #1.550ns aclk[0] = ~aclk[0]; end
    initial begin aclk[1] = 0; forever #1.667ns aclk[1] = ~aclk[1]; end

    // ---- cards and the network

    wire [511:0] out_tdata [0:1], in_tdata [0:1];
    wire [63:0]  out_tkeep [0:1], in_tkeep [0:1];
    wire [15:0]  out_tdest [0:1], in_tdest [0:1];
    wire [1:0]   out_tlast, out_tvalid, out_tready, in_tlast, in_tvalid;
    wire  [LINKS*512-1:0] s_tdata [0:1], m_tdata [0:1];
    wire  [LINKS-1:0]     s_tlast [0:1], s_tvalid [0:1], m_tready [0:1];
    wire  [LINKS-1:0]     s_tready [0:1], m_tvalid [0:1], cut [0:1], named [0:1];
    wire  [LINKS*32-1:0]  named_count [0:1], named_last [0:1];

    for (genvar s = 0; s < 2; s++) begin : g_card
        vnx_card #(
            .LINKS(LINKS), .SIDE(s), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .FRAME_BYTES(FRAME_BYTES)
        ) u_card (
            .aclk(aclk[s]), .aresetn(aresetn[s]), .link_aresetn(link_aresetn[s]), .drain(drain[s]), .drained(drained[s]),
            .s_axis_tdata(s_tdata[s]), .s_axis_tlast(s_tlast[s]), .s_axis_tvalid(s_tvalid[s]), .s_axis_tready(s_tready[s]),
            .m_axis_tdata(m_tdata[s]), .m_axis_tvalid(m_tvalid[s]), .m_axis_tready(m_tready[s]),
            .cut(cut[s]), .named(named[s]), .named_count(named_count[s]), .named_last(named_last[s]),
            .s_vnx_tdata(in_tdata[s]), .s_vnx_tkeep(in_tkeep[s]), .s_vnx_tdest(in_tdest[s]), .s_vnx_tlast(in_tlast[s]),
            .s_vnx_tvalid(in_tvalid[s]),
            .m_vnx_tdata(out_tdata[s]), .m_vnx_tkeep(out_tkeep[s]), .m_vnx_tdest(out_tdest[s]), .m_vnx_tlast(out_tlast[s]),
            .m_vnx_tvalid(out_tvalid[s]), .m_vnx_tready(out_tready[s])
        );
        vnx_faults #(.BEATS(2 * PACKET_BEATS)) u_faults (
            .in_clk(aclk[s]), .in_tdata(out_tdata[s]), .in_tkeep(out_tkeep[s]), .in_tdest(out_tdest[s]),
            .in_tlast(out_tlast[s]), .in_tvalid(out_tvalid[s]), .in_tready(out_tready[s]),
            .out_clk(aclk[1-s]), .out_tdata(in_tdata[1-s]), .out_tkeep(in_tkeep[1-s]), .out_tdest(in_tdest[1-s]),
            .out_tlast(in_tlast[1-s]), .out_tvalid(in_tvalid[1-s])
        );
    end

    // ---- options

    longint unsigned seed [0:1];
    longint unsigned exact, cuts_seen, missing, faults, resets_done, stalls;
    int unsigned     frames, rate [0:7], burst, pause, resets, stall;
    logic            quiet, ended;

    function automatic int unsigned random(input int s, input int unsigned below);
        seed[s] = seed[s] ^ (seed[s] << 13);
        seed[s] = seed[s] ^ (seed[s] >> 7);
        seed[s] = seed[s] ^ (seed[s] << 17);
        random = 32'((seed[s] >> 16) & 64'hFFFFFFF) % below;
    endfunction

    task automatic set_faults(input bit on);
        for (int k = 0; k < 8; k++) begin
            g_card[0].u_faults.rate[k] = on ? rate[k] : 0;
            g_card[1].u_faults.rate[k] = on ? rate[k] : 0;
        end
        g_card[0].u_faults.burst = on ? burst : 0;
        g_card[1].u_faults.burst = on ? burst : 0;
        g_card[0].u_faults.pause = pause;
        g_card[1].u_faults.pause = pause;
    endtask

    initial begin
        if (!$value$plusargs("frames=%d", frames)) frames = 300;
        if (!$value$plusargs("seed=%d", seed[0])) seed[0] = 1;
        if (!$value$plusargs("burst=%d", burst)) burst = 0;
        if (!$value$plusargs("pause=%d", pause)) pause = 0;
        if (!$value$plusargs("resets=%d", resets)) resets = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("fault0=%d", rate[0])) rate[0] = 0;
        if (!$value$plusargs("fault1=%d", rate[1])) rate[1] = 0;
        if (!$value$plusargs("fault2=%d", rate[2])) rate[2] = 0;
        if (!$value$plusargs("fault3=%d", rate[3])) rate[3] = 0;
        if (!$value$plusargs("fault4=%d", rate[4])) rate[4] = 0;
        if (!$value$plusargs("fault5=%d", rate[5])) rate[5] = 0;
        if (!$value$plusargs("fault6=%d", rate[6])) rate[6] = 0;
        if (!$value$plusargs("fault7=%d", rate[7])) rate[7] = 0;
        seed[0] = seed[0] * 64'h9E3779B97F4A7C15 + 1;
        seed[1] = seed[0] ^ 64'h5555_0000_1234;
        g_card[0].u_faults.seed = seed[0] ^ 64'h1234567;
        g_card[1].u_faults.seed = seed[0] ^ 64'h89ABCDE0000;
        set_faults(1);
        quiet = 0; ended = 0; exact = 0; cuts_seen = 0; missing = 0; faults = 0; resets_done = 0; stalls = 0;
        stalled = '0;
        for (int i = 0; i < LINKS; i++) came[i] = 0;
    end

    task automatic wrong(input int link, input string what);
        faults++;
        if (faults < 20) $display("%0t link %0d: %s", $time, link, what);
    endtask

    // ---- sources, sinks, and what became of each frame

    function automatic logic [31:0] word(input int unsigned frame, input int unsigned place);
        logic [31:0] h;
        h    = frame * 32'h9E3779B1 + place * 32'h85EBCA77;
        word = place == 0 ? frame : h ^ (h >> 15);
    endfunction

    int unsigned next_id [0:LINKS-1];       // of the frame that the source offers, or will
    logic [LINKS-1:0] finished, stalled;

    for (genvar i = 0; i < LINKS; i++) begin : g_link
        localparam int FROM  = i % 2;
        localparam int TO    = 1 - FROM;
        localparam int BYTES = int'(FRAME_BYTES[32*i +: 32]);
        localparam int BEATS = (BYTES + 63) / 64;

        // bit 0: was delivered exact or cut; 1: cut; 2: may be missing
        logic [2:0]  fate [0:MOST-1];
        int          s_beat, m_beat, idle;
        int unsigned first_id;              // that the sender calls frame 0
        int unsigned m_id, m_next, pulses, used;
        logic        m_bad;
        logic [511:0] mask, tdata, got;
        logic        tvalid, tlast, tready;

        assign s_tdata[FROM][512*i +: 512] = tdata;
        assign s_tdata[TO][512*i +: 512]   = '0;
        assign {s_tvalid[FROM][i], s_tlast[FROM][i]} = {tvalid, tlast};
        assign {s_tvalid[TO][i], s_tlast[TO][i]}     = 2'b00;
        assign m_tready[TO][i]   = tready;
        assign m_tready[FROM][i] = 1'b1;

        function automatic logic [511:0] beat_of(input int unsigned frame, input int beat);
            for (int w = 0; w < 16; w++) beat_of[32*w +: 32] = word(frame, 32'(16 * beat + w));
        endfunction

        initial begin
            for (int f = 0; f < MOST; f++) fate[f] = 0;
            s_beat = 0; m_beat = 0; first_id = 0; m_next = 0; pulses = 0; used = 0; m_bad = 0; idle = 0;
            next_id[i] = 0;
            tvalid = 0;
            tready = 0;
            finished[i] = 0;
        end

        always @(posedge aclk[FROM]) begin
            if (!link_aresetn[FROM]) begin
                // What was offered up to here may be missing; the sender restarts its count.
                if (s_beat != 0 || tvalid) next_id[i]++;
                for (int unsigned f = m_next; f < next_id[i]; f++) fate[f % MOST][2] = 1;
                first_id = next_id[i];
                s_beat = 0;
                tvalid <= 1'b0;
            end else begin
                if (tvalid && s_tready[FROM][i]) begin
                    tvalid <= 1'b0;
                    s_beat++;
                    if (s_beat == BEATS) begin
                        s_beat = 0;
                        next_id[i]++;
                    end
                end
                if ((!tvalid || s_tready[FROM][i]) && random(FROM, 256) >= pause
                    && (s_beat != 0 || !quiet)) begin
                    tvalid <= 1'b1;
                    tdata <= beat_of(next_id[i], s_beat);
                    tlast <= s_beat == BEATS - 1;
                end
            end
            if (named[FROM][i])
                for (int unsigned k = 0; k < named_count[FROM][32*i +: 32]; k++)
                    fate[(first_id + named_last[FROM][32*i +: 32] - k) % MOST][2] = 1;
            if (named[FROM][i] && resets == 0) wrong(i, "frames are named lost, and nobody was reset");
        end

        task automatic frame_in();
            if (m_bad) begin
                used++;
                cuts_seen++;
                if (used > pulses) wrong(i, $sformatf("frame %0d is wrong and not flagged", m_id));
                fate[m_id % MOST][1] = 1;
            end else exact++;
            fate[m_id % MOST][0] = 1;
            m_next = m_id + 1;
            came[i]++;
        endtask

        always @(posedge aclk[TO]) begin
            idle++;
            if (cut[TO][i]) pulses++;
            if (!link_aresetn[TO]) begin
                // What was under way may be missing.
                for (int unsigned f = m_next; f <= next_id[i]; f++) fate[f % MOST][2] = 1;
                if (m_beat != 0) fate[m_id % MOST][2] = 1;
                m_beat = 0;
                used = pulses;
                tready <= 1'b0;
            end else begin
                if (m_tvalid[TO][i] && tready) begin
                    idle = 0;
                    got  = m_tdata[TO][512*i +: 512];
                    if (m_beat == 0) begin
                        m_id  = got[31:0];
                        m_bad = 0;
                        if (m_id < m_next) wrong(i, $sformatf("frame %0d after frame %0d", m_id, m_next - 1));
                        if (m_id >= next_id[i] + 1) wrong(i, $sformatf("frame %0d was never sent", m_id));
                    end
                    mask = '1;
                    if (m_beat == BEATS - 1 && BYTES % 64 != 0) mask = mask >> (512 - 8 * (BYTES % 64));
                    if (got != (beat_of(m_id, m_beat) & mask)) begin
                        // a beginning may stand, in halves, and zeros behind
                        if (got[511:256] != '0
                            || (got[255:0] != '0
                                && (m_bad || got[255:0] != 256'(beat_of(m_id, m_beat) & mask))))
                            wrong(i, $sformatf("frame %0d, beat %0d is altered", m_id, m_beat));
                        m_bad = 1;
                    end else if (m_bad) wrong(i, $sformatf("frame %0d goes on behind its cut", m_id));
                    m_beat++;
                    if (m_beat == BEATS) begin
                        m_beat = 0;
                        frame_in();
                    end
                end
                tready <= !stalled[i] && random(TO, 256) >= pause;
            end
            if (idle == 100_000 && !(quiet && m_next == next_id[i]) && !stalled[i]) wrong(i, "nothing comes");
            finished[i] = quiet && s_beat == 0 && !tvalid && m_next == next_id[i] && m_beat == 0;
        end

        task automatic judge();
            if (pulses != used) wrong(i, $sformatf("%0d frames were flagged, %0d were wrong", pulses, used));
            for (int unsigned f = 0; f < next_id[i]; f++)
                if (fate[f % MOST] == 3'b000 || fate[f % MOST] == 3'b011) wrong(i, $sformatf("frame %0d is %s, and nobody says so", f, fate[f % MOST][0] ? "cut" : "missing"));
                else if (!fate[f % MOST][0]) missing++;
        endtask
    end

    // ---- what happens

    task automatic reset(input int side);
        bit gentle;
        int waited;
        gentle = random(side, 2) == 0;
        waited = 0;
        if (gentle) begin
            drain[side] = 1;
            @(negedge aclk[side]);
            while (!drained[side] && waited < 5000) begin @(negedge aclk[side]); waited++; end
            if (!drained[side]) wrong(side, "does not drain");
        end
        link_aresetn[side] = 1'b0;
        if (!gentle && random(side, 3) == 0) aresetn[side] = 1'b0;
        repeat (gentle ? 64 : 4 + int'(random(side, 60))) @(negedge aclk[side]);
        link_aresetn[side] = 1'b1;
        aresetn[side] = 1'b1;
        drain[side] = 0;
        resets_done++;
    endtask

    for (genvar s = 0; s < 2; s++) begin : g_resets
        initial begin
            aresetn[s] = 0; link_aresetn[s] = 0; drain[s] = 0;
            repeat (20) @(negedge aclk[s]);
            aresetn[s] = 1; link_aresetn[s] = 1;
            forever begin
                @(negedge aclk[s]);
                if (resets != 0 && !quiet) begin
                    repeat (int'(random(s, 2 * resets)) + 1) @(negedge aclk[s]);
                    if (!quiet) reset(s);
                end
            end
        end
    end

    // A sink stalls for longer than everything on the way can hold; the others go on.
    int unsigned came [0:LINKS-1], others [0:LINKS-1];
    initial begin
        repeat (1000) @(posedge aclk[0]);
        if (stall != 0) forever for (int i = 0; i < LINKS; i++) begin
            stalled[i] = 1;
            repeat (500) @(posedge aclk[0]);
            others = came;
            repeat (3000) @(posedge aclk[0]);
            for (int j = 0; j < LINKS; j++)
                if (j != i && !quiet && resets == 0 && came[j] < others[j] + (burst != 0 ? 1 : 10))
                    wrong(j, $sformatf("is held up by link %0d: %0d frames", i, came[j] - others[j]));
            stalled[i] = 0;
            stalls++;
        end
    end

    longint unsigned cycles;
    initial begin
        cycles = 0;
        while (next_id[0] < frames && faults == 0) begin @(posedge aclk[0]); cycles++; end
        quiet = 1;
        set_faults(0);
        while (finished != '1 && faults == 0) begin @(posedge aclk[0]); cycles++; end
        repeat (8000) @(posedge aclk[0]);
        g_judge();
        $display("MEASURED cycles=%0d packets=%0d exact=%0d cut=%0d missing=%0d resets=%0d stalls=%0d faults=%0d,%0d,%0d,%0d,%0d,%0d,%0d,%0d",
            cycles, g_card[0].u_faults.packets + g_card[1].u_faults.packets, exact, cuts_seen, missing, resets_done, stalls,
            g_card[0].u_faults.struck[0] + g_card[1].u_faults.struck[0], g_card[0].u_faults.struck[1] + g_card[1].u_faults.struck[1],
            g_card[0].u_faults.struck[2] + g_card[1].u_faults.struck[2], g_card[0].u_faults.struck[3] + g_card[1].u_faults.struck[3],
            g_card[0].u_faults.struck[4] + g_card[1].u_faults.struck[4], g_card[0].u_faults.struck[5] + g_card[1].u_faults.struck[5],
            g_card[0].u_faults.struck[6] + g_card[1].u_faults.struck[6], g_card[0].u_faults.struck[7] + g_card[1].u_faults.struck[7]);
        if (faults != 0) $fatal(1, "%0d faults", faults);
        $display("PASS %0d", exact);
        $finish;
    end

    event judging;
    for (genvar i = 0; i < LINKS; i++) begin : g_judges
        always @(judging) g_link[i].judge();
    end
    task automatic g_judge();
        -> judging;
        #1ns;
    endtask

endmodule

`default_nettype wire
