// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_checker - a lawful stream that passes, and with +fault=<n> one breach that must not.
//
//   0 none   1 tvalid falls   2 tdata changes   3 tvalid is X   4 tready is X   5 tdata is X
//   6 aresetn is X   7 tvalid falls when tdata changes too   8 one bit of waiting tdata becomes X
`default_nettype none

module tb_axis_checker;
    logic        aclk, aresetn, tvalid, tready;
    logic [8:0]  tdata;
    logic [31:0] dice;
    int          fault, beats;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end

    axis_checker #(.DATA_W(9), .NAME("bench")) u_check (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata(tdata), .axis_tvalid(tvalid), .axis_tready(tready)
    );

    initial begin
        if (!$value$plusargs("fault=%d", fault)) fault = 0;
        beats = 0;
        dice  = 32'h12345679;
        // Anything goes in reset, a beat that vanishes included.
        aresetn = 1'b0; tvalid = 1'b1; tready = 1'b0; tdata = 9'h1AA;
        repeat (3) @(negedge aclk);
        tdata = 9'h055;
        @(negedge aclk);
        tvalid = 1'b0;
        aresetn = 1'b1;
        for (int n = 0; n < 1000; n++) begin
            @(negedge aclk);
            dice = {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]};
            if (!tvalid || tready) begin
                tvalid = dice[3];
                tdata  = dice[31:23];
            end
            tready = dice[11];
            if (tvalid && tready) beats = beats + 1;
        end
        @(negedge aclk);
        tvalid = 1'b1; tready = 1'b0; tdata = 9'h0F0;
        @(negedge aclk);
        case (fault)
            1: tvalid = 1'b0;
            2: tdata[8] = 1'b1;
            3: tvalid = 1'bx;
            4: tready = 1'bx;
            5: tdata[4] = 1'bx;
            6: aresetn = 1'bx;
            7: begin
                tvalid = 1'b0;
                tdata  = 9'h10F;
            end
            8: tdata[0] = 1'bx;
            default: ;
        endcase
        repeat (2) @(negedge aclk);
        $display("PASS %0d", beats);
        $finish;
    end
endmodule

`default_nettype wire
