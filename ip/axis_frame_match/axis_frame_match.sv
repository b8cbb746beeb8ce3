// SPDX-License-Identifier: BSD-3-Clause
//
// axis_frame_match - where streams meet: brings frames of one number together, whatever has become of the others.
//
// Only the handshakes of the streams go through the block, and one tag stream for each (axis_frame_tag). Frames of all
// inputs with the same number pass together. If an input is beyond that number, or its tags say that it will never
// come, its frame is made up: `zero` is high, and what is behind the block puts zeros in. The tags of the joined
// frames go on, with a taint if a frame was made up or one of them had a taint.
//
// With ANY each frame is at one input only, as replicas have them: frames pass one after the other, by their numbers,
// and nothing is made up. A number that no input has is left out. At the other inputs m_axis_tvalid is low meanwhile.
//
// A number is the epoch of its origin and a count. What is older than the newest epoch seen at any input is discarded:
// the origin was reset, and the other streams may never bring the rest. An input that `mask` takes out is not waited
// for; change the mask in reset.
//
// A word of an input is never held back by another input within a frame; a frame begins when the one before has gone.
// The second tag of a frame does not wait until its last words are taken, only until they are there.
//
// Throughput  one word per cycle, no bubble while numbers follow each other and frames have 3 words or more (ANY: 4)
// Latency     4 cycles from the tags of a frame to its first word; up to 12 * N + 4 cycles where numbers do not follow
// Paths       from s_axis_tvalid to m_axis_tvalid and from m_axis_tready to s_axis_tready of an input; from
//             s_tag_tdata to s_tag_tready
// Resources   about 70 LUT and 93 FF for each input, 285 LUT and 335 FF for all
// Proved      for 2 inputs of 1 and 2 words and the first 90 cycles after a reset only: no word is out of step, held back or left
//             over. That frames of one number meet, that what is made up has a taint, and more inputs are only simulated.
//
// Parameters: N      inputs, 2 to 16
//             WORDS  of a frame, 32 bits for each input, input 0 lowest; each 1 or more
//             ANY    1: each frame is at one input
// Checked by: test_axis_frame_match.py
`default_nettype none

module axis_frame_match #(
    parameter int N = 2,
    parameter logic [N*32-1:0] WORDS = {N{32'd1}},
    parameter bit ANY = 0
) (
    input  wire              aclk,
    input  wire              aresetn,

    input  wire  [N-1:0]     mask,          // inputs that are alive

    input  wire  [N*35-1:0]  s_tag_tdata,
    input  wire  [N-1:0]     s_tag_tvalid,
    output logic [N-1:0]     s_tag_tready,

    input  wire  [N-1:0]     s_axis_tvalid,
    output logic [N-1:0]     s_axis_tready,

    output logic [N-1:0]     m_axis_tvalid,
    input  wire  [N-1:0]     m_axis_tready,
    output logic [N-1:0]     m_axis_tlast,
    output logic [N-1:0]     zero,          // the word is made up

    output logic [34:0]      m_tag_tdata,
    output logic             m_tag_tvalid,
    input  wire              m_tag_tready
);

    localparam int ID_W = $clog2(N);
    localparam logic [1:0] BEGINS = 2'd0, ENDS = 2'd1, MARK = 2'd2, WHOLE = 2'd3;

    function automatic logic none();
        none = 1'b0;
        for (int i = 0; i < N; i++) if (WORDS[i*32 +: 32] == '0) none = 1'b1;
    endfunction

    generate
        if (N < 2 || N > 16) begin : g_check_n
            N_must_be_2_to_16 parameter_error();
        end
        if (none()) begin : g_check_words
            WORDS_must_be_at_least_1_each parameter_error();
        end
    endgenerate

    // ---- tags of each input: the next frame, the end of the one under way, the least number of what follows ----------

    logic [N-1:0]    head_q, end_q, taint_q, bound_q;
    logic [N*32-1:0] number_q, least_q;
    logic [N-1:0]    next_head;              // a decision takes them
    logic [N-1:0]    over;                   // the frame under way ends

    generate
        for (genvar i = 0; i < N; i++) begin : g_tags
            wire [1:0] kind = s_tag_tdata[35*i+32 +: 2];
            wire begins = kind == BEGINS || kind == WHOLE;
            wire ends   = kind == ENDS || kind == WHOLE;
            wire take   = s_tag_tvalid[i] && s_tag_tready[i];
            assign s_tag_tready[i] = !(begins && head_q[i]) && !(ends && end_q[i]);
            always_ff @(posedge aclk) begin
                if (take && begins)    head_q[i] <= 1'b1;
                else if (next_head[i]) head_q[i] <= 1'b0;
                if (take && begins) number_q[32*i +: 32] <= s_tag_tdata[35*i +: 32];
                if (take && ends)  end_q[i] <= 1'b1;
                else if (over[i])  end_q[i] <= 1'b0;
                if (take && ends) taint_q[i] <= s_tag_tdata[35*i+34];
                if (take && kind == MARK) least_q[32*i +: 32] <= s_tag_tdata[35*i +: 32];
                if (take && kind == MARK) bound_q[i] <= 1'b1;
                if (!aresetn) begin
                    head_q[i]  <= 1'b0;
                    end_q[i]   <= 1'b0;
                    bound_q[i] <= 1'b0;
                end
            end
        end
    endgenerate

    // ---- which frame is next: at once if all have the number that follows, else input by input -----------------------

    localparam logic [1:0] EPOCHS = 2'd0, STALE = 2'd1, LOWEST = 2'd2, CHECK = 2'd3;

    logic            next_q, next_drop_q;    // decided; it is discarded
    logic [N-1:0]    next_with_q;            // inputs that have it
    logic [31:0]     next_number_q, follows_q, low_q, bottom_q;
    logic            follows_known_q, epoch_known_q, low_known_q, bottom_known_q;
    logic [7:0]      epoch_q;
    logic [1:0]      look_q;
    logic [ID_W-1:0] at_q;
    logic [N-1:0]    with_q;
    logic            loads;                  // the decision is taken
    logic            told;                   // the tag of kind 2 is

    // A comparison is of the cycle before; it does not count when the number that follows is new.
    logic [N-1:0] same_q;
    logic         settled_q;
    wire          plain;                     // the number that follows is there
    wire [N-1:0]  plain_with;
    wire [31:0]   plain_number;
    generate
        if (ANY) begin : g_any
            // The first frame of an epoch needs no word from the other inputs either.
            logic [N-1:0]    fresh_q;
            logic [31:0]     number;
            wire  [N-1:0]    able = fresh_q != '0 ? fresh_q : same_q;
            wire  [N-1:0]    only = able & (~able + 1'b1);
            always_ff @(posedge aclk)
                for (int i = 0; i < N; i++)
                    fresh_q[i] <= head_q[i] && mask[i] && number_q[32*i +: 24] == '0
                                  && (!epoch_known_q || newer_than(number_q[32*i+24 +: 8], epoch_q));
            always_comb begin
                number = '0;
                for (int i = 0; i < N; i++) if (fresh_q[i] && only[i]) number[31:24] = number[31:24] | number_q[32*i+24 +: 8];
            end
            assign plain        = settled_q && (fresh_q != '0 || (follows_known_q && same_q != '0));
            assign plain_with   = only;
            assign plain_number = fresh_q != '0 ? number : follows_q;
        end else begin : g_all
            assign plain        = settled_q && follows_known_q && (&same_q);
            assign plain_with   = '1;
            assign plain_number = follows_q;
        end
    endgenerate

    function automatic logic newer_than(input logic [7:0] a, input logic [7:0] b);
        logic [7:0] beyond;
        beyond = a - b;
        newer_than = beyond != '0 && !beyond[7];
    endfunction

    // One input is picked in a cycle, compared in the next and judged in the third; then comes the next one.
    logic            picked_q, compared_q, here_head_q, here_bound_q, here_out_q;
    logic [N-1:0]    one_q;
    logic [31:0]     here_number_q, here_least_q, here_q;
    logic            old_q, current_q, ahead_q, behind_q, below_q, foreign_q;
    logic            pick_head, pick_bound, pick_out;
    logic [31:0]     pick_number, pick_least;
    always_comb begin
        pick_head   = 1'b0;
        pick_bound  = 1'b0;
        pick_out    = 1'b0;
        pick_number = '0;
        pick_least  = '0;
        for (int i = 0; i < N; i++)
            if (at_q == ID_W'(i)) begin
                pick_head   = head_q[i] && mask[i];
                pick_bound  = bound_q[i] && mask[i];
                pick_out    = !mask[i];
                pick_number = number_q[32*i +: 32];
                pick_least  = least_q[32*i +: 32];
            end
    end

    wire        here_known = here_head_q || here_bound_q;
    wire [7:0]  newer      = here_q[31:24] - epoch_q;
    wire [23:0] ahead      = here_q[23:0] - low_q[23:0];        // of the lowest number
    wire [23:0] above      = here_least_q[23:0] - bottom_q[23:0];
    wire        here_with  = here_head_q && current_q && !ahead_q && !(ANY && with_q != '0);
    wire        fits       = here_out_q || (current_q && !behind_q && (here_head_q || (here_bound_q && ahead_q)));
    wire        last_at    = at_q == ID_W'(N - 1);
    wire        judged     = compared_q && look_q == CHECK && low_known_q;
    wire        free       = !next_q;
    wire        chooses    = judged && last_at && fits;
    wire        discards   = compared_q && look_q == STALE && epoch_known_q && here_head_q && old_q;
    wire        decides    = free && (plain || chooses || discards);
    wire        unused     = &{1'b0, newer, ahead, above};

    assign next_head = !decides ? '0 : plain ? plain_with : discards ? one_q : with_q | (here_with ? one_q : '0);

    always_ff @(posedge aclk) begin
        for (int i = 0; i < N; i++) same_q[i] <= head_q[i] && mask[i] && number_q[32*i +: 32] == follows_q;
        settled_q <= !decides;

        picked_q   <= !picked_q && !compared_q;
        compared_q <= picked_q;
        if (!picked_q && !compared_q) begin
            one_q         <= N'(1) << at_q;
            here_head_q   <= pick_head;
            here_bound_q  <= pick_bound;
            here_out_q    <= pick_out;
            here_number_q <= pick_number;
            here_least_q  <= pick_least;
            here_q        <= pick_head ? pick_number : pick_least;
        end
        if (picked_q) begin
            old_q     <= newer[7];
            current_q <= here_q[31:24] == epoch_q;
            ahead_q   <= here_q[23:0] != low_q[23:0];
            behind_q  <= ahead[23];
            below_q   <= above[23];
            foreign_q <= here_least_q[31:24] != epoch_q;
        end

        if (compared_q) begin
            at_q <= last_at ? '0 : at_q + 1'b1;
            if (last_at) look_q <= look_q + 1'b1;
            case (look_q)
                EPOCHS: begin
                    if (here_known && (!epoch_known_q || (!old_q && !current_q))) epoch_q <= here_q[31:24];
                    if (here_known) epoch_known_q <= 1'b1;
                    low_known_q    <= 1'b0;
                    bottom_known_q <= mask != '0;
                    with_q         <= '0;
                end
                STALE: begin
                    if (!here_out_q) bottom_q <= here_least_q;
                    if (!here_bound_q && !here_out_q) bottom_known_q <= 1'b0;
                end
                LOWEST: begin
                    if (here_head_q && (!low_known_q || behind_q)) low_q <= here_number_q;
                    if (here_head_q) low_known_q <= 1'b1;
                    if (!here_out_q && (!here_bound_q || foreign_q)) bottom_known_q <= 1'b0;
                    if (below_q && !here_out_q) bottom_q <= here_least_q;
                end
                default: if (here_with) with_q <= with_q | one_q;
            endcase
        end
        // Decided, or not yet: from the beginning.
        if (decides || !free || (judged && !fits)) begin
            look_q     <= EPOCHS;
            at_q       <= '0;
            picked_q   <= 1'b0;
            compared_q <= 1'b0;
        end

        if (loads) next_q <= 1'b0;
        if (decides) begin
            next_q        <= 1'b1;
            next_drop_q   <= !plain && discards;
            next_with_q   <= next_head;
            next_number_q <= plain ? plain_number : low_q;
        end
        if (decides && (plain || !discards)) begin
            follows_q       <= plain ? plain_number : low_q;
            follows_q[23:0] <= (plain ? plain_number[23:0] : low_q[23:0]) + 1'b1;
            follows_known_q <= 1'b1;
        end
        if (ANY && decides && plain) begin
            epoch_q       <= plain_number[31:24];
            epoch_known_q <= 1'b1;
        end

        if (!aresetn) begin
            next_q          <= 1'b0;
            follows_known_q <= 1'b0;
            epoch_known_q   <= 1'b0;
            low_known_q     <= 1'b0;
            bottom_known_q  <= 1'b0;
            look_q          <= EPOCHS;
            at_q            <= '0;
            picked_q        <= 1'b0;
            compared_q      <= 1'b0;
            settled_q       <= 1'b0;
        end
    end

    // ---- the frame under way -----------------------------------------------------------------------------------------

    logic         run_q, drop_q;
    logic [N-1:0] with_run_q, done_q, last, fire;
    logic         begins_q;                  // its first tag is due
    logic         ended_q;                   // its second one is out
    logic [N-1:0] there;                     // the last word is, or has gone
    logic [31:0]  number_run_q, said_q;
    logic         said_known_q;

    wire tag_free = !m_tag_tvalid || m_tag_tready;
    wire ends     = run_q && !drop_q && !begins_q && !ended_q && tag_free && (&there);
    wire [N-1:0] done = done_q | (fire & last);
    wire ends_now = run_q && (&done) && (drop_q || ended_q || ends);

    assign loads = next_q && (!run_q || ends_now);
    assign over  = ends_now ? with_run_q : '0;
    // Nothing is under way or waits, and all inputs have said so.
    assign told  = !run_q && !next_q && tag_free && compared_q && look_q == CHECK && last_at && bottom_known_q && !low_known_q
                   && !(said_known_q && said_q == bottom_q);

    generate
        for (genvar i = 0; i < N; i++) begin : g_run
            localparam int WIDE   = WORDS[i*32 +: 32] == '0 ? 1 : $clog2(WORDS[i*32 +: 32] + 1);
            localparam logic [WIDE-1:0] LEFT = WIDE'(WORDS[i*32 +: 32] - 32'd1);
            logic [WIDE-1:0] left_q;
            logic            last_q;
            wire with_it = with_run_q[i];
            wire go      = run_q && !done_q[i] && (!last[i] || !with_it || end_q[i]);
            assign there[i] = done_q[i] || (last[i] && (!with_it || (end_q[i] && s_axis_tvalid[i])));
            assign last[i]          = last_q;
            assign m_axis_tlast[i]  = last[i];
            assign zero[i]          = !with_it;
            assign m_axis_tvalid[i] = go && !drop_q && (s_axis_tvalid[i] || !with_it);
            assign s_axis_tready[i] = go && with_it && (m_axis_tready[i] || drop_q);
            assign fire[i]          = drop_q ? s_axis_tvalid[i] && s_axis_tready[i] : m_axis_tvalid[i] && m_axis_tready[i];
            always_ff @(posedge aclk) begin
                if (fire[i]) left_q <= last[i] ? LEFT : left_q - 1'b1;
                if (fire[i]) last_q <= last[i] ? LEFT == '0 : left_q == WIDE'(1);
                if (!aresetn) left_q <= LEFT;
                if (!aresetn) last_q <= LEFT == '0;
            end
        end
    endgenerate

    always_ff @(posedge aclk) begin
        if (ends_now)  run_q <= 1'b0;
        if (loads) begin
            run_q        <= 1'b1;
            drop_q       <= next_drop_q;
            with_run_q   <= next_with_q;
            number_run_q <= next_number_q;
        end
        done_q <= loads ? (next_drop_q || ANY ? ~next_with_q : '0) : done;

        if (tag_free) begin
            m_tag_tvalid       <= begins_q || ends || told;
            m_tag_tdata[31:0]  <= begins_q || ends ? number_run_q : bottom_q;
            m_tag_tdata[33:32] <= begins_q ? BEGINS : ends ? ENDS : MARK;
            m_tag_tdata[34]    <= !begins_q && ends && ((!ANY && with_run_q != '1) || (taint_q & with_run_q) != '0);
        end
        begins_q <= loads ? !next_drop_q : begins_q && !tag_free;
        ended_q  <= !loads && (ended_q || ends);
        if (told) said_q <= bottom_q;
        said_known_q <= said_known_q || told;

        if (!aresetn) begin
            run_q        <= 1'b0;
            done_q       <= '0;
            begins_q     <= 1'b0;
            m_tag_tvalid <= 1'b0;
            said_known_q <= 1'b0;
        end
    end

endmodule

`default_nettype wire
