// SPDX-License-Identifier: BSD-3-Clause
//
// Source, sink and AXI-Lite master of the reference partitions' own bench. Each works through a $readmemh file.
// STALL is the chance in 256 that a cycle is skipped.
`default_nettype none

module bench_source #(
    parameter int DATA_W = 8,
    parameter int WORDS  = 1,  // in the file
    parameter int FIRST  = 1,  // sent before go
    parameter int STALL  = 0,
    parameter int SEED   = 1,
    parameter     FILE   = ""
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire              go,
    output wire [DATA_W-1:0] tdata,
    output wire              tvalid,
    input  wire              tready
);
    logic [DATA_W-1:0] memory [0:WORDS-1];
    logic [DATA_W-1:0] data_q;
    logic              valid_q;
    logic [31:0]       lfsr_q;
    int                index_q;

    assign tdata  = data_q;
    assign tvalid = valid_q;

    initial $readmemh(FILE, memory);

    always @(posedge clk) begin
        lfsr_q <= {lfsr_q[30:0], lfsr_q[31] ^ lfsr_q[21] ^ lfsr_q[1] ^ lfsr_q[0]};
        if (!valid_q || tready) begin
            valid_q <= 1'b0;
            data_q  <= 'x;
            if (index_q < (go ? WORDS : FIRST) && $signed({24'd0, lfsr_q[7:0]}) >= STALL) begin
                valid_q <= 1'b1;
                data_q  <= memory[index_q];
                index_q <= index_q + 1;
            end
        end
        if (!rst_n) begin
            lfsr_q  <= SEED;
            valid_q <= 1'b0;
            index_q <= 0;
        end
    end
endmodule

module bench_sink #(
    parameter int DATA_W = 8,
    parameter int WORDS  = 1,
    parameter int STALL  = 0,
    parameter int SEED   = 1,
    parameter     FILE   = ""
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire [DATA_W-1:0] tdata,
    input  wire              tvalid,
    output wire              tready,
    output int               count,
    output int               errors,
    output int               cycles  // from the first word to the last
);
    logic [DATA_W-1:0] memory [0:WORDS-1];
    logic [DATA_W-1:0] held_q;
    logic              ready_q, waiting_q;
    logic [31:0]       lfsr_q;
    int                age_q;

    assign tready = ready_q;

    initial $readmemh(FILE, memory);

    always @(posedge clk) begin
        lfsr_q    <= {lfsr_q[30:0], lfsr_q[31] ^ lfsr_q[21] ^ lfsr_q[1] ^ lfsr_q[0]};
        ready_q   <= $signed({24'd0, lfsr_q[7:0]}) >= STALL;
        waiting_q <= tvalid && !tready;
        held_q    <= tdata;
        if (count != 0) age_q <= age_q + 1;
        if (rst_n && waiting_q && (tvalid !== 1'b1 || tdata !== held_q)) begin
            $display("%m: word %0d changed or fell while it waited", count);
            errors <= errors + 1;
        end
        if (tvalid !== 1'b0 && tready) begin
            if (count >= WORDS || tdata !== memory[count]) begin
                $display("%m: word %0d is %h", count, tdata);
                errors <= errors + 1;
            end
            count  <= count + 1;
            cycles <= age_q;
        end
        if (!rst_n) begin
            lfsr_q    <= SEED;
            ready_q   <= 1'b0;
            waiting_q <= 1'b0;
            count     <= 0;
            errors    <= 0;
            cycles    <= 0;
            age_q     <= 1;
        end
    end
endmodule

// A line of the file: 8 bits of command (1 write, 2 read and compare), 32 of byte address, 32 of data.
module bench_lite #(
    parameter int ADDR_W = 2,
    parameter int LINES  = 1,
    parameter int SEED   = 1,
    parameter     FILE   = ""
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire              go,
    output logic             done,
    output int               errors,

    output logic [ADDR_W-1:0] awaddr,
    output logic              awvalid,
    input  wire               awready,
    output logic [31:0]       wdata,
    output logic              wvalid,
    input  wire               wready,
    input  wire  [1:0]        bresp,
    input  wire               bvalid,
    output logic              bready,
    output logic [ADDR_W-1:0] araddr,
    output logic              arvalid,
    input  wire               arready,
    input  wire  [31:0]       rdata,
    input  wire  [1:0]        rresp,
    input  wire               rvalid,
    output logic              rready
);
    logic [71:0] memory [0:LINES-1];
    logic [71:0] line;
    logic [31:0] lfsr_q;
    logic        busy_q, aw_due_q, w_due_q;
    int          index_q;

    initial $readmemh(FILE, memory);
    assign line = memory[index_q < LINES ? index_q : 0];

    always @(posedge clk) begin
        lfsr_q <= {lfsr_q[30:0], lfsr_q[31] ^ lfsr_q[21] ^ lfsr_q[1] ^ lfsr_q[0]};
        bready <= lfsr_q[4];
        rready <= lfsr_q[5];
        if (awvalid && awready) awvalid <= 1'b0;
        if (wvalid && wready)   wvalid  <= 1'b0;
        if (arvalid && arready) arvalid <= 1'b0;
        // Address and data of a write start independently, in either order.
        if (aw_due_q && lfsr_q[0]) begin
            awvalid  <= 1'b1;
            aw_due_q <= 1'b0;
        end
        if (w_due_q && lfsr_q[3]) begin
            wvalid  <= 1'b1;
            w_due_q <= 1'b0;
        end
        if (go && !busy_q && !done) begin
            if (index_q == LINES) done <= 1'b1;
            else begin
                busy_q <= 1'b1;
                if (line[71:64] == 8'd1) begin
                    aw_due_q <= 1'b1;
                    w_due_q  <= 1'b1;
                    awaddr   <= line[32 +: ADDR_W];
                    wdata    <= line[31:0];
                end else begin
                    arvalid <= 1'b1;
                    araddr  <= line[32 +: ADDR_W];
                end
            end
        end
        if ((bvalid && bready) || (rvalid && rready)) begin
            busy_q  <= 1'b0;
            index_q <= index_q + 1;
            if (bvalid ? bresp !== 2'b00 : (rresp !== 2'b00 || rdata !== line[31:0])) begin
                $display("%m: line %0d (%h) was answered %h", index_q, line, rdata);
                errors <= errors + 1;
            end
        end
        if (!rst_n) begin
            lfsr_q   <= SEED;
            busy_q   <= 1'b0;
            aw_due_q <= 1'b0;
            w_due_q  <= 1'b0;
            awvalid  <= 1'b0;
            wvalid   <= 1'b0;
            arvalid  <= 1'b0;
            done     <= 1'b0;
            errors   <= 0;
            index_q  <= 0;
        end
    end
endmodule

`default_nettype wire
