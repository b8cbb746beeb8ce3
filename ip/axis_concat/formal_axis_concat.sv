// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_concat - the proof of axis_concat, for an arbitrary input.
//
//   order        its words leave in order, at the places of each pixel that are its own, and nowhere else
//   frame        m_axis_tlast is at the last word of a frame and at no other
//   progress_in  when it is its turn it is served in time, whether the other inputs have words or not
`default_nettype none

module formal_axis_concat #(
    parameter int N      = 2,
    parameter int DATA_W = 1,
    parameter logic [N*32-1:0] WORDS = {N{32'd1}},
    parameter int PIXELS = 0,
    parameter int CUT    = 4,
    parameter int STALL  = 2
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [N*DATA_W-1:0] s_axis_tdata,
    input wire                s_axis_tlast,
    input wire [N-1:0]        s_axis_tvalid,
    input wire                m_axis_tready
);

    localparam int ID_W     = $clog2(N);
    localparam int CAPACITY = CUT == 4 ? 3 : CUT == 0 ? 2 : 1;
    localparam int HELD_W   = $clog2(CAPACITY + 2);

    wire              m_axis_tlast, m_axis_tvalid;
    wire [N-1:0]      s_axis_tready;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [HELD_W-1:0] held;

    axis_concat #(.N(N), .DATA_W(DATA_W), .WORDS(WORDS), .PIXELS(PIXELS), .CUT(CUT)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

    (* anyconst *) logic [ID_W-1:0] which;

    always_comb assume (32'(which) < N);

    // Places at both sides: input, word, pixel.
    logic [ID_W-1:0] in_turn_q, out_turn_q;
    logic [7:0]      in_word_q, out_word_q, out_pixel_q;
    wire             s_fire   = (s_axis_tvalid & s_axis_tready) != '0;
    wire             m_fire   = m_axis_tvalid && m_axis_tready;
    wire             mine     = out_turn_q == which;
    wire             in_last  = 32'(in_word_q) == 32'(WORDS >> (32'(in_turn_q) * 32)) - 1;
    wire             out_last = 32'(out_word_q) == 32'(WORDS >> (32'(out_turn_q) * 32)) - 1;
    wire             in_end   = 32'(in_turn_q) == N - 1;
    wire             out_end  = 32'(out_turn_q) == N - 1;
    wire             closes   = out_last && out_end && (PIXELS == 0 || 32'(out_pixel_q) == PIXELS - 1);

    always_ff @(posedge aclk) begin
        if (s_fire) begin
            in_word_q <= in_last ? '0 : in_word_q + 1'b1;
            if (in_last) in_turn_q <= in_end ? '0 : in_turn_q + 1'b1;
        end
        if (m_fire) begin
            out_word_q <= out_last ? '0 : out_word_q + 1'b1;
            if (out_last) out_turn_q <= out_end ? '0 : out_turn_q + 1'b1;
            if (out_last && out_end) out_pixel_q <= closes ? '0 : out_pixel_q + 1'b1;
        end
        if (!aresetn) begin
            in_turn_q <= '0; in_word_q <= '0; out_turn_q <= '0; out_word_q <= '0; out_pixel_q <= '0;
        end
    end

    // The last input ends a frame with the last word of a pixel.
    always_comb if (PIXELS == 0 && !(in_end && in_last)) assume (!s_axis_tlast);

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(.DATA_W(1), .WITHIN(STALL + 1 + int'(CUT == 4))) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(in_turn_q == which), .tdata(1'b0),
        .tvalid(s_axis_tvalid[which]), .tready(s_axis_tready[which])
    );

    formal_sink #(.DATA_W(DATA_W + 1), .STALL(STALL), .WITHIN(STALL + int'(CUT == 4))) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0 && mine),
        .tdata({m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    formal_track #(.UNIT(DATA_W + 1), .CAPACITY(CAPACITY)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data({PIXELS == 0 && 32'(which) == N - 1 && s_axis_tlast, DATA_W'(s_axis_tdata >> (32'(which) * DATA_W))}),
        .in_units(1'b1), .in_fire(s_axis_tvalid[which] && s_axis_tready[which]),
        .out_data({PIXELS == 0 && m_axis_tlast, m_axis_tdata}), .out_units(1'b1), .out_valid(m_axis_tvalid && mine),
        .out_fire(m_fire && mine), .held(held)
    );

    always_comb if (aresetn) begin
        one_ready: assert ((s_axis_tready & (s_axis_tready - 1'b1)) == '0);
        if (m_axis_tvalid && PIXELS != 0) frame: assert (m_axis_tlast == closes);
        if (m_axis_tvalid && m_axis_tlast) frame_end: assert (closes);
    end

endmodule

`default_nettype wire
