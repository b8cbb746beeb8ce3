// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_counters - the proof of axis_counters: an arbitrary one of the five shows what a plain counter has.
`default_nettype none

module formal_axis_counters #(
    parameter int COUNT_W = 5,
    parameter int PART_W  = 2
) (
    input wire aclk,
    input wire aresetn,
    input wire axis_tvalid,
    input wire axis_tready,
    input wire axis_tlast,
    input wire snapshot,
    input wire clear
);

    wire [COUNT_W-1:0] beats, frames, stalled, starved, cycles;

    axis_counters #(.COUNT_W(COUNT_W), .PART_W(PART_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .axis_tvalid(axis_tvalid), .axis_tready(axis_tready), .axis_tlast(axis_tlast),
        .snapshot(snapshot), .clear(clear),
        .beats(beats), .frames(frames), .stalled(stalled), .starved(starved), .cycles(cycles)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    (* anyconst *) logic [2:0] which;
    logic               seen, seen_q;
    logic [COUNT_W-1:0] shown, count_q, shown_q;

    always_comb begin
        assume (which < 3'd5);
        case (which)
            3'd0:    begin shown = beats;   seen = axis_tvalid && axis_tready; end
            3'd1:    begin shown = frames;  seen = axis_tvalid && axis_tready && axis_tlast; end
            3'd2:    begin shown = stalled; seen = axis_tvalid && !axis_tready; end
            3'd3:    begin shown = starved; seen = !axis_tvalid && axis_tready; end
            default: begin shown = cycles;  seen = 1'b1; end
        endcase
    end

    // The taps go through a flop; an event that a clear meets counts for the next time.
    always_ff @(posedge aclk) begin
        seen_q  <= seen;
        count_q <= (clear ? '0 : count_q) + COUNT_W'(seen_q);
        if (snapshot) shown_q <= count_q;
        if (!aresetn) begin
            seen_q  <= 1'b0;
            count_q <= '0;
            shown_q <= '0;
        end
    end

    always_comb if (aresetn) begin
        exact:   assert (shown == shown_q);
        carried: cover (shown_q == COUNT_W'(1 << PART_W) && which == 3'd2);
    end

endmodule

`default_nettype wire
