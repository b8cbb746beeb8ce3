# SPDX-License-Identifier: BSD-3-Clause
#
# Vivado timing constraints of axil_cdc, for every instance of it. A constraint file of the project or, without one,
#   read_xdc -unmanaged axil_cdc.tcl
# after the constraints that create the clocks. Do not also set_clock_groups -asynchronous on the two clocks: that
# overrides set_max_delay (UG903, Constraining Asynchronous Signals).

foreach cell [get_cells -quiet -hierarchical -filter {ORIG_REF_NAME == axil_cdc || REF_NAME == axil_cdc}] {
    set s_clock [get_clocks -quiet -of_objects [get_pins $cell/s_axil_aclk]]
    set m_clock [get_clocks -quiet -of_objects [get_pins $cell/m_axil_aclk]]
    if {[llength $s_clock] == 0 || [llength $m_clock] == 0} {
        error "axil_cdc.tcl: no clock reaches s_axil_aclk or m_axil_aclk of $cell; create the clocks first"
    }
    set s_period [get_property -min PERIOD $s_clock]
    set m_period [get_property -min PERIOD $m_clock]

    # The word is looked at when its toggle has gone through the synchroniser, two cycles of the sampling clock at least
    # after both set out. Within one of them the word is there.
    foreach {from to period} [list \
        s_toggle_q m_meta_q $m_period  s_ask_q m_ask_q $m_period \
        m_toggle_q s_meta_q $s_period  m_answer_q s_axil_rdata $s_period \
        m_answer_q s_axil_rresp $s_period  m_answer_q s_axil_bresp $s_period] {
        set sources [get_cells $cell/${from}_reg*]
        set targets [get_cells $cell/${to}_reg*]
        set_max_delay -datapath_only -from $sources -to $targets $period
    }
    # The kind of the request says which channels are offered.
    set_max_delay -datapath_only -from [get_cells $cell/s_ask_q_reg*] \
        -to [get_cells [list $cell/aw_q_reg $cell/w_q_reg $cell/ar_q_reg]] $m_period
}
