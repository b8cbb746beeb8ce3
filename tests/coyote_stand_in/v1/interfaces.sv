// SPDX-License-Identifier: BSD-3-Clause
//
// A model of axi_intf.sv, lynx_intf.sv and axisr_reg_array.sv of Coyote v1: the interfaces of user logic, with their
// signals, modports and the tasks that tie them off.
import lynxTypes::*;

interface AXI4L #(
    parameter AXI4L_ADDR_BITS = AXI_ADDR_BITS,
    parameter AXI4L_DATA_BITS = AXIL_DATA_BITS
) (
    input logic aclk
);
    logic [AXI4L_ADDR_BITS-1:0]   araddr, awaddr;
    logic [2:0]                   arprot, awprot;
    logic [3:0]                   arqos, awqos, arregion, awregion;
    logic                         arready, arvalid, awready, awvalid;
    logic [AXI4L_DATA_BITS-1:0]   rdata, wdata;
    logic [1:0]                   rresp, bresp;
    logic                         rready, rvalid, wready, wvalid, bready, bvalid;
    logic [AXI4L_DATA_BITS/8-1:0] wstrb;

    modport m(
        output araddr, arprot, arqos, arregion, arvalid, awaddr, awprot, awqos, awregion, awvalid,
        output wdata, wstrb, wvalid, bready, rready,
        input arready, awready, wready, bresp, bvalid, rdata, rresp, rvalid
    );
    modport s(
        input araddr, arprot, arqos, arregion, arvalid, awaddr, awprot, awqos, awregion, awvalid,
        input wdata, wstrb, wvalid, bready, rready,
        output arready, awready, wready, bresp, bvalid, rdata, rresp, rvalid
    );
endinterface

interface AXI4SR #(
    parameter AXI4S_DATA_BITS = AXI_DATA_BITS,
    parameter AXI4S_ID_BITS = PID_BITS
) (
    input logic aclk
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

    modport m(import tie_off_m, output tdata, tkeep, tid, tlast, tvalid, input tready);
    modport s(input tdata, tkeep, tid, tlast, tvalid, output tready);
endinterface

interface metaIntf #(
    parameter type STYPE = logic [63:0]
) (
    input logic aclk
);
    logic valid, ready;
    STYPE data;

    task tie_off_m();
        data  = '0;
        valid = 1'b0;
    endtask

    modport m(import tie_off_m, output valid, data, input ready);
    modport s(input valid, data, output ready);
endinterface

module axisr_reg_array #(
    parameter integer N_STAGES = 2
) (
    input logic aclk,
    input logic aresetn,
    AXI4SR.s    s_axis,
    AXI4SR.m    m_axis
);
    assign m_axis.tdata  = s_axis.tdata;
    assign m_axis.tkeep  = s_axis.tkeep;
    assign m_axis.tid    = s_axis.tid;
    assign m_axis.tlast  = s_axis.tlast;
    assign m_axis.tvalid = s_axis.tvalid;
    assign s_axis.tready = m_axis.tready;
endmodule
