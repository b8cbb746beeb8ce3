// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_check - good packets through vnx_check, and packets with each kind of fault: verdict, bytes, latency, pulses.
`default_nettype none

module vnx_check_case #(
    parameter int DATA_W = 512, MOST_BEATS = 256, PACKETS = 100, LONGEST = 5, SEED = 1
) (
    input  wire  aclk,
    output logic done,
    output int   compared
);
    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam logic [3:0] KIND_HELLO = 4'd1;

    localparam int KEEP_W  = DATA_W / 8;
    localparam int DEST_W  = 16;
    localparam int W       = 2 + DEST_W + KEEP_W + DATA_W;
    localparam int MOST    = 2 * MOST_BEATS + 2;
    localparam int LATENCY = 6;

    logic              aresetn, s_tlast, s_tvalid;
    logic [DATA_W-1:0] s_tdata;
    logic [KEEP_W-1:0] s_tkeep;
    logic [DEST_W-1:0] s_tdest;
    wire               s_tready, m_tlast, m_tuser, m_tvalid, received, bad;
    wire  [DATA_W-1:0] m_tdata;
    wire  [KEEP_W-1:0] m_tkeep;
    wire  [DEST_W-1:0] m_tdest;

    vnx_check #(.DATA_W(DATA_W), .DEST_W(DEST_W), .MOST_BEATS(MOST_BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tdest(m_tdest), .m_axis_tlast(m_tlast),
        .m_axis_tuser(m_tuser), .m_axis_tvalid(m_tvalid), .received(received), .bad(bad)
    );

    // The packet that is being sent, and what it should come out as.
    logic [DATA_W-1:0] data [0:MOST-1];
    logic [KEEP_W-1:0] keep [0:MOST-1];
    logic [DEST_W-1:0] dest;
    logic              good;
    // What was offered in the cycles before: valid, last, good, dest, keep, data.
    logic [W:0]        past [0:LATENCY];
    int seed, beats, at, packet, goods, bads, cycle, fault, place;
    int faulty [0:9];

    function automatic logic [DATA_W-1:0] kept(input logic [DATA_W-1:0] beat, input logic [KEEP_W-1:0] bytes);
        for (int k = 0; k < KEEP_W; k++) kept[8*k +: 8] = bytes[k] ? beat[8*k +: 8] : 8'd0;
    endfunction

    function automatic int below(input int most);
        below = int'($unsigned($random(seed)) % $unsigned(most));
    endfunction

    function automatic logic [31:0] checksum(input logic unused);
        logic [DATA_W-1:0] beat;
        checksum = '1;
        for (int i = 0; i < beats; i++) begin
            beat = kept(data[i], keep[i]);
            if (i == 0) beat[63:32] = '0;
            for (int j = 0; j < DATA_W; j++)
                checksum = (checksum >> 1) ^ (checksum[0] != beat[j] ? 32'h82F63B78 : 32'd0);
        end
        checksum = ~checksum;
    endfunction

    // A packet that is right, and then what happens to it on its way.
    task make_packet();
        int more;
        more  = packet % 5 == 0 ? 1 : 1 + below(LONGEST);
        fault = below(14);
        if (fault == 8 || fault == 10) more = MOST_BEATS + (fault == 8 ? 1 : 0);
        beats = more;
        dest  = 16'($random(seed));
        for (int i = 0; i < beats; i++) begin
            for (int k = 0; k < DATA_W; k += 32) data[i][k +: 32] = $random(seed);
            keep[i] = '1;
        end
        data[0][23:0] = {IS_VERSION, IS_MAGIC};
        keep[beats-1] = {KEEP_W{1'b1}} >> (beats == 1 ? 0 : below(KEEP_W));
        place = below(beats);
        good = fault == 0 || fault >= 9;
        case (fault)
            2: data[0] = data[0] ^ (DATA_W'(1) << below(16));
            3: data[0] = data[0] | (DATA_W'(1) << (16 + below(8)));
            4: keep[place] = keep[place] & ~(KEEP_W'(1) << below(KEEP_W - 1));
            5: keep[0] = beats == 1 ? '0 : {KEEP_W{1'b1}} >> 1;
            default: ;
        endcase
        // A version may have been hit so that it is as it was; a HELLO of another one passes, to be refused by name.
        if (fault == 2 || fault == 3)
            good = data[0][15:0] == IS_MAGIC
                   && (data[0][23:16] == IS_VERSION || data[0][BIT_KIND +: BITS_KIND] == KIND_HELLO);
        if (fault == 4) good = keep[place] == '1 || (place == beats - 1 && keep[place][0] && (keep[place] & (keep[place] + KEEP_W'(1))) == '0);
        data[0][63:32] = checksum(1'b0);
        case (fault)
            1: data[place] = data[place] ^ (DATA_W'(1) << below(place == beats - 1 ? 8 : DATA_W));
            6: if (beats > 1) beats = beats - 1; else good = 1'b1;
            7: begin
                // Fused with itself, as when the end of one and the beginning of the next were lost.
                for (int i = 0; i < beats; i++) begin
                    data[beats + i] = data[i];
                    keep[beats + i] = keep[i];
                end
                keep[beats-1] = '1;
                beats = 2 * beats;
            end
            default: ;
        endcase
        faulty[fault > 9 ? 9 : fault] = faulty[fault > 9 ? 9 : fault] + 1;
        at = 0;
    endtask

    initial begin
        done = 1'b0; compared = 0; seed = SEED; packet = 0; at = 0; beats = 0; goods = 0; bads = 0; cycle = 0;
        aresetn = 1'b0; s_tvalid = 1'b0; s_tdata = '0; s_tkeep = '0; s_tdest = '0; s_tlast = 1'b0; good = 1'b0;
        for (int i = 0; i <= LATENCY; i++) past[i] = '0;
        for (int i = 0; i < 10; i++) faulty[i] = 0;
    end

    wire [W:0] due = past[LATENCY];

    always @(posedge aclk) if (!done) begin
        cycle = cycle + 1;
        for (int i = LATENCY; i > 0; i--) past[i] = past[i-1];
        past[0] = {s_tvalid && aresetn, s_tlast, good, s_tdest, s_tkeep, kept(s_tdata, s_tkeep)};
        if (cycle > 10) begin
            if (m_tvalid !== past[LATENCY][W]) $fatal(1, "tvalid is %b in cycle %0d (%m)", m_tvalid, cycle);
            if (!s_tready) $fatal(1, "the stack was held up (%m)");
            if ((received || bad) !== (m_tvalid && m_tlast) || (m_tvalid && m_tlast && received === bad) || received !== (m_tvalid && m_tuser))
                $fatal(1, "pulses %b %b with tlast %b (%m)", received, bad, m_tlast);
            if (m_tvalid) begin
                if ({m_tlast, m_tdest, m_tkeep, m_tdata} !== {past[LATENCY][W-1], past[LATENCY][W-3:0]})
                    $fatal(1, "packet %0d: beat %h, expected %h (%m)", compared, {m_tlast, m_tdest, m_tkeep, m_tdata}, past[LATENCY][W-3:0]);
                if (m_tuser !== (m_tlast && past[LATENCY][W-2]))
                    $fatal(1, "packet %0d: tuser is %b (%m)", compared, m_tuser);
                if (m_tlast) begin
                    compared = compared + 1;
                    if (m_tuser) goods = goods + 1; else bads = bads + 1;
                end
            end
        end
        done <= compared == PACKETS;

        aresetn  <= cycle > 3;
        s_tvalid <= 1'b0;
        if (cycle > 10) begin
            if (at == beats && packet < PACKETS) begin
                make_packet();
                packet = packet + 1;
            end
            if (at < beats && (packet > PACKETS / 2 || below(3) != 0)) begin
                s_tvalid <= 1'b1;
                s_tdata  <= data[at];
                s_tkeep  <= keep[at];
                s_tlast  <= at == beats - 1;
                s_tdest  <= dest;
                at = at + 1;
            end
        end
    end

    always @(posedge done) begin
        if (goods == 0 || bads == 0) $fatal(1, "%0d good and %0d bad packets (%m)", goods, bads);
        for (int i = 0; i < 10; i++) if (faulty[i] == 0 && PACKETS >= 100) $fatal(1, "no packet with fault %0d (%m)", i);
    end
endmodule

module tb_vnx_check;
    localparam int N = 3;
    logic            aclk;
    wire  [N-1:0]    done;
    wire  [N*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    vnx_check_case #(.DATA_W(64), .MOST_BEATS(9), .PACKETS(1000), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    vnx_check_case #(.DATA_W(512), .MOST_BEATS(4), .PACKETS(36), .LONGEST(4), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    vnx_check_case #(.DATA_W(64), .MOST_BEATS(256), .PACKETS(24), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
endmodule

`default_nettype wire
