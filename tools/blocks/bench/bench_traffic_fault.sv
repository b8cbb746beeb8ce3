// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic_fault - simulation only: spoils a stream, so that a bench can be seen to notice.
//
// +fault=<n>:
//   1 a beat is lost   2 a beat comes twice   3 two beats change places   4 a bit is wrong
//   5 a bit changes while the beat waits, and back   6 tvalid falls while the beat waits   7 tlast is wrong
//   8 fifteen cycles of sixteen are idle   9 a beat more at the end   0 none
// One fault strikes in each shape, after 100 beats; 8 all the time.
//
// Parameters: W  bits of a beat
`default_nettype none

module bench_traffic_fault #(
    parameter int W = 8
) (
    input  wire           aclk,
    input  wire           aresetn,

    input  wire  [W-1:0]  s_axis_tdata,
    input  wire           s_axis_tlast,
    input  wire           s_axis_tvalid,
    output wire           s_axis_tready,

    output wire  [W-1:0]  m_axis_tdata,
    output wire           m_axis_tlast,
    output wire           m_axis_tvalid,
    input  wire           m_axis_tready
);

    int            fault, count, idle, cycle, waited;
    logic          struck;
    logic [1:0]    swap;  // 1: a beat is held back, 2: it follows
    logic [W:0]    held;

    initial begin
        if (!$value$plusargs("fault=%d", fault)) fault = 0;
        count = 0; struck = 1'b0; swap = 2'd0; held = '0; idle = 0; cycle = 0; waited = 0;
    end

    wire now   = count >= 100 && !struck && s_axis_tvalid;
    wire lose  = now && (fault == 1 || (fault == 3 && swap == 2'd0));
    wire twice = now && fault == 2;
    wire wrong = now && fault == 4;
    wire shake = now && fault == 5 && waited == 1;
    wire fall  = now && fault == 6 && waited == 1;
    wire mark  = now && fault == 7;
    wire pause = fault == 8 && cycle % 16 != 0 && waited == 0;
    wire more  = fault == 9 && idle > 30 && !struck;
    wire after = swap == 2'd2;

    assign m_axis_tdata  = after ? held[W-1:0] : s_axis_tdata ^ (W'(wrong || shake) << (W / 2));
    assign m_axis_tlast  = after ? held[W] : s_axis_tlast ^ mark;
    assign m_axis_tvalid = after || more || (s_axis_tvalid && !lose && !fall && !pause);
    assign s_axis_tready = lose || (m_axis_tready && !after && !twice && !fall && !pause);

    always @(posedge aclk) begin
        cycle  <= cycle + 1;
        waited <= m_axis_tvalid && !m_axis_tready ? waited + 1 : 0;
        idle   <= s_axis_tvalid || count == 0 ? 0 : idle + 1;
        if (s_axis_tvalid && s_axis_tready) count <= count + 1;
        if (lose && fault == 3) begin
            held <= {s_axis_tlast, s_axis_tdata};
            swap <= 2'd1;
        end
        if (swap == 2'd1 && m_axis_tvalid && m_axis_tready) swap <= 2'd2;
        if (after && m_axis_tready) swap <= 2'd0;
        if (shake || fall || lose || (m_axis_tvalid && m_axis_tready && (twice || wrong || mark || more)))
            struck <= 1'b1;
        if (!aresetn) begin
            count  <= 0;
            idle   <= 0;
            struck <= 1'b0;
            swap   <= 2'd0;
        end
    end

endmodule

`default_nettype wire
