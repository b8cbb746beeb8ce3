# SPDX-License-Identifier: BSD-3-Clause
"""Commands of `shellgen build` for a node under Coyote, for any version."""

from __future__ import annotations

from shellgen.model import Setting, Stage
from shellgen.platforms.coyote.facts import KIND
from shellgen.platforms.hooks import HOOK_INPUTS
from shellgen.platforms.memory import packaging_memory
from shellgen.platforms.shared import jobs

CORE_INPUTS = ("*_core.v", "rtl/*", "partition/*", "coyote/package.tcl", "coyote/Makefile")
# What makes Coyote's projects, beside the core.
PROJECT_INPUTS = (*CORE_INPUTS, f"{KIND}/hw/*", f"{KIND}/before_*.tcl", *HOOK_INPUTS)
COYOTE = Setting(
    name="COYOTE",
    about="clone of Coyote with its submodules",
    words=("COYOTE={}",),
    required=True,
    folder=True,
)
JOBS = jobs(8)
SETTINGS = Setting(name="SETTINGS", about="more for Coyote's CMake", words=("SETTINGS={}",))


def clone_stage(settings: tuple[Setting, ...]) -> Stage:
    """Return the target that looks whether clones and settings will do, before hours are spent."""
    return Stage(
        name="clone",
        command=("make", "clone"),
        folder=KIND,
        inputs=(f"{KIND}/Makefile", f"{KIND}/hw/*"),
        tools=("make",),
        memory=1 << 28,
        settings=settings,
    )


def core_stage() -> Stage:
    """Return the target of the Makefile that packages the core."""
    return Stage(
        name="core",
        command=("make", "ip"),
        folder=KIND,
        products=(f"{KIND}/build/ip/component.xml",),
        inputs=CORE_INPUTS,
        tools=("make", "vivado"),
        memory=packaging_memory(),
    )
