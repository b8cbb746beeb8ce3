// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_receiver - the short bench of vnx_receiver: frames of three packets. tools/blocks/bench has its parts.
`default_nettype none

module tb_vnx_receiver;
    logic       aclk;
    wire        done;
    wire [31:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end u_end (.aclk(aclk), .done(done), .compared(compared));

    bench_vnx_receiver_case #(
        .FRAME_BYTES(550), .PACKET_BEATS(4), .SLOTS(4), .ACK_EVERY(2), .ACK_CYCLES(32), .FRAMES(18), .STRIKES(8), .SEED(1)
    ) u_0 (
        .aclk(aclk), .done(done), .compared(compared)
    );
endmodule

`default_nettype wire
