// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width_narrow - AXI4-Stream converter to narrower beats that leaves the wide beat upstream.
//
// An input beat leaves as IN_W / OUT_W output beats, the low bits first; s_axis_tready comes with the last of
// them, and the wide beat is never stored here. The cheapest way to narrow where the source can hold its
// beat, as any AXI4-Stream source must; axis_width takes the beat over at once. s_axis_tlast leaves with the
// last part of its beat. There are no frames to count: an input beat is a whole number of output beats.
//
// Throughput  one output beat per cycle
// Latency     1 cycle with SLICE, none without; one more where IN_W / OUT_W > 256, with SLICE > 64
// Paths       SLICE = 1: m_axis is flops, s_axis_tready comes from flops; no combinational path from side to
//             side. SLICE = 0: combinational from m_axis_tready to s_axis_tready and, where IN_W / OUT_W is at
//             most 256, from s_axis to m_axis through the multiplexer
// Resources   IN_W / 3 LUT, $clog2(IN_W / OUT_W) FF; with SLICE OUT_W LUT and 2 * OUT_W FF more
//
// Parameters: IN_W, OUT_W  widths in bits, 1 to 2048; IN_W a multiple of OUT_W, at least twice
//             SLICE        1 cuts the ready and data paths, 0 leaves that to flops of the user's
// Checked by: test_axis_width_narrow.py
`default_nettype none

module axis_width_narrow #(
    parameter int IN_W  = 16,
    parameter int OUT_W = 8,
    parameter bit SLICE = 1
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [IN_W-1:0]     s_axis_tdata,
    input  wire                 s_axis_tlast,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [OUT_W-1:0]    m_axis_tdata,
    output logic                m_axis_tlast,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    localparam int RATIO  = OUT_W > 0 ? IN_W / OUT_W : 1;
    localparam int PART_W = RATIO > 1 ? $clog2(RATIO) : 1;
    localparam int ODD    = PART_W % 2;
    localparam int DIGITS = (PART_W + 1) / 2;
    // Of a long multiplexer the last steps are in a cycle of their own.
    localparam int SPLIT  = DIGITS > 4 ? DIGITS - 4 : SLICE && DIGITS == 4 ? 1 : 0;
    localparam logic [PART_W-1:0] PART_LAST = PART_W'(RATIO - 1);

    generate
        if (IN_W < 1 || IN_W > 2048) begin : g_check_in_w
            IN_W_must_be_1_to_2048 parameter_error();
        end
        if (OUT_W < 1 || RATIO < 2 || IN_W % OUT_W != 0) begin : g_check_ratio
            IN_W_must_be_a_multiple_of_OUT_W_and_at_least_twice parameter_error();
        end
    endgenerate

    // ---- control
    logic [PART_W-1:0] part_q;
    logic              out_ready;   // the multiplexer may take the next part
    wire ends = part_q == PART_LAST;
    wire step = s_axis_tvalid && out_ready;
    wire last = s_axis_tlast && ends;
    assign s_axis_tready = out_ready && ends;

    always_ff @(posedge aclk) begin
        if (step) part_q <= ends ? '0 : part_q + 1'b1;
        if (!aresetn) part_q <= '0;
    end

    // ---- the multiplexer: two bits of the part's number at a time, the highest first
    wire [2*DIGITS-1:0] part = (2*DIGITS)'(part_q) << ODD;
    wire [2*DIGITS-1:0] choice;
    wire                part_valid, part_last, part_ready;
    generate
        for (genvar k = 0; k < DIGITS; k++) begin : g_choose
            localparam int DIGIT = DIGITS - 1 - k;
            localparam int BITS  = (OUT_W << (2 * DIGIT)) >> ODD;
            localparam int TWICE = (OUT_W << (2 * DIGIT + 1)) >> ODD;
            // What later steps can still choose from.
            localparam int PARTS = (1 << (2 * DIGIT)) >> (DIGIT > 0 ? ODD : 0);
            localparam int TO_W  = PARTS < RATIO ? PARTS * OUT_W : IN_W;
            wire [1:0] by = choice[2*DIGIT +: 2];
            wire [IN_W-1:0] from;
            wire [TO_W-1:0] to;
            // Plainly TO_W'(from >> (by * BITS)). As a sum of products it takes 32 LUTs of 249 less from 512 to 8
            // bits and one level less: ABC takes nested choices apart.
            assign to = ({TO_W{by == 2'd0}} & TO_W'(from))          | ({TO_W{by == 2'd1}} & TO_W'(from >> BITS))
                      | ({TO_W{by == 2'd2}} & TO_W'(from >> TWICE))
                      | ({TO_W{by == 2'd3}} & TO_W'(from >> (BITS + TWICE)));
            if (k == 0) begin : g_first
                assign from = s_axis_tdata;
            end else if (DIGIT == SPLIT - 1) begin : g_cut
                logic [IN_W-1:0] from_q;
                always_ff @(posedge aclk) if (out_ready) from_q <= IN_W'(g_choose[k-1].to);
                assign from = from_q;
            end else begin : g_next
                assign from = IN_W'(g_choose[k-1].to);
            end
        end
        if (SPLIT > 0) begin : g_two_cycles
            logic [2*SPLIT-1:0] choice_q;
            logic               last_q, valid_q;
            always_ff @(posedge aclk) begin
                if (out_ready) begin
                    choice_q <= part[2*SPLIT-1:0];
                    last_q   <= last;
                    valid_q  <= s_axis_tvalid;
                end
                if (!aresetn) valid_q <= 1'b0;
            end
            assign choice     = {part[2*DIGITS-1:2*SPLIT], choice_q};
            assign part_last  = last_q;
            assign part_valid = valid_q;
            assign out_ready  = !valid_q || part_ready;
        end else begin : g_one_cycle
            assign choice     = part;
            assign part_last  = last;
            assign part_valid = s_axis_tvalid;
            assign out_ready  = part_ready;
        end
    endgenerate
    wire [OUT_W-1:0] part_data = g_choose[DIGITS-1].to;

    // ---- the output
    generate
        if (SLICE) begin : g_slice
            // Like axis_register, less the flop that keeps ready low in reset: s_axis_tready is low then.
            logic [OUT_W:0] data_q, skid_q;
            logic           valid_q, ready_q;
            wire m_free = !valid_q || m_axis_tready;
            always_ff @(posedge aclk) begin
                if (m_free)  data_q  <= ready_q ? {part_last, part_data} : skid_q;
                if (ready_q) skid_q  <= {part_last, part_data};
                if (m_free)  valid_q <= part_valid || !ready_q;
                ready_q <= m_free || (ready_q && !part_valid);
                if (!aresetn) begin
                    valid_q <= 1'b0;
                    ready_q <= 1'b1;
                end
            end
            assign part_ready = ready_q;
            assign {m_axis_tlast, m_axis_tdata} = data_q;
            assign m_axis_tvalid = valid_q;
        end else begin : g_no_slice
            assign {m_axis_tlast, m_axis_tdata} = {part_last, part_data};
            assign m_axis_tvalid = part_valid;
            assign part_ready = m_axis_tready;
        end
    endgenerate

endmodule

`default_nettype wire
