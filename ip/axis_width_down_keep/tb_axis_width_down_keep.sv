// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_down_keep - axis_width_down_keep against windows that a count of bytes cuts out of random words.
//
// A word is loaded with any number of bytes, and windows follow one another over it as in axis_width_down: from
// any start below OUT_UNITS, by OUT_UNITS units each, to the end of the frame or of the word; with EARLY the first
// is read from the input. What is left of a last word goes below a word of zeros, where one more window follows.
`default_nettype none

module axis_width_down_keep_case #(
    parameter int KEEP_W = 1, IN_UNITS = 2, OUT_UNITS = 1, WORDS = 200, SEED = 1,
    parameter bit EARLY = 0
) (
    input  wire          aclk,
    output logic         done,
    output logic [31:0]  compared
);
    localparam int START_W = $clog2(IN_UNITS);
    localparam int BYTES   = IN_UNITS * KEEP_W;

    logic                         load, flush, flushing, early, is_last;
    logic [BYTES-1:0]             tkeep;
    logic [START_W-1:0]           start;
    wire                          at_end;
    wire  [OUT_UNITS*KEEP_W-1:0]  keep;

    axis_width_down_keep #(.KEEP_W(KEEP_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .EARLY(EARLY)) u_dut (
        .aclk(aclk), .load(load), .flush(flush), .flushing(flushing), .early(early), .is_last(is_last),
        .s_axis_tkeep(tkeep), .start(start), .at_end(at_end), .keep(keep)
    );

    int          word, bytes, low;      // low: the unit of the word at which the window starts
    logic        loading;
    logic [31:0] dice;

    // What the block must say of the window.
    logic                        ends;
    logic [OUT_UNITS*KEEP_W-1:0] kept;
    always_comb begin
        ends = is_last && (low + OUT_UNITS) * KEEP_W >= bytes;
        for (int b = 0; b < OUT_UNITS * KEEP_W; b++) kept[b] = !is_last || low * KEEP_W + b < bytes;
    end
    // The next window would reach beyond the word.
    wire late  = low + 2 * OUT_UNITS > IN_UNITS;

    initial begin
        dice = 32'(SEED) * 32'h9E3779B1 + 1;
        {done, flushing, is_last, loading} = 4'b0011;
        compared = 0;
        word  = 0;
        bytes = BYTES;
        tkeep = '1;
        low   = 1 - OUT_UNITS;
        start = '0;
    end
    assign load  = loading;
    assign early = loading && EARLY;
    assign flush = !loading && is_last && !flushing && late && !ends;

    // A window, or the load of a word, in each cycle; all changes between the edges of the clock.
    always @(posedge aclk) if (!done) begin
        dice <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};
        if (!loading || EARLY) begin
            if (at_end !== ends || keep !== kept)
                $fatal(1, "word %0d of %0d bytes, window at unit %0d: at_end %b keep %b, expected %b %b (%m)",
                       word, bytes, low, at_end, keep, ends, kept);
            compared <= compared + 1;
        end
        if (loading && !EARLY) begin
            loading <= 1'b0;
        end else if (ends || (late && !flush)) begin
            next_word;
        end else begin
            loading  <= 1'b0;
            flushing <= flush;
            low      <= low + OUT_UNITS;
            start    <= START_W'(low + 2 * OUT_UNITS - 1 - (flush ? IN_UNITS : 0));
        end
    end

    task next_word;
        int first, length;
        first  = OUT_UNITS > 1 ? int'(dice[15:8]) % OUT_UNITS : 0;
        length = int'(dice[31:16]) % BYTES + 1;
        loading  <= 1'b1;
        flushing <= 1'b0;
        is_last  <= dice[3:1] != 3'd0;
        bytes    <= dice[3:1] != 3'd0 ? length : BYTES;
        tkeep    <= dice[3:1] != 3'd0 ? ~({BYTES{1'b1}} << length) : '1;
        low      <= first - OUT_UNITS + 1;
        start    <= START_W'(first);
        word     <= word + 1;
        done     <= word == WORDS;
    endtask
endmodule

`define CASE(K) u_``K (.aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]))

module tb_axis_width_down_keep;
    localparam int N = 8;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_width_down_keep_case #(.KEEP_W(1), .IN_UNITS(2), .OUT_UNITS(1), .EARLY(1)) `CASE(0);
    axis_width_down_keep_case #(.KEEP_W(4), .IN_UNITS(8), .OUT_UNITS(1), .EARLY(1)) `CASE(1);
    axis_width_down_keep_case #(.KEEP_W(3), .IN_UNITS(5), .OUT_UNITS(1)) `CASE(2);
    axis_width_down_keep_case #(.KEEP_W(1), .IN_UNITS(3), .OUT_UNITS(2), .WORDS(400)) `CASE(3);
    axis_width_down_keep_case #(.KEEP_W(2), .IN_UNITS(4), .OUT_UNITS(3), .WORDS(400)) `CASE(4);
    axis_width_down_keep_case #(.KEEP_W(1), .IN_UNITS(8), .OUT_UNITS(5), .WORDS(400)) `CASE(5);
    axis_width_down_keep_case #(.KEEP_W(3), .IN_UNITS(7), .OUT_UNITS(5), .WORDS(400)) `CASE(6);
    axis_width_down_keep_case #(.KEEP_W(1), .IN_UNITS(64), .OUT_UNITS(5), .WORDS(400)) `CASE(7);
endmodule

`undef CASE
`default_nettype wire
