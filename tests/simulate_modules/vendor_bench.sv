// SPDX-License-Identifier: BSD-3-Clause
//
// vendor_bench - for tests/test_vendor_models.py: each model of sim/vendor, filled, drained and run at random.
// verilator lint_off DECLFILENAME
// verilator lint_off PINCONNECTEMPTY
// verilator lint_off SYNCASYNCNET
`default_nettype none

module vendor_bench (
    output wire aclk,
    output wire done
);
    wire fast;
    bench_clock #(.HALF_PS(5000)) u_clock (.clk(aclk));
    bench_clock #(.HALF_PS(3700)) u_fast (.clk(fast));
    wire [15:0] all_done;
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
    native_case #(.CAPACITY(16)) u_standard (.wr_clk(aclk), .rd_clk(aclk), .done(all_done[6]));
    native_case #(.CAPACITY(16), .LATENCY(3)) u_late (.wr_clk(aclk), .rd_clk(aclk), .done(all_done[7]));
    native_case #(.CAPACITY(18), .MODE("fwft")) u_falling (.wr_clk(aclk), .rd_clk(aclk), .done(all_done[8]));
    native_case #(.CAPACITY(15), .TWO(1'b1)) u_two (.wr_clk(fast), .rd_clk(aclk), .done(all_done[9]));
    native_case #(.CAPACITY(17), .MODE("fwft"), .TWO(1'b1)) u_two_falling (
        .wr_clk(aclk), .rd_clk(fast), .done(all_done[10])
    );
    memory_case #(.LATENCY(1)) u_memory (.clk(aclk), .done(all_done[12]));
    memory_case #(.LATENCY(2), .MODE("no_change")) u_kept (.clk(aclk), .done(all_done[13]));
    memory_case #(.LATENCY(3), .MODE("write_first")) u_through (.clk(aclk), .done(all_done[14]));
    assign all_done[15] = 1'b1;
    cdc_case u_cdc (.src(aclk), .dest(fast), .done(all_done[11]));
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

// The FIFO macros with wr_en and rd_en: filled beyond full, drained beyond empty, then at random.
module native_case #(
    parameter int CAPACITY = 16,
    parameter MODE = "std",
    parameter int LATENCY = 1,
    parameter bit TWO = 1'b0
) (
    input  wire wr_clk,
    input  wire rd_clk,
    output reg  done
);
    // verilator lint_off WIDTHEXPAND
    localparam bit FALLS = MODE == "fwft";
    // verilator lint_on WIDTHEXPAND
    reg rst, wr_en, rd_en, fill, hold, drain;
    reg [31:0] sent, got, over, under, noise_w, noise_r;
    wire full, empty, valid, overflow, underflow, wr_busy, rd_busy, wr_ack;
    wire prog_full, prog_empty, almost_full, almost_empty;
    wire [15:0] dout;
    wire [4:0] wr_count, rd_count;

    generate
        if (TWO) begin : g_two
            xpm_fifo_async #(
                .CDC_SYNC_STAGES(3), .FIFO_READ_LATENCY(LATENCY), .FIFO_WRITE_DEPTH(16), .PROG_EMPTY_THRESH(5),
                .PROG_FULL_THRESH(11), .RD_DATA_COUNT_WIDTH(5), .READ_DATA_WIDTH(16), .READ_MODE(MODE),
                .USE_ADV_FEATURES("1F1F"), .WRITE_DATA_WIDTH(16), .WR_DATA_COUNT_WIDTH(5)
            ) u_fifo (
                .sleep(1'b0), .rst(rst), .wr_clk(wr_clk), .wr_en(wr_en), .din(sent[15:0]), .full(full),
                .prog_full(prog_full), .wr_data_count(wr_count), .overflow(overflow), .wr_rst_busy(wr_busy),
                .almost_full(almost_full), .wr_ack(wr_ack), .rd_clk(rd_clk), .rd_en(rd_en), .dout(dout),
                .empty(empty), .prog_empty(prog_empty), .rd_data_count(rd_count), .underflow(underflow),
                .rd_rst_busy(rd_busy), .almost_empty(almost_empty), .data_valid(valid),
                .injectsbiterr(1'b0), .injectdbiterr(1'b0), .sbiterr(), .dbiterr()
            );
        end else begin : g_one
            xpm_fifo_sync #(
                .FIFO_READ_LATENCY(LATENCY), .FIFO_WRITE_DEPTH(16), .PROG_EMPTY_THRESH(5), .PROG_FULL_THRESH(11),
                .RD_DATA_COUNT_WIDTH(5), .READ_DATA_WIDTH(16), .READ_MODE(MODE), .USE_ADV_FEATURES("1F1F"),
                .WRITE_DATA_WIDTH(16), .WR_DATA_COUNT_WIDTH(5)
            ) u_fifo (
                .sleep(1'b0), .rst(rst), .wr_clk(wr_clk), .wr_en(wr_en), .din(sent[15:0]), .full(full),
                .prog_full(prog_full), .wr_data_count(wr_count), .overflow(overflow), .wr_rst_busy(wr_busy),
                .almost_full(almost_full), .wr_ack(wr_ack), .rd_en(rd_en), .dout(dout), .empty(empty),
                .prog_empty(prog_empty), .rd_data_count(rd_count), .underflow(underflow),
                .rd_rst_busy(rd_busy), .almost_empty(almost_empty), .data_valid(valid),
                .injectsbiterr(1'b0), .injectdbiterr(1'b0), .sbiterr(), .dbiterr()
            );
        end
    endgenerate

    always @(posedge wr_clk) begin
        if (wr_en && !full && !wr_busy) sent <= sent + 1;
        if (overflow) over <= over + 1;
        noise_w <= noise_w * 32'd22695477 + 32'd1;
        wr_en <= fill || (!hold && sent < 500 && noise_w[31:30] != 0);
    end
    wire take = FALLS ? rd_en && !empty : valid;
    always @(posedge rd_clk) begin
        if (take) begin
            got <= got + 1;
            if (dout !== got[15:0]) $error("%m: word %0d is %h", got, dout);
        end
        if (underflow) under <= under + 1;
        noise_r <= noise_r * 32'd1664525 + 32'd1013904223;
        rd_en <= drain || (!hold && !fill && noise_r[31]);
    end

    task automatic check(input bit right, input [8*20-1:0] what);
        if (!right) $error("%m: %0s: in %0d, out %0d", what, sent, got);
    endtask

    initial begin
        {done, wr_en, rd_en, fill, drain, rst, hold} = 7'b0000011;
        {sent, got, over, under} = 0;
        noise_w = 1;
        noise_r = 2;
        repeat (8) @(posedge wr_clk);
        check(wr_busy && full && empty, "in reset");
        rst = 1'b0;
        while (wr_busy || rd_busy) @(posedge wr_clk);
        repeat (10) @(posedge wr_clk);
        check(!full && empty && over == 0, "after reset");
        fill = 1'b1;
        repeat (60) @(posedge wr_clk);
        check(int'(sent) == CAPACITY && full && over != 0, "capacity");
        check(almost_full && prog_full && !almost_empty && !prog_empty && !empty, "flags when full");
        check(int'(wr_count) == CAPACITY && int'(rd_count) == CAPACITY, "counts when full");
        @(posedge wr_clk) fill = 1'b0;
        repeat (3) @(posedge wr_clk);
        @(posedge rd_clk) drain = 1'b1;
        repeat (80) @(posedge wr_clk);
        check(got == sent && under != 0, "drained");
        check(!almost_full && !prog_full && almost_empty && prog_empty && empty, "flags when empty");
        check(wr_count == 0 && rd_count == 0 && !wr_ack, "counts when empty");
        @(posedge rd_clk) drain = 1'b0;
        repeat (3) @(posedge wr_clk);
        hold = 1'b0;
        while (sent < 500) @(posedge wr_clk);
        repeat (200) @(posedge wr_clk);
        check(got == sent, "all out");
        done = 1'b1;
    end
endmodule

// Levels, resets, counters, pulses and handshakes from one clock to another.
module cdc_case (
    input  wire src,
    input  wire dest,
    output reg  done
);
    reg level, rst, clear, pulse, send, ack;
    reg [7:0] count, data;
    reg [31:0] pulses, starts;
    wire one, rst_sync, rst_async, there, req, rcv;
    wire [2:0] many;
    wire [7:0] seen, got;
    xpm_cdc_single #(.DEST_SYNC_FF(3)) u_one (.src_clk(src), .src_in(level), .dest_clk(dest), .dest_out(one));
    xpm_cdc_array_single #(.WIDTH(3), .SRC_INPUT_REG(0)) u_many (
        .src_clk(1'b0), .src_in({level, !level, level}), .dest_clk(dest), .dest_out(many)
    );
    xpm_cdc_sync_rst u_sync (.src_rst(rst), .dest_clk(dest), .dest_rst(rst_sync));
    xpm_cdc_async_rst #(.RST_ACTIVE_HIGH(1)) u_async (.src_arst(rst), .dest_clk(dest), .dest_arst(rst_async));
    xpm_cdc_gray #(.WIDTH(8)) u_gray (.src_clk(src), .src_in_bin(count), .dest_clk(dest), .dest_out_bin(seen));
    xpm_cdc_pulse u_pulse (
        .src_clk(src), .src_rst(clear), .src_pulse(pulse), .dest_clk(dest), .dest_rst(clear), .dest_pulse(there)
    );
    xpm_cdc_handshake #(.WIDTH(8)) u_hand (
        .src_clk(src), .src_in(data), .src_send(send), .src_rcv(rcv), .dest_clk(dest), .dest_out(got),
        .dest_req(req), .dest_ack(ack)
    );
    always @(posedge dest) begin
        if (there) pulses <= pulses + 1;
        if (req && !ack) begin
            starts <= starts + 1;
            if (got !== data) $error("%m: %h arrived, %h was sent", got, data);
        end
        ack <= req;
    end
    task automatic check(input bit right, input [8*20-1:0] what);
        if (!right) $error("%m: %0s", what);
    endtask
    integer k;
    initial begin
        {done, level, rst, clear, pulse, send, ack, count, data, pulses, starts} = 0;
        {rst, clear} = 2'b11;
        #1ps check(rst_async, "at once");
        repeat (20) @(posedge src);
        check(rst_sync, "reset");
        {rst, clear} = 2'b00;
        #1ps check(rst_async, "not at once");
        repeat (20) @(posedge src);
        check(!rst_sync && !rst_async, "released");
        for (k = 0; k < 5; k = k + 1) begin
            @(posedge src) {level, pulse, send} = {!level, 2'b11};
            count = count + 1;
            data = data + 8'h35;
            @(posedge src) pulse = 1'b0;
            repeat (20) @(posedge src);
            check(rcv, "received");
            send = 1'b0;
            repeat (20) @(posedge src);
            check(one == level && many == {level, !level, level}, "levels");
            check(seen == count, "counter");
            check(!rcv && int'(pulses) == k + 1 && int'(starts) == k + 1, "one each");
        end
        done = 1'b1;
    end
endmodule

`default_nettype wire
