// SPDX-License-Identifier: BSD-3-Clause
//
// cclo_meter - simulation only: counts at the pins between a core and its ACCL engine what ip/accl_port counts inside.
//
// On a rising edge of `probe` it writes FILE: in each line the name of a register, the count, and 1 if it goes on
// counting because something waits.
//
// A put is counted when its status is taken; it waits for its status alone from the cycle after its last beat was taken,
// or its last word if that comes later.
`default_nettype none

module cclo_meter #(
    parameter FILE = "meter.txt"
) (
    input wire        aclk,
    input wire        aresetn,  // of the core
    input wire        probe,
    input wire        command_tlast,
    input wire        command_tvalid,
    input wire        command_tready,
    input wire [31:0] status_tdata,
    input wire        status_tvalid,
    input wire        status_tready,
    input wire        sent_tlast,
    input wire        sent_tvalid,
    input wire        sent_tready,
    input wire        got_tvalid,
    input wire        got_tready
);
    logic [31:0] puts, refused, command_waits, status_waits, sent_beats, sent_waits, received_beats, received_waits;
    logic        owed_q, due_q, probe_q;  // a put has no status yet; not all of its beats were taken

    wire told  = command_tvalid && command_tready && command_tlast;
    wire sent  = sent_tvalid && sent_tready && sent_tlast;
    wire known = status_tvalid && status_tready && owed_q;

    always_ff @(posedge aclk) begin
        owed_q         <= told || (owed_q && !known);
        due_q          <= told || (due_q && !sent);
        puts           <= puts + 32'(known);
        refused        <= refused + 32'(known && status_tdata != 32'd0);
        command_waits  <= command_waits + 32'(command_tvalid && !command_tready);
        status_waits   <= status_waits + 32'(owed_q && !due_q);
        sent_beats     <= sent_beats + 32'(sent_tvalid && sent_tready);
        sent_waits     <= sent_waits + 32'(sent_tvalid && !sent_tready);
        received_beats <= received_beats + 32'(got_tvalid && got_tready);
        received_waits <= received_waits + 32'(got_tvalid && !got_tready);
        probe_q        <= probe;
        if (probe && !probe_q) tell;
        if (!aresetn) begin
            {owed_q, due_q} <= 2'b00;
            {puts, refused, command_waits, status_waits} <= 128'd0;
            {sent_beats, sent_waits, received_beats, received_waits} <= 128'd0;
        end
    end

    task automatic tell;
        integer file;
        file = $fopen(FILE, "w");
        $fdisplay(file, "PUTS %0d 0", puts);
        $fdisplay(file, "REFUSED_PUTS %0d 0", refused);
        $fdisplay(file, "COMMAND_WAITS %0d %0b", command_waits, command_tvalid);
        $fdisplay(file, "STATUS_WAITS %0d %0b", status_waits, owed_q);
        $fdisplay(file, "SENT_BEATS %0d 0", sent_beats);
        $fdisplay(file, "SENT_WAITS %0d %0b", sent_waits, sent_tvalid);
        $fdisplay(file, "RECEIVED_BEATS %0d 0", received_beats);
        $fdisplay(file, "RECEIVED_WAITS %0d %0b", received_waits, got_tvalid);
        $fclose(file);
    endtask
endmodule

`default_nettype wire
