# SPDX-License-Identifier: BSD-3-Clause
"""Facts from names and ports of a design if its IP has no facts: kinds of nets, and windows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..graph import split_path
from ..report import Message
from .base import Context, rule
from .walk import UG994, Wrong, count_of, error, finding

_CLOCK, _RESET = re.compile(r"(\w*_)?(a?clk|clock)"), re.compile(r"(\w*_)?(a?rst|a?reset)(_?n)?")


def _kind(path: str) -> str:
    name = split_path(path)[1].lower()
    return "clock" if _CLOCK.fullmatch(name) else "reset" if _RESET.fullmatch(name) else ""


@rule("net-kinds", scope="design", source=UG994, ours=True)
def net_kinds(context: Context) -> Iterator[Message]:
    """Find a pin of a clock's name on the net of a reset, and the other way round."""
    for net in context.graph.design.nets.values():
        kinds = {path: kind for path in net.members if (kind := _kind(path))}
        first = next(iter(kinds.items()), ("", ""))
        for path, kind in kinds.items():
            if kind != first[1]:
                wrong = Wrong(
                    f"it is a {kind}, and {first[0]} is a {first[1]}", f"a {kind}", "connect it to its own"
                )
                yield finding(context, "net-kinds", path, wrong)


@rule("port-window", scope="design", source="UG994, address spaces of interface ports", ours=True)
def port_window(context: Context) -> Iterator[Message]:
    """Find segments that lie beyond what the address of an external port can say."""
    design = context.graph.design
    for name, port in design.cells["/"].interfaces.items():
        width = next((one.value for key, one in port.config.items() if key.upper() == "ADDR_WIDTH"), "")
        bits = count_of(width)
        for segment in design.segments if bits else ():
            if (
                segment.space.strip("/").split("/")[0] != name
                or segment.offset is None
                or segment.range is None
            ):
                continue
            if bits is not None and segment.offset + segment.range > 1 << bits:
                found = f"it ends at {segment.offset + segment.range:#x}"
                wrong = Wrong(found, f"at most {1 << bits:#x}: {name} has {bits} bits of address", "move it")
                yield error(context, "port-window", segment.segment, wrong, segment.origin)
