// SPDX-License-Identifier: BSD-3-Clause
//
// axil_writer - simulation only: an AXI4-Lite master that makes the writes of a file, one after the other.
//
// FILE_IN.<number> is read while start is high: 16 bytes per entry, as sim/axil_master.sv has them (sim/bench_files.py:
// write_ops); each must be a plain write. AWVALID and WVALID rise together. FILE_OUT.<number> is written before done
// rises: one result as those of axil_master (read_results), which is the first that is not OKAY, or else the last. An
// access without an answer for TIMEOUT cycles ends the list. done falls with start.
//
// The bench has one for each memory of the monolith: it has no more than a load needs, since a simulator writes out each
// instance.
// Parameters: ADDR_W    address bits
//             FILE_IN, FILE_OUT  names without the number, relative to the run directory
//             TIMEOUT   cycles
// Checked by: tests/test_simulate_blocks.py
`default_nettype none

module axil_writer #(
    parameter int ADDR_W   = 32,
    parameter     FILE_IN  = "ops",
    parameter     FILE_OUT = "results",
    parameter int TIMEOUT  = 10000
) (
    input  wire              aclk,
    input  wire              aresetn,
    input  wire              start,
    input  wire [31:0]       number,  // constant
    output wire [ADDR_W-1:0] m_axil_awaddr,
    output wire [2:0]        m_axil_awprot,
    output wire              m_axil_awvalid,
    input  wire              m_axil_awready,
    output wire [31:0]       m_axil_wdata,
    output wire [3:0]        m_axil_wstrb,
    output wire              m_axil_wvalid,
    input  wire              m_axil_wready,
    input  wire [1:0]        m_axil_bresp,
    input  wire              m_axil_bvalid,
    output wire              m_axil_bready,
    output wire [ADDR_W-1:0] m_axil_araddr,
    output wire [2:0]        m_axil_arprot,
    output wire              m_axil_arvalid,
    input  wire              m_axil_arready,
    input  wire [31:0]       m_axil_rdata,
    input  wire [1:0]        m_axil_rresp,
    input  wire              m_axil_rvalid,
    output wire              m_axil_rready,
    output wire              done
);
    localparam logic [31:0] WRITE = 32'd1, UNKNOWN = 32'd8, LATE = 32'd4;

    string        name;
    integer       file, got;
    logic [127:0] op;
    logic         open_q, done_q, aw_q, w_q, b_q;
    logic [31:0]  said_q, waited_q;
    wire          answered = b_q && m_axil_bvalid;
    wire          late     = waited_q == TIMEOUT;
    wire          unused   = &{1'b0, op, m_axil_arready, m_axil_rdata, m_axil_rresp, m_axil_rvalid};

    assign m_axil_awaddr  = op[32+:ADDR_W];
    assign m_axil_awprot  = 3'd0;
    assign m_axil_awvalid = aw_q;
    assign m_axil_wdata   = op[31:0];
    assign m_axil_wstrb   = 4'hF;
    assign m_axil_wvalid  = w_q;
    assign m_axil_bready  = b_q && !aw_q && !w_q;
    assign m_axil_araddr  = '0;
    assign m_axil_arprot  = 3'd0;
    assign m_axil_arvalid = 1'b0;
    assign m_axil_rready  = 1'b0;
    assign done           = done_q;

    task automatic begin_list;
        name = $sformatf("%0s.%0d", FILE_IN, number);
        file = $fopen(name, "rb");
        if (file == 0) $fatal(1, "axil_writer %m: cannot open %0s", name);
    endtask

    task automatic proceed;
        got = $fread(op, file);
        if (got == 16) begin
            if (op[127:96] != WRITE) $fatal(1, "axil_writer %m: %0s has an entry that is no plain write", name);
            if (op[95:32] >> ADDR_W != 64'd0) $fatal(1, "axil_writer %m: %0s: address %0h is too long", name, op[95:32]);
            {aw_q, w_q, b_q} <= 3'b111;
            waited_q <= 32'd0;
        end else if (got != 0) $fatal(1, "axil_writer %m: %0s was cut short", name);
        else finish(said_q);
    endtask

    task automatic finish(input logic [31:0] said);
        $fclose(file);
        name = $sformatf("%0s.%0d", FILE_OUT, number);
        file = $fopen(name, "wb");
        if (file == 0) $fatal(1, "axil_writer %m: cannot write %0s", name);
        $fwrite(file, "%u%u%u", 32'd1, said, 32'd0);
        $fclose(file);
        {aw_q, w_q, b_q} <= 3'b000;
        done_q <= 1'b1;
    endtask

    always @(posedge aclk) begin
        if (!start) {open_q, done_q} <= 2'b00;
        else if (!open_q) begin
            begin_list;
            open_q <= 1'b1;
            said_q <= 32'd0;
        end else if (!done_q) begin
            if (m_axil_awready) aw_q <= 1'b0;
            if (m_axil_wready) w_q <= 1'b0;
            waited_q <= waited_q + 32'd1;
            if (late) finish(LATE);
            else if (answered && m_axil_bready) begin
                b_q <= 1'b0;
                if (said_q == 32'd0) said_q <= ^m_axil_bresp === 1'bx ? UNKNOWN : {30'd0, m_axil_bresp};
            end else if (!b_q) proceed;
        end
        if (!aresetn) {open_q, done_q, aw_q, w_q, b_q, said_q} <= 37'd0;
    end
endmodule

`default_nettype wire
