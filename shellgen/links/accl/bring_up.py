# SPDX-License-Identifier: BSD-3-Clause
"""Bring-up of a cluster over ACCL: the steps of the host before the first frame.

ACCL's own driver sets the engines up before (`ACCL::initialize`); CFGRDY says that it has. Where it has put
what commands refer to, it tells (`get_communicator_addr`, `get_arithmetic_config_addr`), so these two are
values that the user gives. No node sends before all receive, and none sends without addresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from shellgen.errors import PlanError, Problem
from shellgen.links.accl.options import MOST_STREAM, AcclOptions
from shellgen.links.registers import WORD, UnitRegisters
from shellgen.model import Attachment, Boundary, NodePlan, Plan, Step
from shellgen.registers import block_registers

COMMUNICATOR, ARITHMETIC = "communicator", "arithmetic"
# Defaults of ACCL::initialize (driver/xrt of Xilinx/ACCL): a word that counts the receive buffers, one for
# their size, seven for each of sixteen; the communicator has two words and six a rank; then the arithmetic
# configurations, 36 bytes each, that of int32 with itself after four others.
_COMMUNICATOR = 4 * (2 + 16 * 7)
_RANK_BYTES, _INT32 = 24, 4 * 36


@dataclass(frozen=True)
class Rank:
    """A node with an engine; its number is its place among them, in the order of the plan."""

    number: int
    node: NodePlan
    attachment: Attachment


def ranks(plan: Plan, kind: str) -> dict[str, Rank]:
    """Return the ranks by the names of their nodes."""
    found = [(node, one) for node in plan.nodes for one in node.attachments if one.link == kind]
    return {node.name: Rank(number, node, one) for number, (node, one) in enumerate(found)}


def accl_values(plan: Plan, kind: str) -> Mapping[str, int]:
    """Return the addresses that ACCL's driver gives with its defaults, for a bench without a user."""
    count = len(ranks(plan, kind))
    return {COMMUNICATOR: _COMMUNICATOR, ARITHMETIC: _COMMUNICATOR + 8 + count * _RANK_BYTES + _INT32}


def streams(plan: Plan, kind: str) -> dict[str, int]:
    """Return the number of each stream at its receiver.

    Raises:
        PlanError: Two at one receiver have the same number. There are always enough: `Accl` takes 32 at most.
    """
    given: dict[str, int] = {}
    problems = []
    for rank in ranks(plan, kind).values():
        names = [end.boundary for end in rank.attachment.ends if end.direction == "in"]
        asked = {name: _options(plan, rank, name).stream for name in names}
        taken = [number for number in asked.values() if number is not None]
        where = f"node {rank.node.name}: options.{kind}.stream"
        if len(set(taken)) < len(taken):
            found = f"two streams that it receives have the same number: {sorted(taken)}"
            problems.append(Problem(where, found, f"Give each a number of its own, 0 to {MOST_STREAM}"))
        free = (number for number in range(MOST_STREAM + 1) if number not in taken)
        for name, number in asked.items():
            given[name] = number if number is not None else next(free)
    if problems:
        raise PlanError(*problems)
    return given


def accl_bring_up(plan: Plan, kind: str) -> tuple[Step, ...]:
    """Return the steps for all nodes that links of a kind join."""
    found = ranks(plan, kind)
    numbers = streams(plan, kind)
    boundaries = {boundary.name: boundary for boundary in plan.boundaries}
    steps = []
    for rank in found.values():
        at = _port(rank)
        about = f"ACCL's driver has set up rank {rank.number}, {rank.node.name}"
        engine = UnitRegisters(rank.node.name, "cclo", block_registers("cclo"), {})
        steps.append(engine.until("CFGRDY", 1, about))
        steps += _told(plan, rank, at)
        steps += _rows(rank, at, found, numbers, boundaries)
        steps.append(at.write("ENABLE", at.bit("ENABLE", "RECEIVE"), "take what comes"))
    steps.append(Step(op="barrier", about="every node takes what comes"))
    for rank in found.values():
        if any(end.direction == "out" for end in rank.attachment.ends):
            at = _port(rank)
            both = at.bit("ENABLE", "RECEIVE") | at.bit("ENABLE", "SEND")
            steps.append(at.write("ENABLE", both, "send"))
    return tuple(steps)


def _port(rank: Rank) -> UnitRegisters:
    claim = next(one for one in rank.attachment.claims if one.name == rank.attachment.name)
    return UnitRegisters(rank.node.name, claim.name, block_registers("accl_port"), dict(claim.counts))


def _told(plan: Plan, rank: Rank, at: UnitRegisters) -> Iterator[Step]:
    """Write what commands refer to, and how long one may take."""
    if all(end.direction == "in" for end in rank.attachment.ends):
        return
    yield at.write("COMMUNICATOR", COMMUNICATOR, "get_communicator_addr() of ACCL's driver")
    yield at.write("ARITHMETIC", ARITHMETIC, "get_arithmetic_config_addr({int32, int32}) of ACCL's driver")
    names = [end.boundary for end in rank.attachment.ends if end.direction == "out"]
    most = [_options(plan, rank, name).watchdog_ms for name in names]
    cycles = 0 if 0 in most else min(WORD, max(most) * (rank.node.clocks[0].hz // 1000))
    yield at.write("WATCHDOG", cycles, "cycles that a put may take; 0: any number")


def _rows(
    rank: Rank,
    at: UnitRegisters,
    found: Mapping[str, Rank],
    numbers: Mapping[str, int],
    boundaries: Mapping[str, Boundary],
) -> Iterator[Step]:
    """Write where each stream goes, and by which number each is known that comes."""
    rank_low, stream_low = at.low("OUT", "RANK"), at.low("OUT", "STREAM")
    sending = [end for end in rank.attachment.ends if end.direction == "out"]
    receiving = [end for end in rank.attachment.ends if end.direction == "in"]
    for index, end in enumerate(sending):
        to = found[str(boundaries[end.boundary].consumer_node)]
        value = to.number << rank_low | numbers[end.boundary] << stream_low
        about = f"{end.boundary} goes to rank {to.number}, {to.node.name}, as stream {numbers[end.boundary]}"
        yield at.write("OUT", value, about, index)
    for index, end in enumerate(receiving):
        about = f"{end.boundary} comes as stream {numbers[end.boundary]}"
        yield at.write("IN", numbers[end.boundary], about, index)


def _options(plan: Plan, rank: Rank, name: str) -> AcclOptions:
    boundary = next(one for one in plan.boundaries if one.name == name)
    table = {**rank.node.link_options.get(rank.attachment.link, {}), **boundary.options}
    return AcclOptions.from_data(table, f"stream {name}", "options")
