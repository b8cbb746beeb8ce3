// SPDX-License-Identifier: BSD-3-Clause
//
// axis_demux - packet demultiplexer, 1 to N by TDEST.
//
// s_axis_tdest is read at the first beat of a packet and holds until its beat with tlast. A packet for an output
// that does not exist is discarded whole, and error_dest pulses once in the cycle after its first beat was taken.
//
// Throughput  one beat per cycle, no bubble between packets or when the output changes
// Latency     none; REG_EN: 1 cycle
// Paths       REG_EN 0: m_axis_tvalid follows s_axis_tvalid and s_axis_tdest; s_axis_tready follows m_axis_tready and
//             s_axis_tdest; all combinational, no path from a tready to a tvalid
//             REG_EN 1: every output is a flop, no combinational path at all
// Resources   REG_EN 0: about 2*N LUT, N + 3 FF; REG_EN 1: DATA_W + 4*N + 6 LUT, 2*DATA_W + N + 2*DEST_W + 6 FF
//
// Parameters: N       outputs, 1 to 32
//             DATA_W  bits of a beat without tlast, 1 or more
//             DEST_W  bits of s_axis_tdest, enough for N - 1; 2**DEST_W - N destinations do not exist
//             REG_EN  1 registers both directions, see Paths
// Checked by: test_axis_demux.py
`default_nettype none

module axis_demux #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter int DEST_W = 1,
    parameter bit REG_EN = 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [DATA_W-1:0]     s_axis_tdata,
    input  wire  [DEST_W-1:0]     s_axis_tdest,
    input  wire                   s_axis_tlast,
    input  wire                   s_axis_tvalid,
    output logic                  s_axis_tready,

    output logic [N*DATA_W-1:0]   m_axis_tdata,
    output logic [N-1:0]          m_axis_tlast,
    output logic [N-1:0]          m_axis_tvalid,
    input  wire  [N-1:0]          m_axis_tready,

    output logic                  error_dest
);

    logic first_q;
    wire  nowhere;
    wire  fire = s_axis_tvalid && s_axis_tready;

    always_ff @(posedge aclk) begin
        error_dest <= fire && first_q && nowhere;
        if (fire) first_q <= s_axis_tlast;
        if (!aresetn) begin
            first_q    <= 1'b1;
            error_dest <= 1'b0;
        end
    end

    generate
        if (N < 1 || N > 32) begin : g_check_n
            N_must_be_1_to_32 parameter_error();
        end
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (DEST_W < 1 || DEST_W > 8 || (1 << DEST_W) < N) begin : g_check_dest_w
            DEST_W_must_be_1_to_8_and_reach_every_output parameter_error();
        end

        if (REG_EN) begin : g_registered
            // axis_register with a valid flop for each output; discarded packets do not enter it.
            logic [DATA_W:0]   data_q, skid_q;
            logic [DEST_W-1:0] dest_q, skid_dest_q;
            logic [N-1:0]      valid_q;
            logic              skid_valid_q, ready_q;

            wire [DEST_W-1:0] dest = first_q ? s_axis_tdest : dest_q;
            wire [DEST_W-1:0] to   = ready_q ? dest : skid_dest_q;
            wire enter  = fire && !nowhere;
            wire m_free = (valid_q & ~m_axis_tready) == '0;
            wire skid_valid_d = !m_free && (skid_valid_q || enter);

            assign nowhere = 32'(dest) >= 32'(N);

            always_ff @(posedge aclk) begin
                dest_q <= dest;
                if (m_free) data_q <= ready_q ? {s_axis_tlast, s_axis_tdata} : skid_q;
                if (ready_q) skid_q <= {s_axis_tlast, s_axis_tdata};
                if (ready_q) skid_dest_q <= dest;

                for (int i = 0; i < N; i++)
                    valid_q[i] <= m_free ? (skid_valid_q || enter) && to == DEST_W'(i)
                                         : valid_q[i] && !m_axis_tready[i];
                skid_valid_q <= skid_valid_d;
                ready_q      <= !skid_valid_d;

                if (!aresetn) begin
                    valid_q      <= '0;
                    skid_valid_q <= 1'b0;
                    ready_q      <= 1'b0;
                end
            end

            assign s_axis_tready = ready_q;
            assign m_axis_tdata  = {N{data_q[DATA_W-1:0]}};
            assign m_axis_tlast  = {N{data_q[DATA_W]}};
            assign m_axis_tvalid = valid_q;
        end else begin : g_wires
            // Held decoded, one bit for each output: the way of a valid through the block is one LUT.
            logic [N-1:0] to_q;
            wire  [N-1:0] to;
            for (genvar i = 0; i < N; i++) begin : g_to
                assign to[i] = first_q ? s_axis_tdest == DEST_W'(i) : to_q[i];
            end
            if (N < 1 << DEST_W) begin : g_nowhere
                logic nowhere_q;
                assign nowhere = first_q ? 32'(s_axis_tdest) >= 32'(N) : nowhere_q;
                always_ff @(posedge aclk) nowhere_q <= nowhere;
            end else begin : g_somewhere
                assign nowhere = 1'b0;
            end

            always_ff @(posedge aclk) to_q <= to;

            assign s_axis_tready = nowhere || (to & m_axis_tready) != '0;
            assign m_axis_tdata  = {N{s_axis_tdata}};
            assign m_axis_tlast  = {N{s_axis_tlast}};
            assign m_axis_tvalid = {N{s_axis_tvalid}} & to;
        end
    endgenerate

endmodule

`default_nettype wire
