// SPDX-License-Identifier: BSD-3-Clause
//
// axil_target - simulation only: an AXI4-Lite slave, one access at a time in each direction. `write` and `read`
// last a cycle, and `read_data` is taken in the one that follows. Every access is answered with OKAY.
`default_nettype none

module axil_target #(
    parameter int ADDR_W = 13
) (
    input  wire              aclk,
    input  wire              aresetn,
    input  wire [ADDR_W-1:0] s_axil_awaddr,
    input  wire [2:0]        s_axil_awprot,
    input  wire              s_axil_awvalid,
    output wire              s_axil_awready,
    input  wire [31:0]       s_axil_wdata,
    input  wire [3:0]        s_axil_wstrb,
    input  wire              s_axil_wvalid,
    output wire              s_axil_wready,
    output wire [1:0]        s_axil_bresp,
    output logic             s_axil_bvalid,
    input  wire              s_axil_bready,
    input  wire [ADDR_W-1:0] s_axil_araddr,
    input  wire [2:0]        s_axil_arprot,
    input  wire              s_axil_arvalid,
    output wire              s_axil_arready,
    output logic [31:0]      s_axil_rdata,
    output wire [1:0]        s_axil_rresp,
    output logic             s_axil_rvalid,
    input  wire              s_axil_rready,
    output wire              write,
    output wire [ADDR_W-1:0] write_at,
    output wire [31:0]       write_data,
    output wire              read,
    output wire [ADDR_W-1:0] read_at,
    input  wire [31:0]       read_data
);
    // Registers are whole words: VNx's own drivers write no parts of them.
    wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_wstrb, s_axil_awaddr[1:0], s_axil_araddr[1:0]};

    assign s_axil_bresp   = 2'b00;
    assign s_axil_rresp   = 2'b00;
    assign write          = aresetn && s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
    assign write_at       = {s_axil_awaddr[ADDR_W-1:2], 2'b00};
    assign write_data     = s_axil_wdata;
    assign s_axil_awready = write;
    assign s_axil_wready  = write;
    logic asked_q;
    assign read           = aresetn && s_axil_arvalid && !s_axil_rvalid && !asked_q;
    assign read_at        = {s_axil_araddr[ADDR_W-1:2], 2'b00};
    assign s_axil_arready = read;

    always @(posedge aclk) begin
        if (write) s_axil_bvalid <= 1'b1;
        else if (s_axil_bready) s_axil_bvalid <= 1'b0;
        asked_q <= read;
        if (asked_q) begin
            s_axil_rvalid <= 1'b1;
            s_axil_rdata  <= read_data;
        end else if (s_axil_rready) s_axil_rvalid <= 1'b0;
        if (!aresetn) begin
            s_axil_bvalid <= 1'b0;
            s_axil_rvalid <= 1'b0;
            asked_q       <= 1'b0;
        end
    end
endmodule

`default_nettype wire
