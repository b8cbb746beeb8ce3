// SPDX-License-Identifier: BSD-3-Clause
//
// transfer_fault - simulation only: a DMA channel that makes every other transfer wrong, one at a time.
//
// While `on`, the first transfer since the reset is wrong, the second right, and so on, and only `allowed` of them
// pass. Kinds of faults, in beat `at` of the transfer, counted from 0:
//   0 CUT           TLAST there, and the rest is lost
//   1 FEWER         TKEEP of the last beat has a byte less; of one byte, one more
//   2 MORE          it has a byte more; of all, one less
//   3 HOLE          TKEEP there lacks a byte
//   4 STRETCH       no TLAST with the last beat, then at + 1 beats of noise, the last one with TLAST
//   5 HOLE_CUT      a hole in beat 0, and CUT
//   6 HOLE_STRETCH  a hole in beat 0, and STRETCH
// Bytes that TKEEP excludes are noise, of right transfers too. `kind` and `at` change only while nothing passes.
//
// Throughput: one beat per cycle; a wire while not on.
// Parameters: DATA_W  tdata width in bits, a multiple of 8
`default_nettype none

module transfer_fault #(
    parameter int DATA_W = 64
) (
    input  wire                aclk,
    input  wire                aresetn,
    input  wire                on,
    input  wire [2:0]          kind,
    input  wire [15:0]         at,
    input  wire [15:0]         allowed,
    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tlast,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready
);
    localparam int BYTES = DATA_W / 8;
    localparam int WORDS = (DATA_W + 31) / 32;
    localparam logic [2:0] CUT = 3'd0, FEWER = 3'd1, MORE = 3'd2, HOLE = 3'd3, STRETCH = 3'd4,
        HOLE_CUT = 3'd5, HOLE_STRETCH = 3'd6;

    logic [15:0]      ended_q;    // transfers
    logic [15:0]      beat_q;     // of the transfer
    logic [15:0]      tail_q;     // beats of noise that are left
    logic             swallow_q;  // the rest of a transfer is lost
    wire  [31:0]      noise;
    wire [DATA_W-1:0] junk = DATA_W'({WORDS{noise}});

    wire wrong   = on && !ended_q[0];
    wire tail    = tail_q != 16'd0;
    wire closed  = on && ended_q == allowed && beat_q == 16'd0;
    wire cut     = wrong && (kind == CUT || kind == HOLE_CUT) && beat_q == at && !s_axis_tlast;
    wire stretch = wrong && (kind == STRETCH || kind == HOLE_STRETCH) && s_axis_tlast;
    wire hole    = wrong && !s_axis_tlast
                   && (kind == HOLE ? beat_q == at : (kind == HOLE_CUT || kind == HOLE_STRETCH) && beat_q == 16'd0);
    wire fewer   = wrong && s_axis_tlast && (kind == FEWER ? s_axis_tkeep != BYTES'(1) : kind == MORE && (&s_axis_tkeep));
    wire more    = wrong && s_axis_tlast && (kind == FEWER || kind == MORE) && !fewer;
    wire take    = s_axis_tvalid && s_axis_tready;
    wire [BYTES-1:0] keep = fewer ? s_axis_tkeep >> 1 :
                            more  ? BYTES'({s_axis_tkeep, 1'b1}) :
                            hole  ? s_axis_tkeep & ~(BYTES'(1) << (32'(at) % BYTES)) : s_axis_tkeep;

    bench_noise #(
        .SEED(DATA_W)
    ) u_noise (
        .aclk(aclk),
        .aresetn(aresetn),
        .loud(on),
        .noise(noise)
    );

    assign s_axis_tready = swallow_q || (m_axis_tready && !closed && !tail);
    assign m_axis_tvalid = !swallow_q && (tail || (s_axis_tvalid && !closed));
    assign m_axis_tlast  = tail ? tail_q == 16'd1 : (s_axis_tlast && !stretch) || cut;

    // What waits must not change: the tail is one pattern of noise from its first beat on.
    logic [DATA_W-1:0] junk_q;
    generate
        for (genvar b = 0; b < BYTES; b++) begin : g_byte
            assign m_axis_tkeep[b] = tail ? junk_q[b] : keep[b];
            assign m_axis_tdata[8*b +: 8] = tail || (on && !s_axis_tkeep[b]) ? junk_q[8*b +: 8] : s_axis_tdata[8*b +: 8];
        end
    endgenerate

    always_ff @(posedge aclk) begin
        if (!m_axis_tvalid || m_axis_tready) junk_q <= junk;
        if (take) begin
            beat_q    <= s_axis_tlast ? 16'd0 : beat_q + 16'd1;
            swallow_q <= !s_axis_tlast && (swallow_q || cut);
            if (s_axis_tlast) ended_q <= ended_q + 16'd1;
            if (stretch) tail_q <= at + 16'd1;
        end
        if (tail && m_axis_tready) tail_q <= tail_q - 16'd1;
        if (!aresetn) begin
            ended_q   <= 16'd0;
            beat_q    <= 16'd0;
            tail_q    <= 16'd0;
            swallow_q <= 1'b0;
        end
    end
endmodule

`default_nettype wire
