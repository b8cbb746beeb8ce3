// SPDX-License-Identifier: BSD-3-Clause
//
// tb_shell_status - every register of shell_status against counters kept by the bench.
//
// The case with DUMP prints `REG <offset> <read> <read after a write>` for all 1024 words, which the test
// compares with registers.json. Written is ~offset, but all ones to ERRORS and CONTROL, last.
`default_nettype none

module shell_status_case #(
    parameter int N_RX = 1, N_TX = 1, PART_W = 16, SEED = 1,
    parameter bit DUMP = 0,
    parameter logic [N_RX+N_TX-1:0] SINGLE = '0
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int N    = N_RX + N_TX;
    localparam int RX_W = N_RX > 0 ? N_RX : 1;
    localparam logic [63:0] BUILD_ID = 64'h0123456789ABCDEF ^ 64'(SEED);

    wire             clock = aclk && !done;
    logic            aresetn, eager, events;
    localparam logic [N-1:0] MARKS = DUMP ? '0 : {N{1'b1}} << N_RX;  // every sender
    logic [N-1:0]    beat, stall, frame_done, passed, marked;
    logic [RX_W-1:0] error_short, error_long, error_keep;
    wire [11:0] a_awaddr, a_araddr;
    wire [2:0] a_awprot, a_arprot;
    wire a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire a_arvalid, a_arready, a_rvalid, a_rready;
    wire [31:0] a_wdata, a_rdata;
    wire [3:0] a_wstrb;
    wire [1:0] a_bresp, a_rresp;

    bench_lite_master #(.LIMIT(60), .SEED(SEED)) u_master (
            .aclk(clock), .aresetn(aresetn), .eager(eager),
            .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid),
            .m_axil_awready(a_awready), .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb),
            .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready), .m_axil_bresp(a_bresp),
            .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready), .m_axil_araddr(a_araddr),
            .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
            .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid),
            .m_axil_rready(a_rready)
    );
    wire [N*16-1:0] many;
    wire            reset_start, reset_hold;
    logic           reset_busy, restart;
    int             starts;
    shell_status #(.BUILD_ID(BUILD_ID), .N_RX(N_RX), .N_TX(N_TX), .PART_W(PART_W), .SINGLE(SINGLE), .MARKS(MARKS)) u_dut (
            .aclk(clock), .aresetn(aresetn),
            .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
            .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
            .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
            .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready), .s_axil_araddr(a_araddr),
            .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
            .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid),
            .s_axil_rready(a_rready),
            .beat(beat), .stall(stall), .frame_done(frame_done),
            .error_short(error_short), .error_long(error_long), .error_keep(error_keep),
            .passed(passed), .marked(marked),
            .frames_per_transfer(many), .reset_start(reset_start), .reset_hold(reset_hold),
            .reset_busy(reset_busy), .restart(restart)
    );

    // ---- events, counted here
    logic [63:0] beats [0:N-1];
    logic [63:0] counted;  // of stream N - 1 when the block last looked; it counts an event one cycle late
    logic [63:0] counted_late;
    int          stalls [0:N-1];
    int          frames [0:N-1];
    logic [2:0]  flags [0:N-1];
    logic [31:0] went [0:N-1];
    logic [31:0] first_marked [0:N-1];
    logic [31:0] last_marked [0:N-1];
    logic        any_marked [0:N-1];
    logic [63:0] dice;
    logic        faults, collide, forget_counts;
    logic [127:0] forget_flags;
    initial begin
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15;
        passed = '0; marked = '0;
        beat = '0; stall = '0; frame_done = '0; error_short = '0; error_long = '0; error_keep = '0;
        forget_counts = 1'b1; forget_flags = '1;
    end
    always @(negedge clock) begin
        dice       = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
        beat       = events ? N'(dice) : '0;
        stall      = events ? N'(dice >> 9) & ~beat : '0;
        frame_done = events ? N'(dice >> 17) & beat : '0;
        error_short = events && faults ? RX_W'(dice >> 23) & RX_W'(dice >> 31) : '0;
        passed     = events ? N'(dice >> 19) & N'(dice >> 35) : '0;
        marked     = faults ? N'(dice >> 21) & N'(dice >> 39) : '0;
        if (collide) error_short = RX_W'(u_dut.clear_flags);
        error_long  = events && faults ? RX_W'(dice >> 25) & RX_W'(dice >> 37) : '0;
        error_keep  = events && faults ? RX_W'(dice >> 27) & RX_W'(dice >> 41) : '0;
    end
    always @(posedge clock) begin
        for (int k = 0; k < N; k++) begin
            beats[k]  <= forget_counts ? '0 : beats[k] + 64'(beat[k]);
            stalls[k] <= forget_counts ? 0 : stalls[k] + int'(stall[k]);
            frames[k] <= forget_counts ? 0 : frames[k] + int'(frame_done[k]);
            went[k]   <= forget_counts ? '0 : went[k] + 32'(passed[k]);
            if (forget_counts) begin
                any_marked[k] <= 1'b0; first_marked[k] <= '0; last_marked[k] <= '0;
            end else if (MARKS[k] && passed[k] && marked[k]) begin
                any_marked[k] <= 1'b1; last_marked[k] <= went[k];
                if (!any_marked[k]) first_marked[k] <= went[k];
            end
            flags[k]  <= '0;
            if (k < N_RX)
                flags[k] <= (forget_flags[k] ? 3'd0 : flags[k]) | {error_keep[k], error_long[k], error_short[k]};
        end
    end

    always @(posedge clock) begin
        counted_late <= beats[N-1];
        starts <= starts + int'(reset_start);
        if (u_dut.look) counted <= counted_late;
    end

    // ---- accesses
    localparam int WORDS = N_RX > 32 ? (N_RX + 31) / 32 : 1;  // registers ERRORS
    logic [31:0] got, torn;
    logic [127:0] any_flag;
    logic [63:0] preset;
    logic [1:0]  resp;
    logic [31:0] found [0:1023];

    task expect_read(input int offset, input logic [31:0] expected);
        u_master.read(12'(offset), got, resp);
        if (resp != 2'b00 || got !== expected)
            $fatal(1, "offset %h: got %h with %b, expected %h (%m)", offset, got, resp, expected);
        compared = compared + 1;
    endtask
    task put(input int offset, input logic [31:0] data, input logic [3:0] strb);
        u_master.write(12'(offset), data, strb, resp);
        if (resp != 2'b00) $fatal(1, "write to %h answered %b (%m)", offset, resp);
    endtask
    task expect_counters;
        any_flag = '0;
        for (int k = 0; k < N; k++) begin
            expect_read('h100 + 'h20 * k, 32'(frames[k]));
            expect_read('h104 + 'h20 * k, 32'(beats[k]));
            expect_read('h108 + 'h20 * k, 32'd0);
            expect_read('h10C + 'h20 * k, 32'(stalls[k]));
            expect_read('h110 + 'h20 * k, {28'd0, any_marked[k], flags[k]});
            expect_read('h118 + 'h20 * k, first_marked[k]);
            expect_read('h11C + 'h20 * k, last_marked[k]);
            if (flags[k] != 0) any_flag[k] = 1'b1;
        end
        for (int j = 0; j < 4; j++) expect_read('h014 + 'h20 * j, any_flag[j*32 +: 32]);
    endtask
    // What stream k has for frames of a transfer, at the port and in the register.
    task expect_many(input int k, input int frames_each);
        expect_read('h114 + 'h20 * k, 32'(frames_each));
        if (many[k*16 +: 16] !== 16'(frames_each)) $fatal(1, "stream %0d: %0d at the port (%m)", k, many[k*16 +: 16]);
    endtask
    task run_events(input int cycles);
        events = 1'b1;
        repeat (cycles) @(negedge clock);
        events = 1'b0;
        repeat (4) @(negedge clock);
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; eager = 1'b0; events = 1'b0; faults = 1'b0; collide = 1'b0;
        reset_busy = 1'b0; restart = 1'b0; starts = 0;
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        forget_counts = 1'b0; forget_flags = '0;
        repeat (3) @(negedge clock);

        expect_read('h000, 32'h5348474E);
        expect_read('h004, 32'd3);
        expect_read('h008, BUILD_ID[31:0]);
        expect_read('h00C, BUILD_ID[63:32]);
        expect_read('h010, 32'(N_TX * 256 + N_RX));
        expect_read('h01C, 32'd0);
        expect_counters;

        put('h01C, 32'hA1B2C3D4, 4'b1111);
        expect_read('h01C, 32'hA1B2C3D4);
        put('h01C, 32'h11223344, 4'b0101);
        expect_read('h01C, 32'hA122C344);
        put('h01C, 32'hFFFFFFFF, 4'b0000);
        expect_read('h01C, 32'hA122C344);

        run_events(300);
        expect_counters;
        faults = 1'b1;
        run_events(7);
        expect_counters;
        run_events(200);
        expect_counters;

        // Clear one receiver's flags and no other's; a strobe that is off clears nothing.
        for (int k = 0; k < N_RX; k++) if (N_RX <= 32 || k == 0 || k >= N_RX - 2) begin
            put('h014 + 'h20 * (k / 32), 32'd1 << (k % 32), ~(4'b0001 << (k % 32 / 8)));
            expect_counters;
            put('h014 + 'h20 * (k / 32), 32'd1 << (k % 32), 4'b1111);
            forget_flags[k] = 1'b1;
            @(negedge clock);
            forget_flags = '0;
            expect_counters;
            if (N_RX > 1 && k == 0 && any_flag == 0) $fatal(1, "nothing left to tell receivers apart (%m)");
        end
        // A flag that rises in the very cycle in which it is cleared stays.
        if (N_RX > 0) begin
            collide = 1'b1;
            for (int j = 0; j < WORDS; j++) put('h014 + 'h20 * j, '1, 4'b1111);
            collide = 1'b0;
            for (int k = 0; k < N_RX; k++) expect_read('h110 + 'h20 * k, 32'd1);
            run_events(60);
            for (int k = 0; k < N_RX; k++) if (flags[k] == 0) $fatal(1, "receiver %0d had no fault (%m)", k);
            for (int j = 0; j < WORDS; j++)
                expect_read('h014 + 'h20 * j, 32'((128'd1 << N_RX) - 1 >> (32 * j)));
        end

        // Frames of a transfer: each stream its own, whole words only, from 1 to 65535.
        for (int k = 0; k < N; k++) expect_many(k, 1);
        for (int k = 0; k < N; k++) put('h114 + 'h20 * k, 32'(1000 * k + 2), 4'b1111);
        for (int k = 0; k < N; k++) expect_many(k, SINGLE[k] ? 1 : 1000 * k + 2);
        put('h114, 32'd77, 4'b0011);
        expect_many(0, SINGLE[0] ? 1 : 2);
        put('h114, 32'd0, 4'b1111);
        expect_many(0, 1);
        put('h114, 32'h00010000, 4'b1111);
        expect_many(0, SINGLE[0] ? 1 : 65535);
        put('h114 + 'h20 * N, 32'd9, 4'b1111);
        expect_read('h114 + 'h20 * N, 32'd0);

        // Bits 1 and 2 of CONTROL, with its strobe, ask for resets; nothing is cleared by them.
        put('h018, 32'hFFFFFFFE, 4'b1110);
        if (starts != 0 || reset_hold) $fatal(1, "a reset without a strobe (%m)");
        put('h018, 32'hFFFFFFFE, 4'b1111);
        expect_read('h018, 32'd4);
        if (starts != 1 || !reset_hold) $fatal(1, "no reset (%m)");
        reset_busy = 1'b1;
        expect_read('h018, 32'd6);
        put('h018, 32'd2, 4'b1111);
        expect_read('h018, 32'd2);
        reset_busy = 1'b0;
        expect_read('h018, 32'd0);
        if (starts != 2 || reset_hold) $fatal(1, "the reset is not over (%m)");
        // Only bit 0 of CONTROL, with its strobe, clears.
        put('h018, 32'h00000001, 4'b1110);
        expect_read('h100, 32'(frames[0]));
        expect_read('h018, 32'd0);
        put('h018, 32'h00000001, 4'b0001);
        forget_counts = 1'b1;
        @(negedge clock);
        forget_counts = 1'b0;
        for (int k = 0; k < N; k++) begin
            expect_read('h100 + 'h20 * k, 32'd0);
            expect_read('h104 + 'h20 * k, 32'd0);
            expect_read('h10C + 'h20 * k, 32'd0);
        end
        run_events(100);
        for (int k = 0; k < N; k++) begin
            expect_read('h100 + 'h20 * k, 32'(frames[k]));
            expect_read('h10C + 'h20 * k, 32'(stalls[k]));
        end

        // After a reset of partitions and links everything counts from 0 again; what the host has set stays.
        faults = 1'b1;
        run_events(60);
        restart = 1'b1;
        run_events(20);
        forget_counts = 1'b1; forget_flags = '1;
        @(negedge clock);
        restart = 1'b0; forget_counts = 1'b0; forget_flags = '0;
        expect_counters;
        expect_read('h01C, 32'hA122C344);
        expect_many(0, SINGLE[0] ? 1 : 65535);
        run_events(30);
        expect_counters;

        // The high half is that of the moment in which the low half was read, over every carry of a running count; STALLS
        // stops at its end. The count is assigned while nothing counts, and never forced: on Verilator, a force of a signal in
        // a module that it does not inline is seen in all instances of that module, those of other cases among them.
        for (int r = 0; r < 6; r++) begin
            case (r)
                0:       preset = 64'h00000005_FFFFFFD0;
                1:       preset = 64'h00000000_0000FFD0;
                2:       preset = 64'h0000FFFF_FFFFFFE0;
                3:       preset = 64'hFFFFFFFF_FFFFFFC0;
                4:       preset = 64'h01234567_FFFFFFB0;
                default: preset = 64'h7FFFFFFF_FFFFFFA0;
            endcase
            u_dut.g_stream[N-1].u_beats.count_q = preset;
            repeat (2) @(negedge clock);
            beats[N-1] = preset;
            events = 1'b1;
            eager  = r[0];
            while (beats[N-1] - preset < 64'd128) begin
                u_master.read(12'('h104 + 'h20 * (N - 1)), got, resp);
                if (got !== counted[31:0]) $fatal(1, "low half is %h, %h were counted (%m)", got, counted);
                torn = counted[63:32];
                if (N > 1) u_master.read(12'('h104), got, resp);
                expect_read('h108 + 'h20 * (N - 1), torn);
            end
            events = 1'b0;
            repeat (4) @(negedge clock);
            expect_read('h104 + 'h20 * (N - 1), beats[N-1][31:0]);
            expect_read('h108 + 'h20 * (N - 1), beats[N-1][63:32]);
        end
        // A read that must wait until the answer before it is taken answers with what it saw when it came.
        events = 1'b1;
        force a_rready = 1'b0;
        u_master.r_addr  = 12'h000;
        u_master.r_asked = !u_master.r_asked;
        repeat (8) @(negedge clock);
        force a_araddr  = 12'('h104 + 'h20 * (N - 1));
        force a_arvalid = 1'b1;
        while (!a_arready) @(negedge clock);
        @(negedge clock);
        release a_arvalid;
        release a_araddr;
        repeat (40) @(negedge clock);
        torn = counted[31:0];
        if (beats[N-1][31:0] < torn + 32'd8) $fatal(1, "too little came while the read waited (%m)");
        release a_rready;
        wait (u_master.r_served == u_master.r_asked);
        force a_rready = 1'b1;
        @(posedge clock);
        while (!a_rvalid) @(posedge clock);
        if (a_rdata !== torn) $fatal(1, "the read that waited got %h, expected %h (%m)", a_rdata, torn);
        compared = compared + 1;
        @(negedge clock);
        release a_rready;
        events = 1'b0;
        repeat (4) @(negedge clock);

        eager = 1'b0;
        u_dut.g_stream[N-1].u_stalls.count_q = 32'hFFFFFFFE;
        repeat (2) @(negedge clock);
        run_events(60);
        expect_read('h10C + 'h20 * (N - 1), 32'hFFFFFFFF);

        eager = 1'b1;
        @(negedge clock);
        expect_read('h000, 32'h5348474E);
        if (u_master.cycles_r != 4) $fatal(1, "a read takes %0d cycles (%m)", u_master.cycles_r);
        if (DUMP) begin
            for (int w = 0; w < 1024; w++) u_master.read(12'(w * 4), found[w], resp);
            for (int w = 0; w < 1024; w++) if (w != 5 && w != 6) put(w * 4, ~32'(w * 4), 4'b1111);
            for (int w = 0; w < 1024; w++)
                if (w != 5 && w != 6) begin
                    u_master.read(12'(w * 4), got, resp);
                    $display("REG %h %h %h", 12'(w * 4), found[w], got);
                end
            for (int w = 5; w <= 6; w++) begin
                put(w * 4, 32'hFFFFFFFF, 4'b1111);
                u_master.read(12'(w * 4), got, resp);
                $display("REG %h %h %h", 12'(w * 4), found[w], got);
            end
        end
        aresetn = 1'b0;
        forget_counts = 1'b1; forget_flags = '1;
        repeat (3) @(negedge clock);
        forget_counts = 1'b0; forget_flags = '0;
        aresetn = 1'b1;
        @(negedge clock);
        expect_counters;
        expect_read('h01C, 32'd0);
        expect_many(0, 1);
        done = 1'b1;
    end
endmodule

module tb_shell_status;
    localparam int N = 6;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    shell_status_case #(.N_RX(3), .N_TX(2), .SEED(1), .DUMP(1), .SINGLE(5'b00010)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    shell_status_case #(.N_RX(0), .N_TX(1), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    shell_status_case #(.N_RX(9), .N_TX(0), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    // Parts so short that every carry is crossed hundreds of times.
    shell_status_case #(.N_RX(1), .N_TX(1), .PART_W(2), .SEED(4), .SINGLE(2'b01)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    shell_status_case #(.N_RX(3), .N_TX(15), .PART_W(3), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    // One receiver more than a register of errors has bits.
    shell_status_case #(.N_RX(33), .N_TX(1), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
endmodule

`default_nettype wire
