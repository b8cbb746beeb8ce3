// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_numbers - a stream over ACCL with numbers, as two cores have it: accl_number, axis_frame_fifo in front of accl_gate with
// STORED, accl_frames, accl_told. Both ends are reset at any moment, as CONTROL does it with and without draining.
//
// Every frame that arrives is right or has a taint, numbers rise, and in the end the receiver knows the next number although
// no frame follows. With LOSS whole puts are lost behind the gate: then a frame follows the last of them.
`default_nettype none

module accl_numbers_case #(
    parameter int BEATS = 3, DATA_W = 64, STORED = 0, LOSS = 0, SEED = 1, CYCLES = 100000
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PUT = BEATS + 2;
    localparam int DEPTH = PUT < 4 ? 4 : 1 << $clog2(PUT);

    logic [31:0] dice;
    function automatic int pick(input int below);
        dice = dice * 32'd1664525 + 32'd1013904223;
        pick = int'(dice >> 9) % below;
    endfunction
    function automatic logic [DATA_W-1:0] word(input logic [31:0] which, input int at);
        word = {DATA_W{1'b1}} ^ DATA_W'(which * 32'h9E3779B1) ^ DATA_W'(at * 32'h85EBCA77);
    endfunction
    function automatic logic spoilt(input logic [31:0] which);   // it comes with a taint
        spoilt = which % 8 == 5;
    endfunction

    // ---- the sender: link_aresetn and drain of its core, the label's number, the beats of frames ---------------------
    logic              aresetn, near_up, near_drain, far_up, far_drain, known, s_tvalid, m_tready, chosen, grant;
    logic [31:0]       number;
    logic [DATA_W-1:0] s_tdata;
    wire  [DATA_W-1:0] n_tdata, w_tdata, g_tdata, f_tdata, m_tdata;
    wire  s_tready, n_tlast, n_tvalid, n_tready, w_tlast, w_tvalid, w_tready, g_tlast, g_tvalid, g_tready, request;
    wire  f_in_ready, f_tvalid, f_tready, m_tvalid, m_taint, mark_known, frame_done, put_done, near_drained, far_drained, torn;
    wire  [31:0] m_number, mark;
    int   place;
    logic taint;                           // with the last beat
    logic losing;                          // the put that leaves the gate is lost

    accl_number #(.BEATS(BEATS), .DATA_W(DATA_W)) u_number (
        .aclk(aclk), .aresetn(near_up), .number(number), .number_known(known), .taint(taint),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(n_tdata), .m_axis_tlast(n_tlast), .m_axis_tvalid(n_tvalid), .m_axis_tready(n_tready),
        .out_fire(w_tvalid && w_tready), .out_void(w_tdata[32]), .out_last(w_tlast), .put_done(put_done), .frame_done(frame_done)
    );
    generate
        if (STORED != 0) begin : g_stored
            axis_frame_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .OUT_REG(1), .ON_FULL(0)) u_store (
                .aclk(aclk), .aresetn(near_up),
                .s_axis_tdata(n_tdata), .s_axis_tkeep({(DATA_W/8){1'b1}}), .s_axis_tlast(n_tlast), .s_axis_tuser(1'b0),
                .s_axis_tvalid(n_tvalid), .s_axis_tready(n_tready),
                .m_axis_tdata(w_tdata), .m_axis_tkeep(), .m_axis_tlast(w_tlast), .m_axis_tuser(),
                .m_axis_tvalid(w_tvalid), .m_axis_tready(w_tready),
                .good_frame(), .bad_frame(), .overflow(), .level(), .level_whole()
            );
        end else begin : g_direct
            assign w_tdata  = n_tdata;
            assign w_tlast  = n_tlast;
            assign w_tvalid = n_tvalid;
            assign n_tready = w_tready;
        end
    endgenerate
    accl_gate #(.BEATS(PUT), .DATA_W(DATA_W)) u_gate (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(near_up), .drain(near_drain), .drained(near_drained),
        .request(request), .chosen(chosen), .grant(grant),
        .s_axis_tdata(w_tdata), .s_axis_tvalid(w_tvalid), .s_axis_tready(w_tready),
        .m_axis_tdata(g_tdata), .m_axis_tlast(g_tlast), .m_axis_tvalid(g_tvalid), .m_axis_tready(g_tready), .frame_done(put_done)
    );
    assign g_tready = losing || f_in_ready;

    // ---- the receiver -------------------------------------------------------------------------------------------------
    accl_frames #(.BEATS(PUT), .DATA_W(DATA_W)) u_frames (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(far_up), .drain(far_drain), .drained(far_drained),
        .s_axis_tdata(g_tdata), .s_axis_tlast(g_tlast), .s_axis_tvalid(g_tvalid && !losing), .s_axis_tready(f_in_ready),
        .m_axis_tdata(f_tdata), .m_axis_tvalid(f_tvalid), .m_axis_tready(f_tready), .frame_done(), .torn(torn)
    );
    accl_told #(.BEATS(BEATS), .DATA_W(DATA_W)) u_told (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(far_up),
        .in_head(g_tdata[33:0]), .in_fire(g_tvalid && !losing && f_in_ready),
        .s_axis_tdata(f_tdata), .s_axis_tvalid(f_tvalid), .s_axis_tready(f_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(), .number(m_number), .taint(m_taint), .mark(mark), .mark_known(mark_known)
    );

    // ---- the engine: a command takes its time; without draining a reset may end before the put does -----------------------
    int wait_command;
    always @(posedge aclk) begin
        if (!aresetn) begin
            chosen <= 1'b0;
            grant  <= 1'b0;
            losing <= 1'b0;
        end else if (!chosen) begin
            if (request && pick(3) == 0) begin
                chosen <= 1'b1;
                wait_command <= pick(8);
                losing <= LOSS != 0 && cycles < CYCLES && pick(12) == 0;
            end
        end else if (!grant) begin
            if (wait_command == 0) grant <= 1'b1;
            else wait_command <= wait_command - 1;
        end else if (g_tvalid && g_tready && g_tlast) begin
            chosen <= 1'b0;
            grant  <= 1'b0;
        end
    end

    // ---- what happens -------------------------------------------------------------------------------------------------
    int   cycles, near_left, far_left, near_resets, far_resets, sent, good, tainted, cut, out_place, last_frame;
    logic [31:0] next, least, number_now;
    logic bad_frame;

    task automatic resets;
        if (near_left > 0) begin
            near_left = near_left - 1;
            if (near_left == 8) near_up <= 1'b0;
            if (near_left == 8) near_drain <= 1'b0;
            // Draining waits for the put that is under way.
            if (near_left == 9 && !near_drained) near_left = 10;
            if (near_left == 0) near_up <= 1'b1;
        end else if (cycles < CYCLES && pick(150) == 0) begin
            near_resets = near_resets + 1;
            near_left   = pick(2) == 0 ? 8 : 12;
            near_drain  <= near_left > 8;
            if (near_left == 8) near_up <= 1'b0;
        end
        if (far_left > 0) begin
            far_left = far_left - 1;
            if (far_left == 8) far_up <= 1'b0;
            if (far_left == 8) far_drain <= 1'b0;
            if (far_left == 0) far_up <= 1'b1;
        end else if (cycles < CYCLES && pick(200) == 0) begin
            far_resets = far_resets + 1;
            far_left   = 8 + pick(3) * pick(12);
            far_drain  <= far_left > 8;
            if (far_left == 8) far_up <= 1'b0;
        end
    endtask

    task automatic send;
        next = number;
        if (!near_up) begin
            s_tvalid <= 1'b0;
            known    <= 1'b0;
            if (place != 0 || s_tvalid) next = number + 1;
            place = 0;
        end else begin
            known <= known || pick(8) == 0;
            if (s_tvalid && s_tready) begin
                s_tvalid <= 1'b0;
                place = place + 1;
                if (place == BEATS) begin
                    place = 0;
                    sent  = sent + 1;
                    next  = number + 1;
                end
            end else if (!s_tvalid && place == 0 && pick(30) == 0 && cycles < CYCLES) next = number + 32'(1 + pick(4));
            if ((!s_tvalid || s_tready) && known && (cycles < CYCLES || place != 0 || last_frame == 1) && pick(3) != 0) begin
                s_tvalid <= 1'b1;
                s_tdata  <= word(next, place);
                taint    <= place == BEATS - 1 && spoilt(next);
                last_frame = 0;
            end
        end
        number <= next;
    endtask

    task automatic arrive;
        logic [DATA_W-1:0] right;
        if (out_place == 0) begin
            number_now = m_number;
            bad_frame  = 1'b0;
            if (m_number < least) $fatal(1, "number %h after %h (%m)", m_number, least);
        end
        right = word(m_number, out_place);
        if (m_number !== number_now) $fatal(1, "%h becomes %h (%m)", number_now, m_number);
        if (m_tdata !== right) bad_frame = 1'b1;
        out_place = out_place + 1;
        if (out_place == BEATS) begin
            if (!m_taint && (bad_frame || spoilt(m_number))) $fatal(1, "frame %h is wrong without a taint (%m)", m_number);
            good    = good + int'(!m_taint);
            tainted = tainted + int'(m_taint);
            cut     = cut + int'(bad_frame);
            least     = m_number + 1;
            out_place = 0;
            compared  = compared + 1;
        end
    endtask

    initial begin
        done = 1'b0; compared = '0; dice = 32'(SEED); cycles = 0; near_left = 0; far_left = 0; near_resets = 0; far_resets = 0; sent = 0;
        good = 0; tainted = 0; cut = 0; out_place = 0; least = '0; number_now = '0; bad_frame = 1'b0; place = 0; last_frame = 0; next = '0;
        aresetn = 1'b0; near_up = 1'b0; near_drain = 1'b0; far_up = 1'b0; far_drain = 1'b0; known = 1'b0; taint = 1'b0; s_tvalid = 1'b0; s_tdata = '0;
        m_tready = 1'b0; number = 32'h05000000; wait_command = 0;
    end
    always @(posedge aclk) if (!done) begin
        cycles = cycles + 1;
        if (cycles == 8) aresetn <= 1'b1;
        if (cycles == 8) near_up <= 1'b1;
        if (cycles == 8) far_up  <= 1'b1;
        if (aresetn) begin
            if (torn) $fatal(1, "torn (%m)");
            if (m_tvalid && m_tready) arrive;
            if (!far_up) out_place = 0;
            if (mark_known && far_up && out_place == 0 && !m_tvalid && mark > least) least = mark;
            send;
            resets;
            m_tready <= pick(3) != 0;
            if (LOSS != 0 && cycles == CYCLES + 1000) last_frame = 1;
            if (cycles == CYCLES + 4000) begin
                if (!mark_known || mark !== number) $fatal(1, "%h is least, and %h is next (%m)", mark, number);
                if (near_resets < CYCLES / 400 || far_resets < CYCLES / 500 || good < CYCLES / 50 / BEATS || cut < CYCLES / 20000)
                    $fatal(1, "%0d and %0d resets, %0d frames right, %0d cut (%m)", near_resets, far_resets, good, cut);
                done <= 1'b1;
            end
        end
    end
endmodule

module tb_accl_numbers;
    parameter int CYCLES = 20000;
    localparam int N = 6;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_numbers_case #(.BEATS(1), .SEED(1), .CYCLES(CYCLES)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_numbers_case #(.BEATS(3), .SEED(2), .CYCLES(CYCLES)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_numbers_case #(.BEATS(1), .STORED(1), .SEED(3), .CYCLES(CYCLES)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_numbers_case #(.BEATS(6), .STORED(1), .SEED(4), .CYCLES(CYCLES)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    accl_numbers_case #(.BEATS(7), .DATA_W(512), .STORED(1), .LOSS(1), .SEED(5), .CYCLES(CYCLES)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    accl_numbers_case #(.BEATS(2), .LOSS(1), .SEED(6), .CYCLES(CYCLES)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
endmodule

`default_nettype wire
