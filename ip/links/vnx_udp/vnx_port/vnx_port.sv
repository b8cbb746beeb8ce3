// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_port - counts what all streams together send and receive through VNx at one QSFP cage (docs/vnx.md).
//
// It only watches the two streams. Packets sent, lost and repeated are counted in the block of each stream.
//
// Throughput  a beat in every cycle
// Latency     an event is counted when a read sees it, as axil_counters
// Paths       every output is a flop, every input ends in flops
// Resources   axil_counters with 7 counters, about 70 LUT and 60 FF
//
//   offset  name            access
//   0x00    LONGEST         r       Beats of the longest packet; the stack stalls at more than 256
//           [8:0] RECEIVED  r       From VNx, whatever is wrong with it; 511 is that many or more
//           [24:16] SENT    r       To VNx
//   0x04    CONTROL         w1      What the host asks for
//           [0] CLEAR       w1      Clear LONGEST and the counters
//   0x20    RECEIVED        r       Packets from VNx that are whole and unaltered
//   0x24    BAD             r       Packets from VNx that are not: checksum, magic, version, missing bytes, too long
//   0x28    ASTRAY          r       Packets for a row that no stream has
//   0x2C    RECEIVED_BEATS  r       Beats from VNx
//   0x30    SENT            r       Packets to VNx
//   0x34    SENT_BEATS      r       Beats to VNx
//   0x38    SENT_WAITS      r       Cycles in which VNx did not take a beat
//   others                  r       0; writes are ignored
//
// Parameters: none
// Checked by: test_vnx_port.py
`default_nettype none

module vnx_port (
    input  wire         aclk,
    input  wire         aresetn,

    input  wire  [5:0]  s_axil_awaddr,
    input  wire  [2:0]  s_axil_awprot,
    input  wire         s_axil_awvalid,
    output logic        s_axil_awready,
    input  wire  [31:0] s_axil_wdata,
    input  wire  [3:0]  s_axil_wstrb,
    input  wire         s_axil_wvalid,
    output logic        s_axil_wready,
    output logic [1:0]  s_axil_bresp,
    output logic        s_axil_bvalid,
    input  wire         s_axil_bready,
    input  wire  [5:0]  s_axil_araddr,
    input  wire  [2:0]  s_axil_arprot,
    input  wire         s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0]  s_axil_rresp,
    output logic        s_axil_rvalid,
    input  wire         s_axil_rready,

    input  wire         in_valid,   // a beat from VNx, which is always taken
    input  wire         in_last,
    input  wire         received,   // of vnx_check
    input  wire         bad,
    input  wire         astray,     // of axis_demux
    input  wire         out_valid,  // a beat for VNx
    input  wire         out_ready,
    input  wire         out_last
);

    // ---- registers, from registers.json ----------------------------------------------------------
    localparam logic [5:0] AT_LONGEST = 6'h00;
    localparam int LONGEST_RECEIVED = 0;
    localparam int LONGEST_SENT = 16;
    localparam logic [5:0] AT_CONTROL = 6'h04;
    localparam int CONTROL_CLEAR = 0;
    localparam logic [5:0] AT_RECEIVED = 6'h20;
    localparam logic [5:0] AT_BAD = 6'h24;
    localparam logic [5:0] AT_ASTRAY = 6'h28;
    localparam logic [5:0] AT_RECEIVED_BEATS = 6'h2C;
    localparam logic [5:0] AT_SENT = 6'h30;
    localparam logic [5:0] AT_SENT_BEATS = 6'h34;
    localparam logic [5:0] AT_SENT_WAITS = 6'h38;

    logic [8:0] in_beats_q, out_beats_q, in_most_q, out_most_q;
    logic       in_end_q, out_end_q, in_done_q, out_done_q;
    logic [6:0] event_q;
    logic       clear_q;
    wire        out_fire = out_valid && out_ready;
    wire        write;
    wire [3:0]  word;
    wire [31:0] data;
    wire        unused = &{1'b0, data[31:1]};

    always_ff @(posedge aclk) begin
        clear_q <= write && word == AT_CONTROL[5:2] && data[CONTROL_CLEAR];
        // Beats of the packet so far, with this one; when it has ended, the longest is compared a cycle later.
        if (in_valid) in_beats_q  <= (in_end_q ? 9'd0 : in_beats_q) + 9'(in_end_q || in_beats_q != '1);
        if (out_fire) out_beats_q <= (out_end_q ? 9'd0 : out_beats_q) + 9'(out_end_q || out_beats_q != '1);
        if (in_valid) in_end_q    <= in_last;
        if (out_fire) out_end_q   <= out_last;
        in_done_q  <= in_valid && in_last;
        out_done_q <= out_fire && out_last;
        if (in_done_q && in_beats_q > in_most_q)    in_most_q  <= in_beats_q;
        if (out_done_q && out_beats_q > out_most_q) out_most_q <= out_beats_q;
        if (clear_q) begin
            in_most_q  <= '0;
            out_most_q <= '0;
        end
        event_q[AT_RECEIVED[4:2]]       <= received;
        event_q[AT_BAD[4:2]]            <= bad;
        event_q[AT_ASTRAY[4:2]]         <= astray;
        event_q[AT_RECEIVED_BEATS[4:2]] <= in_valid;
        event_q[AT_SENT[4:2]]           <= out_fire && out_last;
        event_q[AT_SENT_BEATS[4:2]]     <= out_fire;
        event_q[AT_SENT_WAITS[4:2]]     <= out_valid && !out_ready;

        if (!aresetn) begin
            clear_q     <= 1'b0;
            in_beats_q  <= '0;
            out_beats_q <= '0;
            in_end_q    <= 1'b1;
            out_end_q   <= 1'b1;
            in_done_q   <= 1'b0;
            out_done_q  <= 1'b0;
            in_most_q   <= '0;
            out_most_q  <= '0;
            event_q     <= '0;
        end
    end

    logic [63:0] status;
    always_comb begin
        status = '0;
        status[8*AT_LONGEST + LONGEST_RECEIVED +: 9] = in_most_q;
        status[8*AT_LONGEST + LONGEST_SENT +: 9]     = out_most_q;
    end

    axil_counters #(.ADDR_W(6), .WORDS(2), .COUNTERS(7)) u_counters (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .status(status), .inc(event_q), .clear(clear_q),
        .write(write), .write_word(word), .write_data(data)
    );

endmodule

`default_nettype wire
