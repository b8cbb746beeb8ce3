// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_bridge - random accesses through registers, DATA and the aperture against a model of the far memory.
`default_nettype none

module axil_bridge_case #(
    parameter int WINDOW_W = 8, FAR_W = 16, DEPTH = 4, ROUNDS = 500, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int HALF       = 1 << (WINDOW_W - 1);
    localparam int WORDS_LOG2 = FAR_W - 2 < 10 ? FAR_W - 2 : 10;
    localparam int WORDS      = 1 << WORDS_LOG2;
    localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    logic                aresetn, eager, slow, faulty;
    logic [FAR_W-1:0]    fault;           // the far word that answers SLVERR while `faulty`
    wire                 clock = aclk && !done;

    wire [WINDOW_W-1:0]  s_awaddr, s_araddr;
    wire [2:0]           s_awprot, s_arprot, m_awprot, m_arprot;
    wire                 s_awvalid, s_awready, s_wvalid, s_wready, s_bvalid, s_bready;
    wire                 s_arvalid, s_arready, s_rvalid, s_rready;
    wire [31:0]          s_wdata, s_rdata, m_wdata, m_rdata;
    wire [3:0]           s_wstrb, m_wstrb;
    wire [1:0]           s_bresp, s_rresp, far_bresp, far_rresp, m_bresp, m_rresp;
    wire [FAR_W-1:0]     m_awaddr, m_araddr;
    wire                 m_awvalid, m_awready, m_wvalid, m_wready, m_bvalid, m_bready;
    wire                 m_arvalid, m_arready, m_rvalid, m_rready;

    bench_lite_master #(.ADDR_W(WINDOW_W), .LIMIT(400 + 60 * DEPTH), .SEED(SEED)) u_host (
        .aclk(clock), .aresetn(aresetn), .eager(eager),
        .m_axil_awaddr(s_awaddr), .m_axil_awprot(s_awprot), .m_axil_awvalid(s_awvalid), .m_axil_awready(s_awready),
        .m_axil_wdata(s_wdata), .m_axil_wstrb(s_wstrb), .m_axil_wvalid(s_wvalid), .m_axil_wready(s_wready),
        .m_axil_bresp(s_bresp), .m_axil_bvalid(s_bvalid), .m_axil_bready(s_bready),
        .m_axil_araddr(s_araddr), .m_axil_arprot(s_arprot), .m_axil_arvalid(s_arvalid), .m_axil_arready(s_arready),
        .m_axil_rdata(s_rdata), .m_axil_rresp(s_rresp), .m_axil_rvalid(s_rvalid), .m_axil_rready(s_rready)
    );

    axil_bridge #(.WINDOW_W(WINDOW_W), .FAR_W(FAR_W), .DEPTH(DEPTH)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axil_awaddr(s_awaddr), .s_axil_awprot(s_awprot), .s_axil_awvalid(s_awvalid), .s_axil_awready(s_awready),
        .s_axil_wdata(s_wdata), .s_axil_wstrb(s_wstrb), .s_axil_wvalid(s_wvalid), .s_axil_wready(s_wready),
        .s_axil_bresp(s_bresp), .s_axil_bvalid(s_bvalid), .s_axil_bready(s_bready),
        .s_axil_araddr(s_araddr), .s_axil_arprot(s_arprot), .s_axil_arvalid(s_arvalid), .s_axil_arready(s_arready),
        .s_axil_rdata(s_rdata), .s_axil_rresp(s_rresp), .s_axil_rvalid(s_rvalid), .s_axil_rready(s_rready),
        .m_axil_awaddr(m_awaddr), .m_axil_awprot(m_awprot), .m_axil_awvalid(m_awvalid), .m_axil_awready(m_awready),
        .m_axil_wdata(m_wdata), .m_axil_wstrb(m_wstrb), .m_axil_wvalid(m_wvalid), .m_axil_wready(m_wready),
        .m_axil_bresp(m_bresp), .m_axil_bvalid(m_bvalid), .m_axil_bready(m_bready),
        .m_axil_araddr(m_araddr), .m_axil_arprot(m_arprot), .m_axil_arvalid(m_arvalid), .m_axil_arready(m_arready),
        .m_axil_rdata(m_rdata), .m_axil_rresp(m_rresp), .m_axil_rvalid(m_rvalid), .m_axil_rready(m_rready)
    );

    // `slow` holds the far side back for long periods, so that the FIFO fills and the host waits.
    logic [9:0] spell;
    wire        held = slow && spell[6];
    bench_lite_slave #(.ADDR_W(FAR_W), .WORDS_LOG2(WORDS_LOG2)) u_far (
        .aclk(clock), .aresetn(aresetn), .eager(eager), .hang({5{held}}),
        .base({FAR_W{1'b0}}), .mask({FAR_W{1'b1}}), .seed(32'(SEED)),
        .s_axil_awaddr(m_awaddr), .s_axil_awprot(m_awaddr[4:2]), .s_axil_awvalid(m_awvalid),
        .s_axil_awready(m_awready),
        .s_axil_wdata(m_wdata), .s_axil_wstrb(m_wstrb), .s_axil_wvalid(m_wvalid), .s_axil_wready(m_wready),
        .s_axil_bresp(far_bresp), .s_axil_bvalid(m_bvalid), .s_axil_bready(m_bready),
        .s_axil_araddr(m_araddr), .s_axil_arprot(m_araddr[4:2]), .s_axil_arvalid(m_arvalid),
        .s_axil_arready(m_arready),
        .s_axil_rdata(m_rdata), .s_axil_rresp(far_rresp), .s_axil_rvalid(m_rvalid), .s_axil_rready(m_rready)
    );
    // The address stays at the port until the answer, so it tells whose answer this is.
    assign m_bresp = faulty && m_awaddr == fault ? SLVERR : far_bresp;
    assign m_rresp = faulty && m_araddr == fault ? SLVERR : far_rresp;
    always @(posedge clock) begin
        spell <= aresetn === 1'b1 ? spell + 1'b1 : '0;
        if (m_awprot != 0 || m_arprot != 0) $fatal(1, "far prot (%m)");
        if (aresetn === 1'b1 && (m_awvalid || m_wvalid) && m_arvalid) $fatal(1, "a read overtakes a write (%m)");
    end

    logic [31:0]      mem [0:WORDS-1];
    logic [FAR_W-1:0] address;
    logic [31:0]      page, dice, wanted, data;
    logic [1:0]       resp, read_resp;
    logic             kept, kept_read;
    logic [FAR_W-1:0] kept_at;
    int               full_seen;

    function automatic int word(input logic [FAR_W-1:0] at);
        word = int'(32'(at) >> 2) % WORDS;
    endfunction

    task roll;
        dice = dice ^ (dice << 13);
        dice = dice ^ (dice >> 17);
        dice = dice ^ (dice << 5);
    endtask

    // The model of one access to the far space; its result is `wanted` and the response in `resp_wanted`.
    logic [1:0] resp_wanted;
    task far(input logic write, input logic [FAR_W-1:0] at, input logic [31:0] value, input logic [3:0] strobes);
        resp_wanted = faulty && at == fault ? SLVERR : OKAY;
        wanted = mem[word(at)];
        if (write) begin
            for (int b = 0; b < 4; b++) if (strobes[b]) mem[word(at)][b*8 +: 8] = value[b*8 +: 8];
        end
        if (resp_wanted != OKAY && !kept) begin
            kept      = 1'b1;
            kept_read = !write;
            kept_at   = at;
        end
    endtask

    task put(input int offset, input logic [31:0] value, input logic [3:0] strobes);
        u_host.write(WINDOW_W'(offset), value, strobes, resp);
        if (resp != OKAY) $fatal(1, "write to %h answered %b (%m)", offset, resp);
    endtask

    task get(input int offset, input logic [31:0] value, input logic [1:0] answer);
        u_host.read(WINDOW_W'(offset), data, read_resp);
        if (read_resp != answer) $fatal(1, "read of %h answered %b, not %b (%m)", offset, read_resp, answer);
        if (data !== value) $fatal(1, "read of %h: %h, not %h (%m)", offset, data, value);
        compared = compared + 1;
    endtask

    // Wait for the posted writes, then compare what the bridge kept of the first error.
    task settle;
        data = 1;
        while (data[15:0] != 0) begin
            u_host.read(WINDOW_W'(20), data, resp);
            if (data[15:0] > 16'(DEPTH)) full_seen = full_seen + 1;
        end
        if (data[31] != kept) $fatal(1, "LEVEL says error %b, not %b (%m)", data[31], kept);
        get(24, kept ? {28'd0, kept_read, SLVERR, 1'b1} : 32'd0, OKAY);
        if (kept) get(28, 32'(kept_at), OKAY);
    endtask

    task round(input int kind);
        logic [31:0]      value;
        logic [FAR_W-1:0] at;
        logic [3:0]       strobes;
        int               offset;
        roll;
        value = dice;
        roll;
        strobes = dice[0] ? 4'b1111 : dice[7:4];
        offset  = (HALF / 4 > 1 ? int'(dice[27:8]) % (HALF / 4) : 0) * 4;
        at = FAR_W'({page, {(WINDOW_W-1){1'b0}}}) | FAR_W'(offset);
        case (kind)
            0: begin
                put(8, value, strobes);
                if (strobes == 4'b1111) page = value & ((32'd1 << (FAR_W - WINDOW_W + 1)) - 1);
            end
            1: begin
                put(12, value, strobes);
                if (strobes == 4'b1111) address = {value[FAR_W-1:2], 2'b00};
            end
            2: get(8, page, OKAY);
            3: get(12, 32'(address), OKAY);
            4, 5: for (int n = 0; n < int'(dice[31:29]) + 1; n++) begin
                far(1'b1, address, value + 32'(n), strobes);
                put(16, value + 32'(n), strobes);
                address = address + FAR_W'(4);
            end
            6, 7: begin
                far(1'b0, address, '0, '0);
                get(16, wanted, resp_wanted);
                address = address + FAR_W'(4);
            end
            8, 9: begin
                far(1'b1, at, value, strobes);
                put(HALF + offset, value, strobes);
            end
            10, 11: begin
                far(1'b0, at, '0, '0);
                get(HALF + offset, wanted, resp_wanted);
            end
            12: settle;
            13: begin
                settle;
                put(24, value, strobes);
                if (strobes[0] && value[0]) kept = 1'b0;
            end
            14: begin
                get(0, 32'h53474252, OKAY);
                get(4, {16'(DEPTH), 8'(FAR_W), 8'(WINDOW_W)}, OKAY);
                // Read-only registers and empty space ignore writes.
                put(0, value, 4'b1111);
                put(28, value, 4'b1111);
                if (HALF > 32) begin
                    put(32 + offset % (HALF - 32), value, 4'b1111);
                    get(32 + offset % (HALF - 32), 32'd0, OKAY);
                end
            end
            default: begin
                faulty = !faulty && dice[3];
                if (faulty) fault = dice[4] ? at : address + FAR_W'(4 * int'(dice[6:5]));
                settle;
            end
        endcase
    endtask

    initial begin
        done = 1'b0; compared = 0; full_seen = 0;
        dice = 32'(SEED) * 32'h9E3779B1 + 1;
        for (int pass = 0; pass < 3; pass++) begin
            aresetn = 1'b0; eager = pass == 0; slow = pass == 2; faulty = 1'b0; fault = '0;
            kept = 1'b0; page = 0; address = '0;
            repeat (3) @(posedge aclk);
            for (int w = 0; w < WORDS; w++) mem[w] = u_far.first(w);
            @(negedge aclk) aresetn = 1'b1;
            for (int k = 0; k < ROUNDS; k++) begin
                // A fault moves only when no posted write is left, or the model could not know which one meets it.
                roll;
                if (dice[31:28] == 4'd15) settle;
                round(int'(dice[31:28]));
            end
            settle;
            // A bulk load: one ADDRESS and a write per word, no poll; every word is there.
            faulty = 1'b0;
            put(24, 32'd1, 4'b0001);
            kept = 1'b0;
            put(12, 32'd0, 4'b1111);
            for (int w = 0; w < WORDS; w++) begin
                far(1'b1, FAR_W'(4 * w), 32'(w) * 32'h01010101, 4'b1111);
                put(16, 32'(w) * 32'h01010101, 4'b1111);
            end
            settle;
            put(12, 32'd0, 4'b1111);
            for (int w = 0; w < WORDS; w++) get(16, 32'(w) * 32'h01010101, OKAY);
            address = FAR_W'(4 * WORDS);
            // Reads and writes at the same time: neither waits indefinitely, and each gets its own response.
            put(12, 32'd0, 4'b1111);
            fork
                for (int w = 0; w < 64; w++) u_host.write(WINDOW_W'(16), 32'(w), 4'b1111, resp);
                for (int n = 0; n < 64; n++) get(0, 32'h53474252, OKAY);
            join
            for (int w = 0; w < 64; w++) mem[w % WORDS] = 32'(w);
            address = FAR_W'(256);
            settle;
            put(12, 32'd0, 4'b1111);
            for (int w = 0; w < WORDS; w++) get(16, mem[w], OKAY);
        end
        if (u_host.cycles_w < 1) $fatal(1, "no write was made (%m)");
        done = 1'b1;
    end
endmodule

module tb_axil_bridge;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(2000000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axil_bridge_case #(.WINDOW_W(8), .FAR_W(16), .DEPTH(4), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axil_bridge_case #(.WINDOW_W(16), .FAR_W(32), .DEPTH(16), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axil_bridge_case #(.WINDOW_W(6), .FAR_W(6), .DEPTH(2), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axil_bridge_case #(.WINDOW_W(12), .FAR_W(20), .DEPTH(7), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
