// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_receiver_replies - simulation only: checks each reply of vnx_receiver against its reference.
//
// A reply may be a few cycles old when it leaves, so an ACK may say less than the reference knows, never more.
//
// Parameters: FRAME_BYTES, PACKET_BEATS, SLOTS, LINK  of the link
`default_nettype none

module bench_vnx_receiver_replies #(
    parameter int          FRAME_BYTES  = 64,
    parameter int          PACKET_BEATS = 23,
    parameter int          SLOTS        = 32,
    parameter logic [15:0] LINK         = 16'h1234
) (
    input  wire          aclk,
    input  wire          link_aresetn,
    input  wire  [31:0]  phase,

    input  wire  [511:0] r_tdata,
    input  wire  [63:0]  r_tkeep,
    input  wire          r_tlast,
    input  wire          r_tvalid,
    input  wire          r_tready,
    input  wire          drain,
    input  wire  [31:0]  lacks,      // how often something was missing: an ACK with nak is due

    // From the reference, and the session of the far sender.
    input  wire          is_open,
    input  wire  [15:0]  open_tx,
    input  wire  [15:0]  open_rx,
    input  wire  [31:0]  expected,
    input  wire  [SLOTS-1:0] kept,
    input  wire  [31:0]  heard,
    input  wire  [9:0]   refused,
    input  wire  [511:0] refused_head,
    input  wire  [15:0]  now_tx,

    output wire          all_told,   // that all was taken, and all slots are free
    output logic [31:0]  compared
);
    import bench_vnx_packet::*;

    wire [3:0]  r_kind  = r_tdata[BIT_KIND +: BITS_KIND];
    wire        r_nak   = r_tdata[BIT_NAK];
    wire [31:0] r_seq   = r_tdata[BIT_SEQ +: BITS_SEQ], r_frame = r_tdata[BIT_FRAME +: BITS_FRAME];
    wire [15:0] r_tx    = r_tdata[BIT_TX_EPOCH +: BITS_TX_EPOCH], r_rx = r_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH];
    wire [31:0] r_turn  = r_tdata[BIT_TURN +: BITS_TURN];
    wire [SLOTS-1:0] r_have = r_tdata[BIT_HAVE +: SLOTS];
    wire        is_here = r_tx === open_tx && r_rx === open_rx;
    localparam int SOON = 40;   // cycles
    int         due, lacks_q;
    int         n_nak, n_restart, n_have, refuses, told_limit, number;

    assign all_told = 32'(told_limit) == expected + 32'(SLOTS);

    logic [511:0] rest;  // of the beat, but for what the kind says
    task look;
        rest = r_kind == KIND_REFUSE ? hello(FRAME_BYTES, PACKET_BEATS, SLOTS) : '0;
        rest[255:0] = header(r_kind, LINK, HEADER_BYTES, r_seq, r_frame, r_tx, r_rx);
        rest[BIT_NAK] = r_nak && r_kind == KIND_ACK;
        if (r_kind == KIND_ACK) rest[BIT_HAVE +: SLOTS] = r_have;
        if (r_kind == KIND_ACK) rest[BIT_TURN +: BITS_TURN] = r_turn;
        // So that a sender of another version takes it.
        if (r_kind == KIND_REFUSE) rest[BIT_VERSION +: BITS_VERSION] = refused_head[BIT_VERSION +: BITS_VERSION];
        if (r_tkeep !== '1 || r_tlast !== 1'b1 || r_tdata !== rest)
            $fatal(1, "phase %0d: reply %h, expected %h (%m)", phase, r_tdata, rest);
        compared = compared + 1;
        case (r_kind)
            KIND_WELCOME: if (r_seq !== 32'd0 || r_frame !== 32'(SLOTS)) $fatal(1, "WELCOME (%m)");
            KIND_ACK: begin
                if (r_nak) n_nak = n_nak + 1;
                if (is_here) begin
                    if (r_seq > expected || int'(r_frame) > int'(expected) + SLOTS || r_frame < r_seq)
                        $fatal(1, "phase %0d: ACK of %0d up to %0d, expected is %0d (%m)", phase, r_seq, r_frame, expected);
                    if ($signed(heard - r_turn) < 0) $fatal(1, "phase %0d: transmission %0d came, not %0d (%m)", phase, heard, r_turn);
                    // What is said to be had came, and at the place that the sender looks at. The packet that is expected may have
                    // been dropped since, for its place in the frame.
                    for (int s = 0; s < SLOTS; s++) begin
                        number = int'(r_seq) + ((s - int'(r_seq)) & (SLOTS - 1));
                        if (r_have[s] && (number >= int'(r_frame) || (number > int'(expected) && !kept[s])))
                            $fatal(1, "phase %0d: ACK of %0d says that %0d is had, expected is %0d (%m)", phase, r_seq, number, expected);
                    end
                    if (r_have != '0) n_have = n_have + 1;
                    told_limit = int'(r_frame);
                end
            end
            KIND_REFUSE: begin
                refuses = refuses + 1;
                if (r_seq !== 32'(refused) || r_tx !== refused_head[BIT_TX_EPOCH +: BITS_TX_EPOCH])
                    $fatal(1, "REFUSE of %h, expected %h (%m)", r_seq, refused);
            end
            KIND_RESTART: begin
                n_restart = n_restart + 1;
                if (is_here && is_open && now_tx == open_tx) $fatal(1, "RESTART of the session that is open (%m)");
            end
            default: $fatal(1, "a reply of kind %0d (%m)", r_kind);
        endcase
    endtask

    always @(posedge aclk) begin
        if (lacks != lacks_q) due = SOON;
        lacks_q = lacks;
        if (r_tvalid && r_tready && r_kind == KIND_ACK && r_nak) due = 0;
        if (!link_aresetn || drain) due = 0;
        if (due != 0 && (!r_tvalid || r_tready)) begin
            due = due - 1;
            if (due == 0) $fatal(1, "phase %0d: no nak for what is missing (%m)", phase);
        end
        if (link_aresetn && r_tvalid && r_tready) look;
        // An answer that a reset withdraws was counted when it was offered.
        if (!link_aresetn && r_tvalid && r_kind == KIND_RESTART) n_restart = n_restart + 1;
    end

    task clear;
        n_nak = 0; n_restart = 0; due = 0; lacks_q = 0;
    endtask
    initial begin
        clear;
        compared = 0; n_have = 0; refuses = 0; told_limit = 0;
    end
endmodule

`default_nettype wire
