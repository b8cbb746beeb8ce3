# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: the device, and the widths that a running Linux has set for the ports of the PS."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivado_check.report import Message

from .base import Context, rule
from .planned import broken, in_design, number, planned


@rule("plan-part", scope="session", source="docs/boards.md")
def part(context: Context) -> Iterator[Message]:
    """Every project is for the device of the node's board."""
    wanted = planned(context)
    for project in context.recording.projects if wanted else ():
        assert wanted is not None
        found = project.properties.get("part")
        has, origin = (found.value, found.origin) if found else (project.part, project.origin)
        if has and has.lower() != wanted.node.board.part.lower():
            yield broken(
                "plan-part",
                origin,
                f"project {project.name}",
                f"part {has}",
                f"{wanted.node.board.part}, the part of {wanted.node.board.name}",
                "create the project for that part",
            )


@rule("plan-board-part", scope="session", source="docs/boards.md")
def board_part(context: Context) -> Iterator[Message]:
    """Board files, where they are used, are those of the node's board."""
    wanted = planned(context)
    names = wanted.node.board.board_parts if wanted else ()
    for project in context.recording.projects if names else ():
        assert wanted is not None
        found = project.properties.get("board_part")
        if found and found.value and not any(found.value.startswith(name.rstrip("*")) for name in names):
            yield broken(
                "plan-board-part",
                found.origin,
                f"project {project.name}",
                f"board part {found.value}",
                f"one of {', '.join(names)}",
                "its preset is of another board: set the one of the node's board",
            )


# Parameter of the width of a memory port. Source: IP-XACT of the processing systems.
_WIDTH = re.compile(r"(PCW_S_AXI_HP\d_DATA_WIDTH|PSU__SAXIGP\d__DATA_WIDTH)", re.IGNORECASE)


@rule("plan-port-width", scope="design", source="docs/zynq.md: a bitstream is loaded under a running Linux")
def port_width(context: Context) -> Iterator[Message]:
    """Memory ports are as wide as after reset: the boot loader that ran does not know the design."""
    found = in_design(context)
    if found is None:
        return
    facts = found[0].node.board.platform.get(found[0].node.platform, {})
    bits = facts.get("hp_data_bits")
    for cell in context.addresses.design.cells.values() if bits else ():
        for name, setting in cell.config.items():
            if _WIDTH.fullmatch(name) and number(setting.value) != bits:
                yield broken(
                    "plan-port-width",
                    setting.origin,
                    f"{cell.path} {name}",
                    setting.value,
                    f"{bits}, which the port has after reset",
                    f"set CONFIG.{name} to {bits}",
                )


@rule("plan-export", scope="session", source="docs/zynq.md: what a build leaves in out/")
def export(context: Context) -> Iterator[Message]:
    """A build that goes well leaves what the host's program loads, under the node's name."""
    wanted = planned(context)
    if wanted is None or context.recording.ended != 0:
        return
    last = next((call for call in reversed(context.recording.calls) if call.command == "open_run"), None)
    left = {str(path) for path in context.recording.written if ".runs/" not in str(path)}
    if last is None or not any(path.endswith(".bit") for path in left):
        return
    folder = f"{wanted.node.name}/vivado/out"
    for ending in ("bit", "hwh"):
        if f"{folder}/{wanted.node.name}.{ending}" not in left:
            found = sorted(path for path in left if path.endswith(f".{ending}") and "/project/" not in path)
            yield broken(
                "plan-export",
                last.origin,
                f"{folder}/{wanted.node.name}.{ending}",
                f"the build leaves {', '.join(found) or 'none'}",
                "it, where the host's program looks for it",
                "export under the node's name, or generate the folder again",
            )
