# SPDX-License-Identifier: BSD-3-Clause
"""The same project and the same runs, asked for otherwise."""

from __future__ import annotations

from .values import F2OPT, UG835
from .variant import BD, BUILD, Texts, variant

EXPORT = "vivado/export.tcl"
PYNQ_BUILD = "Xilinx/PYNQ, boards/Pynq-Z1/base/build_bitstream.tcl"


@variant("-verbose and -quiet", f"{UG835}, connect_bd_net", ours=True)
def _(texts: Texts) -> None:
    texts.swap("validate_bd_design\n", "validate_bd_design -verbose\n")
    texts.swap("save_bd_design\n", "save_bd_design -quiet\n")


@variant("validated twice", "shakeelakram00/F2Opt, Aopt/Build_tfc/stitched_ip/make_project.tcl", ours=True)
def _(texts: Texts) -> None:
    texts.swap("validate_bd_design\n", "validate_bd_design\nvalidate_bd_design -force\n")


@variant("the design named when it is saved", f"{UG835}, save_bd_design", ours=True)
def _(texts: Texts) -> None:
    texts.swap("save_bd_design\n", "save_bd_design [current_bd_design]\n")


@variant("the design closed and opened again", "UG994", ours=True)
def _(texts: Texts) -> None:
    texts.before(
        "# Synthesised as one design",
        "close_bd_design [current_bd_design]\nopen_bd_design [get_files top.bd]\n",
    )


@variant("the wrapper imported", F2OPT, ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "add_files -norecurse [list [make_wrapper -files [get_files top.bd] -top]]",
        "make_wrapper -files [get_files top.bd] -import -fileset sources_1 -top",
    )


@variant("the wrapper's path kept", PYNQ_BUILD, ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "add_files -norecurse [list [make_wrapper -files [get_files top.bd] -top]]",
        "set wrapper [make_wrapper -files [get_files top.bd] -top]\nadd_files -norecurse $wrapper",
    )


@variant("targets that are needed, not all", f"{UG835}, generate_target", ours=True)
def _(texts: Texts) -> None:
    texts.swap("generate_target all [", "generate_target {synthesis implementation} [")


@variant("both runs by one command", PYNQ_BUILD)
def _(texts: Texts) -> None:
    texts.swap("{synth_1 {} impl_1 {-to_step write_bitstream}}", "{impl_1 {-to_step write_bitstream}}", BUILD)


@variant("more jobs", PYNQ_BUILD, ours=True)
def _(texts: Texts) -> None:
    texts.swap("set jobs 2", "set jobs 8", BUILD)


@variant("sources by add_files", "Xilinx/xup_vitis_network_example, NetLayers", ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "        eval read_verilog $args [list $paths]\n",
        "        add_files -norecurse -fileset sources_1 $paths\n"
        "        foreach path $paths {\n"
        "            if {[llength $args]} {\n"
        "                set_property file_type SystemVerilog [get_files $path]\n"
        "            }\n        }\n",
        BUILD,
    )


@variant("sources one by one", f"{UG835}, read_verilog", ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "        eval read_verilog $args [list $paths]\n",
        "        foreach path $paths {\n            eval read_verilog $args [list $path]\n        }\n",
        BUILD,
    )


@variant("sources imported", PYNQ_BUILD, ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "add_files -fileset constrs_1 -norecurse [list",
        "import_files -fileset constrs_1 -norecurse [list",
        BD,
    )


@variant("the top found by Vivado", f"{UG835}, update_compile_order", ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "set_property top top_wrapper [current_fileset]\n",
        "set_property top top_wrapper [get_filesets sources_1]\n",
        BUILD,
    )


@variant("the project without -force", PYNQ_BUILD, ours=True)
def _(texts: Texts) -> None:
    texts.swap(" -part xc7z020clg484-1 -force", " -part xc7z020clg484-1", BUILD)


@variant("the part set afterwards", f"{UG835}, create_project", ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        " -part xc7z020clg484-1 -force", " -force\nset_property part xc7z020clg484-1 [current_project]", BUILD
    )


@variant("reports left out", PYNQ_BUILD)
def _(texts: Texts) -> None:
    texts.cut(r"^report_(power|utilization)", EXPORT)


@variant("threads limited", f"{UG835}, set_param", ours=True)
def _(texts: Texts) -> None:
    texts.before("# ---- cells", "set_param general.maxThreads 2")


@variant("scripts sourced without echo", "galanom/zdma, hw", ours=True)
def _(texts: Texts) -> None:
    texts.swap("source [file join $here bd.tcl]", "source -notrace [file join $here bd.tcl]", BUILD)
