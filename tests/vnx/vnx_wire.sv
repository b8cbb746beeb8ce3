// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_wire - simulation only: one way of a link between two blocks of VNx, whole packets only, of which some are lost.
//
// A packet that its sender does not finish, because it is reset, never arrives. TUSER says that all packets are right.
`default_nettype none

module vnx_wire #(
    parameter int DEPTH = 1024, LATENCY = 24, LOSS = 0, SEED = 1
) (
    input  wire          aclk,
    input  wire          s_aresetn,

    input  wire  [511:0] s_tdata,
    input  wire  [63:0]  s_tkeep,
    input  wire          s_tlast,
    input  wire          s_tvalid,

    output logic [511:0] m_tdata,
    output logic [63:0]  m_tkeep,
    output logic         m_tlast,
    output logic         m_tvalid
);
    logic [576:0] beats [0:DEPTH-1];
    int           due   [0:DEPTH-1];  // cycle in which it leaves
    int           put, whole, got, cycle;
    logic [31:0]  dice;

    always @(posedge aclk) begin
        cycle = cycle + 1;
        dice  = dice * 32'd1664525 + 32'd1013904223;
        if (s_tvalid) begin
            beats[put % DEPTH] = {s_tlast, s_tkeep, s_tdata};
            due[put % DEPTH]   = cycle + LATENCY;
            put = put + 1;
            if (put - got >= DEPTH) $fatal(1, "the wire is full (%m)");
            if (s_tlast) begin
                if (int'(dice[31:24]) < LOSS) put = whole;
                else whole = put;
            end
        end
        if (!s_aresetn) put = whole;
        m_tvalid <= got < whole && due[got % DEPTH] <= cycle;
        {m_tlast, m_tkeep, m_tdata} <= beats[got % DEPTH];
        if (got < whole && due[got % DEPTH] <= cycle) got = got + 1;
    end

    initial begin
        put = 0; whole = 0; got = 0; cycle = 0; dice = 32'(SEED); m_tvalid = 1'b0; m_tdata = '0; m_tkeep = '0; m_tlast = 1'b0;
    end
endmodule

`default_nettype wire
