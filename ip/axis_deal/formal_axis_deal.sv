// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_deal - the proof of axis_deal, for an arbitrary replica and a mask that stays.
//
//   order         the frames of its turns come to it, whole and in order, and no others
//   progress_in   the source is served in time
`default_nettype none

module formal_axis_deal #(
    parameter int N      = 2,
    parameter int DATA_W = 1,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'(64'hFEDC_BA98_7654_3210),
    parameter bit REG_EN = 1,
    parameter int STALL  = 1
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tlast,
    input wire              s_axis_tvalid,
    input wire [N-1:0]      m_axis_tready
);

    localparam int CAPACITY = REG_EN ? 2 : 0;
    localparam int HELD_W   = $clog2(CAPACITY + 2);
    localparam int ID_W     = $clog2(N);
    localparam int PLACE_W  = LENGTH > 1 ? $clog2(LENGTH) : 1;
    localparam int WIRES    = int'(!REG_EN);
    localparam int BEAT_W   = DATA_W + 1;

    wire                s_axis_tready;
    wire [N*DATA_W-1:0] m_axis_tdata;
    wire [N-1:0]        m_axis_tlast, m_axis_tvalid;
    wire [HELD_W-1:0]   held;

    (* anyconst *) logic [N-1:0] alive;

    axis_deal #(
        .N(N), .DATA_W(DATA_W), .LENGTH(LENGTH), .PATTERN(PATTERN), .REG_EN(REG_EN)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .mask(alive),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    (* anyconst *) logic [ID_W-1:0] which;
    logic any;

    function automatic logic [3:0] entry(input logic [PLACE_W-1:0] place);
        entry = PATTERN[3:0];
        for (int k = 1; k < LENGTH; k++) if (place == PLACE_W'(k)) entry = PATTERN[k*4 +: 4];
    endfunction

    always_comb begin
        any = 1'b0;
        for (int k = 0; k < LENGTH; k++) any = any || 1'(alive >> PATTERN[k*4 +: 4]);
        assume (any && 32'(which) < N);
    end

    // The next place after `place`, around the end, of a replica that is alive.
    function automatic logic [PLACE_W-1:0] following(input logic [N-1:0] left, input logic [PLACE_W-1:0] place);
        following = '0;
        for (int k = LENGTH - 1; k >= 0; k--) if (1'(left >> PATTERN[k*4 +: 4])) following = PLACE_W'(k);
        for (int k = LENGTH - 1; k >= 0; k--)
            if (PLACE_W'(k) > place && 1'(left >> PATTERN[k*4 +: 4])) following = PLACE_W'(k);
    endfunction

    logic [PLACE_W-1:0] place_q;
    wire              s_fire = s_axis_tvalid && s_axis_tready;
    wire              mine   = 32'(entry(place_q)) == 32'(which);
    wire [BEAT_W-1:0] beat   = {m_axis_tlast[which], DATA_W'(m_axis_tdata >> (32'(which) * DATA_W))};
    wire              valid  = m_axis_tvalid[which];

    always_ff @(posedge aclk) begin
        if (s_fire && s_axis_tlast) place_q <= following(alive, place_q);
        if (!aresetn) place_q <= following(alive, PLACE_W'(LENGTH - 1));
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(
        .DATA_W(BEAT_W), .POLITE(1), .QUIET(1 - WIRES), .WITHIN(LENGTH + STALL + 1)
    ) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata({s_axis_tlast, s_axis_tdata}), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    generate
        for (genvar i = 0; i < N; i++) begin : g_output
            formal_sink #(.DATA_W(BEAT_W), .QUIET(1 - WIRES), .STALL(STALL)) u_sink (
                .aclk(aclk), .aresetn(aresetn), .pending(1'b0),
                .tdata({m_axis_tlast[i], m_axis_tdata[i*DATA_W +: DATA_W]}),
                .tvalid(m_axis_tvalid[i]), .tready(m_axis_tready[i])
            );
        end
    endgenerate

    formal_sink #(.DATA_W(1), .QUIET(0), .WITHIN(2 * STALL + 1)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0), .tdata(1'b0), .tvalid(valid),
        .tready(m_axis_tready[which])
    );
    formal_track #(.UNIT(BEAT_W), .CAPACITY(CAPACITY), .PASS(WIRES)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data({s_axis_tlast, s_axis_tdata}), .in_units(mine), .in_fire(s_fire),
        .out_data(beat), .out_units(1'b1), .out_valid(valid), .out_fire(valid && m_axis_tready[which]),
        .held(held)
    );

endmodule

`default_nettype wire
