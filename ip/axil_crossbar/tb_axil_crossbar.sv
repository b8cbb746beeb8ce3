// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_crossbar - reads and writes at the same time, holes, slaves that hang on each channel and recover.
//
// Every slave is a memory that checks the address it gets and that no valid falls and no payload changes,
// so a crossbar that disturbs a dead slave is caught. Writes go to the upper half of each memory and are
// read back later; the reads beside them go to the lower half.
`default_nettype none

module axil_crossbar_case #(
    parameter int                  N = 1, ADDR_W = 16, DATA_W = 32, ACCESSES = 150, SEED = 1,
    parameter logic [N*ADDR_W-1:0] BASES      = '0,
    parameter logic [N*8-1:0]      SIZES_LOG2 = '0,
    parameter logic [ADDR_W-1:0]   HOLE       = '0,
    parameter bit                  HOLES      = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int TIMEOUT = 40;
    localparam int WORDS   = 16;
    localparam int LSB     = $clog2(DATA_W / 8);
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    wire          clock = aclk && !done;
    logic         aresetn, eager;
    logic [4:0]   hang [0:N-1];
    wire [ADDR_W-1:0] a_awaddr, a_araddr;
    wire [2:0] a_awprot, a_arprot;
    wire a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire a_arvalid, a_arready, a_rvalid, a_rready;
    wire [DATA_W-1:0] a_wdata, a_rdata;
    wire [DATA_W/8-1:0] a_wstrb;
    wire [1:0] a_bresp, a_rresp;
    wire [N*ADDR_W-1:0] b_awaddr, b_araddr;
    wire [N*3-1:0] b_awprot, b_arprot;
    wire [N-1:0] b_awvalid, b_awready, b_wvalid, b_wready, b_bvalid, b_bready;
    wire [N-1:0] b_arvalid, b_arready, b_rvalid, b_rready;
    wire [N*DATA_W-1:0] b_wdata, b_rdata;
    wire [N*DATA_W/8-1:0] b_wstrb;
    wire [N*2-1:0] b_bresp, b_rresp;

    bench_lite_master #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .LIMIT(TIMEOUT + 40), .SEED(SEED)) u_master (
            .aclk(clock), .aresetn(aresetn), .eager(eager),
            .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid),
            .m_axil_awready(a_awready), .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb),
            .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready), .m_axil_bresp(a_bresp),
            .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready), .m_axil_araddr(a_araddr),
            .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
            .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid),
            .m_axil_rready(a_rready)
    );
    axil_crossbar #(
        .N(N), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES), .SIZES_LOG2(SIZES_LOG2), .TIMEOUT(TIMEOUT)
    ) u_dut (
            .aclk(clock), .aresetn(aresetn),
            .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
            .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
            .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
            .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready), .s_axil_araddr(a_araddr),
            .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
            .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid),
            .s_axil_rready(a_rready),
            .m_axil_awaddr(b_awaddr), .m_axil_awprot(b_awprot), .m_axil_awvalid(b_awvalid),
            .m_axil_awready(b_awready), .m_axil_wdata(b_wdata), .m_axil_wstrb(b_wstrb),
            .m_axil_wvalid(b_wvalid), .m_axil_wready(b_wready), .m_axil_bresp(b_bresp),
            .m_axil_bvalid(b_bvalid), .m_axil_bready(b_bready), .m_axil_araddr(b_araddr),
            .m_axil_arprot(b_arprot), .m_axil_arvalid(b_arvalid), .m_axil_arready(b_arready),
            .m_axil_rdata(b_rdata), .m_axil_rresp(b_rresp), .m_axil_rvalid(b_rvalid),
            .m_axil_rready(b_rready)
    );
    for (genvar k = 0; k < N; k++) begin : g_slave
        bench_lite_slave #(.ADDR_W(ADDR_W), .DATA_W(DATA_W)) u_slave (
            .aclk(clock), .aresetn(aresetn), .eager(eager), .hang(hang[k]),
            .base(BASES[k*ADDR_W +: ADDR_W]), .mask((ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1)),
            .seed(32'(SEED * 100 + k)),
            .s_axil_awaddr(b_awaddr[k*ADDR_W +: ADDR_W]), .s_axil_awprot(b_awprot[k*3 +: 3]), .s_axil_awvalid(b_awvalid[k]),
            .s_axil_awready(b_awready[k]), .s_axil_wdata(b_wdata[k*DATA_W +: DATA_W]), .s_axil_wstrb(b_wstrb[k*DATA_W/8 +: DATA_W/8]),
            .s_axil_wvalid(b_wvalid[k]), .s_axil_wready(b_wready[k]), .s_axil_bresp(b_bresp[k*2 +: 2]),
            .s_axil_bvalid(b_bvalid[k]), .s_axil_bready(b_bready[k]), .s_axil_araddr(b_araddr[k*ADDR_W +: ADDR_W]),
            .s_axil_arprot(b_arprot[k*3 +: 3]), .s_axil_arvalid(b_arvalid[k]), .s_axil_arready(b_arready[k]),
            .s_axil_rdata(b_rdata[k*DATA_W +: DATA_W]), .s_axil_rresp(b_rresp[k*2 +: 2]), .s_axil_rvalid(b_rvalid[k]),
            .s_axil_rready(b_rready[k])
        );
    end

    function automatic logic [DATA_W-1:0] first(input int k, input int w);
        first = {DATA_W/32{(32'(w) * 32'h9E3779B1) ^ (32'(SEED * 100 + k) * 32'h85EBCA77) ^ 32'h5BD1E995}};
    endfunction

    // The byte address of word w of slave k, in a random repetition of its memory within the window.
    function automatic logic [ADDR_W-1:0] place(input int k, input int w, input logic [31:0] r);
        logic [ADDR_W-1:0] span;
        span = (ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1);
        place  = BASES[k*ADDR_W +: ADDR_W] | ((ADDR_W'(r) << (LSB + 4)) & span) | ADDR_W'(w << LSB);
    endfunction

    logic [DATA_W-1:0]   model [0:N*WORDS-1];
    logic [DATA_W-1:0]   got, data;
    logic [DATA_W/8-1:0] strb;
    logic [1:0]          w_resp, r_resp;
    int                  wk, ww, rk, rw, other;
    logic                writer_done, reader_done, running;

    task check_write(input int k, input int w, input logic [1:0] expected);
        data = {DATA_W/32{u_master.dice}};
        strb = u_master.dice[20 +: DATA_W/8];
        u_master.write(place(k, w, u_master.dice), data, strb, w_resp);
        if (w_resp !== expected) $fatal(1, "write to slave %0d: %b instead of %b (%m)", k, w_resp, expected);
        if (expected == OKAY)
            for (int i = 0; i < DATA_W / 8; i++) if (strb[i]) model[k*WORDS+w][i*8 +: 8] = data[i*8 +: 8];
        compared = compared + 1;
    endtask

    task check_read(input int k, input int w, input logic [1:0] expected);
        u_master.read(place(k, w, u_master.dice), got, r_resp);
        if (r_resp !== expected) $fatal(1, "read of slave %0d: %b instead of %b (%m)", k, r_resp, expected);
        if (got !== (expected == OKAY ? model[k*WORDS+w] : '0))
            $fatal(1, "read of slave %0d word %0d: %h instead of %h (%m)", k, w, got, model[k*WORDS+w]);
        compared = compared + 1;
    endtask

    // ---- random traffic: two processes that never touch the same word
    initial begin
        writer_done = 1'b0;
        wait (running);
        @(negedge clock);
        for (int n = 0; n < ACCESSES; n++) begin
            if (HOLES && n % 8 == 7) begin
                u_master.write(HOLE, '1, '1, w_resp);
                if (w_resp !== DECERR) $fatal(1, "write to a hole: %b (%m)", w_resp);
            end else begin
                wk = int'(u_master.dice[30:24]) % N;
                ww = 8 + int'(u_master.dice[18:16]);
                check_write(wk, ww, OKAY);
            end
        end
        writer_done = 1'b1;
    end
    initial begin
        reader_done = 1'b0;
        wait (running);
        @(negedge clock);
        for (int n = 0; n < ACCESSES; n++) begin
            if (HOLES && n % 8 == 3) begin
                u_master.read(HOLE, got, r_resp);
                if (r_resp !== DECERR || got !== '0) $fatal(1, "read of a hole: %b %h (%m)", r_resp, got);
            end else begin
                rk = int'(u_master.dice[29:23]) % N;
                rw = int'(u_master.dice[15:13]);
                check_read(rk, rw, OKAY);
            end
        end
        reader_done = 1'b1;
    end

    task dead_slave(input int k, input int channel);
        other = (k + 1) % N;
        hang[k] = 5'd1 << channel;
        repeat (2) @(negedge clock);
        if (channel < 3) begin
            check_write(k, 9, SLVERR);
            if (u_master.cycles_w < TIMEOUT || u_master.cycles_w > TIMEOUT + 20)
                $fatal(1, "timeout after %0d cycles (%m)", u_master.cycles_w);
            check_write(k, 10, SLVERR);
            if (u_master.cycles_w > 12) $fatal(1, "a dead slave costs %0d cycles (%m)", u_master.cycles_w);
            check_read(k, 3, OKAY);  // reads of it live on
        end else begin
            check_read(k, 4, SLVERR);
            if (u_master.cycles_r < TIMEOUT || u_master.cycles_r > TIMEOUT + 20)
                $fatal(1, "timeout after %0d cycles (%m)", u_master.cycles_r);
            check_read(k, 5, SLVERR);
            if (u_master.cycles_r > 12) $fatal(1, "a dead slave costs %0d cycles (%m)", u_master.cycles_r);
            check_write(k, 12, OKAY);
        end
        if (N > 1) begin
            for (int n = 0; n < 4; n++) begin
                check_write(other, 8 + n, OKAY);
                check_read(other, 8 + n, OKAY);
            end
        end
        // It wakes up; its late answer must reach nobody, not even an access to another slave in flight.
        if (N > 1) begin
            hang[other] = 5'b10100;
            fork
                if (channel < 3) check_write(other, 11, OKAY);
                else check_read(other, 1, OKAY);
                begin
                    repeat (10) @(negedge clock);
                    hang[k] = '0;
                    repeat (15) @(negedge clock);
                    if (u_master.w_served == u_master.w_asked && u_master.r_served == u_master.r_asked)
                        $fatal(1, "the late answer of slave %0d went to an access of slave %0d (%m)", k, other);
                    hang[other] = '0;
                end
            join
        end
        hang[k] = '0;
        repeat (40) @(negedge clock);
        // The timed-out write did happen in the end: take over what it left behind.
        if (channel < 3) begin
            u_master.read(place(k, 9, 0), got, r_resp);
            model[k*WORDS+9] = got;
        end
        for (int n = 0; n < 4; n++) begin
            check_write(k, 8 + n, OKAY);
            check_read(k, 6 + n, OKAY);
        end
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; eager = 1'b0; running = 1'b0;
        for (int k = 0; k < N; k++) begin
            hang[k] = '0;
            for (int w = 0; w < WORDS; w++) model[k*WORDS+w] = first(k, w);
        end
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        running = 1'b1;
        wait (writer_done && reader_done);
        @(negedge clock);
        for (int k = 0; k < N; k++)
            for (int w = 0; w < WORDS; w++) check_read(k, w, OKAY);
        for (int channel = 0; channel < 5; channel++) begin
            dead_slave(0, channel);
            dead_slave(N - 1, channel);
            eager = channel[0];
        end
        // Reset gives a slave that would never answer back to the living.
        hang[0] = 5'b11111;
        check_read(0, 1, SLVERR);
        check_write(0, 8, SLVERR);
        aresetn = 1'b0;
        hang[0] = '0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        eager = 1'b1;
        repeat (3) @(negedge clock);
        check_read(0, 1, OKAY);
        // Rate: the memory answers in the cycle after the one in which it accepts.
        repeat (20) check_read(N - 1, 2, OKAY);
        if (u_master.cycles_r != 5) $fatal(1, "a read takes %0d cycles (%m)", u_master.cycles_r);
        check_write(0, 9, OKAY);
        if (u_master.cycles_w != 5) $fatal(1, "a write takes %0d cycles (%m)", u_master.cycles_w);
        done = 1'b1;
    end
endmodule

module tb_axil_crossbar;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // one window over everything
    axil_crossbar_case #(
        .N(1), .BASES(16'h0), .SIZES_LOG2(8'd16), .HOLES(0), .SEED(1)
    ) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    // windows of several sizes, in no order, with holes
    axil_crossbar_case #(
        .N(3), .BASES({16'h8000, 16'h0040, 16'h1000}), .SIZES_LOG2({8'd15, 8'd6, 8'd12}), .HOLE(16'h0080), .SEED(2)
    ) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    // sixteen neighbours, a hole behind them
    axil_crossbar_case #(
        .N(16),
        .BASES({16'hf00, 16'he00, 16'hd00, 16'hc00, 16'hb00, 16'ha00, 16'h900, 16'h800,
                16'h700, 16'h600, 16'h500, 16'h400, 16'h300, 16'h200, 16'h100, 16'h000}),
        .SIZES_LOG2({16{8'd8}}), .HOLE(16'h1000), .ACCESSES(250), .SEED(3)
    ) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    // 64 data bits
    axil_crossbar_case #(
        .N(2), .DATA_W(64), .ADDR_W(12), .BASES({12'h400, 12'h800}), .SIZES_LOG2({8'd10, 8'd11}), .HOLE(12'h3f8), .SEED(4)
    ) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
