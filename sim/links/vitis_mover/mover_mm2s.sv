// SPDX-License-Identifier: BSD-3-Clause
//
// mover_mm2s - simulation only: VNx's krnl_mm2s, which a host starts again for each run of `frames` frames.
//
// At s_axis each frame is a packet, at m_axis a run is beats and nothing else: TKEEP is all ones, TLAST is on every 22nd
// beat (1408 bytes) and on the last. The bytes that a frame leaves of its last beat are whatever memory holds there. TDEST
// is 1 and 2 by turns, as the host asks. Between runs it rests for `restart` cycles and 4 more. `frames` may change while
// nothing is under way. In reset, what is left of a run that has begun is lost.
//
// Throughput: one beat per cycle within a run. tvalid never falls without a transfer.
// Parameters: BEATS  of a frame
// Source: Xilinx/xup_vitis_network_example, Basic_kernels.
`default_nettype none

module mover_mm2s #(
    parameter int BEATS = 1
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire [15:0]  frames,
    input  wire [15:0]  restart,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire         m_axis_tlast,
    output wire         m_axis_tid,
    output wire [15:0]  m_axis_tdest,
    output wire         m_axis_tuser,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready
);
    localparam int CHUNK = 22;

    logic [31:0] left_q;   // beats of the run, from its first on
    logic [31:0] chunk_q;
    logic        begun_q, second_q;
    logic [15:0] rest_q;   // cycles until the next run may begin

    wire        open = begun_q || rest_q == 16'd0;
    wire [31:0] left = begun_q ? left_q : 32'(frames) * BEATS;
    wire        last = left == 32'd1;
    wire        give = m_axis_tvalid && m_axis_tready;

    assign s_axis_tready = open && m_axis_tready;
    assign m_axis_tvalid = open && s_axis_tvalid;
    assign m_axis_tkeep  = '1;
    assign m_axis_tlast  = last || chunk_q == CHUNK - 1;
    assign m_axis_tid    = 1'b0;
    assign m_axis_tuser  = 1'b0;
    assign m_axis_tdest  = second_q ? 16'd2 : 16'd1;

    genvar byte_index;
    generate
        for (byte_index = 0; byte_index < 64; byte_index++) begin : g_byte
            assign m_axis_tdata[8*byte_index +: 8] = s_axis_tkeep[byte_index] ? s_axis_tdata[8*byte_index +: 8] : ~8'(left);
        end
    endgenerate

    always_ff @(posedge aclk) begin
        if (rest_q != 16'd0) rest_q <= rest_q - 16'd1;
        if (give) begin
            begun_q <= !last;
            left_q  <= left - 32'd1;
            chunk_q <= m_axis_tlast ? 32'd0 : chunk_q + 32'd1;
            if (last) begin
                second_q <= !second_q;
                rest_q   <= restart + 16'd4;
            end
        end
        if (!aresetn) begin
            begun_q  <= 1'b0;
            chunk_q  <= 32'd0;
            second_q <= 1'b0;
            rest_q   <= 16'd0;
        end
    end
endmodule

`default_nettype wire
