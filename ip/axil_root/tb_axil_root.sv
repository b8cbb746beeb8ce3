// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_root - reads and writes at the same time through a root, to a tree that is played by the bench.
//
// The tree looks at the upper two bits of an address below the span: 0 and 1 lead to a memory that answers in 0 to 7
// cycles, 2 is a hole, 3 never answers. It checks that an access has the host's address, kind and payload, that these
// stay, and that it expires when it should. Between accesses it says anything.
`default_nettype none

module axil_root_case #(
    parameter int                ADDR_W    = 12,
    parameter int                DATA_W    = 32,
    parameter int                SPAN_LOG2 = ADDR_W,
    parameter logic [ADDR_W-1:0] BASE      = '0,
    parameter int                TIMEOUT   = 20,
    parameter int                ACCESSES  = 300,
    parameter int                SEED      = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int WORDS = 16;
    localparam int LSB   = $clog2(DATA_W / 8);
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;
    localparam logic [1:0] HOLE = 2'd2, SILENT = 2'd3;  // what is not memory, by the upper bits of an address

    wire                  clock = aclk && !done;
    logic                 aresetn, eager;
    wire [ADDR_W-1:0]     a_awaddr, a_araddr, awaddr, araddr;
    wire [2:0]            a_awprot, a_arprot, awprot, arprot;
    wire                  a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire                  a_arvalid, a_arready, a_rvalid, a_rready;
    wire [DATA_W-1:0]     a_wdata, a_rdata, wdata;
    wire [DATA_W/8-1:0]   a_wstrb, wstrb;
    wire [1:0]            a_bresp, a_rresp;
    wire                  start, write, expired;
    wire [SPAN_LOG2-1:0]  addr;
    logic                 up_wait, up_last, up_hole, up_bvalid, up_rvalid;
    logic [1:0]           up_bresp, up_rresp;
    logic [DATA_W-1:0]    up_rdata;

    bench_lite_master #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .LIMIT(3 * TIMEOUT + 60), .SEED(SEED)) u_master (
        .aclk(clock), .aresetn(aresetn), .eager(eager),
        .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid), .m_axil_awready(a_awready),
        .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb), .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready),
        .m_axil_bresp(a_bresp), .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready),
        .m_axil_araddr(a_araddr), .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
        .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid), .m_axil_rready(a_rready)
    );
    axil_root #(
        .ADDR_W(ADDR_W), .DATA_W(DATA_W), .SPAN_LOG2(SPAN_LOG2), .BASE(BASE), .TIMEOUT(TIMEOUT)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid), .s_axil_awready(a_awready),
        .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb), .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready),
        .s_axil_bresp(a_bresp), .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready),
        .s_axil_araddr(a_araddr), .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
        .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid), .s_axil_rready(a_rready),
        .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_wdata(wdata), .m_axil_wstrb(wstrb),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot),
        .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp), .up_bvalid(up_bvalid),
        .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid)
    );

    // ---- the tree --------------------------------------------------------------------------------

    logic [DATA_W-1:0]   mem [0:WORDS-1];
    logic [31:0]         dice;
    logic                running, kind;
    logic [ADDR_W-1:0]   whole;
    int                  age, delay, word;
    wire  [1:0]          place = addr[SPAN_LOG2-1 -: 2];
    wire  [ADDR_W-1:0]   host_addr = write ? awaddr : araddr;

    // The root samples at the rising edge, so its inputs change at the falling one.
    initial begin
        running = 1'b0; kind = 1'b0; whole = '0; age = 0; delay = 0; dice = 32'(SEED);
        {up_wait, up_last, up_hole, up_bvalid, up_rvalid, up_bresp, up_rresp} = '0;
        up_rdata = '0;
        for (int w = 0; w < WORDS; w++) mem[w] = '0;
    end
    always @(negedge clock) begin
        dice = dice * 32'd1664525 + 32'd1013904223;
        // Nothing is listened to between accesses and in the cycle of the start, so anything may be said.
        {up_wait, up_last, up_hole, up_bvalid, up_rvalid} = dice[31:27];
        {up_bresp, up_rresp} = dice[26:23];
        up_rdata = {DATA_W/32{dice}};
        if (!aresetn) running = 1'b0;
        else if (start) begin
            if (running) $fatal(1, "a start in an access (%m)");
            running = 1'b1;
            kind    = write;
            whole   = host_addr;
            age     = 0;
            delay   = eager ? 1 : 1 + int'(dice[22:20]);
            if (host_addr[SPAN_LOG2-1:0] != addr) $fatal(1, "the tree sees %h of %h (%m)", addr, host_addr);
            if ((write ? awprot : arprot) != host_addr[4:2]) $fatal(1, "wrong prot at %h (%m)", host_addr);
        end else if (running) begin
            age = age + 1;
            if (write != kind || host_addr != whole) $fatal(1, "%h becomes %h in an access (%m)", whole, host_addr);
            if (expired != (age >= TIMEOUT - 1)) $fatal(1, "expired is %b in cycle %0d (%m)", expired, age);
            {up_wait, up_last, up_hole} = {3{place == HOLE}};
            if (place == SILENT) begin
                // The node sees it a cycle later, and may show an answer that it does not take.
                {up_wait, up_last}     = {1'b0, age >= TIMEOUT};
                {up_bvalid, up_rvalid} = age >= TIMEOUT ? 2'b00 : dice[1:0];
                if (age >= TIMEOUT) running = 1'b0;
            end else if (place == HOLE || age >= delay) begin
                running = 1'b0;
                if (place != HOLE) begin
                    word = int'(addr[LSB +: 4]);
                    {up_wait, up_bvalid, up_rvalid} = {1'b1, kind, !kind};
                    {up_bresp, up_rresp} = {addr[LSB+3], 1'b0, addr[LSB+3], 1'b0};
                    up_rdata = mem[word];
                    if (kind) for (int i = 0; i < DATA_W / 8; i++)
                        if (wstrb[i]) mem[word][i*8 +: 8] = wdata[i*8 +: 8];
                end
            end else begin
                {up_bvalid, up_rvalid, up_last} = 3'b000;
            end
        end
    end

    // ---- the host --------------------------------------------------------------------------------

    logic [DATA_W-1:0]   model [0:WORDS-1];
    logic [DATA_W-1:0]   got, data;
    logic [DATA_W/8-1:0] strb;
    logic [ADDR_W-1:0]   w_at, r_at;
    logic [1:0]          w_resp, r_resp;

    // An address of the span, or with `outside` one beside it.
    function automatic logic [ADDR_W-1:0] spot(input logic [1:0] where, input int w, input bit outside);
        spot = BASE ^ (outside && SPAN_LOG2 < ADDR_W ? ADDR_W'(1) << (ADDR_W - 1) : '0);
        spot = spot | (ADDR_W'(where) << (SPAN_LOG2 - 2)) | ADDR_W'(w << LSB);
    endfunction
    function automatic logic [1:0] due(input logic [ADDR_W-1:0] at);
        due = {at[LSB+3], 1'b0};  // slave's own error
        if (at[SPAN_LOG2-1 -: 2] == SILENT) due = SLVERR;
        if (at[SPAN_LOG2-1 -: 2] == HOLE || ((at ^ BASE) >> (SPAN_LOG2 - 1)) > 1) due = DECERR;
    endfunction
    function automatic bit is_memory(input logic [ADDR_W-1:0] at);
        is_memory = !at[SPAN_LOG2-1] && ((at ^ BASE) >> (SPAN_LOG2 - 1)) <= 1;
    endfunction

    // Writes go to odd words, reads to even ones, which the first loop has filled; at last all are compared.
    task one_write(input logic [1:0] where, input int w, input bit outside);
        data = {DATA_W/32{u_master.dice}};
        strb = u_master.dice[20 +: DATA_W/8];
        w_at = spot(where, w, outside);
        u_master.write(w_at, data, strb, w_resp);
        if (w_resp !== due(w_at)) $fatal(1, "write to %h: %b instead of %b (%m)", w_at, w_resp, due(w_at));
        if (is_memory(w_at))
            for (int i = 0; i < DATA_W / 8; i++) if (strb[i]) model[w][i*8 +: 8] = data[i*8 +: 8];
        compared = compared + 1;
    endtask
    task one_read(input logic [1:0] where, input int w, input bit outside);
        r_at = spot(where, w, outside);
        u_master.read(r_at, got, r_resp);
        if (r_resp !== due(r_at)) $fatal(1, "read of %h: %b instead of %b (%m)", r_at, r_resp, due(r_at));
        if (got !== (is_memory(r_at) ? model[w] : '0)) $fatal(1, "read of %h: %h (%m)", r_at, got);
        compared = compared + 1;
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; eager = 1'b0;
        for (int w = 0; w < WORDS; w++) model[w] = '0;
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        for (int w = 0; w < WORDS; w++) one_write(2'd0, w, 1'b0);
        fork
            for (int n = 0; n < ACCESSES; n++)
                one_write(u_master.dice[9:8], 2 * int'(u_master.dice[12:10]) + 1, u_master.dice[13]);
            for (int n = 0; n < ACCESSES; n++)
                one_read(u_master.dice[17:16], 2 * int'(u_master.dice[20:18]), u_master.dice[21]);
        join
        eager = 1'b1;
        for (int w = 0; w < WORDS; w++) one_read(2'd1, w, 1'b0);
        // At full rate: the memory answers in the cycle after the start.
        if (u_master.cycles_r != 4) $fatal(1, "a read takes %0d cycles (%m)", u_master.cycles_r);
        one_write(2'd0, 0, 1'b0);
        if (u_master.cycles_w != 4) $fatal(1, "a write takes %0d cycles (%m)", u_master.cycles_w);
        one_read(SILENT, 0, 1'b0);
        if (u_master.cycles_r != TIMEOUT + 4) $fatal(1, "given up after %0d cycles (%m)", u_master.cycles_r);
        done = 1'b1;
    end
endmodule

module tb_axil_root;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // all addresses, and the shortest timeout
    axil_root_case #(.ADDR_W(12), .TIMEOUT(8), .SEED(1)) u_all (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0])
    );
    // a span somewhere in a wide address space
    axil_root_case #(.ADDR_W(40), .SPAN_LOG2(12), .BASE(40'h12_3456_7000), .SEED(2)) u_span (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32])
    );
    axil_root_case #(.ADDR_W(16), .DATA_W(64), .SPAN_LOG2(15), .BASE(16'h8000), .TIMEOUT(33), .SEED(3)) u_wide (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64])
    );
endmodule

`default_nettype wire
