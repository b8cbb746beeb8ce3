// SPDX-License-Identifier: BSD-3-Clause
//
// tcp_link - simulation only: what lies between two Zynq cores: AXI DMA, memory, TCP, memory, AXI DMA.
//
// Each side has the clock of its board, and a reset of its own beside that of the whole.
// Receiving side (S2MM): the driver has armed the channel with LENGTH bytes for each of `frames_in` frames. A
// transfer ends at tlast and only there, never by a count of bytes: without tlast nothing is ever forwarded. The bytes
// that tkeep marks are stored in order; a short packet is legal. A packet longer than that raises dma_int_err, which
// stays, and halts the channel as the real one is halted. After each packet the channel is idle for `rearm` cycles,
// the time the driver needs. In its reset, what has come of a packet is lost.
// Between: a string of bytes, no beats. A packet is sent on after its tlast, and `latency` cycles later if none was
// under way; several may be. Where `frames_out` is another number, packets of that many frames are made of the bytes.
// Sending side (MM2S): the bytes that were received, in beats of M_W with tkeep and tlast on the last. In its reset,
// what is left of a packet that has begun is lost.
// AT_CORE: S2MM is at the pins of a core, which never changes a beat that it has offered, nor takes it back; if it does,
// as one whose host resets it without draining, dma_int_err is raised for good. Looked at while no fault is injected;
// beats that are taken back, while S2MM stalls for good, when the bench resets by CONTROL alone.
// A beat whose tlast is unknown raises dma_int_err as a packet does that is too long.
// At the input an axis_error_injector may damage one beat (kinds there).
//
// Throughput: one beat per cycle on each side while it does not stall, but for rearm.
// Parameters: S_W, M_W     tdata of the two sides in bits, multiples of 8
//             LENGTH       bytes of a frame
//             DEPTH_BYTES  bytes that can be under way, LENGTH or more
//             SEED         of the stalls
//             AT_CORE      1 where S2MM takes what a core hands out
// Source: PG021 (AXI DMA, Direct Register Mode).
`default_nettype none

module tcp_link #(
    parameter int S_W         = 64,
    parameter int M_W         = 64,
    parameter int LENGTH      = 64,
    parameter int DEPTH_BYTES = 4096,
    parameter int SEED        = 3,
    parameter bit AT_CORE     = 0
) (
    input  wire             aresetn,      // of the whole, on both clocks
    input  wire             s_aclk,
    input  wire             s_aresetn,
    input  wire             m_aclk,
    input  wire             m_aresetn,
    input  wire [15:0]      frames_in,    // S2MM is armed for so many
    input  wire [15:0]      frames_out,   // MM2S sends so many at once
    input  wire [15:0]      rearm,        // cycles of s_aclk
    input  wire [15:0]      latency,      // cycles of m_aclk
    input  wire [7:0]       stall_in,     // chance in 1/256 that S2MM pauses, 255 is always
    input  wire [7:0]       stall_out,    // the same for MM2S
    input  wire [2:0]       inject_kind,
    input  wire [31:0]      inject_beat,
    input  wire [S_W-1:0]   s_axis_tdata,
    input  wire [S_W/8-1:0] s_axis_tkeep,
    input  wire             s_axis_tlast,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    output wire [M_W-1:0]   m_axis_tdata,
    output wire [M_W/8-1:0] m_axis_tkeep,
    output wire             m_axis_tlast,
    output wire             m_axis_tvalid,
    input  wire             m_axis_tready,
    output wire [31:0]      packets_in,   // that ended
    output wire [31:0]      packets_out,  // sent on
    output wire [31:0]      bytes,        // bytes received
    output wire             dma_int_err
);
    localparam int S_BYTES = S_W / 8;
    localparam int M_BYTES = M_W / 8;
    localparam int PACKETS = 64;  // ended packets that can wait

    generate
        if (S_W < 8 || S_W % 8 != 0 || M_W < 8 || M_W % 8 != 0) begin : g_check_widths
            S_W_and_M_W_must_be_positive_multiples_of_8 parameter_error ();
        end
        if (LENGTH < 1 || DEPTH_BYTES < LENGTH) begin : g_check_depth
            DEPTH_BYTES_must_hold_LENGTH_bytes parameter_error ();
        end
    endgenerate

    // ---- input, with faults
    wire [S_W-1:0]     in_tdata;
    wire [S_BYTES-1:0] in_tkeep;
    wire               in_tlast, in_tvalid, in_tready;

    axis_error_injector #(
        .DATA_W(S_W + S_BYTES + 1)
    ) u_inject (
        .aclk(s_aclk),
        .aresetn(aresetn && s_aresetn),
        .inject_kind(inject_kind),
        .inject_beat(inject_beat),
        .s_axis_tdata({s_axis_tlast, s_axis_tkeep, s_axis_tdata}),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata({in_tlast, in_tkeep, in_tdata}),
        .m_axis_tvalid(in_tvalid),
        .m_axis_tready(in_tready)
    );

    // ---- stalls
    wire in_pause, out_pause;
    bench_stall #(
        .SEED(2 * SEED)
    ) u_in_stall (
        .aclk(s_aclk),
        .aresetn(aresetn),
        .chance(stall_in),
        .stall(in_pause)
    );
    bench_stall #(
        .SEED(2 * SEED + 1)
    ) u_out_stall (
        .aclk(m_aclk),
        .aresetn(aresetn),
        .chance(stall_out),
        .stall(out_pause)
    );

    // ---- the byte string and the lengths of its packets; each side writes its own counters and reads the other's
    // What is not under way takes no memory: a frame may have megabytes.
    logic [7:0]  store[$];
    logic [31:0] lengths[0:PACKETS-1];
    logic [31:0] wrote_q, read_q;   // bytes that went in and out of store, counted on
    logic [31:0] ended_q, taken_q;  // packets whose tlast came; packets the sender has begun

    // ---- S2MM
    logic [31:0] packet_q, bytes_q;
    logic [15:0] rearm_q;
    logic        error_q;
    logic        offered_q;             // a beat waited in the cycle before
    logic        dropped_q;             // one was taken back or changed; no reset clears it
    logic [S_W+S_BYTES:0] offer_q;      // that beat
    initial dropped_q = 1'b0;

    wire  [S_W+S_BYTES:0] offer = {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    wire  [31:0] armed   = 32'(frames_in) * LENGTH;
    wire         in_fire = in_tvalid && in_tready;
    logic [31:0] in_count;
    always_comb begin
        in_count = 32'd0;
        for (int i = 0; i < S_BYTES; i++) in_count = in_count + 32'(in_tkeep[i]);
    end
    assign in_tready = s_aresetn && !in_pause && !error_q && rearm_q == 16'd0 && wrote_q - read_q + S_BYTES <= DEPTH_BYTES
        && ended_q - taken_q < PACKETS;

    always @(posedge s_aclk) begin : p_receive
        if (rearm_q != 16'd0) rearm_q <= rearm_q - 16'd1;
        if (in_fire) begin
            for (int i = 0; i < S_BYTES; i++) if (in_tkeep[i]) store.push_back(in_tdata[8*i+:8]);
            wrote_q  <= wrote_q + in_count;
            bytes_q  <= bytes_q + in_count;
            packet_q <= packet_q + in_count;
            if (packet_q + in_count > armed || (in_tlast !== 1'b0 && in_tlast !== 1'b1)) error_q <= 1'b1;
            else if (in_tlast) begin
                lengths[ended_q%PACKETS] <= packet_q + in_count;
                ended_q  <= ended_q + 32'd1;
                packet_q <= 32'd0;
                rearm_q  <= rearm;
            end
        end
        offered_q <= s_aresetn && s_axis_tvalid && !s_axis_tready;
        offer_q   <= offer;
        if (AT_CORE && inject_kind == 3'd0 && s_aresetn && offered_q)
            if (s_axis_tvalid ? offer !== offer_q : stall_in == 8'd255) dropped_q <= 1'b1;
        if (!aresetn) begin
            store.delete();
            offered_q <= 1'b0;
            wrote_q   <= 32'd0;
            bytes_q   <= 32'd0;
            packet_q  <= 32'd0;
            ended_q   <= 32'd0;
            rearm_q   <= 16'd0;
            error_q   <= 1'b0;
        end else if (!s_aresetn) begin
            repeat (packet_q) store.delete(store.size() - 1);
            wrote_q  <= wrote_q - packet_q;
            packet_q <= 32'd0;
            rearm_q  <= 16'd0;
            error_q  <= 1'b0;
        end
    end

    // ---- MM2S
    logic [31:0]        left_q, sent_q;  // bytes of the packet still to be sent; packets sent
    logic [M_W-1:0]     data_q;
    logic [M_BYTES-1:0] keep_q;
    logic               valid_q, last_q;
    logic [31:0]        joined_q;        // bytes of ended packets that wait for a transfer of another length
    logic [15:0]        wait_q;          // cycles until a packet that has ended can be sent on

    wire        alike     = frames_in == frames_out;
    wire [31:0] wanted    = 32'(frames_out) * LENGTH;
    wire [31:0] out_count = left_q < M_BYTES ? left_q : M_BYTES;
    wire        out_load  = aresetn && left_q != 32'd0 && !out_pause && (!valid_q || m_axis_tready);
    wire        come      = taken_q != ended_q && wait_q == 16'd0;

    always @(posedge m_aclk) begin : p_send
        if (valid_q && m_axis_tready) begin
            valid_q <= 1'b0;
            if (last_q) sent_q <= sent_q + 32'd1;
        end
        if (taken_q == ended_q) wait_q <= latency;
        else if (wait_q != 16'd0) wait_q <= wait_q - 16'd1;
        if (left_q == 32'd0 && !alike && joined_q >= wanted) begin
            left_q   <= wanted;
            joined_q <= joined_q - wanted;
        end else if (left_q == 32'd0 && come) begin
            taken_q <= taken_q + 32'd1;
            if (alike) left_q <= lengths[taken_q%PACKETS];
            else joined_q <= joined_q + lengths[taken_q%PACKETS];
        end
        if (out_load) begin
            data_q <= '0;
            for (int i = 0; i < M_BYTES; i++) begin
                if (i < out_count) data_q[8*i+:8] <= store.pop_front();
                keep_q[i] <= i < out_count;
            end
            read_q  <= read_q + out_count;
            left_q  <= left_q - out_count;
            last_q  <= left_q == out_count;
            valid_q <= 1'b1;
        end
        if (!aresetn) begin
            read_q   <= 32'd0;
            left_q   <= 32'd0;
            joined_q <= 32'd0;
            taken_q  <= 32'd0;
            sent_q   <= 32'd0;
            wait_q   <= 16'd0;
            valid_q  <= 1'b0;
            last_q   <= 1'b0;
        end else if (!m_aresetn) begin
            // out_load of this cycle has taken its beat out of the store already.
            repeat (out_load ? left_q - out_count : left_q) store.delete(0);
            read_q   <= read_q + left_q;
            taken_q  <= taken_q;
            joined_q <= joined_q;
            left_q   <= 32'd0;
            valid_q  <= 1'b0;
            last_q   <= 1'b0;
        end
    end

    assign m_axis_tdata  = data_q;
    assign m_axis_tkeep  = keep_q;
    assign m_axis_tlast  = last_q;
    assign m_axis_tvalid = valid_q;
    assign packets_in    = ended_q;
    assign packets_out   = sent_q;
    assign bytes         = bytes_q;
    assign dma_int_err   = error_q || dropped_q;
endmodule

`default_nettype wire
