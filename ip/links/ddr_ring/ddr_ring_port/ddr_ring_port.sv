// SPDX-License-Identifier: BSD-3-Clause
//
// ddr_ring_port - what the host tells the rings of axis_ddr_fifo on a node, and reads of them.
//
// Where a ring lies is a register, so that the host may take any free memory. Nothing but aresetn clears
// what is here, so a reset that the host asks for (shell_status), which flushes the FIFOs, keeps what was set up. Whole words are
// written: bytes without WSTRB become 0.
//
//   offset          name          access
//   0x000           ARM           rw      Bit k: bursts of ring k may begin; BASE_LOW and BASE_HIGH are written
//                                         before
//   0x004           IDLE          r       Bit k: no burst of ring k is under way
//   0x008           WRITE_FAULTS  r/w1c   Bit k: the memory answered a write of ring k with a fault
//   0x00C           READ_FAULTS   r/w1c   Bit k: the memory answered a read of ring k with a fault
//   0x010           CONTROL       w1      What the host asks for
//                   [0] CLEAR     w1      Restart PEAK from LEVEL, and SPILLED from 0
//   0x100 + 0x20*k  BASE_LOW      rw      Where ring k begins in memory, a multiple of 4096: the lower half of the
//                                         address
//   0x104 + 0x20*k  BASE_HIGH     rw      The upper half of it
//   0x108 + 0x20*k  LEVEL         r       Beats inside, on the chip and in the ring
//   0x10C + 0x20*k  PEAK          r       The highest LEVEL since CLEAR
//   0x110 + 0x20*k  SPILLED       r       Bursts written to the ring since CLEAR
//   others                        r       0; writes are ignored
//
// What happens in the cycle in which a flag is cleared sets it again, and is counted in that of CLEAR.
//
// Throughput  an event of each ring in every cycle
// Latency     a flag is set in the cycle after its event, LEVEL and PEAK are 1 and 2 cycles old; SPILLED is exact, as
//             axil_counters
// Paths       every output is a flop; s_axil_araddr is decoded before the flops that take it
// Resources   axil_counters with N counters; 128 FF and 90 LUT for each ring
//
// Parameters: N  rings, 1 to 8
// Checked by: test_ddr_ring_port.py
`default_nettype none

module ddr_ring_port #(
    parameter int N = 1
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [8:0]          s_axil_awaddr,
    input  wire  [2:0]          s_axil_awprot,
    input  wire                 s_axil_awvalid,
    output logic                s_axil_awready,
    input  wire  [31:0]         s_axil_wdata,
    input  wire  [3:0]          s_axil_wstrb,
    input  wire                 s_axil_wvalid,
    output logic                s_axil_wready,
    output logic [1:0]          s_axil_bresp,
    output logic                s_axil_bvalid,
    input  wire                 s_axil_bready,
    input  wire  [8:0]          s_axil_araddr,
    input  wire  [2:0]          s_axil_arprot,
    input  wire                 s_axil_arvalid,
    output logic                s_axil_arready,
    output logic [31:0]         s_axil_rdata,
    output logic [1:0]          s_axil_rresp,
    output logic                s_axil_rvalid,
    input  wire                 s_axil_rready,

    output logic [64*N-1:0]     base,         // for axis_ddr_fifo, each
    output logic [N-1:0]        armed,
    input  wire  [N-1:0]        idle,         // of axis_ddr_fifo, each
    input  wire  [N-1:0]        write_fault,
    input  wire  [N-1:0]        read_fault,
    input  wire  [N-1:0]        spilled,
    input  wire  [32*N-1:0]     level
);

    generate
        if (N < 1 || N > 8) begin : g_check_n
            N_must_be_1_to_8 parameter_error();
        end
    endgenerate

    // ---- registers, from registers.json ----------------------------------------------------------
    localparam logic [8:0] AT_ARM = 9'h000;
    localparam logic [8:0] AT_IDLE = 9'h004;
    localparam logic [8:0] AT_WRITE_FAULTS = 9'h008;
    localparam logic [8:0] AT_READ_FAULTS = 9'h00C;
    localparam logic [8:0] AT_CONTROL = 9'h010;
    localparam int CONTROL_CLEAR = 0;
    localparam logic [8:0] AT_BASE_LOW = 9'h100;
    localparam logic [8:0] AT_BASE_HIGH = 9'h104;
    localparam logic [8:0] AT_LEVEL = 9'h108;
    localparam logic [8:0] AT_PEAK = 9'h10C;
    localparam logic [8:0] AT_SPILLED = 9'h110;

    localparam int STRIDE = 8;    // words from ring to ring
    localparam int WORDS  = 128;
    localparam int MOST   = 8;    // rings

    // ---- what the host writes --------------------------------------------------------------------

    wire            write;
    wire [7:0]      word;
    wire [31:0]     data;
    logic           clear_q;
    logic [MOST-1:0] arm_q;

    always_ff @(posedge aclk) begin
        clear_q <= write && word == 8'(AT_CONTROL[8:2]) && data[CONTROL_CLEAR];
        if (write && word == 8'(AT_ARM[8:2])) arm_q <= data[MOST-1:0];
        for (int k = 0; k < N; k++) begin
            if (write && word == 8'(AT_BASE_LOW[8:2]) + 8'(STRIDE * k))  base[64*k +: 32]    <= data;
            if (write && word == 8'(AT_BASE_HIGH[8:2]) + 8'(STRIDE * k)) base[64*k+32 +: 32] <= data;
        end

        if (!aresetn) begin
            clear_q <= 1'b0;
            arm_q   <= '0;
            base    <= '0;
        end
    end
    assign armed = arm_q[N-1:0];

    // ---- what has happened -----------------------------------------------------------------------

    logic [N-1:0]    write_fault_q, read_fault_q, spilled_q;
    logic [32*N-1:0] level_q, peak_q;

    wire [N-1:0] write_cleared = data[N-1:0] & {N{write && word == 8'(AT_WRITE_FAULTS[8:2])}};
    wire [N-1:0] read_cleared  = data[N-1:0] & {N{write && word == 8'(AT_READ_FAULTS[8:2])}};

    always_ff @(posedge aclk) begin
        write_fault_q <= write_fault | (write_fault_q & ~write_cleared);
        read_fault_q  <= read_fault | (read_fault_q & ~read_cleared);
        spilled_q     <= spilled;
        level_q       <= level;
        for (int k = 0; k < N; k++)
            if (clear_q || level_q[32*k +: 32] > peak_q[32*k +: 32]) peak_q[32*k +: 32] <= level_q[32*k +: 32];

        if (!aresetn) begin
            write_fault_q <= '0;
            read_fault_q  <= '0;
            spilled_q     <= '0;
            level_q       <= '0;
            peak_q        <= '0;
        end
    end

    // ---- what the host reads ---------------------------------------------------------------------

    // To axil_counters the counters are the upper half of twice the space, one word after the other.
    wire        counts = s_axil_araddr[8] && s_axil_araddr[4:2] == AT_SPILLED[4:2];
    wire [9:0]  read_at = counts ? {5'b10000, s_axil_araddr[7:5], 2'b00} : {1'b0, s_axil_araddr};
    logic [WORDS*32-1:0] shown;

    always_comb begin
        shown = '0;
        shown[8*AT_ARM +: MOST]       = arm_q;
        shown[8*AT_IDLE +: N]         = idle;
        shown[8*AT_WRITE_FAULTS +: N] = write_fault_q;
        shown[8*AT_READ_FAULTS +: N]  = read_fault_q;
        for (int k = 0; k < N; k++) begin
            shown[32*STRIDE*k + 8*AT_BASE_LOW +: 32]  = base[64*k +: 32];
            shown[32*STRIDE*k + 8*AT_BASE_HIGH +: 32] = base[64*k+32 +: 32];
            shown[32*STRIDE*k + 8*AT_LEVEL +: 32]     = level_q[32*k +: 32];
            shown[32*STRIDE*k + 8*AT_PEAK +: 32]      = peak_q[32*k +: 32];
        end
    end

    axil_counters #(.ADDR_W(10), .WORDS(WORDS), .COUNTERS(N)) u_counters (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr({1'b0, s_axil_awaddr}), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(read_at), .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .status(shown), .inc(spilled_q), .clear(clear_q),
        .write(write), .write_word(word), .write_data(data)
    );

endmodule

`default_nettype wire
