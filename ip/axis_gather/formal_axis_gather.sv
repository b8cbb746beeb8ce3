// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_gather - the proof of axis_gather, for an arbitrary replica and a mask that stays.
//
//   order         its frames come out whole and in order, in its turns and no others
//   progress_in   in its turn it is served in time, whether the other replicas have frames or not
`default_nettype none

module formal_axis_gather #(
    parameter int N      = 2,
    parameter int DATA_W = 1,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'(64'hFEDC_BA98_7654_3210),
    parameter int CUT    = 4,
    parameter int STALL  = 1
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [N*DATA_W-1:0] s_axis_tdata,
    input wire [N-1:0]        s_axis_tlast,
    input wire [N-1:0]        s_axis_tvalid,
    input wire                m_axis_tready
);

    localparam int CAPACITY = CUT == 4 ? 3 : CUT == 0 ? 2 : 1;
    localparam int HELD_W   = $clog2(CAPACITY + 2);
    localparam int ID_W     = $clog2(N);
    localparam int PLACE_W  = LENGTH > 1 ? $clog2(LENGTH) : 1;
    localparam int BEAT_W   = DATA_W + 1;

    wire                m_axis_tlast, m_axis_tvalid;
    wire [N-1:0]        s_axis_tready;
    wire [DATA_W-1:0]   m_axis_tdata;
    wire [HELD_W-1:0]   held;

    (* anyconst *) logic [N-1:0] alive;

    axis_gather #(
        .N(N), .DATA_W(DATA_W), .LENGTH(LENGTH), .PATTERN(PATTERN), .CUT(CUT)
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

    // The turns at both sides.
    logic [PLACE_W-1:0] in_q, out_q;
    wire [N-1:0] fire   = s_axis_tvalid & s_axis_tready;
    wire         m_fire = m_axis_tvalid && m_axis_tready;
    wire         turn   = 32'(entry(in_q)) == 32'(which);
    wire         mine   = 32'(entry(out_q)) == 32'(which);

    always_ff @(posedge aclk) begin
        if ((fire & s_axis_tlast) != '0) in_q <= following(alive, in_q);
        if (m_fire && m_axis_tlast) out_q <= following(alive, out_q);
        if (!aresetn) begin
            in_q  <= following(alive, PLACE_W'(LENGTH - 1));
            out_q <= following(alive, PLACE_W'(LENGTH - 1));
        end
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_sink #(.DATA_W(BEAT_W), .STALL(STALL), .WITHIN(STALL + int'(CUT == 4))) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0 && mine),
        .tdata({m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    always_comb if (aresetn) one_ready: assert ((s_axis_tready & (s_axis_tready - 1'b1)) == '0);

    formal_source #(.DATA_W(1), .WITHIN(LENGTH + STALL + 2)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(turn), .tdata(1'b0),
        .tvalid(s_axis_tvalid[which]), .tready(s_axis_tready[which])
    );
    formal_track #(.UNIT(BEAT_W), .CAPACITY(CAPACITY)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data({s_axis_tlast[which], DATA_W'(s_axis_tdata >> (32'(which) * DATA_W))}),
        .in_units(1'b1), .in_fire(fire[which]),
        .out_data({m_axis_tlast, m_axis_tdata}), .out_units(1'b1),
        .out_valid(m_axis_tvalid && mine), .out_fire(m_fire && mine), .held(held)
    );

endmodule

`default_nettype wire
