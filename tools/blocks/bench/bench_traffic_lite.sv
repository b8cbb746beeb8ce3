// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic_lite - simulation only: an AXI4-Lite master that keeps reads and writes going at once.
//
// What it does is in tables that the bench around it fills before the first clock edge: accesses 0 to PLACES - 1, over
// and over. COUNT writes and COUNT reads are made after each reset; AWADDR and WDATA are offered independently, up to
// DEPTH accesses of a kind before an answer. The first write and then the first read are alone. Answers come in order, so w_head and r_head tell whose is due.
// Compiled with BENCH_FAULT the read answers go through bench_traffic_fault.
//
// Parameters: ADDR_W, DATA_W  of the bus
//             COUNT           of writes, and of reads
//             DEPTH           see above
//             COMPARE         1: read data is compared with r_data
`default_nettype none

module bench_traffic_lite #(
    parameter int ADDR_W  = 12,
    parameter int DATA_W  = 32,
    parameter int COUNT   = 1000,
    parameter int DEPTH   = 2,
    parameter bit COMPARE = 1
) (
    input  wire                  aclk,
    input  wire                  aresetn,
    input  wire  [31:0]          cycle,
    input  wire  [2:0]           source_go,  // ar, w, aw
    input  wire  [1:0]           sink_go,    // r, b
    input  wire                  serial,     // one access at a time

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
    output wire                  m_axil_rready,

    output logic                 done,
    output logic                 got_b,     // a write was answered in the last cycle
    output logic                 got_r,     // a read was answered in the last cycle; r_last, r_got tell of it
    output int                   r_last,
    output logic [DATA_W-1:0]    r_got,
    output int                   answers,   // when done
    output int                   w_head,    // place of the oldest write without an answer
    output int                   r_head,
    output int                   latency,   // of the first write or the first read, whichever takes longer
    output int                   first,     // cycle of the first read's answer
    output int                   last       // and of the last answer
);

    localparam int PLACES = 1021;
    logic [ADDR_W-1:0]    w_addr [0:PLACES-1];
    logic [DATA_W-1:0]    w_data [0:PLACES-1];
    logic [DATA_W/8-1:0]  w_strb [0:PLACES-1];
    logic [1:0]           w_resp [0:PLACES-1];
    logic [ADDR_W-1:0]    r_addr [0:PLACES-1];
    logic [DATA_W-1:0]    r_data [0:PLACES-1];
    logic [1:0]           r_resp [0:PLACES-1];

    wire [DATA_W-1:0] rdata;
    wire [1:0]        rresp;
    wire              rvalid;
    logic             rready;
`ifdef BENCH_FAULT
    wire unused;
    bench_traffic_fault #(.W(DATA_W + 2)) u_fault (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata({m_axil_rresp, m_axil_rdata}), .s_axis_tlast(1'b0),
        .s_axis_tvalid(m_axil_rvalid), .s_axis_tready(m_axil_rready),
        .m_axis_tdata({rresp, rdata}), .m_axis_tlast(unused), .m_axis_tvalid(rvalid), .m_axis_tready(rready)
    );
