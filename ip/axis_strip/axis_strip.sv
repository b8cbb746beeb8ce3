// SPDX-License-Identifier: BSD-3-Clause
//
// axis_strip - drops the padding of a stream word's slots and reports padding that axis_pad would not write.
//
// N slots of SLOT_W bits become N fields of W bits, the low bits of the slots, slot 0 lowest. A sender that packs
// its data differently is detected instead of being silently wrong: error_pad pulses when a dropped bit of a beat
// is not zero or, with SIGNED_EN, not the top bit of its field. The beat is forwarded regardless.
//
// Throughput  one beat per cycle
// Latency     none; error_pad comes one cycle after the beat was taken, two when a beat has more than 256 bits
// Paths       wires: s_axis_tvalid to m_axis_tvalid, m_axis_tready to s_axis_tready, in reset too; error_pad is
//             a flop
// Resources   about N*SLOT_W/5 LUT and 1 FF for the check, 1 more for each 256 bits; nothing when error_pad is open
//
// Parameters: N          slots of a beat, 1 or more
//             W          bits of a field, 1 or more
//             SLOT_W     bits of a slot, W or more; with W nothing is dropped and error_pad stays 0
//             SIGNED_EN  1 expects copies of the field's top bit as padding, 0 zeros
// Checked by: test_axis_strip.py
`default_nettype none

module axis_strip #(
    parameter int N         = 1,
    parameter int W         = 8,
    parameter int SLOT_W    = 8,
    parameter bit SIGNED_EN = 0
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N*SLOT_W-1:0]   s_axis_tdata,
    input  wire                   s_axis_tvalid,
    output logic                  s_axis_tready,

    output logic [N*W-1:0]        m_axis_tdata,
    output logic                  m_axis_tvalid,
    input  wire                   m_axis_tready,

    output logic                  error_pad
);

    // The slots whose check is one cycle's work.
    localparam int GROUP  = SLOT_W < 256 && SLOT_W > 0 ? 256 / SLOT_W : 1;
    localparam int GROUPS = (N + GROUP - 1) / GROUP;
    wire [N-1:0]      wrong;
    wire [GROUPS-1:0] wrong_d;

    generate
        if (N < 1) begin : g_check_n
            N_must_be_at_least_1 parameter_error();
        end
        if (W < 1) begin : g_check_w
            W_must_be_at_least_1 parameter_error();
        end
        if (SLOT_W < W) begin : g_check_slot_w
            SLOT_W_must_be_at_least_W parameter_error();
        end

        for (genvar i = 0; i < N; i++) begin : g_field
            assign m_axis_tdata[i*W +: W] = s_axis_tdata[i*SLOT_W +: W];
            if (SLOT_W > W) begin : g_dropped
                wire [SLOT_W-W-1:0] dropped = s_axis_tdata[i*SLOT_W+W +: SLOT_W-W];
                wire sign = SIGNED_EN && s_axis_tdata[i*SLOT_W+W-1];
                assign wrong[i] = dropped != {(SLOT_W-W){sign}};
            end else begin : g_kept
                assign wrong[i] = 1'b0;
            end
        end

        for (genvar g = 0; g < GROUPS; g++) begin : g_group
            localparam int END = (g + 1) * GROUP < N ? (g + 1) * GROUP : N;
            assign wrong_d[g] = s_axis_tvalid && m_axis_tready && wrong[END-1:g*GROUP] != '0;
        end
        if (GROUPS == 1) begin : g_one
            always_ff @(posedge aclk) error_pad <= aresetn && wrong_d[0];
        end else begin : g_many
            logic [GROUPS-1:0] wrong_q;
            always_ff @(posedge aclk) begin
                wrong_q   <= wrong_d;
                error_pad <= wrong_q != '0;
                if (!aresetn) begin
                    wrong_q   <= '0;
                    error_pad <= 1'b0;
                end
            end
        end
    endgenerate

    assign m_axis_tvalid = s_axis_tvalid;
    assign s_axis_tready = m_axis_tready;

endmodule

`default_nettype wire
