// SPDX-License-Identifier: BSD-3-Clause
//
// word_join - simulation only: joins two partitions without a shell, for the monolith reference.
//
// Takes the IN_WORD payload bits of each word and hands them on as words of OUT_WORD payload bits, the
// first bit in the least significant place, upper bits of TDATA zero. It is a queue of single bits on
// purpose: the reference must not share an algorithm with ip/axis_width. WORDS of them fit in front.
//
// Throughput: one word per cycle on the side with the wider words. Latency: one cycle.
// Parameters: IN_W, OUT_W  TDATA in bits; IN_WORD, OUT_WORD  payload bits of a word;
//             WORDS  words that wait in front, 0 or more
`default_nettype none

module word_join #(
    parameter int IN_W     = 8,
    parameter int IN_WORD  = 8,
    parameter int OUT_W    = 8,
    parameter int OUT_WORD = 8,
    parameter int WORDS    = 0
) (
    input  wire              aclk,
    input  wire              aresetn,
    input  wire [IN_W-1:0]   s_axis_tdata,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    output reg  [OUT_W-1:0]  m_axis_tdata,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready
);
    localparam int SIZE = 2 * (IN_WORD + OUT_WORD);

    reg [SIZE-1:0] bits_q;
    integer        count_q;

    wire [IN_WORD-1:0] word;
    wire               word_valid;
    wire               word_ready = count_q <= SIZE - IN_WORD;
    wire               unused = &{1'b0, s_axis_tdata};

    generate
        if (WORDS == 0) begin : g_straight
            assign word          = s_axis_tdata[IN_WORD-1:0];
            assign word_valid    = s_axis_tvalid;
            assign s_axis_tready = word_ready;
        end else begin : g_waiting
            reg [IN_WORD-1:0] words [0:WORDS-1];
            integer first_q, waiting_q;
            assign word          = words[first_q];
            assign word_valid    = waiting_q != 0;
            assign s_axis_tready = waiting_q != WORDS;
            always @(posedge aclk) begin
                if (s_axis_tvalid && s_axis_tready) words[(first_q + waiting_q) % WORDS] <= s_axis_tdata[IN_WORD-1:0];
                if (word_valid && word_ready) first_q <= (first_q + 1) % WORDS;
                waiting_q <= waiting_q + (s_axis_tvalid && s_axis_tready ? 1 : 0) - (word_valid && word_ready ? 1 : 0);
                if (!aresetn) begin
                    first_q   <= 0;
                    waiting_q <= 0;
                end
            end
        end
    endgenerate

    assign m_axis_tvalid = count_q >= OUT_WORD;
    always @* begin
        m_axis_tdata = {OUT_W{1'b0}};
        m_axis_tdata[OUT_WORD-1:0] = bits_q[OUT_WORD-1:0];
    end

    always @(posedge aclk) begin : p_queue
        reg [SIZE-1:0] bits;
        integer at;
        bits = bits_q;
        at = count_q;
        if (m_axis_tvalid && m_axis_tready) begin
            bits = bits >> OUT_WORD;
            at = at - OUT_WORD;
        end
        if (word_valid && word_ready) begin : p_append
            integer i;
            for (i = 0; i < IN_WORD; i = i + 1) bits[at + i] = word[i];
            at = at + IN_WORD;
        end
        bits_q <= bits;
        count_q <= at;
        if (!aresetn) begin
            bits_q <= {SIZE{1'b0}};
            count_q <= 0;
        end
    end
endmodule

`default_nettype wire
