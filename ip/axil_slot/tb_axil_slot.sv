// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_slot - random 64-bit accesses, both halves of a slot and all strobes, to a model of 32-bit registers.
`default_nettype none

module axil_slot_case #(
    parameter int ADDR_W = 16, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int FAR_W = ADDR_W - 1;
    localparam int WORDS = 8;
    localparam logic [1:0] OKAY = 2'b00, DECERR = 2'b11;

    wire              clock = aclk && !done;
    logic             aresetn, eager;
    logic [4:0]       hang;
    wire [ADDR_W-1:0] s_awaddr, s_araddr;
    wire [FAR_W-1:0]  m_awaddr, m_araddr;
    wire [2:0]        s_awprot, s_arprot, m_awprot, m_arprot;
    wire              s_awvalid, s_awready, s_wvalid, s_wready, s_bvalid, s_bready;
    wire              s_arvalid, s_arready, s_rvalid, s_rready;
    wire              m_awvalid, m_awready, m_wvalid, m_wready, m_bvalid, m_bready;
    wire              m_arvalid, m_arready, m_rvalid, m_rready;
    wire [63:0]       s_wdata, s_rdata;
    wire [7:0]        s_wstrb;
    wire [31:0]       m_wdata, m_rdata;
    wire [3:0]        m_wstrb;
    wire [1:0]        s_bresp, s_rresp, far_bresp, far_rresp;

    bench_lite_master #(.ADDR_W(ADDR_W), .DATA_W(64), .LIMIT(100), .SEED(SEED)) u_host (
        .aclk(clock), .aresetn(aresetn), .eager(eager),
        .m_axil_awaddr(s_awaddr), .m_axil_awprot(s_awprot), .m_axil_awvalid(s_awvalid), .m_axil_awready(s_awready),
        .m_axil_wdata(s_wdata), .m_axil_wstrb(s_wstrb), .m_axil_wvalid(s_wvalid), .m_axil_wready(s_wready),
        .m_axil_bresp(s_bresp), .m_axil_bvalid(s_bvalid), .m_axil_bready(s_bready),
        .m_axil_araddr(s_araddr), .m_axil_arprot(s_arprot), .m_axil_arvalid(s_arvalid), .m_axil_arready(s_arready),
        .m_axil_rdata(s_rdata), .m_axil_rresp(s_rresp), .m_axil_rvalid(s_rvalid), .m_axil_rready(s_rready)
    );
    // Without VALID, address and strobes mean nothing.
    axil_slot #(.ADDR_W(ADDR_W)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axil_awaddr(s_awvalid ? s_awaddr : ~s_awaddr), .s_axil_awprot(s_awprot), .s_axil_awvalid(s_awvalid),
        .s_axil_awready(s_awready),
        .s_axil_wdata(s_wdata), .s_axil_wstrb(s_wvalid ? s_wstrb : ~s_wstrb), .s_axil_wvalid(s_wvalid),
        .s_axil_wready(s_wready),
        .s_axil_bresp(s_bresp), .s_axil_bvalid(s_bvalid), .s_axil_bready(s_bready),
        .s_axil_araddr(s_arvalid ? s_araddr : ~s_araddr), .s_axil_arprot(s_arprot), .s_axil_arvalid(s_arvalid),
        .s_axil_arready(s_arready),
        .s_axil_rdata(s_rdata), .s_axil_rresp(s_rresp), .s_axil_rvalid(s_rvalid), .s_axil_rready(s_rready),
        .m_axil_awaddr(m_awaddr), .m_axil_awprot(m_awprot), .m_axil_awvalid(m_awvalid), .m_axil_awready(m_awready),
        .m_axil_wdata(m_wdata), .m_axil_wstrb(m_wstrb), .m_axil_wvalid(m_wvalid), .m_axil_wready(m_wready),
        .m_axil_bresp(far_bresp), .m_axil_bvalid(m_bvalid), .m_axil_bready(m_bready),
        .m_axil_araddr(m_araddr), .m_axil_arprot(m_arprot), .m_axil_arvalid(m_arvalid), .m_axil_arready(m_arready),
        .m_axil_rdata(m_rdata), .m_axil_rresp(far_rresp), .m_axil_rvalid(m_rvalid), .m_axil_rready(m_rready)
    );
    // The whole far space is the slave's; PROT, which it compares with its address, is looked at below.
    wire [1:0] unused_bresp, unused_rresp;
    bench_lite_slave #(.ADDR_W(FAR_W), .WORDS_LOG2($clog2(WORDS))) u_far (
        .aclk(clock), .aresetn(aresetn), .eager(eager), .hang(hang),
        .base({FAR_W{1'b0}}), .mask({FAR_W{1'b1}}), .seed(32'(SEED)),
        .s_axil_awaddr(m_awaddr), .s_axil_awprot(m_awaddr[4:2]), .s_axil_awvalid(m_awvalid),
        .s_axil_awready(m_awready),
        .s_axil_wdata(m_wdata), .s_axil_wstrb(m_wstrb), .s_axil_wvalid(m_wvalid), .s_axil_wready(m_wready),
        .s_axil_bresp(unused_bresp), .s_axil_bvalid(m_bvalid), .s_axil_bready(m_bready),
        .s_axil_araddr(m_araddr), .s_axil_arprot(m_araddr[4:2]), .s_axil_arvalid(m_arvalid),
        .s_axil_arready(m_arready),
        .s_axil_rdata(m_rdata), .s_axil_rresp(unused_rresp), .s_axil_rvalid(m_rvalid), .s_axil_rready(m_rready)
    );
    // Every response must come through, those of an address as of the one before.
    logic [1:0] w_code, r_code;
    assign far_bresp = w_code;
    assign far_rresp = r_code;

    logic [ADDR_W-1:0] w_at, r_at;
    always @(posedge clock) begin
        if (m_awvalid === 1'b1 && (m_awaddr !== {w_at[ADDR_W-1:3], w_at[1:0]} || m_awprot !== w_at[4:2]))
            $fatal(1, "write to %h arrives at %h with prot %b (%m)", w_at, m_awaddr, m_awprot);
        if (m_arvalid === 1'b1 && (m_araddr !== {r_at[ADDR_W-1:3], r_at[1:0]} || m_arprot !== r_at[4:2]))
            $fatal(1, "read of %h arrives at %h with prot %b (%m)", r_at, m_araddr, m_arprot);
    end

    logic [31:0] model [0:WORDS-1];
    logic [31:0] dice;
    task roll;
        dice = dice ^ (dice << 13);
        dice = dice ^ (dice >> 17);
        dice = dice ^ (dice << 5);
    endtask

    // Any address of the host's space; one in eight is in the upper half of its slot.
    function automatic logic [ADDR_W-1:0] place(input logic [31:0] d);
        place = ADDR_W'({d, d});
        place[2] = d[31:29] == 3'd0;
    endfunction

    logic [63:0] data, got;
    logic [7:0]  strb;
    logic [1:0]  resp;
    logic        nobody;
    int          word, writes, reads, dropped;

    task put;
        roll;
        w_at = place(dice);
        roll;
        data = {dice, ~dice ^ {dice[15:0], dice[31:16]}};
        case (dice[9:8])
            2'd0:    strb = dice[7:0];
            2'd1:    strb = {dice[3:0], 4'd0};
            2'd2:    strb = {4'd0, dice[3:0]};
            default: strb = 8'hff;
        endcase
        w_code = dice[11:10];
        nobody = w_at[2] || (strb[7:4] != 0 && strb[3:0] == 0);
        word = int'(w_at[3 +: $clog2(WORDS)]);
        u_host.write(w_at, data, strb, resp);
        if (resp !== (nobody ? DECERR : w_code))
            $fatal(1, "write to %h with strobes %b answered %b (%m)", w_at, strb, resp);
        if (nobody) dropped = dropped + 1;
        else begin
            writes = writes + 1;
            for (int b = 0; b < 4; b++) if (strb[b]) model[word][b*8 +: 8] = data[b*8 +: 8];
        end
        if (u_far.writes != writes) $fatal(1, "%0d writes arrived, not %0d (%m)", u_far.writes, writes);
        compared = compared + 1;
    endtask

    task get;
        roll;
        r_at = place(dice);
        roll;
        r_code = dice[1:0];
        word = int'(r_at[3 +: $clog2(WORDS)]);
        u_host.read(r_at, got, resp);
        if (r_at[2] ? resp !== DECERR || got !== 64'd0 : resp !== r_code || got !== {32'd0, model[word]})
            $fatal(1, "read of %h: %h with %b, not %h with %b (%m)", r_at, got, resp, model[word], r_code);
        if (r_at[2]) dropped = dropped + 1;
        else reads = reads + 1;
        if (u_far.reads != reads) $fatal(1, "%0d reads arrived, not %0d (%m)", u_far.reads, reads);
        compared = compared + 1;
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; eager = 1'b0; hang = '0;
        writes = 0; reads = 0; dropped = 0; w_at = '0; r_at = '0; w_code = OKAY; r_code = OKAY;
        dice = 32'(SEED) * 32'h9E3779B1 + 1;
        repeat (4) @(negedge clock);
        for (int w = 0; w < WORDS; w++) model[w] = u_far.first(w);
        aresetn = 1'b1;
        for (int n = 0; n < 600; n++) begin
            eager = n >= 500;
            put;
            get;
        end
        // Edges: into the far side, answer into the host; nothing is added.
        while (r_at[2]) get;
        if (u_host.cycles_r != 2) $fatal(1, "a read takes %0d cycles (%m)", u_host.cycles_r);
        if (dropped < 100) $fatal(1, "only %0d accesses were for nobody (%m)", dropped);

        // What is for nobody is answered although the far side is dead.
        hang = '1;
        repeat (8) @(negedge clock);
        for (int n = 0; n < 8; n++) begin
            w_at = ADDR_W'(8 * n + (n[0] ? 4 : 0));
            u_host.write(w_at, 64'h0123456789abcdef, n[0] ? 8'hff : 8'hf0, resp);
            if (resp !== DECERR) $fatal(1, "write to %h answered %b (%m)", w_at, resp);
            r_at = ADDR_W'(8 * n + 4);
            u_host.read(r_at, got, resp);
            if (resp !== DECERR || got !== 64'd0) $fatal(1, "read of %h: %h with %b (%m)", r_at, got, resp);
            if (u_host.cycles_w != 2 || u_host.cycles_r != 2)
                $fatal(1, "DECERR takes %0d and %0d cycles (%m)", u_host.cycles_w, u_host.cycles_r);
            compared = compared + 2;
        end
        if (u_far.writes != writes || u_far.reads != reads) $fatal(1, "something was passed on (%m)");
        done = 1'b1;
    end
endmodule

module tb_axil_slot;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axil_slot_case #(.ADDR_W(6), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axil_slot_case #(.ADDR_W(16), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axil_slot_case #(.ADDR_W(64), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
endmodule

`default_nettype wire
