// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_command - puts of 1 to 16 ends: the words, whose turn it is, and what the engine's statuses make of them.
//
// Gates and engine are the bench's: frames wait at random, the last beat goes some cycles after the grant, the status comes
// before or after it, or so late that the watchdog barks, is 0 or not, and sometimes another one follows that nobody asked
// for. In every third phase nothing stalls, and the cycles of a put are counted. hold and enable fall in between.
`default_nettype none

module accl_command_case #(
    parameter int N = 1, PHASES = 18, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PUTS = 12;  // of a phase
    localparam int LIMIT = 60; // watchdog

    wire             clock = aclk && !done;
    logic            aresetn, enable, hold, m_tready, s_tvalid;
    logic [31:0]     communicator, arithmetic, s_tdata;
    logic [32*N-1:0] count;
    logic [16*N-1:0] rank;
    logic [8*N-1:0]  stream;
    logic [N-1:0]    request;
    logic            sent;
    wire  [N-1:0]    chosen, grant;
    wire             idle, m_tlast, m_tvalid, s_tready, put_done, late, stray, refused;
    wire  [31:0]     m_tdata, status;
    wire  [3:0]      m_tkeep, which;
    wire  [1:0]      stage;

    accl_command #(.N(N)) u_dut (
        .aclk(clock), .aresetn(aresetn), .enable(enable), .hold(hold), .idle(idle),
        .communicator(communicator), .arithmetic(arithmetic), .watchdog(32'(LIMIT)),
        .count(count), .rank(rank), .stream(stream),
        .request(request), .chosen(chosen), .grant(grant), .sent(sent),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid),
        .m_axis_tready(m_tready),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .stage(stage), .which(which), .done(put_done), .late(late), .stray(stray), .refused(refused), .status(status)
    );
    axis_checker #(.DATA_W(37), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tkeep, m_tdata}), .axis_tvalid(m_tvalid),
        .axis_tready(m_tready)
    );

    int   seed, cycle;
    logic stalls;
    function automatic int draw(input int below);
        seed = seed * 32'd1664525 + 32'd1013904223;
        draw = int'((32'(seed) >> 8) % 32'(below));
    endfunction

    // ---- frames wait; each waiting end counts the puts of other ends that begin meanwhile
    logic [N-1:0] waits;      // a frame is there
    logic [N-1:0] chosen_was;
    int passed [0:N-1];
    int end_of, words, expected_words, seen_done, seen_late, seen_stray, seen_refused;
    int asked, answers, refusals, strays, barks, since;
    logic busy, open_data, open_status, may_begin, barked;
    logic [31:0] last_status, wanted;
    initial begin
        cycle = 0; words = 0; asked = 0; answers = 0; refusals = 0; strays = 0; barks = 0; since = 0; barked = 1'b0;
        seen_done = 0; seen_late = 0; seen_stray = 0; seen_refused = 0; busy = 1'b0; open_data = 1'b0; open_status = 1'b0;
        chosen_was = '0; may_begin = 1'b0; end_of = 0; last_status = '0; waits = '0; compared = 0;
        for (int k = 0; k < N; k++) passed[k] = 0;
    end

    always @(posedge clock) cycle = cycle + 1;
    always @(posedge clock) if (aresetn) begin
        if ((chosen & (chosen - N'(1))) != '0) $fatal(1, "two ends at once (%m)");
        if ((grant & ~chosen) != '0) $fatal(1, "a grant without a choice (%m)");
        if (chosen != '0 && chosen_was == '0) begin
            if (busy) $fatal(1, "a put begins before the other has ended (%m)");
            if (!may_begin) $fatal(1, "a put begins without enable, in hold, or for nobody (%m)");
            busy = 1'b1;
            for (int k = 0; k < N; k++) if (chosen[k]) end_of = k;
            for (int k = 0; k < N; k++)
                if (k == end_of) passed[k] = 0;
                else if (waits[k]) begin
                    passed[k] = passed[k] + 1;
                    if (passed[k] > N - 1) $fatal(1, "end %0d waits while others are served twice (%m)", k);
                end
            words = 0;
            since = 0;
            barked = 1'b0;
        end
        chosen_was = chosen;
        if (busy && int'(which) != end_of) $fatal(1, "which is %0d (%m)", which);
        if (idle !== !busy) $fatal(1, "idle is %b (%m)", idle);
        if (busy) begin
            since = since + 1;
            if (since == LIMIT) begin
                barks  = barks + 1;
                barked = 1'b1;
            end
        end
        if (grant != '0 && words != 15) $fatal(1, "a grant after %0d words (%m)", words);
        if (stage !== (!busy ? 2'd0 : words < 15 ? 2'd1 : open_data ? 2'd2 : 2'd3)) $fatal(1, "stage is %0d (%m)", stage);
        if (m_tvalid && !busy) $fatal(1, "a word without a put (%m)");
        if (m_tvalid && m_tready) begin
            case (words)
                0, 8:    wanted = 32'd3;
                1:       wanted = count[32*end_of +: 32];
                2:       wanted = communicator;
                3:       wanted = {16'd0, rank[16*end_of +: 16]};
                5:       wanted = {24'd0, stream[8*end_of +: 8]};
                6:       wanted = arithmetic;
                default: wanted = 32'd0;
            endcase
            if (m_tdata !== wanted) $fatal(1, "word %0d is %h, expected %h (%m)", words, m_tdata, wanted);
            if (m_tlast !== (words == 14) || m_tkeep !== 4'hF) $fatal(1, "word %0d: tlast %b (%m)", words, m_tlast);
            words    = words + 1;
            compared = compared + 1;
            if (words == 15) begin
                open_data   = 1'b1;
                open_status = 1'b1;
                asked       = asked + 1;
            end
            if (words > 15) $fatal(1, "a word too many (%m)");
        end
        if (sent) begin
            open_data = 1'b0;
            waits[end_of] = 1'b0;
        end
        if (s_tvalid && s_tready) begin
            if (open_status && words == 15) begin
                open_status = 1'b0;
                answers     = answers + 1;
                last_status = s_tdata;
                refusals    = refusals + int'(s_tdata != '0);
            end else begin
                strays = strays + 1;
            end
        end
        if (busy && words == 15 && !open_data && !open_status) busy = 1'b0;
        // What the block sees at this edge decides whether a put may begin.
        may_begin = enable && !hold && request != '0;
    end
    // Pulses come a cycle after what they tell of.
    always @(negedge clock) if (aresetn) begin
        seen_done    = seen_done + int'(put_done);
        seen_late    = seen_late + int'(late);
        seen_stray   = seen_stray + int'(stray);
        seen_refused = seen_refused + int'(refused);
        if (seen_done != answers || seen_stray != strays || seen_refused != refusals)
            $fatal(1, "%0d of %0d statuses, %0d of %0d stray, %0d of %0d refusals (%m)", seen_done, answers, seen_stray, strays,
                   seen_refused, refusals);
        if (answers != 0 && status !== last_status) $fatal(1, "status is %h, not %h (%m)", status, last_status);
    end

    // ---- gates and engine
    logic given, told;
    int   data_wait, status_wait, extra;
    always @(negedge clock) begin
        if (draw(4) == 0 || !stalls) for (int k = 0; k < N; k++) if (!stalls || draw(3) == 0) waits[k] = 1'b1;
        request  = waits;
        m_tready = !stalls || draw(3) == 0;
        sent     = 1'b0;
        if (grant != '0 && !given) begin
            given       = 1'b1;
            told        = 1'b0;
            data_wait   = stalls ? draw(30) : 3;
            status_wait = stalls ? draw(draw(6) == 0 ? 150 : 35) : 6;
        end else if (given) begin
            if (data_wait > 0) data_wait = data_wait - 1;
            else sent = grant != '0;
            if (status_wait > 0) status_wait = status_wait - 1;
            if (data_wait == 0 && status_wait == 0 && told && grant == '0) given = 1'b0;
        end
        s_tvalid = 1'b0;
        s_tdata  = draw(3) == 0 ? 32'(draw(1 << 20)) << draw(12) : 32'd0;
        if (given && status_wait == 0 && !told) begin
            s_tvalid = 1'b1;
            told     = 1'b1;
            extra    = stalls && draw(8) == 0 ? 1 + draw(6) : 0;
        end else if (extra > 0 && told) begin
            extra = extra - 1;
            s_tvalid = extra == 0;
        end
    end

    int first_put, wait_cycles, began;
    initial begin
        done = 1'b0; seed = SEED; stalls = 1'b0; aresetn = 1'b0; enable = 1'b0; hold = 1'b0; given = 1'b0; told = 1'b1;
        data_wait = 0; status_wait = 0; extra = 0; request = '0; sent = 1'b0; m_tready = 1'b0; s_tvalid = 1'b0; s_tdata = '0;
        communicator = '0; arithmetic = '0; count = '0; rank = '0; stream = '0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        repeat (20) @(negedge clock);
        if (asked != 0 || busy) $fatal(1, "a put before it is enabled (%m)");
        for (int phase = 0; phase < PHASES; phase++) begin
            communicator = 32'(draw(1 << 13));
            arithmetic   = 32'(draw(1 << 13));
            for (int k = 0; k < N; k++) begin
                count[32*k +: 32]  = 32'(draw(1 << 20)) << draw(11);
                rank[16*k +: 16]   = 16'(draw(1 << 16));
                stream[8*k +: 8]   = 8'(draw(247));
            end
            stalls = phase % 3 != 0;
            enable = 1'b1;
            first_put = answers;
            began  = cycle;
            wait_cycles = 0;
            while (answers - first_put < PUTS) begin
                @(negedge clock);
                wait_cycles = wait_cycles + 1;
                if (wait_cycles > 20000) $fatal(1, "phase %0d: %0d puts (%m)", phase, answers - first_put);
            end
            // 17 cycles to the grant, and the bench's status comes in the eighth after it.
            if (!stalls && cycle - began > 25 * PUTS + 2) $fatal(1, "%0d cycles for %0d puts (%m)", cycle - began, PUTS);
            repeat (draw(40)) @(negedge clock);
            if (phase % 2 == 0) hold = 1'b1;
            else enable = 1'b0;
            repeat (250) @(negedge clock);
            if (!idle) $fatal(1, "phase %0d: a put stays under way (%m)", phase);
            if (seen_late != barks) $fatal(1, "the watchdog has barked %0d times, not %0d (%m)", seen_late, barks);
            hold = 1'b0;
        end
        if (barks == 0 || refusals == 0 || strays == 0)
            $fatal(1, "%0d late, %0d refused, %0d stray (%m)", barks, refusals, strays);
        done = 1'b1;
    end
endmodule

module tb_accl_command;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_command_case #(.N(1), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_command_case #(.N(2), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_command_case #(.N(3), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_command_case #(.N(16), .PHASES(6), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
