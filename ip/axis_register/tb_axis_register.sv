// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_register - every kind of axis_register against the reference stream, its handshakes against a count of
// beats in every cycle, and its combinational paths against what the header says.
//
// Once a cycle, while nothing is clocked, all inputs are inverted for a moment: an output that moves has a
// combinational path. A kind must have exactly the paths of its header.
`default_nettype none

module axis_register_case #(
    parameter int DATA_W = 8, CUT = 0, SEED = 1
) (
    input  wire         aclk,
    input  wire         flip,
    input  wire         look,
    output wire         done,
    output wire  [31:0] compared
);
    wire              clock = aclk && !done;
    wire              aresetn, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
    wire [DATA_W-1:0] s_tdata, m_tdata;

    bench_stream #(.IN_W(DATA_W), .IN_BEATS(5), .OUT_BEATS(5), .RATE(CUT != 3), .FRAMES(40), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    // Handshakes follow from how many beats are inside; CUT 4 counts those before its output register apart.
    int   held, chain;
    logic in_reset, first, ready, valid, stayed;  // CUT 4 is not ready after a cycle in which a beat had to stay there
    // A beat that waits from within reset until the slice is ready must not be taken before.
    wire  early  = in_reset === 1'b1;
    wire  s_fire = s_tvalid && s_tready;
    wire  m_fire = m_tvalid && m_tready;
    initial first = 1'b1;

    axis_register #(.DATA_W(DATA_W + 1), .CUT(CUT)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata({s_tlast, s_tdata} ^ {(DATA_W+1){flip}}), .s_axis_tvalid((s_tvalid || early) ^ flip),
        .s_axis_tready(s_tready),
        .m_axis_tdata({m_tlast, m_tdata}), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready ^ flip)
    );

    always_comb begin
        valid = held != 0;
        ready = held == 0;
        if (CUT == 0 || CUT == 5) ready = held < 2;
        if (CUT == 1) ready = held == 0 || m_tready;
        if (CUT == 2) valid = held != 0 || s_tvalid;
        if (CUT == 4) valid = held != chain;
        if (CUT == 4) ready = !stayed;
    end

    always @(posedge clock) begin
        held  <= aresetn ? held + int'(s_fire) - int'(m_fire) : 0;
        chain <= aresetn ? chain + int'(s_fire) - int'(chain != 0 && (!m_tvalid || m_tready)) : 0;
        stayed   <= aresetn && chain != 0 && m_tvalid && !m_tready;
        in_reset <= !aresetn;
        first    <= 1'b0;
        if (!first && in_reset && (s_tready || m_tvalid)) $fatal(1, "ready or valid in reset (%m)");
        if (!first && !in_reset && aresetn && s_tready !== ready)
            $fatal(1, "tready is %b with %0d beats inside (%m)", s_tready, held);
        if (!first && !in_reset && aresetn && m_tvalid !== valid)
            $fatal(1, "tvalid is %b with %0d beats inside (%m)", m_tvalid, held);
    end

    logic              s_tready_still;
    logic [DATA_W+1:0] m_axis_still;
    int                ready_moved, m_axis_moved;
    initial begin
        ready_moved  = 0;
        m_axis_moved = 0;
    end
    always @(posedge look) begin
        if (!flip) begin
            s_tready_still = s_tready;
            m_axis_still   = {m_tvalid, m_tlast, m_tdata};
        end else begin
            if (s_tready !== s_tready_still) ready_moved = ready_moved + 1;
            if ({m_tvalid, m_tlast, m_tdata} !== m_axis_still) m_axis_moved = m_axis_moved + 1;
        end
    end
    always @(posedge done) begin
        if ((ready_moved != 0) != (CUT == 1)) $fatal(1, "tready moved %0d times within a cycle (%m)", ready_moved);
        if ((m_axis_moved != 0) != (CUT == 2)) $fatal(1, "m_axis moved %0d times within a cycle (%m)", m_axis_moved);
    end
endmodule

module tb_axis_register;
    localparam int KINDS = 6;
    localparam int N = 3 * KINDS;
    logic            aclk, flip, look;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        flip = 1'b0;
        look = 1'b0;
        forever begin
            #5 aclk = 1'b1;
            #1 look = 1'b1;
            #1 look = 1'b0; flip = 1'b1;
            #1 look = 1'b1;
            #1 look = 1'b0; flip = 1'b0;
            #1 aclk = 1'b0;
        end
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    generate
        for (genvar k = 0; k < KINDS; k++) begin : g_kind
            axis_register_case #(.DATA_W(1), .CUT(k), .SEED(3 * k + 1)) u_1 (
                .aclk(aclk), .flip(flip), .look(look), .done(done[3*k]), .compared(compared[96*k +: 32]));
            axis_register_case #(.DATA_W(64), .CUT(k), .SEED(3 * k + 2)) u_64 (
                .aclk(aclk), .flip(flip), .look(look), .done(done[3*k+1]), .compared(compared[96*k+32 +: 32]));
            axis_register_case #(.DATA_W(130), .CUT(k), .SEED(3 * k + 3)) u_130 (
                .aclk(aclk), .flip(flip), .look(look), .done(done[3*k+2]), .compared(compared[96*k+64 +: 32]));
        end
    endgenerate
endmodule

`default_nettype wire
