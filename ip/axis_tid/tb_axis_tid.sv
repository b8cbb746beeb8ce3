// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_tid - axis_tid beside two streams that have nothing to do with each other.
//
// Each transfer that leaves must have one TID from its first offer to TLAST: that of the last beat that was taken at least two
// cycles before, or of one taken since the transfer before ended.
`default_nettype none

module axis_tid_case #(
    parameter int SEED = 1, ID_W = 6
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    wire             clock = aclk && !done;
    logic            aresetn, s_valid, s_ready, m_valid, m_ready, m_last;
    logic [ID_W-1:0] s_tid;
    wire  [ID_W-1:0] m_tid;
    logic [ID_W-1:0] came, old, kept, expected;  // taken last; a cycle before; of the transfer; should be next
    logic            begun;                      // a transfer was offered and has not ended
    logic [31:0]     dice;
    int              turns;

    axis_tid #(.ID_W(ID_W)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tid(s_tid), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready),
        .m_axis_tlast(m_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tid(m_tid)
    );

    task roll;
        dice = dice * 32'd1664525 + 32'd1013904223;
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; dice = 32'(SEED); begun = 1'b0; turns = 0;
        s_valid = 1'b0; s_ready = 1'b0; s_tid = '0; m_valid = 1'b0; m_ready = 1'b0; m_last = 1'b0;
        came = '0; old = '0; kept = '0;
        repeat (4) @(negedge clock);
        aresetn = 1'b1;
        for (int step = 0; step < 4000; step++) begin
            @(negedge clock);
            roll; s_valid = dice[31];
            roll; s_ready = dice[31];
            roll; s_tid   = dice[31 -: ID_W];
            roll; m_ready = dice[31];
            if (!m_valid) begin
                roll; m_valid = dice[31:30] == 2'd0 || (step >= 2000 && step < 3000);  // for a while without a gap
                roll; m_last  = dice[31];
            end
            // What stands there if no transfer is under way.
            expected = old;
            #1;
            if (!begun && m_tid !== expected) $fatal(1, "TID is %h, not %h (%m)", m_tid, expected);
            if (begun && m_tid !== kept) $fatal(1, "TID has changed to %h within a transfer (%m)", m_tid);
            compared = compared + 1;
            if (m_valid && !begun) turns = turns + int'(m_tid != kept);
            if (m_valid) kept = m_tid;
            @(posedge clock);
            #1;
            begun = m_valid ? !(m_ready && m_last) : begun;
            if (!begun) old = came;
            if (m_valid && m_ready) m_valid = 1'b0;
            if (s_valid && s_ready) came = s_tid;
        end
        if (turns < 100) $fatal(1, "only %0d transfers had another TID than the one before (%m)", turns);
        done = 1'b1;
    end
endmodule

module tb_axis_tid;
    localparam int N = 2;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_tid_case #(.SEED(1), .ID_W(6)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_tid_case #(.SEED(2), .ID_W(1)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
endmodule

`default_nettype wire
