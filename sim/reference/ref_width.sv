// SPDX-License-Identifier: BSD-3-Clause
//
// ref_width - regroups the elements of a stream between two layers of one partition (PE of one, SIMD of the next).
//
// Words are elements of ELEM_W bits, element 0 in the least significant bits, zero-padded to whole bytes, on both
// sides. The elements of a frame are a multiple of both group sizes, so nothing is left over between frames.
// Throughput: a word per cycle on the side with fewer elements. Latency: one cycle.
// Resources: (S_ELEMS + M_ELEMS) * ELEM_W flops and two shifters.
//
// Parameters: ELEM_W   bits of an element
//             S_ELEMS  elements of an incoming word
//             M_ELEMS  elements of an outgoing word
// Checked by: tests/test_reference_rtl.py (Icarus and Verilator)
`default_nettype none

module ref_width #(
    parameter int ELEM_W     = 8,
    parameter int S_ELEMS    = 1,
    parameter int M_ELEMS    = 1,
    localparam int S_TDATA_W = (ELEM_W * S_ELEMS + 7) / 8 * 8,
    localparam int M_TDATA_W = (ELEM_W * M_ELEMS + 7) / 8 * 8
) (
    input  wire                  aclk,
    input  wire                  aresetn,

    input  wire [S_TDATA_W-1:0]  s_axis_tdata,
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,

    output wire [M_TDATA_W-1:0]  m_axis_tdata,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready
);
    localparam int CAPACITY = S_ELEMS + M_ELEMS;
    localparam int COUNT_W  = $clog2(CAPACITY + 1);
    localparam int HELD_W   = CAPACITY * ELEM_W;

    logic [HELD_W-1:0]  held_q, kept, held_next;
    logic [COUNT_W-1:0] count_q, left;

    wire give = m_axis_tvalid && m_axis_tready;
    wire take = s_axis_tvalid && s_axis_tready;
    wire [HELD_W-1:0] arriving = HELD_W'(s_axis_tdata[S_ELEMS*ELEM_W-1:0]);

    // Ready depends on the count alone: room for a whole word whatever the other side does.
    assign s_axis_tready = count_q <= COUNT_W'(M_ELEMS);
    assign m_axis_tvalid = count_q >= COUNT_W'(M_ELEMS);
    assign m_axis_tdata  = M_TDATA_W'(held_q[M_ELEMS*ELEM_W-1:0]);

    always_comb begin
        kept      = give ? held_q >> (M_ELEMS * ELEM_W) : held_q;
        left      = give ? count_q - COUNT_W'(M_ELEMS) : count_q;
        held_next = kept;
        // Elements above `left` are zero, so the new word can be merged in.
        if (take) held_next = kept | (arriving << (left * ELEM_W));
    end

    always_ff @(posedge aclk) begin
        held_q  <= held_next;
        count_q <= take ? left + COUNT_W'(S_ELEMS) : left;
        if (!aresetn) begin
            held_q  <= '0;
            count_q <= '0;
        end
    end

    wire unused = &{1'b0, s_axis_tdata};  // padding
endmodule

`default_nettype wire
