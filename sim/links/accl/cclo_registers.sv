// SPDX-License-Identifier: BSD-3-Clause
//
// cclo_registers - simulation only: the host's view of an ACCL engine and its host controller, for cclo.sv.
//
//   0x0000  configuration memory, 8 KiB: all words can be written and read, and the engine reads what it needs here
//   0x2000  host controller: AP_CTRL (start, done, idle, ready in bits 0 to 3) and the 15 words of a call
//
// It comes up as ACCL::initialize leaves it: BUFFERS receive buffers of `buffer` bytes, behind them the communicator with
// It comes up as ACCL::initialize leaves it: BUFFERS receive buffers of `buffer` bytes, behind them the communicator with
// RANKS ranks, session r to rank r, and behind that the six arithmetic configurations, then CFGRDY. A test can repeat the
// driver's writes, in its order or in another. Only aresetn, the board's pin, restores the initial state.
// Source: Xilinx/ACCL, driver/xrt (accl.cpp, communicator.cpp, constants.hpp) and ccl_offload_control.h.
//
// Parameters: RANKS    of the communicator
//             RANK     of this board
//             BUFFERS  eager receive buffers; ACCL's default is 16
`default_nettype none

module cclo_registers #(
    parameter int RANKS   = 2,
    parameter int RANK    = 0,
    parameter int BUFFERS = 16
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire [15:0]  buffer,      // bytes of one; 0: 1024, ACCL's default
    input  wire [15:0]  segment,     // most bytes of a message; 0: 4096

    input  wire [13:0]  s_axil_awaddr,
    input  wire [2:0]   s_axil_awprot,
    input  wire         s_axil_awvalid,
    output wire         s_axil_awready,
    input  wire [31:0]  s_axil_wdata,
    input  wire [3:0]   s_axil_wstrb,
    input  wire         s_axil_wvalid,
    output wire         s_axil_wready,
    output wire [1:0]   s_axil_bresp,
    output wire         s_axil_bvalid,
    input  wire         s_axil_bready,
    input  wire [13:0]  s_axil_araddr,
    input  wire [2:0]   s_axil_arprot,
    input  wire         s_axil_arvalid,
    output wire         s_axil_arready,
    output wire [31:0]  s_axil_rdata,
    output wire [1:0]   s_axil_rresp,
    output wire         s_axil_rvalid,
    input  wire         s_axil_rready,

    // cclo.sv
    input  wire [10:0]  look_at,     // word of the memory
    output wire [31:0]  look,
    output logic [31:0] buffers,     // how many there are: what lies behind follows from that
    output logic        ready,       // the driver has written all
    input  wire         retire,      // a call has ended with this value
    input  wire [31:0]  retcode,
    output logic        call,        // the host calls, until call_done
    output logic [479:0] call_words,  // word 0 at the bottom
    input  wire         call_done
);
    localparam int COMMUNICATOR = 2 + 7 * BUFFERS;  // in words, as all that follows
    localparam int ARITHMETIC   = COMMUNICATOR + 2 + 6 * RANKS;
    localparam int CFGRDY = 32'h1FF4 / 4, HWID = 32'h1FF8 / 4, RETCODE = 32'h1FFC / 4;
    localparam int AP_CTRL = 32'h2000;
    localparam int CONFIGS = 6;

    wire        write, read;
    wire [13:0] write_at, read_at;
    wire [31:0] data;
    logic [31:0] found;
    axil_target #(.ADDR_W(14)) u_target (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr),
        .s_axil_awprot(s_axil_awprot),
        .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata),
        .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid),
        .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid),
        .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot),
        .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .write(write),
        .write_at(write_at),
        .write_data(data),
        .read(read),
        .read_at(read_at),
        .read_data(found)
    );

    logic [31:0] memory[0:2047];
    logic        done_q, fresh_q;

    assign look = memory[look_at];

    // Word of a call that a register of the host controller holds; 15 if none. 64-bit arguments take 12 bytes each.
    function automatic [3:0] word_of(input [13:0] at);
        word_of = 4'd15;
        if (at >= 14'h2010 && at <= 14'h2050 && at[2:0] == 3'd0) word_of = 4'((at - 14'h2010) >> 3);
        case (at)
            14'h2058: word_of = 4'd9;
            14'h205C: word_of = 4'd10;
            14'h2064: word_of = 4'd11;
            14'h2068: word_of = 4'd12;
            14'h2070: word_of = 4'd13;
            14'h2074: word_of = 4'd14;
            default: ;
        endcase
    endfunction

    wire [3:0] write_word = word_of(write_at);
    wire [3:0] read_word  = word_of(read_at);

    // Of one pair of types: bytes of an element, and compressed; lane of the arithmetic; whether it computes compressed.
    task automatic arithmetic(input int at, input int bytes, input int less, input int lane, input int compressed);
        memory[at]     <= bytes;
        memory[at + 1] <= less;
        memory[at + 2] <= 0;
        memory[at + 3] <= 0;
        memory[at + 4] <= compressed;
        memory[at + 5] <= 2;
        memory[at + 6] <= compressed;
        memory[at + 7] <= lane;
        memory[at + 8] <= lane + 5;
    endtask

    // What the driver writes. The memory is cleared before, once in a reset.
    task automatic initialise;
        for (int k = 0; k < 2048; k++) memory[k] <= 32'd0;
        memory[0] <= BUFFERS;
        memory[1] <= buffer == 16'd0 ? 32'd1024 : {16'd0, buffer};
        memory[COMMUNICATOR]     <= RANKS;
        memory[COMMUNICATOR + 1] <= RANK;
        for (int r = 0; r < RANKS; r++) begin
            memory[COMMUNICATOR + 2 + 6 * r] <= 32'hC0A8_0001 + r;
            memory[COMMUNICATOR + 6 + 6 * r] <= r;
            memory[COMMUNICATOR + 7 + 6 * r] <= segment == 16'd0 ? 32'd4096 : {16'd0, segment};
        end
        arithmetic(ARITHMETIC, 2, 2, 4, 0);
        arithmetic(ARITHMETIC + 9, 4, 2, 4, 1);
        arithmetic(ARITHMETIC + 18, 4, 4, 0, 0);
        arithmetic(ARITHMETIC + 27, 8, 8, 1, 0);
        arithmetic(ARITHMETIC + 36, 4, 4, 2, 0);
        arithmetic(ARITHMETIC + 45, 8, 8, 3, 0);
        memory[CFGRDY] <= 32'd1;
        memory[HWID]   <= 32'h0000_00AA;  // RDMA, arithmetic, kernel streams, external DMA
    endtask

    always @(posedge aclk) begin
        if (read) begin
            found <= 32'd0;
            if (!read_at[13]) found <= memory[read_at[12:2]];
            else if (int'(read_at) == AP_CTRL) begin
                found  <= {28'd0, done_q, !call, done_q, call};
                done_q <= 1'b0;
            end else if (read_word != 4'd15) found <= call_words[32*read_word+:32];
        end
        if (write) begin
            if (!write_at[13]) memory[write_at[12:2]] <= data;
            else if (int'(write_at) == AP_CTRL) call <= call || data[0];
            else if (write_word != 4'd15) call_words[32*write_word+:32] <= data;
        end
        if (retire) memory[RETCODE] <= retcode;
        buffers <= memory[0];
        ready   <= memory[CFGRDY] != 32'd0;
        if (call_done) begin
            call   <= 1'b0;
            done_q <= 1'b1;
        end
        fresh_q <= aresetn;
        if (!aresetn) begin
            if (fresh_q !== 1'b0) initialise;
            call       <= 1'b0;
            call_words <= '0;
            done_q     <= 1'b0;
        end
    end

    initial begin
        fresh_q = 1'b1;
        if (RANKS < 1 || RANK >= RANKS || ARITHMETIC + 9 * CONFIGS > 32'h1FC4 / 4) begin
            $display("Error: cclo_registers: %0d buffers and rank %0d of %0d do not fit (%m)", BUFFERS, RANK, RANKS);
            $fatal(1);
        end
    end
endmodule

`default_nettype wire
