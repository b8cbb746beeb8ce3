# SPDX-License-Identifier: BSD-3-Clause
"""Commands in the Makefile of a card with Coyote, by version."""

from __future__ import annotations

from shellgen.platforms.commands import NO_MEMORY_FILE, PACKAGE, STOPS, Commands, Words, clone

_COYOTE = clone("COYOTE")
_MET = "All user specified timing constraints are met"
_PACKAGED: tuple[Words, ...] = (("sh", "hw/clone.sh", _COYOTE), ("mkdir", "-p", "build"), PACKAGE)
_UNLESS = ("]", ";", "then", "exit", "1", ";", "fi")
_BITSTREAM = ("if", "[", "!", "-f", "build/hw/bitstreams/cyt_top.bit", *_UNLESS)


def v2_commands(product: str, report: str) -> Commands:
    """Return the commands of Coyote v2. Source: fpgasystems/Coyote, cmake: targets project, synth, bitgen.

    Args:
        product: What is left of the core's vFPGA if it is built alone, below the folder of bitstreams.
        report: Of its timing, below the folder of reports.
    """
    summary = "build/hw/reports/shell_timing_summary.rpt"
    return Commands(
        (
            ("rm", "-rf", "build/hw"),
            ("cmake", "-S", "hw", "-B", "build/hw", f"-DCYT_DIR={_COYOTE}"),
            ("make", "-C", "build/hw", "project"),
            ("echo", "done", ">", "build/hw/projected"),
            ("make", "-C", "build/hw", "synth"),
            ("!", "grep", NO_MEMORY_FILE, "build/hw", *STOPS),
            ("echo", "done", ">", "build/hw/synthesised"),
            ("rm", "-rf", "build/hw/bitstreams", "build/hw/slow"),
            ("make", "-C", "build/hw", "bitgen"),
            _BITSTREAM,
            ("grep", _MET, "build/hw/reports"),
            ("||", "[", "!", "-f", summary, "]", ";", "then", "mv", "exit", "1"),
            ("echo", "done", ">", "build/hw/built"),
        ),
        _PACKAGED,
        {
            "-DBUILD_APP=1": (
                ("if", "[", "!", "-f", f"build/hw/bitstreams/{product}", *_UNLESS),
                ("[", "!", "-f", f"build/hw/reports/{report}", "]", ";", "then", "mv", "exit", "1"),
            )
        },
    )


def v1_commands(archives: tuple[str, ...] = ()) -> Commands:
    """Return the commands of Coyote v1. Source: fpgasystems/Coyote v1, hw/CMakeLists.txt: shell, compile.

    Args:
        archives: Kernels of ACCL that are unpacked, below its folder of kernels.
    """
    kernels = f"{clone('ACCL')}/kernels"
    unpacked = tuple(("unzip", "-qn", f"{kernels}/{one}", "-d", "build/kernels") for one in archives)
    slow = ("mv", "build/hw/bitstreams", "build/hw/slow", "exit", "1", ";", "fi")
    return Commands(
        (
            ("rm", "-rf", "build/hw"),
            ("cmake", "-S", f"{_COYOTE}/hw", "-B", "build/hw"),
            ("make", "-C", "build/hw", "shell"),
            ("if", "[", "!", "-f", "build/hw/lynx/lynx.xpr", *_UNLESS),
            ("echo", "done", ">", "build/hw/shelled"),
            ("vivado", "-mode", "batch", "-source", "hw/project.tcl", "-tclargs", "build/hw"),
            ("echo", "done", ">", "build/hw/projected"),
            ("rm", "-rf", "build/hw/bitstreams", "build/hw/slow"),
            ("make", "-C", "build/hw", "compile"),
            _BITSTREAM,
            ("!", "grep", NO_MEMORY_FILE, "build/hw/lynx/lynx.runs", *STOPS),
            ("if", "!", "grep", _MET, ";", "then", *slow),
            ("echo", "done", ">", "build/hw/built"),
        ),
        (*_PACKAGED, *unpacked),
    )
