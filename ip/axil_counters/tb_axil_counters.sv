// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_counters - counters and status words of axil_counters against those kept by the bench.
//
// While events happen, what is read lies between the bench's counts when the read was asked and when it was answered; when
// they pause it is exact. `clear` strikes at random: an event in its cycle must be counted. Writes are seen once each.
`default_nettype none

module axil_counters_case #(
    parameter int ADDR_W = 7, WORDS = 1, COUNTERS = 1, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int HALF = 1 << (ADDR_W - 3);

    wire                 clock = aclk && !done;
    logic                aresetn, eager, events, clear;
    logic [WORDS*32-1:0] status;
    logic [COUNTERS-1:0] inc;
    wire                 write;
    wire [ADDR_W-3:0]    write_word;
    wire [31:0]          write_data;
    wire [11:0] a_awaddr, a_araddr;
    wire [2:0] a_awprot, a_arprot;
    wire a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire a_arvalid, a_arready, a_rvalid, a_rready;
    wire [31:0] a_wdata, a_rdata;
    wire [3:0] a_wstrb;
    wire [1:0] a_bresp, a_rresp;

    bench_lite_master #(.LIMIT(90 + 4 * COUNTERS), .SEED(SEED)) u_master (
        .aclk(clock), .aresetn(aresetn), .eager(eager),
        .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid),
        .m_axil_awready(a_awready), .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb),
        .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready), .m_axil_bresp(a_bresp),
        .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready), .m_axil_araddr(a_araddr),
        .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
        .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid),
        .m_axil_rready(a_rready)
    );
    axil_counters #(.ADDR_W(ADDR_W), .WORDS(WORDS), .COUNTERS(COUNTERS)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axil_awaddr(a_awaddr[ADDR_W-1:0]), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
        .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
        .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
        .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready),
        .s_axil_araddr(a_araddr[ADDR_W-1:0]), .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid),
        .s_axil_arready(a_arready), .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp),
        .s_axil_rvalid(a_rvalid), .s_axil_rready(a_rready),
        .status(status), .inc(inc), .clear(clear), .write(write), .write_word(write_word), .write_data(write_data)
    );

    logic [63:0] dice;
    int          counts [0:COUNTERS-1];
    int          writes, rate, total;
    logic [31:0] seen_data;
    int          seen_word;
    initial begin
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15 + 64'd1;
        inc = '0; clear = 1'b0; writes = 0; total = 0;
        for (int k = 0; k < COUNTERS; k++) counts[k] = 0;
    end
    // Inputs change at the falling edge; what they are at the rising edge counts.
    always @(negedge clock) begin
        dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {17'd0, dice[63:17]};
        inc  = '0;
        for (int k = 0; k < COUNTERS; k++)
            inc[k] = events && (rate == 0 || (rate == 1 && dice[k % 61]) || (rate == 2 && dice[9:0] == 10'(k)));
        clear = events && dice[52:44] == 9'd9;
    end
    always @(posedge clock) begin
        if (!aresetn || clear) for (int k = 0; k < COUNTERS; k++) counts[k] = 0;
        for (int k = 0; k < COUNTERS; k++) if (aresetn && inc[k]) counts[k] = counts[k] + 1;
        if (aresetn && inc[0]) total = total + 1;
        if (write) begin
            writes    = writes + 1;
            seen_word = int'(write_word);
            seen_data = write_data;
        end
    end

    int          at, least, most, places;
    logic        cleared;
    logic [31:0] word, data;
    logic [3:0]  strb;
    logic [1:0]  resp, w_resp;
    always @(posedge clock) if (clear) cleared = 1'b1;

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; eager = 1'b1; events = 1'b0; rate = 0; cleared = 1'b0;
        for (int k = 0; k < WORDS; k++) status[32*k +: 32] = 32'h9E3779B1 * 32'(k + SEED);
        places = 2;
        while (places < COUNTERS) places = places * 2;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        for (int n = 0; n < 600; n++) begin
            eager  = n % 50 < 25;
            events = n % 100 < 80;
            rate   = n / 100 % 3;
            if (n % 100 == 80) repeat (3 * places + 4) @(negedge clock);
            @(negedge clock);
            // Half of the reads are of counters that exist.
            at = int'(dice[20:4]) % (2 * HALF);
            if (dice[21]) at = HALF + int'(dice[20:4]) % COUNTERS;
            cleared = 1'b0;
            least = at >= HALF && at - HALF < COUNTERS ? counts[at-HALF] : 0;
            u_master.read(12'(4 * at), word, resp);
            most = at >= HALF && at - HALF < COUNTERS ? counts[at-HALF] : 0;
            if (resp != 2'b00) $fatal(1, "read of %0d answered %b (%m)", at, resp);
            if (at < WORDS) begin
                if (word !== status[at*32 +: 32]) $fatal(1, "status word %0d reads %h (%m)", at, word);
            end else if (at < HALF || at >= HALF + COUNTERS) begin
                if (word !== 32'd0) $fatal(1, "word %0d reads %h (%m)", at, word);
            end else begin
                // What waits for a visit when the read is asked may be missing, if a clear comes between.
                if (!cleared && (int'(word) < least || int'(word) > most))
                    $fatal(1, "counter %0d reads %0d, not %0d to %0d (%m)", at - HALF, word, least, most);
                if ((^word) === 1'bx || int'(word) < 0) $fatal(1, "counter %0d reads %h (%m)", at - HALF, word);
                if (!events && int'(word) != counts[at-HALF])
                    $fatal(1, "counter %0d reads %0d, not %0d (%m)", at - HALF, word, counts[at-HALF]);
            end
            compared = compared + 1;
            if (n % 5 == 0) begin
                at   = int'(dice[30:14]) % (2 * HALF);
                data = dice[63:32];
                strb = dice[3:0];
                u_master.write(12'(4 * at), data, strb, w_resp);
                for (int k = 0; k < 4; k++) if (!strb[k]) data[8*k +: 8] = 8'd0;
                if (w_resp != 2'b00 || writes != n / 5 + 1 || seen_word != at || seen_data !== data)
                    $fatal(1, "write %h of %0d: %0d writes, %h of %0d (%m)", data, at, writes, seen_data, seen_word);
                compared = compared + 1;
            end
            for (int k = 0; k < WORDS; k++) if (n % WORDS == k) status[32*k +: 32] = dice[40:9];
        end
        events = 1'b0;
        repeat (3 * places + 4) @(negedge clock);
        if (total < 500) $fatal(1, "counter 0 has seen %0d events (%m)", total);
        aresetn = 1'b0;
        repeat (2) @(negedge clock);
        aresetn = 1'b1;
        for (int k = 0; k < COUNTERS && k < 20; k++) begin
            u_master.read(12'(4 * (HALF + k)), word, resp);
            if (word !== 32'd0) $fatal(1, "after reset counter %0d is %0d (%m)", k, word);
        end
        done = 1'b1;
    end
endmodule

module tb_axil_counters;
    localparam int N = 6;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axil_counters_case #(.ADDR_W(4), .WORDS(1), .COUNTERS(1), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[0*32 +: 32]));
    axil_counters_case #(.ADDR_W(4), .WORDS(2), .COUNTERS(2), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[1*32 +: 32]));
    axil_counters_case #(.ADDR_W(5), .WORDS(3), .COUNTERS(3), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[2*32 +: 32]));
    axil_counters_case #(.ADDR_W(7), .WORDS(16), .COUNTERS(14), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[3*32 +: 32]));
    axil_counters_case #(.ADDR_W(7), .WORDS(5), .COUNTERS(16), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[4*32 +: 32]));
    axil_counters_case #(.ADDR_W(8), .WORDS(1), .COUNTERS(17), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[5*32 +: 32]));
endmodule

`default_nettype wire
