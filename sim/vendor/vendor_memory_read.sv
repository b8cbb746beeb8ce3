// SPDX-License-Identifier: BSD-3-Clause
//
// vendor_memory_read - simulation only: the registers between an XPM memory and its output.
//
// Parameters: WIDTH    bits
//             LATENCY  registers; the first follows en, the last of several follows regce
`default_nettype none

module vendor_memory_read #(
    parameter int WIDTH = 32,
    parameter int LATENCY = 2
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             en,
    input  wire             regce,
    input  wire [WIDTH-1:0] word,
    output wire [WIDTH-1:0] dout
);
    generate
        if (LATENCY == 0) begin : g_now
            assign dout = word;
            wire unused = &{1'b0, clk, rst, en, regce};
        end else if (LATENCY == 1) begin : g_one
            reg [WIDTH-1:0] first;
            initial first = 0;
            always @(posedge clk)
                if (rst) first <= 0;
                else if (en) first <= word;
            assign dout = first;
            wire unused = &{1'b0, regce};
        end else begin : g_several
            reg [WIDTH-1:0] first, last;
            wire [WIDTH-1:0] next;
            initial {first, last} = 0;
            always @(posedge clk) begin
                if (en) first <= word;
                if (rst) last <= 0;
                else if (regce) last <= next;
            end
            if (LATENCY == 2) begin : g_two
                assign next = first;
            end else begin : g_more
                vendor_sync #(.WIDTH(WIDTH), .STAGES(LATENCY - 2)) u_row (.clk(clk), .d(first), .q(next));
            end
            assign dout = last;
        end
    endgenerate
endmodule

`default_nettype wire
