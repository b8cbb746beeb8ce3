// SPDX-License-Identifier: BSD-3-Clause
//
// axis_pad - puts the fields of a stream word into wider slots: payload to a byte-padded FINN word.
//
// N fields of W bits, field 0 lowest, become N slots of SLOT_W bits, each with its field in the low bits. The
// rest of a slot is zero, or copies of the field's top bit. N = 1, W = payload and SLOT_W = the next multiple
// of 8 make FINN's TDATA word; N = PE, W = 4 and SLOT_W = 8 put one element in each byte. Its inverse is
// axis_strip.
//
// Throughput  one beat per cycle
// Latency     none
// Paths       wires: s_axis_tvalid to m_axis_tvalid, m_axis_tready to s_axis_tready, in reset too
// Resources   none
//
// Parameters: N          fields of a beat, 1 or more
//             W          bits of a field, 1 or more
//             SLOT_W     bits of a slot, W or more; with W nothing is added
//             SIGNED_EN  1 fills a slot with the field's top bit, 0 with zeros
// Checked by: test_axis_pad.py
`default_nettype none

module axis_pad #(
    parameter int N         = 1,
    parameter int W         = 8,
    parameter int SLOT_W    = 8,
    parameter bit SIGNED_EN = 0
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N*W-1:0]        s_axis_tdata,
    input  wire                   s_axis_tvalid,
    output logic                  s_axis_tready,

    output logic [N*SLOT_W-1:0]   m_axis_tdata,
    output logic                  m_axis_tvalid,
    input  wire                   m_axis_tready
);

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
            assign m_axis_tdata[i*SLOT_W +: W] = s_axis_tdata[i*W +: W];
            if (SLOT_W > W) begin : g_fill
                assign m_axis_tdata[i*SLOT_W+W +: SLOT_W-W] =
                    {(SLOT_W-W){SIGNED_EN && s_axis_tdata[i*W+W-1]}};
            end
        end
    endgenerate

    assign m_axis_tvalid = s_axis_tvalid;
    assign s_axis_tready = m_axis_tready;

    wire unused = &{1'b0, aclk, aresetn};

endmodule

`default_nettype wire
