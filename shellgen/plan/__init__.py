# SPDX-License-Identifier: BSD-3-Clause
"""From the model to the plan: an ordered tuple of small pure passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from shellgen import __version__
from shellgen.errors import PlanError
from shellgen.model import Board, ClusterSpec, ExternalWeights, Network, NodePlan, Plan
from shellgen.plan.address import assign_addresses, lite_limit
from shellgen.plan.attach import attach_links
from shellgen.plan.bring_up import with_bring_up
from shellgen.plan.buffers import size_buffers
from shellgen.plan.choose import choose_links
from shellgen.plan.depth import fifos
from shellgen.plan.draft import Draft, NodeDraft
from shellgen.plan.estimates import estimate_problems
from shellgen.plan.fit import fit_problems, with_usage
from shellgen.plan.frame import frame_streams
from shellgen.plan.identity import with_identity
from shellgen.plan.joins import insert_junctions
from shellgen.plan.match import match_elements
from shellgen.plan.numbers import number_frames
from shellgen.plan.options import take_options
from shellgen.plan.place import place_partitions
from shellgen.plan.platform import choose_platforms
from shellgen.plan.relay import insert_relays
from shellgen.plan.replicas import expand_replicas
from shellgen.plan.route import route_streams
from shellgen.plan.rules import check_homes, check_rules
from shellgen.plan.share import share_ends
from shellgen.plan.spill import insert_buffers, too_deep
from shellgen.plan.transit import insert_transits
from shellgen.plan.where import in_the_file, placed
from shellgen.platforms import platform_registry

PASSES: tuple[Callable[[Draft], Draft], ...] = (
    place_partitions,
    route_streams,
    insert_junctions,
    insert_relays,
    insert_buffers,
    insert_transits,
    expand_replicas,
    match_elements,
    choose_links,
    share_ends,
    take_options,
    frame_streams,
    number_frames,
    size_buffers,
    attach_links,
    assign_addresses,
    check_rules,
)


def make_plan(  # noqa: PLR0913 - the inputs of a plan
    spec: ClusterSpec,
    network: Network,
    boards: Mapping[str, Board],
    where: str = "cluster.toml",
    weights: Sequence[ExternalWeights] = (),
    known: Callable[[], Sequence[Board]] = tuple,
) -> Plan:
    """Plan the whole system.

    Args:
        spec: Content of cluster.toml.
        network: Result of `shellgen.read`.
        boards: Board of each node, by node name.
        where: Name of cluster.toml, for messages.
        weights: Values of weights ports.
        known: Reads all boards, for advice if one is too small.

    Raises:
        PlanError: All problems of the first pass with problems, or of the platforms.
    """
    try:
        return _planned(spec, network, boards, where, weights, known)
    except PlanError as error:
        raise PlanError(*(in_the_file(problem, spec, where) for problem in error.problems)) from None


def _planned(  # noqa: PLR0913 - as above
    spec: ClusterSpec,
    network: Network,
    boards: Mapping[str, Board],
    where: str,
    weights: Sequence[ExternalWeights],
    known: Callable[[], Sequence[Board]],
) -> Plan:
    check_homes()
    kinds = choose_platforms(spec, boards, where)
    draft = Draft(
        where, spec, network.partitions, network.edges, network.tensors, network.builds, dict(boards), kinds
    )
    draft = _decided(draft)
    plan = Plan(
        generator=f"shellgen {__version__}",
        name=spec.name,
        cluster_id="",
        nodes=tuple(_node_plan(node) for node in draft.nodes),
        boundaries=draft.boundaries,
        partitions=draft.partitions,
        fifos=fifos(draft),
        epoch=draft.epoch,
    )
    own = {"weights": _weights(plan, weights), "estimate": spec.estimate}
    plan = with_identity(plan).model_copy(update=own)
    if spec.estimate and (wrong := estimate_problems(plan, spec.estimate, where)):
        raise PlanError(*wrong)
    platforms = platform_registry()
    problems = [p for node in plan.nodes for p in platforms[node.platform].check(plan, node)]
    if problems:
        raise PlanError(*(placed(problem, where) for problem in problems))
    plan = with_usage(with_bring_up(plan))
    lenient = frozenset(node.name for node in draft.nodes if spec.node[node.entry].fit == "warn")
    if fit_problems(plan, lenient):
        overfull = fit_problems(plan, lenient, known())
        raise PlanError(*(placed(problem, where) for problem in overfull))
    return plan


def _decided(draft: Draft) -> Draft:
    """Run the passes; again if FIFOs turn out to be too deep for the devices, with these in memory."""
    while True:
        found = draft
        for step in PASSES:
            found = step(found)
        more = too_deep(found) - draft.spilled
        if not more:
            return found
        draft = replace(draft, spilled=draft.spilled | more)


def _weights(plan: Plan, given: Sequence[ExternalWeights]) -> tuple[ExternalWeights, ...]:
    """Return the values of weight ports; replicas have those of the first."""
    made: dict[str, list[str]] = {}
    for part in plan.partitions:
        if part.copy_of:
            made.setdefault(part.copy_of, []).append(part.name)
    copies = [
        one.model_copy(update={"port": one.port.model_copy(update={"partition": name})})
        for one in given
        for name in made.get(one.port.partition, ())
    ]
    return (*given, *copies)


def _node_plan(node: NodeDraft) -> NodePlan:
    span = node.windows[-1].offset + node.windows[-1].size
    if platform_registry()[node.platform].whole_window:
        span = max(span, node.host.bytes // node.host.scale)
    return NodePlan(
        name=node.name,
        board=node.board,
        platform=node.platform,
        clocks=node.clocks,
        partitions=tuple(partition.name for partition in node.partitions),
        attachments=node.attachments,
        inner=node.inner,
        windows=node.windows,
        crossbars=node.crossbars,
        far_windows=node.far_windows,
        far_crossbars=node.far_crossbars,
        crossing=node.crossing,
        lite_addr_bits=(span - 1).bit_length(),
        host=node.host.model_copy(update={"bytes": lite_limit(node) * node.host.scale}),
        options=node.options,
        link_options=node.link_options,
    )


__all__ = ["PASSES", "make_plan"]
