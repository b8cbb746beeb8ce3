// SPDX-License-Identifier: BSD-3-Clause
//
// axis_checker - watches one AXI4-Stream and stops the simulation at the first broken rule.
//
//   tvalid does not fall without a transfer
//   tdata does not change while tvalid waits for tready
//   aresetn is never X at a clock edge, tvalid and tready are not after reset, tdata is not while tvalid
//   (visible to a four-state simulator only); with X on aresetn no other rule is checked
// The caller packs sidebands into tdata. Not checked: behaviour during reset.
//
// Simulation only. Plain `always`, because Icarus warns about $fatal inside always_ff.
//
// Parameters: DATA_W  bits of a beat
//             NAME    word for the message
// Checked by: test_axis_checker.py
`default_nettype none

module axis_checker #(
    parameter int DATA_W = 8,
    parameter     NAME   = "stream"
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [DATA_W-1:0]   axis_tdata,
    input  wire                 axis_tvalid,
    input  wire                 axis_tready
);

    logic              waiting_q;
    logic [DATA_W-1:0] data_q;

    initial waiting_q = 1'b0;

    always @(posedge aclk) begin
        if ((^aresetn) === 1'bx)
            $fatal(1, "%0s: aresetn is X (%m)", NAME);
        if (aresetn) begin
            if ((axis_tvalid ^ axis_tready) === 1'bx)
                $fatal(1, "%0s: tvalid or tready is X (%m)", NAME);
            if (axis_tvalid && (^axis_tdata) === 1'bx)
                $fatal(1, "%0s: tdata is X while tvalid (%m)", NAME);
            if (waiting_q && !axis_tvalid)
                $fatal(1, "%0s: tvalid fell without a transfer (%m)", NAME);
            if (waiting_q && axis_tdata !== data_q)
                $fatal(1, "%0s: tdata changed while tvalid waited for tready (%m)", NAME);
        end
        waiting_q <= aresetn && axis_tvalid && !axis_tready;
        data_q    <= axis_tdata;
    end

endmodule

`default_nettype wire
