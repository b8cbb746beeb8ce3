// SPDX-License-Identifier: BSD-3-Clause
//
// coyote_host_read - simulation only: a host stream of Coyote to the core, and the program that asks for transfers.
//
// At s_axis each frame is a packet. At m_axis `frames` of them are a transfer, which the program asks for in reads of
// `request` beats (0: in one); only the last has its flag `last`, with `mark` each of them. The shell cuts a read into
// pieces of `pmtu` beats (0: 64, which are 4096 bytes) and masks TLAST but at the end of a read with `last`. TKEEP is all
// ones, TID is the thread: another one for each transfer. The bytes that a frame leaves of its last beat are whatever memory holds there. After a piece
// it rests for 2 cycles, after a read for `pause` more. `frames` may change while nothing is under way.
//
// Since a read cannot be cancelled, a program that restarts (aresetn) while a beat of a transfer waits for the core leaves the
// rest of the read to the shell, which delivers it without a pause, with whatever the memory holds by then. A transfer whose
// rest the program had not asked for is dropped. board_aresetn resets the card with the core on it.
//
// Throughput: one beat per cycle within a piece. tvalid never falls without a transfer.
// Parameters: BEATS  of a frame
//             TID    the first thread
// Source: fpgasystems/Coyote, hw/hdl/user (req_parser, local_credits_host_rd) and hw/hdl/mmu (axis_mux_host_src).
`default_nettype none

module coyote_host_read #(
    parameter int         BEATS = 1,
    parameter logic [5:0] TID   = 6'd1
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire         board_aresetn,
    input  wire [15:0]  frames,
    input  wire [15:0]  pause,
    input  wire [15:0]  request,
    input  wire         mark,
    input  wire [15:0]  pmtu,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire         m_axis_tlast,
    output wire [5:0]   m_axis_tid,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,
    output wire         late            // the rest of a transfer comes that nobody waits for
);
    logic [31:0] left_q;   // beats of the transfer, from its first on
    logic        begun_q;
    logic [15:0] asked_q;  // beats of the read and of the piece that have gone
    logic [15:0] piece_q;
    logic [16:0] rest_q;   // cycles until the next beat may come
    logic [5:0]  thread_q;
    logic        late_q;   // nobody waits any more for the transfer under way

    wire [31:0] left   = begun_q ? left_q : 32'(frames) * BEATS;
    wire        last   = left == 32'd1;
    wire        asked  = last || (request != 16'd0 && asked_q + 16'd1 == request);
    wire [15:0] most   = pmtu == 16'd0 ? 16'd64 : pmtu;
    wire        piece  = asked || piece_q + 16'd1 == most;
    wire        open   = rest_q == 17'd0;
    wire        give   = m_axis_tvalid && m_axis_tready;

    wire        goes_on = m_axis_tvalid && (give ? !last : begun_q);

    assign late          = late_q;
    assign s_axis_tready = !late_q && open && m_axis_tready;
    assign m_axis_tvalid = late_q || (open && s_axis_tvalid);
    assign m_axis_tkeep  = '1;
    assign m_axis_tlast  = asked && (last || mark);
    assign m_axis_tid    = thread_q;

    genvar byte_index;
    generate
        for (byte_index = 0; byte_index < 64; byte_index++) begin : g_byte
            assign m_axis_tdata[8*byte_index +: 8] = s_axis_tkeep[byte_index] ? s_axis_tdata[8*byte_index +: 8] : ~8'(left);
        end
    endgenerate

    always_ff @(posedge aclk) begin
        if (rest_q != 17'd0) rest_q <= rest_q - 17'd1;
        if (give && last) thread_q <= thread_q + 6'd11;
        if (give) begin
            begun_q <= !last;
            left_q  <= left - 32'd1;
            asked_q <= asked ? 16'd0 : asked_q + 16'd1;
            piece_q <= piece ? 16'd0 : piece_q + 16'd1;
            if (piece) rest_q <= asked ? 17'(pause) + 17'd2 : 17'd2;
        end
        if (!aresetn) begin
            late_q <= goes_on;
            rest_q <= 17'd0;
            if (!goes_on) begin
                begun_q <= 1'b0;
                asked_q <= 16'd0;
                piece_q <= 16'd0;
            end
        end else if (give && last) begin
            late_q <= 1'b0;
        end
        if (!board_aresetn) begin
            begun_q <= 1'b0;
            late_q  <= 1'b0;
            asked_q <= 16'd0;
            piece_q <= 16'd0;
            rest_q  <= 17'd0;
            thread_q <= TID;
        end
    end
endmodule

`default_nettype wire
