// SPDX-License-Identifier: BSD-3-Clause
//
// bench_lite_slave - simulation only: an AXI4-Lite memory that hangs on request, and checks its master.
//
// Reset sets word w of 2**WORDS_LOG2 to `first(w)`. Base, mask and seed are inputs, not parameters, so that the
// many slaves of a bench are one module to compile. Fatal: an address outside the window, axprot other than address
// bits 4:2, a valid that falls, a payload that changes while it waits, a request before the last one was answered.
// With TIMEOUT a request may be withdrawn once it is that old, and then a request of which anything had not been
// taken must have been the last one before reset.
//
// Parameters: ADDR_W, DATA_W    of the bus
//             WORDS_LOG2        of the memory, which repeats through the window
//             TIMEOUT           cycles that the master gives to an access; 0: it never withdraws one
`default_nettype none

module bench_lite_slave #(
    parameter int ADDR_W     = 12,
    parameter int DATA_W     = 32,
    parameter int WORDS_LOG2 = 4,
    parameter int TIMEOUT    = 0
) (
    input  wire                  aclk,
    input  wire                  aresetn,
    input  wire                  eager,
    input  wire  [4:0]           hang,  // r, ar, b, w, aw
    input  wire  [ADDR_W-1:0]    base,
    input  wire  [ADDR_W-1:0]    mask,  // address bits inside the window
    input  wire  [31:0]          seed,

    input  wire  [ADDR_W-1:0]    s_axil_awaddr,
    input  wire  [2:0]           s_axil_awprot,
    input  wire                  s_axil_awvalid,
    output logic                 s_axil_awready,
    input  wire  [DATA_W-1:0]    s_axil_wdata,
    input  wire  [DATA_W/8-1:0]  s_axil_wstrb,
    input  wire                  s_axil_wvalid,
    output logic                 s_axil_wready,
    output logic [1:0]           s_axil_bresp,
    output logic                 s_axil_bvalid,
    input  wire                  s_axil_bready,
    input  wire  [ADDR_W-1:0]    s_axil_araddr,
    input  wire  [2:0]           s_axil_arprot,
    input  wire                  s_axil_arvalid,
    output logic                 s_axil_arready,
    output logic [DATA_W-1:0]    s_axil_rdata,
    output logic [1:0]           s_axil_rresp,
    output logic                 s_axil_rvalid,
    input  wire                  s_axil_rready
);

    localparam int LSB = $clog2(DATA_W / 8);

    function automatic logic [DATA_W-1:0] first(input int w);
        first = {DATA_W/32{(32'(w) * 32'h9E3779B1) ^ (seed * 32'h85EBCA77) ^ 32'h5BD1E995}};
    endfunction

    logic [DATA_W-1:0]     mem [0:(1<<WORDS_LOG2)-1];
    logic [31:0]           dice;
    logic                  aw_have, w_have;
    logic [WORDS_LOG2-1:0] aw_word;
    logic [DATA_W-1:0]     w_data;
    logic [DATA_W/8-1:0]   w_strb;
    logic                  ar_have;
    logic [WORDS_LOG2-1:0] ar_word;
    int                    writes, reads;

    initial begin
        dice = 32'd1;
        writes = 0; reads = 0;
        s_axil_awready = 1'b0; s_axil_wready = 1'b0; s_axil_bvalid = 1'b0; s_axil_bresp = 2'b00;
        s_axil_arready = 1'b0; s_axil_rvalid = 1'b0; s_axil_rresp = 2'b00; s_axil_rdata = '0;
        aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
    end

    task check(input logic [ADDR_W-1:0] addr, input logic [2:0] prot);
        if (((addr ^ base) & ~mask) != 0) $fatal(1, "address %h is not for this slave (%m)", addr);
        if (prot != addr[4:2]) $fatal(1, "axprot %b came with address %h (%m)", prot, addr);
    endtask

    always @(posedge aclk) begin
        dice <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};

        // The handshakes of the cycle that ends here, then what follows from them.
        if (s_axil_bvalid && s_axil_bready) s_axil_bvalid <= 1'b0;
        if (s_axil_rvalid && s_axil_rready) s_axil_rvalid <= 1'b0;
        if (s_axil_awvalid && s_axil_awready) begin
            check(s_axil_awaddr, s_axil_awprot);
            aw_have = 1'b1;
            aw_word = s_axil_awaddr[LSB +: WORDS_LOG2];
        end
        if (s_axil_wvalid && s_axil_wready) begin
            w_have = 1'b1;
            w_data = s_axil_wdata;
            w_strb = s_axil_wstrb;
        end
        if (s_axil_arvalid && s_axil_arready) begin
            check(s_axil_araddr, s_axil_arprot);
            ar_have = 1'b1;
            ar_word = s_axil_araddr[LSB +: WORDS_LOG2];
        end
        if (aw_have && w_have && !hang[2] && (eager || dice[3]) && (!s_axil_bvalid || s_axil_bready)) begin
            for (int i = 0; i < DATA_W / 8; i++)
                if (w_strb[i]) mem[aw_word][i*8 +: 8] <= w_data[i*8 +: 8];
            s_axil_bvalid <= 1'b1;
            writes <= writes + 1;
            aw_have = 1'b0;
            w_have  = 1'b0;
        end
        if (ar_have && !hang[4] && (eager || dice[4]) && (!s_axil_rvalid || s_axil_rready)) begin
            s_axil_rvalid <= 1'b1;
            s_axil_rdata  <= mem[ar_word];
            reads <= reads + 1;
            ar_have = 1'b0;
        end
        s_axil_awready <= !aw_have && !hang[0] && (eager || dice[0]);
        s_axil_wready  <= !w_have && !hang[1] && (eager || dice[1]);
        s_axil_arready <= !ar_have && !hang[3] && (eager || dice[2]);

        if (!aresetn) begin
            for (int w = 0; w < (1 << WORDS_LOG2); w++) mem[w] <= first(w);
            dice <= seed * 32'h9E3779B1 + 5;
            s_axil_awready <= 1'b0; s_axil_wready <= 1'b0; s_axil_arready <= 1'b0;
            s_axil_bvalid  <= 1'b0; s_axil_rvalid <= 1'b0;
            aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
        end
    end

    // ---- the rules that the master must keep ----------------------------------------------------

    localparam int AW_W = ADDR_W + 3;
    localparam int W_W  = DATA_W + DATA_W / 8;

    int                  age;     // cycles that the request has been seen
    logic                busy;    // it has come and was not answered
    logic                closed;  // it was withdrawn, and not taken as a whole before
    logic [2:0]          open;    // ar, w, aw: valid without ready in the cycle before
    logic [2:0]          past;    // ar, w, aw: valid in the cycle before
    logic [2*AW_W+W_W-1:0] held;
    wire  [2:0]          valid   = {s_axil_arvalid, s_axil_wvalid, s_axil_awvalid};
    wire  [2:0]          ready   = {s_axil_arready, s_axil_wready, s_axil_awready};
    wire  [2*AW_W+W_W-1:0] payload = {
        s_axil_wstrb, s_axil_wdata, s_axil_arprot, s_axil_araddr, s_axil_awprot, s_axil_awaddr
    };
    wire answered = (s_axil_bvalid && s_axil_bready) || (s_axil_rvalid && s_axil_rready);

    initial begin
        age = 0; busy = 1'b0; closed = 1'b0; open = '0; past = '0; held = '0;
    end

    always @(posedge aclk) begin
        if (aresetn) begin
            if ((^valid) === 1'bx) $fatal(1, "a valid is X (%m)");
            if (open[0] && valid[0] && payload[0 +: AW_W] !== held[0 +: AW_W])
                $fatal(1, "aw: payload changed while valid waited for ready (%m)");
            if (open[2] && valid[2] && payload[AW_W +: AW_W] !== held[AW_W +: AW_W])
                $fatal(1, "ar: payload changed while valid waited for ready (%m)");
            if (open[1] && valid[1] && payload[2*AW_W +: W_W] !== held[2*AW_W +: W_W])
                $fatal(1, "w: payload changed while valid waited for ready (%m)");
            if ((open & ~valid) != 0) begin
                if (TIMEOUT == 0 || age < TIMEOUT - 3 || age > TIMEOUT - 1 || valid != 0)
                    $fatal(1, "valid fell without a transfer: %b to %b at age %0d (%m)", open, valid, age);
                closed <= 1'b1;
            end
            if (TIMEOUT != 0) begin
                if (closed && valid != 0) $fatal(1, "a request after one that was withdrawn (%m)");
                if (busy && (valid & ~past) != 0) $fatal(1, "a request before the last was answered (%m)");
                if (valid[2] && valid[1:0] != 0) $fatal(1, "a read and a write at once (%m)");
                if (!busy && valid != 0 && valid != 3'b100 && valid != 3'b011)
                    $fatal(1, "half a write is requested: %b (%m)", valid);
            end
        end
        if (!busy && valid != 0) begin
            busy <= 1'b1;
            age  <= 1;
        end else begin
            if (answered) busy <= 1'b0;
            age <= age + 1;
        end
        open   <= aresetn ? valid & ~ready : 3'd0;
        past   <= aresetn ? valid : 3'd0;
        held   <= payload;
        if (!aresetn) begin
            busy   <= 1'b0;
            closed <= 1'b0;
        end
    end

endmodule

`default_nettype wire
