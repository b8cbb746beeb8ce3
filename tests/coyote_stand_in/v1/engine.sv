// SPDX-License-Identifier: BSD-3-Clause
//
// A running model of accl_bd_wrapper: registers, puts of the kernel, and a header of one beat in front of each
// on the network. Commands and data of the host, and memory, are idle. For two cards whose networks are joined.
module accl_bd_wrapper #(
    parameter integer PACKET = 3  // beats after which TLAST comes also within a put
) (
    input         aclk,
    input         aresetn,
    input  [15:0] S00_AXI_awaddr,
    input  [2:0]  S00_AXI_awprot,
    input         S00_AXI_awvalid,
    output        S00_AXI_awready,
    input  [31:0] S00_AXI_wdata,
    input  [3:0]  S00_AXI_wstrb,
    input         S00_AXI_wvalid,
    output        S00_AXI_wready,
    output [1:0]  S00_AXI_bresp,
    output reg    S00_AXI_bvalid,
    input         S00_AXI_bready,
    input  [15:0] S00_AXI_araddr,
    input  [2:0]  S00_AXI_arprot,
    input         S00_AXI_arvalid,
    output        S00_AXI_arready,
    output reg [31:0] S00_AXI_rdata,
    output [1:0]  S00_AXI_rresp,
    output reg    S00_AXI_rvalid,
    input         S00_AXI_rready,
    input  [31:0] s_axis_command_tdata,
    input  [3:0]  s_axis_command_tkeep,
    input         s_axis_command_tlast,
    input         s_axis_command_tvalid,
    output        s_axis_command_tready,
    output [31:0] m_axis_status_tdata,
    output [3:0]  m_axis_status_tkeep,
    output        m_axis_status_tlast,
    output        m_axis_status_tvalid,
    input         m_axis_status_tready,
    input  [511:0] s_axis_krnl_tdata,
    input  [63:0] s_axis_krnl_tkeep,
    input         s_axis_krnl_tlast,
    input         s_axis_krnl_tvalid,
    output        s_axis_krnl_tready,
    output [511:0] m_axis_krnl_tdata,
    output [63:0] m_axis_krnl_tkeep,
    output        m_axis_krnl_tlast,
    output [7:0]  m_axis_krnl_tdest,
    output        m_axis_krnl_tvalid,
    input         m_axis_krnl_tready,
    output [511:0] m_axis_eth_tx_data_tdata,
    output [63:0] m_axis_eth_tx_data_tkeep,
    output        m_axis_eth_tx_data_tlast,
    output        m_axis_eth_tx_data_tvalid,
    input         m_axis_eth_tx_data_tready,
    input  [511:0] s_axis_eth_rx_data_tdata,
    input  [63:0] s_axis_eth_rx_data_tkeep,
    input         s_axis_eth_rx_data_tlast,
    input  [7:0]  s_axis_eth_rx_data_tdest,
    input         s_axis_eth_rx_data_tvalid,
    output        s_axis_eth_rx_data_tready,
    output [95:0] cyt_byp_rd_cmd_tdata, cyt_byp_wr_cmd_tdata,
    output        cyt_byp_rd_cmd_tvalid, cyt_byp_wr_cmd_tvalid,
    input         cyt_byp_rd_cmd_tready, cyt_byp_wr_cmd_tready,
    input  [15:0] cyt_byp_rd_sts_tdata, cyt_byp_wr_sts_tdata,
    input         cyt_byp_rd_sts_tvalid, cyt_byp_wr_sts_tvalid,
    output        cyt_byp_rd_sts_tready, cyt_byp_wr_sts_tready,
    input  [95:0] s_axis_rdma_wr_req_tdata, s_axis_rdma_rd_req_tdata,
    input         s_axis_rdma_wr_req_tvalid, s_axis_rdma_rd_req_tvalid,
    output        s_axis_rdma_wr_req_tready, s_axis_rdma_rd_req_tready,
    output [511:0] m_axis_rdma_sq_tdata,
    output        m_axis_rdma_sq_tvalid,
    input         m_axis_rdma_sq_tready
`define MEMORY(NAME) \
    , input  [511:0] s_axis_``NAME``_tdata, input [63:0] s_axis_``NAME``_tkeep, input s_axis_``NAME``_tlast, \
    input s_axis_``NAME``_tvalid, output s_axis_``NAME``_tready, \
    output [511:0] m_axis_``NAME``_tdata, output [63:0] m_axis_``NAME``_tkeep, output m_axis_``NAME``_tlast, \
    output m_axis_``NAME``_tvalid, input m_axis_``NAME``_tready
`define IDLE(NAME) \
    assign s_axis_``NAME``_tready = 1'b1; \
    assign {m_axis_``NAME``_tdata, m_axis_``NAME``_tkeep, m_axis_``NAME``_tlast, m_axis_``NAME``_tvalid} = '0;
    `MEMORY(host_0) `MEMORY(host_1) `MEMORY(host_2) `MEMORY(card_0) `MEMORY(card_1) `MEMORY(card_2)
);
    `IDLE(host_0) `IDLE(host_1) `IDLE(host_2) `IDLE(card_0) `IDLE(card_1) `IDLE(card_2)
    assign {cyt_byp_rd_cmd_tdata, cyt_byp_wr_cmd_tdata, cyt_byp_rd_cmd_tvalid, cyt_byp_wr_cmd_tvalid} = '0;
    assign {cyt_byp_rd_sts_tready, cyt_byp_wr_sts_tready} = '1;
    assign {s_axis_rdma_wr_req_tready, s_axis_rdma_rd_req_tready} = '1;
    assign {m_axis_rdma_sq_tdata, m_axis_rdma_sq_tvalid} = '0;

    // ---- registers: 16 KiB, one in 4 bytes ------------------------------------------------------------
    reg [31:0] memory [0:4095];
    initial begin
        memory = '{default: '0};
        memory[16'h1FF4 / 4] = 1;
    end
    wire written = S00_AXI_awvalid && S00_AXI_wvalid && !S00_AXI_bvalid;
    assign {S00_AXI_awready, S00_AXI_wready} = {2{written}};
    assign S00_AXI_arready = !S00_AXI_rvalid;
    assign S00_AXI_bresp = '0;
    assign S00_AXI_rresp = '0;
    always @(posedge aclk) begin
        if (written) memory[S00_AXI_awaddr[13:2]] <= S00_AXI_wdata;
        if (S00_AXI_arvalid && S00_AXI_arready) S00_AXI_rdata <= memory[S00_AXI_araddr[13:2]];
        S00_AXI_bvalid <= aresetn && (written || (S00_AXI_bvalid && !S00_AXI_bready));
        S00_AXI_rvalid <= aresetn && ((S00_AXI_arvalid && S00_AXI_arready) || (S00_AXI_rvalid && !S00_AXI_rready));
    end

    // ---- puts -------------------------------------------------------------------------------------------
    localparam [1:0] COMMAND = 0, HEADER = 1, DATA = 2, STATUS = 3;
    reg [1:0]  state;
    reg [3:0]  words;
    reg [31:0] command [0:14];
    reg [31:0] left;
    wire sent = m_axis_eth_tx_data_tvalid && m_axis_eth_tx_data_tready;
    assign s_axis_command_tready = state == COMMAND;
    assign s_axis_krnl_tready = state == DATA && m_axis_eth_tx_data_tready;
    assign m_axis_eth_tx_data_tdata = state == HEADER ? {448'd0, command[5], command[1] / 16} : s_axis_krnl_tdata;
    assign m_axis_eth_tx_data_tkeep = '1;
    assign m_axis_eth_tx_data_tlast = state == DATA && left == 1;
    assign m_axis_eth_tx_data_tvalid = state == HEADER || (state == DATA && s_axis_krnl_tvalid);
    assign {m_axis_status_tdata, m_axis_status_tkeep, m_axis_status_tlast} = {32'd0, 4'hf, 1'b1};
    assign m_axis_status_tvalid = state == STATUS;
    always @(posedge aclk) begin
        if (!aresetn) {state, words} <= '0;
        else case (state)
            COMMAND: if (s_axis_command_tvalid) begin
                command[words] <= s_axis_command_tdata;
                words <= words + 1;
                if (s_axis_command_tlast != (words == 14)) $fatal(1, "TLAST at word %0d of a command", words);
                if (words == 14) {state, words} <= {HEADER, 4'd0};
            end
            HEADER: if (sent) begin
                left <= command[1] / 16;
                state <= DATA;
                if (command[0] != 3 || command[2] != 32'h1C8 || command[6] != 32'h290 || command[1] % 16 != 0)
                    $fatal(1, "scenario %0d, %0d elements, communicator %h, arithmetic %h", command[0], command[1], command[2], command[6]);
            end
            DATA: if (sent) begin
                left <= left - 1;
                if (left == 1) state <= STATUS;
            end
            default: if (m_axis_status_tready) state <= COMMAND;
        endcase
    end

    // ---- what comes -------------------------------------------------------------------------------------
    reg        open;
    reg [7:0]  stream;
    reg [31:0] beats, packet;
    wire taken = s_axis_eth_rx_data_tvalid && s_axis_eth_rx_data_tready;
    assign s_axis_eth_rx_data_tready = !open || m_axis_krnl_tready;
    assign m_axis_krnl_tdata = s_axis_eth_rx_data_tdata;
    assign m_axis_krnl_tkeep = '1;
    assign m_axis_krnl_tdest = stream;
    assign m_axis_krnl_tlast = packet == PACKET || beats == 1;
    assign m_axis_krnl_tvalid = open && s_axis_eth_rx_data_tvalid;
    always @(posedge aclk) begin
        if (!aresetn) open <= 1'b0;
        else if (taken && !open) begin
            {open, packet} <= {1'b1, 32'd1};
            beats <= s_axis_eth_rx_data_tdata[31:0];
            stream <= s_axis_eth_rx_data_tdata[39:32];
        end else if (taken) begin
            beats <= beats - 1;
            packet <= packet == PACKET ? 1 : packet + 1;
            if (beats == 1) open <= 1'b0;
        end
    end
endmodule
