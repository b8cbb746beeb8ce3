// SPDX-License-Identifier: BSD-3-Clause
//
// coyote_host_write - simulation only: a host stream of Coyote from the core, and the program that waits for transfers.
//
// Beats go into a FIFO of 512, which pauses by `stall`. The program asks for one transfer at a time, by its length: `frames`
// frames, `more` beats too many or `less` too few. The shell cuts this into pieces of `pmtu` beats (0: 64) and begins one when all its beats are
// in the FIFO; it counts, and looks at nothing but TDATA. After a transfer it rests for `pause` cycles and 4 more. At m_axis
// each frame is a packet, without the bytes that fill its last beat; a transfer that ends within one ends it short.
// `frames` may change while the first frame of a transfer has not ended.
//
// `error`, which stays, says what Coyote does not see: a beat that waits was withdrawn or changed, TKEEP is not all ones,
// the bytes that fill a frame are not zero, TLAST is not on the last beat of what was asked for and on no other one, TID
// changes within a transfer, or is not that of the last beat which the core had taken from its host when the transfer began, or
// up to two cycles before (0 if there was none).
//
// Since a region cannot be reset alone, a program that restarts (aresetn) first fetches the transfers that the core has
// begun, and drops them. board_aresetn resets the card with the core on it.
//
// Unknown bits (on a simulator that has them) are errors too. Throughput: one beat per cycle within a piece.
// Parameters: FRAME_BYTES  bytes of one frame
//             SEED         of the pauses before its FIFO
// Source: fpgasystems/Coyote, hw/hdl/user (req_parser, req_credits_wr, axis_mux_user_wr, local_credits_host_wr).
`default_nettype none

module coyote_host_write #(
    parameter int FRAME_BYTES = 64,
    parameter int SEED        = 1
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire         board_aresetn,
    input  wire [15:0]  frames,
    input  wire [15:0]  pause,
    input  wire [15:0]  pmtu,
    input  wire [15:0]  more,
    input  wire [15:0]  less,
    input  wire [7:0]   stall,   // chance in 1/256 that a beat of the core waits, although there is room
    input  wire [5:0]   thread,  // of a beat that the core takes from its host
    input  wire         thread_taken,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tlast,
    input  wire [5:0]   s_axis_tid,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire         m_axis_tlast,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,
    output wire         late,    // a transfer that nobody waits for has not ended
    output wire         error
);
    localparam int BEATS      = (FRAME_BYTES + 63) / 64;
    localparam int LAST_BYTES = FRAME_BYTES - (BEATS - 1) * 64;
    localparam int DEPTH      = 512;
    localparam logic [63:0] LAST_KEEP = {64{1'b1}} >> (64 - LAST_BYTES);

    logic [512:0] fifo[0:DEPTH-1];  // TLAST and TDATA
    logic [8:0]   in_q, out_q;
    logic [9:0]   level_q;
    logic [31:0]  moved_q;   // beats of the transfer that have gone to memory
    logic [31:0]  beat_q;    // of the frame
    logic [15:0]  frame_q;   // of the transfer
    logic [15:0]  count_q;   // frames that were asked for, once the first has ended
    logic [31:0]  piece_q;   // beats of the piece that are left
    logic [16:0]  rest_q;
    logic         open_q;    // the core has begun a transfer
    logic         drop_q;    // which nobody waits for
    logic         begun_q;   // a beat of the transfer was offered, whose TID is thread_q
    logic [5:0]   thread_q;
    logic [5:0]   came_q[0:2];  // TID of the last beat that was taken, now and in the two cycles before
    logic         wait_q;    // a beat waits
    logic [582:0] beat_was_q;
    logic         error_q;

    wire [15:0] count = frame_q == 16'd0 ? frames : count_q;
    wire [31:0] asked = 32'(count) * BEATS + 32'(more) - 32'(less);
    wire [31:0] left  = asked - moved_q;
    wire [31:0] most  = pmtu == 16'd0 ? 32'd64 : 32'(pmtu);
    wire [31:0] next  = left < most ? left : most;
    wire        ends  = beat_q == BEATS - 1;
    wire        final_beat = left == 32'd1;
    wire        drop  = drop_q || !aresetn;
    wire        take  = s_axis_tvalid && s_axis_tready;
    wire        give  = m_axis_tvalid && m_axis_tready;
    wire [512:0] head = fifo[out_q];
    wire [582:0] beat = {s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};

    wire stalls;
    bench_stall #(.SEED(SEED)) u_stall (
        .aclk(aclk),
        .aresetn(aresetn),
        .chance(stall),
        .stall(stalls)
    );

    assign s_axis_tready = drop || (level_q != 10'(DEPTH) && !stalls);
    assign m_axis_tvalid = piece_q != 32'd0;
    assign m_axis_tdata  = head[511:0];
    assign m_axis_tkeep  = ends ? LAST_KEEP : {64{1'b1}};
    assign m_axis_tlast  = ends || final_beat;
    assign error         = error_q;
    assign late          = drop_q;

    logic [511:0] filler;  // of a frame's last beat
    always_comb begin
        filler = head[511:0];
        filler[8*LAST_BYTES-1:0] = '0;
    end

    always_ff @(posedge aclk) begin
        // what comes
        if (take) open_q <= !s_axis_tlast;
        begun_q <= s_axis_tvalid ? !(take && s_axis_tlast) : begun_q;
        if (s_axis_tvalid && !begun_q) thread_q <= s_axis_tid;
        if (thread_taken) came_q[0] <= thread;
        came_q[1] <= came_q[0];
        came_q[2] <= came_q[1];
        if (s_axis_tvalid && !drop && (begun_q ? s_axis_tid !== thread_q :
            s_axis_tid !== came_q[0] && s_axis_tid !== came_q[1] && s_axis_tid !== came_q[2])) error_q <= 1'b1;
        if (take && drop_q && s_axis_tlast) drop_q <= 1'b0;
        if (take && !drop) begin
            fifo[in_q] <= {s_axis_tlast, s_axis_tdata};
            in_q       <= in_q + 9'd1;
            if (s_axis_tkeep !== '1) error_q <= 1'b1;
        end
        wait_q     <= s_axis_tvalid && !s_axis_tready;
        beat_was_q <= beat;
        if (wait_q && (!s_axis_tvalid || beat !== beat_was_q)) error_q <= 1'b1;
        level_q <= level_q + 10'(take && !drop) - 10'(give);

        // what goes to memory
        if (rest_q != 17'd0) rest_q <= rest_q - 17'd1;
        else if (piece_q == 32'd0 && left != 32'd0 && 32'(level_q) >= next) piece_q <= next;
        if (give) begin
            out_q   <= out_q + 9'd1;
            piece_q <= piece_q - 32'd1;
            beat_q  <= ends || final_beat ? 32'd0 : beat_q + 32'd1;
            moved_q <= final_beat ? 32'd0 : moved_q + 32'd1;
            if (ends) begin
                frame_q <= frame_q + 16'd1;
                count_q <= count;
            end
            if (final_beat) frame_q <= 16'd0;
            if (final_beat) rest_q  <= 17'(pause) + 17'd4;
            if (head[512] !== final_beat) error_q <= 1'b1;
            if (ends && filler !== '0) error_q <= 1'b1;
        end

        if (!aresetn) begin
            in_q    <= 9'd0;
            out_q   <= 9'd0;
            level_q <= 10'd0;
            moved_q <= 32'd0;
            beat_q  <= 32'd0;
            frame_q <= 16'd0;
            piece_q <= 32'd0;
            rest_q  <= 17'd0;
            error_q <= 1'b0;
            drop_q  <= take ? !s_axis_tlast : open_q;
        end
        if (!board_aresetn) begin
            open_q  <= 1'b0;
            drop_q  <= 1'b0;
            wait_q  <= 1'b0;
            begun_q <= 1'b0;
            came_q[0] <= 6'd0;
            came_q[1] <= 6'd0;
            came_q[2] <= 6'd0;
        end
    end
    initial begin
        open_q  = 1'b0;
        drop_q  = 1'b0;
        wait_q  = 1'b0;
        begun_q = 1'b0;
    end
endmodule

`default_nettype wire
