// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_demux - the proof of axis_demux: an arbitrary output gets the packets for it, whole and in order.
`default_nettype none

module formal_axis_demux #(
    parameter int N      = 2,
    parameter int DATA_W = 1,
    parameter int DEST_W = 2,
    parameter bit REG_EN = 1,
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire [DEST_W-1:0] s_axis_tdest,
    input wire              s_axis_tlast,
    input wire              s_axis_tvalid,
    input wire [N-1:0]      m_axis_tready
);

    localparam int CAPACITY = REG_EN ? 2 : 0;
    localparam int HELD_W   = $clog2(CAPACITY + 2);
    localparam int INDEX_W  = N > 1 ? $clog2(N) : 1;
    localparam int WIRES    = int'(!REG_EN);

    wire                s_axis_tready, error_dest;
    wire [N*DATA_W-1:0] m_axis_tdata;
    wire [N-1:0]        m_axis_tlast, m_axis_tvalid;
    wire [HELD_W-1:0]   held;

    axis_demux #(.N(N), .DATA_W(DATA_W), .DEST_W(DEST_W), .REG_EN(REG_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tdest(s_axis_tdest), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .error_dest(error_dest)
    );

    (* anyconst *) logic [INDEX_W-1:0] which;
    logic              inside_q, error_q;
    logic [DEST_W-1:0] dest_q;

    always_comb assume (32'(which) < N);

    wire              s_fire = s_axis_tvalid && s_axis_tready;
    wire [DEST_W-1:0] dest   = inside_q ? dest_q : s_axis_tdest;
    wire              mine   = 32'(dest) == 32'(which);
    wire [DATA_W:0]   beat   = {m_axis_tlast[which], DATA_W'(m_axis_tdata >> (which * DATA_W))};
    wire              valid  = m_axis_tvalid[which];

    always_ff @(posedge aclk) begin
        if (s_fire) begin
            inside_q <= !s_axis_tlast;
            dest_q   <= dest;
        end
        error_q <= s_fire && !inside_q && 32'(s_axis_tdest) >= N;
        if (!aresetn) begin
            inside_q <= 1'b0;
            error_q  <= 1'b0;
        end
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(
        .DATA_W(DATA_W + 1 + DEST_W), .POLITE(WIRES), .QUIET(1 - WIRES), .WITHIN(STALL + 1)
    ) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata({s_axis_tlast, s_axis_tdest, s_axis_tdata}), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    generate
        for (genvar i = 0; i < N; i++) begin : g_output
            formal_sink #(.DATA_W(DATA_W + 1), .QUIET(1 - WIRES), .STALL(STALL)) u_sink (
                .aclk(aclk), .aresetn(aresetn), .pending(1'b0),
                .tdata({m_axis_tlast[i], m_axis_tdata[i*DATA_W +: DATA_W]}),
                .tvalid(m_axis_tvalid[i]), .tready(m_axis_tready[i])
            );
        end
    endgenerate

    formal_sink #(.DATA_W(DATA_W + 1), .QUIET(1 - WIRES), .WITHIN(2 * STALL + 1)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0 || (WIRES != 0 && s_axis_tvalid && mine)),
        .tdata(beat), .tvalid(valid), .tready(m_axis_tready[which])
    );

    formal_track #(.UNIT(DATA_W + 1), .CAPACITY(CAPACITY), .PASS(WIRES)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data({s_axis_tlast, s_axis_tdata}), .in_units(mine), .in_fire(s_fire),
        .out_data(beat), .out_units(1'b1), .out_valid(valid), .out_fire(valid && m_axis_tready[which]),
        .held(held)
    );

    always_comb if (aresetn) pulse_dest: assert (error_dest == error_q);

endmodule

`default_nettype wire
