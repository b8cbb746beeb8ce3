// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_turn - the proof of axis_turn.
//
//   in_turn  with a mask that stays: the replicas of the pattern that are alive, in order, none left out
//   soon     and the next one is known in time
//   holds    with any mask: once a frame is offered the turn stays until the frame ends
`default_nettype none

module formal_axis_turn #(
    parameter int N      = 2,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'(64'hFEDC_BA98_7654_3210),
    parameter bit VARIED = 0
) (
    input wire         aclk,
    input wire         aresetn,
    input wire [N-1:0] mask,
    input wire         offered,
    input wire         next
);

    localparam int ID_W    = $clog2(N);
    localparam int PLACE_W = LENGTH > 1 ? $clog2(LENGTH) : 1;
    localparam int COUNT_W = $clog2(LENGTH + 4);

    wire [ID_W-1:0] turn;
    wire            known;

    axis_turn #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .mask(mask), .offered(offered), .next(next), .turn(turn), .known(known)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    function automatic logic [3:0] entry(input int place);
        entry = 4'(PATTERN >> (place * 4));
    endfunction

    logic               holding_q;
    logic [ID_W-1:0]    turn_q;
    logic [COUNT_W-1:0] waited_q;

    always_comb assume (known || !next);
    always_comb assume (offered || !next);

    always_ff @(posedge aclk) begin
        holding_q <= aresetn && known && offered && !next;
        turn_q    <= turn;
        waited_q  <= known ? '0 : waited_q + 1'b1;
        if (!aresetn) waited_q <= '0;
    end
    always_comb if (aresetn) begin
        if (holding_q) assume (offered);
        exists: assert (!known || 32'(turn) < N);
        if (holding_q) holds: assert (known && turn == turn_q);
    end

    generate
        if (!VARIED) begin : g_constant
            (* anyconst *) logic [N-1:0] alive;
            logic any;
            always_comb begin
                any = 1'b0;
                for (int k = 0; k < LENGTH; k++) any = any || 1'(alive >> entry(k));
                assume (any && mask == alive);
            end

            // The first place from `from` on, around the end, of a replica that is alive.
            function automatic logic [PLACE_W-1:0] following(input logic [N-1:0] left, input int from);
                following = '0;
                for (int k = LENGTH - 1; k >= 0; k--)
                    if (1'(left >> entry((from + k) % LENGTH))) following = PLACE_W'((from + k) % LENGTH);
            endfunction

            logic [PLACE_W-1:0] place_q;
            always_ff @(posedge aclk) begin
                if (next) place_q <= following(alive, (int'(place_q) + 1) % LENGTH);
                if (!aresetn) place_q <= following(alive, 0);
            end
            always_comb if (aresetn) begin
                if (known) in_turn: assert (32'(turn) == 32'(entry(int'(place_q))));
                soon: assert (32'(waited_q) <= LENGTH + 1);
                around: cover (next && place_q == '0);
            end
        end else begin : g_varied
            always_comb if (aresetn) changed: cover (known && next && mask == N'(1) && turn != '0);
        end
    endgenerate

endmodule

`default_nettype wire
