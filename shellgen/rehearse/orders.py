# SPDX-License-Identifier: BSD-3-Clause
"""Orders to the servers of a cluster: drain, stop, program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.model.base import Json
from shellgen.progress import step
from shellgen.rehearse.live import stated
from shellgen_host import HostError, Operator
from shellgen_host.orders import NodeState


@dataclass(frozen=True)
class Drained:
    """State of nodes that take no more frames.

    Attributes:
        nodes: By name.
    """

    nodes: Mapping[str, NodeState]

    @property
    def passed(self) -> bool:
        """All are empty."""
        return all(state.empty for state in self.nodes.values())

    def text(self) -> str:
        """Return it for people."""
        return "\n".join(
            f"{name}  {'is empty' if state.empty else 'still has frames'}; epoch {state.epoch}: "
            f"{state.counters['received']} received, {state.counters['made']} put out"
            for name, state in self.nodes.items()
        )

    def document(self) -> dict[str, Json]:
        """Return it as JSON."""
        nodes: dict[str, Json] = {
            name: {"empty": state.empty, "counters": dict(state.counters)}
            for name, state in self.nodes.items()
        }
        return {"drained": self.passed, "nodes": nodes}


def drain(out: Path, hosts: Path, nodes: Sequence[str], seconds: float) -> Drained:
    """Let nodes take no more frames and finish those that they have.

    Args:
        out: Folder that `shellgen generate` wrote.
        hosts: ``hosts.toml``.
        nodes: Some of the nodes; none: all.
        seconds: To wait.

    Raises:
        InputError: A file is wrong, or there is no such node.
        SimulationError: A node is not reached, or refuses.
    """
    try:
        return Drained(Operator(out, hosts).drain(nodes, seconds))
    except HostError as error:
        raise stated(error, "drain") from None


def go_on(out: Path, hosts: Path, nodes: Sequence[str]) -> None:
    """Let nodes take frames again; arguments and errors as of `drain`."""
    try:
        Operator(out, hosts).go_on(nodes)
    except HostError as error:
        raise stated(error, "drain") from None


def stop(out: Path, hosts: Path, nodes: Sequence[str], seconds: float, *, now: bool) -> Drained:
    """End the servers of nodes; none has ended if one of them still has frames.

    Args:
        out: As for `drain`.
        hosts: As for `drain`.
        nodes: As for `drain`.
        seconds: To wait until they are empty.
        now: Do not wait.
    """
    try:
        operator = Operator(out, hosts)
        found = Drained({} if now else operator.drain(nodes, seconds))
        if found.passed:
            operator.stop(nodes)
    except HostError as error:
        raise stated(error, "stop") from None
    return found


def program(
    out: Path, hosts: Path, bitstreams: Path | None, weights: Path | None, nodes: Sequence[str]
) -> list[str]:
    """Load bitstreams, weights or both; return what was done, a line for each step.

    Args:
        out: As for `drain`.
        hosts: As for `drain`.
        bitstreams: Folder with ``NODE.bit`` or ``NODE.bin``.
        weights: Folder that `shellgen weights` wrote.
        nodes: As for `drain`.

    Raises:
        InputError: A file is missing or wrong.
        SimulationError: A node is not reached, or refuses.
    """
    done: list[str] = []

    def note(text: str) -> None:
        done.append(text)
        step("loading", text)

    try:
        Operator(out, hosts).program(bitstreams, weights, nodes, note)
    except HostError as error:
        raise stated(error, "program") from None
    return done
