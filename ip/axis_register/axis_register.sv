// SPDX-License-Identifier: BSD-3-Clause
//
// axis_register - AXI4-Stream register slice: CUT says which of its paths are cut, and at what price.
//
// The caller packs sidebands into tdata, so no sideband can be forgotten in one branch. Every CUT holds
// tready and m_axis_tvalid low during reset. Choose
//   0 full     to cut everything at the lowest latency; the default, and right at the edge of a region
//   1 forward  behind a long data path, where ready may still run through
//   2 reverse  behind a long ready path, where data may still run through
//   3 light    if a beat every second cycle is enough: half the flops of 0
//   4 srl      to cut everything with half the flops of 0, if one more cycle of latency is acceptable and
//              the LUTs are in a column that can shift (SLICEM)
//   5 wide     as 0, for beats of some 256 bits and more where the clock is fast: what enables flops is near them
//
// Throughput  one beat per cycle; CUT 3 one beat every two cycles. CUT 4 is not ready after a cycle in which a beat
//             had to wait, though there may be room: this costs up to 3 % if source and sink stall at random
// Latency     1 cycle; CUT 2 none; CUT 4 2 cycles
// Paths       0, 3, 4, 5: every output is a flop, no combinational path at all
//             1: m_axis is flops; combinational from m_axis_tready to s_axis_tready
//             2: s_axis_tready is a flop; combinational from s_axis to m_axis
// Storage     0, 5: 2 beats; 1, 2, 3: 1 beat; 4: 3 beats
// Resources   0: DATA_W + 4 LUT, 2*DATA_W + 3 FF     1: 3 LUT, DATA_W + 2 FF
//             2: DATA_W + 3 LUT, DATA_W + 2 FF       3: 2 LUT, DATA_W + 2 FF
//             4: DATA_W + 4 LUT (DATA_W of them SRLs), DATA_W + 4 FF
//             5: as 0, one of each more for every 64 bits but the first
//
// Parameters: DATA_W  bits of a beat, 1 or more
//             CUT     0 full, 1 forward, 2 reverse, 3 light, 4 srl, 5 wide, see above
// Checked by: test_axis_register.py
`default_nettype none

module axis_register #(
    parameter int DATA_W = 8,
    parameter int CUT    = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    localparam int FULL    = 0;
    localparam int FORWARD = 1;
    localparam int REVERSE = 2;
    localparam int LIGHT   = 3;
    localparam int SRL     = 4;
    localparam int WIDE    = 5;

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (CUT < FULL || CUT > WIDE) begin : g_check_cut
            CUT_must_be_0_to_5 parameter_error();
        end

        // A beat that arrives in the cycle in which the output stalls goes to the skid register.
        if (CUT == FULL) begin : g_full
            logic [DATA_W-1:0] data_q, skid_q;
            logic              valid_q, skid_valid_q, ready_q;

            wire s_fire = s_axis_tvalid && ready_q;
            wire m_free = !valid_q || m_axis_tready;
            wire skid_valid_d = !m_free && (skid_valid_q || s_fire);

            always_ff @(posedge aclk) begin
                if (m_free) data_q <= ready_q ? s_axis_tdata : skid_q;
                if (ready_q) skid_q <= s_axis_tdata;

                if (m_free) valid_q <= skid_valid_q || s_fire;
                skid_valid_q <= skid_valid_d;
                ready_q      <= !skid_valid_d;

                if (!aresetn) begin
                    valid_q      <= 1'b0;
                    skid_valid_q <= 1'b0;
                    ready_q      <= 1'b0;
                end
            end

            assign s_axis_tready = ready_q;
            assign m_axis_tdata  = data_q;
            assign m_axis_tvalid = valid_q;
        end

        if (CUT == FORWARD) begin : g_forward
            logic [DATA_W-1:0] data_q;
            logic              valid_q, up_q;

            // up_q instead of aresetn keeps the reset net out of the ready path.
            wire m_free = !valid_q || m_axis_tready;

            always_ff @(posedge aclk) begin
                if (m_free) data_q <= s_axis_tdata;
                if (m_free) valid_q <= s_axis_tvalid && up_q;
                up_q <= aresetn;
                if (!aresetn) valid_q <= 1'b0;
            end

            assign s_axis_tready = m_free && up_q;
            assign m_axis_tdata  = data_q;
            assign m_axis_tvalid = valid_q;
        end

        if (CUT == REVERSE) begin : g_reverse
            logic [DATA_W-1:0] skid_q;
            logic              skid_valid_q, ready_q;

            wire skid_valid_d = m_axis_tvalid && !m_axis_tready;

            always_ff @(posedge aclk) begin
                if (ready_q) skid_q <= s_axis_tdata;
                skid_valid_q <= skid_valid_d;
                ready_q      <= !skid_valid_d;

                if (!aresetn) begin
                    skid_valid_q <= 1'b0;
                    ready_q      <= 1'b0;
                end
            end

            assign s_axis_tready = ready_q;
            assign m_axis_tdata  = skid_valid_q ? skid_q : s_axis_tdata;
            assign m_axis_tvalid = skid_valid_q || (s_axis_tvalid && ready_q);
        end

        if (CUT == LIGHT) begin : g_light
            logic [DATA_W-1:0] data_q;
            logic              valid_q, ready_q;

            wire valid_d = ready_q ? s_axis_tvalid : valid_q && !m_axis_tready;

            always_ff @(posedge aclk) begin
                if (ready_q) data_q <= s_axis_tdata;
                valid_q <= valid_d;
                ready_q <= !valid_d;

                if (!aresetn) begin
                    valid_q <= 1'b0;
                    ready_q <= 1'b0;
                end
            end

            assign s_axis_tready = ready_q;
            assign m_axis_tdata  = data_q;
            assign m_axis_tvalid = valid_q;
        end

        // The chain shifts in every cycle that is ready, beat or not, so that ready alone enables it. Its first
        // place holds a beat when first_q; one that is pushed on from there stops the shifting until it has left.
        // The third tap is never read: tools make an SRL of a chain of three or more. One chain per bit is the
        // shape that Yosys finds.
        if (CUT == SRL) begin : g_srl
            logic [DATA_W-1:0] tap, data_q;
            logic              first_q, second_q, valid_q, ready_q;

            wire m_free   = !valid_q || m_axis_tready;
            wire stored   = first_q || second_q;
            wire second_d = stored && !m_free;

            for (genvar b = 0; b < DATA_W; b++) begin : g_bit
                (* srl_style = "srl" *) logic [2:0] chain_q;
                always_ff @(posedge aclk) if (ready_q) chain_q <= {chain_q[1:0], s_axis_tdata[b]};
                assign tap[b] = chain_q[{1'b0, second_q}];
            end

            always_ff @(posedge aclk) begin
                if (m_free) data_q <= tap;

                if (m_free) valid_q <= stored;
                if (ready_q) first_q <= s_axis_tvalid;
                second_q <= second_d;
                ready_q  <= !second_d;

                if (!aresetn) begin
                    valid_q  <= 1'b0;
                    first_q  <= 1'b0;
                    second_q <= 1'b0;
                    ready_q  <= 1'b0;
                end
            end

            assign s_axis_tready = ready_q;
            assign m_axis_tdata  = data_q;
            assign m_axis_tvalid = valid_q;
        end

        // As g_full, but for the enables of the output flops. m_axis_tready reaches them through one LUT, which is far
        // from most of them where one LUT serves 512. So each group has a LUT and a copy of the flop of tvalid, which
        // a tool can put among its flops. keep, which Vivado and Yosys obey: else tools may merge the copies. Not the
        // default: Yosys folds what is before a slice into its flops, but not where there are groups.
        if (CUT == WIDE) begin : g_wide
            localparam int GROUPS  = (DATA_W + 63) / 64;
            localparam int GROUP_W = (DATA_W + GROUPS - 1) / GROUPS;
            (* keep = "true" *) logic [GROUPS-1:0] valid_q;
            logic [DATA_W-1:0] data_q, skid_q;
            logic              stored_q, ready_q;

            wire [GROUPS-1:0] m_free = ~valid_q | {GROUPS{m_axis_tready}};
            wire any   = stored_q || (s_axis_tvalid && ready_q);
            wire store = any && !m_free[0];

            for (genvar g = 0; g < GROUPS; g++) begin : g_group
                localparam int LOW  = g * GROUP_W;
                localparam int BITS = DATA_W - LOW < GROUP_W ? DATA_W - LOW : GROUP_W;
                always_ff @(posedge aclk) begin
                    if (m_free[g]) data_q[LOW +: BITS] <= ready_q ? s_axis_tdata[LOW +: BITS] : skid_q[LOW +: BITS];
                    if (m_free[g]) valid_q[g] <= any;
                    if (!aresetn)  valid_q[g] <= 1'b0;
                end
            end

            always_ff @(posedge aclk) begin
                if (ready_q) skid_q <= s_axis_tdata;
                stored_q <= store;
                ready_q  <= !store;

                if (!aresetn) begin
                    stored_q <= 1'b0;
                    ready_q  <= 1'b0;
                end
            end

            assign s_axis_tready = ready_q;
            assign m_axis_tdata  = data_q;
            assign m_axis_tvalid = valid_q[0];
        end
    endgenerate

endmodule

`default_nettype wire
