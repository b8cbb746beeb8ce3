# SPDX-License-Identifier: BSD-3-Clause
"""Commands of `shellgen build` for a node under Coyote v1 after the core has been packaged."""

from __future__ import annotations

from shellgen.model import NodePlan, Setting, Stage
from shellgen.platforms.coyote.build import COYOTE, JOBS, PROJECT_INPUTS, SETTINGS
from shellgen.platforms.coyote.facts import KIND
from shellgen.platforms.memory import implementation_memory, packaging_memory

ACCL = Setting(
    name="ACCL",
    about="clone of ACCL with its submodules, Coyote v1 among them",
    words=("ACCL={}",),
    required=True,
    folder=True,
)
# ACCL brings the Coyote that it was written for.
ITS_COYOTE = COYOTE.model_copy(
    update={"required": False, "about": "clone of Coyote v1 in place of ACCL's own"}
)
LAYOUT = Setting(
    name="LAYOUT",
    about="-any_layout takes a Coyote whose requests ACCL would write in another way",
    words=("LAYOUT={}",),
)


def v1_stages(node: NodePlan, accl: bool) -> tuple[Stage, ...]:
    """Return the targets of the Makefile, of which only synthesis and implementation share a stage."""
    settings = (ACCL, ITS_COYOTE, JOBS, SETTINGS, LAYOUT) if accl else (COYOTE, JOBS, SETTINGS)
    makefile, hw = (f"{KIND}/Makefile",), f"{KIND}/build/hw"
    whole = implementation_memory(node.board)
    found = [_kernels(makefile)] if accl else []
    for name, product, inputs, memory in (
        ("shell", "shelled", makefile, whole),
        ("project", "projected", PROJECT_INPUTS, packaging_memory()),
        ("bitstream", "bitstreams/cyt_top.bit", PROJECT_INPUTS, whole),
    ):
        stage = Stage(
            name=name,
            command=("make", name),
            folder=KIND,
            products=(f"{hw}/{product}",),
            inputs=inputs,
            tools=("make", "cmake", "vivado"),
            memory=memory,
            settings=settings,
            logs=(f"{hw}/lynx/lynx.runs/*/runme.log",) if name == "bitstream" else (),
        )
        found.append(stage)
    return tuple(found)


def _kernels(makefile: tuple[str, ...]) -> Stage:
    """ACCL's kernels are made in its clone, which all nodes share."""
    return Stage(
        name="kernels",
        command=("make", "kernels"),
        folder=KIND,
        products=(f"{KIND}/build/kernels/unpacked",),
        inputs=makefile,
        tools=("make", "vivado", "vitis_hls", "xsct", "unzip"),
        memory=packaging_memory(),
        settings=(ACCL,),
        alone=ACCL.name,
    )
