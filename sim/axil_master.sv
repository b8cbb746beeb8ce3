// SPDX-License-Identifier: BSD-3-Clause
//
// axil_master - simulation only: an AXI4-Lite master that plays a list of accesses from a file.
//
// FILE_IN is read each time start rises: 16 bytes per entry, most significant first: word (4 bytes), address (8),
// data (4) (sim/bench_files.py: write_ops). The word:
//   [2:0]    1 write, 2 read, 3 fault (data: mode in bits 7:0, slave in 31:8; sim/axil_gate.sv), 4 wait (data: cycles),
//            5 reset (data: cycles for which `pin` is low; what is under way is forgotten)
//   [3]      early: begins while earlier ones are under way; else it waits for all of them
//   [7:4]    strobes that are off
//   [11:8]   cycles until AWVALID, [15:12] until WVALID, [23:20] until ARVALID
//   [19:16]  cycles that BVALID waits for BREADY, [27:24] RVALID for RREADY; 0: the ready is there before
//   [30:28]  AWPROT or ARPROT
// FILE_OUT is written before done rises: 32-bit little-endian words: entries played, then per entry
// {broken, cut, unknown, timeout, resp[1:0]} and rdata (read_results). An access without an answer for TIMEOUT cycles
// is marked and ends the list, since AXI does not let a master withdraw; after it only a reset helps. So does
// an answer that breaks a rule of AXI: unasked for, withdrawn, or changed while it waits; and, while strict is high, an
// answer that is not OKAY. done falls with start.
//
// With DATA_W 64, data goes by in the lower half, as ip/axil_slot has it, and what is not zero above counts as unknown.
// Parameters: ADDR_W    address bits
//             DATA_W    data bits, 32 or 64
//             FILE_IN, FILE_OUT  names, relative to the run directory
//             DEPTH     entries that fit
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
    input  wire              strict,  // the first answer that is not OKAY ends the list
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
    output logic [7:0]       fault,   // how slave number fault_at behaves: bench_top
    output logic [23:0]      fault_at,
    output logic             pin,     // low: the list resets the core
    output wire              done
);
    localparam logic [2:0]  WRITE = 3'd1, READ = 3'd2, FAULT = 3'd3, PAUSE = 3'd4, RESET = 3'd5;
    localparam logic [31:0] LATE = 32'd4, UNKNOWN = 32'd8, CUT = 32'd16, BROKEN = 32'd32;
    localparam int          AHEAD = 8;  // entries under way at once

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
    // Every channel has a place of its own in the list. Entries before limit_q may begin; those before `head` are over.
    logic [31:0]  aw_at, w_at, b_at, ar_at, r_at, c_at, limit_q, waited_q, last_q, end_q;
    logic [3:0]   aw_gap, w_gap, b_gap, ar_gap, r_gap;
    logic [31:0]  c_gap;
    logic         aw_q, w_q, ar_q, running_q, done_q, dead_q;
    logic         b_seen_q, r_seen_q;  // an answer waits
    logic [1:0]   b_was_q;
    logic [DATA_W+1:0] r_was_q;

    wire [127:0] aw_op = ops[aw_at], w_op = ops[w_at], b_op = ops[b_at];
    wire [127:0] ar_op = ops[ar_at], r_op = ops[r_at], c_op = ops[c_at], next_op = ops[limit_q];
    wire [2:0]   c_kind = c_op[98:96];
    wire         unused = &{1'b0, aw_op, w_op, b_op, ar_op, r_op, c_op, next_op};  // each channel takes its part
    wire [31:0]  first  = b_at < r_at ? b_at : r_at;
    wire [31:0]  head   = first < c_at ? first : c_at;
    wire         playing = running_q && !done_q && !dead_q;

    // Taken as a whole, and not answered yet.
    wire b_due = playing && b_at < aw_at && b_at < w_at && b_op[98:96] == WRITE;
    wire r_due = playing && r_at < ar_at && r_op[98:96] == READ;
    wire b_end = m_axil_bvalid && m_axil_bready;
    wire r_end = m_axil_rvalid && m_axil_rready;
    wire [DATA_W-1:0] above = m_axil_rdata >> 32;
    wire b_bad = (m_axil_bvalid === 1'b1 && !b_due) || (b_seen_q && (!m_axil_bvalid || m_axil_bresp !== b_was_q));
    wire r_bad = (m_axil_rvalid === 1'b1 && !r_due)
        || (r_seen_q && (!m_axil_rvalid || {m_axil_rresp, m_axil_rdata} !== r_was_q));

    assign m_axil_awaddr  = aw_op[32+:ADDR_W];
    assign m_axil_araddr  = ar_op[32+:ADDR_W];
    assign m_axil_awprot  = aw_op[126:124];
    assign m_axil_arprot  = ar_op[126:124];
    assign m_axil_wdata   = DATA_W'(w_op[31:0]);
    // Strobes of the upper half alone would be a write to it.
    assign m_axil_wstrb   = (DATA_W / 8)'({{4{w_op[103:100] != 4'hF}}, ~w_op[103:100]});
    assign m_axil_awvalid = aw_q;
    assign m_axil_wvalid  = w_q;
    assign m_axil_arvalid = ar_q;
    assign m_axil_bready  = b_due && b_gap == b_op[115:112];
    assign m_axil_rready  = r_due && r_gap == r_op[123:120];
    assign done           = done_q;

    task automatic load;
        integer load_file, load_bytes;
        load_file = $fopen(FILE_IN, "rb");
        if (load_file == 0) $fatal(1, "axil_master %m: cannot open %0s", FILE_IN);
        load_bytes = $fread(ops, load_file);
        if ($fgetc(load_file) != -1) $fatal(1, "axil_master %m: %0s is longer than %0d accesses", FILE_IN, DEPTH);
        $fclose(load_file);
        total = load_bytes / 16;
        for (int i = 0; i < total; i++) begin
            results[i] = 64'd0;
            if (ops[i][98:96] == 3'd0 || ops[i][98:96] > RESET)
                $fatal(1, "axil_master %m: %0s: entry %0d is of no kind", FILE_IN, i);
            if (ops[i][98:96] <= READ && ops[i][95:32] >> ADDR_W != 64'd0)
                $fatal(1, "axil_master %m: %0s: address %0h is too long", FILE_IN, ops[i][95:32]);
        end
    endtask

    task automatic save(input logic [31:0] save_ops);
        integer save_file;
        save_file = $fopen(FILE_OUT, "wb");
        if (save_file == 0) $fatal(1, "axil_master %m: cannot write %0s", FILE_OUT);
        $fwrite(save_file, "%u", save_ops);
        for (int i = 0; i < save_ops; i++) $fwrite(save_file, "%u%u", results[i][63:32], results[i][31:0]);
        $fclose(save_file);
    endtask

    // What channel `at` of this kind does with an entry of another: it goes on.
    function automatic logic skips(input logic [31:0] at, input logic [2:0] kind, input logic [2:0] found);
        return at < limit_q && kind != found;
    endfunction

    // Whether an access is not answered yet.
    function automatic logic left_over(input logic [2:0] kind, input logic [31:0] at);
        return (kind == WRITE && b_at <= at) || (kind == READ && r_at <= at);
    endfunction

    task automatic forget(input logic [31:0] from);
        aw_at <= from;
        w_at  <= from;
        b_at  <= from;
        ar_at <= from;
        r_at  <= from;
        c_at  <= from;
        limit_q  <= from;
        aw_q     <= 1'b0;
        w_q      <= 1'b0;
        ar_q     <= 1'b0;
        aw_gap   <= 4'd0;
        w_gap    <= 4'd0;
        b_gap    <= 4'd0;
        ar_gap   <= 4'd0;
        r_gap    <= 4'd0;
        c_gap    <= 32'd0;
        b_seen_q <= 1'b0;
        r_seen_q <= 1'b0;
        waited_q <= 32'd0;
    endtask

    always @(posedge aclk) begin
        if (!start) begin
            running_q <= 1'b0;
            done_q    <= 1'b0;
        end else if (!running_q) begin
            load;
            running_q <= 1'b1;
            forget(32'd0);
        end else if (!done_q && (head == total || dead_q)) begin
            save(dead_q ? end_q : head);
            done_q <= 1'b1;
        end
        if (playing && head < total) begin
            if (limit_q < total && limit_q - head < AHEAD && (next_op[99] || limit_q == head)) limit_q <= limit_q + 32'd1;

            // requests
            if (skips(aw_at, WRITE, aw_op[98:96])) aw_at <= aw_at + 32'd1;
            else if (aw_q) begin
                if (m_axil_awready) begin
                    aw_q   <= 1'b0;
                    aw_at  <= aw_at + 32'd1;
                    aw_gap <= 4'd0;
                end
            end else if (aw_at < limit_q) begin
                if (aw_gap == aw_op[107:104]) aw_q <= 1'b1;
                else aw_gap <= aw_gap + 4'd1;
            end
            if (skips(w_at, WRITE, w_op[98:96])) w_at <= w_at + 32'd1;
            else if (w_q) begin
                if (m_axil_wready) begin
                    w_q   <= 1'b0;
                    w_at  <= w_at + 32'd1;
                    w_gap <= 4'd0;
                end
            end else if (w_at < limit_q) begin
                if (w_gap == w_op[111:108]) w_q <= 1'b1;
                else w_gap <= w_gap + 4'd1;
            end
            if (skips(ar_at, READ, ar_op[98:96])) ar_at <= ar_at + 32'd1;
            else if (ar_q) begin
                if (m_axil_arready) begin
                    ar_q   <= 1'b0;
                    ar_at  <= ar_at + 32'd1;
                    ar_gap <= 4'd0;
                end
            end else if (ar_at < limit_q) begin
                if (ar_gap == ar_op[119:116]) ar_q <= 1'b1;
                else ar_gap <= ar_gap + 4'd1;
            end

            // answers
            if (skips(b_at, WRITE, b_op[98:96])) b_at <= b_at + 32'd1;
            else if (b_end) begin
                b_at  <= b_at + 32'd1;
                b_gap <= 4'd0;
                results[b_at] <= ^m_axil_bresp === 1'bx ? {UNKNOWN, 32'd0} : {30'd0, m_axil_bresp, 32'd0};
            end else if (b_due && m_axil_bvalid) b_gap <= b_gap + 4'd1;
            if (skips(r_at, READ, r_op[98:96])) r_at <= r_at + 32'd1;
            else if (r_end) begin
                r_at  <= r_at + 32'd1;
                r_gap <= 4'd0;
                results[r_at] <= ^m_axil_rresp === 1'bx || (m_axil_rresp == 2'd0 && (^m_axil_rdata === 1'bx || above !== '0))
                    ? {UNKNOWN, 32'd0} : {30'd0, m_axil_rresp, m_axil_rdata[31:0]};
            end else if (r_due && m_axil_rvalid) r_gap <= r_gap + 4'd1;
            b_seen_q <= b_due && m_axil_bvalid && !m_axil_bready;
            r_seen_q <= r_due && m_axil_rvalid && !m_axil_rready;
            b_was_q  <= m_axil_bresp;
            r_was_q  <= {m_axil_rresp, m_axil_rdata};

            if (strict && b_end && m_axil_bresp !== 2'd0) begin
                dead_q <= 1'b1;
                end_q  <= b_at + 32'd1;
            end
            if (strict && r_end && m_axil_rresp !== 2'd0) begin
                dead_q <= 1'b1;
                end_q  <= r_at + 32'd1;
            end

            // what is no access
            if (c_at < limit_q) begin
                c_gap <= c_gap + 32'd1;
                if (c_kind == FAULT) begin
                    fault    <= c_op[7:0];
                    fault_at <= c_op[31:8];
                end
                if (c_kind == RESET) pin <= c_gap >= c_op[31:0];
                if (c_kind < PAUSE || c_gap >= c_op[31:0]) begin
                    c_at  <= c_at + 32'd1;
                    c_gap <= 32'd0;
                end
                if (c_kind == RESET && c_gap == 32'd0) begin
                    for (int i = 0; i < AHEAD; i++)
                        if (head + i < c_at && left_over(ops[head+i][98:96], head + i)) results[head+i] <= {CUT, 32'd0};
                    forget(c_at);
                    limit_q <= c_at + 32'd1;
                    c_gap   <= 32'd1;
                end
            end

            // what ends it
            last_q   <= head;
            waited_q <= head != last_q || c_gap != 32'd0 ? 32'd0 : waited_q + 32'd1;
            if (pin && (b_bad || r_bad)) begin
                dead_q        <= 1'b1;
                end_q         <= head + 32'd1;
                results[head] <= {BROKEN, 32'd0};
            end else if (waited_q == TIMEOUT) begin
                dead_q        <= 1'b1;
                end_q         <= head + 32'd1;
                results[head] <= {LATE, 32'd0};
            end
        end
        if (dead_q) begin
            aw_q <= aw_q && !m_axil_awready;
            w_q  <= w_q && !m_axil_wready;
            ar_q <= ar_q && !m_axil_arready;
        end
        if (!aresetn) begin
            running_q <= 1'b0;
            done_q    <= 1'b0;
            dead_q    <= 1'b0;
            fault     <= 8'd0;
            fault_at  <= 24'd0;
            pin       <= 1'b1;
            last_q    <= 32'd0;
            forget(32'd0);
        end
    end
endmodule

`default_nettype wire
