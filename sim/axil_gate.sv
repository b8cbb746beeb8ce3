// SPDX-License-Identifier: BSD-3-Clause
//
// axil_gate - simulation only: sits between a core and an AXI4-Lite slave, and controls the slave's behaviour.
//
// `mode` 0: a wire. Else bits 3:0 are a fault, bit 4 delays handshakes, and with it bit 5 makes it a decoy, bit 6 slow:
//   1 silent: no READY, no VALID                   2, 3 answers SLVERR, DECERR
//   4 mute: accepts all, no response               5, 6 late: one response to a read, a write that has timed out
//   7 accepts AW and no W                          8 accepts W and no AW; AR is not accepted either
//   delaying: every access is accepted whole, then forwarded, and its response comes late. Modes alternate:
//     writes: AW, then W; W, then AW; both in one cycle; READY toggles without
//     a VALID; READY before VALID; READY after VALID, independently. reads: READY after VALID; READY
//     toggles; READY before VALID. Without a VALID, responses are noise. Delays are up to 15 cycles.
//   decoy: it responds itself, and the slave sees nothing. It stores the data of a write, by its strobes, with
//     the address: reads of that address return the data, of another one the data XOR the difference of the addresses.
//   slow: responses are delayed by 900 cycles more, slightly less than the timeout of a core's tree (ip/axil_root).
// It starts and stops delaying when nothing is under way. An access that a reset of the core cuts short while it delays
// is completed at the slave, and its response is dropped.
//
// Throughput: a wire has no latency; delaying, one access each way.
// Parameters: ADDR_W  address bits
//             DATA_W  data bits
`default_nettype none

module axil_gate #(
    parameter int ADDR_W = 12,
    parameter int DATA_W = 32
) (
    input  wire                aclk,
    input  wire                s_aresetn,  // of the core
    input  wire                m_aresetn,  // of the slave
    input  wire [7:0]          mode,
    input  wire [31:0]         seed,       // of the waits, constant

    input  wire [ADDR_W-1:0]   s_axil_awaddr,
    input  wire [2:0]          s_axil_awprot,
    input  wire                s_axil_awvalid,
    output wire                s_axil_awready,
    input  wire [DATA_W-1:0]   s_axil_wdata,
    input  wire [DATA_W/8-1:0] s_axil_wstrb,
    input  wire                s_axil_wvalid,
    output wire                s_axil_wready,
    output wire [1:0]          s_axil_bresp,
    output wire                s_axil_bvalid,
    input  wire                s_axil_bready,
    input  wire [ADDR_W-1:0]   s_axil_araddr,
    input  wire [2:0]          s_axil_arprot,
    input  wire                s_axil_arvalid,
    output wire                s_axil_arready,
    output wire [DATA_W-1:0]   s_axil_rdata,
    output wire [1:0]          s_axil_rresp,
    output wire                s_axil_rvalid,
    input  wire                s_axil_rready,

    output wire [ADDR_W-1:0]   m_axil_awaddr,
    output wire [2:0]          m_axil_awprot,
    output wire                m_axil_awvalid,
    input  wire                m_axil_awready,
    output wire [DATA_W-1:0]   m_axil_wdata,
    output wire [DATA_W/8-1:0] m_axil_wstrb,
    output wire                m_axil_wvalid,
    input  wire                m_axil_wready,
    input  wire [1:0]          m_axil_bresp,
    input  wire                m_axil_bvalid,
    output wire                m_axil_bready,
    output wire [ADDR_W-1:0]   m_axil_araddr,
    output wire [2:0]          m_axil_arprot,
    output wire                m_axil_arvalid,
    input  wire                m_axil_arready,
    input  wire [DATA_W-1:0]   m_axil_rdata,
    input  wire [1:0]          m_axil_rresp,
    input  wire                m_axil_rvalid,
    output wire                m_axil_rready
);
    localparam logic [3:0] SLVERR = 4'd2, DECERR = 4'd3, MUTE = 4'd4, LATE_READ = 4'd5, LATE_WRITE = 4'd6,
        ADDRESS_ONLY = 4'd7, DATA_ONLY = 4'd8;  // 1, silent, is what none of these does
    // Modes of writes, and of reads.
    localparam logic [2:0] ADDRESS_FIRST = 3'd0, DATA_FIRST = 3'd1, TOGETHER = 3'd2, FLICKER = 3'd3, EARLY = 3'd4, LAST = 3'd5;
    localparam logic [1:0] READ_FLICKER = 2'd1, READ_EARLY = 2'd2;
    localparam logic [9:0] SLOW = 10'd900;

    logic       told_q;  // the late answer was taken
    logic       hesitates_q, decoy_q;
    wire  [3:0] wanted = mode[3:0];
    wire        is_late = wanted == LATE_READ || wanted == LATE_WRITE;
    wire  [3:0] fault = is_late && told_q ? 4'd0 : wanted;
    wire        dead = fault != 4'd0 && fault != SLVERR && fault != DECERR;
    wire  [1:0] b_code = fault == SLVERR || fault == DECERR ? fault[1:0] : b_resp;
    wire  [1:0] r_code = fault == SLVERR || fault == DECERR ? fault[1:0] : r_resp;
    wire        unused = &{1'b0, mode[7:6]};

    // ---- noise and waits ----------------------------------------------------------------------------------
    logic [31:0] noise_q;
    logic        seeded_q;
    function automatic logic [31:0] next_noise(input logic [31:0] was);
        logic [31:0] x;
        x = was ^ (was << 13);
        x = x ^ (x >> 17);
        return x ^ (x << 5);
    endfunction
    wire [DATA_W-1:0] noise = {(DATA_W / 32) {noise_q}};

    // ---- delaying: one access is accepted, forwarded, answered ------------------------------------------
    logic              aw_full_q, w_full_q, ar_full_q;  // taken
    logic              w_sent_q, r_sent_q;              // forwarded
    logic              b_full_q, r_full_q;              // an answer is there
    logic              aw_out_q, w_out_q, ar_out_q;     // VALID at the slave
    logic              w_busy_q, r_busy_q;              // the slave must respond
    logic              w_orphan_q, r_orphan_q;          // which the master no longer waits for
    logic [2:0]        w_turn_q;
    logic [1:0]        r_turn_q;
    logic [3:0]        aw_gap_q, w_gap_q, b_gap_q, ar_gap_q, r_gap_q;
    logic [9:0]        b_slow_q, r_slow_q;
    logic [ADDR_W+2:0] aw_q, aw_sent_q, ar_q, ar_sent_q;
    logic [DATA_W/8+DATA_W-1:0] w_q, w_data_sent_q;
    logic [1:0]        b_resp_q, r_resp_q;
    logic [DATA_W-1:0] r_data_q;
    logic [DATA_W-1:0] kept_q;  // by a decoy

    wire aw_rest = !aw_full_q && aw_gap_q == 4'd0, w_rest = !w_full_q && w_gap_q == 4'd0;
    wire both    = s_axil_awvalid && s_axil_wvalid && aw_rest && w_rest;
    logic aw_takes, w_takes, ar_takes;
    always_comb begin
        case (w_turn_q)
            ADDRESS_FIRST: {aw_takes, w_takes} = {s_axil_awvalid && aw_rest, s_axil_wvalid && w_rest && aw_full_q};
            DATA_FIRST:    {aw_takes, w_takes} = {s_axil_awvalid && aw_rest && w_full_q, s_axil_wvalid && w_rest};
            TOGETHER:      {aw_takes, w_takes} = {both, both};
            FLICKER:       {aw_takes, w_takes} = {!aw_full_q && noise_q[7], !w_full_q && noise_q[19]};
            EARLY:         {aw_takes, w_takes} = {!aw_full_q, !w_full_q};
            default:       {aw_takes, w_takes} = {s_axil_awvalid && aw_rest, s_axil_wvalid && w_rest};
        endcase
        case (r_turn_q)
            READ_FLICKER: ar_takes = !ar_full_q && noise_q[11];
            READ_EARLY:   ar_takes = !ar_full_q;
            default:      ar_takes = s_axil_arvalid && !ar_full_q && ar_gap_q == 4'd0;
        endcase
    end

    wire [DATA_W-1:0] aw_mark = DATA_W'(aw_q[ADDR_W-1:0]), ar_mark = DATA_W'(ar_q[ADDR_W-1:0]);

    // ---- towards the core ---------------------------------------------------------------------------------
    wire       b_valid = hesitates_q ? b_full_q && b_gap_q == 4'd0 && b_slow_q == 10'd0 : m_axil_bvalid;
    wire       r_valid = hesitates_q ? r_full_q && r_gap_q == 4'd0 && r_slow_q == 10'd0 : m_axil_rvalid;
    wire [1:0] b_resp = hesitates_q ? b_resp_q : m_axil_bresp;
    wire [1:0] r_resp = hesitates_q ? r_resp_q : m_axil_rresp;
    assign s_axil_awready = dead ? fault == MUTE || fault == ADDRESS_ONLY : hesitates_q ? aw_takes : m_axil_awready;
    assign s_axil_wready  = dead ? fault == MUTE || fault == DATA_ONLY : hesitates_q ? w_takes : m_axil_wready;
    assign s_axil_arready = dead ? fault == MUTE : hesitates_q ? ar_takes : m_axil_arready;
    assign s_axil_bvalid  = dead ? fault == LATE_WRITE : b_valid;
    assign s_axil_rvalid  = dead ? fault == LATE_READ : r_valid;
    assign s_axil_bresp   = hesitates_q && !b_valid ? noise_q[1:0] : b_code;
    assign s_axil_rresp   = hesitates_q && !r_valid ? noise_q[3:2] : r_code;
    assign s_axil_rdata   = !hesitates_q ? m_axil_rdata : r_valid ? r_data_q : noise;

    // ---- towards the slave --------------------------------------------------------------------------------
    assign {m_axil_awprot, m_axil_awaddr} = hesitates_q ? aw_sent_q : {s_axil_awprot, s_axil_awaddr};
    assign {m_axil_arprot, m_axil_araddr} = hesitates_q ? ar_sent_q : {s_axil_arprot, s_axil_araddr};
    assign {m_axil_wstrb, m_axil_wdata}   = hesitates_q ? w_data_sent_q : {s_axil_wstrb, s_axil_wdata};
    assign m_axil_awvalid = hesitates_q ? aw_out_q : s_axil_awvalid && !dead;
    assign m_axil_wvalid  = hesitates_q ? w_out_q : s_axil_wvalid && !dead;
    assign m_axil_arvalid = hesitates_q ? ar_out_q : s_axil_arvalid && !dead;
    assign m_axil_bready  = hesitates_q ? w_busy_q && !aw_out_q && !w_out_q : s_axil_bready && !dead;
    assign m_axil_rready  = hesitates_q ? r_busy_q && !ar_out_q : s_axil_rready && !dead;

    // Of a wire, how many accesses the slave has taken and not answered; it changes its mode at rest only.
    logic [3:0] aw_open_q, w_open_q, ar_open_q;
    wire b_end = m_axil_bvalid && m_axil_bready, r_end = m_axil_rvalid && m_axil_rready;
    wire asked = s_axil_awvalid || s_axil_wvalid || s_axil_arvalid;
    wire taken = aw_full_q || w_full_q || ar_full_q || b_full_q || r_full_q || w_busy_q || r_busy_q;
    wire owed  = {aw_open_q, w_open_q, ar_open_q} != 12'd0;

    always @(posedge aclk) begin
        seeded_q <= 1'b1;
        noise_q  <= seeded_q ? next_noise(noise_q) : seed * 32'h9E3779B9 | 32'h1;
        if (!asked && !taken && !owed) begin
            hesitates_q <= mode[4];
            decoy_q     <= mode[5];
        end
        if (!is_late) told_q <= 1'b0;
        else if ((s_axil_bvalid && s_axil_bready) || (s_axil_rvalid && s_axil_rready)) told_q <= 1'b1;

        // taken
        if (aw_gap_q != 4'd0 && s_axil_awvalid && (w_turn_q != DATA_FIRST || w_full_q)) aw_gap_q <= aw_gap_q - 4'd1;
        if (w_gap_q != 4'd0 && s_axil_wvalid && (w_turn_q != ADDRESS_FIRST || aw_full_q)) w_gap_q <= w_gap_q - 4'd1;
        if (ar_gap_q != 4'd0 && s_axil_arvalid) ar_gap_q <= ar_gap_q - 4'd1;
        if (hesitates_q && s_axil_awvalid && s_axil_awready) begin
            aw_full_q <= 1'b1;
            aw_q      <= {s_axil_awprot, s_axil_awaddr};
        end
        if (hesitates_q && s_axil_wvalid && s_axil_wready) begin
            w_full_q <= 1'b1;
            w_q      <= {s_axil_wstrb, s_axil_wdata};
        end
        if (hesitates_q && s_axil_arvalid && s_axil_arready) begin
            ar_full_q <= 1'b1;
            ar_q      <= {s_axil_arprot, s_axil_araddr};
        end

        // forwarded
        if (aw_full_q && w_full_q && !w_sent_q && decoy_q) begin
            {w_sent_q, b_full_q} <= 2'b11;
            b_resp_q <= 2'd0;
            for (int i = 0; i < DATA_W / 8; i++)
                if (w_q[DATA_W+i]) kept_q[i*8 +: 8] <= w_q[i*8 +: 8] ^ aw_mark[i*8 +: 8];
        end else if (aw_full_q && w_full_q && !w_sent_q && !w_busy_q) begin
            {w_sent_q, w_busy_q, aw_out_q, w_out_q} <= 4'hF;
            aw_sent_q     <= aw_q;
            w_data_sent_q <= w_q;
        end
        if (aw_out_q && m_axil_awready) aw_out_q <= 1'b0;
        if (w_out_q && m_axil_wready) w_out_q <= 1'b0;
        if (ar_full_q && !r_sent_q && decoy_q) begin
            {r_sent_q, r_full_q} <= 2'b11;
            r_resp_q <= 2'd0;
            r_data_q <= kept_q ^ ar_mark;
        end else if (ar_full_q && !r_sent_q && !r_busy_q) begin
            {r_sent_q, r_busy_q, ar_out_q} <= 3'h7;
            ar_sent_q <= ar_q;
        end
        if (ar_out_q && m_axil_arready) ar_out_q <= 1'b0;

        // answered
        if (w_busy_q && b_end) begin
            {w_busy_q, w_orphan_q} <= 2'b00;
            b_full_q <= !w_orphan_q;
            b_resp_q <= m_axil_bresp;
        end
        if (r_busy_q && r_end) begin
            {r_busy_q, r_orphan_q} <= 2'b00;
            r_full_q <= !r_orphan_q;
            r_resp_q <= m_axil_rresp;
            r_data_q <= m_axil_rdata;
        end
        if (b_full_q && b_gap_q != 4'd0) b_gap_q <= b_gap_q - 4'd1;
        if (r_full_q && r_gap_q != 4'd0) r_gap_q <= r_gap_q - 4'd1;
        b_slow_q <= !b_full_q ? mode[6] ? SLOW : 10'd0 : b_slow_q != 10'd0 ? b_slow_q - 10'd1 : 10'd0;
        r_slow_q <= !r_full_q ? mode[6] ? SLOW : 10'd0 : r_slow_q != 10'd0 ? r_slow_q - 10'd1 : 10'd0;
        if (b_full_q && s_axil_bvalid && s_axil_bready) begin
            {aw_full_q, w_full_q, w_sent_q, b_full_q} <= 4'h0;
            {aw_gap_q, w_gap_q, b_gap_q} <= noise_q[31:20];
            w_turn_q <= w_turn_q == LAST ? 3'd0 : w_turn_q + 3'd1;
        end
        if (r_full_q && s_axil_rvalid && s_axil_rready) begin
            {ar_full_q, r_sent_q, r_full_q} <= 3'h0;
            {ar_gap_q, r_gap_q} <= noise_q[15:8];
            r_turn_q <= r_turn_q == READ_EARLY ? 2'd0 : r_turn_q + 2'd1;
        end
        aw_open_q <= aw_open_q + 4'(m_axil_awvalid && m_axil_awready) - 4'(b_end);
        w_open_q  <= w_open_q + 4'(m_axil_wvalid && m_axil_wready) - 4'(b_end);
        ar_open_q <= ar_open_q + 4'(m_axil_arvalid && m_axil_arready) - 4'(r_end);

        if (!s_aresetn) begin
            {aw_full_q, w_full_q, ar_full_q, w_sent_q, r_sent_q, b_full_q, r_full_q} <= 7'h0;
            {aw_gap_q, w_gap_q, b_gap_q, ar_gap_q, r_gap_q} <= 20'd0;
            {w_turn_q, r_turn_q} <= 5'd0;
            w_orphan_q <= w_busy_q && !b_end;
            r_orphan_q <= r_busy_q && !r_end;
        end
        if (!m_aresetn) begin
            {aw_out_q, w_out_q, ar_out_q, w_busy_q, r_busy_q, w_orphan_q, r_orphan_q, hesitates_q, decoy_q} <= 9'h0;
            {aw_open_q, w_open_q, ar_open_q} <= 12'd0;
        end
    end
    initial {noise_q, seeded_q} = {32'h1, 1'b0};
endmodule

`default_nettype wire
