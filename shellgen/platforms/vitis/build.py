# SPDX-License-Identifier: BSD-3-Clause
"""Commands of `shellgen build` for an Alveo card."""

from __future__ import annotations

from shellgen.model import NodePlan, Setting, Stage
from shellgen.platforms.hooks import HOOK_INPUTS
from shellgen.platforms.memory import implementation_memory, packaging_memory
from shellgen.platforms.shared import jobs
from shellgen.platforms.vitis.facts import KIND
from shellgen.platforms.vitis.kernel import kernel_name

_VNX = Setting(
    name="VNX",
    about="clone of xup_vitis_network_example with its submodule",
    words=("VNX={}",),
    required=True,
    folder=True,
)
_PLATFORM = Setting(name="PLATFORM", about="target platform, or its .xpfm", words=("PLATFORM={}",))
_JOBS = jobs(4, "v++")
# What v++ prints of Vivado's runs is a part of what is in their logs.
_LOGS = "vitis/build/link/_x/link/vivado/vpl/prj/prj.runs/*/runme.log"
_INPUTS = ("*_core.v", "rtl/*", "partition/*")
_KERNEL = ("vitis/*.v", "vitis/kernel.xml", "vitis/package.tcl", "vitis/Makefile")


def vitis_stages(node: NodePlan) -> tuple[Stage, ...]:
    """Return three targets of the Makefile (docs/vitis.md).

    VNx's kernels are a stage of their own because cards share a clone of VNx, in which two builds at once
    would write the same files.
    """
    xo, xclbin = f"vitis/build/{kernel_name(node)}.xo", f"vitis/build/{node.name}.xclbin"
    return (
        Stage(
            name="kernel",
            command=("make", "xo"),
            folder=KIND,
            products=(xo,),
            inputs=(*_INPUTS, *_KERNEL),
            tools=("make", "vivado"),
            memory=packaging_memory(),
        ),
        Stage(
            name="vnx",
            command=("make", "vnx"),
            folder=KIND,
            inputs=("vitis/Makefile",),
            tools=("make", "v++", "vivado"),
            memory=packaging_memory(),
            settings=(_VNX, _PLATFORM),
            alone="VNX",
        ),
        Stage(
            name="link",
            command=("make",),
            folder=KIND,
            products=(xclbin,),
            inputs=(*_INPUTS, "vitis/*", *HOOK_INPUTS),
            tools=("make", "v++", "vivado", "xclbinutil"),
            memory=implementation_memory(node.board),
            settings=(_VNX, _PLATFORM, _JOBS),
            logs=(_LOGS,),
        ),
    )
