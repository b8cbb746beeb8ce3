// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_vnx_check - vnx_check under the four shapes of bench_traffic, behind it a queue for a sink that stalls.
//
// Packets are of 1 byte to 8 beats and not of this protocol, so each must be counted as bad.
`default_nettype none

module traffic_vnx_check #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 512, DEST_W = 16, MOST_BEATS = 256
);
    localparam int BYTES = DATA_W / 8;
    localparam int W     = DATA_W + BYTES + 1;
    localparam int DEPTH = 32;

    wire              aclk, aresetn, closing, s_tlast, s_tvalid, s_tready, m_tready, received, bad;
    wire              check_last, check_user, check_valid;
    wire [DATA_W-1:0] s_tdata, check_data;
    wire [BYTES-1:0]  s_tkeep, check_keep;
    wire [DEST_W-1:0] check_dest;
    logic [W-1:0]     queue [0:DEPTH-1];
    int               in, out, under_way, seen, frames;

    // What is under way inside the block has a place in the queue.
    wire         open = in - out + under_way < DEPTH - 1;
    wire [W-1:0] beat = queue[out % DEPTH];

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W), .UNIT(8), .UNITS_MIN(1), .UNITS_MAX(8 * BYTES),
        .KEEP_IN(8), .KEEP_OUT(8), .LATENCY(-1), .STEADY(0)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(frames),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(open && s_tready),
        .m_axis_tdata(beat[DATA_W-1:0]), .m_axis_tkeep(beat[W-2:DATA_W]), .m_axis_tlast(beat[W-1]),
        .m_axis_tvalid(in != out), .m_axis_tready(m_tready)
    );

    vnx_check #(.DATA_W(DATA_W), .DEST_W(DEST_W), .MOST_BEATS(MOST_BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tdest(DEST_W'(7)), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid && open), .s_axis_tready(s_tready),
        .m_axis_tdata(check_data), .m_axis_tkeep(check_keep), .m_axis_tdest(check_dest), .m_axis_tlast(check_last),
        .m_axis_tuser(check_user), .m_axis_tvalid(check_valid), .received(received), .bad(bad)
    );

    initial begin
        in = 0; out = 0; under_way = 0; seen = 0;
    end
    always @(posedge aclk) begin
        if (received || check_user) $fatal(1, "a packet of noise is taken for ours (%m)");
        if (check_valid && check_dest !== DEST_W'(7)) $fatal(1, "tdest is %h (%m)", check_dest);
        under_way = under_way + int'(s_tvalid && open && aresetn) - int'(check_valid);
        if (m_tready && in != out) out <= out + 1;
        if (check_valid) begin
            queue[in % DEPTH] <= {check_last, check_keep, check_data};
            in <= in + 1;
        end
        if (bad) seen = seen + 1;
        if (!aresetn) begin
            in  <= 0;
            out <= 0;
            under_way = 0;
        end
    end
    always @(negedge closing) begin
        if (seen != frames) $fatal(1, "bad for %0d of %0d packets (%m)", seen, frames);
        seen = 0;
    end
endmodule

`default_nettype wire
