// SPDX-License-Identifier: BSD-3-Clause
//
// axis_deal - deals frames to replicas by a fixed pattern; axis_gather at the other end takes them by the same one.
//
// A whole frame, up to tlast, goes to the replica whose turn it is; then it is the next one's turn. A replica that
// `mask` takes out has no turn from the next epoch on, one pass over the pattern: see axis_turn. Change the mask when as
// many frames have left axis_gather as have entered here, or in reset, so that both ends take it at the same frame.
//
// Throughput  one beat per cycle, no bubble between frames, but for replicas that are out: see axis_turn
// Latency     REG_EN: 1 cycle, else none
// Paths       as axis_demux of that REG_EN
// Resources   axis_demux of DATA_W bits and axis_turn
//
// Parameters: N        replicas, 2 to 16
//             DATA_W   bits of a beat without sidebands, 1 or more
//             LENGTH   of the pattern, 1 to 64
//             PATTERN  replicas in order, 4 bits each, the first one lowest; round robin if left out
//             REG_EN   of the axis_demux
// Checked by: test_axis_deal.py
`default_nettype none

module axis_deal #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'({4{64'hFEDC_BA98_7654_3210}}),
    parameter bit REG_EN = 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N-1:0]          mask,           // replicas that are alive

    input  wire  [DATA_W-1:0]     s_axis_tdata,
    input  wire                   s_axis_tlast,
    input  wire                   s_axis_tvalid,
    output logic                  s_axis_tready,

    output logic [N*DATA_W-1:0]   m_axis_tdata,
    output logic [N-1:0]          m_axis_tlast,
    output logic [N-1:0]          m_axis_tvalid,
    input  wire  [N-1:0]          m_axis_tready
);

    localparam int ID_W   = $clog2(N);

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
    endgenerate

    logic              first_q;  // the next beat is a frame's first
    wire  [ID_W-1:0]   turn;
    wire               known, ready;
    wire  go   = !first_q || known;
    wire  fire = s_axis_tvalid && s_axis_tready;

    assign s_axis_tready = ready && go;

    always_ff @(posedge aclk) begin
        if (fire) first_q <= s_axis_tlast;
        if (!aresetn) first_q <= 1'b1;
    end

    axis_turn #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_turn (
        .aclk(aclk),
        .aresetn(aresetn),
        .mask(mask),
        .offered(s_axis_tvalid || !first_q),
        .next(fire && s_axis_tlast),
        .turn(turn),
        .known(known)
    );

    wire error_dest_unused;

    axis_demux #(.N(N), .DATA_W(DATA_W), .DEST_W(ID_W), .REG_EN(REG_EN)) u_demux (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tdest(turn),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid && go),
        .s_axis_tready(ready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .error_dest(error_dest_unused)
    );

    wire unused = &{1'b0, error_dest_unused};

endmodule

`default_nettype wire
