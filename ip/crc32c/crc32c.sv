// SPDX-License-Identifier: BSD-3-Clause
//
// crc32c - CRC-32C (Castagnoli, RFC 3720) of packets, a whole beat per cycle.
//
// Byte 0 of a beat is data[7:0]; a packet is whole beats. The remainder begins with ones and is handed out inverted and
// reflected, so crc[7:0] is the byte that RFC 3720 sends first: 32 bytes of zeros make 0x8A9136AA.
//
// A beat multiplies the remainder by x**DATA_W, which would be 32 parities of about 16 bits in one cycle. But squaring
// maps sums to sums and products to products, modulo the polynomial too, and 31 times it is the identity, since the
// polynomial is (x + 1) times an irreducible one of degree 31. So the block keeps the DATA_W-th root of the remainder, for
// which a beat is a multiplication by x: a shift. The root of a bit of the beat is a constant like the bit itself, and the
// power of the result is taken behind the loop, in two steps.
//
// A bit of the root is the parity of about half of the bits of a beat. All four bits of a group have theirs from 15
// parities, each of those bits of the beat that go to the same ones of the four: half the logic of 32 trees.
//
// Throughput  one beat per cycle, no bubble between packets
// Latency     4 cycles from the beat with `last` to crc_valid
// Paths       every output is a flop, every input goes to flops
// Resources   1260 LUT and 324 FF with DATA_W 512
//
// Parameters: DATA_W  bits of a beat, a power of two, 32 to 512
// Checked by: test_crc32c.py
`default_nettype none

module crc32c #(
    parameter int DATA_W = 512
) (
    input  wire               aclk,
    input  wire               aresetn,

    input  wire  [DATA_W-1:0] data,
    input  wire               last,
    input  wire               valid,

    output logic [31:0]       crc,
    output logic              crc_valid
);

    generate
        if (DATA_W < 32 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : g_check_data_w
            DATA_W_must_be_a_power_of_two_from_32_to_512 parameter_error();
        end
    endgenerate

    localparam int GROUP  = 4;
    localparam int GROUPS = 32 / GROUP;
    localparam int CASES  = 1 << GROUP;

    // ---- polynomials modulo that of the checksum; bit 31 - k stands for x**k

    localparam logic [31:0] POLYNOMIAL = 32'h82F63B78;
    localparam logic [31:0] X          = 32'h40000000;

    // x to the power of 2**times. (Icarus 11 wants a constant function without calls.)
    function automatic logic [31:0] squared(input int times);
        logic [31:0] a, power, sum;
        a = X;
        for (int i = 0; i < times; i++) begin
            power = a;
            sum   = 32'd0;
            for (int k = 31; k >= 0; k--) begin
                if (a[k]) sum = sum ^ power;
                power = (power >> 1) ^ (power[0] ? POLYNOMIAL : 32'd0);
            end
            a = sum;
        end
        squared = a;
    endfunction

    // Powers of a polynomial, 32 bits each: the first one at the top.
    function automatic logic [32*(DATA_W+32)-1:0] powers(input logic [31:0] a, input int count);
        logic [31:0] term, power, sum;
        powers = (32*(DATA_W+32))'(1'b0);
        term   = 32'h80000000;
        for (int i = 0; i < count; i++) begin
            powers[32*(DATA_W+31-i) +: 32] = term;
            power = a;
            sum   = 32'd0;
            for (int k = 31; k >= 0; k--) begin
                if (term[k]) sum = sum ^ power;
                power = (power >> 1) ^ (power[0] ? POLYNOMIAL : 32'd0);
            end
            term = sum;
        end
    endfunction

    localparam logic [31:0] ROOT  = squared(31 - $clog2(DATA_W));  // of x
    localparam logic [31:0] POWER = squared($clog2(DATA_W));

    // Roots of the bits of a beat, that of bit j at 32*j, and of the ones that a packet begins with.
    localparam logic [32*(DATA_W+32)-1:0] ROOTS = powers(ROOT, DATA_W + 32);
    localparam logic [32*(DATA_W+32)-1:0] BACK  = powers(POWER, 32);

    function automatic logic [31:0] ones();
        ones = 32'd0;
        for (int j = DATA_W; j < DATA_W + 32; j++) ones = ones ^ ROOTS[32*j +: 32];
    endfunction
    localparam logic [31:0] ONES = ones();

    // Those bits of a beat whose roots agree in a group, for each of the 16 cases.
    function automatic logic [CASES*DATA_W-1:0] members(input int group);
        members = (CASES*DATA_W)'(1'b0);
        for (int j = 0; j < DATA_W; j++)
            members[32'(GROUP'(ROOTS[32*j +: 32] >> (GROUP * group))) * DATA_W + j] = 1'b1;
    endfunction

    // Those cases that have bit i of a group.
    function automatic logic [CASES-1:0] cases(input int i);
        for (int k = 0; k < CASES; k++) cases[k] = 1'(k >> i);
    endfunction

    // Those bits of a group of the root whose powers have bit i.
    function automatic logic [GROUP-1:0] taps(input int i, input int group);
        for (int k = 0; k < GROUP; k++) taps[k] = BACK[32*(DATA_W + GROUP*group + k) + i];
    endfunction

    // ---- the parities of a beat, then the root of the remainder

    wire  [GROUPS*CASES-1:0] parity;
    logic [31:0]             root_q, whole_q, crc_q;
    wire  [31:0]             root_d, crc_d;
    logic                    valid_q, last_q;
    logic [2:0]              ended_q;

    generate
        for (genvar g = 0; g < GROUPS; g++) begin : g_group
            localparam logic [CASES*DATA_W-1:0] MEMBERS = members(g);
            assign parity[CASES*g] = 1'b0;
            for (genvar k = 1; k < CASES; k++) begin : g_case
                logic parity_q;
                always_ff @(posedge aclk) parity_q <= ^(data & MEMBERS[DATA_W*k +: DATA_W]);
                assign parity[CASES*g + k] = parity_q;
            end
        end
    endgenerate

    wire [31:0] moved = (root_q >> 1) ^ (root_q[0] ? POLYNOMIAL : 32'd0);
    generate
        for (genvar i = 0; i < 32; i++) begin : g_root
            localparam logic [CASES-1:0] HERE = cases(i % GROUP);
            assign root_d[i] = ^{parity[i/GROUP*CASES +: CASES] & HERE, moved[i]};
        end
    endgenerate

    // ---- its power: each bit is a parity of eight parities, one of each group

    wire [GROUPS*CASES-1:0] near;
    generate
        for (genvar g = 0; g < GROUPS; g++) begin : g_near
            assign near[CASES*g] = 1'b0;
            for (genvar k = 1; k < CASES; k++) begin : g_case
                logic near_q;
                always_ff @(posedge aclk) near_q <= ^(whole_q[GROUP*g +: GROUP] & GROUP'(k));
                assign near[CASES*g + k] = near_q;
            end
        end
        for (genvar i = 0; i < 32; i++) begin : g_power
            wire [GROUPS-1:0] chosen;
            for (genvar g = 0; g < GROUPS; g++) begin : g_from
                localparam logic [GROUP-1:0] TAPS = taps(i, g);
                assign chosen[g] = near[CASES*g + 32'(TAPS)];
            end
            assign crc_d[i] = ^chosen;
        end
    endgenerate

    always_ff @(posedge aclk) begin
        valid_q     <= valid;
        last_q      <= last;
        ended_q     <= {ended_q[1:0], valid_q && last_q};
        whole_q     <= root_d;
        crc_q       <= ~crc_d;
        if (valid_q) root_q <= last_q ? ONES : root_d;

        if (!aresetn) begin
            valid_q <= 1'b0;
            ended_q <= '0;
            root_q  <= ONES;
        end
    end

    assign crc       = crc_q;
    assign crc_valid = ended_q[2];

endmodule

`default_nettype wire
