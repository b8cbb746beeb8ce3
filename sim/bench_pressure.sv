// SPDX-License-Identifier: BSD-3-Clause
//
// bench_pressure - simulation only: how each port of the bench stalls, in turns longer than a cluster can buffer.
//
// Stalls drawn independently in every cycle are hidden by any FIFO. Here a run goes through turns. Even turns
// are random: each port draws a rate around intensity, and a length to which its pauses may grow, short of
// 2**reach cycles. In odd turns one port is singled out: first each in turn starves (it does nothing for hold
// cycles, while the others go on at random), then each in turn floods (it never pauses, while the others
// pause three cycles of four). The seed tells which port is the first, and which of the two comes first.
//
// The same seed gives the same stalls to the cycle, in every simulator.
// Parameters: PORTS  ports of the bench
`default_nettype none

module bench_pressure #(
    parameter int PORTS = 1
) (
    input  wire               aclk,
    input  wire               aresetn,
    input  wire               start,      // the turns run while high
    input  wire [7:0]         intensity,  // mean chance of a stall in a random turn, in 1/256; 0: no port ever stalls
    input  wire [31:0]        hold,       // cycles of a turn in which one port is singled out
    input  wire [31:0]        spell,      // cycles of a random turn
    input  wire [3:0]         reach,      // pauses in random turns are shorter than 2**reach cycles
    input  wire [31:0]        seed,
    input  wire [PORTS-1:0]   jam,        // stalled ports, independent of the turns
    output wire [8*PORTS-1:0] chance,     // of each port, as bench_stall takes it: 255 is always
    output wire [31:0]        turns       // turns that were begun
);
    localparam logic [7:0] ALWAYS = 8'd255, HEAVY = 8'd192;

    logic [31:0] left_q, turn_q, port_q;
    logic        flood_q;  // this round of singled turns floods

    wire active  = start && intensity != 8'd0;
    wire singled = turn_q[0];
    wire change  = active && left_q == 32'd0;
    wire [31:0] first   = seed % PORTS;
    wire [31:0] follows = port_q == PORTS - 1 ? 32'd0 : port_q + 32'd1;
    assign turns = turn_q;

    always_ff @(posedge aclk) begin
        if (change) begin
            turn_q <= turn_q + 32'd1;
            left_q <= singled ? spell : hold;
            if (singled) begin
                port_q <= follows;
                if (follows == first) flood_q <= !flood_q;
            end
        end else if (active) left_q <= left_q - 32'd1;
        if (!aresetn) begin
            left_q  <= spell;
            turn_q  <= 32'd0;
            port_q  <= first;
            flood_q <= seed[1];
        end
    end

    generate
        for (genvar k = 0; k < PORTS; k++) begin : g_port
            logic [31:0] state_q;  // xorshift
            logic [15:0] pause_q;  // cycles until the next draw
            logic [7:0]  rate_q;
            logic [3:0]  grow_q;
            logic        on_q;
            wire  [31:0] step_a = state_q ^ (state_q << 13);
            wire  [31:0] step_b = step_a ^ (step_a >> 17);
            wire  [31:0] next   = step_b ^ (step_b << 5);
            wire         chosen = singled && port_q == k;
            wire         others = singled && flood_q;
            // Up to twice the intensity, so that it is the mean; never always.
            wire  [16:0] drawn  = {9'd0, next[7:0]} * {9'd0, intensity} >> 7;
            wire  [7:0]  rate   = others ? HEAVY : rate_q;

            always_ff @(posedge aclk) begin
                if (active && (pause_q == 16'd0 || change)) begin
                    state_q <= next;
                    on_q    <= next[31:24] < rate;
                    pause_q <= next[23:8] & ((16'd1 << grow_q) - 16'd1);
                end else if (active) pause_q <= pause_q - 16'd1;
                if (change) begin
                    rate_q <= drawn > 17'd240 ? 8'd240 : drawn[7:0];
                    grow_q <= 4'({12'd0, next[15:12]} * ({12'd0, reach} + 16'd1) >> 4);
                end
                if (!aresetn) begin
                    state_q <= (32'h9E37_79B9 * (seed + 32'd1 + 32'h85EB_CA6B * 32'(k))) | 32'd1;
                    pause_q <= 16'd0;
                    rate_q  <= intensity;
                    grow_q  <= 4'd0;
                    on_q    <= 1'b0;
                end
            end

            assign chance[8*k+:8] = jam[k] ? ALWAYS : !active ? 8'd0 : chosen ? (flood_q ? 8'd0 : ALWAYS) : on_q ? ALWAYS : 8'd0;
        end
    endgenerate
endmodule

`default_nettype wire
