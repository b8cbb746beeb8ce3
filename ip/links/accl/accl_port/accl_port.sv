// SPDX-License-Identifier: BSD-3-Clause
//
// accl_port - what the host tells the kernel side of ACCL's engine and reads of it (docs/coyote.md).
//
// Ranks and stream numbers are registers, so that a change elsewhere in the cluster rebuilds no bitstream. They, both
// addresses and WATCHDOG are to be written before ENABLE, whole words each: bytes without WSTRB become 0. Nothing but aresetn
// clears them, so a reset that the host asks for (shell_status) keeps what was set up. Frames of each stream are counted
// by shell_status; here is what all streams together do to the engine.
//
//   offset         name                access
//   0x000          COMMUNICATOR        rw      Where the communicator lies in the engine's memory
//   0x004          ARITHMETIC          rw      Where the arithmetic configuration of 32-bit integers lies there
//   0x008          WATCHDOG            rw      Cycles of a put after which LATE is set; 0: never
//   0x00C          STATUS              r       Status of the last put; 0 is good
//   0x010          REFUSAL             r       The first status that was not 0, while REFUSED is set
//   0x014          ENABLE              rw      What the engine's streams may do
//                  [0] RECEIVE         rw      What comes is taken
//                  [1] SEND            rw      Puts are begun
//   0x018          CONTROL             w1      What the host asks for
//                  [0] CLEAR           w1      Clear the counters
//   0x01C          FLAGS               r/w1c   What has gone wrong
//                  [0] LATE            r/w1c   A put has taken WATCHDOG cycles; STATE says what it waits for
//                  [1] STRAY           r/w1c   A status came that no put was waiting for
//                  [2] REFUSED         r/w1c   The status of a put was not 0; see REFUSAL
//                  [3] UNKNOWN         r/w1c   Beats came with a stream number that no IN has; they are dropped
//   0x020          TORN                r/w1c   Bit k: a frame of incoming stream k did not end where a message of the
//                                              engine did
//   0x024          STATE               r       What the sending side does
//                  [1:0] STAGE         r       0 nothing; of a put 1 the command, 2 the data are on their way, 3 the
//                                              status is awaited
//                  [7:4] END           r       Outgoing stream of that put, or of the last one
//                  [11:8] REFUSED_END  r       Outgoing stream of the put that REFUSAL is about
//   0x040 + 0x4*k  OUT                 rw      Where outgoing stream k goes
//                  [15:0] RANK         rw      Rank of the receiving node
//                  [23:16] STREAM      rw      Number of the stream there, 0 to 246
//   0x080 + 0x4*k  IN                  rw      Number of incoming stream k, 0 to 246; 255: none
//   0x100          PUTS                r       Puts whose status has come
//   0x104          REFUSED_PUTS        r       Those of them whose status was not 0
//   0x108          COMMAND_WAITS       r       Cycles in which a word of a command was not taken
//   0x10C          STATUS_WAITS        r       Cycles in which a put waited for its status alone
//   0x110          SENT_BEATS          r       Beats to the engine
//   0x114          SENT_WAITS          r       Cycles in which the engine did not take a beat
//   0x118          RECEIVED_BEATS      r       Beats from the engine
//   0x11C          RECEIVED_WAITS      r       Cycles in which a beat from the engine was not taken, which stalls all
//                                              that it receives
//   0x120          UNKNOWN_BEATS       r       Beats with a stream number that no IN has
//   others                             r       0; writes are ignored
//
// What happens in the cycle in which a flag is cleared sets it again, and is counted in that of CLEAR.
//
// Throughput  a beat of each stream in every cycle
// Latency     a flag is set in the cycle after its event; an event is counted when a read sees it, as axil_counters
// Paths       every output is a flop, every input ends in flops
// Resources   axil_counters with 9 counters; 24 FF for each outgoing and 9 for each incoming stream, 140 besides
//
// Parameters: N_OUT  outgoing streams, 0 to 16; 0 has the registers of one
//             N_IN   incoming streams, 0 to 32; 0 has the registers of one
// Checked by: test_accl_port.py
`default_nettype none

module accl_port #(
    parameter int N_OUT   = 1,
    parameter int N_IN    = 1,
    localparam int OUTS   = N_OUT > 1 ? N_OUT : 1,
    localparam int INS    = N_IN > 1 ? N_IN : 1
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [8:0]          s_axil_awaddr,
    input  wire  [2:0]          s_axil_awprot,
    input  wire                 s_axil_awvalid,
    output logic                s_axil_awready,
    input  wire  [31:0]         s_axil_wdata,
    input  wire  [3:0]          s_axil_wstrb,
    input  wire                 s_axil_wvalid,
    output logic                s_axil_wready,
    output logic [1:0]          s_axil_bresp,
    output logic                s_axil_bvalid,
    input  wire                 s_axil_bready,
    input  wire  [8:0]          s_axil_araddr,
    input  wire  [2:0]          s_axil_arprot,
    input  wire                 s_axil_arvalid,
    output logic                s_axil_arready,
    output logic [31:0]         s_axil_rdata,
    output logic [1:0]          s_axil_rresp,
    output logic                s_axil_rvalid,
    input  wire                 s_axil_rready,

    output logic                receive,        // for accl_demux
    output logic [8*INS-1:0]    ids,
    output logic                send,           // for accl_command
    output logic [31:0]         communicator,
    output logic [31:0]         arithmetic,
    output logic [31:0]         watchdog,
    output logic [16*OUTS-1:0]  rank,
    output logic [8*OUTS-1:0]   stream,

    input  wire  [1:0]          stage,          // of accl_command
    input  wire  [3:0]          which,
    input  wire                 done,
    input  wire                 late,
    input  wire                 stray,
    input  wire                 refused,
    input  wire  [31:0]         status,
    input  wire                 unknown,        // of accl_demux
    input  wire  [INS-1:0]      torn,           // of accl_frames, each

    input  wire                 command_valid,  // the engine's streams
    input  wire                 command_ready,
    input  wire                 out_valid,
    input  wire                 out_ready,
    input  wire                 in_valid,
    input  wire                 in_ready
);

    generate
        if (N_OUT < 0 || N_OUT > 16) begin : g_check_n_out
            N_OUT_must_be_0_to_16 parameter_error();
        end
        if (N_IN < 0 || N_IN > 32) begin : g_check_n_in
            N_IN_must_be_0_to_32 parameter_error();
        end
    endgenerate

    // ---- registers, from registers.json ----------------------------------------------------------
    localparam logic [8:0] AT_COMMUNICATOR = 9'h000;
    localparam logic [8:0] AT_ARITHMETIC = 9'h004;
    localparam logic [8:0] AT_WATCHDOG = 9'h008;
    localparam logic [31:0] RESET_WATCHDOG = 32'd250000000;
    localparam logic [8:0] AT_STATUS = 9'h00C;
    localparam logic [8:0] AT_REFUSAL = 9'h010;
    localparam logic [8:0] AT_ENABLE = 9'h014;
    localparam int ENABLE_RECEIVE = 0;
    localparam int ENABLE_SEND = 1;
    localparam logic [8:0] AT_CONTROL = 9'h018;
    localparam int CONTROL_CLEAR = 0;
    localparam logic [8:0] AT_FLAGS = 9'h01C;
    localparam int FLAGS_LATE = 0;
    localparam int FLAGS_STRAY = 1;
    localparam int FLAGS_REFUSED = 2;
    localparam int FLAGS_UNKNOWN = 3;
    localparam logic [8:0] AT_TORN = 9'h020;
    localparam logic [8:0] AT_STATE = 9'h024;
    localparam int STATE_STAGE = 0;
    localparam int STATE_END = 4;
    localparam int STATE_REFUSED_END = 8;
    localparam logic [8:0] AT_OUT = 9'h040;
    localparam int OUT_RANK = 0;
    localparam int OUT_STREAM = 16;
    localparam logic [8:0] AT_IN = 9'h080;
    localparam logic [7:0] RESET_IN = 8'd255;
    localparam logic [8:0] AT_PUTS = 9'h100;
    localparam logic [8:0] AT_REFUSED_PUTS = 9'h104;
    localparam logic [8:0] AT_COMMAND_WAITS = 9'h108;
    localparam logic [8:0] AT_STATUS_WAITS = 9'h10C;
    localparam logic [8:0] AT_SENT_BEATS = 9'h110;
    localparam logic [8:0] AT_SENT_WAITS = 9'h114;
    localparam logic [8:0] AT_RECEIVED_BEATS = 9'h118;
    localparam logic [8:0] AT_RECEIVED_WAITS = 9'h11C;
    localparam logic [8:0] AT_UNKNOWN_BEATS = 9'h120;

    localparam int WORDS    = 64;
    localparam int COUNTERS = 9;
    localparam logic [1:0] STATUS_AWAITED = 2'd3;  // STAGE

    // ---- what the host writes --------------------------------------------------------------------

    wire        write;
    wire [6:0]  word;
    wire [31:0] data;
    logic       clear_q;

    always_ff @(posedge aclk) begin
        clear_q <= write && word == AT_CONTROL[8:2] && data[CONTROL_CLEAR];
        if (write && word == AT_COMMUNICATOR[8:2]) communicator <= data;
        if (write && word == AT_ARITHMETIC[8:2])   arithmetic   <= data;
        if (write && word == AT_WATCHDOG[8:2])     watchdog     <= data;
        if (write && word == AT_ENABLE[8:2])       {send, receive} <= {data[ENABLE_SEND], data[ENABLE_RECEIVE]};
        for (int k = 0; k < OUTS; k++)
            if (write && word == AT_OUT[8:2] + 7'(k)) begin
                rank[16*k +: 16] <= data[OUT_RANK +: 16];
                stream[8*k +: 8] <= data[OUT_STREAM +: 8];
            end
        for (int k = 0; k < INS; k++)
            if (write && word == AT_IN[8:2] + 7'(k)) ids[8*k +: 8] <= data[7:0];

        if (!aresetn) begin
            clear_q      <= 1'b0;
            communicator <= '0;
            arithmetic   <= '0;
            watchdog     <= RESET_WATCHDOG;
            send         <= 1'b0;
            receive      <= 1'b0;
            rank         <= '0;
            stream       <= '0;
            ids          <= {INS{RESET_IN}};
        end
    end

    // ---- what has happened -----------------------------------------------------------------------

    logic           late_q, stray_q, refused_q, unknown_q;
    logic [INS-1:0] torn_q;
    logic [31:0]    refusal_q;
    logic [3:0]     refused_end_q;
    logic [COUNTERS-1:0] event_q;

    wire [31:0]    cleared      = data & {32{write && word == AT_FLAGS[8:2]}};
    wire [INS-1:0] torn_cleared = data[INS-1:0] & {INS{write && word == AT_TORN[8:2]}};
    wire           still        = refused_q && !cleared[FLAGS_REFUSED];

    always_ff @(posedge aclk) begin
        late_q    <= late || (late_q && !cleared[FLAGS_LATE]);
        stray_q   <= stray || (stray_q && !cleared[FLAGS_STRAY]);
        refused_q <= refused || still;
        unknown_q <= unknown || (unknown_q && !cleared[FLAGS_UNKNOWN]);
        torn_q    <= torn | (torn_q & ~torn_cleared);
        if (refused && !still) begin
            refusal_q     <= status;
            refused_end_q <= which;
        end

        event_q[AT_PUTS[5:2]]           <= done;
        event_q[AT_REFUSED_PUTS[5:2]]   <= refused;
        event_q[AT_COMMAND_WAITS[5:2]]  <= command_valid && !command_ready;
        event_q[AT_STATUS_WAITS[5:2]]   <= stage == STATUS_AWAITED;
        event_q[AT_SENT_BEATS[5:2]]     <= out_valid && out_ready;
        event_q[AT_SENT_WAITS[5:2]]     <= out_valid && !out_ready;
        event_q[AT_RECEIVED_BEATS[5:2]] <= in_valid && in_ready;
        event_q[AT_RECEIVED_WAITS[5:2]] <= in_valid && !in_ready;
        event_q[AT_UNKNOWN_BEATS[5:2]]  <= unknown;

        if (!aresetn) begin
            late_q    <= 1'b0;
            stray_q   <= 1'b0;
            refused_q <= 1'b0;
            unknown_q <= 1'b0;
            torn_q    <= '0;
            event_q   <= '0;
            refusal_q     <= '0;
            refused_end_q <= '0;
        end
    end

    // ---- what the host reads ---------------------------------------------------------------------

    // Which OUT or IN is read is decoded while the address is taken, so that the many of them are no deep multiplexer: it is
    // shown at every word from AT_OUT on.
    logic [OUTS-1:0]     read_out_q;
    logic [INS-1:0]      read_in_q;
    logic [31:0]         indexed;
    logic [WORDS*32-1:0] shown;

    always_ff @(posedge aclk)
        if (s_axil_arready) begin
            for (int k = 0; k < OUTS; k++) read_out_q[k] <= s_axil_araddr[8:2] == AT_OUT[8:2] + 7'(k);
            for (int k = 0; k < INS; k++)  read_in_q[k]  <= s_axil_araddr[8:2] == AT_IN[8:2] + 7'(k);
        end

    always_comb begin
        indexed = '0;
        for (int k = 0; k < OUTS; k++)
            if (read_out_q[k]) begin
                indexed[OUT_RANK +: 16]  = indexed[OUT_RANK +: 16] | rank[16*k +: 16];
                indexed[OUT_STREAM +: 8] = indexed[OUT_STREAM +: 8] | stream[8*k +: 8];
            end
        for (int k = 0; k < INS; k++)
            if (read_in_q[k]) indexed[7:0] = indexed[7:0] | ids[8*k +: 8];
    end

    always_comb begin
        shown = '0;
        shown[8*AT_COMMUNICATOR +: 32]            = communicator;
        shown[8*AT_ARITHMETIC +: 32]              = arithmetic;
        shown[8*AT_WATCHDOG +: 32]                = watchdog;
        shown[8*AT_ENABLE + ENABLE_RECEIVE]       = receive;
        shown[8*AT_ENABLE + ENABLE_SEND]          = send;
        shown[8*AT_FLAGS + FLAGS_LATE]            = late_q;
        shown[8*AT_FLAGS + FLAGS_STRAY]           = stray_q;
        shown[8*AT_FLAGS + FLAGS_REFUSED]         = refused_q;
        shown[8*AT_FLAGS + FLAGS_UNKNOWN]         = unknown_q;
        shown[8*AT_TORN +: INS]                   = torn_q;
        shown[8*AT_STATE + STATE_STAGE +: 2]      = stage;
        shown[8*AT_STATE + STATE_END +: 4]        = which;
        shown[8*AT_STATE + STATE_REFUSED_END +: 4] = refused_end_q;
        shown[8*AT_STATUS +: 32]                  = status;
        shown[8*AT_REFUSAL +: 32]                 = refusal_q;
        for (int k = 32'(AT_OUT) / 4; k < WORDS; k++) shown[32*k +: 32] = indexed;
    end

    axil_counters #(.ADDR_W(9), .WORDS(WORDS), .COUNTERS(COUNTERS)) u_counters (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .status(shown), .inc(event_q), .clear(clear_q),
        .write(write), .write_word(word), .write_data(data)
    );

endmodule

`default_nettype wire
