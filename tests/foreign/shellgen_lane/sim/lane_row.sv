// SPDX-License-Identifier: BSD-3-Clause
//
// lane_row - simulation only: carries the packets of one row from one board to another.
//
// A packet is stored whole before it is forwarded, `hold` cycles of the receiver after its end at the earliest. It is
// lost with a chance of `lose` in 256. The two sides have clocks of their own.
`default_nettype none

module lane_row #(
    parameter int DATA_W = 128,
    parameter int ROW    = 0,
    parameter int DEPTH  = 4096,  // beats under way
    parameter int SEED   = 1
) (
    input  wire                s_aclk,
    input  wire                s_aresetn,
    input  wire                m_aclk,
    input  wire                m_aresetn,
    input  wire [7:0]          hold,
    input  wire [7:0]          lose,
    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tlast,
    input  wire [3:0]          s_axis_tdest,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,  // low for packets of other rows
    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tlast,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready
);
    localparam int BEAT_W = DATA_W + DATA_W / 8 + 1;

    logic [BEAT_W-1:0] store[0:DEPTH-1];
    logic [31:0]       write_q, whole_q, read_q, seed_q;
    logic [8:0]        wait_q;
    wire               lost = seed_q[23:16] < lose;

    assign s_axis_tready = s_axis_tdest == 4'(ROW) && write_q - read_q < DEPTH;

    always @(posedge s_aclk) begin
        if (s_axis_tvalid && s_axis_tready) begin
            store[write_q%DEPTH] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
            write_q              <= write_q + 32'd1;
            if (s_axis_tlast) begin
                seed_q <= seed_q * 32'd1664525 + 32'd1013904223;
                if (lost) write_q <= whole_q;
                else whole_q <= write_q + 32'd1;
            end
        end
        if (!s_aresetn) begin
            write_q <= 32'd0;
            whole_q <= 32'd0;
            seed_q  <= 32'(SEED);
        end
    end

    assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = store[read_q%DEPTH];
    assign m_axis_tvalid = read_q != whole_q && wait_q > 9'(hold);

    always @(posedge m_aclk) begin
        if (read_q == whole_q) wait_q <= 9'd0;
        else if (wait_q <= 9'(hold)) wait_q <= wait_q + 9'd1;
        if (m_axis_tvalid && m_axis_tready) read_q <= read_q + 32'd1;
        if (!m_aresetn) begin
            read_q <= 32'd0;
            wait_q <= 9'd0;
        end
    end
endmodule

`default_nettype wire
