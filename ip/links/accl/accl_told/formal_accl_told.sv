// SPDX-License-Identifier: BSD-3-Clause
//
// formal_accl_told - the proof of accl_told, its link reset at any time, behind what accl_frames does, without its register.
//
// Of a put of which a beat was taken in a reset nothing is forwarded any more. Puts are of any content, but that numbers rise.
//
//   own       a frame has the number of its put, its beats leave in order, with the taint of its last beat
//   whole     frames leave whole, and nothing of puts without one
//   least     no frame leaves below mark
//   says      when nothing is under way mark is what the last put has said, whether it was discarded or not
//   progress  a beat that waits is taken (PROGRESS)
//
// The assertions `is_...` tie the flops of the block to those of the harness, so that a step of induction is enough.
`default_nettype none

module formal_accl_told #(
    parameter int BEATS  = 2,
    parameter int DATA_W = 34,
    parameter int STALL  = 1,
    parameter bit PROGRESS = 0
) (
    input wire              aclk,
    input wire              aresetn,
    input wire              link_aresetn,
    input wire [DATA_W-1:0] in_tdata,
    input wire              in_tvalid,
    input wire              m_axis_tready
);

    localparam int PLACE_W = $clog2(BEATS + 2);
    localparam int COUNT_W = $clog2(BEATS + 2);

    wire              s_axis_tready, m_axis_tvalid, frame_done, taint, mark_known;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [31:0]       number, mark;

    // ---- accl_frames: a put that a reset has met is discarded
    logic               cut_q;
    logic [PLACE_W-1:0] place_q;          // of the next beat, in its put
    wire first = place_q == '0;
    wire last  = place_q == PLACE_W'(BEATS + 1);
    wire skip  = cut_q || !link_aresetn;
    wire in_tready = skip || s_axis_tready;
    wire in_fire   = aresetn && in_tvalid && in_tready;
    wire take      = in_fire && !skip;

    accl_told #(.BEATS(BEATS), .DATA_W(DATA_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn), .in_head(in_tdata[33:0]), .in_fire(in_fire),
        .s_axis_tdata(in_tdata), .s_axis_tvalid(in_tvalid && !skip), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .frame_done(frame_done), .number(number), .taint(taint), .mark(mark), .mark_known(mark_known)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    always_comb if (!aresetn) assume (!link_aresetn);
    formal_source #(.DATA_W(DATA_W), .POLITE(1), .WITHIN(PROGRESS ? STALL + 2 : -1), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(in_tdata), .tvalid(in_tvalid), .tready(in_tready)
    );
    // number stays from a frame's first beat on; taint is only looked at with the last.
    formal_sink #(.DATA_W(DATA_W + 32), .STALL(STALL), .QUIET(0)) u_sink (
        .aclk(aclk), .aresetn(link_aresetn), .pending(1'b0), .tdata({number, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    // ---- what is owed
    logic               good_q, void_q;   // of the put under way
    logic [31:0]        head_q;
    logic               held_q, held_last_q, told_q, taint_q;  // a beat is inside, the last of its frame; its put has ended
    logic [DATA_W-1:0]  data_q;
    logic [31:0]        number_q;         // of the frame inside
    logic [PLACE_W-1:0] out_q;
    logic [31:0]        next_q, before_q;
    logic               next_known_q, before_known_q, rest_q, done_q;

    wire m_fire = m_axis_tvalid && m_axis_tready;
    wire frame  = good_q && !void_q;
    wire body   = take && !first && !last && frame;

    // Numbers rise, and do not wrap.
    always_comb if (in_fire && first && in_tdata[33]) assume ((!next_known_q || in_tdata[31:0] >= next_q) && in_tdata[23:0] != '1);

    always_ff @(posedge aclk) begin
        if (in_fire) place_q <= last ? '0 : place_q + 1'b1;
        if (in_fire && last) cut_q <= 1'b0;
        else if (!link_aresetn) cut_q <= !first || in_fire;
        if (in_fire && first) {good_q, void_q, head_q} <= in_tdata[33:0];
        if (in_fire && last && good_q) next_q <= {head_q[31:24], void_q ? head_q[23:0] : head_q[23:0] + 1'b1};
        if (in_fire && last && good_q) next_known_q <= 1'b1;

        if (m_fire) held_q <= 1'b0;
        if (body) begin
            held_q      <= 1'b1;
            held_last_q <= place_q == PLACE_W'(BEATS);
            data_q      <= in_tdata;
            number_q    <= head_q;
        end
        if (m_fire) out_q <= out_q == PLACE_W'(BEATS - 1) ? '0 : out_q + 1'b1;
        if (take && last && frame) told_q <= 1'b1;
        else if (m_fire && held_last_q) told_q <= 1'b0;
        if (take && last && frame) taint_q <= !in_tdata[0];
        done_q <= m_fire && held_last_q && link_aresetn;

        rest_q         <= first && !held_q && !(in_tvalid && !skip) && link_aresetn;
        before_q       <= next_q;
        before_known_q <= next_known_q;
        if (!link_aresetn) begin
            held_q <= 1'b0;
            told_q <= 1'b0;
            out_q  <= '0;
        end
        if (!aresetn) begin
            place_q      <= '0;
            cut_q        <= 1'b0;
            next_known_q <= 1'b0;
            good_q       <= 1'b0;
            rest_q       <= 1'b0;
        end
    end

    // ---- flops of the block, by `connect`
    wire [COUNT_W-1:0] dut_in, dut_count;
    wire [31:0]        dut_in_number, dut_next;
    wire               dut_good, dut_void, dut_next_known, dut_head, dut_tail, dut_skip, dut_full, dut_last, dut_end;
    logic              linked_q;          // it was up in the cycle before
    always_ff @(posedge aclk) linked_q <= link_aresetn;
    always_comb if (aresetn) begin
        is_in:    assert (dut_in == place_q && 32'(place_q) <= BEATS + 1);
        is_heads: assert (first || (dut_good == good_q && dut_void == void_q && dut_in_number == head_q));
        is_next:  assert (dut_next_known == next_known_q && (!next_known_q || dut_next == next_q));
        is_rise:  assert (first || !good_q || ((!next_known_q || head_q >= next_q) && head_q[23:0] != '1));
        is_count: assert (!linked_q || dut_count == (cut_q ? '0 : place_q));
        is_state: assert (!linked_q || (dut_head == (dut_count == '0) && dut_tail == (32'(dut_count) == BEATS + 1)));
        is_start: assert (linked_q || (dut_count == '0 && dut_head && !dut_tail && !dut_full && !dut_end));
        is_skip:  assert (cut_q || !linked_q || first || dut_skip == !frame);
        is_held:  assert (!linked_q || (dut_full == held_q && dut_end == told_q && (!held_q || (dut_last == held_last_q && number == number_q && m_axis_tdata == data_q))));
        is_told:  assert (!told_q || (held_q && held_last_q && taint == taint_q));
        is_ours:  assert (!held_q || !held_last_q || told_q || (!cut_q && last && frame && head_q == number_q) || !linked_q);
        is_out:   assert (!linked_q || (held_q ? (held_last_q ? 32'(out_q) == BEATS - 1
                          : frame && !cut_q && head_q == number_q && 32'(out_q) + 2 == 32'(place_q))
                          : cut_q || first || !frame ? out_q == '0 : 32'(out_q) + 1 == 32'(place_q)));
        is_open:  assert (!linked_q || cut_q || first || !frame || number == head_q);
        is_cut:   assert (cut_q ? !first : linked_q || first);
        is_mark:  assert (!mark_known || (next_known_q && mark <= next_q && (!held_q || mark <= number_q)));
        is_up:    assert (linked_q || !held_q);
        is_last:  assert (!linked_q || cut_q || !last || !frame || (held_q && held_last_q && !told_q));
        is_waits: assert (!held_q || (!cut_q && (!told_q || first)));
    end

    always_comb if (aresetn) begin
        if (m_axis_tvalid && link_aresetn && linked_q) begin
            own:   assert (held_q && m_axis_tdata == data_q && number == number_q && (!held_last_q || (told_q && taint == taint_q)));
            whole: assert (held_last_q == (32'(out_q) == BEATS - 1));
            least: assert (!mark_known || number >= mark);
        end
        if (held_q && linked_q && (!held_last_q || told_q)) leaves: assert (m_axis_tvalid);
        if (rest_q) says: assert (mark_known == before_known_q && (!mark_known || mark == before_q));
        done: assert (frame_done == done_q);
        comes: cover (m_fire && held_last_q && taint_q && mark_known);
        gone:  cover (in_fire && last && cut_q && frame && mark_known);
    end

endmodule

`default_nettype wire
