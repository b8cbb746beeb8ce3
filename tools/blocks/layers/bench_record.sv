// SPDX-License-Identifier: BSD-3-Clause
//
// bench_record - simulation only: takes words, with random stalls or without, and compares them with the bench's.
//
// `done` comes when nothing followed the last word for a while. Where `limit` is not 0 no more cycles than it may pass
// from `began` to the last word.
`default_nettype none

module bench_record (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire  [31:0] first,
    input  wire  [31:0] beats,
    input  wire         stall,
    input  wire  [31:0] limit,
    input  wire  [63:0] tdata,
    input  wire         tvalid,
    output logic        tready,
    input  wire         began,
    output wire         done
);
    logic [31:0] index, idle, cycles, dice;
    logic [63:0] expected;

    assign done = index == beats && idle > 40;

    axis_checker #(.DATA_W(64), .NAME("out")) u_check (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata(tdata), .axis_tvalid(tvalid), .axis_tready(tready)
    );

    initial begin
        index = 0; idle = 0; cycles = 0; tready = 1'b0; dice = 0;
    end

    always @(negedge aclk) begin
        if (dice == 0) dice = (first + 32'd1) * 32'h85EBCA77;
        dice   = {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]};
        tready = !stall || dice[3:0] < 4'd7;
    end

    always @(posedge aclk) begin
        idle = idle + 1;
        if (!aresetn) begin
            index = 0; idle = 0; cycles = 0;
        end else begin
            if (began && index < beats) cycles = cycles + 1;
            if (tvalid && tready) begin
                expected = tb_layers.vectors[16'(first + index)];
                if (index == beats) $fatal(1, "a word too many, %h (%m)", tdata);
                if (tdata !== expected) $fatal(1, "word %0d is %h, expected %h (%m)", index, tdata, expected);
                index = index + 1;
                idle  = 0;
                if (index == beats && limit != 0 && cycles > limit)
                    $fatal(1, "%0d words took %0d cycles, more than %0d (%m)", beats, cycles, limit);
            end
            if (idle > 3000 && index < beats) $fatal(1, "stands still after %0d of %0d words (%m)", index, beats);
        end
    end
endmodule

`default_nettype wire
