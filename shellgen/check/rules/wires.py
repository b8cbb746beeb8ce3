# SPDX-License-Identifier: BSD-3-Clause
"""Rules for drivers of any design: one for each signal, and complete interfaces."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vivado_check.ip.bus_signals import SIGNALS
from vivado_check.ip.facts import AXIMM, AXIS
from vivado_check.syntax import Joint

_META = {"data": "tdata", "valid": "tvalid", "ready": "tready"}
_CLOCK, _RESET = re.compile(r"(^|_)a?clk"), re.compile(r"(^|_)a?(rst|reset)")
_KNOWN = frozenset(one.lower() for bus in (AXIS, AXIMM) for one in SIGNALS[bus])


class Found(NamedTuple):
    """A fault: the full name of the signal, and its line, or 0 if unknown."""

    where: str
    line: int
    found: str
    expected: str


def drivers(
    joints: Sequence[Joint], wanted: set[str], given: set[str], is_port: Callable[[str], bool]
) -> Iterator[Found]:
    """Judge drivers: none, two, a constant handshake, an input that is open.

    Args:
        joints: What drives what.
        wanted: Whatever must be driven.
        given: Whatever is driven from outside.
        is_port: Whether a name is that of a port of an instance.
    """
    whole = Counter(joint.target for joint in joints if not joint.part)
    for target, count in sorted(whole.items()):
        if count > 1:
            line = [one.line for one in joints if one.target == target][1]
            yield Found(target, line, f"{count} things drive it", "one driver")
    for target in sorted(wanted - {joint.target for joint in joints} - given):
        yield Found(target, 0, "nothing drives it", "a driver, or a value that keeps it quiet")
    for joint in joints:
        yield from _stuck(joint)
        if is_port(joint.target) and not joint.sources and not joint.constant:
            yield Found(joint.target, joint.line, "this input is open", "a connection")


def _stuck(joint: Joint) -> Iterator[Found]:
    """A constant READY of 0 stalls the sender; a constant VALID of 1 sends beats that were never produced."""
    value = re.fullmatch(r"(?:\d+'[sS]?[bdh])?([0-9a-f]+)", joint.constant)
    signal = joint.target.rpartition(".")[2].rpartition("_")[2]
    if value and signal.endswith("ready") and int(value[1], 16) == 0:
        yield Found(joint.target, joint.line, "it is always 0", "1, or a driver in the receiver")
    if value and signal.endswith("valid") and int(value[1], 16) != 0:
        yield Found(joint.target, joint.line, "it is always 1", "0, or a driver in the sender")


def bundles(joints: Sequence[Joint], is_port: Callable[[str], bool]) -> Iterator[Found]:
    """Find signals of an instance's interface that lead elsewhere than the others, or to another signal."""
    groups: dict[str, list[tuple[str, str, str, Joint]]] = {}
    for joint in joints:
        for mine, other in _ends(joint, is_port):
            bundle, signal = parted(mine)
            there, peer = parted(other)
            if signal in _KNOWN and peer in _KNOWN:
                groups.setdefault(bundle, []).append((signal, there, peer, joint))
        yield from _clocked(joint)
    for bundle, members in sorted(groups.items()):
        most = Counter(there for _, there, _, _ in members).most_common(1)[0][0]
        for signal, there, peer, joint in members:
            found = f"it leads to {peer} of {there.rpartition('.')[2]}"
            if peer != signal and (signal, peer) != ("tdest", "tid"):
                yield Found(f"{bundle}_{signal}", joint.line, found, f"its {signal}")
            elif there != most:
                expected = f"{most.rpartition('.')[2]}, as its other signals"
                yield Found(f"{bundle}_{signal}", joint.line, found, expected)


def _clocked(joint: Joint) -> Iterator[Found]:
    """Find a clock where a reset belongs, and the other way round."""
    target = joint.target.rpartition(".")[2]
    for name in (source.rpartition(".")[2] for source in joint.sources):
        if {bool(_CLOCK.search(one)) - bool(_RESET.search(one)) for one in (target, name)} == {-1, 1}:
            yield Found(
                joint.target, joint.line, f"it is joined to {name}", "a clock to a clock, a reset to a reset"
            )


def _ends(joint: Joint, is_port: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yield ports of instances, each with what it is joined to."""
    for source in joint.sources if len(joint.sources) == 1 else ():
        if is_port(joint.target):
            yield joint.target, source
        if is_port(source):
            yield source, joint.target


def parted(path: str) -> tuple[str, str]:
    """Return an interface and the signal that a name is of, as signals of AXI are called."""
    holder, _, last = path.rpartition(".")
    if last in _KNOWN or last in _META:
        return holder, _META.get(last, last)
    stem, _, signal = last.rpartition("_")
    return f"{holder}.{stem}", signal
