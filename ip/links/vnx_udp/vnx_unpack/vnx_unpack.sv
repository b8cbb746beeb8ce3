// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_unpack - the buffer of vnx_receiver: packets go in, in any order, frames come out; part of vnx_receiver.
//
// A packet is a half beat of header and the next piece of a frame. It has a number, and its number a slot, to which it is
// written as it comes, if vnx_match says so (`write`): only where no packet is kept. `store` with its last beat makes it
// stay. `have` says which slots keep packets that are not taken yet. The packet that is next in the order is looked up and
// taken two cycles later (`advance`), one in two cycles, if its marks of first and last are those of its place; otherwise
// it is dropped (`misplaced`). `settled`: its slot is known to have none. `full_here`, `last_here`: the beat that comes is the
// last one of a full packet, of the last packet of a frame.
//
// Frames are cut into full packets of PACKET_BEATS beats and a last one. A full packet carries an odd number of half
// beats, so packets lie in a frame as in the buffer or turned by half a beat, in turn; half a beat waits in between.
//
// `renew` begins with a new frame, whose first packet may be the very one that is stored; only while `empty`. What
// is kept out of order is dropped, and packets lie from slot 0 on again. A frame
// that is not whole then is filled with zeros, `cut`.
//
// NUMBERED: m_axis_tuser is the number of the beat's frame; m_axis_taint comes with the last beat of a frame that was
// filled, or of which the last packet says so. `idle`: nothing is in the buffer or waits at m_axis.
//
// Throughput  one beat per cycle, a packet without a pause; a cycle is lost for a packet that begins a beat, and
//             another one for a last packet that would end one with the half beat that waits
// Latency     6 cycles from the last beat of a packet to its first beat at m_axis; 7 where that begins with the header
// Paths       no combinational path from input to output; m_axis, `freed`, `cut` and `frame_done` are flops, as is what is
//             said of the packet that comes; `empty`, `advance` and `misplaced` are a LUT behind flops
// Resources   SLOTS * 2**$clog2(PACKET_BEATS) beats of memory, DATA_W LUT for the turning, DATA_W * 5/2 FF, two LUT and a
//             FF for each slot, and counters
//
// Parameters: DATA_W        bits of a beat, even
//             PACKET_BEATS  of a full packet, 2 to 256
//             SLOTS         packets, a power of two, 4 to 256
//             ULTRA         1: they are in UltraRAM; 0: in block RAM
//             FRAME_HALVES  half beats of a frame, the last one perhaps partly
//             LAST_BITS     bits of the last one; zeros are put in for the others
//             NUMBER_W      bits of what is said of a packet when it is taken, 1 or more
//             NUMBERED      1: number and taint are taken from the headers; 0: both outputs are zero
// Checked by: test_vnx_receiver.py
`default_nettype none

module vnx_unpack #(
    parameter int DATA_W       = 512,
    parameter int PACKET_BEATS = 23,
    parameter int SLOTS        = 32,
    parameter bit ULTRA        = 0,
    parameter int FRAME_HALVES = 1,
    parameter int LAST_BITS    = DATA_W / 2,
    parameter int NUMBER_W     = 32,
    parameter bit NUMBERED     = 0,
    localparam int SLOT_W      = $clog2(SLOTS),
    localparam int USED_W      = $clog2(SLOTS + 1)
) (
    input  wire                          aclk,
    input  wire                          aresetn,

    input  wire  [DATA_W-1:0]            s_axis_tdata,   // always taken
    input  wire                          s_axis_tlast,
    input  wire                          s_axis_tvalid,
    input  wire                          write,          // the beat; only to a slot that nothing is kept in
    input  wire  [SLOT_W-1:0]            slot,           // of the packet, in each of its beats
    input  wire                          store,          // only with TLAST, if all its beats were written
    input  wire                          store_sof,      // its marks
    input  wire                          store_eof,
    input  wire  [NUMBER_W-1:0]          store_number,
    input  wire                          renew,          // only while `empty`

    output logic [SLOTS-1:0]             have,
    output logic                         full_here,
    output logic                         last_here,
    output logic                         advance,        // a packet is taken,
    output logic                         took,           // was taken, in the cycle before,
    output logic                         took_eof,       // as the last of its frame,
    output logic [NUMBER_W-1:0]          took_number,    // with this
    output logic                         misplaced,
    output logic                         settled,        // it keeps none
    output logic                         middle,         // the next packet is not the first of its frame
    output logic [USED_W-1:0]            used,           // slots with packets in order
    output logic                         empty,          // none is in order
    output logic                         freed,          // a slot was, in the cycle before
    output logic                         cut,            // a frame was, in the cycle before

    output logic [DATA_W-1:0]            m_axis_tdata,
    output logic                         m_axis_tvalid,
    input  wire                          m_axis_tready,
    output logic [31:0]                  m_axis_tuser,
    output logic                         m_axis_taint,
    output logic                         idle,
    output logic                         frame_done      // the last beat of a frame was taken, in the cycle before
);

    localparam int HALF_W      = DATA_W / 2;
    localparam int FULL_HALVES = 2 * PACKET_BEATS - 1;
    localparam int PACKETS     = (FRAME_HALVES - 1) / FULL_HALVES + 1;   // of a frame
    localparam int LAST_HALVES = FRAME_HALVES - (PACKETS - 1) * FULL_HALVES;
    localparam int LAST_BEATS  = LAST_HALVES / 2 + 1;
    localparam bit LAST_ODD    = PACKETS % 2 == 0;                       // the last packet is turned
    // The half beat that waits is all that is left after the last packet, or all that this one has.
    localparam bit FLUSH       = !LAST_ODD && LAST_HALVES % 2 == 1;
    localparam bit LONE        = FLUSH && LAST_HALVES == 1;
    localparam int LAST_STEPS  = LAST_BEATS + (FLUSH && !LONE ? 1 : 0);

    localparam int AT_W   = $clog2(PACKET_BEATS);      // of a beat in its slot
    localparam int STEP_W = $clog2(PACKET_BEATS + 1);
    localparam int MANY_W = PACKETS > 2 ? $clog2(PACKETS) : 1;

    generate
        if (DATA_W < 2 || DATA_W % 2 != 0) begin : g_check_data_w
            DATA_W_must_be_even_and_at_least_2 parameter_error();
        end
        if (PACKET_BEATS < 2 || PACKET_BEATS > 256) begin : g_check_packet_beats
            PACKET_BEATS_must_be_2_to_256 parameter_error();
        end
        if (SLOTS < 4 || SLOTS > 256 || (SLOTS & (SLOTS - 1)) != 0) begin : g_check_slots
            SLOTS_must_be_a_power_of_two_from_4_to_256 parameter_error();
        end
        if (FRAME_HALVES < 1) begin : g_check_frame_halves
            FRAME_HALVES_must_be_at_least_1 parameter_error();
        end
        if (LAST_BITS < 1 || LAST_BITS > DATA_W / 2) begin : g_check_last_bits
            LAST_BITS_must_be_1_to_half_of_DATA_W parameter_error();
        end
        if (NUMBER_W < 1) begin : g_check_number_w
            NUMBER_W_must_be_at_least_1 parameter_error();
        end
    endgenerate

    // ---- in: beats are written a cycle after they came, so that there is time to decide it -----------------------

    logic [AT_W-1:0]   in_at_q, put_at_q;
    logic              in_over_q;   // a packet is longer than a slot
    logic [SLOT_W-1:0] put_slot_q;
    logic              put_q;
    logic [DATA_W-1:0] put_data_q;
    wire               in_end  = in_at_q == AT_W'(PACKET_BEATS - 1);
    wire  [AT_W:0]     in_next = (AT_W+1)'(in_at_q) + 1'b1;

    always_ff @(posedge aclk) begin
        put_q      <= s_axis_tvalid && write && !in_over_q;
        put_slot_q <= slot;
        put_at_q   <= in_at_q;
        put_data_q <= s_axis_tdata;
        if (s_axis_tvalid) begin
            in_at_q   <= s_axis_tlast ? '0 : in_next[AT_W-1:0];
            in_over_q <= !s_axis_tlast && (in_over_q || in_end);
            full_here <= !s_axis_tlast && !in_over_q && in_next == (AT_W+1)'(PACKET_BEATS - 1);
            last_here <= s_axis_tlast ? LAST_BEATS == 1 : !in_over_q && in_next == (AT_W+1)'(LAST_BEATS - 1);
        end

        if (!aresetn) begin
            put_q     <= 1'b0;
            in_at_q   <= '0;
            in_over_q <= 1'b0;
            full_here <= 1'b0;
            last_here <= LAST_BEATS == 1;
        end
    end

    // ---- slots: kept out of order, then in order ------------------------------------------------------------------

    (* ram_style = "distributed" *) logic [NUMBER_W+1:0] notes [0:SLOTS-1];
    logic                store_q;
    logic [SLOT_W-1:0]   store_slot_q;
    logic [NUMBER_W+1:0] store_note_q;
    always_ff @(posedge aclk) begin
        store_q      <= store;
        store_slot_q <= slot;
        store_note_q <= {store_number, store_eof, store_sof};
        if (store_q) notes[store_slot_q] <= store_note_q;
    end

    logic [SLOTS-1:0]  have_q;
    logic [SLOT_W-1:0] next_q;      // slot of the next packet in the order
    logic [MANY_W-1:0] in_many_q;   // packets of the frame that were taken
    logic              want_sof, want_eof;
    logic [USED_W-1:0] used_q;
    logic              empty_q, cut_q;
    wire               free_slot;   // the reader has done with one

    // Slot next_q is looked up in two cycles: first a row of slots with the same lower bits, if one is taken that of the next.
    localparam int LOW_W = SLOT_W / 2;
    localparam int ROWS  = 1 << (SLOT_W - LOW_W);
    logic [LOW_W-1:0]    low_more_q;    // of next_q + 1
    logic [ROWS-1:0]     row_q;
    logic                row_any_q, here_q;
    logic                quiet_q, settled_q; // nothing changed in the cycle before
    logic [NUMBER_W+1:0] note_q;
    wire  [LOW_W-1:0]    aim   = here_q ? low_more_q : next_q[LOW_W-1:0];
    wire                 found = row_any_q && row_q[next_q[SLOT_W-1:LOW_W]];
    wire                 calm  = !here_q && !store && !renew;
    wire                 fits  = note_q[1:0] == {want_eof, want_sof};

    assign advance   = here_q && fits;
    assign misplaced = here_q && !fits;
    assign settled   = settled_q;
    assign have      = have_q;
    assign middle    = !want_sof;

    always_ff @(posedge aclk) begin
        if (here_q) have_q[next_q] <= 1'b0;
        if (renew)  have_q <= '0;
        if (store)  have_q[slot] <= 1'b1;

        for (int r = 0; r < ROWS; r++) row_q[r] <= have_q[{(SLOT_W-LOW_W)'(r), aim}];
        row_any_q <= !misplaced && !renew;
        here_q    <= found && !here_q && !renew;
        note_q    <= notes[next_q];
        quiet_q   <= calm;
        settled_q <= calm && quiet_q && !found;

        if (renew) begin
            next_q    <= '0;
            low_more_q <= LOW_W'(1);
            in_many_q <= '0;
            want_sof  <= 1'b1;
            want_eof  <= PACKETS == 1;
        end else if (advance) begin
            next_q    <= next_q + 1'b1;
            low_more_q <= low_more_q + 1'b1;
            in_many_q <= want_eof ? '0 : in_many_q + 1'b1;
            want_sof  <= want_eof;
            want_eof  <= want_eof ? PACKETS == 1 : in_many_q == MANY_W'(PACKETS - 2);
        end
        took        <= advance;
        took_eof    <= want_eof;
        took_number <= note_q[NUMBER_W+1:2];

        if (advance != free_slot) used_q <= used_q + (free_slot ? '1 : USED_W'(1));
        empty_q <= !advance && (empty_q || (free_slot && used_q == USED_W'(1)));
        freed   <= free_slot;

        if (!aresetn) begin
            have_q    <= '0;
            here_q    <= 1'b0;
            row_any_q <= 1'b0;
            quiet_q   <= 1'b0;
            settled_q <= 1'b0;
            next_q    <= '0;
            low_more_q <= LOW_W'(1);
            in_many_q <= '0;
            want_sof  <= 1'b1;
            want_eof  <= PACKETS == 1;
            took      <= 1'b0;
            used_q    <= '0;
            empty_q   <= 1'b1;
            freed     <= 1'b0;
        end
    end

    assign used  = used_q;
    assign empty = empty_q && settled;

    // ---- out: the steps of a packet are its beats and perhaps one more for the half beat that waits -------------

    logic [STEP_W-1:0] step_q;
    logic [SLOT_W-1:0] out_slot_q;
    logic [MANY_W-1:0] out_many_q;
    logic              begin_q, end_q;  // step of a packet: its first, its last
    logic              odd_q, last_q;   // packet: turned, last of its frame
    logic              fill_q;          // the rest of the frame is zeros
    wire               free;            // the stage behind the memory
    wire               step = (fill_q || !empty_q) && free;
    wire  [STEP_W-1:0] step_more = step_q + 1'b1;
    wire               next_last = PACKETS == 1 || (!last_q && out_many_q == MANY_W'(PACKETS - 2));
    wire               cuts = renew && !want_sof;

    assign free_slot = free && end_q && !fill_q && !empty_q;

    always_ff @(posedge aclk) begin
        if (step) begin
            begin_q <= end_q;
            step_q  <= end_q ? '0 : step_more;
            end_q   <= end_q ? next_last && LAST_STEPS == 1
                             : step_more == (last_q ? STEP_W'(LAST_STEPS - 1) : STEP_W'(PACKET_BEATS - 1));
            if (end_q) begin
                odd_q      <= !last_q && !odd_q;
                last_q     <= next_last;
                out_many_q <= last_q ? '0 : out_many_q + 1'b1;
            end
        end
        if (renew) out_slot_q <= '0;
        else if (free_slot) out_slot_q <= out_slot_q + 1'b1;
        fill_q <= cuts || (fill_q && !(step && end_q && last_q));
        cut_q  <= cuts;

        if (!aresetn) begin
            begin_q    <= 1'b1;
            step_q     <= '0;
            end_q      <= PACKETS == 1 && LAST_STEPS == 1;
            odd_q      <= 1'b0;
            last_q     <= PACKETS == 1;
            out_many_q <= '0;
            out_slot_q <= '0;
            fill_q     <= 1'b0;
            cut_q      <= 1'b0;
        end
    end

    assign cut = cut_q;

    logic [DATA_W-1:0] ram_q;
    generate
        if (ULTRA) begin : g_ultra
            (* ram_style = "ultra" *) logic [DATA_W-1:0] mem [0:(SLOTS<<AT_W)-1];
            always_ff @(posedge aclk) if (put_q) mem[{put_slot_q, put_at_q}] <= put_data_q;
            always_ff @(posedge aclk) if (step) ram_q <= mem[{out_slot_q, step_q[AT_W-1:0]}];
        end else begin : g_block
            (* ram_style = "block" *) logic [DATA_W-1:0] mem [0:(SLOTS<<AT_W)-1];
            always_ff @(posedge aclk) if (put_q) mem[{put_slot_q, put_at_q}] <= put_data_q;
            always_ff @(posedge aclk) if (step) ram_q <= mem[{out_slot_q, step_q[AT_W-1:0]}];
        end
    endgenerate

    // ---- the stage behind the memory: turn ---------------------------------------------------------------------

    logic [HALF_W-1:0] wait_q;                                     // the half beat that waits
    logic              beat_q, keep_q, wait_low_q, low_high_q, zero_q, final_q, zero_high_q, lone_q;
    logic              done_q, valid_q;
    logic [DATA_W-1:0] data_q, made;
    wire  [HALF_W-1:0] low = ram_q[0 +: HALF_W], high = ram_q[HALF_W +: HALF_W];
    wire               out_free = !valid_q || m_axis_tready;
    localparam bit ENDS_LOW = FRAME_HALVES % 2 == 1;
    localparam logic [HALF_W-1:0] PART = {HALF_W{1'b1}} >> (HALF_W - LAST_BITS);

    assign free = !beat_q || out_free;

    always_comb begin
        made[0 +: HALF_W]      = wait_low_q ? wait_q : LONE && lone_q ? high : low;
        made[HALF_W +: HALF_W] = low_high_q ? low : high;
        if (zero_q && !wait_low_q) made[0 +: HALF_W] = '0;
        if (zero_high_q) made[HALF_W +: HALF_W] = '0;
        if (final_q && ENDS_LOW) made &= {{HALF_W{1'b0}}, PART};
        if (final_q && !ENDS_LOW) made &= {PART, {HALF_W{1'b1}}};
    end

    always_ff @(posedge aclk) begin
        if (free) begin
            // An even packet puts its first half beat aside, and of each beat the upper half; a turned one only begins so.
            beat_q      <= step && (odd_q || !begin_q || (LONE && last_q));
            keep_q      <= step && !odd_q;
            wait_low_q  <= odd_q ? begin_q : !(LONE && last_q);
            low_high_q  <= !odd_q;
            lone_q      <= last_q;
            zero_q      <= fill_q;
            zero_high_q <= fill_q || (FLUSH && last_q && end_q);
            final_q     <= last_q && end_q;
        end
        if (free && keep_q) wait_q <= zero_q ? '0 : high;
        if (beat_q && out_free) data_q <= made;
        if (beat_q && out_free) done_q <= final_q;
        valid_q    <= beat_q || (valid_q && !m_axis_tready);
        frame_done <= valid_q && m_axis_tready && done_q;

        if (!aresetn) begin
            beat_q     <= 1'b0;
            keep_q     <= 1'b0;
            valid_q    <= 1'b0;
            frame_done <= 1'b0;
        end
    end

    // ---- number and taint, from the header as it lies in the buffer -----------------------------------------------

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int BIT_TAINT = 31;
    localparam int BIT_FRAME = 128;
    localparam int BITS_FRAME = 32;

    generate
        if (NUMBERED) begin : g_numbered
            logic                  head_q;  // the word read is the first of a packet
            logic                  fill_now_q, mark_q;
            logic [BITS_FRAME-1:0] frame_q; // of the frame at the stage behind the memory
            wire  [BITS_FRAME-1:0] number = head_q ? low[BIT_FRAME +: BITS_FRAME] : frame_q;
            wire                   marked = head_q ? low[BIT_TAINT] : mark_q;
            always_ff @(posedge aclk) begin
                if (free) begin
                    head_q     <= step && begin_q && !fill_q;
                    fill_now_q <= fill_q;
                    frame_q    <= number;
                    mark_q     <= marked;
                end
                if (beat_q && out_free) begin
                    m_axis_tuser <= number;
                    m_axis_taint <= final_q && (marked || fill_now_q);
                end
                if (!aresetn) head_q <= 1'b0;
            end
            assign idle = empty_q && !fill_q && !beat_q && !valid_q;
        end else begin : g_counted
            assign m_axis_tuser = '0;
            assign m_axis_taint = 1'b0;
            assign idle         = 1'b0;
        end
    endgenerate

    assign m_axis_tdata  = data_q;
    assign m_axis_tvalid = valid_q;

endmodule

`default_nettype wire