`else
    assign rdata  = m_axil_rdata;
    assign rresp  = m_axil_rresp;
    assign rvalid = m_axil_rvalid;
    assign m_axil_rready = rready;
`endif

    // Accesses whose address or data was offered, taken or answered. aw_next, w_next, ar_next: places.
    logic opening;
    int aw_sent, w_sent, ar_sent, aw_taken, w_taken, ar_taken, b_count, r_count, aw_next, w_next, ar_next;

    initial begin
        m_axil_awaddr = '0; m_axil_awprot = '0; m_axil_awvalid = 1'b0; m_axil_wdata = '0; m_axil_wstrb = '0;
        m_axil_wvalid = 1'b0; m_axil_bready = 1'b0; m_axil_araddr = '0; m_axil_arprot = '0; m_axil_arvalid = 1'b0;
        rready = 1'b0; done = 1'b0; got_b = 1'b0; got_r = 1'b0; r_last = 0; r_got = '0; answers = 0;
        w_head = 0; r_head = 0; latency = 0; first = 0; last = 0;
        aw_sent = 0; w_sent = 0; ar_sent = 0; aw_taken = 0; w_taken = 0; ar_taken = 0; b_count = 0; r_count = 0;
        aw_next = 0; w_next = 0; ar_next = 0; opening = 1'b1;
    end

    always @(posedge aclk) begin
        // ---- what the cycle that ends here has moved
        if (m_axil_awvalid && m_axil_awready) begin
            aw_taken = aw_taken + 1;
            m_axil_awvalid <= 1'b0;
        end
        if (m_axil_wvalid && m_axil_wready) begin
            w_taken = w_taken + 1;
            m_axil_wvalid <= 1'b0;
        end
        if (m_axil_arvalid && m_axil_arready) begin
            ar_taken = ar_taken + 1;
            m_axil_arvalid <= 1'b0;
        end
        got_b <= m_axil_bvalid && m_axil_bready;
        if (m_axil_bvalid && m_axil_bready) begin
            if (b_count >= aw_taken || b_count >= w_taken) $fatal(1, "write %0d is answered too early (%m)", b_count);
            if (m_axil_bresp !== w_resp[w_head])
                $fatal(1, "write %0d to %h: %b, expected %b (%m)", b_count, w_addr[w_head], m_axil_bresp, w_resp[w_head]);
            b_count = b_count + 1;
            w_head <= w_head == PLACES - 1 ? 0 : w_head + 1;
        end
        got_r <= rvalid && rready;
        if (rvalid && rready) begin
            if (r_count >= ar_taken) $fatal(1, "read %0d is answered too early (%m)", r_count);
            if (rresp !== r_resp[r_head])
                $fatal(1, "read %0d of %h: %b, expected %b (%m)", r_count, r_addr[r_head], rresp, r_resp[r_head]);
            if (COMPARE && rdata !== r_data[r_head])
                $fatal(1, "read %0d of %h: %h, expected %h (%m)", r_count, r_addr[r_head], rdata, r_data[r_head]);
            r_count = r_count + 1;
            r_last <= r_head;
            r_got  <= rdata;
            r_head <= r_head == PLACES - 1 ? 0 : r_head + 1;
        end

        // ---- what the next one offers
        opening = b_count == 0 || r_count == 0;
        if (source_go[0] && (!m_axil_awvalid || m_axil_awready) && aw_sent != COUNT
            && (opening ? aw_sent == 0
                : serial ? aw_sent == b_count && ar_sent == r_count : aw_sent - b_count < DEPTH)) begin
            m_axil_awvalid <= 1'b1;
            m_axil_awaddr  <= w_addr[aw_next];
            m_axil_awprot  <= w_addr[aw_next][4:2];
            aw_sent = aw_sent + 1;
            aw_next = aw_next == PLACES - 1 ? 0 : aw_next + 1;
        end
        if (source_go[1] && (!m_axil_wvalid || m_axil_wready) && w_sent != COUNT
            && (opening || serial ? w_sent < aw_sent : w_sent - b_count < DEPTH)) begin
            m_axil_wvalid <= 1'b1;
            m_axil_wdata  <= w_data[w_next];
            m_axil_wstrb  <= w_strb[w_next];
            w_sent = w_sent + 1;
            w_next = w_next == PLACES - 1 ? 0 : w_next + 1;
        end
        if (source_go[2] && (!m_axil_arvalid || m_axil_arready) && ar_sent != COUNT
            && (opening ? b_count == 1 && ar_sent == 0
                : serial ? ar_sent == r_count && aw_sent == b_count : ar_sent - r_count < DEPTH)) begin
            m_axil_arvalid <= 1'b1;
            m_axil_araddr  <= r_addr[ar_next];
            m_axil_arprot  <= r_addr[ar_next][4:2];
            ar_sent = ar_sent + 1;
            ar_next = ar_next == PLACES - 1 ? 0 : ar_next + 1;
        end
        m_axil_bready <= sink_go[0];
        rready        <= sink_go[1];

        if (b_count == COUNT && r_count == COUNT && !done) begin
            done    <= 1'b1;
            answers <= b_count + r_count;
            last    <= cycle;
        end
        if (!aresetn) begin
            m_axil_awvalid <= 1'b0; m_axil_wvalid <= 1'b0; m_axil_arvalid <= 1'b0;
            m_axil_bready <= 1'b0; rready <= 1'b0; done <= 1'b0; got_b <= 1'b0; got_r <= 1'b0;
            w_head <= 0; r_head <= 0;
            aw_sent = 0; w_sent = 0; ar_sent = 0; aw_taken = 0; w_taken = 0; ar_taken = 0; b_count = 0; r_count = 0;
            aw_next = 0; w_next = 0; ar_next = 0;
        end
    end

    int began, took;
    always begin
        wait (aresetn);
        @(posedge aclk);
        while (!(m_axil_awvalid && m_axil_awready)) @(posedge aclk);
        began = cycle;
        while (!(m_axil_bvalid && m_axil_bready)) @(posedge aclk);
        took = cycle - began;
        while (!(m_axil_arvalid && m_axil_arready)) @(posedge aclk);
        began = cycle;
        while (!(rvalid && rready)) @(posedge aclk);
        first   = cycle;
        latency = first - began > took ? first - began : took;
        wait (!aresetn);
    end

    axis_checker #(.DATA_W(2), .NAME("b")) u_check_b (
        .aclk(aclk), .aresetn(aresetn),
        .axis_tdata(m_axil_bresp), .axis_tvalid(m_axil_bvalid), .axis_tready(m_axil_bready)
    );
    axis_checker #(.DATA_W(DATA_W + 2), .NAME("r")) u_check_r (
        .aclk(aclk), .aresetn(aresetn),
        .axis_tdata({rresp, rdata}), .axis_tvalid(rvalid), .axis_tready(rready)
    );

endmodule

`default_nettype wire
