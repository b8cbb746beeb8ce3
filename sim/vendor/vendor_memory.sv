// SPDX-License-Identifier: BSD-3-Clause
//
// vendor_memory - simulation only: what the memory macros of Vivado's XPM library have in common.
//
// Two ports on one array, after UG974 (XPM_MEMORY_TDPRAM). A read is late by LATENCY cycles: the memory's own
// register, which follows en, and further ones, of which the last follows regce and rst. LATENCY 0 reads at
// once. A write by one port is seen by the other one cycle later. No error correction, no sleep.
//
// Parameters: WIDTH, DEPTH          of the array
//             LANE_A, LANE_B        bits that one bit of we writes
//             LATENCY_A, LATENCY_B  cycles from address to dout
//             MODE_A, MODE_B        dout in a write: 0 the old word, 1 the new one, 2 as before
//             INIT_FILE             hexadecimal, "none" for zeros
`default_nettype none

module vendor_memory #(
    parameter int WIDTH = 32,
    parameter int DEPTH = 64,
    parameter int ADDR_A = 6,
    parameter int ADDR_B = 6,
    parameter int LANE_A = WIDTH,
    parameter int LANE_B = WIDTH,
    parameter int LATENCY_A = 2,
    parameter int LATENCY_B = 2,
    parameter int MODE_A = 0,
    parameter int MODE_B = 0,
    parameter INIT_FILE = "none"
) (
    input  wire                    clka,
    input  wire                    rsta,
    input  wire                    ena,
    input  wire                    regcea,
    input  wire [WIDTH/LANE_A-1:0] wea,
    input  wire [ADDR_A-1:0]       addra,
    input  wire [WIDTH-1:0]        dina,
    output wire [WIDTH-1:0]        douta,
    input  wire                    clkb,
    input  wire                    rstb,
    input  wire                    enb,
    input  wire                    regceb,
    input  wire [WIDTH/LANE_B-1:0] web,
    input  wire [ADDR_B-1:0]       addrb,
    input  wire [WIDTH-1:0]        dinb,
    output wire [WIDTH-1:0]        doutb
);
    // verilator lint_off MULTIDRIVEN
    reg [WIDTH-1:0] memory[0:DEPTH-1];  // two ports write it, as they do in hardware
    // verilator lint_on MULTIDRIVEN
    // verilator lint_off WIDTHEXPAND
    integer k;
    initial begin
        for (k = 0; k < DEPTH; k = k + 1) memory[k] = {WIDTH{1'b0}};
        if (INIT_FILE != "none" && INIT_FILE != "") $readmemh(INIT_FILE, memory);
    end

    wire [WIDTH-1:0] old_a = memory[addra], old_b = memory[addrb];
    reg [WIDTH-1:0] new_a, new_b;
    always @* begin : merge_a
        integer i;
        new_a = old_a;
        for (i = 0; i < WIDTH / LANE_A; i = i + 1) if (wea[i]) new_a[i*LANE_A +: LANE_A] = dina[i*LANE_A +: LANE_A];
    end
    always @* begin : merge_b
        integer i;
        new_b = old_b;
        for (i = 0; i < WIDTH / LANE_B; i = i + 1) if (web[i]) new_b[i*LANE_B +: LANE_B] = dinb[i*LANE_B +: LANE_B];
    end
    always @(posedge clka) if (ena && wea != 0) memory[addra] <= new_a;
    always @(posedge clkb) if (enb && web != 0) memory[addrb] <= new_b;
    // verilator lint_on WIDTHEXPAND

    vendor_memory_read #(.WIDTH(WIDTH), .LATENCY(LATENCY_A)) u_a (
        .clk(clka), .rst(rsta), .en(ena && (MODE_A != 2 || wea == 0)), .regce(regcea),
        .word(MODE_A == 1 ? new_a : old_a), .dout(douta)
    );
    vendor_memory_read #(.WIDTH(WIDTH), .LATENCY(LATENCY_B)) u_b (
        .clk(clkb), .rst(rstb), .en(enb && (MODE_B != 2 || web == 0)), .regce(regceb),
        .word(MODE_B == 1 ? new_b : old_b), .dout(doutb)
    );
endmodule

`default_nettype wire
