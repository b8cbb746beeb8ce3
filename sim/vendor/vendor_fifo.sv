// SPDX-License-Identifier: BSD-3-Clause
//
// vendor_fifo - simulation only: what the FIFO macros of Vivado's XPM library have in common.
//
// A memory of DEPTH words and, with FWFT, two words of output stages, so that DEPTH + 2 words fit; with
// independent clocks one less. Flags and counts change in the cycles that UG974 (XPM_FIFO_SYNC, _ASYNC) gives:
// full and empty with the access, thresholds and counts one cycle later, the other side of two clocks after
// SYNC_FF + 2 edges. No error correction, no widths that differ.
//
// Parameters: WIDTH    bits of a word
//             DEPTH    words of the memory, a power of two, at least 4
//             COMMON   one clock (wr_clk) for both sides
//             RELATED  two clocks whose edges keep their distance: no synchroniser between the sides
//             FWFT     a word stands at the output before it is asked for
//             LATENCY  cycles from rd_en to dout without FWFT, 0 or more
//             SYNC_FF  flops of a synchroniser
//             PROG_FULL, PROG_EMPTY  thresholds of prog_full and prog_empty
//             EMPTY_RESET  bits of dout after reset
`default_nettype none

module vendor_fifo #(
    parameter int WIDTH = 8,
    parameter int DEPTH = 16,
    parameter bit COMMON = 1'b1,
    parameter bit RELATED = 1'b0,
    parameter bit FWFT = 1'b1,
    parameter int LATENCY = 1,
    parameter int SYNC_FF = 2,
    parameter int PROG_FULL = 10,
    parameter int PROG_EMPTY = 10,
    parameter [WIDTH-1:0] EMPTY_RESET = {WIDTH{1'b0}},
    parameter int COUNT_W = $clog2(DEPTH) + 1
) (
    input  wire               rst,
    input  wire               wr_clk,
    input  wire               wr_en,
    input  wire [WIDTH-1:0]   din,
    output wire               full,
    output wire               almost_full,
    output reg                prog_full,
    output reg  [COUNT_W-1:0] wr_count,
    output reg                wr_ack,
    output reg                overflow,
    output wire               wr_busy,
    input  wire               rd_clk,
    input  wire               rd_en,
    output wire [WIDTH-1:0]   dout,
    output wire               valid,
    output wire               empty,
    output wire               almost_empty,
    output reg                prog_empty,
    output wire [COUNT_W-1:0] rd_count,
    output reg                underflow,
    output wire               rd_busy
);
    localparam int A = $clog2(DEPTH);
    localparam int ROOM = COMMON ? DEPTH : DEPTH - 1;
    localparam int STAGES = FWFT ? 2 : 0;  // thresholds count these words, the memory does not

    generate
        if ((1 << A) != DEPTH || DEPTH < 4) begin : g_check_depth
            DEPTH_must_be_a_power_of_two_from_4 parameter_error ();
        end
    endgenerate

    wire rclk;
    wire valid_or_any;
    generate
        if (COMMON) begin : g_one_clock
            assign rclk = wr_clk;
            wire unused = &{1'b0, rd_clk};
        end else begin : g_two_clocks
            assign rclk = rd_clk;
        end
    endgenerate

    // Reset: held until both sides have seen it, and some cycles longer, as the macros do.
    reg hold;
    initial hold = 1'b0;
    wire seen_by_reader, seen_back;
    assign wr_busy = rst || hold || seen_back;
    assign rd_busy = seen_by_reader;
    vendor_sync #(.STAGES(COMMON ? 1 : SYNC_FF + 1)) u_rst_rd (.clk(rclk), .d(rst || hold), .q(seen_by_reader));
    vendor_sync #(.STAGES(COMMON ? 2 : SYNC_FF + 1)) u_rst_wr (.clk(wr_clk), .d(seen_by_reader), .q(seen_back));
    always @(posedge wr_clk)
        if (rst) hold <= 1'b1;
        else if (seen_back) hold <= 1'b0;

    // Pointers count one bit further than the memory. What the other side knows of them is older.
    reg [A:0] wr_at, rd_at;
    initial {wr_at, rd_at} = 0;
    wire [A:0] wr_seen, rd_seen, held_seen;
    wire [1:0] staged;
    generate
        if (COMMON && !RELATED) begin : g_common
            assign wr_seen = wr_at;
            assign rd_seen = rd_at;
            assign held_seen = rd_at - (A + 1)'(staged);
        end else begin : g_apart
            localparam int STEPS = RELATED ? 1 : SYNC_FF + 2;
            vendor_sync #(.WIDTH(A + 1), .STAGES(STEPS)) u_wr (.clk(rclk), .d(wr_at), .q(wr_seen));
            vendor_sync #(.WIDTH(A + 1), .STAGES(STEPS)) u_rd (.clk(wr_clk), .d(rd_at), .q(rd_seen));
            vendor_sync #(.WIDTH(A + 1), .STAGES(STEPS)) u_held (
                .clk(wr_clk), .d(rd_at - (A + 1)'(staged)), .q(held_seen)
            );
        end
    endgenerate

    // writing side
    reg [WIDTH-1:0] memory[0:DEPTH-1];
    wire [A:0] used = wr_at - rd_seen;
    wire put = wr_en && !full && !wr_busy;
    assign full = wr_busy || int'(used) >= ROOM;
    assign almost_full = wr_busy || int'(used) >= ROOM - 1;
    initial {prog_full, wr_ack, overflow, wr_count} = 0;
    always @(posedge wr_clk) begin
        if (put) begin
            memory[wr_at[A-1:0]] <= din;
            wr_at <= wr_at + 1'b1;
        end
        wr_ack <= put;
        overflow <= wr_en && !put;
        prog_full <= int'(used) >= PROG_FULL - STAGES;
        wr_count <= wr_at - held_seen;
        if (wr_busy) begin
            wr_at <= 0;
            prog_full <= 1'b1;
            wr_count <= 0;
        end
    end

    // reading side
    wire [A:0] left = wr_seen - rd_at;
    wire any = left != 0 && !rd_busy;
    wire get;
    reg counted;
    reg [A:0] count_q;
    initial {prog_empty, underflow, counted, count_q} = {2'b10, {(A + 2) {1'b0}}};
    always @(posedge rclk) begin
        if (get) rd_at <= rd_at + 1'b1;
        underflow <= rd_en && !valid_or_any;
        prog_empty <= int'(left) <= PROG_EMPTY - STAGES;
        count_q <= left + (A + 1)'(staged);
        counted <= 1'b1;
        if (rd_busy) begin
            rd_at <= 0;
            prog_empty <= 1'b1;
            counted <= 1'b0;
        end
    end
    assign rd_count = counted ? count_q : 0;

    generate
        if (FWFT) begin : g_fwft
            reg [1:0] full_q;  // the memory's output register, the port's register
            reg [WIDTH-1:0] first, second;
            initial {full_q, first, second} = {2'b00, EMPTY_RESET, EMPTY_RESET};
            wire move = full_q[0] && (!full_q[1] || rd_en);
            assign get = any && (!full_q[0] || move);
            always @(posedge rclk) begin
                if (get) first <= memory[rd_at[A-1:0]];
                if (move) second <= first;
                full_q <= {move || (full_q[1] && !rd_en), get || (full_q[0] && !move)};
                if (rd_busy) full_q <= 2'b00;
            end
            assign staged = {1'b0, full_q[0]} + {1'b0, full_q[1]};
            assign dout = second;
            assign valid = full_q[1];
            assign empty = !full_q[1];
            assign almost_empty = full_q != 2'b11;
            assign valid_or_any = valid;
        end else begin : g_standard
            reg [WIDTH-1:0] word;
            reg read;
            initial {read, word} = {1'b0, EMPTY_RESET};
            assign get = any && rd_en;
            always @(posedge rclk) begin
                if (get) word <= memory[rd_at[A-1:0]];
                read <= get;
                if (rd_busy) begin
                    read <= 1'b0;
                    word <= EMPTY_RESET;
                end
            end
            if (LATENCY > 1) begin : g_later
                vendor_sync #(.WIDTH(WIDTH + 1), .STAGES(LATENCY - 1)) u_later (
                    .clk(rclk), .d({read, word}), .q({valid, dout})
                );
            end else if (LATENCY == 1) begin : g_next
                assign {valid, dout} = {read, word};
            end else begin : g_now
                assign {valid, dout} = {any, memory[rd_at[A-1:0]]};
            end
            assign staged = 2'd0;
            assign empty = !any;
            assign almost_empty = rd_busy || left <= 1;
            assign valid_or_any = any;
        end
    endgenerate
endmodule

`default_nettype wire
