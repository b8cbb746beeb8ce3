// SPDX-License-Identifier: BSD-3-Clause
//
// wire_fifo - simulation only: a FIFO from one clock to another, for models whose two sides run on different ones.
//
// The counters of beats are never reset, they wrap; each side writes its own, and the other sees it a cycle of its clock later.
// Throughput: a beat per cycle of the slower clock. Parameters: DATA_W  bits of a beat; BEATS  a power of two
`default_nettype none

module wire_fifo #(
    parameter int DATA_W = 512,
    parameter int BEATS  = 16
) (
    input  wire              aresetn,  // of both sides

    input  wire              s_clk,
    input  wire [DATA_W-1:0] s_data,
    input  wire              s_valid,
    output wire              s_ready,

    input  wire              m_clk,
    output wire [DATA_W-1:0] m_data,
    output wire              m_valid,
    input  wire              m_ready
);
    logic [DATA_W-1:0] store[0:BEATS-1];
    logic [31:0]       write_q, read_q;

    assign s_ready = aresetn && write_q - read_q < BEATS;
    assign m_valid = aresetn && write_q != read_q;
    assign m_data  = store[read_q%BEATS];

    always_ff @(posedge s_clk) begin
        if (s_valid && s_ready) begin
            store[write_q%BEATS] <= s_data;
            write_q              <= write_q + 32'd1;
        end
        if (!aresetn) write_q <= 32'd0;
    end

    always_ff @(posedge m_clk) begin
        if (m_valid && m_ready) read_q <= read_q + 32'd1;
        if (!aresetn) read_q <= 32'd0;
    end
endmodule

`default_nettype wire
