# SPDX-License-Identifier: BSD-3-Clause
"""Pass 5: what only the whole system can break, and a proof of the address map."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from shellgen.errors import PlanError, Problem
from shellgen.model import Golden, Window
from shellgen.plan.draft import Draft, NodeDraft


def check_rules(draft: Draft) -> Draft:
    """Check names across the cluster, partition interfaces and clocks, then prove every address map.

    Raises:
        PlanError: Names that collide in generated Verilog; a partition that needs a double clock; a clock
            out of range.
    """
    problems: list[Problem] = []
    names = Counter(boundary.name for boundary in draft.boundaries)
    problems.extend(
        Problem(f"{draft.where}: link", f"two streams are both named {name}", "Rename one of the partitions")
        for name, count in names.items()
        if count > 1
    )
    for node in draft.nodes:
        problems.extend(_node_problems(draft, node))
        _prove_map(node.windows)
    if problems:
        raise PlanError(*problems)
    return draft


def _node_problems(draft: Draft, node: NodeDraft) -> list[Problem]:
    where = f"{draft.where}: node {node.name}"
    problems = []
    if not 1_000_000 <= node.clock_hz <= 1_000_000_000:
        found = f"clock of {node.clock_hz / 1e6:g} MHz"
        problems.append(Problem(f"{where}.clock_mhz", found, "Choose 1 to 1000 MHz"))
    tops = Counter(partition.top for partition in node.partitions)
    for top, count in tops.items():
        if count > 1:
            found = f"{count} partitions have the same top module {top}"
            problems.append(Problem(where, found, "Build them with different names"))
    return problems


def check_golden(draft: Draft, golden: Golden) -> None:
    """Check that the golden vectors fit the host's one input and one output.

    Raises:
        PlanError: Several host streams on a side, or frames of another size.
    """
    problems: list[Problem] = []
    for field, elements, streams in (
        ("input", golden.input_elements, [b for b in draft.boundaries if b.producer is None]),
        ("output", golden.output_elements, [b for b in draft.boundaries if b.consumer is None]),
    ):
        where = f"{draft.where}: verify.{field}"
        if len(streams) != 1:
            found = f"the host has {len(streams)} {field} streams, and one file of vectors"
            problems.append(Problem(where, found, "Remove [verify]; the two other proofs need no vectors"))
        elif streams[0].elements_per_frame != elements:
            found = f"a frame has {elements} elements, the stream carries {streams[0].elements_per_frame}"
            problems.append(Problem(where, found, "Give vectors of shape (frames, *shape of the stream)"))
    if problems:
        raise PlanError(*problems)


def _prove_map(windows: tuple[Window, ...]) -> None:
    """Windows are aligned, ascending and disjoint; a failure is ours, not the user's."""
    for window in windows:
        assert window.offset % window.size == 0, f"{window.name} is not naturally aligned"
    for low, high in pairwise(windows):
        assert low.offset + low.size <= high.offset, f"{low.name} and {high.name} overlap"
