// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_unpack - the proof of vnx_unpack: what leaves is what the packets carried, in the order of their numbers, once.
//
// Packets of any length come, at any time, to any slot that keeps none; any of those that may be stored is, at any
// time; and a frame may end at any time, after which nothing is kept of the packets before. What is in a slot is remembered here. The expected stream, in half beats: a packet that is
// taken enters then, behind the zeros that fill the frame before it if that was cut. formal_track then compares all that leaves.
`default_nettype none

module formal_vnx_unpack #(
    parameter int DATA_W       = 2,
    parameter int PACKET_BEATS = 2,
    parameter int SLOTS        = 4,
    parameter int FRAME_HALVES = 1,
    parameter int LAST_BITS    = DATA_W / 2,
    parameter int STALL        = 1
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tlast,
    input wire              s_axis_tvalid,
    input wire              write,
    input wire [$clog2(SLOTS)-1:0] place,
    input wire              store,
    input wire              store_sof,
    input wire              store_eof,
    input wire              renew,
    input wire              m_axis_tready
);

    localparam int HALF_W    = DATA_W / 2;
    localparam int FULL      = 2 * PACKET_BEATS - 1;
    localparam int PACKETS   = (FRAME_HALVES + FULL - 1) / FULL;
    localparam int LAST      = FRAME_HALVES - (PACKETS - 1) * FULL;
    localparam int IN_U      = FRAME_HALVES - 1 + FULL;
    localparam int CAPACITY  = SLOTS * FULL + 5 + FRAME_HALVES;
    localparam int SLOT_W    = $clog2(SLOTS);
    localparam int PACKET_W  = PACKET_BEATS * DATA_W;
    localparam int HELD_W    = $clog2(CAPACITY + IN_U + 1);
    localparam int LEFT_W    = $clog2(FRAME_HALVES + 1);
    localparam int COUNT_W   = $clog2(PACKET_BEATS + 2);

    wire                       full_here, last_here, advance, took, took_eof, took_number, misplaced, settled, middle, empty, freed, cut, m_axis_tvalid, frame_done;
    wire [SLOTS-1:0]           have;
    logic [SLOT_W-1:0]         slot;
    wire [$clog2(SLOTS+1)-1:0] used;
    wire [DATA_W-1:0]          m_axis_tdata;
    wire [HELD_W-1:0]          held;

    vnx_unpack #(
        .DATA_W(DATA_W), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .FRAME_HALVES(FRAME_HALVES), .LAST_BITS(LAST_BITS),
        .NUMBER_W(1)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .write(writes), .slot(slot), .store(store), .store_sof(store_sof), .store_eof(store_eof), .store_number(1'b0), .renew(renew),
        .have(have), .full_here(full_here), .last_here(last_here), .advance(advance), .took(took), .took_eof(took_eof),
        .took_number(took_number), .misplaced(misplaced), .settled(settled), .middle(middle),
        .used(used), .empty(empty), .freed(freed), .cut(cut),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axis_tuser(), .m_axis_taint(), .idle(), .frame_done(frame_done)
    );

    // ---- what comes: to a slot that keeps no packet when it begins, all of it or nothing

    logic [SLOT_W-1:0] slot_q, next_q;
    logic              begins_q, writes_q, writes, renew_q;
    logic [SLOTS-1:0]  stored_q;
    logic [SLOTS*PACKET_W-1:0] slots_q;
    wire  [SLOT_W-1:0] from   = place - (next_q - SLOT_W'(used));
    wire               vacant = !have[place] && ($clog2(SLOTS+1))'(from) >= used;
    always_comb begin
        slot   = begins_q ? place : slot_q;
        writes = begins_q ? write && vacant : writes_q;
    end

    // ---- the packet so far, and where in its frame the next one is
    logic [PACKET_BEATS*DATA_W-1:0] packet_q, packet;
    logic [COUNT_W-1:0]             beat_q;  // stops behind the longest packet
    logic [LEFT_W-1:0]              left_q;  // half beats of the frame that have not come, of a new one if all have
    logic [LEFT_W-1:0]              left;
    wire  sof  = left == LEFT_W'(FRAME_HALVES);
    wire  eof  = left <= LEFT_W'(FULL);
    wire  [LEFT_W-1:0] size = eof ? left : LEFT_W'(FULL);

    always_comb begin
        packet = packet_q;
        for (int k = 0; k < PACKET_BEATS; k++)
            if (beat_q == COUNT_W'(k)) packet[k*DATA_W +: DATA_W] = s_axis_tdata;
        left = renew ? LEFT_W'(FRAME_HALVES) : left_q;
    end

    always_comb begin
        assume (!renew || (empty && s_axis_tvalid && s_axis_tlast));
        assume (!store || (s_axis_tvalid && s_axis_tlast && writes && (store_eof ? last_here : full_here)));
    end

    // What is taken: the packet of the slot that is next.
    wire [PACKET_W-1:0] taken = slots_q[next_q*PACKET_W +: PACKET_W];

    // ---- what enters: zeros, then the halves of the packet but its header
    wire [LEFT_W-1:0]       zeros = renew && left_q != LEFT_W'(FRAME_HALVES) ? left_q : '0;
    logic [IN_U*HALF_W-1:0] enter;
    logic [$clog2(IN_U+1)-1:0] units;
    always_comb begin
        enter = '0;
        for (int z = 0; z < FRAME_HALVES; z++)
            for (int k = 0; k < FULL; k++)
                if (zeros == LEFT_W'(z)) begin
                    enter[(z+k)*HALF_W +: HALF_W] = taken[(k+1)*HALF_W +: HALF_W];
                    if (eof && LEFT_W'(k + 1) == size)
                        enter[(z+k)*HALF_W +: HALF_W] = taken[(k+1)*HALF_W +: HALF_W] & ({HALF_W{1'b1}} >> (HALF_W - LAST_BITS));
                end
        units = ($clog2(IN_U+1))'(zeros) + (advance ? ($clog2(IN_U+1))'(size) : '0);
    end

    // ---- what leaves
    logic [LEFT_W-1:0] out_q;   // half beats of the frame that have left
    logic              done_q, cut_q;
    logic              was_cut_q;  // since the last packet was taken
    wire  m_fire   = m_axis_tvalid && m_axis_tready;
    wire  out_last = 32'(out_q) + 2 >= FRAME_HALVES;
    wire  [1:0] m_units = 32'(out_q) + 1 == FRAME_HALVES ? 2'd1 : 2'd2;

    always_ff @(posedge aclk) begin
        packet_q <= packet;
        if (s_axis_tvalid) beat_q <= s_axis_tlast ? '0 : beat_q == COUNT_W'(PACKET_BEATS) ? beat_q : beat_q + 1'b1;
        if (s_axis_tvalid) begin
            begins_q <= s_axis_tlast;
            slot_q   <= slot;
            writes_q <= writes;
        end
        renew_q  <= renew;
        stored_q <= SLOTS'(store) << slot;
        if (store) slots_q[slot*PACKET_W +: PACKET_W] <= packet;
        if (renew)        next_q <= '0;
        else if (advance) next_q <= next_q + 1'b1;
        if (advance)    left_q <= eof ? LEFT_W'(FRAME_HALVES) : left - size;
        else if (renew) left_q <= LEFT_W'(FRAME_HALVES);
        if (m_fire) out_q <= out_last ? '0 : out_q + LEFT_W'(2);
        done_q <= m_fire && out_last;
        cut_q  <= zeros != '0;
        was_cut_q <= !advance && (cut || was_cut_q);
        if (!aresetn) begin
            begins_q <= 1'b1;
            renew_q  <= 1'b0;
            next_q   <= '0;
            beat_q <= '0;
            left_q <= LEFT_W'(FRAME_HALVES);
            out_q  <= '0;
            done_q <= 1'b0;
            cut_q  <= 1'b0;
            was_cut_q <= 1'b0;
        end
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_sink #(.DATA_W(DATA_W), .STALL(STALL), .WITHIN(STALL + 4)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held >= HELD_W'(m_units)),
        .tdata(m_axis_tdata), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );
    formal_track #(.UNIT(HALF_W), .IN_U(IN_U), .OUT_U(2), .CAPACITY(CAPACITY)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data(enter), .in_units(units), .in_fire(advance || zeros != '0),
        .out_data(m_axis_tdata), .out_units(m_units), .out_valid(m_axis_tvalid), .out_fire(m_fire), .held(held)
    );

    always_comb if (aresetn) begin
        marks:  assert (middle == (left_q != LEFT_W'(FRAME_HALVES)));
        places: assert (full_here == (beat_q == COUNT_W'(PACKET_BEATS - 1))
                        && last_here == (32'(beat_q) == LAST / 2));
        slots:  assert (32'(used) <= SLOTS && (!empty || used == '0) && (!settled || !have[next_q]));
        renewed: assert (!renew_q || have == stored_q);
        apart:  assert (!(advance && misplaced) && (!advance || have[next_q]));
        // All that was taken has left, or is about to: never more than two beats behind the buffer, and zeros.
        nothing: assert (!(empty && !freed && held > HELD_W'(5 + FRAME_HALVES)));
        done:   assert (frame_done == done_q);
        cuts:   assert (cut == cut_q);
        tail:   assert (!m_axis_tvalid || m_units == 2'd2 || m_axis_tdata[DATA_W-1 -: HALF_W] == '0);
    end

    always_comb if (aresetn) begin
        filled:  cover (PACKETS == 1 ? frame_done : was_cut_q && advance);
        turned:  cover (advance && have != (SLOTS'(1) << next_q));
        // Packets leave about as fast as they are taken.
        crowded: cover (used != '0 && (have & (have - 1'b1)) != '0);
    end

endmodule

`default_nettype wire
