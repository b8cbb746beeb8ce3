// SPDX-License-Identifier: BSD-3-Clause
//
// mover_s2mm - simulation only: VNx's krnl_s2mm, which a host starts again for each run of `frames` frames.
//
// It takes a number of beats and looks at nothing but TDATA. At m_axis each frame is a packet, without the bytes that fill
// its last beat. `error`, which stays, says what no mover sees: TKEEP is not all ones, these bytes or TID, TDEST or TUSER are
// not zero, TLAST is not on the last beat of a run. Between runs it rests for `restart` cycles and 4 more. `frames` may change while the
// first frame of a run has not ended.
// Since a kernel cannot be reset alone, a host that restarts (aresetn) first lets the core's run end, and drops its frames.
// board_aresetn resets the card with the core on it.
//
// Throughput: one beat per cycle within a run.
// Parameters: FRAME_BYTES  bytes of one frame
// Source: Xilinx/xup_vitis_network_example, Basic_kernels.
`default_nettype none

module mover_s2mm #(
    parameter int FRAME_BYTES = 64
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire         board_aresetn,
    input  wire [15:0]  frames,
    input  wire [15:0]  restart,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tlast,
    input  wire         s_axis_tid,
    input  wire [15:0]  s_axis_tdest,
    input  wire         s_axis_tuser,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire         m_axis_tlast,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,
    output wire         error
);
    localparam int BEATS      = (FRAME_BYTES + 63) / 64;
    localparam int LAST_BYTES = FRAME_BYTES - (BEATS - 1) * 64;
    localparam logic [63:0] LAST_KEEP = {64{1'b1}} >> (64 - LAST_BYTES);

    logic [31:0] beat_q;    // of the frame
    logic [15:0] frame_q;   // of the run
    logic [15:0] count_q;   // frames of the run, once the first has ended
    logic        open_q;    // the core has begun a run
    logic        drop_q;    // which nobody waits for
    logic [15:0] rest_q;
    logic        error_q;

    wire        open  = beat_q != 32'd0 || frame_q != 16'd0 || rest_q == 16'd0;
    wire        ends  = beat_q == BEATS - 1;
    wire [15:0] count = frame_q == 16'd0 ? frames : count_q;
    wire        final_beat = ends && frame_q + 16'd1 == count;
    wire        drop  = drop_q || !aresetn;
    wire        take  = s_axis_tvalid && s_axis_tready;

    assign s_axis_tready = drop || (open && m_axis_tready);
    assign m_axis_tvalid = !drop && open && s_axis_tvalid;
    assign m_axis_tdata  = s_axis_tdata;
    assign m_axis_tkeep  = ends ? LAST_KEEP : {64{1'b1}};
    assign m_axis_tlast  = ends;
    assign error         = error_q;

    logic [511:0] filler;  // of a frame's last beat
    always_comb begin
        filler = s_axis_tdata;
        filler[8*LAST_BYTES-1:0] = '0;
    end

    always_ff @(posedge aclk) begin
        if (rest_q != 16'd0) rest_q <= rest_q - 16'd1;
        if (take) open_q <= !s_axis_tlast;
        if (take && drop_q && s_axis_tlast) drop_q <= 1'b0;
        if (take && !drop) begin
            beat_q <= ends ? 32'd0 : beat_q + 32'd1;
            if (ends) begin
                frame_q <= final_beat ? 16'd0 : frame_q + 16'd1;
                count_q <= count;
            end
            if (final_beat) rest_q <= restart + 16'd4;
            if (!(&s_axis_tkeep) || s_axis_tlast != final_beat) error_q <= 1'b1;
            if ({s_axis_tid, s_axis_tdest, s_axis_tuser} !== '0 || (ends && filler !== '0)) error_q <= 1'b1;
        end
        if (!aresetn) begin
            beat_q  <= 32'd0;
            frame_q <= 16'd0;
            rest_q  <= 16'd0;
            error_q <= 1'b0;
            drop_q  <= take ? !s_axis_tlast : open_q;
        end
        if (!board_aresetn) begin
            open_q <= 1'b0;
            drop_q <= 1'b0;
        end
    end
    initial begin
        open_q = 1'b0;
        drop_q = 1'b0;
    end
endmodule

`default_nettype wire
