// SPDX-License-Identifier: BSD-3-Clause
//
// axil_slot - lets a 64-bit AXI4-Lite host reach 32-bit registers, one in the lower half of each 64-bit slot.
//
// For shells whose host makes 64-bit accesses only, such as Coyote's: without this block the registers at 4 mod 8
// could not be reached, or both halves of a store would be taken for one. Register i, at byte 4*i of the 32-bit
// side, is at byte 8*i of the host's; 2**ADDR_W bytes of the host reach half as many. A read gives the register
// in bits 31:0 and zero above. A write takes the data and the strobes of bytes 0 to 3 and ignores the others,
// so a store of 64 bits writes one register as a whole.
//
// Nothing is in the upper half of a slot, and nothing of it is passed on. DECERR, with data zero, is the answer to
//   an address with bit 2 set, where AXI lets a 64-bit access begin in the upper half
//   a write with strobes in bytes 4 to 7 only, which is how others write the upper half. Passed on it would have
//   no strobes, and a slave that does not look at them, such as FINN's memories, would write the lower half
// A write without any strobe is passed on. Address bits 1:0 and PROT are passed on as they come. Where the host gives
// more address bits than the window has, as Coyote does, connect the lower ones.
//
// One read and one write at a time, which do not wait for each other. A write is passed on when its address and
// its data are there. An answer of the far side that belongs to no access is not taken.
//
// Throughput  one read and one write per 2 cycles with a far side that answers in the next cycle
// Latency     0 cycles to the far side and back, or 1 cycle to DECERR
// Paths       requests pass from the host to the far side, answers back, and READY against both; an axil_root or an
//             axil_register at the far side, whose outputs are flops or near them, keeps them short
// Resources   52 LUT, most of which clear read data, and 5 FF
// Liveness    every access is answered when the far side answers; DECERR comes even if it does not
//
// Parameters: ADDR_W  address bits of the host, 4 to 64; one more than those of the far side
// Checked by: test_axil_slot.py
`default_nettype none

module axil_slot #(
    parameter int ADDR_W = 16
) (
    input  wire               aclk,
    input  wire               aresetn,

    input  wire  [ADDR_W-1:0] s_axil_awaddr,
    input  wire  [2:0]        s_axil_awprot,
    input  wire               s_axil_awvalid,
    output logic              s_axil_awready,
    input  wire  [63:0]       s_axil_wdata,
    input  wire  [7:0]        s_axil_wstrb,
    input  wire               s_axil_wvalid,
    output logic              s_axil_wready,
    output logic [1:0]        s_axil_bresp,
    output logic              s_axil_bvalid,
    input  wire               s_axil_bready,
    input  wire  [ADDR_W-1:0] s_axil_araddr,
    input  wire  [2:0]        s_axil_arprot,
    input  wire               s_axil_arvalid,
    output logic              s_axil_arready,
    output logic [63:0]       s_axil_rdata,
    output logic [1:0]        s_axil_rresp,
    output logic              s_axil_rvalid,
    input  wire               s_axil_rready,

    output logic [ADDR_W-2:0] m_axil_awaddr,
    output logic [2:0]        m_axil_awprot,
    output logic              m_axil_awvalid,
    input  wire               m_axil_awready,
    output logic [31:0]       m_axil_wdata,
    output logic [3:0]        m_axil_wstrb,
    output logic              m_axil_wvalid,
    input  wire               m_axil_wready,
    input  wire  [1:0]        m_axil_bresp,
    input  wire               m_axil_bvalid,
    output logic              m_axil_bready,
    output logic [ADDR_W-2:0] m_axil_araddr,
    output logic [2:0]        m_axil_arprot,
    output logic              m_axil_arvalid,
    input  wire               m_axil_arready,
    input  wire  [31:0]       m_axil_rdata,
    input  wire  [1:0]        m_axil_rresp,
    input  wire               m_axil_rvalid,
    output logic              m_axil_rready
);

    generate
        if (ADDR_W < 4 || ADDR_W > 64) begin : g_check_addr_w
            ADDR_W_must_be_4_to_64 parameter_error();
        end
    endgenerate

    localparam logic [1:0] DECERR = 2'b11;

    // ---- writes
    logic aw_q, w_q;  // address and data were taken: by the far side, or both at once when it is for nobody
    logic w_void_q;

    wire upper_only = s_axil_wstrb[7:4] != '0 && s_axil_wstrb[3:0] == '0;
    wire w_void     = s_axil_awaddr[2] || upper_only;
    wire w_whole    = s_axil_awvalid && s_axil_wvalid;
    wire w_drop     = w_whole && w_void && !aw_q && !w_q;
    wire w_end      = s_axil_bvalid && s_axil_bready;

    // Once one half was taken, what stands at its port is of the next write, and the other half is to follow.
    assign m_axil_awvalid = !aw_q && (w_q ? s_axil_awvalid : w_whole && !w_void);
    assign m_axil_wvalid  = !w_q && (aw_q ? s_axil_wvalid : w_whole && !w_void);
    assign s_axil_awready = w_drop || (m_axil_awvalid && m_axil_awready);
    assign s_axil_wready  = w_drop || (m_axil_wvalid && m_axil_wready);

    assign s_axil_bvalid  = aw_q && w_q && (w_void_q || m_axil_bvalid);
    assign s_axil_bresp   = w_void_q ? DECERR : m_axil_bresp;
    assign m_axil_bready  = aw_q && w_q && !w_void_q && s_axil_bready;

    always_ff @(posedge aclk) begin
        if (s_axil_awready) aw_q <= 1'b1;
        if (s_axil_wready) w_q <= 1'b1;
        if (!aw_q && !w_q) w_void_q <= w_drop;
        if (w_end || !aresetn) begin
            aw_q <= 1'b0;
            w_q  <= 1'b0;
        end
    end

    // ---- reads
    logic r_q, r_void_q;  // a request was taken; it was for nobody

    wire r_end = s_axil_rvalid && s_axil_rready;

    assign m_axil_arvalid = !r_q && s_axil_arvalid && !s_axil_araddr[2];
    assign s_axil_arready = !r_q && s_axil_arvalid && (s_axil_araddr[2] || m_axil_arready);

    assign s_axil_rvalid  = r_q && (r_void_q || m_axil_rvalid);
    assign s_axil_rresp   = r_void_q ? DECERR : m_axil_rresp;
    assign s_axil_rdata   = {32'd0, r_void_q ? 32'd0 : m_axil_rdata};
    assign m_axil_rready  = r_q && !r_void_q && s_axil_rready;

    always_ff @(posedge aclk) begin
        if (s_axil_arready) r_q <= 1'b1;
        if (!r_q) r_void_q <= s_axil_araddr[2];
        if (r_end || !aresetn) r_q <= 1'b0;
    end

    // ---- what passes as it is
    assign m_axil_awaddr = {s_axil_awaddr[ADDR_W-1:3], s_axil_awaddr[1:0]};
    assign m_axil_awprot = s_axil_awprot;
    assign m_axil_wdata  = s_axil_wdata[31:0];
    assign m_axil_wstrb  = s_axil_wstrb[3:0];
    assign m_axil_araddr = {s_axil_araddr[ADDR_W-1:3], s_axil_araddr[1:0]};
    assign m_axil_arprot = s_axil_arprot;

    wire unused = &{1'b0, s_axil_wdata[63:32]};

endmodule

`default_nettype wire
