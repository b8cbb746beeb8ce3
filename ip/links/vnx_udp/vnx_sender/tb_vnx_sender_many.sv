// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_sender_many - the bench of vnx_sender with frames about each boundary of halves, beats and packets.
`default_nettype none

module tb_vnx_sender_many;
    localparam int N = 20;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(2000000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    bench_vnx_sender_case #(.FRAME_BYTES(1), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[0*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(31), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(50), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[1*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(32), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[2*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(33), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[3*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(63), .PACKET_BEATS(23), .SLOTS(8), .FRAMES(50), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[4*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(64), .PACKET_BEATS(2), .SLOTS(16), .FRAMES(50), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[5*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(65), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[6*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(160), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(50), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[7*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(161), .PACKET_BEATS(3), .SLOTS(4), .FRAMES(50), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[8*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(319), .PACKET_BEATS(3), .SLOTS(4), .FRAMES(40), .SEED(10)) u_9 (
        .aclk(aclk), .done(done[9]), .compared(compared[9*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(320), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(40), .SEED(11)) u_10 (
        .aclk(aclk), .done(done[10]), .compared(compared[10*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(321), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(40), .SEED(12)) u_11 (
        .aclk(aclk), .done(done[11]), .compared(compared[11*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(1440), .PACKET_BEATS(23), .SLOTS(8), .FRAMES(40), .SEED(13)) u_12 (
        .aclk(aclk), .done(done[12]), .compared(compared[12*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(1441), .PACKET_BEATS(23), .SLOTS(8), .FRAMES(30), .SEED(14)) u_13 (
        .aclk(aclk), .done(done[13]), .compared(compared[13*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(2000), .PACKET_BEATS(3), .SLOTS(32), .FRAMES(12), .SEED(15)) u_14 (
        .aclk(aclk), .done(done[14]), .compared(compared[14*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(5000), .PACKET_BEATS(23), .SLOTS(16), .FRAMES(12), .SEED(16)) u_15 (
        .aclk(aclk), .done(done[15]), .compared(compared[15*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(8160), .PACKET_BEATS(128), .SLOTS(4), .FRAMES(20), .SEED(17)) u_16 (
        .aclk(aclk), .done(done[16]), .compared(compared[16*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(8161), .PACKET_BEATS(128), .SLOTS(4), .FRAMES(12), .SEED(18)) u_17 (
        .aclk(aclk), .done(done[17]), .compared(compared[17*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(16353), .PACKET_BEATS(256), .SLOTS(4), .FRAMES(10), .SEED(19)) u_18 (
        .aclk(aclk), .done(done[18]), .compared(compared[18*32 +: 32]));
    bench_vnx_sender_case #(.FRAME_BYTES(9000), .PACKET_BEATS(2), .SLOTS(256), .FRAMES(6), .SEED(20)) u_19 (
        .aclk(aclk), .done(done[19]), .compared(compared[19*32 +: 32]));
endmodule

`default_nettype wire
