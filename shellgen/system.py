# SPDX-License-Identifier: BSD-3-Clause
"""From cluster.toml and all that it names to the plan: reads, plans, and computes the golden results."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.golden import Integers, check_weights, given_frames, kept_golden, make_golden
from shellgen.model import Board, ClusterSpec, Endpoint, ExternalWeights, Network, Plan
from shellgen.plan import make_plan
from shellgen.plan.advice import advice as plan_advice
from shellgen.plan.junction import junction_files
from shellgen.plan.options import hook_platforms
from shellgen.progress import step
from shellgen.read import read_board, read_boards, read_cluster, read_network
from shellgen.read.cluster import Cluster, cluster_name
from shellgen.read.coupled import with_coupled
from shellgen.read.external import read_weights
from shellgen.read.hazards import hazards
from shellgen.read.hooks import read_hooks
from shellgen.read.vectors import read_vectors
from vivado_check.formats.files import StrPath


@dataclass(frozen=True)
class System:
    """A cluster read from cluster.toml and planned, before the golden proof is asked for."""

    plan: Plan
    network: Network
    files: dict[str, bytes]
    weights: dict[Endpoint, bytes]
    given: dict[str, Integers]


def load(
    cluster: StrPath | Cluster, *, overfull: bool = False, own: str = ""
) -> tuple[Plan, Network, dict[str, bytes]]:
    """Read and plan, with golden frames; see `shellgen.api.load` and `read_system`."""
    system = read_system(cluster, overfull=overfull, own=own)
    models = system.network.models
    if system.given:
        golden, vectors = make_golden(system.plan, models, system.weights, system.given)
    else:
        golden, vectors = kept_golden(system.plan, models, system.weights, own)
    return system.plan.model_copy(update={"golden": golden}), system.network, system.files | vectors


def read_system(cluster: StrPath | Cluster, *, overfull: bool = False, own: str = "") -> System:
    """Read and plan; errors are those of `shellgen.api.load`.

    Args:
        cluster: As of `shellgen.api.load`.
        overfull: As of `shellgen.api.load`.
        own: As of `shellgen.read.read_network`.
    """
    cluster = cluster if isinstance(cluster, Cluster) else Path(cluster)
    folder = Path(cluster.folder) if isinstance(cluster, Cluster) else cluster.parent
    spec = read_cluster(cluster)
    if overfull:
        nodes = tuple(node.model_copy(update={"fit": "warn"}) for node in spec.node)
        spec = spec.model_copy(update={"node": nodes})
    where = cluster_name(cluster)
    boards = _boards(spec, folder, where)
    spec, hooks = read_hooks(spec, folder, where, hook_platforms())
    network = read_network([folder / one for one in spec.build], spec.stream, where, own)
    vectors = read_vectors(folder, spec.verify) if spec.verify else []
    held = network.weights | read_weights(folder, spec.weights, network, where)
    sent = [ExternalWeights(port=end, sha256=hashlib.sha256(one).hexdigest()) for end, one in held.items()]
    files = network.files | {entry.sha256: one for entry, one in zip(sent, held.values(), strict=True)}
    step("planning")
    plan = make_plan(spec, network, boards, where, sent, partial(_known, folder))
    plan = with_coupled(plan, network)
    files |= junction_files(plan.partitions) | hooks
    if vectors:
        check_weights(plan, held, where)
    given = given_frames(plan, vectors, where) if vectors else {}
    return System(plan, network, files, held, given)


def _boards(spec: ClusterSpec, folder: Path, where: str) -> dict[str, Board]:
    """Read the board of each node; equal boards once."""
    known: dict[str, Board] = {}
    problems: list[Problem] = []
    for index, node in enumerate(spec.node):
        if node.board in known:
            continue
        try:
            known[node.board] = read_board(node.board, folder, where=f"{where}: node[{index}].board")
        except InputError as error:
            problems.extend(problem for problem in error.problems if problem not in problems)
    if problems:
        raise InputError(*problems)
    return {node.name: known[node.board] for node in spec.node}


def _known(folder: Path) -> tuple[Board, ...]:
    """Read all boards; none, if one of them cannot be read: only those of the nodes must be right."""
    try:
        return read_boards(folder)
    except InputError:
        return ()


def advice(plan: Plan, network: Network) -> list[str]:
    """Return what is legal and should be known: a sentence each."""
    remarks = [f"{part.name}: {text}" for part in network.partitions for text in part.remarks]
    return [*plan_advice(plan), *remarks, *hazards(network)]
