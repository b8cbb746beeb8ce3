// SPDX-License-Identifier: BSD-3-Clause
//
// axil_crossbar - one AXI4-Lite slave port to N master ports by address: a tree of one node.
//
// Window k is the 2**SIZES_LOG2[k] bytes from BASES[k], naturally aligned; windows are disjoint. The whole
// address is passed on. One access at a time; a read and a write that come together take turns. AWADDR and
// WDATA may arrive in any order. All slaves see the payload of the one access; VALID tells whose it is.
//
// No access ever hangs, whatever slaves do:
//   no window matches                 DECERR, read data zero
//   no answer within TIMEOUT cycles   SLVERR, read data zero. The slave is dead: its VALIDs are withdrawn, since the
//                                     payload belongs to the next access now, and every access to it gets SLVERR
//                                     at once until it answers after all or is reset. The late answer is
//                                     discarded by the next access to this slave, which then goes on. It is never
//                                     delivered to another. A request of which only a part was taken is not
//                                     answered, so nothing is sent after it before reset.
// VALID never falls without READY, nor does payload change under it, but by such a timeout.
//
// Throughput  one access per 4 cycles with a slave that answers in the next cycle
// Latency     3 cycles from the request to the slave, 1 cycle back
// Paths       every output is a flop, or a LUT of flops; no input reaches an output
// Resources   axil_root and axil_node
//
// Parameters: N           master ports, 1 to 16
//             ADDR_W      address bits, 1 to 64
//             DATA_W      data bits, 32 or 64
//             BASES       first byte of window k in bits [k*ADDR_W +: ADDR_W]
//             SIZES_LOG2  log2 of the bytes of window k in bits [k*8 +: 8], at most ADDR_W
//             TIMEOUT     cycles that a slave has to take and answer an access, 8 or more
// Checked by: test_axil_crossbar.py, formal_axil_crossbar.sv
`default_nettype none

module axil_crossbar #(
    parameter int                    N          = 1,
    parameter int                    ADDR_W     = 12,
    parameter int                    DATA_W     = 32,
    parameter logic [N*ADDR_W-1:0]   BASES      = '0,
    parameter logic [N*8-1:0]        SIZES_LOG2 = {N{8'(ADDR_W)}},
    parameter int                    TIMEOUT    = 1024
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [ADDR_W-1:0]           s_axil_awaddr,
    input  wire  [2:0]                  s_axil_awprot,
    input  wire                         s_axil_awvalid,
    output logic                        s_axil_awready,
    input  wire  [DATA_W-1:0]           s_axil_wdata,
    input  wire  [DATA_W/8-1:0]         s_axil_wstrb,
    input  wire                         s_axil_wvalid,
    output logic                        s_axil_wready,
    output logic [1:0]                  s_axil_bresp,
    output logic                        s_axil_bvalid,
    input  wire                         s_axil_bready,
    input  wire  [ADDR_W-1:0]           s_axil_araddr,
    input  wire  [2:0]                  s_axil_arprot,
    input  wire                         s_axil_arvalid,
    output logic                        s_axil_arready,
    output logic [DATA_W-1:0]           s_axil_rdata,
    output logic [1:0]                  s_axil_rresp,
    output logic                        s_axil_rvalid,
    input  wire                         s_axil_rready,

    output logic [N*ADDR_W-1:0]         m_axil_awaddr,
    output logic [N*3-1:0]              m_axil_awprot,
    output logic [N-1:0]                m_axil_awvalid,
    input  wire  [N-1:0]                m_axil_awready,
    output logic [N*DATA_W-1:0]         m_axil_wdata,
    output logic [N*DATA_W/8-1:0]       m_axil_wstrb,
    output logic [N-1:0]                m_axil_wvalid,
    input  wire  [N-1:0]                m_axil_wready,
    input  wire  [N*2-1:0]              m_axil_bresp,
    input  wire  [N-1:0]                m_axil_bvalid,
    output logic [N-1:0]                m_axil_bready,
    output logic [N*ADDR_W-1:0]         m_axil_araddr,
    output logic [N*3-1:0]              m_axil_arprot,
    output logic [N-1:0]                m_axil_arvalid,
    input  wire  [N-1:0]                m_axil_arready,
    input  wire  [N*DATA_W-1:0]         m_axil_rdata,
    input  wire  [N*2-1:0]              m_axil_rresp,
    input  wire  [N-1:0]                m_axil_rvalid,
    output logic [N-1:0]                m_axil_rready
);

    logic                start, write, expired;
    logic                up_wait, up_last, up_hole, up_bvalid, up_rvalid;
    logic [ADDR_W-1:0]   addr, awaddr, araddr;
    logic [2:0]          awprot, arprot;
    logic [DATA_W-1:0]   wdata, up_rdata;
    logic [DATA_W/8-1:0] wstrb;
    logic [1:0]          up_bresp, up_rresp;

    axil_root #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .TIMEOUT(TIMEOUT)) u_root (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready), .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_wdata(wdata), .m_axil_wstrb(wstrb),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot),
        .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp), .up_bvalid(up_bvalid),
        .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid)
    );

    axil_node #(
        .N(N), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES), .SIZES_LOG2(SIZES_LOG2)
    ) u_node (
        .aclk(aclk), .aresetn(aresetn),
        .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr), .shut(1'b0),
        .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp), .up_bvalid(up_bvalid),
        .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid),
        .m_axil_awvalid(m_axil_awvalid), .m_axil_awready(m_axil_awready), .m_axil_wvalid(m_axil_wvalid),
        .m_axil_wready(m_axil_wready), .m_axil_bresp(m_axil_bresp), .m_axil_bvalid(m_axil_bvalid),
        .m_axil_bready(m_axil_bready), .m_axil_arvalid(m_axil_arvalid), .m_axil_arready(m_axil_arready),
        .m_axil_rdata(m_axil_rdata), .m_axil_rresp(m_axil_rresp), .m_axil_rvalid(m_axil_rvalid),
        .m_axil_rready(m_axil_rready)
    );

    assign m_axil_awaddr = {N{awaddr}};
    assign m_axil_awprot = {N{awprot}};
    assign m_axil_wdata  = {N{wdata}};
    assign m_axil_wstrb  = {N{wstrb}};
    assign m_axil_araddr = {N{araddr}};
    assign m_axil_arprot = {N{arprot}};

endmodule

`default_nettype wire
