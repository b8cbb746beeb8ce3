// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_arbiter - the proof of axis_arbiter, for an arbitrary input.
//
//   order         its beats leave with its number, all and in order
//   whole         no beat of another input comes between those of a packet
//   turn          while it waits, at most N - 1 packets of other inputs begin
//   progress_in   FAIR = 1: it is served in time, when packets have at most LONG beats and, once begun, no gaps
`default_nettype none

module formal_axis_arbiter #(
    parameter int N      = 2,
    parameter int DATA_W = 1,
    parameter int CUT   = 0,
    parameter int STALL  = 1,
    parameter bit FAIR   = 1,
    parameter int LONG   = 2
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [N*DATA_W-1:0] s_axis_tdata,
    input wire [N-1:0]        s_axis_tlast,
    input wire [N-1:0]        s_axis_tvalid,
    input wire                m_axis_tready
);

    localparam int ID_W     = N > 1 ? $clog2(N) : 1;
    localparam int CAPACITY = CUT == 4 ? 3 : CUT == 0 ? 2 : 1;
    localparam int HELD_W   = $clog2(CAPACITY + 2);
    localparam int TURN_W   = $clog2(N + 1);

    wire              m_axis_tlast, m_axis_tvalid;
    wire [N-1:0]      s_axis_tready;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [ID_W-1:0]   m_axis_tid;
    wire [HELD_W-1:0] held;

    axis_arbiter #(.N(N), .DATA_W(DATA_W), .CUT(CUT)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tid(m_axis_tid), .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    (* anyconst *) logic [ID_W-1:0] which;

    always_comb assume (32'(which) < N);

    wire [N-1:0]      fire    = s_axis_tvalid & s_axis_tready;
    wire [DATA_W:0]   in_beat = {s_axis_tlast[which], DATA_W'(s_axis_tdata >> (which * DATA_W))};
    wire              m_fire  = m_axis_tvalid && m_axis_tready;
    wire              mine    = m_axis_tid == which;

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    generate
        for (genvar i = 0; i < N; i++) begin : g_input
            formal_source #(.DATA_W(DATA_W + 1), .POLITE(1)) u_source (
                .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
                .tdata({s_axis_tlast[i], s_axis_tdata[i*DATA_W +: DATA_W]}),
                .tvalid(s_axis_tvalid[i]), .tready(s_axis_tready[i])
            );
        end
    endgenerate

    formal_source #(
        .DATA_W(1), .WITHIN(FAIR ? (N - 1) * LONG * (STALL + 1) + 2 * STALL + 3 : -1)
    ) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(1'b0),
        .tvalid(s_axis_tvalid[which]), .tready(s_axis_tready[which])
    );

    formal_sink #(.DATA_W(DATA_W + 1 + ID_W), .STALL(STALL), .WITHIN(STALL + int'(CUT == 4))) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0 && mine),
        .tdata({m_axis_tid, m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    formal_track #(.UNIT(DATA_W + 1), .CAPACITY(CAPACITY)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data(in_beat), .in_units(1'b1), .in_fire(fire[which]),
        .out_data({m_axis_tlast, m_axis_tdata}), .out_units(1'b1), .out_valid(m_axis_tvalid && mine),
        .out_fire(m_fire && mine), .held(held)
    );

    // Packets at both sides.
    logic [N-1:0]      inside_q;
    logic [ID_W-1:0]   tid_q;
    logic              open_q;
    logic [TURN_W-1:0] begun_q;
    logic              waits_q;

    wire [N-1:0] starts = fire & ~inside_q;
    wire         waits  = s_axis_tvalid[which] && !inside_q[which];
    wire         other  = starts != '0 && !starts[which];

    always_ff @(posedge aclk) begin
        for (int i = 0; i < N; i++) if (fire[i]) inside_q[i] <= !s_axis_tlast[i];
        if (m_fire) begin
            open_q <= !m_axis_tlast;
            tid_q  <= m_axis_tid;
        end
        waits_q <= waits && !fire[which];
        // The cycle in which it raises tvalid does not count: the grant may have been decided already.
        begun_q <= !waits || fire[which] || !waits_q ? '0 : begun_q + TURN_W'(other);
        if (!aresetn) begin
            inside_q <= '0;
            open_q   <= 1'b0;
            waits_q  <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        if (m_axis_tvalid) exists: assert (32'(m_axis_tid) < N);
        if (m_axis_tvalid && open_q) whole: assert (m_axis_tid == tid_q);
        if (waits && waits_q) turn: assert (32'(begun_q) + 32'(other) < N);
        one_ready: assert ((s_axis_tready & (s_axis_tready - 1'b1)) == '0);
    end

    generate
        if (FAIR) begin : g_fair
            for (genvar i = 0; i < N; i++) begin : g_input
                logic [$clog2(LONG+1)-1:0] beats_q;
                always_ff @(posedge aclk) begin
                    if (fire[i]) beats_q <= s_axis_tlast[i] ? '0 : beats_q + 1'b1;
                    if (!aresetn) beats_q <= '0;
                end
                always_comb if (aresetn) begin
                    if (32'(beats_q) == LONG - 1) assume (s_axis_tlast[i]);
                    if (inside_q[i]) assume (s_axis_tvalid[i]);
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
