// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_broadcast - the proof of axis_broadcast: an arbitrary output gets every beat once, in order.
//
// Without registers a beat is offered before it is taken, so there it enters when it is first seen.
`default_nettype none

module formal_axis_broadcast #(
    parameter int N      = 2,
    parameter int DATA_W = 2,
    parameter bit REG_EN = 1,
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire [N-1:0]      m_axis_tready
);

    localparam int CAPACITY = REG_EN ? 2 : 1;
    localparam int INDEX_W  = N > 1 ? $clog2(N) : 1;
    localparam int WIRES    = int'(!REG_EN);

    wire                s_axis_tready;
    wire [N*DATA_W-1:0] m_axis_tdata;
    wire [N-1:0]        m_axis_tvalid;
    wire [1:0]          held;

    axis_broadcast #(.N(N), .DATA_W(DATA_W), .REG_EN(REG_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    (* anyconst *) logic [INDEX_W-1:0] which;
    logic seen_q, left_q;

    always_comb assume (32'(which) < N);

    wire [DATA_W-1:0] data   = DATA_W'(m_axis_tdata >> (which * DATA_W));
    wire              valid  = m_axis_tvalid[which];
    wire              s_fire = s_axis_tvalid && s_axis_tready;
    wire              enter  = REG_EN ? s_fire : s_axis_tvalid && !seen_q;

    always_ff @(posedge aclk) begin
        seen_q <= aresetn && s_axis_tvalid && !s_axis_tready;
        left_q <= aresetn && s_fire;
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(.DATA_W(DATA_W), .POLITE(WIRES), .QUIET(1 - WIRES), .WITHIN(STALL + 1)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata(s_axis_tdata), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    generate
        for (genvar i = 0; i < N; i++) begin : g_output
            formal_sink #(.DATA_W(DATA_W), .QUIET(1 - WIRES), .STALL(STALL)) u_sink (
                .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata(m_axis_tdata[i*DATA_W +: DATA_W]),
                .tvalid(m_axis_tvalid[i]), .tready(m_axis_tready[i])
            );
        end
    endgenerate

    formal_sink #(.DATA_W(DATA_W), .QUIET(1 - WIRES), .WITHIN(2 * STALL + 1)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0), .tdata(data), .tvalid(valid),
        .tready(m_axis_tready[which])
    );

    formal_track #(.UNIT(DATA_W), .CAPACITY(CAPACITY), .PASS(WIRES)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data(s_axis_tdata), .in_units(1'b1), .in_fire(enter),
        .out_data(data), .out_units(1'b1), .out_valid(valid), .out_fire(valid && m_axis_tready[which]),
        .held(held)
    );

    // No output waits for another one's consumer beyond the one beat: while none of the others is a beat behind, a beat
    // that is inside is offered, whatever their tready does; and no fairness is assumed.
    logic [N-1:0] behind_q;  // outputs that have not taken a beat that this one has taken
    wire          m_fire = valid && m_axis_tready[which];
    wire [N-1:0]  fires  = m_axis_tvalid & m_axis_tready;
    wire [N-1:0]  self   = N'(1) << which;

    always_ff @(posedge aclk) begin
        behind_q <= (m_fire ? m_axis_tvalid : behind_q) & ~fires & ~self;
        if (!aresetn) behind_q <= '0;
    end
    always_comb if (aresetn && held != '0 && behind_q == '0) independent: assert (valid);

    // Without registers nothing is inside once the beat is taken.
    always_comb if (aresetn && !REG_EN && left_q) all_taken: assert (held == '0);

endmodule

`default_nettype wire
