// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_sender - the short bench of vnx_sender: frames of one, two and three packets. tools/blocks/bench has its parts.
`default_nettype none

module tb_vnx_sender;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(2000000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    bench_vnx_sender_case #(.FRAME_BYTES(32), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[0*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(321), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(30), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[1*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(3000), .PACKET_BEATS(23), .SLOTS(8), .FRAMES(10), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[2*32 +: 32]));
endmodule

`default_nettype wire
