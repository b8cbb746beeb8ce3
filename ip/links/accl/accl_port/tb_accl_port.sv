// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_port - writes reach the blocks and are read back; events set flags and are counted.
//
// Events come at random in bursts; when they pause, every flag and counter reads what the bench has seen. Registers that
// are not there read 0, and each write changes what it is for and nothing else.
`default_nettype none

module accl_port_case #(
    parameter int N_OUT = 1, N_IN = 1, ROUNDS = 12, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int OUTS = N_OUT > 1 ? N_OUT : 1;
    localparam int INS  = N_IN > 1 ? N_IN : 1;
    localparam int COUNTERS = 9;
    localparam logic [31:0] OUT_MASK = 32'h00FF_FFFF;

    wire        clock = aclk && !done;
    logic       aresetn, run;
    wire [11:0] awaddr, araddr;
    wire [2:0]  awprot, arprot;
    wire        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire [31:0] wdata, rdata;
    wire [3:0]  wstrb;
    wire [1:0]  bresp, rresp;
    bench_lite_master #(.LIMIT(200), .SEED(SEED)) u_master (
        .aclk(clock), .aresetn(aresetn), .eager(1'b1),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );
    wire               receive, send;
    wire  [8*INS-1:0]  ids;
    wire  [31:0]       communicator, arithmetic, watchdog;
    wire  [16*OUTS-1:0] rank;
    wire  [8*OUTS-1:0] stream;
    logic [1:0]        stage;
    logic [3:0]        which;
    logic              put_done, late, stray, refused, unknown;
    logic              command_valid, command_ready, out_valid, out_ready, in_valid, in_ready;
    logic [31:0]       status;
    logic [INS-1:0]    torn;
    accl_port #(.N_OUT(N_OUT), .N_IN(N_IN)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axil_awaddr(awaddr[8:0]), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr[8:0]), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .receive(receive), .ids(ids), .send(send), .communicator(communicator), .arithmetic(arithmetic),
        .watchdog(watchdog), .rank(rank), .stream(stream),
        .stage(stage), .which(which), .done(put_done), .late(late), .stray(stray), .refused(refused), .status(status),
        .unknown(unknown), .torn(torn), .command_valid(command_valid), .command_ready(command_ready),
        .out_valid(out_valid), .out_ready(out_ready), .in_valid(in_valid), .in_ready(in_ready)
    );

    // ---- what happens, and what should be read of it
    int          count [0:COUNTERS-1];
    logic [31:0] dice, flags, tears, refusal, refused_end;
    initial begin
        dice = 32'(SEED) * 32'h1234567;
        {put_done, late, stray, refused, unknown, command_valid, command_ready, out_valid, out_ready, in_valid, in_ready} = '0;
        stage = '0; which = '0; status = '0; torn = '0; flags = '0; tears = '0; refusal = '0; refused_end = '0;
        for (int k = 0; k < COUNTERS; k++) count[k] = 0;
    end
    always @(negedge clock) if (aresetn) begin
        dice = dice * 32'd1664525 + 32'd1013904223;
        put_done = run && dice[10:9] == '0;
        refused  = put_done && dice[12:11] == '0;
        if (put_done) status = refused ? dice | 32'd1 : 32'd0;
        late     = run && dice[20:13] == '0;
        stray    = run && dice[21:14] == '0;
        unknown  = run && dice[22:16] == '0;
        torn     = run && dice[25:20] == '0 ? INS'({dice, dice} >> 7) : '0;
        which    = run ? 4'(32'(dice[31:28]) % 32'(OUTS)) : which;
        stage    = run ? dice[8:7] : 2'd2;
        {command_valid, command_ready, out_valid, out_ready, in_valid, in_ready} = run ? dice[30:25] : '0;
    end
    always @(posedge clock) if (aresetn) begin
        flags = flags | {28'd0, unknown, refused, stray, late};
        tears = tears | 32'(torn);
        if (refused && refusal == '0) begin
            refusal     = status;
            refused_end = 32'(which);
        end
        count[0] = count[0] + int'(put_done);
        count[1] = count[1] + int'(refused);
        count[2] = count[2] + int'(command_valid && !command_ready);
        count[3] = count[3] + int'(stage == 2'd3);
        count[4] = count[4] + int'(out_valid && out_ready);
        count[5] = count[5] + int'(out_valid && !out_ready);
        count[6] = count[6] + int'(in_valid && in_ready);
        count[7] = count[7] + int'(in_valid && !in_ready);
        count[8] = count[8] + int'(unknown);
    end

    logic [31:0] word, mask, wanted;
    logic [1:0]  resp;
    task automatic expect_at(input int place, input logic [31:0] value);
        u_master.read(12'(place), word, resp);
        if (resp != 2'b00 || word !== value) $fatal(1, "%h reads %h, not %h (%m)", place, word, value);
        compared = compared + 1;
    endtask
    task automatic write(input int place, input logic [31:0] value);
        u_master.write(12'(place), value, 4'hF, resp);
        if (resp != 2'b00) $fatal(1, "a write to %h is not answered OKAY (%m)", place);
        @(negedge clock);
    endtask

    // What the writable registers hold, by word.
    logic [31:0] held [0:63];
    task automatic told;
        logic [31:0] out_word;
        if (communicator !== held[0] || arithmetic !== held[1] || watchdog !== held[2] || {send, receive} !== held[5][1:0])
            $fatal(1, "addresses, watchdog or enable are not as written (%m)");
        for (int k = 0; k < OUTS; k++) begin
            out_word = held[16+k];
            if (rank[16*k +: 16] !== out_word[15:0] || stream[8*k +: 8] !== out_word[23:16]) $fatal(1, "end %0d is wrong (%m)", k);
        end
        for (int k = 0; k < INS; k++) if (32'(ids[8*k +: 8]) !== held[32+k]) $fatal(1, "id %0d is wrong (%m)", k);
        compared = compared + 1;
    endtask

    int place;
    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; run = 1'b0;
        for (int k = 0; k < 64; k++) held[k] = '0;
        held[2] = 32'd250_000_000;
        for (int k = 0; k < INS; k++) held[32+k] = 32'd255;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        told;
        for (int k = 0; k < 64; k++) expect_at(4 * k, k == 9 ? 32'd2 : held[k]);  // STATE: the bench's stage, at rest
        for (int round = 0; round < ROUNDS; round++) begin
            // Writes, while much happens.
            run = 1'b1;
            repeat (16) begin
                place = int'((dice >> 9) % 32'd64);
                wanted = dice ^ 32'h5A5A_0F0F;
                mask   = place < 3 ? '1 : place == 5 ? 32'd3 : place >= 16 && place < 16 + OUTS ? OUT_MASK :
                         place >= 32 && place < 32 + INS ? 32'hFF : 32'd0;
                if (place != 6 && place != 7 && place != 8) begin
                    write(4 * place, wanted);
                    held[place] = wanted & mask;
                    told;
                    if (mask != '0) expect_at(4 * place, held[place]);
                end
            end
            repeat (round % 3 == 0 ? 5 : 200) @(negedge clock);
            run = 1'b0;
            repeat (20) @(negedge clock);
            for (int k = 0; k < COUNTERS; k++) expect_at(256 + 4 * k, 32'(count[k]));
            for (int k = COUNTERS; k < 16; k++) expect_at(256 + 4 * k, 32'd0);
            expect_at(28, flags);
            expect_at(32, tears);
            expect_at(12, status);
            if (flags[2]) expect_at(16, refusal);
            u_master.read(12'd36, word, resp);
            if (word[7:0] !== {which, 2'b00, 2'd2} || (flags[2] && word[31:8] !== 24'(refused_end)))
                $fatal(1, "STATE reads %h (%m)", word);
            for (int k = 0; k < 64; k++)
                if (k < 3 || k == 5 || k == 6 || k > 9) expect_at(4 * k, held[k]);
            // Each flag is cleared by its own 1, and by nothing else.
            mask = dice >> 20;
            write(28, mask);
            flags = flags & ~mask;
            if (!flags[2]) refusal = '0;
            write(32, ~mask);
            tears = tears & mask;
            expect_at(28, flags);
            expect_at(32, tears);
            if (round % 4 == 3) begin
                write(24, 32'd0);
                expect_at(256, 32'(count[0]));
                write(24, 32'd1);
                repeat (4) @(negedge clock);
                for (int k = 0; k < COUNTERS; k++) count[k] = 0;
            end
        end
        // A flag that is set in the very cycle in which it is cleared stays; also the first refusal is a new one then.
        for (int delay = 0; delay < 6; delay++) begin
            fork
                write(28, 32'hF);
                begin
                    repeat (delay) @(posedge clock);
                    @(negedge clock);
                    #1 status = 32'hBAD0 + 32'(delay); refused = 1'b1; late = 1'b1;
                    @(negedge clock);
                end
            join
            repeat (3) @(negedge clock);
            u_master.read(12'd28, word, resp);
            if (word[0] !== word[2]) $fatal(1, "FLAGS reads %h (%m)", word);
            if (word[2]) expect_at(16, 32'hBAD0 + 32'(delay));
            write(28, 32'hF);
            expect_at(28, 32'd0);
        end
        aresetn = 1'b0;
        repeat (2) @(negedge clock);
        if (send || receive || ids !== {INS{8'd255}}) $fatal(1, "not reset (%m)");
        done = 1'b1;
    end
endmodule

module tb_accl_port;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_port_case #(.N_OUT(1), .N_IN(1), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_port_case #(.N_OUT(0), .N_IN(3), .SEED(2), .ROUNDS(4)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_port_case #(.N_OUT(3), .N_IN(0), .SEED(3), .ROUNDS(4)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_port_case #(.N_OUT(16), .N_IN(32), .SEED(4), .ROUNDS(2)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
