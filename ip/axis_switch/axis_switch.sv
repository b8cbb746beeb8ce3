// SPDX-License-Identifier: BSD-3-Clause
//
// axis_switch - packet switch, N inputs to M outputs by TDEST: an axis_demux per input, an axis_arbiter per output.
//
// Every output serves the inputs that want it in turn, packet by packet; m_axis_tid is the input. A packet for an
// output that does not exist is discarded whole and error_dest of its input pulses once. A packet that waits for a
// busy output holds up those behind it at the same input; put an axis_fifo before it where that matters.
//
// Throughput  one beat per cycle at every output, no bubble between packets
// Latency     that of axis_arbiter: 1 cycle for the input that an output served last, 2 for another; with CUT 4 one more
// Paths       all of m_axis is flops; s_axis_tready follows s_axis_tdest
// Resources   N * axis_demux without registers + M * axis_arbiter
//
// Parameters: N       inputs, 1 to 16
//             M       outputs, 1 to 32
//             DATA_W  bits of a beat without tlast, 1 or more
//             DEST_W  bits of tdest, enough for M - 1; 2**DEST_W - M destinations do not exist
//             CUT     of the axis_register at each output, 0 to 5
// Checked by: test_axis_switch.py
`default_nettype none

module axis_switch #(
    parameter int N      = 2,
    parameter int M      = 2,
    parameter int DATA_W = 8,
    parameter int DEST_W = 1,
    parameter int CUT    = 0,
    localparam int ID_W  = N > 1 ? $clog2(N) : 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N*DATA_W-1:0]   s_axis_tdata,
    input  wire  [N*DEST_W-1:0]   s_axis_tdest,
    input  wire  [N-1:0]          s_axis_tlast,
    input  wire  [N-1:0]          s_axis_tvalid,
    output logic [N-1:0]          s_axis_tready,

    output logic [M*DATA_W-1:0]   m_axis_tdata,
    output logic [M*ID_W-1:0]     m_axis_tid,
    output logic [M-1:0]          m_axis_tlast,
    output logic [M-1:0]          m_axis_tvalid,
    input  wire  [M-1:0]          m_axis_tready,

    output logic [N-1:0]          error_dest
);

    // Of input n and output m: bit n * M + m as the demultiplexer sees it, m * N + n as the arbiter does.
    wire [N*M-1:0] from_valid, from_ready, to_valid, to_ready, zeros, lasts;
    wire unused = &{1'b0, zeros, lasts};

    generate
        if (N < 1 || N > 16) begin : g_check_n
            N_must_be_1_to_16 parameter_error();
        end
        if (M < 1 || M > 32) begin : g_check_m
            M_must_be_1_to_32 parameter_error();
        end

        for (genvar n = 0; n < N; n++) begin : g_input
            // Steers the handshake alone; every arbiter sees the data of all inputs as they are.
            axis_demux #(.N(M), .DATA_W(1), .DEST_W(DEST_W), .REG_EN(0)) u_demux (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(1'b0),
                .s_axis_tdest(s_axis_tdest[n*DEST_W +: DEST_W]),
                .s_axis_tlast(s_axis_tlast[n]),
                .s_axis_tvalid(s_axis_tvalid[n]),
                .s_axis_tready(s_axis_tready[n]),
                .m_axis_tdata(zeros[n*M +: M]),
                .m_axis_tlast(lasts[n*M +: M]),
                .m_axis_tvalid(from_valid[n*M +: M]),
                .m_axis_tready(from_ready[n*M +: M]),
                .error_dest(error_dest[n])
            );
            for (genvar m = 0; m < M; m++) begin : g_cross
                assign to_valid[m*N+n]   = from_valid[n*M+m];
                assign from_ready[n*M+m] = to_ready[m*N+n];
            end
        end

        for (genvar m = 0; m < M; m++) begin : g_output
            axis_arbiter #(.N(N), .DATA_W(DATA_W), .CUT(CUT)) u_arbiter (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(s_axis_tdata),
                .s_axis_tlast(s_axis_tlast),
                .s_axis_tvalid(to_valid[m*N +: N]),
                .s_axis_tready(to_ready[m*N +: N]),
                .m_axis_tdata(m_axis_tdata[m*DATA_W +: DATA_W]),
                .m_axis_tid(m_axis_tid[m*ID_W +: ID_W]),
                .m_axis_tlast(m_axis_tlast[m]),
                .m_axis_tvalid(m_axis_tvalid[m]),
                .m_axis_tready(m_axis_tready[m])
            );
        end
    endgenerate

endmodule

`default_nettype wire
