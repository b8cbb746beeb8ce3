// SPDX-License-Identifier: BSD-3-Clause
//
// shell_turns - registers of a board whose frames replicas take in turn: which of them are out, and which board it is.
//
// Registers are 32 bits wide and little-endian; a write takes whole words, and one without all strobes is ignored; every
// access is answered OKAY. The table below and the constants are written by `make registers` from registers.json.
//
//   offset        name     access
//   0x00          NODE     rw      Number of the board in its cluster, which the host sets: replicas have one
//                                  bitstream
//   0x08 + 0x8*k  OUT      rw      Bit k: from the next reset of the partitions on, replica k has no turn at this
//                                  deal or gather
//   0x0C + 0x8*k  OUT_NOW  r       OUT as it was in the last of these resets: it has been in force since then
//   others                 r       0; writes are ignored
//
// A replica goes and comes back at the start of an epoch only: OUT is taken over while the partitions are in reset, and
// `absent` changes at no other time.
//
// Throughput  a write per 2 cycles, a read per 3
// Latency     2 cycles from a write or a read to its answer
// Paths       every output is a flop
// Resources   32 FF for each deal or gather, 60 besides
//
// Parameters: N  deals and gathers of the board, 0 to 30
// Checked by: test_shell_turns.py
`default_nettype none

module shell_turns #(
    parameter int N = 1,
    localparam int PLACES = N > 0 ? N : 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [7:0]            s_axil_awaddr,
    input  wire  [2:0]            s_axil_awprot,
    input  wire                   s_axil_awvalid,
    output logic                  s_axil_awready,
    input  wire  [31:0]           s_axil_wdata,
    input  wire  [3:0]            s_axil_wstrb,
    input  wire                   s_axil_wvalid,
    output logic                  s_axil_wready,
    output logic [1:0]            s_axil_bresp,
    output logic                  s_axil_bvalid,
    input  wire                   s_axil_bready,
    input  wire  [7:0]            s_axil_araddr,
    input  wire  [2:0]            s_axil_arprot,
    input  wire                   s_axil_arvalid,
    output logic                  s_axil_arready,
    output logic [31:0]           s_axil_rdata,
    output logic [1:0]            s_axil_rresp,
    output logic                  s_axil_rvalid,
    input  wire                   s_axil_rready,

    input  wire                   inner_aresetn,  // of the partitions
    output logic [16*PLACES-1:0]  absent          // of each deal or gather, the replicas that are out
);

    generate
        if (N < 0 || N > 30) begin : g_check_n
            N_must_be_0_to_30 parameter_error();
        end
    endgenerate

    // ---- registers, from registers.json ----------------------------------------------------------
    localparam logic [7:0] AT_NODE = 8'h00;
    localparam logic [7:0] AT_OUT = 8'h08;
    localparam logic [7:0] AT_OUT_NOW = 8'h0C;

    logic [15:0]          node_q;
    logic [16*PLACES-1:0] out_q;
    wire                  write = s_axil_awready && s_axil_wstrb == 4'b1111;
    wire  [5:0]           at    = s_axil_awaddr[7:2], at_out = at - AT_OUT[7:2];

    always_ff @(posedge aclk) begin
        if (write && at == AT_NODE[7:2]) node_q <= s_axil_wdata[15:0];
        for (int k = 0; k < N; k++)
            if (write && at_out == 6'(2 * k)) out_q[16*k +: 16] <= s_axil_wdata[15:0];
        if (!inner_aresetn) absent <= out_q;
        if (!aresetn) begin
            node_q <= '0;
            out_q  <= '0;
            absent <= '0;
        end
    end

    // ---- answers: an address is taken a cycle after it has come
    always_ff @(posedge aclk) begin
        s_axil_awready <= s_axil_awvalid && s_axil_wvalid && !s_axil_awready && (!s_axil_bvalid || s_axil_bready);
        if (s_axil_bready) s_axil_bvalid <= 1'b0;
        if (s_axil_awready) s_axil_bvalid <= 1'b1;
        if (!aresetn) begin
            s_axil_awready <= 1'b0;
            s_axil_bvalid  <= 1'b0;
        end
    end
    assign s_axil_wready = s_axil_awready;
    assign s_axil_bresp  = 2'b00;

    wire  [5:0]  from = s_axil_araddr[7:2], from_out = from - AT_OUT[7:2], from_now = from - AT_OUT_NOW[7:2];
    wire  [15:0] node_read = from == AT_NODE[7:2] ? node_q : 16'd0;
    logic [15:0] value;
    always_comb begin
        value = node_read;
        for (int k = 0; k < N; k++) begin
            if (from_out == 6'(2 * k)) value = value | out_q[16*k +: 16];
            if (from_now == 6'(2 * k)) value = value | absent[16*k +: 16];
        end
    end

    always_ff @(posedge aclk) begin
        s_axil_arready <= s_axil_arvalid && !s_axil_arready && (!s_axil_rvalid || s_axil_rready);
        if (s_axil_rready) s_axil_rvalid <= 1'b0;
        if (s_axil_arready) begin
            s_axil_rvalid <= 1'b1;
            s_axil_rdata  <= {16'd0, value};
        end
        if (!aresetn) begin
            s_axil_arready <= 1'b0;
            s_axil_rvalid  <= 1'b0;
        end
    end
    assign s_axil_rresp = 2'b00;

    wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0], s_axil_wdata[31:16]};

endmodule

`default_nettype wire
