// SPDX-License-Identifier: BSD-3-Clause
//
// axil_register - register slice on all five channels of AXI4-Lite, for the levels of a tree.
//
// Each channel is an axis_register of its own; no channel waits for another.
//
// Throughput  one transfer per cycle on each channel
// Latency     1 cycle a channel, so 2 cycles an access
// Paths       every output is a flop
// Resources   five axis_register: 2*(2*ADDR_W + 2*DATA_W + DATA_W/8 + 10) FF and half as many LUT
//
// Parameters: ADDR_W  address bits
//             DATA_W  data bits, 32 or 64
// Checked by: test_axil_register.py
`default_nettype none

module axil_register #(
    parameter int ADDR_W = 12,
    parameter int DATA_W = 32
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [ADDR_W-1:0]            s_axil_awaddr,
    input  wire  [2:0]                   s_axil_awprot,
    input  wire                          s_axil_awvalid,
    output logic                         s_axil_awready,
    input  wire  [DATA_W-1:0]            s_axil_wdata,
    input  wire  [DATA_W/8-1:0]          s_axil_wstrb,
    input  wire                          s_axil_wvalid,
    output logic                         s_axil_wready,
    output logic [1:0]                   s_axil_bresp,
    output logic                         s_axil_bvalid,
    input  wire                          s_axil_bready,
    input  wire  [ADDR_W-1:0]            s_axil_araddr,
    input  wire  [2:0]                   s_axil_arprot,
    input  wire                          s_axil_arvalid,
    output logic                         s_axil_arready,
    output logic [DATA_W-1:0]            s_axil_rdata,
    output logic [1:0]                   s_axil_rresp,
    output logic                         s_axil_rvalid,
    input  wire                          s_axil_rready,

    output logic [ADDR_W-1:0]            m_axil_awaddr,
    output logic [2:0]                   m_axil_awprot,
    output logic                         m_axil_awvalid,
    input  wire                          m_axil_awready,
    output logic [DATA_W-1:0]            m_axil_wdata,
    output logic [DATA_W/8-1:0]          m_axil_wstrb,
    output logic                         m_axil_wvalid,
    input  wire                          m_axil_wready,
    input  wire  [1:0]                   m_axil_bresp,
    input  wire                          m_axil_bvalid,
    output logic                         m_axil_bready,
    output logic [ADDR_W-1:0]            m_axil_araddr,
    output logic [2:0]                   m_axil_arprot,
    output logic                         m_axil_arvalid,
    input  wire                          m_axil_arready,
    input  wire  [DATA_W-1:0]            m_axil_rdata,
    input  wire  [1:0]                   m_axil_rresp,
    input  wire                          m_axil_rvalid,
    output logic                         m_axil_rready
);

    generate
        if (ADDR_W < 1) begin : g_check_addr_w
            ADDR_W_must_be_at_least_1 parameter_error();
        end
        if (DATA_W != 32 && DATA_W != 64) begin : g_check_data_w
            DATA_W_must_be_32_or_64 parameter_error();
        end
    endgenerate

    axis_register #(.DATA_W(ADDR_W + 3)) u_aw (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({s_axil_awprot, s_axil_awaddr}),
        .s_axis_tvalid(s_axil_awvalid),
        .s_axis_tready(s_axil_awready),
        .m_axis_tdata({m_axil_awprot, m_axil_awaddr}),
        .m_axis_tvalid(m_axil_awvalid),
        .m_axis_tready(m_axil_awready)
    );

    axis_register #(.DATA_W(DATA_W + DATA_W/8)) u_w (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({s_axil_wstrb, s_axil_wdata}),
        .s_axis_tvalid(s_axil_wvalid),
        .s_axis_tready(s_axil_wready),
        .m_axis_tdata({m_axil_wstrb, m_axil_wdata}),
        .m_axis_tvalid(m_axil_wvalid),
        .m_axis_tready(m_axil_wready)
    );

    axis_register #(.DATA_W(2)) u_b (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({m_axil_bresp}),
        .s_axis_tvalid(m_axil_bvalid),
        .s_axis_tready(m_axil_bready),
        .m_axis_tdata({s_axil_bresp}),
        .m_axis_tvalid(s_axil_bvalid),
        .m_axis_tready(s_axil_bready)
    );

    axis_register #(.DATA_W(ADDR_W + 3)) u_ar (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({s_axil_arprot, s_axil_araddr}),
        .s_axis_tvalid(s_axil_arvalid),
        .s_axis_tready(s_axil_arready),
        .m_axis_tdata({m_axil_arprot, m_axil_araddr}),
        .m_axis_tvalid(m_axil_arvalid),
        .m_axis_tready(m_axil_arready)
    );

    axis_register #(.DATA_W(DATA_W + 2)) u_r (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({m_axil_rresp, m_axil_rdata}),
        .s_axis_tvalid(m_axil_rvalid),
        .s_axis_tready(m_axil_rready),
        .m_axis_tdata({s_axil_rresp, s_axil_rdata}),
        .m_axis_tvalid(s_axil_rvalid),
        .m_axis_tready(s_axil_rready)
    );

endmodule

`default_nettype wire
