// SPDX-License-Identifier: BSD-3-Clause
//
// shell_status - status registers of a node's core behind AXI4-Lite.
//
// Streams are numbered receivers first: 0..N_RX-1 receive, N_RX..N_RX+N_TX-1 send. Registers are 32 bits
// wide and little-endian; WSTRB is respected; every access is answered OKAY. The same map as data, for
// generators of drivers: registers.json, compared with this block by its test.
//
//   offset         name          access
//   0x000          MAGIC         r      0x5348474E, "SHGN"
//   0x004          MAP_VERSION   r      1
//   0x008          BUILD_ID_LOW  r      BUILD_ID[31:0]
//   0x00C          BUILD_ID_HIGH r      BUILD_ID[63:32]
//   0x010          STREAMS       r      {16'd0, N_TX[7:0], N_RX[7:0]}
//   0x014          ERRORS        r/w1c  bit k: receiver k has an error flag set; writing 1 clears its flags
//   0x018          CONTROL       w      bit 0: clear the counters of all streams; reads 0
//   0x01C          SCRATCH       rw     for bus tests; 0 after reset
//   0x100 + 0x20*k FRAMES        r      frames, modulo 2**32
//   0x104 + 0x20*k BEATS_LOW     r      beats[31:0]; reading it latches BEATS_HIGH of the same stream
//   0x108 + 0x20*k BEATS_HIGH    r      beats[63:32] as latched
//   0x10C + 0x20*k STALLS        r      cycles with tvalid and not tready, stops at 2**32 - 1
//   0x110 + 0x20*k FLAGS         r      {keep, long, short}, sticky; 0 for a sender
//   all others                   r      0; writes are ignored
//
// An event in the cycle of a clear is kept for error flags and lost for counters.
//
// Throughput  one access per 2 cycles
// Latency     2 cycles from the request to the answer; events are counted 1 cycle late
// Paths       every output is a flop, every event input goes to a flop
// Resources   160 FF a stream, 270 FF besides
//
// Parameters: BUILD_ID  first 64 bits of the plan's digest
//             N_RX      receiving streams, 0 to 32
//             N_TX      sending streams; N_RX + N_TX is 1 to 120
// Checked by: test_shell_status.py
`default_nettype none

module shell_status #(
    parameter logic [63:0] BUILD_ID = 64'd0,
    parameter int          N_RX     = 1,
    parameter int          N_TX     = 1
) (
    input  wire                          aclk,
    input  wire                          aresetn,

    input  wire  [11:0]                  s_axil_awaddr,
    input  wire  [2:0]                   s_axil_awprot,
    input  wire                          s_axil_awvalid,
    output logic                         s_axil_awready,
    input  wire  [31:0]                  s_axil_wdata,
    input  wire  [3:0]                   s_axil_wstrb,
    input  wire                          s_axil_wvalid,
    output logic                         s_axil_wready,
    output logic [1:0]                   s_axil_bresp,
    output logic                         s_axil_bvalid,
    input  wire                          s_axil_bready,
    input  wire  [11:0]                  s_axil_araddr,
    input  wire  [2:0]                   s_axil_arprot,
    input  wire                          s_axil_arvalid,
    output logic                         s_axil_arready,
    output logic [31:0]                  s_axil_rdata,
    output logic [1:0]                   s_axil_rresp,
    output logic                         s_axil_rvalid,
    input  wire                          s_axil_rready,

    input  wire  [N_RX+N_TX-1:0]         beat,
    input  wire  [N_RX+N_TX-1:0]         stall,
    input  wire  [N_RX+N_TX-1:0]         frame_done,
    input  wire  [(N_RX>0?N_RX:1)-1:0]   error_short,
    input  wire  [(N_RX>0?N_RX:1)-1:0]   error_long,
    input  wire  [(N_RX>0?N_RX:1)-1:0]   error_keep
);

    generate
        if (N_RX < 0 || N_RX > 32) begin : g_check_n_rx
            N_RX_must_be_0_to_32 parameter_error();
        end
        if (N_TX < 0 || N_RX + N_TX < 1 || N_RX + N_TX > 120) begin : g_check_n
            N_RX_plus_N_TX_must_be_1_to_120 parameter_error();
        end
    endgenerate

    localparam int N     = N_RX + N_TX;
    localparam logic [31:0] MAGIC       = 32'h5348474E;
    localparam logic [31:0] MAP_VERSION = 32'd1;
    localparam logic [31:0] STREAMS     = {16'd0, 8'(N_TX), 8'(N_RX)};

    // ---- bus -------------------------------------------------------------------------------------

    logic        aw_have_q, w_have_q, ar_have_q, aw_ready_q, w_ready_q, ar_ready_q, b_valid_q, r_valid_q;
    logic [9:0]  aw_word_q, ar_word_q;
    logic [31:0] w_data_q, r_data_q, r_data_d, scratch_q;
    logic [3:0]  w_strb_q;

    wire write = aw_have_q && w_have_q && !b_valid_q;
    wire read  = ar_have_q && !r_valid_q;
    wire aw_have_d = (s_axil_awvalid && aw_ready_q) || (aw_have_q && !write);
    wire w_have_d  = (s_axil_wvalid && w_ready_q) || (w_have_q && !write);
    wire ar_have_d = (s_axil_arvalid && ar_ready_q) || (ar_have_q && !read);

    always_ff @(posedge aclk) begin
        if (aw_ready_q) aw_word_q <= s_axil_awaddr[11:2];
        if (ar_ready_q) ar_word_q <= s_axil_araddr[11:2];
        if (w_ready_q) {w_strb_q, w_data_q} <= {s_axil_wstrb, s_axil_wdata};
        if (read) r_data_q <= r_data_d;

        aw_have_q  <= aw_have_d;
        w_have_q   <= w_have_d;
        ar_have_q  <= ar_have_d;
        aw_ready_q <= !aw_have_d;
        w_ready_q  <= !w_have_d;
        ar_ready_q <= !ar_have_d;
        b_valid_q  <= write || (b_valid_q && !s_axil_bready);
        r_valid_q  <= read || (r_valid_q && !s_axil_rready);

        for (int i = 0; i < 4; i++)
            if (write && aw_word_q == 10'h007 && w_strb_q[i]) scratch_q[i*8 +: 8] <= w_data_q[i*8 +: 8];

        if (!aresetn) begin
            aw_have_q  <= 1'b0;
            w_have_q   <= 1'b0;
            ar_have_q  <= 1'b0;
            aw_ready_q <= 1'b0;
            w_ready_q  <= 1'b0;
            ar_ready_q <= 1'b0;
            b_valid_q  <= 1'b0;
            r_valid_q  <= 1'b0;
            scratch_q  <= '0;
        end
    end

    assign s_axil_awready = aw_ready_q;
    assign s_axil_wready  = w_ready_q;
    assign s_axil_arready = ar_ready_q;
    assign s_axil_bvalid  = b_valid_q;
    assign s_axil_bresp   = 2'b00;
    assign s_axil_rvalid  = r_valid_q;
    assign s_axil_rdata   = r_data_q;
    assign s_axil_rresp   = 2'b00;

    // ---- counters and flags ----------------------------------------------------------------------

    wire        clear       = write && aw_word_q == 10'h006 && w_strb_q[0] && w_data_q[0];
    wire [31:0] written     = {{8{w_strb_q[3]}}, {8{w_strb_q[2]}}, {8{w_strb_q[1]}}, {8{w_strb_q[0]}}} & w_data_q;
    wire [31:0] clear_flags = (write && aw_word_q == 10'h005) ? written : 32'd0;
    wire [31:0] errors;
    wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0],
                    error_short, error_long, error_keep, clear_flags};
    wire [N*32-1:0] stream_data;

    generate
        for (genvar k = 0; k < N; k++) begin : g_stream
            logic        beat_q, stall_q, frame_q;
            logic [31:0] frames_q, stalls_q, high_q;
            logic [63:0] beats_q;
            wire  [2:0]  flags;
            // Stream k begins at word 8 * (8 + k).
            wire         selected = ar_word_q[9:3] == 7'(8 + k);

            always_ff @(posedge aclk) begin
                beat_q  <= beat[k];
                stall_q <= stall[k];
                frame_q <= frame_done[k];
                if (frame_q) frames_q <= frames_q + 1'b1;
                if (beat_q)  beats_q  <= beats_q + 1'b1;
                if (stall_q && stalls_q != '1) stalls_q <= stalls_q + 1'b1;
                if (read && selected && ar_word_q[2:0] == 3'd1) high_q <= beats_q[63:32];
                if (!aresetn || clear) begin
                    frames_q <= '0;
                    beats_q  <= '0;
                    stalls_q <= '0;
                    high_q   <= '0;
                end
                if (!aresetn) begin
                    beat_q  <= 1'b0;
                    stall_q <= 1'b0;
                    frame_q <= 1'b0;
                end
            end

            if (k < N_RX) begin : g_flags
                logic [2:0] flags_q;
                always_ff @(posedge aclk) begin
                    flags_q <= (clear_flags[k] ? 3'd0 : flags_q)
                               | {error_keep[k], error_long[k], error_short[k]};
                    if (!aresetn) flags_q <= '0;
                end
                assign flags = flags_q;
                assign errors[k] = flags_q != '0;
            end else begin : g_no_flags
                assign flags = 3'd0;
            end

            logic [31:0] data;
            always_comb begin
                case (ar_word_q[2:0])
                    3'd0:    data = frames_q;
                    3'd1:    data = beats_q[31:0];
                    3'd2:    data = high_q;
                    3'd3:    data = stalls_q;
                    3'd4:    data = {29'd0, flags};
                    default: data = '0;
                endcase
            end
            assign stream_data[k*32 +: 32] = selected ? data : 32'd0;
        end
        if (N_RX < 32) begin : g_no_errors
            assign errors[31:N_RX] = '0;
        end
    endgenerate

    always_comb begin
        case (ar_word_q)
            10'h000: r_data_d = MAGIC;
            10'h001: r_data_d = MAP_VERSION;
            10'h002: r_data_d = BUILD_ID[31:0];
            10'h003: r_data_d = BUILD_ID[63:32];
            10'h004: r_data_d = STREAMS;
            10'h005: r_data_d = errors;
            10'h007: r_data_d = scratch_q;
            default: r_data_d = '0;
        endcase
        for (int i = 0; i < N; i++) r_data_d = r_data_d | stream_data[i*32 +: 32];
    end

endmodule

`default_nettype wire
