// SPDX-License-Identifier: BSD-3-Clause
//
// accl_boards - for tests/test_accl_model.py: three boards with an ACCL engine each do what a script says (+script=<file>), and
// print what arrives. A command is a word and its numbers, of which those after a comma are hexadecimal:
//   parameter K value                    in the order of PARAMETERS in tests/accl_boards.py; before start
//   start                           all boards leave their reset
//   words B n last, w0 ... w14      board B gives the first n of these words, with TLAST on word `last`
//   beats B n seed last, keep       n beats of words seed * 0x01000193 + k * 0x9E3779B1, TLAST on beat `last`
//   status B                        waits for a status word
//   write B, at value   read B, at  by AXI-Lite
//   take B on                       the core takes beats, or does not
//   listen B on                     it takes status words at once, or only when `status` waits for one
//   reset B                         by its pin
//   pause B ns                      B waits; wait ns: the script does; rest: until nothing has moved for 3 us
// A board executes its lines in order, words, beats and waits one after the other; boards do so at the same time.
`default_nettype none
`timescale 1ps / 1ps

module accl_board #(
    parameter int RANKS   = 3,
    parameter int RANK    = 0,
    parameter     NAME    = "",
    parameter int HALF_PS = 2000
) (
    input  wire [175:0] parameters,
    input  wire         wire_clk,
    output wire [31:0]  puts,
    output wire         waits,
    output wire [511:0] m_wire_tdata,
    output wire [7:0]   m_wire_tdest,
    output wire         m_wire_tlast,
    output wire         m_wire_tvalid,
    input  wire         m_wire_tready,
    input  wire [511:0] s_wire_tdata,
    input  wire [7:0]   s_wire_tid,
    input  wire         s_wire_tlast,
    input  wire         s_wire_tvalid,
    output wire         s_wire_tready
);
    wire aclk;
    bench_clock #(.HALF_PS(HALF_PS)) u_clock (.clk(aclk));

    logic         aresetn = 1'b0, take = 1'b1, listen = 1'b1;
    logic [7:0]   stall_in, stall_out;
    logic [31:0]  command_data, status_data;
    logic [3:0]   command_keep, status_keep;
    logic         command_last, command_valid, status_last, status_valid, status_wanted;
    wire          command_ready, status_ready;
    logic [511:0] out_data, in_data;
    logic [63:0]  out_keep, in_keep;
    logic [7:0]   in_dest;
    logic         out_last, out_valid, in_last, in_valid;
    wire          out_ready;
    logic [13:0]  at;
    logic [31:0]  value;
    logic         write, read;
    wire          awready, wready, bvalid, arready, rvalid;
    wire  [31:0]  rdata;
    wire  [1:0]   bresp, rresp;
    wire  [10:0]  look_at;
    wire  [31:0]  look, buffers, retcode;
    wire          ready, retire, call, call_done, error;
    wire  [479:0] call_words;
    wire  [4:0]   faults;
    int           waiting;  // status words that came and were not asked for

    cclo_registers #(.RANKS(RANKS), .RANK(RANK)) u_registers (
        .aclk(aclk), .aresetn(aresetn), .buffer(parameters[16+:16]), .segment(parameters[32+:16]),
        .s_axil_awaddr(at), .s_axil_awprot(3'd0), .s_axil_awvalid(write), .s_axil_awready(awready),
        .s_axil_wdata(value), .s_axil_wstrb(4'hF), .s_axil_wvalid(write), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(1'b1),
        .s_axil_araddr(at), .s_axil_arprot(3'd0), .s_axil_arvalid(read), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
        .look_at(look_at), .look(look), .buffers(buffers), .ready(ready), .retire(retire), .retcode(retcode),
        .call(call), .call_words(call_words), .call_done(call_done)
    );
    cclo #(.RANKS(RANKS), .NAME(NAME), .SEED(10 * RANK + 1)) u_cclo (
        .aclk(aclk), .aresetn(aresetn), .stall_in(stall_in), .stall_out(stall_out),
        .slow(parameters[64+:8]), .think(parameters[80+:16]), .packet(parameters[48+:16]), .status(parameters[96+:16]),
        .withhold(parameters[112+:16]), .refuse(parameters[128+:16]), .reject(parameters[144+:16]), .host(parameters[160+:16]),
        .code(16'd0), .stray(1'b0), .torn(1'b0), .halt(3'd0),
        .s_command_tdata(command_data), .s_command_tkeep(command_keep), .s_command_tlast(command_last),
        .s_command_tvalid(command_valid), .s_command_tready(command_ready),
        .m_status_tdata(status_data), .m_status_tkeep(status_keep), .m_status_tlast(status_last),
        .m_status_tvalid(status_valid), .m_status_tready(status_ready),
        .s_axis_tdata(out_data), .s_axis_tkeep(out_keep), .s_axis_tlast(out_last),
        .s_axis_tvalid(out_valid), .s_axis_tready(out_ready),
        .m_axis_tdata(in_data), .m_axis_tkeep(in_keep), .m_axis_tdest(in_dest), .m_axis_tlast(in_last),
        .m_axis_tvalid(in_valid), .m_axis_tready(take),
        .look_at(look_at), .look(look), .buffers(buffers), .ready(ready), .retire(retire), .retcode(retcode),
        .call(call), .call_words(call_words), .call_done(call_done),
        .wire_clk(wire_clk), .m_wire_tdata(m_wire_tdata), .m_wire_tdest(m_wire_tdest), .m_wire_tlast(m_wire_tlast),
        .m_wire_tvalid(m_wire_tvalid), .m_wire_tready(m_wire_tready), .s_wire_tdata(s_wire_tdata),
        .s_wire_tid(s_wire_tid), .s_wire_tlast(s_wire_tlast), .s_wire_tvalid(s_wire_tvalid),
        .s_wire_tready(s_wire_tready), .puts(puts), .waits(waits), .error(error), .faults(faults)
    );
    axis_checker #(.DATA_W(585), .NAME("data")) u_check_data (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({in_dest, in_last, in_keep, in_data}), .axis_tvalid(in_valid), .axis_tready(take)
    );
    axis_checker #(.DATA_W(37), .NAME("status")) u_check_status (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({status_last, status_keep, status_data}), .axis_tvalid(status_valid), .axis_tready(status_ready)
    );
    assign status_ready = listen || status_wanted;

    // ---- what is to be done: kind, and its numbers
    logic [543:0] todo[0:1023];
    int           todo_in, todo_out, moved;
    localparam logic [15:0] OP_WORDS = 16'd0, OP_BEATS = 16'd1, OP_STATUS = 16'd2, OP_WRITE = 16'd3, OP_READ = 16'd4, OP_PAUSE = 16'd5;

    task automatic give_words(input logic [479:0] words, input int count, input int last);
        for (int i = 0; i < count; i++) begin
            command_valid <= 1'b1;
            command_data  <= words[32*(14-i)+:32];
            command_keep  <= 4'hF;
            command_last  <= i == last;
            @(posedge aclk);
            while (!command_ready) @(posedge aclk);
        end
        command_valid <= 1'b0;
    endtask

    task automatic give_beats(input int count, input logic [31:0] seed, input int last, input logic [63:0] keep);
        logic [31:0] word;
        word = seed * 32'h0100_0193;
        for (int i = 0; i < count; i++) begin
            out_valid <= 1'b1;
            for (int k = 0; k < 16; k++) begin
                out_data[32*k+:32] <= word;
                word = word + 32'h9E37_79B1;
            end
            out_keep <= keep;
            out_last <= i == last;
            @(posedge aclk);
            while (!out_ready) @(posedge aclk);
        end
        out_valid <= 1'b0;
    endtask

    task automatic reach(input logic to_write, input logic [13:0] where, input logic [31:0] what);
        at    <= where;
        value <= what;
        write <= to_write;
        read  <= !to_write;
        @(posedge aclk);
        while (!(to_write ? awready : arready)) @(posedge aclk);
        write <= 1'b0;
        read  <= 1'b0;
        while (!(to_write ? bvalid : rvalid)) @(posedge aclk);
        if (!to_write) $display("READ %0d %h %h", RANK, where, rdata);
        @(posedge aclk);
    endtask

    logic [543:0] entry;
    initial begin
        todo_in = 0;
        todo_out = 0;
        moved = 0;
        command_valid = 1'b0;
        out_valid = 1'b0;
        write = 1'b0;
        read = 1'b0;
        status_wanted = 1'b0;
        stall_in = 8'd0;
        stall_out = 8'd0;
    end

    always begin
        @(posedge aclk);
        if (aresetn && todo_in != todo_out) begin
            entry = todo[todo_out%1024];
            case (entry[15:0])
                OP_WORDS: give_words(entry[543:64], int'(entry[31:16]), int'(entry[47:32]));
                OP_BEATS: give_beats(int'(entry[31:16]), entry[95:64], int'(entry[47:32]), entry[191:128]);
                OP_STATUS: begin
                    status_wanted <= waiting == 0;
                    while (waiting == 0) @(posedge aclk);
                    status_wanted <= 1'b0;
                    waiting = waiting - 1;
                end
                OP_WRITE: reach(1'b1, entry[77:64], entry[127:96]);
                OP_READ: reach(1'b0, entry[77:64], 32'd0);
                default: repeat (int'(entry[95:64])) #1000;
            endcase
            todo_out = todo_out + 1;
        end
    end

    // ---- and what comes: a line for each TLAST
    string line;
    initial begin
        line = "";
        waiting = 0;
    end
    always @(posedge aclk)
        if (aresetn) begin
            if (in_valid && take) begin
                line = $sformatf("%s %h:%h", line, in_keep, in_data);
                if (in_last) begin
                    $display("GOT %0d %0d %0t%s", RANK, in_dest, $time, line);
                    line = "";
                end
            end
            if (status_valid && status_ready) begin
                $display("STATUS %0d %0t %h", RANK, $time, status_data);
                waiting = waiting + 1;
            end
            if ((in_valid && take) || (status_valid && status_ready) || (command_valid && command_ready)
                || (out_valid && out_ready) || write || read) moved = moved + 1;
        end else line = "";

    task automatic tell;
        $display("BOARD %0d error %0d faults %0d puts %0d left %0d rest %0d", RANK, error, faults, puts, todo_in - todo_out, line != "");
    endtask
endmodule

module accl_boards;
    localparam int BOARDS = 3;
    wire wire_clk;
    bench_clock #(.HALF_PS(2560)) u_wire_clock (.clk(wire_clk));

    logic [175:0] parameters = '0;
    wire [1535:0] up_data, down_data;
    wire [23:0]   up_dest, down_id;
    wire [2:0]    up_last, down_last, up_valid, down_valid, up_ready, down_ready;
    wire [31:0]   astray;
    wire [95:0]   puts;
    wire [2:0]    waits;
    logic         dump = 1'b0, aresetn = 1'b0;

    cclo_network #(.PORTS(BOARDS), .FILE("accl_counts.txt")) u_network (
        .wire_clk(wire_clk), .aresetn(aresetn), .dump(dump), .puts(puts), .waits(waits),
        .up({u_2.aresetn, u_1.aresetn, u_0.aresetn}), .latency(parameters[15:0]),
        .s_wire_tdata(up_data), .s_wire_tdest(up_dest), .s_wire_tlast(up_last), .s_wire_tvalid(up_valid),
        .s_wire_tready(up_ready), .m_wire_tdata(down_data), .m_wire_tid(down_id), .m_wire_tlast(down_last),
        .m_wire_tvalid(down_valid), .m_wire_tready(down_ready), .astray(astray)
    );

`define BOARD(n, half, name) \
    accl_board #(.RANKS(BOARDS), .RANK(n), .NAME(name), .HALF_PS(half)) u_``n ( \
        .parameters(parameters), .wire_clk(wire_clk), .puts(puts[32*n+:32]), .waits(waits[n]), \
        .m_wire_tdata(up_data[512*n+:512]), .m_wire_tdest(up_dest[8*n+:8]), .m_wire_tlast(up_last[n]), \
        .m_wire_tvalid(up_valid[n]), .m_wire_tready(up_ready[n]), .s_wire_tdata(down_data[512*n+:512]), \
        .s_wire_tid(down_id[8*n+:8]), .s_wire_tlast(down_last[n]), .s_wire_tvalid(down_valid[n]), \
        .s_wire_tready(down_ready[n]))
    `BOARD(0, 2000, "board 0");
    `BOARD(1, 2100, "board 1");
    `BOARD(2, 1700, "board 2");

`define EACH(what) \
    case (board) \
        0: begin u_0.what; end \
        1: begin u_1.what; end \
        default: begin u_2.what; end \
    endcase

    string        path, word;
    int           script, code, board, number, size, last, quiet, seen;
    logic [31:0]  a, b;
    logic [63:0]  keep;
    logic [479:0] words;
    logic [543:0] entry;

    task automatic push;
        case (board)
            0: begin u_0.todo[u_0.todo_in%1024] = entry; u_0.todo_in = u_0.todo_in + 1; end
            1: begin u_1.todo[u_1.todo_in%1024] = entry; u_1.todo_in = u_1.todo_in + 1; end
            default: begin u_2.todo[u_2.todo_in%1024] = entry; u_2.todo_in = u_2.todo_in + 1; end
        endcase
    endtask

    initial begin
        if (!$value$plusargs("script=%s", path)) $fatal(1, "no +script");
        script = $fopen(path, "r");
        while ($fscanf(script, "%s", word) == 1) begin
            code = 1;
            if (word == "parameter") begin
                code = $fscanf(script, "%d %d", number, a);
                parameters[16*number+:16] = a[15:0];
            end else if (word == "start") begin
                #100000 aresetn = 1'b1;
                u_0.aresetn = 1'b1;
                u_1.aresetn = 1'b1;
                u_2.aresetn = 1'b1;
            end else if (word == "words") begin
                code = $fscanf(script, "%d %d %d %h", board, size, last, words);
                entry = {words, 16'd0, 16'(last), 16'(size), 16'd0};
                push;
            end else if (word == "beats") begin
                code = $fscanf(script, "%d %d %d %d %h", board, size, a, last, keep);
                entry = {352'd0, keep, 32'd0, a, 16'd0, 16'(last), 16'(size), 16'd1};
                push;
            end else if (word == "status") begin
                code = $fscanf(script, "%d", board);
                entry = 544'd2;
                push;
            end else if (word == "write") begin
                code = $fscanf(script, "%d %h %h", board, a, b);
                entry = {416'd0, b, a, 48'd0, 16'd3};
                push;
            end else if (word == "read") begin
                code = $fscanf(script, "%d %h", board, a);
                entry = {448'd0, a, 48'd0, 16'd4};
                push;
            end else if (word == "pause") begin
                code = $fscanf(script, "%d %d", board, a);
                entry = {448'd0, a, 48'd0, 16'd5};
                push;
            end else if (word == "take") begin
                code = $fscanf(script, "%d %d", board, number);
                `EACH(take = number[0])
            end else if (word == "listen") begin
                code = $fscanf(script, "%d %d", board, number);
                `EACH(listen = number[0])
            end else if (word == "stall") begin
                code = $fscanf(script, "%d %d %d", board, number, size);
                `EACH(stall_in = 8'(number)) `EACH(stall_out = 8'(size))
            end else if (word == "reset") begin
                code = $fscanf(script, "%d", board);
                `EACH(aresetn = 1'b0)
                #100000;
                `EACH(aresetn = 1'b1)
            end else if (word == "wait") begin
                code = $fscanf(script, "%d", number);
                repeat (number) #1000;
            end else if (word == "rest") begin
                quiet = 0;
                seen = -1;
                while (quiet < 150) begin
                    repeat (4) @(posedge wire_clk);
                    number = u_0.moved + u_1.moved + u_2.moved;
                    quiet = number != seen || |(down_valid & down_ready) ? 0 : quiet + 1;
                    seen = number;
                end
            end else code = 0;
            if (code < 1) $fatal(1, "no such command: %s", word);
        end
        u_0.tell;
        u_1.tell;
        u_2.tell;
        $display("NETWORK packets %0d beats %0d turns %0d astray %0d", u_network.n_packets, u_network.n_beats, u_network.n_turns, astray);
        $display("END");
        $finish;
    end
endmodule

`default_nettype wire
