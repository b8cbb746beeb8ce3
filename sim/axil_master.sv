// SPDX-License-Identifier: BSD-3-Clause
//
// axil_master - simulation only: an AXI4-Lite master that walks a list of accesses from a file.
//
// FILE_IN is read each time start rises: 16 bytes per access, most significant first: operation (1 write,
// 2 read), address (8 bytes), data (sim/bench_files.py: write_ops). FILE_OUT is written before done rises:
// 32-bit little-endian words: accesses made, then per access {unknown, timeout, resp[1:0]} and rdata
// (read_results). An access without an answer for TIMEOUT cycles is marked and ends the walk, since
// AXI does not let a master withdraw; after it only a reset helps. done falls with start.
//
// One access at a time, address and data of a write together: 3 cycles plus the slave's latency.
// With DATA_W 64, data goes by in the lower half, as ip/axil_slot has it, and what is not zero above counts as unknown.
// Parameters: ADDR_W    address bits
//             DATA_W    data bits, 32 or 64
//             FILE_IN, FILE_OUT  names, relative to the run directory
//             DEPTH     accesses that fit
//             TIMEOUT   cycles
`default_nettype none

module axil_master #(
    parameter int ADDR_W   = 32,
    parameter int DATA_W   = 32,
    parameter     FILE_IN  = "ops.bin",
    parameter     FILE_OUT = "results.bin",
    parameter int DEPTH    = 1024,
    parameter int TIMEOUT  = 10000
) (
    input  wire              aclk,
    input  wire              aresetn,
    input  wire              start,
    output wire [ADDR_W-1:0] m_axil_awaddr,
    output wire [2:0]        m_axil_awprot,
    output wire              m_axil_awvalid,
    input  wire              m_axil_awready,
    output wire [DATA_W-1:0] m_axil_wdata,
    output wire [DATA_W/8-1:0] m_axil_wstrb,
    output wire              m_axil_wvalid,
    input  wire              m_axil_wready,
    input  wire [1:0]        m_axil_bresp,
    input  wire              m_axil_bvalid,
    output wire              m_axil_bready,
    output wire [ADDR_W-1:0] m_axil_araddr,
    output wire [2:0]        m_axil_arprot,
    output wire              m_axil_arvalid,
    input  wire              m_axil_arready,
    input  wire [DATA_W-1:0] m_axil_rdata,
    input  wire [1:0]        m_axil_rresp,
    input  wire              m_axil_rvalid,
    output wire              m_axil_rready,
    output wire              done
);
    localparam logic [31:0] WRITE = 32'd1, READ = 32'd2;
    localparam logic [31:0] LATE = 32'd4, UNKNOWN = 32'd8;

    generate
        if (ADDR_W < 1 || ADDR_W > 64) begin : g_check_addr_w
            ADDR_W_must_be_1_to_64 parameter_error ();
        end
        if (DATA_W != 32 && DATA_W != 64) begin : g_check_data_w
            DATA_W_must_be_32_or_64 parameter_error ();
        end
    endgenerate

    logic [127:0] ops[0:DEPTH-1];
    logic [63:0]  results[0:DEPTH-1];
    integer       total;
    logic [31:0]  at_q, waited_q;
    logic         running_q, done_q;
    logic         aw_q, w_q, b_q, ar_q, r_q;  // what the access in hand still needs
    logic         begun_q, dead_q;

    wire [127:0] op     = ops[at_q];
    wire [63:0]  addr   = op[95:32];
    wire         finish = (b_q && m_axil_bvalid) || (r_q && m_axil_rvalid);
    wire [63:0]  answer = b_q ? {30'd0, m_axil_bresp, 32'd0} : {30'd0, m_axil_rresp, m_axil_rdata[31:0]};
    wire [DATA_W-1:0] above = b_q ? '0 : m_axil_rdata >> 32;
    wire         late   = begun_q && waited_q == TIMEOUT;

    assign m_axil_awaddr  = addr[ADDR_W-1:0];
    assign m_axil_araddr  = addr[ADDR_W-1:0];
    assign m_axil_awprot  = 3'd0;
    assign m_axil_arprot  = 3'd0;
    assign m_axil_wdata   = DATA_W'(op[31:0]);
    assign m_axil_wstrb   = '1;
    assign m_axil_awvalid = aw_q;
    assign m_axil_wvalid  = w_q;
    assign m_axil_arvalid = ar_q;
    assign m_axil_bready  = b_q;
    assign m_axil_rready  = r_q;
    assign done           = done_q;

    task automatic load;
        integer load_file, load_bytes;
        load_file = $fopen(FILE_IN, "rb");
        if (load_file == 0) $fatal(1, "axil_master %m: cannot open %0s", FILE_IN);
        load_bytes = $fread(ops, load_file);
        if ($fgetc(load_file) != -1) $fatal(1, "axil_master %m: %0s is longer than %0d accesses", FILE_IN, DEPTH);
        $fclose(load_file);
        total = load_bytes / 16;
    endtask

    task automatic save(input logic [31:0] save_ops);
        integer save_file;
        save_file = $fopen(FILE_OUT, "wb");
        if (save_file == 0) $fatal(1, "axil_master %m: cannot write %0s", FILE_OUT);
        $fwrite(save_file, "%u", save_ops);
        for (int i = 0; i < save_ops; i++) $fwrite(save_file, "%u%u", results[i][63:32], results[i][31:0]);
        $fclose(save_file);
    endtask

    always @(posedge aclk) begin
        if (!start) begin
            running_q <= 1'b0;
            done_q    <= 1'b0;
        end else if (!running_q) begin
            load;
            running_q <= 1'b1;
            at_q      <= 32'd0;
        end else if (!done_q && !begun_q) begin
            if (at_q == total || dead_q) begin
                save(at_q);
                done_q <= 1'b1;
            end else begin
                if (op[127:96] != WRITE && op[127:96] != READ)
                    $fatal(1, "axil_master %m: %0s: access %0d is neither a write nor a read", FILE_IN, at_q);
                if (addr >> ADDR_W != 64'd0)
                    $fatal(1, "axil_master %m: %0s: address %0h is too long", FILE_IN, addr);
                begun_q  <= 1'b1;
                waited_q <= 32'd0;
                aw_q     <= op[127:96] == WRITE;
                w_q      <= op[127:96] == WRITE;
                ar_q     <= op[127:96] == READ;
                b_q      <= op[127:96] == WRITE;
                r_q      <= op[127:96] == READ;
            end
        end
        if (aw_q && m_axil_awready) aw_q <= 1'b0;
        if (w_q && m_axil_wready) w_q <= 1'b0;
        if (ar_q && m_axil_arready) ar_q <= 1'b0;
        if (begun_q) begin
            waited_q <= waited_q + 32'd1;
            if (finish) begin
                b_q <= 1'b0;
                r_q <= 1'b0;
            end
            if (finish || late) begin
                at_q          <= at_q + 32'd1;
                begun_q       <= 1'b0;
                dead_q        <= !finish;
                results[at_q] <= !finish ? {LATE, 32'd0} : ^answer === 1'bx || above !== '0 ? {UNKNOWN, 32'd0} : answer;
            end
        end
        if (!aresetn) begin
            running_q <= 1'b0;
            done_q    <= 1'b0;
            begun_q   <= 1'b0;
            dead_q    <= 1'b0;
            aw_q      <= 1'b0;
            w_q       <= 1'b0;
            b_q       <= 1'b0;
            ar_q      <= 1'b0;
            r_q       <= 1'b0;
        end
    end
endmodule

`default_nettype wire
