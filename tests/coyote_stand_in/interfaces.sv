// SPDX-License-Identifier: BSD-3-Clause
//
// A model of axi_intf.sv and lynx_intf.sv of Coyote v2: the interfaces of user logic, with their signals, modports and
// the tasks that tie them off.
import lynxTypes::*;

interface AXI4L #(
    parameter AXI4L_ADDR_BITS = AXI_ADDR_BITS,
    parameter AXI4L_DATA_BITS = AXIL_DATA_BITS
) (
    input logic aclk,
    input logic aresetn
);
    logic [AXI4L_ADDR_BITS-1:0]   araddr, awaddr;
    logic [2:0]                   arprot, awprot;
    logic [3:0]                   arqos, awqos, arregion, awregion;
    logic                         arready, arvalid, awready, awvalid;
    logic [AXI4L_DATA_BITS-1:0]   rdata, wdata;
    logic [1:0]                   rresp, bresp;
    logic                         rready, rvalid, wready, wvalid, bready, bvalid;
    logic [AXI4L_DATA_BITS/8-1:0] wstrb;

    task tie_off_s();
        arready = 1'b0;
        awready = 1'b0;
        wready  = 1'b0;
        bvalid  = 1'b0;
        bresp   = 2'b00;
        rvalid  = 1'b0;
        rresp   = 2'b00;
        rdata   = '0;
    endtask

    modport m(
        output araddr, arprot, arqos, arregion, arvalid, awaddr, awprot, awqos, awregion, awvalid,
        output wdata, wstrb, wvalid, bready, rready,
        input arready, awready, wready, bresp, bvalid, rdata, rresp, rvalid
    );
    modport s(
        import tie_off_s,
        input araddr, arprot, arqos, arregion, arvalid, awaddr, awprot, awqos, awregion, awvalid,
        input wdata, wstrb, wvalid, bready, rready,
        output arready, awready, wready, bresp, bvalid, rdata, rresp, rvalid
    );
endinterface

interface AXI4SR #(
    parameter AXI4S_DATA_BITS = AXI_DATA_BITS,
    parameter AXI4S_ID_BITS = PID_BITS
) (
    input logic aclk,
    input logic aresetn
);
    logic [AXI4S_DATA_BITS-1:0]   tdata;
    logic [AXI4S_DATA_BITS/8-1:0] tkeep;
    logic [AXI4S_ID_BITS-1:0]     tid;
    logic                         tlast, tready, tvalid;

    task tie_off_m();
        tdata  = '0;
        tkeep  = '0;
        tid    = '0;
        tlast  = 1'b0;
        tvalid = 1'b0;
    endtask

    task tie_off_s();
        tready = 1'b0;
    endtask

    modport m(import tie_off_m, input tready, output tdata, tkeep, tid, tlast, tvalid);
    modport s(import tie_off_s, input tdata, tkeep, tid, tlast, tvalid, output tready);
endinterface

interface metaIntf #(
    parameter type STYPE = logic [63:0]
) (
    input logic aclk,
    input logic aresetn
);
    logic valid, ready;
    STYPE data;

    task tie_off_m();
        data  = '0;
        valid = 1'b0;
    endtask

    task tie_off_s();
        ready = 1'b1;
    endtask

    modport m(import tie_off_m, output valid, data, input ready);
    modport s(import tie_off_s, input valid, data, output ready);
endinterface
