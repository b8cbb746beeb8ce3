// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_add - beats of N streams through axis_add: every sum, rate, tlast, and extreme elements.
//
// Every fourth beat of a lane is all ones, all zeros or the smallest signed elements, at random: the ends of every range.
`default_nettype none

module axis_add_case #(
    parameter int N = 2, ELEMENTS = 1, OUT_W = 9, SEED = 1, BEATS = 150,
    parameter logic [N*8-1:0] IN_W   = {N{8'd8}},
    parameter logic [N-1:0]   SIGNED = '0
) (
    input  wire         aclk,
    output wire         done,
    output logic [31:0] compared
);
    function automatic int bits(input int i);
        bits = int'(IN_W[i*8 +: 8]);
    endfunction
    function automatic int offset(input int upto);
        offset = 0;
        for (int i = 0; i < upto; i++) offset = offset + int'(IN_W[i*8 +: 8]) * ELEMENTS;
    endfunction
    localparam int ALL_W  = offset(N);
    localparam int LANE_W = 64 * ELEMENTS + 4;

    wire                clock = aclk && !done;
    wire                aresetn, m_tlast, m_tvalid, m_tready;
    wire [N*LANE_W-1:0] lanes;
    wire [ALL_W-1:0]    s_tdata;
    wire [N*32-1:0]     count;
    wire [N-1:0]        s_tvalid, s_tready;
    wire [ELEMENTS*OUT_W-1:0] m_tdata;
    logic [N-1:0]       more;
    int                 phase, beat;
    logic signed [79:0] element, sum;
    logic [31:0]        code;

    always_comb for (int i = 0; i < N; i++) more[i] = phase > 4 || count[i*32 +: 32] < 32'(BEATS);

    bench_lanes #(.N(N), .W(LANE_W), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn), .phase(phase), .done(done), .more(more), .count(count),
        .s_axis_tdata(lanes), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .ended(beat == BEATS && phase < 5), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // Element e of a lane, of which the lowest 4 bits say whether it is extreme.
    function automatic logic [63:0] value(input logic [LANE_W-1:0] lane, input int e, input int width);
        value = lane[4+e*64 +: 64];
        if (lane[1:0] == 2'd0)
            value = lane[3:2] == 2'd0 ? 64'd0 : lane[3:2] == 2'd1 ? '1
                  : lane[3:2] == 2'd2 ? 64'd1 << (width - 1) : ~(64'd1 << (width - 1));
    endfunction

    generate
        for (genvar i = 0; i < N; i++) begin : g_lane
            localparam int BITS = int'(IN_W[i*8 +: 8]);
            for (genvar e = 0; e < ELEMENTS; e++) begin : g_element
                wire [63:0] whole = value(lanes[i*LANE_W +: LANE_W], e, BITS);
                assign s_tdata[offset(i)+e*BITS +: BITS] = whole[BITS-1:0];
            end
        end
    endgenerate

    axis_add #(.N(N), .ELEMENTS(ELEMENTS), .IN_W(IN_W), .SIGNED(SIGNED), .ALL_W(ALL_W), .OUT_W(OUT_W)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(count[1:0] == 2'd2), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    initial begin
        compared = 0; beat = 0;
    end
    always @(posedge clock) begin
        if (aresetn && m_tvalid && m_tready) begin
            for (int e = 0; e < ELEMENTS; e++) begin
                sum = 80'sd0;
                for (int i = 0; i < N; i++) begin
                    element = 80'(value(u_bench.word(i, beat), e, bits(i)));
                    element = element << (80 - bits(i));
                    if (SIGNED[i]) element = element >>> (80 - bits(i));
                    else           element = $signed(element >> (80 - bits(i)));
                    sum = sum + element;
                end
                if (m_tdata[e*OUT_W +: OUT_W] !== OUT_W'(sum))
                    $fatal(1, "phase %0d, beat %0d, element %0d: %h instead of %h (%m)",
                           phase, beat, e, m_tdata[e*OUT_W +: OUT_W], sum);
                // The sum is in range: what is cut off is copies of the sign.
                if (SIGNED != '0 ? sum >>> (OUT_W - 1) != 80'sd0 && sum >>> (OUT_W - 1) != -80'sd1
                                 : sum >>> OUT_W != 80'sd0) $fatal(1, "a sum does not fit (%m)");
                compared = compared + 1;
            end
            if (m_tlast !== (beat % 4 == 2)) $fatal(1, "phase %0d, beat %0d: tlast is %b (%m)", phase, beat, m_tlast);
            beat = beat + 1;
        end
        if (!aresetn) beat = 0;
    end
    always @(posedge clock) if (s_tready != '0 && !(&s_tready && &s_tvalid)) $fatal(1, "inputs are taken apart (%m)");

    axis_checker #(.DATA_W(ELEMENTS * OUT_W + 1), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );
endmodule

module tb_axis_add;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_add_case #(.N(2), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_add_case #(.N(2), .ELEMENTS(3), .IN_W({8'd8, 8'd8}), .SIGNED(2'b11), .OUT_W(9), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_add_case #(.N(2), .ELEMENTS(2), .IN_W({8'd8, 8'd8}), .SIGNED(2'b01), .OUT_W(10), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_add_case #(.N(3), .ELEMENTS(4), .IN_W({8'd8, 8'd5, 8'd9}), .SIGNED(3'b010), .OUT_W(11), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_add_case #(.N(2), .ELEMENTS(5), .IN_W({8'd1, 8'd1}), .OUT_W(2), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_add_case #(.N(2), .IN_W({8'd64, 8'd64}), .SIGNED(2'b11), .OUT_W(65), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_add_case #(.N(5), .ELEMENTS(2), .IN_W({8'd1, 8'd3, 8'd2, 8'd8, 8'd4}), .SIGNED(5'b10000), .OUT_W(40), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_add_case #(.N(16), .IN_W({16{8'd64}}), .OUT_W(68), .BEATS(40), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    // Bipolar elements of one signed bit are 0 and -1; three of them need three bits.
    axis_add_case #(.N(3), .ELEMENTS(8), .IN_W({3{8'd1}}), .SIGNED(3'b111), .OUT_W(3), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[287:256]));
endmodule

`default_nettype wire
