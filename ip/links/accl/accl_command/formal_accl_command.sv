// SPDX-License-Identifier: BSD-3-Clause
//
// formal_accl_command - the proof of accl_command by itself: gates and engine are free, as far as they may be.
//
// An arbitrary bit of the words stands for all; what the words are made of is any constant. The engine gives any status,
// at any time. formal_accl_out proves it together with its gates.
//
//   word, last   15 words, each right, TLAST on the last and on no other
//   begins       a put begins for an end that has a frame, with `enable`, without `hold`, and while nothing is under way
//   one, open    one end is chosen; the grant begins with the cycle after the last word and ends with `sent`
//   turn         while an end waits, at most N - 1 puts of other ends begin
//   `told`       done, refused, stray and late are right, each once; status is the word of the last put
//   rests        idle and stage say what is outstanding
//   hang         a put ends in time, if the engine takes words and answers, and the frame's beats go
`default_nettype none

module formal_accl_command #(
    parameter int N     = 1,
    parameter int STALL = 1,  // cycles in a row in which no word is taken
    parameter int LONG  = 3   // cycles that beats and status may take, each
) (
    input wire         aclk,
    input wire         aresetn,
    input wire         enable,
    input wire         hold,
    input wire [N-1:0] request,
    input wire         send,
    input wire         m_axis_tready,
    input wire         bits,
    input wire         s_axis_tvalid
);

    (* anyconst *) logic [31:0]     communicator, arithmetic;
    (* anyconst *) logic [32*N-1:0] count;
    (* anyconst *) logic [16*N-1:0] rank;
    (* anyconst *) logic [8*N-1:0]  stream;
    (* anyconst *) logic [1:0]      watchdog;
    (* anyconst *) logic [4:0]      place;
    (* anyconst *) logic [3:0]      which;  // end

    localparam int MOST   = 2 + 15 * (STALL + 1) + LONG + 2;
    localparam int TIME_W = $clog2(MOST + 2);
    localparam int LONG_W = $clog2(LONG + 2);
    localparam int TURN_W = $clog2(N + 1);

    wire         idle, m_axis_tlast, m_axis_tvalid, s_axis_tready, done, late, stray, refused;
    wire [N-1:0] chosen, grant;
    wire [31:0]  m_axis_tdata, status;
    wire [3:0]   m_axis_tkeep, at;
    wire [1:0]   stage;
    wire         sent = grant != '0 && send;
    wire [31:0]  s_axis_tdata = {31'd0, bits};

    accl_command #(.N(N)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .enable(enable), .hold(hold), .idle(idle),
        .communicator(communicator), .arithmetic(arithmetic), .watchdog({30'd0, watchdog}),
        .count(count), .rank(rank), .stream(stream), .request(request), .chosen(chosen), .grant(grant), .sent(sent),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .stage(stage), .which(at), .done(done), .late(late), .stray(stray), .refused(refused), .status(status)
    );

    always_comb assume (32'(which) < N);

    // ---- what is outstanding, from the pins alone
    logic              busy_q, data_q, wait_q, may_q, barked_q, late_q, stray_q, done_q, refused_q, told_q, waits_q;
    logic [N-1:0]      chosen_q;
    logic [3:0]        words_q;
    logic [1:0]        life_q;
    logic [TIME_W-1:0] time_q;
    logic [LONG_W-1:0] data_time_q, wait_time_q;
    logic [TURN_W-1:0] begun_q;

    wire begins = chosen != '0 && chosen_q == '0;
    wire word   = m_axis_tvalid && m_axis_tready;
    wire over   = word && words_q == 4'd14;
    wire came   = s_axis_tvalid && s_axis_tready;
    wire busy   = begins || busy_q;
    wire ends   = words_q == 4'd15 && !(data_q && !sent) && !(wait_q && !came);
    wire waits  = request[which] && !chosen[which] && !hold;
    wire barks  = busy && !barked_q && watchdog != '0 && (busy_q ? life_q : 2'd1) == watchdog;

    logic [31:0] wanted;
    always_comb begin
        case (words_q)
            4'd0, 4'd8: wanted = 32'd3;
            4'd1:       wanted = 32'(count >> (32 * at));
            4'd2:       wanted = communicator;
            4'd3:       wanted = {16'd0, 16'(rank >> (16 * at))};
            4'd5:       wanted = {24'd0, 8'(stream >> (8 * at))};
            4'd6:       wanted = arithmetic;
            default:    wanted = 32'd0;
        endcase
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(1)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(1'b0), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    formal_sink #(.DATA_W(33), .STALL(STALL)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0),
        .tdata({m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    always_ff @(posedge aclk) begin
        chosen_q <= chosen;
        busy_q   <= busy && !ends;
        may_q    <= enable && !hold && idle;
        words_q  <= !busy || ends ? '0 : words_q + 4'(word);
        data_q   <= over || (data_q && !sent);
        wait_q   <= over || (wait_q && !came);
        time_q   <= !busy || ends ? '0 : time_q + 1'b1;
        life_q   <= !busy || ends ? '0 : (busy_q ? life_q : 2'd1) + 2'(barked_q || barks ? 0 : 1);
        barked_q <= busy && !ends && (barked_q || barks);
        late_q   <= barks;
        done_q    <= came && wait_q;
        refused_q <= came && wait_q && bits;
        stray_q   <= came && !wait_q;
        if (came && wait_q) told_q <= bits;
        data_time_q <= data_q && !sent ? data_time_q + 1'b1 : '0;
        wait_time_q <= wait_q && !came ? wait_time_q + 1'b1 : '0;
        waits_q <= waits;
        begun_q <= !waits || !waits_q ? '0 : begun_q + TURN_W'(begins);
        if (!aresetn) begin
            chosen_q  <= '0;
            busy_q    <= 1'b0;
            may_q     <= 1'b0;
            words_q   <= '0;
            data_q    <= 1'b0;
            wait_q    <= 1'b0;
            time_q    <= '0;
            life_q    <= '0;
            barked_q  <= 1'b0;
            late_q    <= 1'b0;
            done_q    <= 1'b0;
            refused_q <= 1'b0;
            stray_q   <= 1'b0;
            told_q    <= 1'b0;
            waits_q   <= 1'b0;
            data_time_q <= '0;
            wait_time_q <= '0;
        end
    end

    // The frame goes and the status comes, each within LONG cycles.
    always_comb if (aresetn) begin
        if (data_q && 32'(data_time_q) == LONG) assume (send);
        if (wait_q && 32'(wait_time_q) == LONG) assume (s_axis_tvalid);
    end

    logic [N-1:0] request_q;
    always_ff @(posedge aclk) request_q <= request;

    always_comb if (aresetn) begin
        if (m_axis_tvalid) begin
            word_right: assert (m_axis_tdata[place] == wanted[place]);
            last:       assert (m_axis_tlast == (words_q == 4'd14) && m_axis_tkeep == 4'hF);
            in_a_put:   assert (busy && words_q != 4'd15);
        end
        one: assert ((chosen & (chosen - 1'b1)) == '0 && (grant & ~chosen) == '0);
        if (begins) begin_right: assert (may_q && (chosen & ~request_q) == '0 && !busy_q);
        if (may_q && request_q != '0) begin_once: assert (begins);
        if (chosen != '0) same: assert (chosen[at] && (begins || chosen == chosen_q));
        open: assert ((grant != '0) == data_q);
        stays: assert (!(busy_q && words_q != 4'd15) || chosen != '0);
        if (waits && waits_q) turn: assert (32'(begun_q) + 32'(begins && !chosen[which]) < N);
        told_done:    assert (done == done_q && refused == refused_q && stray == stray_q);
        told_status:  assert (status[0] == told_q && status[31:1] == '0);
        told_late:    assert (late == late_q);
        rests:        assert (idle == !busy);
        rests_stage:  assert (stage == (!busy ? 2'd0 : words_q != 4'd15 ? 2'd1 : data_q ? 2'd2 : 2'd3));
        hang:         assert (32'(time_q) < MOST);
        a_put:    cover (busy_q && ends);
        a_second: cover (begins && told_q);
        barked:   cover (late && watchdog == 2'd3);
    end

endmodule

`default_nettype wire
