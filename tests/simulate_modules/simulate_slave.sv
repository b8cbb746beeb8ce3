// SPDX-License-Identifier: BSD-3-Clause
//
// simulate_slave - for blocks.py: 16 registers from 0x00; 0x40 answers SLVERR; 0x80 never answers.
`default_nettype none

module simulate_slave (
    input  wire        aclk,
    input  wire        aresetn,
    input  wire [7:0]  awaddr,
    input  wire        awvalid,
    output wire        awready,
    input  wire [31:0] wdata,
    input  wire        wvalid,
    output wire        wready,
    output reg  [1:0]  bresp,
    output reg         bvalid,
    input  wire        bready,
    input  wire [7:0]  araddr,
    input  wire        arvalid,
    output wire        arready,
    output reg  [31:0] rdata,
    output reg  [1:0]  rresp,
    output reg         rvalid,
    input  wire        rready
);
    reg [31:0] registers[0:15];
    wire write = awvalid && wvalid && !bvalid && !awaddr[7];
    wire read  = arvalid && !rvalid && !araddr[7];
    wire unused = &{1'b0, awaddr[1:0], araddr[1:0]};
    assign awready = write;
    assign wready  = write;
    assign arready = read;
    always @(posedge aclk) begin
        if (bready) bvalid <= 1'b0;
        if (rready) rvalid <= 1'b0;
        if (write) begin
            bvalid <= 1'b1;
            bresp  <= {awaddr[6], 1'b0};
            if (!awaddr[6]) registers[awaddr[5:2]] <= wdata;
        end
        if (read) begin
            rvalid <= 1'b1;
            rresp  <= {araddr[6], 1'b0};
            rdata  <= araddr[6] ? 32'd0 : registers[araddr[5:2]];
        end
        if (!aresetn) begin
            bvalid <= 1'b0;
            rvalid <= 1'b0;
        end
    end
endmodule

`default_nettype wire
