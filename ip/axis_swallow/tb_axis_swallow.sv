// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_swallow - axis_swallow between a sender that always finishes and a receiver that is reset at any time.
//
// Beats are numbered within their transfer. What is behind the block must see whole transfers from their first beat on, but
// for the one that a reset cuts; in a reset the sender must get rid of that one, up to TLAST, and of nothing else.
`default_nettype none

module axis_swallow_case #(
    parameter int SEED = 1, LENGTH = 4
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    wire         clock = aclk && !done;
    logic        aresetn, link_aresetn, m_ready;
    logic        s_valid, s_last;
    wire         s_ready, m_valid;
    logic [31:0] dice, place, seen, length, waited;  // place: of the beat offered; seen: next one behind the block
    logic        cut;                                // a reset has begun within a transfer
    int          cuts, whole;

    axis_swallow u_dut (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axis_tlast(s_last), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready)
    );

    assign s_last = place == length - 1;

    task roll;
        dice = dice * 32'd1664525 + 32'd1013904223;
    endtask

    // A cycle: what is offered and taken is judged at its end.
    task cycle(input logic up);
        logic fire;
        @(negedge clock);
        link_aresetn = up;
        roll; m_ready = dice[31:30] != 2'd0;
        roll; if (!s_valid) s_valid = dice[31];
        #1;
        if (m_valid !== (up && s_valid)) $fatal(1, "m_axis_tvalid is %b (%m)", m_valid);
        if (up && s_ready !== m_ready) $fatal(1, "s_axis_tready is %b (%m)", s_ready);
        if (!up && s_ready !== (place != 0)) $fatal(1, "in reset, at beat %0d, s_axis_tready is %b (%m)", place, s_ready);
        if (m_valid && m_ready) begin
            if (place != seen) $fatal(1, "beat %0d instead of %0d (%m)", place, seen);
            seen = s_last ? 0 : seen + 1;
            if (s_last) whole = whole + 1;
        end
        fire = s_valid && s_ready;
        compared = compared + 1;
        @(posedge clock);
        #1;
        if (fire) begin
            place = s_last ? 0 : place + 1;
            if (place == 0) begin
                roll;
                length = 1 + 32'(dice[31:16]) % LENGTH;
            end
            s_valid = 1'b0;
        end
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; link_aresetn = 1'b0; dice = 32'(SEED);
        s_valid = 1'b0; m_ready = 1'b0; place = 0; seen = 0; length = LENGTH; cuts = 0; whole = 0;
        repeat (4) @(negedge clock);
        if (s_ready !== 1'b0) $fatal(1, "takes a beat in reset (%m)");
        aresetn = 1'b1;
        repeat (400) begin
            roll;
            repeat (32'(dice[31:26])) cycle(1'b1);
            cuts = cuts + int'(place != 0);
            // Until the transfer has ended, and any time after.
            waited = 0;
            while (place != 0 && waited < 1000) begin
                cycle(1'b0);
                waited = waited + 1;
            end
            if (place != 0) $fatal(1, "a transfer does not end (%m)");
            roll;
            repeat (32'(dice[31:29])) cycle(1'b0);
            seen = 0;
        end
        if (LENGTH > 1 && cuts < 100) $fatal(1, "only %0d cuts (%m)", cuts);
        if (whole < 500) $fatal(1, "only %0d transfers (%m)", whole);
        // What has not ended by the end of a reset is forgotten: the next reset takes nothing.
        while (place == 0 && LENGTH > 1) cycle(1'b1);
        if (LENGTH > 1) begin
            @(negedge clock); s_valid = 1'b0; link_aresetn = 1'b0;
            repeat (3) @(negedge clock);
            link_aresetn = 1'b1;
            repeat (2) @(negedge clock);
            link_aresetn = 1'b0; s_valid = 1'b1;
            #1 if (s_ready !== 1'b0) $fatal(1, "does not forget (%m)");
        end
        done = 1'b1;
    end
endmodule

module tb_axis_swallow;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_swallow_case #(.SEED(1), .LENGTH(4)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_swallow_case #(.SEED(2), .LENGTH(1)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_swallow_case #(.SEED(3), .LENGTH(13)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
endmodule

`default_nettype wire
