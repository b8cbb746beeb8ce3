// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_bench - for tests/test_vnx_model.py: three cards behind a switch do what a script says (+script=<file>), and print what
// arrives. A command is a word and its numbers, of which those after a comma are hexadecimal:
//   card C, ip mask gateway mac      row C R, ip port my_port valid     known C, at mac (an entry of the ARP table)
//   send C dest bytes seed           a packet of words seed * 0x01000193 + k * 0x9E3779B1
//   beats C dest n last, keep        n beats with this TKEEP, TLAST with the last one or not
//   turn C dest                      TDEST changes after the first beat of all later packets
//   take C on                        the core of a card takes beats, or does not
//   scan C   reset C   link C on     a discovery; a reset by its pin; a cable
//   parameter K value                     in the order of vnx_switch
//   wait ns                          rest waits until nothing has moved for 4 us
`default_nettype none
`timescale 1ps / 1ps

module vnx_core #(
    parameter int CARD    = 0,
    parameter int HALF_PS = 2000
) (
    output wire         wired,
    input  wire         wire_clk,
    output wire [511:0] m_wire_tdata,
    output wire [6:0]   m_wire_bytes,
    output wire         m_wire_tlast,
    output wire         m_wire_tvalid,
    input  wire [511:0] s_wire_tdata,
    input  wire [6:0]   s_wire_bytes,
    input  wire         s_wire_tlast,
    input  wire         s_wire_tvalid
);
    wire aclk;
    bench_clock #(.HALF_PS(HALF_PS)) u_clock (.clk(aclk));

    logic         aresetn = 1'b0, link = 1'b1, take = 1'b1, discovery = 1'b0;
    wire          active;
    logic [31:0]  ip = 32'hC0A80005, ip_mask = 32'hFFFFFF00, gateway = 32'hC0A80001;
    logic [47:0]  mac = 48'h000A35029DE5;
    logic [511:0] their_ip = '0;
    logic [255:0] their_port = '0, my_port = '0;
    logic [15:0]  valid = '0;
    logic [255:0] known;
    logic [47:0]  macs[0:255];
    logic [15:0]  turn = 16'hFFFF;

    // what is to be sent: dest, bytes, seed; or with `bare`, beats, TKEEP and TLAST
    logic [144:0] todo[0:1023];
    int           todo_in, todo_out;

    logic [511:0] out_data, in_data;
    logic [63:0]  out_keep, in_keep;
    logic [15:0]  out_dest, in_dest;
    logic         out_last, out_valid, in_last, in_valid;
    logic [95:0]  in_user;
    wire          out_ready, error, discovering, learn;
    wire  [31:0]  overflow, unresolved, learn_ip;
    wire  [7:0]   at, learn_at;
    wire  [47:0]  learn_mac;
    wire  [11:0]  probe_beats, probe_packets;
    wire  [83:0]  probe_bytes;
    int           packets[0:11];
    assign wired = link;

    vnx_stack u_stack (
        .aclk(aclk), .aresetn(aresetn), .stall_in(8'd0), .stall_out(8'd0),
        .ip(ip), .ip_mask(ip_mask), .gateway(gateway), .mac(mac),
        .their_ip(their_ip), .their_port(their_port), .my_port(my_port), .valid(valid),
        .arp_discovery(discovery), .discovering(discovering), .arp_at(at), .arp_valid(known[at]), .arp_mac(macs[at]),
        .arp_learn(learn), .arp_learn_at(learn_at), .arp_learn_ip(learn_ip), .arp_learn_mac(learn_mac), .link(link),
        .probe_beats(probe_beats), .probe_packets(probe_packets), .probe_bytes(probe_bytes),
        .s_axis_tdata(out_data), .s_axis_tkeep(out_keep), .s_axis_tdest(out_dest), .s_axis_tlast(out_last),
        .s_axis_tvalid(out_valid), .s_axis_tready(out_ready),
        .m_axis_tdata(in_data), .m_axis_tkeep(in_keep), .m_axis_tdest(in_dest), .m_axis_tuser(in_user),
        .m_axis_tlast(in_last), .m_axis_tvalid(in_valid), .m_axis_tready(take),
        .wire_clk(wire_clk),
        .m_wire_tdata(m_wire_tdata), .m_wire_bytes(m_wire_bytes), .m_wire_tlast(m_wire_tlast), .m_wire_tvalid(m_wire_tvalid),
        .s_wire_tdata(s_wire_tdata), .s_wire_bytes(s_wire_bytes), .s_wire_tlast(s_wire_tlast), .s_wire_tvalid(s_wire_tvalid),
        .error(error), .overflow(overflow), .unresolved(unresolved)
    );

    always @(posedge aclk) begin
        if (learn) begin
            known[learn_at] <= 1'b1;
            macs[learn_at]  <= learn_mac;
        end
        for (int i = 0; i < 12; i++) if (probe_packets[i]) packets[i] <= packets[i] + 1;
        if (!aresetn) for (int i = 0; i < 12; i++) packets[i] <= 0;
    end

    // ---- the core sends
    logic [15:0] dest, size, at_beat;
    logic [31:0] seed;
    logic [63:0] keep;
    logic        bare, ends;
    int          left;
    assign active = todo_in != todo_out || out_valid || (in_valid && take);

    task automatic fill;
        logic [31:0]  first;
        logic [511:0] words;
        int           bytes;
        first = seed * 32'h0100_0193 + 32'(at_beat) * 32'd16 * 32'h9E37_79B1;
        for (int i = 0; i < 16; i++) begin
            words[32*i+:32] = first;
            first = first + 32'h9E37_79B1;
        end
        bytes = int'(size) - 64 * int'(at_beat);
        out_keep  <= bare ? keep : bytes >= 64 ? '1 : (64'd1 << bytes) - 64'd1;
        out_data  <= bare || bytes >= 64 ? words : words & ((512'd1 << (8 * bytes)) - 512'd1);
        out_dest  <= at_beat != 16'd0 && turn != 16'hFFFF ? turn : dest;
        out_last  <= left == 1 && ends;
        out_valid <= 1'b1;
        at_beat = at_beat + 16'd1;
        left    = left - 1;
    endtask

    always @(posedge aclk) begin
        if (out_ready || !out_valid) begin
            out_valid <= 1'b0;
            if (left == 0 && todo_in != todo_out) begin
                {bare, ends, keep, dest, size, seed} = todo[todo_out%1024][129:0];
                todo_out <= todo_out + 1;
                at_beat = 16'd0;
                left    = bare ? int'(size) : (int'(size) + 63) / 64;
            end
            if (left != 0) fill;
        end
        if (!aresetn) begin
            left = 0;
            out_valid <= 1'b0;
        end
    end

    // ---- and tells what comes
    string line;
    initial begin
        known     = '0;
        todo_in   = 0;
        todo_out  = 0;
        out_valid = 1'b0;
        line      = "";
    end
    always @(posedge aclk)
        if (aresetn && in_valid && take) begin
            line = $sformatf("%s %h:%h", line, in_keep, in_data);
            if (in_last) begin
                $display("GOT %0d %0d %h %0t%s", CARD, in_dest, in_user, $time, line);
                line = "";
            end
        end

    task automatic tell;
        $display("CARD %0d error %0d faults %0d overflow %0d unresolved %0d unsent %0d ready %0d discovering %0d",
                 CARD, error, u_stack.u_tx.faults, overflow, unresolved, todo_in - todo_out, out_ready, discovering);
        for (int i = 0; i < 12; i++) $display("PROBE %0d %0d %0d", CARD, i, packets[i]);
        for (int i = 0; i < 256; i++) if (known[i]) $display("ARP %0d %0d %h", CARD, i, macs[i]);
    endtask
