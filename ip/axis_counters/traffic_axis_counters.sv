// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_counters - axis_counters on a stream from source to sink, under the four shapes of bench_traffic.
//
// Snapshots and clears come at random, sometimes together and in neighbouring cycles. What a snapshot must show is
// taken from counts that are never cleared.
`default_nettype none

module traffic_axis_counters #(
    parameter int SET = 0, TRAFFIC = 1000, COUNT_W = 64, PART_W = 16
);
    wire         aclk, aresetn, closing, tlast, tvalid, tready;
    wire [7:0]   tdata;
    logic        snapshot, clear;
    wire [COUNT_W-1:0] beats, frames, stalled, starved, cycles;

    bench_traffic #(.SET(SET), .BEATS(TRAFFIC), .IN_W(8), .LATENCY(1)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(),
        .s_axis_tdata(tdata), .s_axis_tkeep(), .s_axis_tlast(tlast), .s_axis_tvalid(tvalid), .s_axis_tready(tready),
        .m_axis_tdata(tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(tlast), .m_axis_tvalid(tvalid), .m_axis_tready(tready)
    );

    axis_counters #(.COUNT_W(COUNT_W), .PART_W(PART_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .axis_tvalid(tvalid), .axis_tready(tready), .axis_tlast(tlast),
        .snapshot(snapshot), .clear(clear),
        .beats(beats), .frames(frames), .stalled(stalled), .starved(starved), .cycles(cycles)
    );

    // b, f, s, t, c: since reset; *_old: without the cycle that ends; *_base: at the last clear
    int          b, f, s, t, c, b_old, f_old, s_old, t_old, c_old, b_base, f_base, s_base, t_base, c_base;
    int          b_want, f_want, s_want, t_want, c_want, seen;
    logic        check, up;
    logic [31:0] dice;
    initial begin
        dice = 32'd1; snapshot = 1'b0; clear = 1'b0; seen = 0;
        restart;
    end
    task restart;
        b = 0; f = 0; s = 0; t = 0; c = 0; b_old = 0; f_old = 0; s_old = 0; t_old = 0; c_old = 0;
        b_base = 0; f_base = 0; s_base = 0; t_base = 0; c_base = 0; check = 1'b0;
    endtask
    always @(posedge aclk) begin
        if (check) begin
            seen = seen + 1;
            if (beats !== COUNT_W'(b_want) || frames !== COUNT_W'(f_want) || stalled !== COUNT_W'(s_want)
                || starved !== COUNT_W'(t_want) || cycles !== COUNT_W'(c_want))
                $fatal(1, "%0d %0d %0d %0d %0d, expected %0d %0d %0d %0d %0d (%m)", beats, frames, stalled, starved,
                       cycles, b_want, f_want, s_want, t_want, c_want);
        end
        check = snapshot && aresetn;
        if (snapshot) begin
            b_want = b_old - b_base; f_want = f_old - f_base; s_want = s_old - s_base; t_want = t_old - t_base;
            c_want = c_old - c_base;
        end
        if (clear) begin
            b_base = b_old; f_base = f_old; s_base = s_old; t_base = t_old; c_base = c_old;
        end
        b_old = b; f_old = f; s_old = s; t_old = t; c_old = c;
        c = c + 1;
        if (tvalid && tready) begin
            b = b + 1;
            if (tlast) f = f + 1;
        end else if (tvalid) s = s + 1;
        else if (tready) t = t + 1;
        dice = dice * 32'd1664525 + 32'd1013904223;
        snapshot <= dice[31:28] == 4'd0;
        clear    <= dice[29:24] == 6'd0;
        if (!aresetn) restart;
    end
    always @(negedge closing) begin
        if (seen < TRAFFIC / 32) $fatal(1, "only %0d snapshots (%m)", seen);
        seen = 0;
    end
endmodule

`default_nettype wire
