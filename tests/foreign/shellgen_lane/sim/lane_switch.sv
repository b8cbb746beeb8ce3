// SPDX-License-Identifier: BSD-3-Clause
//
// lane_switch - simulation only: what a board hangs on; its registers are sim/vendor/lane_switch/registers.json.
`default_nettype none

module lane_switch (
    input  wire        aclk,
    input  wire        aresetn,
    input  wire [3:0]  s_axil_awaddr,
    input  wire [2:0]  s_axil_awprot,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [1:0]  s_axil_bresp,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [3:0]  s_axil_araddr,
    input  wire [2:0]  s_axil_arprot,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready,
    output logic       open
);
    wire        write, read_unused;
    wire [3:0]  write_at, read_at;
    wire [31:0] write_data;
    wire        unused = &{1'b0, write_data[31:1], read_unused};

    axil_target #(
        .ADDR_W(4)
    ) u_bus (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr),
        .s_axil_awprot(s_axil_awprot),
        .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata),
        .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid),
        .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid),
        .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot),
        .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .write(write),
        .write_at(write_at),
        .write_data(write_data),
        .read(read_unused),
        .read_at(read_at),
        .read_data(read_at == 4'd0 ? 32'h53575448 : {31'd0, open})
    );

    always @(posedge aclk) begin
        if (write && write_at == 4'd4) open <= write_data[0];
        if (!aresetn) open <= 1'b0;
    end
endmodule

`default_nettype wire