endmodule

module vnx_bench;
    localparam int CARDS = 3;
    wire wire_clk;
    bench_clock #(.HALF_PS(2560)) u_wire_clock (.clk(wire_clk));

    logic aresetn = 1'b0;
    logic [31:0] parameters[0:10];  // seed, latency, toward, arp, loss, burst, burst_length, duplicate, reorder, truncate, corrupt
    logic [15:0] beat = 16'd0;
    wire [1535:0] up_data, down_data;
    wire [20:0]   up_bytes, down_bytes;
    wire [2:0]    up_last, down_last, up_valid, down_valid, wired;

    vnx_switch #(.PORTS(CARDS)) u_switch (
        .wire_clk(wire_clk), .aresetn(aresetn), .dump(1'b0), .seed(parameters[0]), .latency(parameters[1][15:0]), .toward(parameters[2]),
        .arp(parameters[3][0]), .loss(parameters[4][15:0]), .burst(parameters[5][15:0]), .burst_length(parameters[6][7:0]),
        .duplicate(parameters[7][15:0]), .reorder(parameters[8][15:0]), .truncate(parameters[9][15:0]), .corrupt(parameters[10][15:0]), .beat(beat), .mtu(16'd0), .overflow(32'd0), .unresolved(32'd0),
        .s_wire_tdata(up_data), .s_wire_bytes(up_bytes), .s_wire_tlast(up_last), .s_wire_tvalid(up_valid),
        .m_wire_tdata(down_data), .m_wire_bytes(down_bytes), .m_wire_tlast(down_last), .m_wire_tvalid(down_valid)
    );

`define CORE(n, half) \
    vnx_core #(.CARD(n), .HALF_PS(half)) u_``n ( \
        .wired(wired[n]), .wire_clk(wire_clk), .m_wire_tdata(up_data[512*n+:512]), .m_wire_bytes(up_bytes[7*n+:7]), \
        .m_wire_tlast(up_last[n]), .m_wire_tvalid(up_valid[n]), .s_wire_tdata(down_data[512*n+:512]), \
        .s_wire_bytes(down_bytes[7*n+:7]), .s_wire_tlast(down_last[n]), .s_wire_tvalid(down_valid[n]))
    `CORE(0, 2000);
    `CORE(1, 1667);
    `CORE(2, 2500);

`define EACH(what) \
    case (card) \
        0: begin u_0.what; end \
        1: begin u_1.what; end \
        default: begin u_2.what; end \
    endcase

    string       path, word;
    int          quiet, script, code, card, number, size, ends;
    logic [31:0] a, b, c, seed;
    logic [47:0] mac;
    logic [63:0] keep;
    logic [144:0] entry;

    task automatic push;
        case (card)
            0: begin u_0.todo[u_0.todo_in%1024] = entry; u_0.todo_in = u_0.todo_in + 1; end
            1: begin u_1.todo[u_1.todo_in%1024] = entry; u_1.todo_in = u_1.todo_in + 1; end
            default: begin u_2.todo[u_2.todo_in%1024] = entry; u_2.todo_in = u_2.todo_in + 1; end
        endcase
    endtask

    initial begin
        for (int i = 0; i < 11; i++) parameters[i] = 32'd0;
        if (!$value$plusargs("script=%s", path)) $fatal(1, "no +script");
        script = $fopen(path, "r");
        #100000 aresetn = 1'b1;
        u_0.aresetn = 1'b1;
        u_1.aresetn = 1'b1;
        u_2.aresetn = 1'b1;
        #100000;
        while ($fscanf(script, "%s", word) == 1) begin
            code = 1;
            if (word == "card") begin
                code = $fscanf(script, "%d %h %h %h %h", card, a, b, c, mac);
                `EACH(ip = a) `EACH(ip_mask = b) `EACH(gateway = c) `EACH(mac = mac)
            end else if (word == "row") begin
                code = $fscanf(script, "%d %d %h %h %h %h", card, number, a, b, c, seed);
                `EACH(their_ip[32*number+:32] = a) `EACH(their_port[16*number+:16] = b[15:0])
                `EACH(my_port[16*number+:16] = c[15:0]) `EACH(valid[number] = seed[0])
            end else if (word == "known") begin
                code = $fscanf(script, "%d %h %h", card, a, mac);
                `EACH(known[a[7:0]] = 1'b1) `EACH(macs[a[7:0]] = mac)
            end else if (word == "send") begin
                code  = $fscanf(script, "%d %d %d %d", card, number, size, seed);
                entry = {15'd0, 1'b0, 1'b1, 64'd0, 16'(number), 16'(size), seed};
                push;
            end else if (word == "beats") begin
                code  = $fscanf(script, "%d %d %d %d %h", card, number, size, ends, keep);
                entry = {15'd0, 1'b1, ends[0], keep, 16'(number), 16'(size), 32'd0};
                push;
            end else if (word == "turn") begin
                code = $fscanf(script, "%d %d", card, number);
                `EACH(turn = 16'(number))
            end else if (word == "take") begin
                code = $fscanf(script, "%d %d", card, number);
                `EACH(take = number[0])
            end else if (word == "link") begin
                code = $fscanf(script, "%d %d", card, number);
                `EACH(link = number[0])
            end else if (word == "scan") begin
                code = $fscanf(script, "%d", card);
                `EACH(discovery = 1'b1)
                #100000;
                `EACH(discovery = 1'b0)
            end else if (word == "reset") begin
                code = $fscanf(script, "%d", card);
                `EACH(aresetn = 1'b0)
                #100000;
                `EACH(aresetn = 1'b1)
                #100000;
            end else if (word == "parameter") begin
                code = $fscanf(script, "%d %d", number, a);
                if (number == 11) beat = a[15:0];
                else parameters[number] = a;
                if (number == 0) begin  // taken over in reset
                    aresetn = 1'b0;
                    #20000 aresetn = 1'b1;
                end
            end else if (word == "wait") begin
                code = $fscanf(script, "%d", number);
                repeat (number) #1000;
            end else if (word == "rest") begin
                quiet = 0;
                while (quiet < 200) begin
                    repeat (4) @(posedge wire_clk);
                    quiet = |{up_valid, down_valid, u_0.active, u_1.active, u_2.active} ? 0 : quiet + 1;
                end
            end else code = 0;
            if (code < 1) $fatal(1, "no such command: %s", word);
        end
        u_0.tell;
        u_1.tell;
        u_2.tell;
        $display("SWITCH frames %0d delivered %0d lost %0d duplicated %0d reordered %0d truncated %0d corrupted %0d beats %0d congested %0d broken %0d",
                 u_switch.n_frames, u_switch.n_delivered, u_switch.n_lost, u_switch.n_duplicated, u_switch.n_reordered,
                 u_switch.n_truncated, u_switch.n_corrupted, u_switch.n_beats, u_switch.n_congested, u_switch.n_broken);
        $display("END");
        $finish;
    end
endmodule

`default_nettype wire
