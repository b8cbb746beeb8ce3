// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_sender_replies - simulation only: the beats that replies come in to vnx_sender, and junk between them.
//
// Junk is an ACK that would corrupt the stream but for one fault. What looks like a reply keeps its distance from others,
// unless `dense`. REFUSE comes with values of its own in the other half.
//
// Parameters: LINK  of the link
//             SLOTS of the block
//             SEED  of what is random
`default_nettype none

module bench_vnx_sender_replies #(
    parameter logic [15:0] LINK = 16'h1234,
    parameter int          SLOTS = 8,
    parameter int          SEED = 1
) (
    input  wire          aclk,
    input  wire          link_aresetn,
    input  wire          dense,
    input  wire  [6:0]   junk,         // chance of 64
    input  wire          straying,     // acknowledgements of what was not sent

    // What the block has: its session, and what it has sent.
    input  wire          in_session,
    input  wire  [15:0]  epoch,
    input  wire  [15:0]  session_rx,
    input  wire  [31:0]  next_seq,

    output logic         pull,
    input  wire          reply_valid,
    input  wire  [132+SLOTS:0] reply,  // kind, nak, seq, limit, tx, rx, turn, slots that are had

    output logic [511:0] n_tdata,
    output logic [63:0]  n_tkeep,
    output logic         n_tlast,
    output logic         n_tuser,
    output logic         n_tvalid
);
    import bench_vnx_packet::*;
    localparam logic [31:0]  FAR     = 32'h7FFFFFFF;  // a limit nobody may have
    localparam logic [15:0]  OTHER   = 16'h7777;      // boundary of REFUSE
    localparam logic [255:0] REFUSED = {56'd0, 8'd5, 32'hAA, 32'hBB, 8'd9, 8'd8, 16'd7, 32'd6, 64'hFEDCBA9876543210};

    int           cycle;
    logic [63:0]  dice;
    logic         held;       // a reply waits for its turn
    logic [132+SLOTS:0] hold;
    logic [31:0]  turn;
    logic [SLOTS-1:0] have;
    logic [3:0]   kind;
    logic         nak;
    logic [31:0]  seq, limit;
    logic [15:0]  tx, rx;
    logic [255:0] first;

    task spoil;
        n_tvalid <= cycle % 4 == 0 || (dice[63:61] != 3'd2 && dice[63:61] != 3'd3 && dice[63:61] != 3'd7);
        first = header(KIND_ACK, LINK, HEADER_BYTES, next_seq, FAR, epoch, session_rx);
        first[BIT_NAK] = 1'b1;
        first[BIT_TURN +: BITS_TURN] = dice[31:0];
        case (dice[63:61])
            3'd0: n_tuser <= 1'b0;
            3'd1: first[BIT_LINK +: BITS_LINK] = ~LINK;
            3'd2: first[BIT_TX_EPOCH +: BITS_TX_EPOCH] = epoch - 16'd1;
            3'd3: first[BIT_RX_EPOCH +: BITS_RX_EPOCH] = session_rx + 16'd1;
            3'd4: n_tkeep <= 64'h00FFFFFFFFFFFFFF;
            3'd5: n_tlast <= 1'b0;
            3'd6: first[BIT_KIND +: BITS_KIND] = KIND_PROBE;
            default: begin
                first[BIT_KIND +: BITS_KIND] = KIND_WELCOME;
                first[BIT_TX_EPOCH +: BITS_TX_EPOCH] = epoch - 16'd1;
            end
        endcase
        n_tdata[255:0] <= first;
    endtask

    always @(posedge aclk) begin
        dice  = rolled(dice);
        cycle = cycle + 1;
        pull <= !held && (cycle % 4 == 2 || (dense && in_session));
        n_tvalid <= 1'b0;
        n_tdata  <= {8{dice}};
        n_tkeep  <= '1;
        n_tlast  <= 1'b1;
        n_tuser  <= 1'b1;
        if (reply_valid) begin
            held = 1'b1;
            hold = reply;
        end
        if (!link_aresetn) held = 1'b0;
        else if (n_tvalid && !n_tlast) begin
            // The last beat of a packet that is too long.
            n_tvalid <= 1'b1;
            n_tdata  <= {256'd0, header(KIND_ACK, LINK, HEADER_BYTES, 32'd1, FAR, epoch, session_rx)};
        end else if (straying && cycle % 8 == 0 && in_session) begin
            n_tvalid <= 1'b1;
            n_tdata[255:0] <= header(KIND_ACK, LINK, HEADER_BYTES, next_seq + 32'd4, 32'd900, epoch, session_rx);
        end else if (held) begin
            {kind, nak, seq, limit, tx, rx, turn, have} = hold;
            first = header(kind, kind == KIND_REFUSE ? OTHER : LINK, HEADER_BYTES, seq, limit, tx, rx);
            first[BIT_NAK] = nak;
            first[BIT_TURN +: BITS_TURN] = turn;
            first[BIT_CRC +: BITS_CRC] = 32'(dice);
            n_tvalid <= 1'b1;
            n_tdata  <= {kind == KIND_REFUSE ? REFUSED : 256'(have), first};
            held = 1'b0;
        end else if (luck(dice, int'(junk), 8)) spoil;
    end

    initial begin
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15 + 64'd4;
        cycle = 0; held = 1'b0; hold = '0; pull = 1'b0;
        n_tdata = '0; n_tkeep = '0; n_tlast = 1'b0; n_tuser = 1'b0; n_tvalid = 1'b0;
    end
endmodule

`default_nettype wire
