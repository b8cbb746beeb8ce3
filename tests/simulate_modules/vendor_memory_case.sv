// SPDX-License-Identifier: BSD-3-Clause
//
// memory_case - for vendor_bench.sv: one random stream of accesses into every memory macro, against an array.
// verilator lint_off DECLFILENAME
// verilator lint_off PINCONNECTEMPTY
`default_nettype none

module memory_case #(
    parameter int LATENCY = 1,
    parameter MODE = "read_first"
) (
    input  wire clk,
    output reg  done
);
    // verilator lint_off WIDTHEXPAND
    localparam bit THROUGH = MODE == "write_first";
    localparam bit KEPT = MODE == "no_change";
    // verilator lint_on WIDTHEXPAND
    localparam int LATE = 3;  // longer than any latency here
    reg [31:0] noise, steps;
    reg en, rst;
    reg [1:0] we;
    reg [3:0] addr, other;
    reg [15:0] din;
    wire [15:0] single, simple, true_a, true_b, dist_a, dist_b, rom, rom_a, rom_b;

    xpm_memory_spram #(
        .ADDR_WIDTH_A(4), .BYTE_WRITE_WIDTH_A(8), .MEMORY_SIZE(256), .READ_DATA_WIDTH_A(16),
        .READ_LATENCY_A(LATENCY), .WRITE_DATA_WIDTH_A(16), .WRITE_MODE_A(MODE)
    ) u_single (
        .sleep(1'b0), .clka(clk), .rsta(rst), .ena(en), .regcea(1'b1), .wea(we), .addra(addr), .dina(din),
        .injectsbiterra(1'b0), .injectdbiterra(1'b0), .douta(single), .sbiterra(), .dbiterra()
    );
    xpm_memory_sdpram #(
        .ADDR_WIDTH_A(4), .ADDR_WIDTH_B(4), .BYTE_WRITE_WIDTH_A(8), .MEMORY_SIZE(256), .READ_DATA_WIDTH_B(16),
        .READ_LATENCY_B(LATENCY), .WRITE_DATA_WIDTH_A(16)
    ) u_simple (
        .sleep(1'b0), .clka(clk), .ena(en), .wea(we), .addra(addr), .dina(din), .injectsbiterra(1'b0),
        .injectdbiterra(1'b0), .clkb(clk), .rstb(rst), .enb(1'b1), .regceb(1'b1), .addrb(other),
        .doutb(simple), .sbiterrb(), .dbiterrb()
    );
    xpm_memory_tdpram #(
        .ADDR_WIDTH_A(4), .ADDR_WIDTH_B(4), .BYTE_WRITE_WIDTH_A(8), .BYTE_WRITE_WIDTH_B(16), .MEMORY_SIZE(256),
        .READ_DATA_WIDTH_A(16), .READ_DATA_WIDTH_B(16), .READ_LATENCY_A(LATENCY), .READ_LATENCY_B(LATENCY),
        .WRITE_DATA_WIDTH_A(16), .WRITE_DATA_WIDTH_B(16), .WRITE_MODE_A(MODE), .WRITE_MODE_B("read_first")
    ) u_true (
        .sleep(1'b0), .clka(clk), .rsta(rst), .ena(en), .regcea(1'b1), .wea(we), .addra(addr), .dina(din),
        .injectsbiterra(1'b0), .injectdbiterra(1'b0), .douta(true_a), .sbiterra(), .dbiterra(),
        .clkb(clk), .rstb(rst), .enb(1'b1), .regceb(1'b1), .web(1'b0), .addrb(other), .dinb(16'd0),
        .injectsbiterrb(1'b0), .injectdbiterrb(1'b0), .doutb(true_b), .sbiterrb(), .dbiterrb()
    );
    xpm_memory_dpdistram #(
        .ADDR_WIDTH_A(4), .ADDR_WIDTH_B(4), .BYTE_WRITE_WIDTH_A(8), .MEMORY_SIZE(256), .READ_DATA_WIDTH_A(16),
        .READ_DATA_WIDTH_B(16), .READ_LATENCY_A(LATENCY), .READ_LATENCY_B(0), .WRITE_DATA_WIDTH_A(16)
    ) u_dist (
        .clka(clk), .rsta(rst), .ena(en), .regcea(1'b1), .wea(we), .addra(addr), .dina(din), .douta(dist_a),
        .clkb(clk), .rstb(rst), .enb(1'b1), .regceb(1'b1), .addrb(other), .doutb(dist_b)
    );
    xpm_memory_sprom #(
        .ADDR_WIDTH_A(4), .MEMORY_INIT_FILE("rom.mem"), .MEMORY_SIZE(256), .READ_DATA_WIDTH_A(16),
        .READ_LATENCY_A(LATENCY)
    ) u_rom (
        .sleep(1'b0), .clka(clk), .rsta(rst), .ena(1'b1), .regcea(1'b1), .addra(other), .injectsbiterra(1'b0),
        .injectdbiterra(1'b0), .douta(rom), .sbiterra(), .dbiterra()
    );
    xpm_memory_dprom #(
        .ADDR_WIDTH_A(4), .ADDR_WIDTH_B(4), .MEMORY_INIT_FILE("rom.mem"), .MEMORY_SIZE(256),
        .READ_DATA_WIDTH_A(16), .READ_DATA_WIDTH_B(16), .READ_LATENCY_A(LATENCY), .READ_LATENCY_B(LATENCY)
    ) u_roms (
        .sleep(1'b0), .clka(clk), .rsta(rst), .ena(1'b1), .regcea(1'b1), .addra(other), .injectsbiterra(1'b0),
        .injectdbiterra(1'b0), .douta(rom_a), .sbiterra(), .dbiterra(), .clkb(clk), .rstb(rst), .enb(1'b1),
        .regceb(1'b1), .addrb(addr), .injectsbiterrb(1'b0), .injectdbiterrb(1'b0), .doutb(rom_b), .sbiterrb(),
        .dbiterrb()
    );

    // What each must give: by the port that writes, by one that only reads, and of the ROM.
    reg [15:0] model[0:15];
    reg [15:0] wanted_a[0:LATE], wanted_first[0:LATE], wanted_b[0:LATE], wanted_rom[0:LATE], wanted_other[0:LATE];
    reg known[0:LATE];
    wire [15:0] old = model[addr];
    wire [15:0] written = {we[1] ? din[15:8] : old[15:8], we[0] ? din[7:0] : old[7:0]};
    function automatic [15:0] rom_at(input [3:0] at);
        rom_at = {8'hA0, 4'd0, at};
    endfunction
    integer k;
    always @(posedge clk) begin
        noise <= noise * 32'd1664525 + 32'd1013904223;
        steps <= steps + 1;
        {en, we, addr, other, din} <= {noise[31:30] != 0, noise[29:28], noise[27:20], noise[27:12]};
        rst <= steps < 8;
        if (en) model[addr] <= written;
        if (en && !(KEPT && we != 0)) wanted_a[1] <= THROUGH ? written : old;
        if (en) wanted_first[1] <= old;
        wanted_b[1] <= model[other];
        wanted_rom[1] <= rom_at(other);
        wanted_other[1] <= rom_at(addr);
        known[1] <= steps > 40;
        for (k = 2; k <= LATE; k = k + 1) begin
            wanted_a[k] <= wanted_a[k-1];
            wanted_first[k] <= wanted_first[k-1];
            wanted_b[k] <= wanted_b[k-1];
            wanted_rom[k] <= wanted_rom[k-1];
            wanted_other[k] <= wanted_other[k-1];
            known[k] <= known[k-1];
        end
        if (known[LATE]) begin
            if (single !== wanted_a[LATENCY]) $error("%m: spram gives %h", single);
            if (simple !== wanted_b[LATENCY]) $error("%m: sdpram gives %h", simple);
            if (true_a !== wanted_a[LATENCY]) $error("%m: tdpram port A gives %h", true_a);
            if (true_b !== wanted_b[LATENCY]) $error("%m: tdpram port B gives %h", true_b);
            if (dist_a !== wanted_first[LATENCY]) $error("%m: dpdistram port A gives %h", dist_a);
            if (dist_b !== model[other]) $error("%m: dpdistram port B gives %h", dist_b);
            if (rom !== wanted_rom[LATENCY]) $error("%m: sprom gives %h", rom);
            if (rom_a !== wanted_rom[LATENCY]) $error("%m: dprom port A gives %h", rom_a);
            if (rom_b !== wanted_other[LATENCY]) $error("%m: dprom port B gives %h", rom_b);
        end
        if (steps == 2000) done <= 1'b1;
    end
    initial begin
        {noise, steps, en, we, addr, other, din} = 0;
        {done, rst} = 2'b01;
        for (k = 0; k < 16; k = k + 1) model[k] = 16'd0;
        for (k = 0; k <= LATE; k = k + 1) known[k] = 1'b0;
    end
endmodule

`default_nettype wire
