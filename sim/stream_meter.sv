// SPDX-License-Identifier: BSD-3-Clause
//
// stream_meter - simulation only: counts the beats of a stream, and the cycles in which a beat waits.
// What the registers of a core count must come to the same.
`default_nettype none

module stream_meter (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire         tvalid,
    input  wire         tready,
    output logic [31:0] beats,
    output logic [31:0] stalls
);
    always @(posedge aclk)
        if (!aresetn) {beats, stalls} <= 64'd0;
        else if (tvalid && tready) beats <= beats + 32'd1;
        else if (tvalid) stalls <= stalls + 32'd1;
endmodule

`default_nettype wire
