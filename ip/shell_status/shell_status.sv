// SPDX-License-Identifier: BSD-3-Clause
//
// shell_status - status registers of a node's core behind AXI4-Lite.
//
// Streams are numbered receivers first: 0..N_RX-1 receive, N_RX..N_RX+N_TX-1 send. Registers are 32 bits
// wide and little-endian; WSTRB is respected; every access is answered OKAY. The table below and the constants
// are written by `make registers` from registers.json.
//
//   offset          name                 access
//   0x000           MAGIC                r       0x5348474E, "SHGN"
//   0x004           MAP_VERSION          r       0x00000003, Version of this map
//   0x008           BUILD_ID_LOW         r       Build id, bits 31:0
//   0x00C           BUILD_ID_HIGH        r       Build id, bits 63:32
//   0x010           STREAMS              r       How many streams there are
//                   [7:0] RECEIVERS      r       N_RX
//                   [15:8] SENDERS       r       N_TX
//   0x014 + 0x20*j  ERRORS               r/w1c   Bit k of register j: receiver 32*j + k has an error flag set;
//                                                writing 1 clears its flags
//   0x018           CONTROL              rw      What the host asks for
//                   [0] CLEAR            w1      Clear the counters of all streams
//                   [1] RESET            r/w1    Drain the links, then reset partitions and links; reads 1 until that
//                                                is over
//                   [2] HOLD             rw      Partitions and links are in reset while it is 1
//   0x01C           SCRATCH              rw      For bus tests
//   0x100 + 0x20*k  FRAMES               r       Frames, modulo 2**32
//   0x104 + 0x20*k  BEATS_LOW            r       Beats, bits 31:0; reading it latches BEATS_HIGH of the same stream
//   0x108 + 0x20*k  BEATS_HIGH           r       Beats, bits 63:32 as latched
//   0x10C + 0x20*k  STALLS               r       Cycles with tvalid and not tready, stops at 2**32 - 1
//   0x110 + 0x20*k  FLAGS                r       Errors of a receiver; of a sender only MARKED
//                   [0] SHORT            r       A transfer ended early
//                   [1] LONG             r       A transfer went on beyond its last frame
//                   [2] KEEP             r       Bytes were missing inside a transfer
//                   [3] MARKED           r       Frames were sent that are not what they should be: after a reset, a
//                                                part of what they are made of is missing
//   0x114 + 0x20*k  FRAMES_PER_TRANSFER  rw      Frames of a DMA transfer, 1 to the stream's most_frames; always 1
//                                                for weights
//   0x118 + 0x20*k  FIRST_MARKED         r       The first of these frames, counted as in FRAMES from 0 on; holds
//                                                while MARKED is 1
//   0x11C + 0x20*k  LAST_MARKED          r       The last of them
//   others                               r       0; writes are ignored
//
// An event in the cycle of a clear is kept, as error flag and as count. The counters are cut into short carry chains and
// exact in every cycle nevertheless, see split_counter. FRAMES_PER_TRANSFER takes whole words; 0 is taken for 1, and more
// than 65535 for 65535, so that a host that reads it back sees what it has asked for. While `restart` is high all counters and flags are cleared;
// FRAMES_PER_TRANSFER and SCRATCH stay. What the bits of CONTROL ask for is done by shell_reset.
//
// Throughput  a write per 2 cycles, a read per 3
// Latency     2 cycles from a write to its answer, 3 from a read; events are counted 1 cycle late
// Paths       every output is a flop, every event input goes to a flop
// Resources   186 FF a stream, 48 for each 16 streams, 140 besides
//
// Parameters: BUILD_ID  first 64 bits of the plan's digest
//             N_RX      receiving streams, 0 or more
//             N_TX      sending streams; N_RX + N_TX is 1 to 120
//             PART_W    bits of a carry chain, 2 or more
//             SINGLE    bit k: a transfer of stream k is one frame, always
//             MARKS     bit k: frames of sender k may be marked, by passed and marked
// Checked by: test_shell_status.py
`default_nettype none

module shell_status #(
    parameter logic [63:0] BUILD_ID = 64'd0,
    parameter int          N_RX     = 1,
    parameter int          N_TX     = 1,
    parameter int          PART_W   = 16,
    parameter logic [N_RX+N_TX-1:0] SINGLE = '0,
    parameter logic [N_RX+N_TX-1:0] MARKS = '0
) (
    input  wire                          aclk,
    input  wire                          aresetn,

    input  wire  [11:0]                  s_axil_awaddr,
    input  wire  [2:0]                   s_axil_awprot,
    input  wire                          s_axil_awvalid,
    output logic                         s_axil_awready,
    input  wire  [31:0]                  s_axil_wdata,
    input  wire  [3:0]                   s_axil_wstrb,
    input  wire                          s_axil_wvalid,
    output logic                         s_axil_wready,
    output logic [1:0]                   s_axil_bresp,
    output logic                         s_axil_bvalid,
    input  wire                          s_axil_bready,
    input  wire  [11:0]                  s_axil_araddr,
    input  wire  [2:0]                   s_axil_arprot,
    input  wire                          s_axil_arvalid,
    output logic                         s_axil_arready,
    output logic [31:0]                  s_axil_rdata,
    output logic [1:0]                   s_axil_rresp,
    output logic                         s_axil_rvalid,
    input  wire                          s_axil_rready,

    input  wire  [N_RX+N_TX-1:0]         beat,
    input  wire  [N_RX+N_TX-1:0]         stall,
    input  wire  [N_RX+N_TX-1:0]         frame_done,
    input  wire  [(N_RX>0?N_RX:1)-1:0]   error_short,
    input  wire  [(N_RX>0?N_RX:1)-1:0]   error_long,
    input  wire  [(N_RX>0?N_RX:1)-1:0]   error_keep,

    input  wire [N_RX+N_TX-1:0]          passed,        // MARKS: a frame has
    input  wire [N_RX+N_TX-1:0]          marked,        // with passed: it is not what it should be

    output logic [(N_RX+N_TX)*16-1:0]    frames_per_transfer,
    output logic                         reset_start,   // one cycle: reset once what is under way has been drained
    output logic                         reset_hold,    // reset as long as it is high
    input  wire                          reset_busy,
    input  wire                          restart
);

    generate
        if (N_RX < 0 || N_TX < 0 || N_RX + N_TX < 1 || N_RX + N_TX > 120) begin : g_check_n
            N_RX_plus_N_TX_must_be_1_to_120 parameter_error();
        end
    endgenerate

    // ---- registers, from registers.json ----------------------------------------------------------
    localparam logic [11:0] AT_MAGIC = 12'h000;
    localparam logic [31:0] IS_MAGIC = 32'h5348474E;
    localparam logic [11:0] AT_MAP_VERSION = 12'h004;
    localparam logic [31:0] IS_MAP_VERSION = 32'h00000003;
    localparam logic [11:0] AT_BUILD_ID_LOW = 12'h008;
    localparam logic [11:0] AT_BUILD_ID_HIGH = 12'h00C;
    localparam logic [11:0] AT_STREAMS = 12'h010;
    localparam int STREAMS_RECEIVERS = 0;
    localparam int STREAMS_SENDERS = 8;
    localparam logic [11:0] AT_ERRORS = 12'h014;
    localparam logic [11:0] AT_CONTROL = 12'h018;
    localparam int CONTROL_CLEAR = 0;
    localparam int CONTROL_RESET = 1;
    localparam int CONTROL_HOLD = 2;
    localparam logic [11:0] AT_SCRATCH = 12'h01C;
    localparam logic [11:0] AT_FRAMES = 12'h100;
    localparam logic [11:0] AT_BEATS_LOW = 12'h104;
    localparam logic [11:0] AT_BEATS_HIGH = 12'h108;
    localparam logic [11:0] AT_STALLS = 12'h10C;
    localparam logic [11:0] AT_FLAGS = 12'h110;
    localparam int FLAGS_SHORT = 0;
    localparam int FLAGS_LONG = 1;
    localparam int FLAGS_KEEP = 2;
    localparam int FLAGS_MARKED = 3;
    localparam logic [11:0] AT_FRAMES_PER_TRANSFER = 12'h114;
    localparam logic [15:0] RESET_FRAMES_PER_TRANSFER = 16'd1;
    localparam logic [11:0] AT_FIRST_MARKED = 12'h118;
    localparam logic [11:0] AT_LAST_MARKED = 12'h11C;

    localparam int N     = N_RX + N_TX;
    localparam int WORDS = N_RX > 32 ? (N_RX + 31) / 32 : 1;  // registers ERRORS
    localparam logic [31:0] STREAMS = (32'(N_RX) << STREAMS_RECEIVERS) | (32'(N_TX) << STREAMS_SENDERS);

    // ---- bus -------------------------------------------------------------------------------------

    logic        aw_have_q, w_have_q, ar_have_q, ar_seen_q, aw_ready_q, w_ready_q, ar_ready_q, b_valid_q, r_valid_q;
    logic [9:0]  aw_word_q;
    logic [2:0]  ar_reg_q;
    logic [6:0]  ar_stream_q;
    logic        ar_common_q, ar_known_q;
    logic [31:0] w_data_q, r_data_q, scratch_q;
    wire  [31:0] r_data_d;
    logic [3:0]  w_strb_q;
    // Rows of eight words: those of the core, which further ones of ERRORS follow, from FRAMES on one for each stream.
    wire  [6:0]  ar_stream = s_axil_araddr[11:5] - AT_FRAMES[11:5];

    wire write = aw_have_q && w_have_q && !b_valid_q;
    // A read looks at the streams in one cycle and answers from what it saw in the next.
    wire look  = ar_have_q && !ar_seen_q;
    wire read  = ar_seen_q && !r_valid_q;
    wire control = write && aw_word_q == AT_CONTROL[11:2] && w_strb_q[0];
    wire aw_have_d = (s_axil_awvalid && aw_ready_q) || (aw_have_q && !write);
    wire w_have_d  = (s_axil_wvalid && w_ready_q) || (w_have_q && !write);
    wire ar_have_d = (s_axil_arvalid && ar_ready_q) || (ar_have_q && !read);

    always_ff @(posedge aclk) begin
        if (aw_ready_q) aw_word_q <= s_axil_awaddr[11:2];
        if (ar_ready_q) begin
            ar_reg_q    <= s_axil_araddr[4:2];
            ar_stream_q <= ar_stream;
            ar_common_q <= s_axil_araddr[11:5] == 7'd0;
            ar_known_q  <= 32'(ar_stream) < 32'(N);
        end
        if (w_ready_q) {w_strb_q, w_data_q} <= {s_axil_wstrb, s_axil_wdata};
        if (read) r_data_q <= r_data_d;

        aw_have_q  <= aw_have_d;
        w_have_q   <= w_have_d;
        ar_have_q  <= ar_have_d;
        ar_seen_q  <= look || (ar_seen_q && !read);
        aw_ready_q <= !aw_have_d;
        w_ready_q  <= !w_have_d;
        ar_ready_q <= !ar_have_d;
        b_valid_q  <= write || (b_valid_q && !s_axil_bready);
        r_valid_q  <= read || (r_valid_q && !s_axil_rready);

        for (int i = 0; i < 4; i++)
            if (write && aw_word_q == AT_SCRATCH[11:2] && w_strb_q[i]) scratch_q[i*8 +: 8] <= w_data_q[i*8 +: 8];

        reset_start <= control && w_data_q[CONTROL_RESET];
        if (control) reset_hold <= w_data_q[CONTROL_HOLD];

        if (!aresetn) begin
            reset_start <= 1'b0;
            reset_hold  <= 1'b0;
            aw_have_q  <= 1'b0;
            w_have_q   <= 1'b0;
            ar_have_q  <= 1'b0;
            ar_seen_q  <= 1'b0;
            aw_ready_q <= 1'b0;
            w_ready_q  <= 1'b0;
            ar_ready_q <= 1'b0;
            b_valid_q  <= 1'b0;
            r_valid_q  <= 1'b0;
            scratch_q  <= '0;
        end
    end

    assign s_axil_awready = aw_ready_q;
    assign s_axil_wready  = w_ready_q;
    assign s_axil_arready = ar_ready_q;
    assign s_axil_bvalid  = b_valid_q;
    assign s_axil_bresp   = 2'b00;
    assign s_axil_rvalid  = r_valid_q;
    assign s_axil_rdata   = r_data_q;
    assign s_axil_rresp   = 2'b00;

    // ---- counters and flags ----------------------------------------------------------------------

    wire        clear       = restart || (control && w_data_q[CONTROL_CLEAR]);
    wire [31:0] written     = {{8{w_strb_q[3]}}, {8{w_strb_q[2]}}, {8{w_strb_q[1]}}, {8{w_strb_q[0]}}} & w_data_q;
    wire [6:0]  aw_stream   = aw_word_q[9:3] - AT_FRAMES[11:5];
    wire        set_many    = write && aw_word_q[2:0] == AT_FRAMES_PER_TRANSFER[4:2] && w_strb_q == 4'b1111;
    wire [15:0] many        = w_data_q[31:16] != '0 ? 16'hFFFF : w_data_q[15:0] == '0 ? 16'd1 : w_data_q[15:0];
    wire  [WORDS*32-1:0] errors, clear_flags;
    wire  [WORDS*96-1:0] flags;
    wire  [31:0]         mark;     // FIRST_MARKED or LAST_MARKED, if one is read, else 0
    wire  [N*32-1:0]     mark_values;
    wire  [31:0]         further;  // a register ERRORS after the first, if one is read, else 0
    wire unused = &{1'b0, passed, marked, mark_values, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0],
                    error_short, error_long, error_keep, clear_flags, flags, SINGLE, aw_stream, set_many, many};

    // What a read can find in the streams, seen in groups of 16.
    localparam int GROUPS = (N + 15) / 16;
    logic [GROUPS*32-1:0] seen_q;
    logic [31:0]          seen, common;
    logic [GROUPS*16-1:0] seen_more_q;
    logic [15:0]          seen_more;
    wire  [5:0]           index = {ar_stream_q[3:0], ar_reg_q[1:0]};
    wire  [4:0]           more  = {ar_reg_q[0], ar_stream_q[3:0]};

    generate
        for (genvar k = 0; k < N; k++) begin : g_stream
            logic        beat_q, stall_q, frame_q;
            logic [31:0] high_q;
            wire  [31:0] frames, stalls;
            wire  [63:0] beats;

            always_ff @(posedge aclk) begin
                beat_q  <= beat[k];
                stall_q <= stall[k];
                frame_q <= frame_done[k];
                if (look && ar_known_q && ar_stream_q == 7'(k) && ar_reg_q == AT_BEATS_LOW[4:2]) high_q <= beats[63:32];
                if (!aresetn || clear) high_q <= '0;
                if (!aresetn) begin
                    beat_q  <= 1'b0;
                    stall_q <= 1'b0;
                    frame_q <= 1'b0;
                end
            end

            if (SINGLE[k]) begin : g_single
                assign frames_per_transfer[k*16 +: 16] = RESET_FRAMES_PER_TRANSFER;
            end else begin : g_many
                logic [15:0] many_q;
                wire         mine = set_many && aw_stream == 7'(k);
                always_ff @(posedge aclk) begin
                    if (mine)     many_q <= many;
                    if (!aresetn) many_q <= RESET_FRAMES_PER_TRANSFER;
                end
                assign frames_per_transfer[k*16 +: 16] = many_q;
            end

            split_counter #(.COUNT_W(32), .PART_W(PART_W)) u_frames (
                .aclk(aclk), .aresetn(aresetn), .inc(frame_q), .clear(clear), .count(frames)
            );
            split_counter #(.COUNT_W(64), .PART_W(PART_W)) u_beats (
                .aclk(aclk), .aresetn(aresetn), .inc(beat_q), .clear(clear), .count(beats)
            );
            split_counter #(.COUNT_W(32), .PART_W(PART_W), .STOP_EN(1)) u_stalls (
                .aclk(aclk), .aresetn(aresetn), .inc(stall_q), .clear(clear), .count(stalls)
            );
        end

        for (genvar j = 0; j < WORDS; j++) begin : g_clear
            // Row j has the register of receivers 32*j and up.
            assign clear_flags[j*32 +: 32] = write && aw_word_q == AT_ERRORS[11:2] + 10'(j * 8) ? written : 32'd0;
        end
        for (genvar k = 0; k < WORDS * 32; k++) begin : g_flags
            if (k < N_RX) begin : g_receiver
                logic [2:0] flags_q;
                always_ff @(posedge aclk) begin
                    flags_q <= (clear_flags[k] || restart ? 3'd0 : flags_q)
                               | 3'(error_short[k]) << FLAGS_SHORT | 3'(error_long[k]) << FLAGS_LONG
                               | 3'(error_keep[k]) << FLAGS_KEEP;
                    if (!aresetn) flags_q <= '0;
                end
                assign flags[k*3 +: 3] = flags_q;
                assign errors[k]       = flags_q != '0;
            end else begin : g_none
                assign flags[k*3 +: 3] = 3'd0;
                assign errors[k]       = 1'b0;
            end
        end

        for (genvar k = 0; k < N; k++) begin : g_mark
            wire        any;
            wire [31:0] value;   // if it is read
            if (MARKS[k]) begin : g_marks
                logic        any_q;
                logic [31:0] index_q, first_q, last_q;
                always_ff @(posedge aclk) begin
                    if (passed[k]) index_q <= index_q + 1'b1;
                    if (passed[k] && marked[k]) begin
                        any_q  <= 1'b1;
                        last_q <= index_q;
                        if (!any_q) first_q <= index_q;
                    end
                    if (!aresetn || clear) begin
                        any_q   <= 1'b0;
                        index_q <= '0;
                        first_q <= '0;
                        last_q  <= '0;
                    end
                end
                assign any   = any_q;
                assign value = ar_stream_q != 7'(k) ? '0 : ar_reg_q == AT_FIRST_MARKED[4:2] ? first_q
                               : ar_reg_q == AT_LAST_MARKED[4:2] ? last_q : '0;
            end else begin : g_none
                assign any   = 1'b0;
                assign value = '0;
            end
            wire unused_mark = &{1'b0, any, value};
        end

        for (genvar g = 0; g < GROUPS; g++) begin : g_group
            // A tree of multiplexers; the last 64 nodes are registers, four of each stream.
            for (genvar i = 127; i > 0; i--) begin : g_node
                localparam int K = g * 16 + (i - 64) / 4;
                wire [31:0] value;
                if (i < 64) begin : g_choice
                    assign value = index[6-$clog2(i+1)] ? g_node[2*i+1].value : g_node[2*i].value;
                end else if (K >= N) begin : g_none
                    assign value = '0;
                end else if (i % 4 == 32'(AT_FRAMES[3:2])) begin : g_frames
                    assign value = g_stream[K].frames;
                end else if (i % 4 == 32'(AT_BEATS_LOW[3:2])) begin : g_low
                    assign value = g_stream[K].beats[31:0];
                end else if (i % 4 == 32'(AT_BEATS_HIGH[3:2])) begin : g_high
                    assign value = g_stream[K].high_q;
                end else if (i % 4 == 32'(AT_STALLS[3:2])) begin : g_stalls
                    assign value = g_stream[K].stalls;
                end
            end
            // The same for the other two, less wide; which of them is chosen last, since flags have three bits.
            for (genvar i = 63; i > 0; i--) begin : g_more
                localparam int K = g * 16 + i % 16;
                wire [15:0] value;
                if (i < 32) begin : g_choice
                    assign value = more[5-$clog2(i+1)] ? g_more[2*i+1].value : g_more[2*i].value;
                end else if (K < N && i / 16 % 2 == 32'(AT_FRAMES_PER_TRANSFER[2])) begin : g_many
                    assign value = frames_per_transfer[K*16 +: 16];
                end else if (K < N_RX && i / 16 % 2 == 32'(AT_FLAGS[2])) begin : g_flags
                    assign value = {13'd0, flags[K*3 +: 3]};
                end else if (K >= N_RX && K < N && i / 16 % 2 == 32'(AT_FLAGS[2])) begin : g_marked
                    assign value = 16'(g_mark[K].any) << FLAGS_MARKED;
                end else begin : g_none
                    assign value = '0;
                end
            end
            always_ff @(posedge aclk)
                if (look) begin
                    seen_q[g*32 +: 32]      <= g_node[1].value;
                    seen_more_q[g*16 +: 16] <= g_more[1].value;
                end
        end
    endgenerate

    always_comb begin
        seen      = '0;
        seen_more = '0;
        for (int g = 0; g < GROUPS; g++)
            if (ar_stream_q[6:4] == 3'(g)) begin
                seen      = seen_q[g*32 +: 32];
                seen_more = seen_more_q[g*16 +: 16];
            end
    end

    generate
        if (MARKS != '0) begin : g_marked
            logic [31:0] word, marked_q;
            always_comb begin
                word = '0;
                for (int k = 0; k < N; k++) word |= mark_values[k*32 +: 32];
            end
            always_ff @(posedge aclk)
                if (look) marked_q <= word;
            assign mark = marked_q;
        end else begin : g_no_marked
            assign mark = '0;
        end
        for (genvar k = 0; k < N; k++) begin : g_value
            assign mark_values[k*32 +: 32] = g_mark[k].value;
        end
    endgenerate

    generate
        if (WORDS > 1) begin : g_further
            // Seen as the streams are, so that the answer is chosen from flops.
            logic [31:0] further_q, word;
            always_comb begin
                word = '0;
                for (int j = 1; j < WORDS; j++)
                    if (ar_stream_q == 7'(j) - AT_FRAMES[11:5] && ar_reg_q == AT_ERRORS[4:2])
                        word = errors[j*32 +: 32];
            end
            always_ff @(posedge aclk)
                if (look) further_q <= word;
            assign further = further_q;
        end else begin : g_no_further
            assign further = '0;
        end
    endgenerate

    always_comb begin
        case (ar_reg_q)
            AT_MAGIC[4:2]:       common = IS_MAGIC;
            AT_MAP_VERSION[4:2]: common = IS_MAP_VERSION;
            AT_BUILD_ID_LOW[4:2]: common = BUILD_ID[31:0];
            AT_BUILD_ID_HIGH[4:2]: common = BUILD_ID[63:32];
            AT_STREAMS[4:2]:     common = STREAMS;
            AT_ERRORS[4:2]:      common = errors[31:0];
            AT_CONTROL[4:2]:     common = (32'(reset_busy) << CONTROL_RESET) | (32'(reset_hold) << CONTROL_HOLD);
            AT_SCRATCH[4:2]:     common = scratch_q;
            default:             common = '0;
        endcase
    end

    assign r_data_d = ar_common_q                ? common :
                      ar_known_q && !ar_reg_q[2] ? seen :
                      ar_known_q && !ar_reg_q[1] ? {16'd0, seen_more} : further | mark;

endmodule

`default_nettype wire
