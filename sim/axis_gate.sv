// SPDX-License-Identifier: BSD-3-Clause
//
// axis_gate - simulation only: stands between a core and a stream of a partition, and lets both of them wait.
//
// While it pauses, neither side sees the other: who sends finds tready low, and who receives finds tvalid low. A beat
// that has been offered stays until it is taken, as AXI4-Stream has it. Where tvalid is low, and chance has not been
// 0 all the time since the reset, tdata is noise, since nobody may look at it then. In every other reset it pauses, too:
// what takes beats in reset would hide a source that goes on.
//
// Throughput: one beat per cycle while chance is 0; no latency.
// Parameters: DATA_W  bits of a beat, sidebands included
//             SEED    of the pauses
`default_nettype none

module axis_gate #(
    parameter int DATA_W = 8,
    parameter int SEED   = 1
) (
    input  wire              aclk,
    input  wire              aresetn,
    input  wire [7:0]        chance,  // in 1/256 that it pauses in a cycle; 255 is always
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready
);
    localparam int WORDS = (DATA_W + 31) / 32;

    logic        offered_q, loud_q, awake_q, shut_q;
    wire  [31:0] noise;
    wire         pause;
    wire         open = (offered_q || !pause) && (aresetn || !shut_q);

    bench_stall #(
        .SEED(SEED)
    ) u_stall (
        .aclk(aclk),
        .aresetn(aresetn),
        .chance(chance),
        .stall(pause)
    );

    bench_noise #(
        .SEED(SEED)
    ) u_noise (
        .aclk(aclk),
        .aresetn(aresetn),
        .loud(loud_q),
        .noise(noise)
    );

    assign m_axis_tvalid = s_axis_tvalid && open;
    assign s_axis_tready = m_axis_tready && open;
    assign m_axis_tdata  = m_axis_tvalid ? s_axis_tdata : s_axis_tdata ^ DATA_W'({WORDS{noise}});

    always_ff @(posedge aclk) begin
        offered_q <= m_axis_tvalid && !m_axis_tready;
        loud_q    <= loud_q || pause;
        awake_q   <= aresetn;
        if (!aresetn) begin
            offered_q <= 1'b0;
            loud_q    <= 1'b0;
        end
        if (aresetn && !awake_q) shut_q <= !shut_q;
    end
    initial begin
        awake_q = 1'b0;
        shut_q  = 1'b1;
    end
endmodule

`default_nettype wire
