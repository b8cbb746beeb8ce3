// SPDX-License-Identifier: BSD-3-Clause
//
// formal_accl_number - the proof of accl_number for numbers as axis_frame_label gives them, at puts that are taken at once or late.
//
//   shape     a put is BEATS + 2 beats, TLAST on the last; its first beat is the number, and says whether a frame comes
//   own       a frame is in a put with its number and its taint, its beats in their order, each taken as it leaves
//   void      without a frame there are zeros, no beat is taken, and the number is another one than follows from the last put
//   done      frame_done follows the last beat of a frame's put, and of no other
//   progress  a beat that waits is taken (PROGRESS)
//
// The assertions `is_...` tie the flops of the block to those of the harness, so that a step of induction is enough.
`default_nettype none

module formal_accl_number #(
    parameter int BEATS  = 2,
    parameter int DATA_W = 34,
    parameter int STALL  = 1,
    parameter bit PROGRESS = 0
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [31:0]       number,
    input wire              number_known,
    input wire              taint,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int PLACE_W = $clog2(BEATS + 2);

    wire              s_axis_tready, m_axis_tlast, m_axis_tvalid, frame_done;
    wire [DATA_W-1:0] m_axis_tdata;
    logic             put_done_q;

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_tvalid && m_axis_tready;

    accl_number #(.BEATS(BEATS), .DATA_W(DATA_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .number(number), .number_known(number_known), .taint(taint),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .out_fire(m_fire), .out_void(m_axis_tdata[32]), .out_last(m_axis_tlast), .put_done(put_done_q), .frame_done(frame_done)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    // The first beat of a put takes a cycle, one without a frame may come before it, and each beat may be stalled.
    formal_source #(.DATA_W(DATA_W), .POLITE(1), .WITHIN(PROGRESS ? (STALL + 1) * (BEATS + 5) + 3 : -1), .QUIET(1)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(s_axis_tdata), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    formal_sink #(.DATA_W(DATA_W + 1), .STALL(STALL)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0),
        .tdata({m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    logic [PLACE_W-1:0] out_q;         // place in the put
    logic [PLACE_W-1:0] in_q;          // in the frame
    logic               void_q, taint_q, done_q, told_known_q, held_q, known_before_q;
    logic [31:0]        told_q, number_before_q, head_q;

    wire first   = out_q == '0;
    wire last    = out_q == PLACE_W'(BEATS + 1);
    wire in_last = in_q == PLACE_W'(BEATS - 1);

    always_ff @(posedge aclk) begin
        if (m_fire) out_q <= last ? '0 : out_q + 1'b1;
        if (m_fire && first) void_q <= m_axis_tdata[32];
        if (m_fire && first) head_q <= m_axis_tdata[31:0];
        if (s_fire) in_q <= in_last ? '0 : in_q + 1'b1;
        if (s_fire && in_last) taint_q <= taint;
        if (m_fire && last) told_q <= {head_q[31:24], void_q ? head_q[23:0] : head_q[23:0] + 1'b1};
        if (m_fire && last) told_known_q <= 1'b1;
        put_done_q <= m_fire && last;
        done_q     <= m_fire && last && !void_q;
        // The number stays from a frame's first beat to its last, and so do number_known and a taint that waits.
        held_q          <= aresetn && (s_axis_tvalid ? !(s_fire && in_last) : in_q != '0);
        number_before_q <= number;
        known_before_q  <= aresetn && number_known;
        if (!aresetn) begin
            out_q        <= '0;
            in_q         <= '0;
            put_done_q   <= 1'b0;
            done_q       <= 1'b0;
            told_known_q <= 1'b0;
        end
    end
    always_comb begin
        if (aresetn && held_q) assume (number == number_before_q);
        if (known_before_q) assume (number_known || !aresetn);
        if (s_axis_tvalid) assume (number_known);
    end

    // ---- flops of the block, by `connect`
    wire        dut_head, dut_data, dut_tail, dut_void, dut_taint, dut_last, dut_known, dut_first, dut_gone;
    wire [31:0] dut_number, dut_told;
    localparam int COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    wire [COUNT_W-1:0] dut_count;
    always_comb if (aresetn) begin
        is_one:    assert (32'(dut_head) + 32'(dut_data) + 32'(dut_tail) <= 1);
        is_place:  assert (dut_data ? !first && !last && 32'(out_q) == 32'(dut_count) + 1 : dut_tail ? last : first);
        is_count:  assert (dut_last == (32'(dut_count) == BEATS - 1) && (dut_data || dut_count == '0));
        is_void:   assert (first || (dut_void == void_q && dut_number == head_q));
        is_told:   assert (dut_known == told_known_q && (!told_known_q || dut_told == told_q));
        is_taint:  assert (!dut_tail || dut_taint == (taint_q && !void_q));
        is_in:     assert (in_q == '0 || (dut_data && !dut_void && 32'(in_q) == 32'(dut_count)));
        is_beat:   assert (!dut_data || dut_void || 32'(in_q) == 32'(dut_count));
        is_frame:  assert (!(dut_head && !dut_void) || (held_q && dut_number == number_before_q && in_q == '0));
        is_number: assert (!(dut_data && !dut_void) || (held_q && dut_number == number_before_q));
        is_new:    assert (!(dut_head && dut_void) || (dut_number[23:0] != '0 && !(told_known_q && dut_number == told_q)));
        is_gate:   assert (dut_first == first && (first || dut_gone == void_q) && (!put_done_q || done_q == !dut_gone));
        is_done:   assert (put_done_q || !done_q);
    end

    always_comb if (aresetn) begin
        if (m_axis_tvalid) begin
            shape: assert (m_axis_tlast == last);
            if (first) head: assert (m_axis_tdata[33] && m_axis_tdata >> 34 == '0);
            if (first && !m_axis_tdata[32]) own_number: assert (s_axis_tvalid && in_q == '0 && m_axis_tdata[31:0] == number);
            if (first && m_axis_tdata[32])
                void_new: assert (m_axis_tdata[23:0] != '0 && !(told_known_q && m_axis_tdata[31:0] == told_q));
            if (last) end_beat: assert (m_axis_tdata == DATA_W'(void_q || !taint_q));
            if (!first && !last && void_q) void_zeros: assert (m_axis_tdata == '0);
            if (!first && !last && !void_q) own_beats: assert (s_axis_tvalid && m_axis_tdata == s_axis_tdata);
        end
        if (s_fire) taken: assert (m_fire && !first && !last && !void_q && out_q == in_q + 1'b1);
        if (m_fire && !first && !last && !void_q) leaves: assert (s_fire);
        if (in_q != '0) whole: assert (out_q == in_q + 1'b1 && !void_q);
        done: assert (frame_done == done_q);
        cover_frame: cover (m_fire && last && !void_q && taint_q);
        cover_void:  cover (m_fire && last && void_q && told_known_q);
    end

endmodule

`default_nettype wire
