// SPDX-License-Identifier: BSD-3-Clause
//
// axis_error_injector - simulation only: damages one stream in a chosen way, to prove that the bench detects it.
//
// tdata is the whole beat, sidebands included (put the data at the bottom). Kinds: 0 nothing, 1 flip bit 0
// of a beat, 2 drop a beat, 3 send a beat twice, 4 swap a beat with the one after it (a last beat of all
// is then never seen), 5 stall from a beat on. The beat is given by its index since the reset. kind and beat may change only
// while no transfer is pending.
//
// Throughput: one beat per cycle, no latency (combinational while nothing is injected).
// Parameters: DATA_W  bits of a beat
`default_nettype none

module axis_error_injector #(
    parameter int DATA_W = 73
) (
    input  wire              aclk,
    input  wire              aresetn,
    input  wire [2:0]        inject_kind,
    input  wire [31:0]       inject_beat,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready
);
    localparam logic [2:0] FLIP = 3'd1, DROP = 3'd2, DUPLICATE = 3'd3, SWAP = 3'd4, STUCK = 3'd5;

    logic [31:0]       index_q;
    logic              sent_once_q;  // DUPLICATE: the first copy is gone
    logic              holding_q;    // SWAP: the beat waits in hold_q ...
    logic              release_q;    // ... and its successor has passed it
    logic [DATA_W-1:0] hold_q;

    wire hit   = s_axis_tvalid && index_q == inject_beat;
    wire drop  = hit && inject_kind == DROP;
    wire first = hit && inject_kind == DUPLICATE && !sent_once_q;
    wire take  = hit && inject_kind == SWAP;
    wire flip  = hit && inject_kind == FLIP;
    wire stuck = inject_kind == STUCK && index_q >= inject_beat;

    assign m_axis_tdata  = release_q ? hold_q : s_axis_tdata ^ {{(DATA_W - 1) {1'b0}}, flip};
    assign m_axis_tvalid = release_q || (s_axis_tvalid && !drop && !take && !stuck);
    assign s_axis_tready = !stuck && !release_q && !first && (m_axis_tready || drop || take);

    always_ff @(posedge aclk) begin
        if (s_axis_tvalid && s_axis_tready) begin
            index_q     <= index_q + 32'd1;
            sent_once_q <= 1'b0;
            holding_q   <= take;
            release_q   <= holding_q;
            if (take) hold_q <= s_axis_tdata;
        end
        if (first && m_axis_tready) sent_once_q <= 1'b1;
        if (release_q && m_axis_tready) release_q <= 1'b0;
        if (!aresetn) begin
            index_q     <= 32'd0;
            sent_once_q <= 1'b0;
            holding_q   <= 1'b0;
            release_q   <= 1'b0;
        end
    end
endmodule

`default_nettype wire
