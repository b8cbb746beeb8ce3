// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_numbers - accl_number, accl_gate, accl_frames and accl_told in a row, both ends reset at any moment: every frame is right
// or has a taint, no number comes twice, and in the end the receiver knows the next number although no frame follows.
`default_nettype none
module tb;
    parameter int BEATS = 3;
    parameter int SEED = 1;
    localparam int W = 64;
    logic clk = 0; always #1 clk = !clk;
    logic rst = 0, slink = 0, rlink = 0;
    int seed = SEED;
    function automatic int rnd(int n); rnd = $unsigned($random(seed)) % n; endfunction
    // source
    logic [31:0] number = 32'h05000000; logic known = 0; logic taint = 0;
    logic [W-1:0] sd = 0; logic sv = 0; wire sr;
    wire [W-1:0] nd, gd, fd, md; wire nl, nv, nr, gl, gv, gr, fv, fr, mv, done, fdone, rdone, pdone, torn, dr, dr2;
    logic mr = 0; wire request; logic chosen = 0, grant = 0; wire [31:0] mnum, mark; wire mtaint, mknown;
    accl_number #(.BEATS(BEATS), .DATA_W(W)) n (.aclk(clk), .aresetn(slink), .number, .number_known(known), .taint,
        .s_axis_tdata(sd), .s_axis_tvalid(sv), .s_axis_tready(sr), .m_axis_tdata(nd), .m_axis_tlast(nl), .m_axis_tvalid(nv),
        .m_axis_tready(nr), .out_fire(nv && nr), .out_void(nd[32]), .out_last(nl), .put_done(pdone), .frame_done(fdone));
    accl_gate #(.BEATS(BEATS + 2), .DATA_W(W)) g (.aclk(clk), .aresetn(rst), .link_aresetn(slink), .drain(1'b0), .drained(dr),
        .request, .chosen, .grant, .s_axis_tdata(nd), .s_axis_tvalid(nv), .s_axis_tready(nr), .m_axis_tdata(gd),
        .m_axis_tlast(gl), .m_axis_tvalid(gv), .m_axis_tready(gr && rst), .frame_done(pdone));
    accl_frames #(.BEATS(BEATS + 2), .DATA_W(W)) f (.aclk(clk), .aresetn(rst), .link_aresetn(rlink), .drain(1'b0), .drained(dr2),
        .s_axis_tdata(gd), .s_axis_tlast(gl), .s_axis_tvalid(gv), .s_axis_tready(gr), .m_axis_tdata(fd), .m_axis_tvalid(fv),
        .m_axis_tready(fr), .frame_done(done), .torn);
    accl_told #(.BEATS(BEATS), .DATA_W(W)) t (.aclk(clk), .aresetn(rst), .link_aresetn(rlink), .in_head(gd[33:0]),
        .in_fire(gv && gr), .s_axis_tdata(fd), .s_axis_tvalid(fv), .s_axis_tready(fr), .m_axis_tdata(md), .m_axis_tvalid(mv),
        .m_axis_tready(mr), .frame_done(rdone), .number(mnum), .taint(mtaint), .mark, .mark_known(mknown));
    // engine
    int hold = 0;
    always @(posedge clk) begin
        if (!rst) begin chosen <= 0; grant <= 0; end
        else if (!chosen) begin if (request && slink && rnd(3) == 0) begin chosen <= 1; hold <= rnd(6); end end
        else if (!grant) begin if (hold == 0) grant <= 1; else hold <= hold - 1; end
        else if (gv && gr && gl) begin chosen <= 0; grant <= 0; end
    end
    // source behaviour
    int beat = 0, wait_q = 0, frames = 0; logic stop = 0, idle_gap = 0; int sreset = 0;
    logic [31:0] frametaint;
    always @(negedge clk) if (rst) begin
        if (!slink) begin
            sv = 0; known = 0; sreset = sreset - 1;
            if (beat != 0 || 1) begin if (beat != 0) number[23:0] = number[23:0] + 1; beat = 0; end
            if (sreset <= 0) begin slink = 1; number[23:0] = number[23:0] + rnd(3); wait_q = 5 + rnd(10); end
        end else begin
            if (!known && rnd(8) == 0) known = 1;
        end
        rcheck();
    end
    task automatic rcheck; endtask
    always @(posedge clk) begin
        if (rst && slink) begin
            if (sv && sr) begin
                sv <= 0;
                if (beat == BEATS - 1) begin beat <= 0; number[23:0] <= number[23:0] + 1; frames <= frames + 1; end
                else beat <= beat + 1;
            end
        end
    end
    always @(negedge clk) begin
        #0.2;
        if (rst && slink && !sv && known && !(stop && beat == 0) && rnd(3) != 0) begin
            if (beat == 0 && rnd(12) == 0) number[23:0] = number[23:0] + 1 + rnd(4);   // frames lost before
            else begin
            sv = 1; sd = {16'hcafe, 16'(beat), number}; taint = beat == BEATS - 1 && number[2:0] == 3'd5; end
        end
        if (!sv) taint = 0;
        if (rst && slink && !stop && rnd(300) == 0) begin slink = 0; if (sv && beat == 0) number[23:0] = number[23:0] + 1; sv = 0; sreset = 1 + rnd(4); end
        if (rst && rlink && !stop && rnd(300) == 0) rlink = 0; else if (rst && !rlink && rnd(4) == 0) rlink = 1;
        mr = rnd(3) != 0;
    end
    // checker
    logic [31:0] least = 0, cur; int place = 0, good = 0, tainted = 0, zeros = 0; logic bad = 0, cut = 0;
    always @(posedge clk) if (rst) begin
        if (torn) begin $display("torn"); $fatal; end
        if (!rlink) begin place <= 0; end
        else if (mv && mr) begin
            if (place == 0) begin
                cur <= mnum;
                if (mnum < least) begin $display("number %h below %h", mnum, least); $fatal; end
            end else if (mnum != cur) begin $display("number changed"); $fatal; end
            if (place == BEATS - 1) begin
                place <= 0; least = mnum + 1;
                if (!mtaint && (bad || md != {16'hcafe, 16'(place), mnum})) begin $display("wrong frame %h without taint %h", mnum, md); $fatal; end
                if (mtaint && mnum[2:0] != 5 && !bad && md == {16'hcafe, 16'(place), mnum} ) zeros++;
                if (mtaint) tainted++; else good++;
                bad <= 0;
            end else begin place <= place + 1; if (md != {16'hcafe, 16'(place), mnum}) bad <= 1; end
        end
        if (!rlink) bad <= 0;
        if (rlink && mknown && place == 0 && !mv && mark > least) least = mark;
    end
    initial begin
        repeat (10) @(posedge clk); #0.5 rst = 1; slink = 1; rlink = 1;
        repeat (200000) @(posedge clk);
        stop = 1; repeat (2000) @(posedge clk);
        if (!slink || !rlink) $display("links down");
        if (!mknown || mark != number) begin $display("mark %h, and next is %h", mark, number); $fatal; end
        $display("ok beats %0d good %0d tainted %0d sent %0d, cut behind their last beat %0d", BEATS, good, tainted, frames, zeros);
        $finish;
    end
endmodule
`default_nettype wire
