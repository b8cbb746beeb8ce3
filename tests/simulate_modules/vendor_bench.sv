// SPDX-License-Identifier: BSD-3-Clause
//
// vendor_bench - for tests/test_vendor_models.py: each model of sim/vendor, filled, drained and run at random.
// verilator lint_off DECLFILENAME
// verilator lint_off PINCONNECTEMPTY
`default_nettype none

module vendor_bench (
    output wire aclk,
    output wire done
);
    wire fast;
    bench_clock #(.HALF_PS(5000)) u_clock (.clk(aclk));
    bench_clock #(.HALF_PS(3700)) u_fast (.clk(fast));
    wire [7:0] all_done;
    assign done = &all_done;

    axis_case #(.CAPACITY(18)) u_common (.s_clk(aclk), .m_clk(aclk), .done(all_done[0]));
    axis_case #(.CAPACITY(17), .MODE("independent_clock")) u_apart (
        .s_clk(aclk), .m_clk(fast), .done(all_done[1])
    );
    axis_case #(.CAPACITY(17), .MODE("independent_clock")) u_faster (
        .s_clk(fast), .m_clk(aclk), .done(all_done[2])
    );
    axis_case #(.CAPACITY(34), .DEPTH(32), .PACKETS("true")) u_packets (
        .s_clk(aclk), .m_clk(aclk), .done(all_done[3])
    );
    axis_case #(.CAPACITY(33), .DEPTH(32), .PACKETS("true"), .MODE("independent_clock")) u_packets_apart (
        .s_clk(fast), .m_clk(aclk), .done(all_done[4])
    );
    axis_case #(.CAPACITY(18), .FEATURES("1000")) u_plain (.s_clk(aclk), .m_clk(aclk), .done(all_done[5]));
    assign all_done[7:6] = 2'b11;
endmodule

// Words are numbers that count up, spread over all fields.
module axis_case #(
    parameter int CAPACITY = 18,
    parameter int DEPTH = 16,
    parameter MODE = "common_clock",
    parameter PACKETS = "false",
    parameter FEATURES = "1E0E"
) (
    input  wire s_clk,
    input  wire m_clk,
    output reg  done
);
    localparam bit IN_PACKETS = PACKETS == "true";
    localparam bit FLAGS = FEATURES == "1E0E";
    localparam int COUNT_W = $clog2(DEPTH) + 1;
    localparam int MANY = 600;

    reg rst_n, s_valid, m_ready, fill, drain;
    reg [31:0] sent, got, noise_s, noise_m, quiet;
    wire s_ready, m_valid, m_last, prog_full, prog_empty, almost_full, almost_empty;
    wire [15:0] m_data;
    wire [1:0] m_strb, m_keep;
    wire [2:0] m_id, m_dest;
    wire [4:0] m_user;
    wire [COUNT_W-1:0] wr_count, rd_count;
    // A packet of nine words; the fill is one endless packet, so that it must come out without its end.
    wire s_last = !fill && sent % 9 == 8;

    xpm_fifo_axis #(
        .CLOCKING_MODE(MODE),
        .FIFO_DEPTH(DEPTH),
        .PACKET_FIFO(PACKETS),
        .PROG_EMPTY_THRESH(5),
        .PROG_FULL_THRESH(11),
        .RD_DATA_COUNT_WIDTH(COUNT_W),
        .TDATA_WIDTH(16),
        .TDEST_WIDTH(3),
        .TID_WIDTH(3),
        .TUSER_WIDTH(5),
        .USE_ADV_FEATURES(FEATURES),
        .WR_DATA_COUNT_WIDTH(COUNT_W)
    ) u_fifo (
        .s_aresetn(rst_n),
        .s_aclk(s_clk),
        .m_aclk(m_clk),
        .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready),
        .s_axis_tdata(sent[15:0]),
        .s_axis_tstrb(sent[1:0]),
        .s_axis_tkeep(~sent[1:0]),
        .s_axis_tlast(s_last),
        .s_axis_tid(sent[2:0]),
        .s_axis_tdest(sent[4:2]),
        .s_axis_tuser(sent[5:1]),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready),
        .m_axis_tdata(m_data),
        .m_axis_tstrb(m_strb),
        .m_axis_tkeep(m_keep),
        .m_axis_tlast(m_last),
        .m_axis_tid(m_id),
        .m_axis_tdest(m_dest),
        .m_axis_tuser(m_user),
        .prog_full_axis(prog_full),
        .wr_data_count_axis(wr_count),
        .almost_full_axis(almost_full),
        .prog_empty_axis(prog_empty),
        .rd_data_count_axis(rd_count),
        .almost_empty_axis(almost_empty),
        .injectsbiterr_axis(1'b0),
        .injectdbiterr_axis(1'b0),
        .sbiterr_axis(),
        .dbiterr_axis()
    );

    wire [31:0] w = got;
    always @(posedge m_clk) begin
        if (m_valid && m_ready) begin
            got <= got + 1;
            if (m_data !== w[15:0] || m_strb !== w[1:0] || m_keep !== ~w[1:0] || m_id !== w[2:0]
                || m_dest !== w[4:2] || m_user !== w[5:1])
                $error("%m: word %0d is %h", got, m_data);
            if (!drain && m_last !== (w % 9 == 8)) $error("%m: TLAST of word %0d is %b", got, m_last);
        end
        noise_m <= noise_m * 32'd1664525 + 32'd1013904223;
        m_ready <= drain || (!fill && noise_m[31:30] != 0);
        // AXI: what is offered stays.
        if (waiting && (!m_valid || m_data !== held)) $error("%m: an offer was withdrawn");
        waiting <= m_valid && !m_ready;
        held <= m_data;
        // Nothing of a packet whose end is not in, unless the FIFO is full.
        if (IN_PACKETS && !fill && !drain && m_valid && sent / 9 <= got / 9 && sent - got < CAPACITY - 6)
            $error("%m: word %0d of a packet that has not ended, %0d are in", got, sent);
    end
    reg waiting;
    reg [15:0] held;

    always @(posedge s_clk) begin
        if (s_valid && s_ready) sent <= sent + 1;
        noise_s <= noise_s * 32'd22695477 + 32'd1;
        s_valid <= fill || (!drain && sent < MANY - 1 && noise_s[31:30] != 0);
        quiet <= (s_valid && s_ready) || (m_valid && m_ready) ? 0 : quiet + 1;
    end

    task automatic check(input bit right, input [8*20-1:0] what);
        if (!right) $error("%m: %0s: in %0d, out %0d", what, sent, got);
    endtask

    initial begin
        {done, rst_n, fill, drain, s_valid, m_ready, waiting} = 0;
        {sent, got, quiet} = 0;
        noise_s = 1;
        noise_m = 2;
        repeat (8) @(posedge s_clk);
        check(!s_ready && !m_valid, "in reset");
        rst_n = 1'b1;
        fill = 1'b1;
        repeat (DEPTH + 60) @(posedge s_clk);
        check(int'(sent) == CAPACITY, "capacity");
        check(m_valid, "full and silent");
        if (FLAGS) begin
            check(almost_full && prog_full && !almost_empty && !prog_empty, "flags when full");
            check(int'(wr_count) == CAPACITY && int'(rd_count) == CAPACITY, "counts when full");
        end
        @(posedge s_clk) {fill, drain} = 2'b01;
        repeat (2 * DEPTH + 60) @(posedge s_clk);
        check(got == sent, "drained");
        check(s_ready && !m_valid, "empty");
        if (FLAGS) begin
            check(!almost_full && !prog_full && almost_empty && prog_empty, "flags when empty");
            check(wr_count == 0 && rd_count == 0, "counts when empty");
        end else begin
            check(!almost_full && !prog_full && !almost_empty && !prog_empty, "flags that are off");
        end
        // Afresh, or the packets would begin in the middle.
        @(posedge s_clk) rst_n = 1'b0;
        repeat (8) @(posedge s_clk);
        {sent, got} = 0;
        drain = 1'b0;
        rst_n = 1'b1;
        while (quiet < 100 || sent < MANY - 1) @(posedge s_clk);
        check(IN_PACKETS ? int'(got) == MANY - MANY % 9 - (MANY % 9 == 0 ? 9 : 0) : got == sent, "all out");
        done = 1'b1;
    end
endmodule

`default_nettype wire
