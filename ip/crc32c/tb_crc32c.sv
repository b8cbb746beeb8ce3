// SPDX-License-Identifier: BSD-3-Clause
//
// tb_crc32c - packets of random length, bytes and pauses through crc32c, against a CRC that takes a bit at a time.
//
// The block is parities of bits and nothing else. So a BASIS says it all: packets of one beat with one bit each, and of two
// beats with one bit in the first.
`default_nettype none

module crc32c_case #(
    parameter int DATA_W = 512, BASIS = 0, PACKETS = BASIS != 0 ? 4 + 2 * DATA_W : 60, LONGEST = 5, SEED = 1
) (
    input  wire        aclk,
    output logic       done,
    output int         compared
);
    localparam int BEATS = LONGEST;

    logic              aresetn, last, valid;
    logic [DATA_W-1:0] data;
    wire  [31:0]       crc;
    wire               crc_valid;
    int                seed, packet, left, busy, sent, seen;
    logic [31:0]       remainder;
    logic [31:0]       expected [0:PACKETS-1];
    int                due [0:PACKETS-1];
    int                cycle;

    crc32c #(.DATA_W(DATA_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .data(data), .last(last), .valid(valid), .crc(crc), .crc_valid(crc_valid)
    );

    function automatic logic [31:0] stepped(input logic [31:0] old, input logic [DATA_W-1:0] beat);
        stepped = old;
        for (int j = 0; j < DATA_W; j++)
            stepped = (stepped >> 1) ^ (stepped[0] != beat[j] ? 32'h82F63B78 : 32'd0);
    endfunction

    // The first packets are RFC 3720's: 32 bytes of zeros, of ones, ascending and descending, as far as a beat holds them.
    function automatic logic [DATA_W-1:0] word(input int number);
        if (BASIS != 0 && number >= 4)
            word = number >= 4 + DATA_W && left == 1 ? '0 : DATA_W'(1) << ((number - 4) % DATA_W);
        else for (int k = 0; k < DATA_W / 8; k++)
            case (number)
                0:       word[8*k +: 8] = 8'h00;
                1:       word[8*k +: 8] = 8'hFF;
                2:       word[8*k +: 8] = 8'(k);
                3:       word[8*k +: 8] = 8'(31 - k);
                default: word[8*k +: 8] = 8'($random(seed));
            endcase
    endfunction

    initial begin
        done = 1'b0; compared = 0; seed = SEED; packet = 0; left = 1; sent = 0; seen = 0; cycle = 0;
        aresetn = 1'b0; valid = 1'b0; last = 1'b0; data = '0; remainder = '1;
    end

    always @(posedge aclk) if (!done) begin
        cycle = cycle + 1;
        if (crc_valid) begin
            if (seen >= sent || crc !== expected[seen])
                $fatal(1, "packet %0d has crc %h, expected %h (%m)", seen, crc, expected[seen]);
            if (cycle != due[seen] + 4) $fatal(1, "packet %0d took %0d cycles (%m)", seen, cycle - due[seen]);
            if (DATA_W == 256 && seen < 4)
                if (crc !== (seen == 0 ? 32'h8A9136AA : seen == 1 ? 32'h62A8AB43 : seen == 2 ? 32'h46DD794E : 32'h113FDB5C))
                    $fatal(1, "packet %0d of RFC 3720 has crc %h (%m)", seen, crc);
            seen = seen + 1;
            compared = compared + 1;
        end
        done <= seen == PACKETS;

        // What was offered counts from the edge that takes it.
        if (valid && aresetn) begin
            remainder = stepped(remainder, data);
            if (last) begin
                expected[sent] = ~remainder;
                due[sent] = cycle;
                sent = sent + 1;
                remainder = '1;
            end
        end
        aresetn <= cycle > 3;
        valid <= 1'b0;
        if (cycle > 3 && packet < PACKETS && (packet > PACKETS / 2 || $random(seed) % 3 != 0)) begin
            valid <= 1'b1;
            data  <= word(packet);
            last  <= left == 1;
            left = left - 1;
            if (left == 0) begin
                packet = packet + 1;
                left = packet < 4 ? 1 : BASIS != 0 ? (packet < 4 + DATA_W ? 1 : 2) : 1 + (($random(seed) >> 4) & 32'h7fff_ffff) % BEATS;
            end
        end
    end
endmodule

module tb_crc32c;
    localparam int N = 5;
    logic         aclk;
    wire  [N-1:0] done;
    wire  [N*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    crc32c_case #(.DATA_W(32),  .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    crc32c_case #(.DATA_W(64), .BASIS(1), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    crc32c_case #(.DATA_W(256), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    crc32c_case #(.DATA_W(512), .PACKETS(14), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    crc32c_case #(.DATA_W(128), .SEED(5), .LONGEST(1)) u_4 (.aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

module tb_crc32c_wide;
    logic        aclk;
    wire         done;
    wire  [31:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(1)) u_end (.aclk(aclk), .done(done), .compared(compared));

    crc32c_case #(.DATA_W(512), .BASIS(1), .SEED(4)) u_0 (.aclk(aclk), .done(done), .compared(compared));
endmodule

`default_nettype wire
