# SPDX-License-Identifier: BSD-3-Clause
#
# Vivado timing constraints of shell_sync, for every instance of it. A constraint file of the project or, without one,
#   read_xdc -unmanaged shell_sync.tcl
# after the constraints that create the clocks. Do not also set_clock_groups -asynchronous on the two clocks: that
# overrides set_max_delay (UG903, Constraining Asynchronous Signals).

foreach cell [get_cells -quiet -hierarchical -filter {ORIG_REF_NAME == shell_sync || REF_NAME == shell_sync}] {
    set clock [get_clocks -quiet -of_objects [get_pins $cell/aclk]]
    if {[llength $clock] == 0} {
        error "shell_sync.tcl: no clock reaches aclk of $cell; create the clocks first"
    }
    # A level may arrive in any cycle; within one period it is not far from where it was sent.
    set targets [get_cells $cell/meta_q_reg*]
    set_max_delay -datapath_only -from [all_fanin -flat -startpoints_only [get_pins -of_objects $targets -filter {REF_PIN_NAME == D}]] \
        -to $targets [get_property -min PERIOD $clock]
}
