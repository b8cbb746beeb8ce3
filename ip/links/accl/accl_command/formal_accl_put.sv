// SPDX-License-Identifier: BSD-3-Clause
//
// formal_accl_put - the proof of accl_command with its gates and, for several ends, the arbiter behind them.
//
// The engine takes words and beats when it likes, with pauses of at most STALL cycles, and has no room for a beat that no
// command is for. It answers when it likes, even before the data, but within LONG cycles of them. Drain and a reset of the
// link strike at any time. End k has frames of BEATS + k beats. Bit 0 of the data marks the first beat of a frame as it
// comes, bit 1 marks all beats that come, the others say whose they are. GAP limits how long a partition may pause inside a
// frame that it sends directly. With BUFFER there is a store of whole frames before each gate, and it may pause without limit.
//
//   waits      no word of a command goes out unless the first beat of its frame waits, or a strike has taken that away
//   orphan     no beat comes to the engine without a command, after its last word, nor beats of another end
//   frame      after each command come exactly its beats, TLAST on the last, before the next command begins
//   aligned    the first of them is the first beat of a frame, and zeros come only after a strike
//   hang       every put ends in time, whatever the partition does behind a store
//   drained    drained and idle tell that nothing is under way
`default_nettype none

module formal_accl_put #(
    parameter int N     = 1,
    parameter int BEATS = 1,
    parameter int STALL = 1,
    parameter int LONG  = 2,
    parameter int GAP   = 0,
    parameter bit BUFFER = 0
) (
    input wire         aclk,
    input wire         aresetn,
    input wire         link_aresetn,
    input wire         drain,
    input wire         enable,
    input wire [N-1:0] s_axis_tvalid,
    input wire         m_axis_tready,
    input wire         command_ready,
    input wire         status_valid
);

    localparam int ID_W   = N > 1 ? $clog2(N) : 1;
    localparam int DATA_W = BUFFER ? 8 : 2 + ID_W;
    localparam int BEAT_W = $clog2(BEATS + N + 1);
    localparam int MOST   = 2 + 15 * (STALL + 1) + (BEATS + N) * (STALL + GAP + 1) + 6 + LONG + 2;
    localparam int TIME_W = $clog2(MOST + 2);
    localparam int DEPTH  = 4;

    wire                idle, c_last, c_valid, status_ready;
    wire [N-1:0]        request, chosen, grant, drained, g_last, g_valid, g_ready, fire;
    wire [N*DATA_W-1:0] g_data;
    wire [32*N-1:0]     count;
    wire [16*N-1:0]     rank;
    wire [8*N-1:0]      stream;
    wire [31:0]         c_data;
    wire [3:0]          which;
    wire [DATA_W-1:0]   m_data;
    wire                m_last, m_valid;
    wire [N-1:0]        wait_valid, wait_first;  // at the gates
    wire                beat = m_valid && m_axis_tready;
    wire                dead = drain || !link_aresetn;

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    always_comb if (!aresetn) assume (!link_aresetn);

    // A drain ends in a reset (shell_reset), which empties the stores.
    logic drain_q;
    always_ff @(posedge aclk) drain_q <= drain;
    always_comb if (BUFFER && drain_q && !drain) assume (!link_aresetn);

    generate
        for (genvar k = 0; k < N; k++) begin : g_end
            logic [BEAT_W-1:0] in_q;     // beats of the frame that have come
            logic              offer_q;
            logic [$clog2(GAP+2)-1:0] gap_q;

            wire [DATA_W-1:0] s_data = DATA_W'({ID_W'(k), 1'b1, in_q == '0});
            wire [DATA_W-1:0] f_data;
            wire              s_ready, f_ready;
            assign fire[k]       = s_axis_tvalid[k] && s_ready;
            assign wait_first[k] = f_data[0];
            assign count[32*k +: 32] = 32'(16 * (BEATS + k));
            assign rank[16*k +: 16]  = 16'(k);
            assign stream[8*k +: 8]  = 8'(k);

            if (BUFFER) begin : g_store
                axis_frame_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .OUT_REG(1), .ON_FULL(0)) u_store (
                    .aclk(aclk), .aresetn(link_aresetn),
                    .s_axis_tdata(s_data), .s_axis_tkeep(1'b1), .s_axis_tlast(in_q == BEAT_W'(BEATS + k - 1)),
                    .s_axis_tuser(1'b0), .s_axis_tvalid(s_axis_tvalid[k]), .s_axis_tready(s_ready),
                    .m_axis_tdata(f_data), .m_axis_tkeep(), .m_axis_tlast(), .m_axis_tuser(),
                    .m_axis_tvalid(wait_valid[k]), .m_axis_tready(f_ready),
                    .good_frame(), .bad_frame(), .overflow(), .level(), .level_whole()
                );
            end else begin : g_direct
                assign f_data        = s_data;
                assign wait_valid[k] = s_axis_tvalid[k];
                assign s_ready       = f_ready;
            end
            accl_gate #(.DATA_W(DATA_W), .BEATS(BEATS + k)) u_gate (
                .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn), .drain(drain), .drained(drained[k]),
                .request(request[k]), .chosen(chosen[k]), .grant(grant[k]),
                .s_axis_tdata(f_data), .s_axis_tvalid(wait_valid[k]), .s_axis_tready(f_ready),
                .m_axis_tdata(g_data[k*DATA_W +: DATA_W]), .m_axis_tlast(g_last[k]), .m_axis_tvalid(g_valid[k]),
                .m_axis_tready(g_ready[k]), .frame_done()
            );

            always_ff @(posedge aclk) begin
                if (fire[k]) in_q <= in_q == BEAT_W'(BEATS + k - 1) ? '0 : in_q + 1'b1;
                offer_q <= s_axis_tvalid[k] && !fire[k];
                gap_q   <= s_axis_tvalid[k] || in_q == '0 ? '0 : gap_q + 1'b1;
                // The partition restarts.
                if (BUFFER ? !link_aresetn : dead) begin
                    in_q    <= '0;
                    offer_q <= 1'b0;
                    gap_q   <= '0;
                end
            end
            always_comb if (aresetn && !(BUFFER ? !link_aresetn : dead)) begin
                if (offer_q) assume (s_axis_tvalid[k]);
                if (!BUFFER && in_q != '0 && 32'(gap_q) == GAP) assume (s_axis_tvalid[k]);
            end
        end
        if (N == 1) begin : g_one
            assign m_data  = g_data;
            assign m_last  = g_last;
            assign m_valid = g_valid;
            assign g_ready = m_axis_tready;
        end else begin : g_several
            wire [ID_W-1:0] way_unused;
            axis_arbiter #(.N(N), .DATA_W(DATA_W)) u_arbiter (
                .aclk(aclk), .aresetn(aresetn),
                .s_axis_tdata(g_data), .s_axis_tlast(g_last), .s_axis_tvalid(g_valid), .s_axis_tready(g_ready),
                .m_axis_tdata(m_data), .m_axis_tid(way_unused), .m_axis_tlast(m_last), .m_axis_tvalid(m_valid),
                .m_axis_tready(m_axis_tready)
            );
        end
    endgenerate

    accl_command #(.N(N)) u_command (
        .aclk(aclk), .aresetn(aresetn), .enable(enable), .hold(dead), .idle(idle),
        .communicator(32'd0), .arithmetic(32'd0), .watchdog(32'd0), .count(count), .rank(rank), .stream(stream),
        .request(request), .chosen(chosen), .grant(grant), .sent(beat && m_last),
        .m_axis_tdata(c_data), .m_axis_tkeep(), .m_axis_tlast(c_last), .m_axis_tvalid(c_valid),
        .m_axis_tready(command_ready),
        .s_axis_tdata(32'd0), .s_axis_tvalid(status_valid), .s_axis_tready(status_ready),
        .stage(), .which(which), .done(), .late(), .stray(), .refused(), .status()
    );

    formal_sink #(.DATA_W(2), .STALL(STALL)) u_command_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata({c_last, c_data[0]}), .tvalid(c_valid), .tready(command_ready)
    );
    formal_sink #(.DATA_W(DATA_W + 1), .STALL(STALL)) u_data_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata({m_last, m_data}), .tvalid(m_valid), .tready(m_axis_tready)
    );

    // ---- the engine, from its pins alone
    logic [3:0]        words_q;
    logic [7:0]        stream_q;
    logic [BEAT_W-1:0] beats_q, left_q;   // of the command under way, and what has not come
    logic              answer_q;          // it has not been answered
    logic              struck_q;
    logic [TIME_W-1:0] time_q, due_q;

    wire word   = c_valid && command_ready;
    wire over   = word && words_q == 4'd14;
    wire answer = status_valid && status_ready;
    wire zero   = m_data == '0;

    always_ff @(posedge aclk) begin
        if (word) words_q <= over ? '0 : words_q + 4'd1;
        if (word && words_q == 4'd1) beats_q  <= BEAT_W'(c_data >> 4);
        if (word && words_q == 4'd5) stream_q <= c_data[7:0];
        if (over)      left_q <= beats_q;
        else if (beat) left_q <= left_q - 1'b1;
        answer_q <= over || (answer_q && !answer);
        struck_q <= !idle && (struck_q || dead);
        time_q   <= idle ? '0 : time_q + 1'b1;
        due_q    <= left_q == '0 && answer_q ? due_q + 1'b1 : '0;
        if (!aresetn) begin
            words_q  <= '0;
            left_q   <= '0;
            answer_q <= 1'b0;
            struck_q <= 1'b0;
            time_q   <= '0;
            due_q    <= '0;
        end
    end
    always_comb if (aresetn && answer_q && left_q == '0 && 32'(due_q) == LONG) assume (status_valid);

    always_comb if (aresetn) begin
        if (c_valid && !struck_q && !dead) begin
            waits: assert (wait_valid[which] && wait_first[which]);
        end
        if (c_valid) frame_over: assert (left_q == '0 && !m_valid && !answer_q);
        if (m_valid) begin
            orphan:  assert (words_q == '0 && left_q != '0);
            frame:   assert (m_last == (left_q == BEAT_W'(1)));
            aligned: assert (!m_data[1] || m_data[0] == (left_q == beats_q));
            own:     assert (m_data[1] ? 8'(m_data[DATA_W-1:2]) == stream_q : zero && struck_q);
        end
        if (idle) ended: assert (left_q == '0 && !answer_q && words_q == '0 && !m_valid && !c_valid);
        if (idle && drain) is_drained: assert (&drained);
        hang: assert (32'(time_q) < MOST);
        second: cover (beat && m_last && stream_q == 8'(N - 1) && !struck_q);
        filled: cover (beat && m_last && zero && !dead);
        early:  cover (answer && answer_q && left_q != '0);
    end

endmodule

`default_nettype wire
