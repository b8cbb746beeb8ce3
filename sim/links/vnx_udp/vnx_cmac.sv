// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_cmac - simulation only: the Ethernet MAC of a card in VNx, between its networklayer and the wire.
//
// Beats are of 64 bytes; a beat has its number of valid bytes beside it, which is 64 but in the last of a frame. The wire
// has a clock of its own, 195.3125 MHz: a beat per cycle is then 100 Gb/s. Preamble, FCS and gap take 24 bytes more,
// and no frame is shorter than 60 bytes before its FCS.
//
// To the wire: a packet FIFO of 512 beats, a frame begins when all of it is there. From the wire: a FIFO of 512 beats, not of
// packets; a beat that finds it full is lost, whatever it was. A frame of more than MOST bytes, FCS included, is truncated.
// The flags of that and of a bad FCS do not leave the cmac, so damaged frames pass. Without a link, what is to be sent is taken and lost.
//
// Throughput: a beat per cycle to the FIFO, 100 Gb/s on the wire.
// Parameters: BEATS  of each FIFO, a power of two
//             MOST   bytes of a frame; MOST - 4 is no multiple of 64. The default is CTL_RX_MAX_PACKET_LEN of AMD's CMACE4
// Source:     Ethernet/ of github.com/Xilinx/xup_vitis_network_example, which sets no other; AMD PG203
`default_nettype none

module vnx_cmac #(
    parameter int BEATS = 512,
    parameter int MOST  = 9600
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire         link,

    input  wire [511:0] s_axis_tdata,
    input  wire [6:0]   s_axis_bytes,
    input  wire         s_axis_tlast,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,

    output wire [511:0] m_axis_tdata,
    output wire [6:0]   m_axis_bytes,
    output wire         m_axis_tlast,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,

    input  wire         wire_clk,
    output wire [511:0] m_wire_tdata,
    output wire [6:0]   m_wire_bytes,
    output wire         m_wire_tlast,
    output wire         m_wire_tvalid,
    input  wire [511:0] s_wire_tdata,
    input  wire [6:0]   s_wire_bytes,
    input  wire         s_wire_tlast,
    input  wire         s_wire_tvalid,

    output wire [31:0]  lost  // beats from the wire that found the FIFO full
);
    localparam int          FCS      = 4;   // bytes that are neither on the wire of the model nor in the FIFO
    localparam int          OVERHEAD = 24;  // bytes: preamble 8, FCS 4, gap 12
    localparam logic [6:0]  SHORTEST = 7'd60;
    localparam int          BEAT_W   = 520;

    // ---- to the wire; counters of beats are never reset, each side writes its own
    logic [BEAT_W-1:0] tx_store[0:BEATS-1];
    logic [31:0]       tx_write_q, tx_whole_q;  // beats that came; those of whole frames
    logic [31:0]       tx_read_q;
    logic signed [8:0] debt_q;                  // bytes that the wire has still to carry before the next beat
    logic              first_q;

    wire       alone    = first_q && s_axis_tlast;
    wire [6:0] tx_bytes = alone && s_axis_bytes < SHORTEST ? SHORTEST : s_axis_bytes;
    wire       tx_fire  = s_axis_tvalid && s_axis_tready;

    assign s_axis_tready = aresetn && tx_write_q - tx_read_q < BEATS;

    always_ff @(posedge aclk) begin
        if (tx_fire) begin
            tx_store[tx_write_q%BEATS] <= {s_axis_tlast, tx_bytes, s_axis_tdata};
            tx_write_q                 <= tx_write_q + 32'd1;
            first_q                    <= s_axis_tlast;
            if (s_axis_tlast) tx_whole_q <= tx_write_q + 32'd1;
        end
        if (!aresetn) begin
            tx_write_q <= 32'd0;
            tx_whole_q <= 32'd0;
            first_q    <= 1'b1;
        end
    end

    wire              ahead = tx_read_q != tx_whole_q;
    wire              tx_go = ahead && debt_q < 9'sd64;
    wire signed [8:0] owed  = debt_q + 9'(OVERHEAD) + $signed({2'b00, m_wire_bytes}) - 9'sd64;

    assign {m_wire_tlast, m_wire_bytes, m_wire_tdata} = tx_store[tx_read_q%BEATS];
    assign m_wire_tvalid = tx_go && link && aresetn;

    always_ff @(posedge wire_clk) begin
        if (tx_go) begin
            tx_read_q <= tx_read_q + 32'd1;
            if (m_wire_tlast) debt_q <= owed < -9'sd64 ? -9'sd64 : owed;
        end else if (debt_q > -9'sd64) debt_q <= debt_q < 9'sd0 ? -9'sd64 : debt_q - 9'sd64;
        if (!aresetn) begin
            tx_read_q <= 32'd0;
            debt_q    <= 9'sd0;
        end
    end

    // ---- from the wire
    logic [BEAT_W-1:0] rx_store[0:BEATS-1];
    logic [31:0]       rx_write_q, rx_read_q, lost_q;
    logic [15:0]       rx_left_q;               // bytes that a frame may still have
    wire               rx_long = 16'(s_wire_bytes) > rx_left_q;

    always_ff @(posedge wire_clk) begin
        if (s_wire_tvalid && link) begin
            if (rx_left_q != 16'd0) begin
                if (rx_write_q - rx_read_q < BEATS) begin
                    rx_store[rx_write_q%BEATS] <= {s_wire_tlast || rx_long, rx_long ? rx_left_q[6:0] : s_wire_bytes, s_wire_tdata};
                    rx_write_q                 <= rx_write_q + 32'd1;
                end else lost_q <= lost_q + 32'd1;
            end
            rx_left_q <= s_wire_tlast ? 16'(MOST - FCS) : rx_long ? 16'd0 : rx_left_q - 16'(s_wire_bytes);
        end
        if (!aresetn) begin
            rx_write_q <= 32'd0;
            lost_q     <= 32'd0;
            rx_left_q  <= 16'(MOST - FCS);
        end
    end

    assign {m_axis_tlast, m_axis_bytes, m_axis_tdata} = rx_store[rx_read_q%BEATS];
    assign m_axis_tvalid = aresetn && rx_read_q != rx_write_q;
    assign lost          = lost_q;

    always_ff @(posedge aclk) begin
        if (m_axis_tvalid && m_axis_tready) rx_read_q <= rx_read_q + 32'd1;
        if (!aresetn) rx_read_q <= 32'd0;
    end
endmodule

`default_nettype wire
