// SPDX-License-Identifier: BSD-3-Clause
//
// tb_shell_turns - registers hold what is written to them, and replicas go and come back in a reset only.
//
// Random writes, with and without all strobes, to every word and between resets of the partitions of random length. A
// model says what each word reads; `absent` is compared in every cycle.
`default_nettype none

module shell_turns_case #(
    parameter int N = 1, ROUNDS = 300, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PLACES = N > 0 ? N : 1;

    wire        clock = aclk && !done;
    logic       aresetn, inner_aresetn;
    wire [11:0] awaddr, araddr;
    wire [2:0]  awprot, arprot;
    wire        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire [31:0] wdata, rdata;
    wire [3:0]  wstrb;
    wire [1:0]  bresp, rresp;
    wire [16*PLACES-1:0] absent;
    bench_lite_master #(.LIMIT(200), .SEED(SEED)) u_master (
        .aclk(clock), .aresetn(aresetn), .eager(SEED % 2 == 0),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );
    shell_turns #(.N(N)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axil_awaddr(awaddr[7:0]), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr[7:0]), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .inner_aresetn(inner_aresetn), .absent(absent)
    );

    // ---- the model: what each word holds, and what was taken over in the last reset of the partitions
    logic [15:0]          held [0:63];
    logic [16*PLACES-1:0] in_force;
    logic held_q;  // the reset has been seen
    always @(posedge clock) begin
        held_q <= !inner_aresetn;
        if (aresetn && (inner_aresetn || held_q)) begin
            if (absent !== in_force) $fatal(1, "absent is %h, not %h (%m)", absent, in_force);
            compared = compared + 1;
        end
    end

    logic [31:0] dice, word, value;
    logic [3:0]  strobes;
    logic [1:0]  resp;
    int          place;
    task automatic roll;
        dice = dice * 32'd1664525 + 32'd1013904223;
    endtask
    function automatic logic [31:0] shown(input int at);
        shown = 32'd0;
        if (at == 0) shown = {16'd0, held[0]};
        for (int k = 0; k < N; k++) begin
            if (at == 2 + 2 * k) shown = {16'd0, held[at]};
            if (at == 3 + 2 * k) shown = {16'd0, in_force[16*k +: 16]};
        end
    endfunction
    task automatic look;
        for (int k = 0; k < 64; k++) begin
            u_master.read(12'(4 * k), word, resp);
            if (resp != 2'b00 || word !== shown(k)) $fatal(1, "%h reads %h, not %h (%m)", 4 * k, word, shown(k));
            compared = compared + 1;
        end
    endtask
    task automatic reset_partitions;
        inner_aresetn = 1'b0;
        for (int k = 0; k < N; k++) in_force[16*k +: 16] = held[2+2*k];
        repeat (2) @(negedge clock);
        roll;
        repeat (int'(dice[20:18])) @(negedge clock);
        inner_aresetn = 1'b1;
        @(negedge clock);
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; inner_aresetn = 1'b1; dice = 32'(SEED) * 32'h9E37_79B9;
        in_force = '0;
        for (int k = 0; k < 64; k++) held[k] = '0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        look;
        for (int round = 0; round < ROUNDS; round++) begin
            roll;
            place = int'(dice[29:24]);
            if (dice[23]) place = 2 * int'(dice[28:24]);
            strobes = dice[22:21] == 2'd0 ? dice[19:16] : 4'hF;
            roll;
            value = dice;
            u_master.write(12'(4 * place), value, strobes, resp);
            if (resp != 2'b00) $fatal(1, "a write to %h is not answered OKAY (%m)", place);
            if (strobes == 4'hF && (place == 0 || (place % 2 == 0 && place >= 2 && place < 2 + 2 * N))) held[place] = value[15:0];
            @(negedge clock);
            roll;
            if (dice[31:29] == '0) reset_partitions;
            if (dice[28:25] == '0) look;
        end
        look;
        reset_partitions;
        look;
        aresetn = 1'b0;
        in_force = '0;
        for (int k = 0; k < 64; k++) held[k] = '0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        look;
        done = 1'b1;
    end
endmodule

module tb_shell_turns;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    shell_turns_case #(.N(0), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    shell_turns_case #(.N(1), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    shell_turns_case #(.N(3), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    shell_turns_case #(.N(30), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
