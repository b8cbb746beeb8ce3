// SPDX-License-Identifier: BSD-3-Clause
//
// bench_lite_master - simulation only: an AXI4-Lite master driven by two tasks, `write` and `read`.
//
// Signals change at the falling edge, so nothing races with the block. The two may run at the same time.
// Address and data come in any order and both answers are awaited with random readiness; axprot is address bits 4:2, so that a slave can check it. An access that takes more than
// LIMIT cycles is fatal. `cycles_w` and `cycles_r` tell how long the last one took.
//
// Parameters: ADDR_W, DATA_W  of the bus (ADDR_W at least 5)
//             LIMIT           cycles
//             SEED            of the delays
`default_nettype none

module bench_lite_master #(
    parameter int ADDR_W = 12,
    parameter int DATA_W = 32,
    parameter int LIMIT  = 500,
    parameter int SEED   = 1
) (
    input  wire                  aclk,
    input  wire                  aresetn,
    input  wire                  eager,  // no delays

    output logic [ADDR_W-1:0]    m_axil_awaddr,
    output logic [2:0]           m_axil_awprot,
    output logic                 m_axil_awvalid,
    input  wire                  m_axil_awready,
    output logic [DATA_W-1:0]    m_axil_wdata,
    output logic [DATA_W/8-1:0]  m_axil_wstrb,
    output logic                 m_axil_wvalid,
    input  wire                  m_axil_wready,
    input  wire  [1:0]           m_axil_bresp,
    input  wire                  m_axil_bvalid,
    output logic                 m_axil_bready,
    output logic [ADDR_W-1:0]    m_axil_araddr,
    output logic [2:0]           m_axil_arprot,
    output logic                 m_axil_arvalid,
    input  wire                  m_axil_arready,
    input  wire  [DATA_W-1:0]    m_axil_rdata,
    input  wire  [1:0]           m_axil_rresp,
    input  wire                  m_axil_rvalid,
    output logic                 m_axil_rready
);

    logic [31:0] dice;
    int          cycles_w, cycles_r, aw_delay, w_delay;
    logic        aw_open, w_open, ar_open, b_open, r_open;
    // A task only hands over and waits: its body is copied to every call, the processes below exist once.
    logic                 w_asked, w_served, r_asked, r_served;
    logic [ADDR_W-1:0]    w_addr, r_addr;
    logic [DATA_W-1:0]    w_data, r_data;
    logic [DATA_W/8-1:0]  w_strb;
    logic [1:0]           w_resp, r_resp;

    initial begin
        w_asked = 1'b0; w_served = 1'b0; r_asked = 1'b0; r_served = 1'b0;
        dice = 32'(SEED) * 32'h9E3779B1 + 1;
        m_axil_awvalid = 1'b0; m_axil_wvalid = 1'b0; m_axil_bready = 1'b0;
        m_axil_arvalid = 1'b0; m_axil_rready = 1'b0;
        m_axil_awaddr = '0; m_axil_awprot = '0; m_axil_wdata = '0; m_axil_wstrb = '0;
        m_axil_araddr = '0; m_axil_arprot = '0;
    end
    always @(posedge aclk) begin
        dice <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};
    end

    task write(input logic [ADDR_W-1:0] addr, input logic [DATA_W-1:0] data, input logic [DATA_W/8-1:0] strb,
               output logic [1:0] resp);
        w_addr  = addr;
        w_data  = data;
        w_strb  = strb;
        w_asked = !w_asked;
        wait (w_served == w_asked);
        resp = w_resp;
    endtask

    task read(input logic [ADDR_W-1:0] addr, output logic [DATA_W-1:0] data, output logic [1:0] resp);
        r_addr  = addr;
        r_asked = !r_asked;
        wait (r_served == r_asked);
        data = r_data;
        resp = r_resp;
    endtask

    always begin
        wait (w_asked != w_served);
        aw_delay = eager ? 0 : int'(dice[1:0]) * int'(dice[2]);
        w_delay  = eager ? 0 : int'(dice[4:3]) * int'(dice[5]);
        cycles_w = 0;
        aw_open  = 1'b1;
        w_open   = 1'b1;
        b_open   = 1'b1;
        while (b_open) begin
            @(negedge aclk);
            m_axil_awaddr  = w_addr;
            m_axil_awprot  = w_addr[4:2];
            m_axil_wdata   = w_data;
            m_axil_wstrb   = w_strb;
            m_axil_awvalid = aw_open && (m_axil_awvalid || cycles_w >= aw_delay);
            m_axil_wvalid  = w_open && (m_axil_wvalid || cycles_w >= w_delay);
            m_axil_bready  = eager || dice[7];
            @(posedge aclk);
            cycles_w = cycles_w + 1;
            if (cycles_w > LIMIT) $fatal(1, "write to %h hangs (%m)", w_addr);
            if (m_axil_awvalid && m_axil_awready) aw_open = 1'b0;
            if (m_axil_wvalid && m_axil_wready) w_open = 1'b0;
            if (m_axil_bvalid && (aw_open || w_open)) $fatal(1, "write to %h answered too early (%m)", w_addr);
            if (m_axil_bvalid && m_axil_bready) begin
                b_open = 1'b0;
                w_resp = m_axil_bresp;
            end
        end
        @(negedge aclk);
        m_axil_bready = 1'b0;
        w_served = w_asked;
    end

    always begin
        wait (r_asked != r_served);
        cycles_r = 0;
        ar_open  = 1'b1;
        r_open   = 1'b1;
        while (r_open) begin
            @(negedge aclk);
            m_axil_araddr  = r_addr;
            m_axil_arprot  = r_addr[4:2];
            m_axil_arvalid = ar_open;
            m_axil_rready  = eager || dice[12];
            @(posedge aclk);
            cycles_r = cycles_r + 1;
            if (cycles_r > LIMIT) $fatal(1, "read of %h hangs (%m)", r_addr);
            if (m_axil_arvalid && m_axil_arready) ar_open = 1'b0;
            if (m_axil_rvalid && ar_open) $fatal(1, "read of %h answered too early (%m)", r_addr);
            if (m_axil_rvalid && m_axil_rready) begin
                r_open = 1'b0;
                r_data = m_axil_rdata;
                r_resp = m_axil_rresp;
            end
        end
        @(negedge aclk);
        m_axil_rready = 1'b0;
        r_served = r_asked;
    end

    axis_checker #(.DATA_W(2), .NAME("b")) u_check_b (
        .aclk(aclk), .aresetn(aresetn),
        .axis_tdata(m_axil_bresp), .axis_tvalid(m_axil_bvalid), .axis_tready(m_axil_bready)
    );
    axis_checker #(.DATA_W(DATA_W + 2), .NAME("r")) u_check_r (
        .aclk(aclk), .aresetn(aresetn),
        .axis_tdata({m_axil_rresp, m_axil_rdata}), .axis_tvalid(m_axil_rvalid), .axis_tready(m_axil_rready)
    );

endmodule

`default_nettype wire
