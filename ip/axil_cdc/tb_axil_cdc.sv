// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_cdc - reads and writes at the same time between clocks of any ratio that drift past each other, and resets of
// either side at random times.
//
// The slave is a memory that checks what it gets (bench_lite_slave) and is reset with its side; that clears it. In the
// first part nothing is reset and every access is right. Then one of the sides is reset again and again: no access
// hangs; a write that was answered with OKAY has been done, one with SLVERR may have been; a read gives what is there, or
// SLVERR. No request is done twice: each write counts one up, and the memory's count of writes is never more.
`default_nettype none

module axil_cdc_case #(
    parameter int ADDR_W = 12, DATA_W = 32, SYNC_STAGES = 2, SEED = 1,
    parameter int HALF_S = 500, HALF_M = 500,  // ps of half a period
    parameter int ACCESSES = 100, RESETS = 60
) (
    output logic        done,
    output logic [31:0] compared
);
    localparam int WORDS = 16;
    localparam int LSB   = $clog2(DATA_W / 8);
    localparam int RATIO = HALF_M > HALF_S ? HALF_M / HALF_S + 1 : HALF_S / HALF_M + 1;
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    logic                 s_aclk, m_aclk, s_aresetn, m_aresetn, eager;
    wire [ADDR_W-1:0]     a_awaddr, a_araddr, b_awaddr, b_araddr;
    wire [2:0]            a_awprot, a_arprot, b_awprot, b_arprot;
    wire                  a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire                  a_arvalid, a_arready, a_rvalid, a_rready;
    wire                  b_awvalid, b_awready, b_wvalid, b_wready, b_bvalid, b_bready;
    wire                  b_arvalid, b_arready, b_rvalid, b_rready;
    wire [DATA_W-1:0]     a_wdata, a_rdata, b_wdata, b_rdata;
    wire [DATA_W/8-1:0]   a_wstrb, b_wstrb;
    wire [1:0]            a_bresp, a_rresp, b_bresp, b_rresp;

    logic                 solo;  // instead of u_master: a write to word 15 that a reset of the host ends
    logic [DATA_W-1:0]    solo_data;
    localparam logic [ADDR_W-1:0] SOLO_ADDR = ADDR_W'(15 << LSB);

    // Halves of odd picoseconds and a start of its own: no edge of one clock keeps its place in the other's period.
    initial begin
        s_aclk = 1'b0;
        #(SEED * 37 + 1);
        while (!done) #HALF_S s_aclk = !s_aclk;
    end
    initial begin
        m_aclk = 1'b0;
        #1;
        while (!done) #HALF_M m_aclk = !m_aclk;
    end

    bench_lite_master #(
        .ADDR_W(ADDR_W), .DATA_W(DATA_W), .LIMIT(400 + 100 * RATIO), .SEED(SEED)
    ) u_master (
        .aclk(s_aclk), .aresetn(s_aresetn), .eager(eager),
        .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid), .m_axil_awready(a_awready),
        .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb), .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready),
        .m_axil_bresp(a_bresp), .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready),
        .m_axil_araddr(a_araddr), .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
        .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid), .m_axil_rready(a_rready)
    );
    axil_cdc #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .SYNC_STAGES(SYNC_STAGES)) u_dut (
        .s_axil_aclk(s_aclk), .s_axil_aresetn(s_aresetn),
        .s_axil_awaddr(solo ? SOLO_ADDR : a_awaddr), .s_axil_awprot(solo ? SOLO_ADDR[4:2] : a_awprot), .s_axil_awvalid(solo || a_awvalid), .s_axil_awready(a_awready),
        .s_axil_wdata(solo ? solo_data : a_wdata), .s_axil_wstrb(solo ? '1 : a_wstrb), .s_axil_wvalid(solo || a_wvalid), .s_axil_wready(a_wready),
        .s_axil_bresp(a_bresp), .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready),
        .s_axil_araddr(a_araddr), .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
        .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid), .s_axil_rready(a_rready),
        .m_axil_aclk(m_aclk), .m_axil_aresetn(m_aresetn),
        .m_axil_awaddr(b_awaddr), .m_axil_awprot(b_awprot), .m_axil_awvalid(b_awvalid), .m_axil_awready(b_awready),
        .m_axil_wdata(b_wdata), .m_axil_wstrb(b_wstrb), .m_axil_wvalid(b_wvalid), .m_axil_wready(b_wready),
        .m_axil_bresp(b_bresp), .m_axil_bvalid(b_bvalid), .m_axil_bready(b_bready),
        .m_axil_araddr(b_araddr), .m_axil_arprot(b_arprot), .m_axil_arvalid(b_arvalid), .m_axil_arready(b_arready),
        .m_axil_rdata(b_rdata), .m_axil_rresp(b_rresp), .m_axil_rvalid(b_rvalid), .m_axil_rready(b_rready)
    );
    bench_lite_slave #(.ADDR_W(ADDR_W), .DATA_W(DATA_W)) u_slave (
        .aclk(m_aclk), .aresetn(m_aresetn), .eager(eager), .hang(5'd0), .base({ADDR_W{1'b0}}), .mask({ADDR_W{1'b1}}), .seed(32'(SEED)),
        .s_axil_awaddr(b_awaddr), .s_axil_awprot(b_awprot), .s_axil_awvalid(b_awvalid), .s_axil_awready(b_awready),
        .s_axil_wdata(b_wdata), .s_axil_wstrb(b_wstrb), .s_axil_wvalid(b_wvalid), .s_axil_wready(b_wready),
        .s_axil_bresp(b_bresp), .s_axil_bvalid(b_bvalid), .s_axil_bready(b_bready),
        .s_axil_araddr(b_araddr), .s_axil_arprot(b_arprot), .s_axil_arvalid(b_arvalid), .s_axil_arready(b_arready),
        .s_axil_rdata(b_rdata), .s_axil_rresp(b_rresp), .s_axil_rvalid(b_rvalid), .s_axil_rready(b_rready)
    );

    function automatic logic [DATA_W-1:0] first(input int w);
        first = {DATA_W/32{(32'(w) * 32'h9E3779B1) ^ (32'(SEED) * 32'h85EBCA77) ^ 32'h5BD1E995}};
    endfunction

    logic [DATA_W-1:0]   model [0:WORDS-1];
    logic [DATA_W-1:0]   got, data;
    logic [DATA_W/8-1:0] strb;
    logic [1:0]          w_resp, r_resp;
    logic [3:0]          w_word, r_word;
    int                  asked, served, cut, m_resets;
    logic                calm;  // nothing is reset

    function automatic logic [ADDR_W-1:0] place(input logic [3:0] word, input logic [31:0] r);
        place = (ADDR_W'(r) << (LSB + 4)) | (ADDR_W'(word) << LSB);
    endfunction

    initial m_resets = 0;
    always @(negedge m_aresetn) m_resets = m_resets + 1;

    // A write to one of the upper words. Of a reset in between the memory may have been cleared, before or after it.
    task one_write(input logic [3:0] word);
        int was;
        w_word = word;
        was    = m_resets;
        data   = {DATA_W/32{u_master.dice}};
        strb   = u_master.dice[20 +: DATA_W/8];
        asked  = asked + 1;
        u_master.write(place(word, u_master.dice), data, strb, w_resp);
        if (w_resp !== OKAY && (w_resp !== SLVERR || was == m_resets && m_aresetn))
            $fatal(1, "a write is answered with %b (%m)", w_resp);
        if (w_resp == OKAY) for (int i = 0; i < DATA_W / 8; i++) if (strb[i]) model[word][i*8 +: 8] = data[i*8 +: 8];
        if (w_resp != OKAY) cut = cut + 1;
        compared = compared + 1;
    endtask
    task one_read(input logic [3:0] word);
        int was;
        r_word = word;
        was    = m_resets;
        u_master.read(place(word, u_master.dice), got, r_resp);
        if (r_resp !== OKAY && (r_resp !== SLVERR || was == m_resets && m_aresetn))
            $fatal(1, "a read is answered with %b (%m)", r_resp);
        if (r_resp == SLVERR ? got !== '0 : word < 4'd8 ? got !== first(int'(word)) : calm && got !== model[word])
            $fatal(1, "word %0d is %h with %b (%m)", word, got, r_resp);
        if (r_resp != OKAY) cut = cut + 1;
        compared = compared + 1;
    endtask

    initial begin
        done = 1'b0; compared = 0; eager = 1'b0; calm = 1'b1; asked = 0; cut = 0; solo = 1'b0; solo_data = '0;
        s_aresetn = 1'b0; m_aresetn = 1'b0;
        for (int w = 0; w < WORDS; w++) model[w] = first(w);
        repeat (4) @(negedge m_aclk);
        repeat (4) @(negedge s_aclk);
        m_aresetn = 1'b1;
        s_aresetn = 1'b1;
        @(negedge s_aclk);
        for (int turn = 0; turn < 2; turn++) begin
            eager = turn[0];
            fork
                for (int n = 0; n < ACCESSES; n++) one_write({1'b1, u_master.dice[10:8]});
                for (int n = 0; n < ACCESSES; n++) one_read({1'b0, u_master.dice[13:11]});
            join
            for (int w = 0; w < WORDS; w++) one_read(4'(w));
        end
        if (u_slave.writes != asked) $fatal(1, "%0d writes asked, %0d done (%m)", asked, u_slave.writes);

        // Resets of the slaves' side, of one cycle or several, at any time.
        calm = 1'b0;
        fork
            for (int n = 0; n < 2 * RESETS; n++) one_write({1'b1, u_master.dice[10:8]});
            for (int n = 0; n < 2 * RESETS; n++) one_read({1'b0, u_master.dice[13:11]});
            for (int n = 0; n < RESETS; n++) begin
                repeat (int'(u_master.dice[19:15]))
                    if (HALF_S > HALF_M) @(negedge s_aclk); else @(negedge m_aclk);
                @(negedge m_aclk);
                m_aresetn = 1'b0;
                repeat ((1 + int'(u_master.dice[9:8]) * int'(u_master.dice[7])) * (HALF_S > HALF_M ? RATIO : 1))
                    @(negedge m_aclk);
                m_aresetn = 1'b1;
            end
        join
        if (u_slave.writes > asked) $fatal(1, "%0d writes asked, %0d done (%m)", asked, u_slave.writes);
        if (u_slave.writes + cut < asked) $fatal(1, "%0d writes asked, %0d done (%m)", asked, u_slave.writes);
        if (cut < 4) $fatal(1, "resets cut %0d accesses short (%m)", cut);
        @(negedge m_aclk);
        m_aresetn = 1'b0;
        @(negedge m_aclk);
        m_aresetn = 1'b1;
        for (int w = 0; w < WORDS; w++) model[w] = first(w);
        repeat (8 * RATIO) @(negedge s_aclk);
        calm = 1'b1;
        for (int w = 0; w < WORDS; w++) one_read(4'(w));
        host_resets();
        done = 1'b1;
    end

    // The host is reset in the middle of a write of its own: its VALIDs fall, nothing stale answers what comes next, and
    // the write has been done once or not at all.
    task host_resets;
        int was;
        for (int n = 0; n < RESETS; n++) begin
            @(negedge s_aclk);
            was       = u_slave.writes;
            solo_data = {DATA_W/32{32'(n)}};
            solo      = 1'b1;
            for (int i = 0; i < n % 24 && !a_awready; i++) @(posedge s_aclk);
            if (a_awready) repeat (n % 3 + 1) @(posedge s_aclk);
            @(negedge s_aclk);
            s_aresetn = 1'b0;
            solo      = 1'b0;
            @(negedge s_aclk);
            s_aresetn = 1'b1;
            one_read(4'(n % 8));
            if (u_slave.writes > was + 1) $fatal(1, "a write is done %0d times (%m)", u_slave.writes - was);
            one_write(4'd14);
            if (w_resp !== OKAY) $fatal(1, "after a reset of the host: %b (%m)", w_resp);
            one_read(4'd14);
        end
    endtask
endmodule

module tb_axil_cdc;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #500 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(400000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // nearly equal clocks, whose edges pass each other
    axil_cdc_case #(.HALF_S(500), .HALF_M(503), .SEED(1)) u_equal (.done(done[0]), .compared(compared[31:0]));
    // a ratio that no small numbers have, more stages
    axil_cdc_case #(.HALF_S(500), .HALF_M(809), .SYNC_STAGES(3), .SEED(2)) u_slower (
        .done(done[1]), .compared(compared[63:32])
    );
    // far apart either way, 64 bits
    axil_cdc_case #(.DATA_W(64), .ADDR_W(40), .HALF_S(211), .HALF_M(2411), .SYNC_STAGES(4), .SEED(4)) u_slow (
        .done(done[2]), .compared(compared[95:64])
    );
    axil_cdc_case #(.HALF_S(2411), .HALF_M(211), .SEED(5)) u_fast (.done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
