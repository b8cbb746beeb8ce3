// SPDX-License-Identifier: BSD-3-Clause
//
// ref_axilite - AXI-Lite slave in front of the memory of a reference layer.
//
// Writes and reads are independent; address and data of a write may come in either order. Every access answers
// OKAY. WSTRB is ignored, as in finn-plus 1.3.0 and 1.6.1. Reads: read_en for one cycle, read_data is taken in the
// cycle after it.
// Throughput: a write per two cycles, a read per four. Resources: about 2 * ADDR_W + 70 flops.
//
// Parameters: ADDR_W  bits of the byte address, 2 or more
// Checked by: tests/test_reference_rtl.py (Icarus and Verilator)
`default_nettype none

module ref_axilite #(
    parameter int ADDR_W = 2
) (
    input  wire              aclk,
    input  wire              aresetn,

    input  wire [ADDR_W-1:0] s_axilite_awaddr,
    input  wire              s_axilite_awvalid,
    output wire              s_axilite_awready,
    input  wire [31:0]       s_axilite_wdata,
    input  wire              s_axilite_wvalid,
    output wire              s_axilite_wready,
    output wire [1:0]        s_axilite_bresp,
    output wire              s_axilite_bvalid,
    input  wire              s_axilite_bready,
    input  wire [ADDR_W-1:0] s_axilite_araddr,
    input  wire              s_axilite_arvalid,
    output wire              s_axilite_arready,
    output wire [31:0]       s_axilite_rdata,
    output wire [1:0]        s_axilite_rresp,
    output wire              s_axilite_rvalid,
    input  wire              s_axilite_rready,

    output wire              write_en,
    output wire [31:0]       write_index,  // 32-bit register, not byte
    output wire [31:0]       write_data,
    output wire              read_en,
    output wire [31:0]       read_index,
    input  wire [31:0]       read_data
);
    generate
        if (ADDR_W < 2 || ADDR_W > 32) begin : g_check_addr_w
            ADDR_W_must_be_from_2_to_32 parameter_error();
        end
    endgenerate

    logic [ADDR_W-1:0] awaddr_q, araddr_q;
    logic [31:0]       wdata_q, rdata_q;
    logic              aw_full_q, w_full_q, bvalid_q;
    logic              read_en_q, read_take_q, rvalid_q;

    assign s_axilite_awready = !aw_full_q;
    assign s_axilite_wready  = !w_full_q;
    assign s_axilite_bresp   = 2'b00;
    assign s_axilite_bvalid  = bvalid_q;
    assign s_axilite_arready = !(read_en_q || read_take_q || rvalid_q);
    assign s_axilite_rdata   = rdata_q;
    assign s_axilite_rresp   = 2'b00;
    assign s_axilite_rvalid  = rvalid_q;

    assign write_en    = aw_full_q && w_full_q && !bvalid_q;
    assign write_index = 32'(awaddr_q) >> 2;
    assign write_data  = wdata_q;
    assign read_en     = read_en_q;
    assign read_index  = 32'(araddr_q) >> 2;

    always_ff @(posedge aclk) begin
        if (s_axilite_awvalid && s_axilite_awready) begin
            awaddr_q  <= s_axilite_awaddr;
            aw_full_q <= 1'b1;
        end else if (write_en) aw_full_q <= 1'b0;

        if (s_axilite_wvalid && s_axilite_wready) begin
            wdata_q  <= s_axilite_wdata;
            w_full_q <= 1'b1;
        end else if (write_en) w_full_q <= 1'b0;

        if (write_en) bvalid_q <= 1'b1;
        else if (s_axilite_bready) bvalid_q <= 1'b0;

        read_en_q   <= s_axilite_arvalid && s_axilite_arready;
        read_take_q <= read_en_q;
        if (s_axilite_arready) araddr_q <= s_axilite_araddr;
        if (read_take_q) begin
            rdata_q  <= read_data;
            rvalid_q <= 1'b1;
        end else if (s_axilite_rready) rvalid_q <= 1'b0;

        if (!aresetn) begin
            aw_full_q   <= 1'b0;
            w_full_q    <= 1'b0;
            bvalid_q    <= 1'b0;
            read_en_q   <= 1'b0;
            read_take_q <= 1'b0;
            rvalid_q    <= 1'b0;
        end
    end
endmodule

`default_nettype wire
