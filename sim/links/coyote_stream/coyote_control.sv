// SPDX-License-Identifier: BSD-3-Clause
//
// coyote_control - simulation only: how the host reaches the registers of Coyote's vFPGAs.
//
// vFPGA i has 256 KiB from 0x10_0000 + i * 0x4_0000 on, of which the third quarter is the user's window; an access there goes
// on with the whole address, as in Coyote, whose crossbars pass all 64 bits. One access at a time, of either kind, each
// through flops on both ways. What lies elsewhere (the shell's own registers) is answered with zero and counted by
// `elsewhere`, since no program of a core has business there; DECERR answers what is no vFPGA.
//
// Parameters: N  vFPGAs, 1 to 15
// Source: fpgasystems/Coyote, scripts/ip_inst/shell_infrastructure.tcl (dyn_crossbar) and hw/bd cr_ctrl.tcl.
`default_nettype none

module coyote_control #(
    parameter int N = 1
) (
    input  wire           aclk,
    input  wire           aresetn,

    input  wire  [63:0]   s_axil_awaddr,
    input  wire           s_axil_awvalid,
    output wire           s_axil_awready,
    input  wire  [63:0]   s_axil_wdata,
    input  wire  [7:0]    s_axil_wstrb,
    input  wire           s_axil_wvalid,
    output wire           s_axil_wready,
    output wire  [1:0]    s_axil_bresp,
    output wire           s_axil_bvalid,
    input  wire           s_axil_bready,
    input  wire  [63:0]   s_axil_araddr,
    input  wire           s_axil_arvalid,
    output wire           s_axil_arready,
    output wire  [63:0]   s_axil_rdata,
    output wire  [1:0]    s_axil_rresp,
    output wire           s_axil_rvalid,
    input  wire           s_axil_rready,

    output wire  [63:0]   m_axil_awaddr,
    output wire  [N-1:0]  m_axil_awvalid,
    input  wire  [N-1:0]  m_axil_awready,
    output wire  [63:0]   m_axil_wdata,
    output wire  [7:0]    m_axil_wstrb,
    output wire  [N-1:0]  m_axil_wvalid,
    input  wire  [N-1:0]  m_axil_wready,
    input  wire  [2*N-1:0] m_axil_bresp,
    input  wire  [N-1:0]  m_axil_bvalid,
    output wire  [N-1:0]  m_axil_bready,
    output wire  [63:0]   m_axil_araddr,
    output wire  [N-1:0]  m_axil_arvalid,
    input  wire  [N-1:0]  m_axil_arready,
    input  wire  [64*N-1:0] m_axil_rdata,
    input  wire  [2*N-1:0] m_axil_rresp,
    input  wire  [N-1:0]  m_axil_rvalid,
    output wire  [N-1:0]  m_axil_rready,

    output logic [31:0]   elsewhere
);
    localparam logic [1:0] DECERR = 2'b11;

    typedef enum logic [1:0] {IDLE, ASK, ANSWER, GIVE} state_t;

    state_t       state_q;
    logic         write_q;     // the access under way; of two that come together the one that was not served last
    logic [63:0]  addr_q;
    logic [63:0]  data_q;      // to be written, then what was read
    logic [7:0]   strb_q;
    logic [1:0]   resp_q;
    logic [N-1:0] target_q;    // one-hot
    logic [N-1:0] address_q;   // it has still to take the address, the data
    logic [N-1:0] payload_q;

    wire writes = s_axil_awvalid && s_axil_wvalid;
    wire write  = writes && !(s_axil_arvalid && write_q);
    wire read   = s_axil_arvalid && !write;

    wire [63:0]  addr = write ? s_axil_awaddr : s_axil_araddr;
    wire [63:0]  from = addr - 64'h10_0000;
    wire         known = addr >= 64'h10_0000 && from < 64'(N) * 64'h4_0000;
    wire [N-1:0] target = known && addr[17:16] == 2'd2 ? N'(1) << from[21:18] : '0;

    assign s_axil_awready = state_q == IDLE && write;
    assign s_axil_wready  = state_q == IDLE && write;
    assign s_axil_arready = state_q == IDLE && read;
    assign s_axil_bvalid  = state_q == GIVE && write_q;
    assign s_axil_rvalid  = state_q == GIVE && !write_q;
    assign s_axil_bresp   = resp_q;
    assign s_axil_rresp   = resp_q;
    assign s_axil_rdata   = data_q;

    assign m_axil_awaddr  = addr_q;
    assign m_axil_araddr  = addr_q;
    assign m_axil_wdata   = data_q;
    assign m_axil_wstrb   = strb_q;
    assign m_axil_awvalid = write_q ? address_q : '0;
    assign m_axil_arvalid = write_q ? '0 : address_q;
    assign m_axil_wvalid  = payload_q;
    assign m_axil_bready  = state_q == ANSWER && write_q ? target_q : '0;
    assign m_axil_rready  = state_q == ANSWER && !write_q ? target_q : '0;

    wire         answered = |(target_q & (write_q ? m_axil_bvalid : m_axil_rvalid));
    logic [1:0]  resp;
    logic [63:0] data;

    always_comb begin
        resp = 2'b00;
        data = 64'd0;
        for (int i = 0; i < N; i++) begin
            if (target_q[i]) begin
                resp = write_q ? m_axil_bresp[2*i +: 2] : m_axil_rresp[2*i +: 2];
                data = m_axil_rdata[64*i +: 64];
            end
        end
    end

    always_ff @(posedge aclk) begin
        address_q <= address_q & ~(write_q ? m_axil_awready : m_axil_arready);
        payload_q <= payload_q & ~m_axil_wready;
        case (state_q)
            IDLE:
                if (write || read) begin
                    write_q   <= write;
                    addr_q    <= addr;
                    data_q    <= write ? s_axil_wdata : 64'd0;
                    strb_q    <= s_axil_wstrb;
                    resp_q    <= known ? 2'b00 : DECERR;
                    target_q  <= target;
                    address_q <= target;
                    payload_q <= write ? target : '0;
                    elsewhere <= elsewhere + 32'(target == '0);
                    state_q   <= target == '0 ? GIVE : ASK;
                end
            ASK: if (address_q == '0 && payload_q == '0) state_q <= ANSWER;
            ANSWER:
                if (answered) begin
                    resp_q  <= resp;
                    data_q  <= data;
                    state_q <= GIVE;
                end
            GIVE: if (write_q ? s_axil_bready : s_axil_rready) state_q <= IDLE;
        endcase
        if (!aresetn) begin
            state_q   <= IDLE;
            write_q   <= 1'b0;
            address_q <= '0;
            payload_q <= '0;
            elsewhere <= 32'd0;
        end
    end
endmodule

`default_nettype wire
