// SPDX-License-Identifier: BSD-3-Clause
//
// formal_layer_dot - the proof of layer_dot: the sums of an arbitrary row arrive in order, each of its own beats.
//
// The reference adds what is taken at once and without a pipeline.
`default_nettype none

module formal_layer_dot #(
    parameter int PE     = 1,
    parameter int SIMD   = 1,
    parameter int A_W    = 2,
    parameter int W_W    = 2,
    parameter int OUT_W  = 4,
    parameter int A_KIND = 0,
    parameter int W_KIND = 1,
    parameter bit OWN    = 0,
    parameter int STEPS  = 1,
    parameter int LEVELS = 0,  // of four in SIMD
    parameter int STALL  = 2
) (
    input wire                                                aclk,
    input wire                                                aresetn,
    input wire [(OWN ? PE : 1)*SIMD*A_W + PE*SIMD*W_W - 1:0]  s_axis_tdata,
    input wire [1:0]                                          s_axis_tvalid,
    input wire                                                m_axis_tready
);

    localparam int A_ALL    = (OWN ? PE : 1) * SIMD * A_W;
    localparam int W_ALL    = PE * SIMD * W_W;
    localparam int CAPACITY = LEVELS + 4;
    localparam int ROW_W    = PE > 1 ? $clog2(PE) : 1;
    localparam int STEP_W   = $clog2(STEPS + 1);

    wire                        m_axis_tvalid;
    wire [1:0]                  s_axis_tready;
    wire [PE*OUT_W-1:0]         m_axis_tdata;
    wire [$clog2(CAPACITY+2)-1:0] held;

    layer_dot #(
        .PE(PE), .SIMD(SIMD), .A_W(A_W), .W_W(W_W), .OUT_W(OUT_W), .A_KIND(A_KIND), .W_KIND(W_KIND), .OWN(OWN),
        .STEPS(STEPS)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    (* anyconst *) logic [ROW_W-1:0] row;
    always_comb assume (32'(row) < PE);

    // Numbers by their kinds, as wide as a sum.
    wire [PE*OUT_W-1:0] parts;
    generate
        for (genvar p = 0; p < PE; p++) begin : g_row
            wire [(SIMD+1)*OUT_W-1:0] sums;
            assign sums[OUT_W-1:0] = '0;
            for (genvar s = 0; s < SIMD; s++) begin : g_product
                wire [A_W-1:0]   a    = s_axis_tdata[(OWN ? s * PE + p : s)*A_W +: A_W];
                wire [W_W-1:0]   w    = s_axis_tdata[A_ALL + (p*SIMD + s)*W_W +: W_W];
                wire [OUT_W-1:0] left = A_KIND == 2 ? (a[0] ? OUT_W'(1) : '1)
                                      : OUT_W'({{OUT_W{A_KIND == 1 && a[A_W-1]}}, a});
                wire [OUT_W-1:0] right = W_KIND == 2 ? (w[0] ? OUT_W'(1) : '1)
                                       : OUT_W'({{OUT_W{W_KIND == 1 && w[W_W-1]}}, w});
                wire [OUT_W-1:0] made = A_KIND == 2 && W_KIND == 2 ? OUT_W'(a == w) : left * right;
                assign sums[(s+1)*OUT_W +: OUT_W] = sums[s*OUT_W +: OUT_W] + made;
            end
            assign parts[p*OUT_W +: OUT_W] = sums[SIMD*OUT_W +: OUT_W];
        end
    endgenerate

    logic [OUT_W-1:0]  sum_q;
    wire  [OUT_W-1:0]  sum;
    logic [STEP_W-1:0] step_q;
    wire               fire = s_axis_tvalid[0] && s_axis_tready[0];
    wire               last = step_q == STEP_W'(STEPS - 1);

    assign sum = (step_q == '0 ? '0 : sum_q) + OUT_W'(parts >> (32'(row) * OUT_W));
    always_ff @(posedge aclk) begin
        if (fire) begin
            sum_q  <= sum;
            step_q <= last ? '0 : step_q + 1'b1;
        end
        if (!aresetn) step_q <= '0;
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(A_ALL), .POLITE(1), .WITHIN(STALL + 1)) u_activations (
        .aclk(aclk), .aresetn(aresetn), .fair(s_axis_tvalid[1]), .tdata(s_axis_tdata[A_ALL-1:0]),
        .tvalid(s_axis_tvalid[0]), .tready(s_axis_tready[0])
    );
    formal_source #(.DATA_W(W_ALL), .POLITE(1), .WITHIN(STALL + 1)) u_weights (
        .aclk(aclk), .aresetn(aresetn), .fair(s_axis_tvalid[0]), .tdata(s_axis_tdata[A_ALL+W_ALL-1:A_ALL]),
        .tvalid(s_axis_tvalid[1]), .tready(s_axis_tready[1])
    );
    formal_sink #(.DATA_W(PE * OUT_W), .STALL(STALL), .WITHIN(LEVELS + 3 + STALL)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0), .tdata(m_axis_tdata), .tvalid(m_axis_tvalid),
        .tready(m_axis_tready)
    );
    formal_track #(.UNIT(OUT_W), .CAPACITY(CAPACITY)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data(sum), .in_units(1'b1), .in_fire(fire && last),
        .out_data(OUT_W'(m_axis_tdata >> (32'(row) * OUT_W))), .out_units(1'b1), .out_valid(m_axis_tvalid),
        .out_fire(m_axis_tvalid && m_axis_tready), .held(held)
    );

    // Both inputs hand over in the same cycle.
    always_comb if (aresetn) together: assert (s_axis_tready == '0 || (&s_axis_tready && &s_axis_tvalid));

endmodule

`default_nettype wire
