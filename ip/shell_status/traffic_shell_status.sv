// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_shell_status - shell_status under the four shapes of bench_traffic_lite, events at all streams meanwhile.
//
// Constants and SCRATCH are compared to the bit, counters with what the bench has counted between two cycles before
// the request and the answer, and exactly once the events have stopped. Shape 0 reads and writes at once, to measure;
// in the others there is one access at a time, so that it is known what SCRATCH holds.
`default_nettype none

module traffic_shell_status #(
    parameter int          SET = 0, TRAFFIC = 1000,
    parameter logic [63:0] BUILD_ID = 64'h0123456789ABCDEF,
    parameter int          N_RX = 1, N_TX = 1
);
    localparam int PLACES = 1021;
    localparam int N      = N_RX + N_TX;
    localparam int R      = N_RX > 0 ? N_RX : 1;
    int           cycle, answers, r_last, w_head, r_head, latency, first, last;
    wire          aclk, aresetn, closing, ended, done, got_b, got_r;
    wire [1:0]    shape;
    wire [2:0]    source_go;
    wire [1:0]    sink_go;
    wire [11:0]   awaddr, araddr;
    wire [2:0]    awprot, arprot;
    wire [31:0]   wdata, rdata, r_got;
    wire [3:0]    wstrb;
    wire [1:0]    bresp, rresp;
    wire          awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    logic [N-1:0] beat, stall, frame_done;
    logic [R-1:0] error_short, error_long, error_keep;

    bench_traffic_control #(.N(3), .M(2), .LIMIT(60 * TRAFFIC + 20000)) u_control (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(done), .late(bvalid || rvalid), .closing(closing), .ended(ended)
    );
    bench_traffic_lite #(.COUNT(TRAFFIC), .COMPARE(0)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .serial(shape != 2'd0),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready),
        .done(done), .got_b(got_b), .got_r(got_r), .r_last(r_last), .r_got(r_got), .answers(answers),
        .w_head(w_head), .r_head(r_head), .latency(latency), .first(first), .last(last)
    );
    shell_status #(.BUILD_ID(BUILD_ID), .N_RX(N_RX), .N_TX(N_TX)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .beat(beat), .stall(stall), .frame_done(frame_done),
        .error_short(error_short), .error_long(error_long), .error_keep(error_keep),
        .passed('0), .marked('0),
        .frames_per_transfer(), .reset_start(), .reset_hold(), .reset_busy(1'b0), .restart(1'b0)
    );

    // ---- tables: half of the accesses to SCRATCH and the constants, half to the registers of a stream
    logic [31:0] dice;
    task roll;
        dice = dice * 32'd1664525 + 32'd1013904223;
    endtask
    initial begin
        dice = 32'd7;
        for (int i = 0; i < PLACES; i++) begin
            roll;
            // CONTROL and ERRORS are not written: what they do is for tb_shell_status.
            u_bench.w_addr[i] = dice[31] ? 12'h01C : dice[30] ? 12'h100 + 12'(dice[29:26] * 4) : 12'h000;
            u_bench.w_strb[i] = dice[25:22];
            // Frames of a transfer are for tb_shell_status too.
            if (u_bench.w_addr[i] >= 12'h100 && u_bench.w_addr[i][4:2] == 3'd5) u_bench.w_addr[i] = 12'h100;
            u_bench.w_resp[i] = 2'b00;
            roll;
            u_bench.w_data[i] = dice ^ 32'(i);
            roll;
            u_bench.r_addr[i] = dice[31] ? 12'(dice[30:28] * 4)
                                         : 12'h100 + 12'(32 * (int'(dice[27:20]) % N)) + 12'(dice[30:28] * 4);
            u_bench.r_data[i] = '0;
            u_bench.r_resp[i] = 2'b00;
        end
    end

    // ---- events: in stretches of 256 cycles with pauses, a stream at a time so that the bench has little to count
    int          frames [0:N-1];
    int          beats  [0:N-1];
    int          stalls [0:N-1];
    logic [2:0]  flags  [0:N-1];
    int          k, value, most, least, least_q, quiet, exact;
    logic [31:0] scratch, addr, toss;
    logic        asked;
    initial begin
        toss = 32'd3; scratch = '0; asked = 1'b0; least_q = 0; quiet = 0; exact = 0;
        beat = '0; stall = '0; frame_done = '0; error_short = '0; error_long = '0; error_keep = '0;
        restart;
    end
    task restart;
        for (int n = 0; n < N; n++) begin
            frames[n] = 0; beats[n] = 0; stalls[n] = 0; flags[n] = '0;
        end
        scratch = '0;
        asked = 1'b0;
    endtask
    function automatic int counter(input logic [31:0] a);
        case (a[4:2])
            3'd0:    counter = frames[(a - 32'h100) / 32];
            3'd1:    counter = beats[(a - 32'h100) / 32];
            3'd3:    counter = stalls[(a - 32'h100) / 32];
            default: counter = 0;
        endcase
    endfunction

    always @(posedge aclk) begin
        // ---- answers of the cycle before; the events counted so far are all that the answer can know of
        if (got_r) begin
            addr = 32'(u_bench.r_addr[r_last]);
            if (addr >= 32'h100) begin
                if (addr[4:2] == 3'd5) begin
                    if (r_got !== 32'd1) $fatal(1, "%h holds %h (%m)", addr, r_got);
                end else if (addr[4:2] == 3'd4) begin
                    // Flags come up in the course of a shape and stay.
                    if ((r_got & ~32'(flags[(addr - 32'h100) / 32])) != 0 || (quiet > 4 && r_got != 32'(flags[(addr - 32'h100) / 32])))
                        $fatal(1, "flags at %h: %b, expected %b (%m)", addr, r_got, flags[(addr - 32'h100) / 32]);
                end else begin
                    most  = counter(addr);
                    least = shape == 2'd0 ? 0 : least_q;
                    value = r_got;
                    if (value > most || value < least)
                        $fatal(1, "counter at %h: %0d, counted %0d to %0d (%m)", addr, value, least, most);
                    if (least == most && most != 0) exact = exact + 1;
                end
            end else begin
                case (addr[4:2])
                    3'd0:    value = 32'h5348474E;
                    3'd1:    value = 32'd3;
                    3'd2:    value = BUILD_ID[31:0];
                    3'd3:    value = BUILD_ID[63:32];
                    3'd4:    value = {16'd0, 8'(N_TX), 8'(N_RX)};
                    3'd5: begin
                        value = 0;
                        for (int n = 0; n < N_RX; n++) if (flags[n] != '0) value[n] = 1'b1;
                    end
                    3'd6:    value = 0;
                    default: value = scratch;
                endcase
                if (addr[4:2] == 3'd5 ? (r_got & ~value) != 0 || (quiet > 4 && r_got != value)
                                      : r_got !== value && !(addr[4:2] == 3'd7 && shape == 2'd0))
                    $fatal(1, "read of %h: %h, expected %h (%m)", addr, r_got, value);
            end
        end
        if (got_b) begin
            k = w_head == 0 ? PLACES - 1 : w_head - 1;
            if (u_bench.w_addr[k] == 12'h01C)
                for (int i = 0; i < 4; i++) if (u_bench.w_strb[k][i]) scratch[i*8 +: 8] = u_bench.w_data[k][i*8 +: 8];
        end

        // ---- what a read that is asked now must at least show: all but the events of the last two cycles
        if (arvalid && !asked && shape != 2'd0) begin
            least_q = araddr >= 12'h100 ? counter(32'(araddr)) : 0;
            if (quiet < 4 && least_q > 4) least_q = least_q - 4;
            else if (quiet < 4) least_q = 0;
        end
        asked = arvalid;

        // ---- events of the cycle that ends, then those of the next
        quiet = quiet + 1;
        if ((beat | stall | frame_done) != '0) begin
            quiet = 0;
            for (int n = 0; n < N; n++) begin
                if (beat[n]) beats[n] = beats[n] + 1;
                if (stall[n]) stalls[n] = stalls[n] + 1;
                if (frame_done[n]) frames[n] = frames[n] + 1;
            end
        end
        if ((error_short | error_long | error_keep) != '0) begin
            quiet = 0;
            for (int n = 0; n < N_RX; n++) flags[n] = flags[n] | {error_keep[n], error_long[n], error_short[n]};
        end
        beat <= '0; stall <= '0; frame_done <= '0; error_short <= '0; error_long <= '0; error_keep <= '0;
        if (cycle[8] && !closing && aresetn) begin
            toss = toss * 32'd22695477 + 32'd1;
            k = int'(toss[31:24]) % N;
            beat[k]       <= toss[23];
            stall[k]      <= !toss[23];
            frame_done[k] <= toss[22:21] == 2'd0;
            if (N_RX > 0 && toss[20:10] == 11'd0) begin
                error_short[k % R] <= toss[9];
                error_long[k % R]  <= toss[8];
                error_keep[k % R]  <= toss[7];
            end
        end
        if (!aresetn) restart;
    end
    always @(posedge closing) begin
        if (shape != 2'd0 && exact < TRAFFIC / 64) $fatal(1, "only %0d counters were compared exactly (%m)", exact);
        exact = 0;
    end

    bench_traffic_report #(.SET(SET)) u_report (
        .shape(shape), .closing(closing), .ended(ended), .cycle(cycle), .compared(answers),
        .beats(answers), .rated(answers - 1), .from(first), .till(last), .first_in(0), .first_out(latency)
    );
endmodule

`default_nettype wire
