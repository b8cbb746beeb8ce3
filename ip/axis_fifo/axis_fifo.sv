// SPDX-License-Identifier: BSD-3-Clause
//
// axis_fifo - synchronous AXI4-Stream FIFO.
//
// A memory of DEPTH beats followed by an output register, so DEPTH + 1 beats fit and `level` counts
// both. The memory is written and read in the plain form that tools map to LUTRAM or block RAM; a word
// is never read in the cycle in which it is written. tready and tvalid are flops: no combinational path
// from one side to the other.
//
// Throughput  one beat per cycle
// Latency     2 cycles
// Resources   memory, DATA_W + 3 * $clog2(DEPTH) + 4 FF
//
// Parameters: DATA_W  bits of a beat, 1 or more
//             DEPTH   beats in the memory, 2 or more, need not be a power of two
// Checked by: test_axis_fifo.py
`default_nettype none

module axis_fifo #(
    parameter int DATA_W = 8,
    parameter int DEPTH  = 16
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [DATA_W-1:0]           s_axis_tdata,
    input  wire                         s_axis_tvalid,
    output logic                        s_axis_tready,

    output logic [DATA_W-1:0]           m_axis_tdata,
    output logic                        m_axis_tvalid,
    input  wire                         m_axis_tready,

    output logic [$clog2(DEPTH+2)-1:0]  level
);

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (DEPTH < 2) begin : g_check_depth
            DEPTH_must_be_at_least_2 parameter_error();
        end
    endgenerate

    localparam int ADDR_W  = DEPTH > 2 ? $clog2(DEPTH) : 1;
    localparam int COUNT_W = $clog2(DEPTH + 1);
    localparam int LEVEL_W = $clog2(DEPTH + 2);
    localparam logic [ADDR_W-1:0]  LAST = ADDR_W'(DEPTH - 1);
    localparam logic [COUNT_W-1:0] FULL = COUNT_W'(DEPTH);

    logic [DATA_W-1:0]  mem [0:DEPTH-1];
    logic [DATA_W-1:0]  data_q;
    logic [ADDR_W-1:0]  write_q, read_q;
    logic [COUNT_W-1:0] count_q, count_d;
    logic               ready_q, stored_q, valid_q;

    wire write = s_axis_tvalid && ready_q;
    wire read  = stored_q && (!valid_q || m_axis_tready);

    always_comb begin
        count_d = count_q;
        if (write && !read) count_d = count_q + 1'b1;
        if (read && !write) count_d = count_q - 1'b1;
    end

    always_ff @(posedge aclk) begin
        if (write) mem[write_q] <= s_axis_tdata;
        if (read)  data_q       <= mem[read_q];

        if (write) write_q <= write_q == LAST ? '0 : write_q + 1'b1;
        if (read)  read_q  <= read_q  == LAST ? '0 : read_q  + 1'b1;
        if (!valid_q || m_axis_tready) valid_q <= stored_q;
        count_q  <= count_d;
        ready_q  <= count_d != FULL;
        stored_q <= count_d != '0;

        if (!aresetn) begin
            write_q  <= '0;
            read_q   <= '0;
            count_q  <= '0;
            ready_q  <= 1'b0;
            stored_q <= 1'b0;
            valid_q  <= 1'b0;
        end
    end

    assign s_axis_tready = ready_q;
    assign m_axis_tdata  = data_q;
    assign m_axis_tvalid = valid_q;
    assign level         = LEVEL_W'(count_q) + LEVEL_W'(valid_q);

endmodule

`default_nettype wire
