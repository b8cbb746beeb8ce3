// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_switch - the proof of axis_switch, for an arbitrary input and an arbitrary output.
//
//   order         the packets of this input for this output leave there with its number, all and in order
//   whole         at this output no beat of another input comes between those of a packet
//   progress_in   FAIR = 1: the input is served in time, when packets have at most LONG beats and no gaps
`default_nettype none

module formal_axis_switch #(
    parameter int N      = 2,
    parameter int M      = 2,
    parameter int DATA_W = 1,
    parameter int DEST_W = 1,
    parameter int CUT   = 0,
    parameter int STALL  = 1,
    parameter bit FAIR   = 1,
    parameter int LONG   = 2
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [N*DATA_W-1:0] s_axis_tdata,
    input wire [N*DEST_W-1:0] s_axis_tdest,
    input wire [N-1:0]        s_axis_tlast,
    input wire [N-1:0]        s_axis_tvalid,
    input wire [M-1:0]        m_axis_tready
);

    localparam int ID_W     = N > 1 ? $clog2(N) : 1;
    localparam int OUT_W    = M > 1 ? $clog2(M) : 1;
    localparam int CAPACITY = CUT == 4 ? 3 : CUT == 0 ? 2 : 1;
    localparam int HELD_W   = $clog2(CAPACITY + 2);

    wire [N-1:0]        s_axis_tready, error_dest;
    wire [M-1:0]        m_axis_tlast, m_axis_tvalid;
    wire [M*DATA_W-1:0] m_axis_tdata;
    wire [M*ID_W-1:0]   m_axis_tid;
    wire [HELD_W-1:0]   held;

    axis_switch #(.N(N), .M(M), .DATA_W(DATA_W), .DEST_W(DEST_W), .CUT(CUT)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tdest(s_axis_tdest), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tid(m_axis_tid), .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .error_dest(error_dest)
    );

    (* anyconst *) logic [ID_W-1:0]  which;
    (* anyconst *) logic [OUT_W-1:0] target;

    always_comb assume (32'(which) < N && 32'(target) < M);

    // ---- the input
    wire [N-1:0]      fire  = s_axis_tvalid & s_axis_tready;
    wire [DATA_W-1:0] s_data = DATA_W'(s_axis_tdata >> (which * DATA_W));
    wire [DEST_W-1:0] s_dest = DEST_W'(s_axis_tdest >> (which * DEST_W));
    logic [N-1:0]      inside_q;
    logic [DEST_W-1:0] dest_q;
    logic              error_q;

    wire [DEST_W-1:0] dest = inside_q[which] ? dest_q : s_dest;

    always_ff @(posedge aclk) begin
        for (int i = 0; i < N; i++) if (fire[i]) inside_q[i] <= !s_axis_tlast[i];
        if (fire[which]) dest_q <= dest;
        error_q <= fire[which] && !inside_q[which] && 32'(s_dest) >= M;
        if (!aresetn) begin
            inside_q <= '0;
            error_q  <= 1'b0;
        end
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    generate
        for (genvar i = 0; i < N; i++) begin : g_input
            formal_source #(.DATA_W(DATA_W + 1 + DEST_W), .POLITE(1), .QUIET(0)) u_source (
                .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
                .tdata({s_axis_tlast[i], s_axis_tdest[i*DEST_W +: DEST_W], s_axis_tdata[i*DATA_W +: DATA_W]}),
                .tvalid(s_axis_tvalid[i]), .tready(s_axis_tready[i])
            );
            if (FAIR) begin : g_fair
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

    formal_source #(
        .DATA_W(1), .QUIET(0), .WITHIN(FAIR ? (N - 1) * LONG * (STALL + 1) + 2 * STALL + 3 : -1)
    ) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(1'b0),
        .tvalid(s_axis_tvalid[which]), .tready(s_axis_tready[which])
    );

    // ---- the output
    wire [DATA_W-1:0] m_data  = DATA_W'(m_axis_tdata >> (target * DATA_W));
    wire [ID_W-1:0]   m_tid   = ID_W'(m_axis_tid >> (target * ID_W));
    wire              m_last  = m_axis_tlast[target];
    wire              m_valid = m_axis_tvalid[target];
    wire              m_fire  = m_valid && m_axis_tready[target];
    wire              mine    = m_tid == which;
    logic             open_q;
    logic [ID_W-1:0]  tid_q;

    always_ff @(posedge aclk) begin
        if (m_fire) begin
            open_q <= !m_last;
            tid_q  <= m_tid;
        end
        if (!aresetn) open_q <= 1'b0;
    end

    generate
        for (genvar i = 0; i < M; i++) begin : g_output
            formal_sink #(.DATA_W(DATA_W + 1 + ID_W), .STALL(STALL)) u_sink (
                .aclk(aclk), .aresetn(aresetn), .pending(1'b0),
                .tdata({m_axis_tid[i*ID_W +: ID_W], m_axis_tlast[i], m_axis_tdata[i*DATA_W +: DATA_W]}),
                .tvalid(m_axis_tvalid[i]), .tready(m_axis_tready[i])
            );
        end
    endgenerate

    formal_sink #(.DATA_W(DATA_W + 1), .WITHIN(2 * STALL + 2)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0), .tdata({m_last, m_data}), .tvalid(m_valid),
        .tready(m_axis_tready[target])
    );

    formal_track #(.UNIT(DATA_W + 1), .CAPACITY(CAPACITY)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data({s_axis_tlast[which], s_data}), .in_units(1'(32'(dest) == 32'(target))), .in_fire(fire[which]),
        .out_data({m_last, m_data}), .out_units(1'b1), .out_valid(m_valid && mine), .out_fire(m_fire && mine),
        .held(held)
    );

    always_comb if (aresetn) begin
        pulse_dest: assert (error_dest[which] == error_q);
        if (m_valid) exists: assert (32'(m_tid) < N);
        if (m_valid && open_q) whole: assert (m_tid == tid_q);
    end

endmodule

`default_nettype wire
