// SPDX-License-Identifier: BSD-3-Clause
//
// axis_concat - concatenates N streams along the channels, pixel by pixel.
//
// The words of a pixel follow each other in a stream, lowest channels first. The output has, for each pixel, all words
// of input 0, then those of input 1, and so on: the element order of one stream with the channels of all. All streams
// have words of one width, which an axis_width in front of an input can provide. A tensor without rows and columns
// is one pixel.
//
// Throughput  one beat per cycle, no bubble when the input changes
// Latency     as axis_register: 1 cycle, CUT 4 2 cycles
// Paths       CUT 0, 4, 5: all of m_axis is flops; s_axis_tready is decoded from flops, no combinational path to it
//             others: as axis_register
// Resources   axis_register #(DATA_W + 1) of that cut and an N to 1 multiplexer of DATA_W + 1 bits; counters of
//             words and pixels, about 1 LUT a bit
//
// A word of another input than the one whose turn it is waits, whatever its own consumer or producer does. The end of a
// frame is counted (PIXELS), or taken from the last input, whose last word of a frame is also the last one of the output.
//
// Parameters: N       inputs, 2 to 16
//             DATA_W  bits of a word, 1 or more
//             WORDS   words of a pixel, 32 bits for each input, 1 or more; input 0 lowest
//             PIXELS  pixels of a frame; 0: m_axis_tlast follows s_axis_tlast of the last input
//             CUT     of the axis_register at the output, 0 to 5; 4 is the smallest, 0 a cycle faster
// Checked by: test_axis_concat.py
`default_nettype none

module axis_concat #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter logic [N*32-1:0] WORDS = {N{32'd1}},
    parameter int PIXELS = 0,
    parameter int CUT    = 4
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N*DATA_W-1:0]   s_axis_tdata,
    input  wire                   s_axis_tlast,   // of input N - 1
    input  wire  [N-1:0]          s_axis_tvalid,
    output logic [N-1:0]          s_axis_tready,

    output logic [DATA_W-1:0]     m_axis_tdata,
    output logic                  m_axis_tlast,
    output logic                  m_axis_tvalid,
    input  wire                   m_axis_tready
);

    localparam int ID_W = $clog2(N);

    // The most words that a pixel has in a stream.
    function automatic logic [31:0] most();
        most = 32'd1;
        for (int i = 0; i < N; i++) if (WORDS[i*32 +: 32] > most) most = WORDS[i*32 +: 32];
    endfunction

    function automatic logic none();
        none = 1'b0;
        for (int i = 0; i < N; i++) if (WORDS[i*32 +: 32] == 32'd0) none = 1'b1;
    endfunction

    localparam logic [31:0] MOST = most();
    localparam int          LEFT_W = MOST > 1 ? $clog2(MOST) : 1;

    logic [ID_W-1:0] turn_q;
    wire             ready, last;
    wire  [15:0]     request = 16'(s_axis_tvalid);
    wire             valid   = request[4'(turn_q)];
    wire             fire    = valid && ready;
    wire             final_input = turn_q == ID_W'(N - 1);
    wire             final_word;
    wire  [ID_W-1:0] next = final_input ? '0 : turn_q + 1'b1;

    always_ff @(posedge aclk) begin
        if (fire && final_word) turn_q <= next;
        if (!aresetn) turn_q <= '0;
    end

    generate
        if (N < 2 || N > 16) begin : g_check_n
            N_must_be_2_to_16 parameter_error();
        end
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (none()) begin : g_check_words
            WORDS_must_be_at_least_1_for_each_input parameter_error();
        end
        if (PIXELS < 0) begin : g_check_pixels
            PIXELS_must_be_at_least_0 parameter_error();
        end

        // ---- words of this pixel that are to come from the input, but for this one
        if (MOST == 32'd1) begin : g_single
            assign final_word = 1'b1;
        end else begin : g_words
            logic [LEFT_W-1:0] left_q, load;
            assign final_word = left_q == '0;
            always_comb begin
                load = LEFT_W'(WORDS[31:0] - 32'd1);
                for (int i = 1; i < N; i++) if (next == ID_W'(i)) load = LEFT_W'(WORDS[i*32 +: 32] - 32'd1);
            end
            always_ff @(posedge aclk) begin
                if (fire) left_q <= final_word ? load : left_q - 1'b1;
                if (!aresetn) left_q <= LEFT_W'(WORDS[31:0] - 32'd1);
            end
        end

        // ---- end of a frame
        if (PIXELS == 0) begin : g_carry
            assign last = final_input && s_axis_tlast;
        end else begin : g_count
            if (PIXELS == 1) begin : g_one
                assign last = final_input && final_word;
            end else begin : g_pixels
                logic [$clog2(PIXELS)-1:0] pixel_q;
                logic                      last_pixel_q;
                always_ff @(posedge aclk) begin
                    if (fire && final_word && final_input) begin
                        pixel_q      <= last_pixel_q ? '0 : pixel_q + 1'b1;
                        last_pixel_q <= pixel_q == ($clog2(PIXELS))'(PIXELS - 2);
                    end
                    if (!aresetn) begin
                        pixel_q      <= '0;
                        last_pixel_q <= 1'b0;
                    end
                end
                assign last = final_input && final_word && last_pixel_q;
            end
            wire unused = &{1'b0, s_axis_tlast};
        end

        for (genvar i = 0; i < N; i++) begin : g_ready
            assign s_axis_tready[i] = ready && turn_q == ID_W'(i);
        end

        // ---- data: a tree of 2 to 1 multiplexers; level k has the nodes 2**k to 2**(k+1) - 1, the inputs are the last
        for (genvar i = (2 << ID_W) - 1; i > 0; i--) begin : g_node
            wire [DATA_W-1:0] value;
            if (i >= (1 << ID_W) + N) begin : g_none
                assign value = '0;
            end else if (i >= 1 << ID_W) begin : g_input
                assign value = s_axis_tdata[(i-(1<<ID_W))*DATA_W +: DATA_W];
            end else begin : g_choice
                localparam int K = $clog2(i + 1) - 1;
                assign value = turn_q[K] ? g_node[i+(2<<K)].value : g_node[i+(1<<K)].value;
            end
        end
    endgenerate

    axis_register #(.DATA_W(DATA_W + 1), .CUT(CUT)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({last, g_node[1].value}),
        .s_axis_tvalid(valid),
        .s_axis_tready(ready),
        .m_axis_tdata({m_axis_tlast, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
