// SPDX-License-Identifier: BSD-3-Clause
//
// axis_ddr_fifo - FIFO of beats whose memory is a ring in DDR or HBM, behind an AXI4 master.
//
// Two FIFOs on the chip, STAGE beats each. While nothing is in the ring, beats pass from the first to the second, so
// that none ever waits for a burst to fill. When the second is full and a whole burst waits in the first, it is
// written to the ring, and from then on every beat goes by way of the ring, until the ring is empty and no burst is
// under way. Only whole bursts are written; a burst is read when its write has been answered, and when the second FIFO
// has room for all of it. So order is kept, and no burst waits for another stream.
//
// Throughput  a beat per cycle, by way of the ring as many as the memory takes and gives: several bursts are under way
//             in each direction. A latency of the memory of L cycles needs a STAGE of L + BURST + 16
// Latency     4 cycles past the ring
// Paths       s_axis_tready and m_axis_tvalid are flops and one gate of `flush`; m_axi_aw* and m_axi_ar* are flops,
//             m_axi_wvalid is two flops and a gate; from m_axi_wready and m_axi_r* one gate into a FIFO
// Resources   the two FIFOs; a LUT for each bit of a beat, which chooses between the ways; per bit of an address 2
//             LUT and 2 FF, per bit of the number of bursts in the ring 4 LUT and 4 FF, 100 LUT besides
//
// The master uses one ID, increments, and never crosses 4 KiB. Awaited answers are not limited in number. A fault answer changes
// nothing but the pulse that reports it: the burst counts as written or read, and what it carried is undefined.
//
// `flush` empties the FIFO while the memory goes on: from its first cycle on s_axis_tready and m_axis_tvalid are low and no
// burst begins; bursts that were begun are completed, all data are dropped. It ends, when `flush` is low, as soon as
// `idle` is high. `flush` and `armed` come from flops.
//
// Parameters: DATA_W      bits of a beat and of the memory port, 8 to 512, a power of two
//             ADDR_W      bits of an address, 32 to 64
//             BURST       beats of a burst, 2 to 256, a power of two, at most 4096 bytes; AXI3 allows 16
//             RING_BYTES  of the ring, a multiple of a burst, at least two; the ring has to be mapped whole
//             STAGE       beats of each FIFO on the chip, a power of two, at least two bursts
//             STORE       memory of these FIFOs, as in axis_fifo
// Checked by: test_axis_ddr_fifo.py
`default_nettype none

module axis_ddr_fifo #(
    parameter int DATA_W     = 64,
    parameter int ADDR_W     = 32,
    parameter int BURST      = 16,
    parameter int RING_BYTES = 65536,
    parameter int STAGE      = BURST > 64 ? 2 * BURST : 128,
    parameter int STORE      = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire                 flush,
    input  wire  [ADDR_W-1:0]   base,      // of the ring, a multiple of 4096; constant from `armed` to `flush`
    input  wire                 armed,     // bursts may begin
    output logic                idle,      // no burst is under way

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready,

    output logic [ADDR_W-1:0]   m_axi_awaddr,
    output logic [7:0]          m_axi_awlen,
    output logic [2:0]          m_axi_awsize,
    output logic [1:0]          m_axi_awburst,
    output logic [3:0]          m_axi_awcache,
    output logic [2:0]          m_axi_awprot,
    output logic                m_axi_awvalid,
    input  wire                 m_axi_awready,
    output logic [DATA_W-1:0]   m_axi_wdata,
    output logic [DATA_W/8-1:0] m_axi_wstrb,
    output logic                m_axi_wlast,
    output logic                m_axi_wvalid,
    input  wire                 m_axi_wready,
    input  wire  [1:0]          m_axi_bresp,
    input  wire                 m_axi_bvalid,
    output logic                m_axi_bready,
    output logic [ADDR_W-1:0]   m_axi_araddr,
    output logic [7:0]          m_axi_arlen,
    output logic [2:0]          m_axi_arsize,
    output logic [1:0]          m_axi_arburst,
    output logic [3:0]          m_axi_arcache,
    output logic [2:0]          m_axi_arprot,
    output logic                m_axi_arvalid,
    input  wire                 m_axi_arready,
    input  wire  [DATA_W-1:0]   m_axi_rdata,
    input  wire  [1:0]          m_axi_rresp,
    input  wire                 m_axi_rlast,
    input  wire                 m_axi_rvalid,
    output logic                m_axi_rready,

    output logic                write_fault,  // a burst was answered with a fault
    output logic                read_fault,   // a beat was
    output logic                spilled,      // the write of a burst was answered
    output logic [31:0]         level         // beats inside, wherever they are
);

    localparam int BURST_BYTES = BURST * (DATA_W / 8);
    localparam int RING_BURSTS = RING_BYTES / BURST_BYTES;
    localparam int BURST_W     = $clog2(BURST);
    localparam int STEP_W      = $clog2(BURST_BYTES);        // address bits within a burst
    localparam int USED_W      = $clog2(RING_BURSTS + 1);
    localparam int STAGE_W     = $clog2(STAGE + 2);
    localparam int OWED_W      = STAGE_W - BURST_W;
    localparam int LEVEL_W     = $clog2(RING_BYTES / (DATA_W / 8) + 2 * STAGE + 3);
    localparam logic [STAGE_W-1:0] WHOLE = STAGE_W'(BURST);

    generate
        if (DATA_W < 8 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : g_check_data_w
            DATA_W_must_be_a_power_of_two_from_8_to_512 parameter_error();
        end
        if (ADDR_W < 32 || ADDR_W > 64) begin : g_check_addr_w
            ADDR_W_must_be_32_to_64 parameter_error();
        end
        if (BURST < 2 || BURST > 256 || (BURST & (BURST - 1)) != 0 || BURST_BYTES > 4096) begin : g_check_burst
            BURST_must_be_a_power_of_two_from_2_to_256_and_at_most_4096_bytes parameter_error();
        end
        if (RING_BYTES % BURST_BYTES != 0 || RING_BURSTS < 2) begin : g_check_ring_bytes
            RING_BYTES_must_be_a_multiple_of_a_burst_and_at_least_two parameter_error();
        end
        if (STAGE < 2 * BURST || (STAGE & (STAGE - 1)) != 0) begin : g_check_stage
            STAGE_must_be_a_power_of_two_and_at_least_two_bursts parameter_error();
        end
    endgenerate

    // ---- flush -----------------------------------------------------------------------------------

    logic drop_q;
    wire  stop  = flush || drop_q;
    wire  clear = drop_q && idle;
    wire  live  = aresetn && !clear;

    always_ff @(posedge aclk) drop_q <= aresetn && (flush || (drop_q && !idle));

    // ---- beats -----------------------------------------------------------------------------------

    logic              ring_q;  // beats go by way of the ring
    wire  [DATA_W-1:0] front_data;
    wire               front_valid, s_ready, rear_ready, m_valid;
    wire  [STAGE_W-1:0] front_level, rear_level;
    wire               owing;   // beats of a burst that has begun are still in the front FIFO
    wire               s_fire   = s_axis_tvalid && s_axis_tready;
    wire               m_fire   = m_axis_tvalid && m_axis_tready;
    wire               w_fire   = m_axi_wvalid && m_axi_wready;
    wire               straight = !ring_q && front_valid && rear_ready;

    axis_fifo #(.DATA_W(DATA_W), .DEPTH(STAGE), .STORE(STORE)) u_front (
        .aclk(aclk), .aresetn(live),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_fire), .s_axis_tready(s_ready),
        .m_axis_tdata(front_data), .m_axis_tvalid(front_valid),
        .m_axis_tready(ring_q ? m_axi_wready && owing : rear_ready), .level(front_level)
    );
    axis_fifo #(.DATA_W(DATA_W), .DEPTH(STAGE), .STORE(STORE)) u_rear (
        .aclk(aclk), .aresetn(live),
        .s_axis_tdata(ring_q ? m_axi_rdata : front_data), .s_axis_tvalid(ring_q ? m_axi_rvalid : front_valid),
        .s_axis_tready(rear_ready), .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_valid), .m_axis_tready(m_fire),
        .level(rear_level)
    );
    assign s_axis_tready = s_ready && !stop;
    assign m_axis_tvalid = m_valid && !stop;

    // ---- bursts ----------------------------------------------------------------------------------

    // A start takes effect on what is counted in the next cycle and on the flags below in the one after it. In between the
    // address is valid, which holds off the next start.
    logic [USED_W-1:0]  used_q, stored_q;    // bursts of the ring that are in use; those of them that may be read
    logic [STAGE_W-1:0] spare_q, taken_q;    // beats in the front FIFO that no burst has; places of the rear that are taken
    logic               whole_q, full_q, empty_q, still_q, some_q, room_q;
    logic               aw_valid_q, ar_valid_q;

    wire go       = ring_q && armed && !stop;
    wire aw_start = go && !aw_valid_q && whole_q && !full_q;
    wire ar_start = go && !ar_valid_q && some_q && room_q;
    wire freed    = m_axi_rvalid && m_axi_rlast;

    always_ff @(posedge aclk) begin
        if (ring_q) ring_q <= aw_start || aw_valid_q || !empty_q;
        else        ring_q <= armed && !stop && whole_q && front_valid && !rear_ready;

        aw_valid_q <= aw_start || (aw_valid_q && !m_axi_awready);
        ar_valid_q <= ar_start || (ar_valid_q && !m_axi_arready);

        if (aw_start != freed)        used_q   <= used_q + (freed ? '1 : USED_W'(1));
        if (m_axi_bvalid != ar_start) stored_q <= stored_q + (ar_start ? '1 : USED_W'(1));
        spare_q <= spare_q + (aw_start ? (s_fire ? STAGE_W'(1) - WHOLE : -WHOLE)
                                       : straight ? (s_fire ? '0 : '1) : STAGE_W'(s_fire));
        taken_q <= taken_q + (ar_start ? (m_fire ? WHOLE - STAGE_W'(1) : WHOLE)
                                       : m_fire ? (straight ? '0 : '1) : STAGE_W'(straight));

        whole_q <= spare_q[STAGE_W-1:BURST_W] != '0;
        full_q  <= used_q == USED_W'(RING_BURSTS);
        empty_q <= used_q == '0;
        still_q <= used_q == stored_q;
        some_q  <= stored_q != '0;
        room_q  <= taken_q <= STAGE_W'(STAGE - BURST);

        if (!live) begin
            ring_q     <= 1'b0;
            aw_valid_q <= 1'b0;
            ar_valid_q <= 1'b0;
            used_q     <= '0;
            stored_q   <= '0;
            spare_q    <= '0;
            taken_q    <= '0;
            whole_q    <= 1'b0;
            full_q     <= 1'b0;
            empty_q    <= 1'b1;
            still_q    <= 1'b1;
            some_q     <= 1'b0;
            room_q     <= 1'b0;
        end
    end
    assign idle = still_q && !aw_valid_q && !ar_valid_q;

    // Both addresses begin at the base each time when the ring comes into use.
    logic [ADDR_W-1:STEP_W] aw_addr_q, ar_addr_q;
    logic [USED_W-1:0]      aw_left_q, ar_left_q;  // bursts up to the end of the ring
    wire                    aw_wrap = aw_left_q == '0;
    wire                    ar_wrap = ar_left_q == '0;

    always_ff @(posedge aclk) begin
        if (!ring_q || (aw_valid_q && m_axi_awready)) begin
            aw_addr_q <= !ring_q || aw_wrap ? base[ADDR_W-1:STEP_W] : aw_addr_q + 1'b1;
            aw_left_q <= !ring_q || aw_wrap ? USED_W'(RING_BURSTS - 1) : aw_left_q - 1'b1;
        end
        if (!ring_q || (ar_valid_q && m_axi_arready)) begin
            ar_addr_q <= !ring_q || ar_wrap ? base[ADDR_W-1:STEP_W] : ar_addr_q + 1'b1;
            ar_left_q <= !ring_q || ar_wrap ? USED_W'(RING_BURSTS - 1) : ar_left_q - 1'b1;
        end
    end

    // A burst is sent as soon as it has begun: a slave may wait for the data before it takes the address.
    logic [OWED_W-1:0]  owed_q;
    logic [BURST_W-1:0] beat_q;
    wire                w_last = &beat_q;

    assign owing = owed_q != '0;
    always_ff @(posedge aclk) begin
        if (w_fire) beat_q <= beat_q + 1'b1;
        if (aw_start != (w_fire && w_last)) owed_q <= owed_q + (aw_start ? OWED_W'(1) : '1);

        if (!aresetn) begin
            beat_q <= '0;
            owed_q <= '0;
        end
    end

    // ---- what is reported ------------------------------------------------------------------------

    logic [LEVEL_W-1:0] level_q;

    always_ff @(posedge aclk) begin
        if (s_fire != m_fire) level_q <= level_q + (m_fire ? '1 : LEVEL_W'(1));
        write_fault <= aresetn && m_axi_bvalid && m_axi_bresp[1];
        read_fault  <= aresetn && m_axi_rvalid && m_axi_rresp[1];
        spilled     <= aresetn && m_axi_bvalid;

        if (!live) level_q <= '0;
    end
    assign level = 32'(level_q);

    assign m_axi_awaddr  = {aw_addr_q, STEP_W'(0)};
    assign m_axi_araddr  = {ar_addr_q, STEP_W'(0)};
    assign m_axi_awlen   = 8'(BURST - 1);
    assign m_axi_arlen   = 8'(BURST - 1);
    assign m_axi_awsize  = 3'($clog2(DATA_W / 8));
    assign m_axi_arsize  = 3'($clog2(DATA_W / 8));
    assign m_axi_awburst = 2'b01;
    assign m_axi_arburst = 2'b01;
    assign m_axi_awcache = 4'b0011;
    assign m_axi_arcache = 4'b0011;
    assign m_axi_awprot  = 3'b000;
    assign m_axi_arprot  = 3'b000;
    assign m_axi_awvalid = aw_valid_q;
    assign m_axi_arvalid = ar_valid_q;
    assign m_axi_wdata   = front_data;
    assign m_axi_wstrb   = '1;
    assign m_axi_wlast   = w_last;
    assign m_axi_wvalid  = front_valid && owing;
    // There is always room for what was asked for.
    assign m_axi_bready  = 1'b1;
    assign m_axi_rready  = 1'b1;

    wire unused = &{1'b0, front_level, rear_level, base[STEP_W-1:0], m_axi_bresp[0], m_axi_rresp[0]};

endmodule

`default_nettype wire
