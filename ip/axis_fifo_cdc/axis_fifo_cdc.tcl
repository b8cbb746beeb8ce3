# SPDX-License-Identifier: BSD-3-Clause
#
# Vivado timing constraints of axis_fifo_cdc, for every instance of it. A constraint file of the project or, without one,
#   read_xdc -unmanaged axis_fifo_cdc.tcl
# after the constraints that create the clocks. Do not also set_clock_groups -asynchronous on the two clocks: that
# overrides set_max_delay (UG903, Constraining Asynchronous Signals).

foreach cell [get_cells -quiet -hierarchical -filter {ORIG_REF_NAME == axis_fifo_cdc || REF_NAME == axis_fifo_cdc}] {
    set s_clock [get_clocks -quiet -of_objects [get_pins $cell/s_axis_aclk]]
    set m_clock [get_clocks -quiet -of_objects [get_pins $cell/m_axis_aclk]]
    if {[llength $s_clock] == 0 || [llength $m_clock] == 0} {
        error "axis_fifo_cdc.tcl: no clock reaches s_axis_aclk or m_axis_aclk of $cell; create the clocks first"
    }
    set s_period [get_property -min PERIOD $s_clock]
    set m_period [get_property -min PERIOD $m_clock]
    set faster [expr {min($s_period, $m_period)}]

    # Gray pointer and steps of the clearing cross as one word. A bit arrives within one period of its source, and no bit so much later
    # than another that the sampling flops see two steps at once, or a clearing before the pointer that it is of.
    foreach {from to period} [list s_cross_q m_meta_q $s_period m_cross_q s_meta_q $m_period] {
        set sources [get_cells $cell/${from}_reg*]
        set targets [get_cells $cell/${to}_reg*]
        set_max_delay -datapath_only -from $sources -to $targets $period
        set_bus_skew -from $sources -to $targets $faster
    }

    # LUTRAM is read without a clock: the write clock reaches the output register through it. The word has stood there
    # for two cycles when it is taken, of which the path may take one. A block RAM has no such register.
    set data [get_cells -quiet $cell/ram_q_reg*]
    if {[llength $data] != 0 && $s_clock ne $m_clock} {
        set_max_delay -datapath_only -from $s_clock -to $data $m_period
    }
}
