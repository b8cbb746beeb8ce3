// SPDX-License-Identifier: BSD-3-Clause
//
// lane_meter - simulation only: counts packets at the pins of a port, as lane_gate does inside, and writes them to FILE.
`default_nettype none

module lane_meter #(
    parameter FILE = "meter.txt"
) (
    input wire aclk,
    input wire aresetn,
    input wire probe,
    input wire received,  // the last beat of a packet passes
    input wire sent
);
    logic [31:0] received_q, sent_q;
    logic        probe_q;
    always_ff @(posedge aclk) begin
        received_q <= !aresetn ? 32'd0 : received_q + 32'(received);
        sent_q     <= !aresetn ? 32'd0 : sent_q + 32'(sent);
        probe_q    <= probe;
        if (probe && !probe_q) tell;
    end

    task automatic tell;
        integer file;
        file = $fopen(FILE, "w");
        $fdisplay(file, "RECEIVED %0d 0", received_q);
        $fdisplay(file, "SENT %0d 0", sent_q);
        $fclose(file);
    endtask
endmodule

`default_nettype wire
