// SPDX-License-Identifier: BSD-3-Clause
//
// axil_watch - simulation only: looks at the pins of an AXI4-Lite slave behind a core's tree. bad keeps, until reset,
//   [0] it was asked twice for one access: VALID was up again after READY, and before the answer
//   [1] payload changed while VALID waited for READY
//   [2] payload was not what the host had sent, WSTRB and PROT among it
//   [3] it was asked for what the host was not waiting for
//   [4] the host got another answer than the slave gave, or one before it had
// The last three are looked for with COMPARE, where host and slave have one clock and no bridge is between them; the last
// one while the slave answers what it is asked, and not what was given up (`mode`, of sim/axil_gate.sv).
//
// Parameters: ADDR_W   address bits of the slave
//             SHIFT    left shift of the host's address, as in ip/axil_slot
//             COMPARE  1: the payload is compared with the host's
//             PROT, STRB  0: the slave has no such pins, and nothing is looked at in their place
`default_nettype none

module axil_watch #(
    parameter int ADDR_W  = 12,
    parameter int SHIFT   = 0,
    parameter bit COMPARE = 1,
    parameter bit PROT    = 1,
    parameter bit STRB    = 1
) (
    input  wire              aclk,
    input  wire              aresetn,    // of all
    input  wire              h_aresetn,  // of the core
    input  wire              s_aresetn,  // of the slave
    input  wire [7:0]        mode,       // of its gate

    input  wire [63:0]       h_awaddr,
    input  wire [2:0]        h_awprot,
    input  wire              h_awvalid,
    input  wire              h_awready,
    input  wire [31:0]       h_wdata,
    input  wire [3:0]        h_wstrb,
    input  wire              h_wvalid,
    input  wire              h_wready,
    input  wire [1:0]        h_bresp,
    input  wire              h_bvalid,
    input  wire              h_bready,
    input  wire [63:0]       h_araddr,
    input  wire [2:0]        h_arprot,
    input  wire              h_arvalid,
    input  wire              h_arready,
    input  wire [31:0]       h_rdata,
    input  wire [1:0]        h_rresp,
    input  wire              h_rvalid,
    input  wire              h_rready,

    input  wire [ADDR_W-1:0] s_awaddr,
    input  wire [2:0]        s_awprot,
    input  wire              s_awvalid,
    input  wire              s_awready,
    input  wire [31:0]       s_wdata,
    input  wire [3:0]        s_wstrb,
    input  wire              s_wvalid,
    input  wire              s_wready,
    input  wire [1:0]        s_bresp,
    input  wire              s_bvalid,
    input  wire              s_bready,
    input  wire [ADDR_W-1:0] s_araddr,
    input  wire [2:0]        s_arprot,
    input  wire              s_arvalid,
    input  wire              s_arready,
    input  wire [31:0]       s_rdata,
    input  wire [1:0]        s_rresp,
    input  wire              s_rvalid,
    input  wire              s_rready,

    output logic [4:0]       bad
);
    localparam int AW_W = ADDR_W + 3, W_W = 36;

    logic [AW_W-1:0] aw_q, ar_q, aw_was_q, ar_was_q;  // what the host has sent; what the slave saw last
    logic [W_W-1:0]  w_q, w_was_q;
    logic [3:0]      aw_open_q, w_open_q, ar_open_q;  // for how many answers the host waits
    logic            aw_wait_q, w_wait_q, ar_wait_q;  // VALID was up without READY
    logic            aw_had_q, w_had_q, ar_had_q;     // the slave has taken it
    logic            b_due_q, r_due_q;                // the slave has answered, and the host has not got it yet
    logic [1:0]      b_was_q;
    logic [33:0]     r_was_q;
    wire             unused = &{1'b0, h_awaddr, h_araddr, mode[7:4]};
    wire             b_made = s_bvalid && s_bready, r_made = s_rvalid && s_rready;
    wire             b_got  = h_bvalid && h_bready, r_got = h_rvalid && h_rready;
    wire             apart  = mode[3:0] > 4'd3;  // it does not answer what it was asked last
    wire             garbled = !apart && ((b_due_q && b_got && h_bresp !== b_was_q)
        || (r_due_q && r_got && {h_rresp, h_rdata} !== r_was_q)
        || (b_got && !b_made && (aw_had_q || w_had_q)) || (r_got && !r_made && ar_had_q));

    localparam logic [AW_W-1:0] AW_HAS = {{3{PROT}}, {ADDR_W{1'b1}}};
    localparam logic [W_W-1:0]  W_HAS  = {{4{STRB}}, 32'hFFFF_FFFF};
    wire [AW_W-1:0] aw = {s_awprot, s_awaddr} & AW_HAS, ar = {s_arprot, s_araddr} & AW_HAS;
    wire [W_W-1:0]  w  = {s_wstrb, s_wdata} & W_HAS;
    wire [AW_W-1:0] h_aw = {h_awprot, h_awaddr[SHIFT+2 +: ADDR_W-2], h_awaddr[1:0]};
    wire [AW_W-1:0] h_ar = {h_arprot, h_araddr[SHIFT+2 +: ADDR_W-2], h_araddr[1:0]};

    wire twice   = (s_awvalid && aw_had_q) || (s_wvalid && w_had_q) || (s_arvalid && ar_had_q);
    wire changed = (aw_wait_q && s_awvalid && aw !== aw_was_q) || (w_wait_q && s_wvalid && w !== w_was_q)
        || (ar_wait_q && s_arvalid && ar !== ar_was_q);
    wire other   = (s_awvalid && aw !== aw_q) || (s_wvalid && w !== w_q) || (s_arvalid && ar !== ar_q);
    wire unasked = (s_awvalid && aw_open_q == 4'd0) || (s_wvalid && w_open_q == 4'd0) || (s_arvalid && ar_open_q == 4'd0);

    always @(posedge aclk) begin
        if (h_awvalid && h_awready) aw_q <= h_aw & AW_HAS;
        if (h_wvalid && h_wready) w_q <= {h_wstrb, h_wdata} & W_HAS;
        if (h_arvalid && h_arready) ar_q <= h_ar & AW_HAS;
        aw_open_q <= aw_open_q + 4'(h_awvalid && h_awready) - 4'(h_bvalid && h_bready);
        w_open_q  <= w_open_q + 4'(h_wvalid && h_wready) - 4'(h_bvalid && h_bready);
        ar_open_q <= ar_open_q + 4'(h_arvalid && h_arready) - 4'(h_rvalid && h_rready);

        aw_had_q <= (s_awvalid && s_awready) || (aw_had_q && !(s_bvalid && s_bready));
        w_had_q  <= (s_wvalid && s_wready) || (w_had_q && !(s_bvalid && s_bready));
        ar_had_q <= (s_arvalid && s_arready) || (ar_had_q && !(s_rvalid && s_rready));
        aw_wait_q <= s_awvalid && !s_awready;
        w_wait_q  <= s_wvalid && !s_wready;
        ar_wait_q <= s_arvalid && !s_arready;
        aw_was_q  <= aw;
        w_was_q   <= w;
        ar_was_q  <= ar;
        if (b_made) b_was_q <= s_bresp;
        if (r_made) r_was_q <= {s_rresp, s_rdata};
        b_due_q <= !apart && (b_made || (b_due_q && !b_got));
        r_due_q <= !apart && (r_made || (r_due_q && !r_got));
        bad <= bad | {COMPARE && garbled, COMPARE && unasked, COMPARE && other, changed, twice};

        if (!s_aresetn) {aw_had_q, w_had_q, ar_had_q, aw_wait_q, w_wait_q, ar_wait_q, bad} <= {6'd0, bad};
        if (!h_aresetn) {aw_open_q, w_open_q, ar_open_q, b_due_q, r_due_q} <= 14'd0;
        if (!aresetn) bad <= 5'd0;
    end
endmodule

`default_nettype wire
