# SPDX-License-Identifier: BSD-3-Clause
"""The library behind the command line: load and generate; `shellgen.simulate.cluster` proves the result."""

from __future__ import annotations

import hashlib
from pathlib import Path

from shellgen.emit import emit
from shellgen.emit.write import Written, write
from shellgen.errors import InputError, Problem
from shellgen.golden import check_weights, given_frames, make_golden
from shellgen.model import Artifact, Board, ClusterSpec, ExternalWeights, Network, Plan
from shellgen.plan import make_plan
from shellgen.read import read_board, read_cluster, read_network
from shellgen.read.external import read_weights
from shellgen.read.vectors import read_vectors


def load(cluster: Path) -> tuple[Plan, Network, dict[str, bytes]]:
    """Read everything that cluster.toml names and plan the system.

    Returns:
        The plan, the network, and the content of every file that the plan refers to, by sha256.

    Raises:
        InputError: A file that cannot be read; all problems of a stage together.
        PlanError: Inputs that do not make a system.
    """
    spec = read_cluster(cluster)
    boards = _boards(spec, cluster)
    network = read_network(cluster.parent / spec.build, spec.stream, str(cluster))
    files = dict(network.files)
    vectors = read_vectors(cluster.parent, spec.verify) if spec.verify else []
    held = network.weights | read_weights(cluster.parent, spec.weights, network, str(cluster))
    sent = [ExternalWeights(port=end, sha256=hashlib.sha256(one).hexdigest()) for end, one in held.items()]
    files |= {entry.sha256: one for entry, one in zip(sent, held.values(), strict=True)}
    plan = make_plan(spec, network, boards, str(cluster), sent)
    if vectors:
        check_weights(plan, held, str(cluster))
    given = given_frames(plan, vectors, str(cluster)) if vectors else {}
    golden, content = make_golden(plan, network.models, held, given)
    return plan.model_copy(update={"golden": golden}), network, files | content


def _boards(spec: ClusterSpec, cluster: Path) -> dict[str, Board]:
    """Read the board of each node; equal boards once."""
    known: dict[str, Board] = {}
    problems: list[Problem] = []
    for index, node in enumerate(spec.node):
        if node.board in known:
            continue
        try:
            known[node.board] = read_board(node.board, where=f"{cluster}: node[{index}].board")
        except InputError as error:
            problems.extend(problem for problem in error.problems if problem not in problems)
    if problems:
        raise InputError(*problems)
    return {node.name: known[node.board] for node in spec.node}


def generate(cluster: Path, out: Path) -> tuple[Plan, Written]:
    """Plan and write the whole output folder.

    Raises:
        ShellgenError: Nothing of an earlier run has been touched then.
    """
    plan, _, files = load(cluster)
    return plan, write(emit(plan, files), out)


def weights(cluster: Path, out: Path) -> tuple[int, list[str]]:
    """Write what a host loads at run time: ``<node>/<region>.dat``, 32 bits a line, from a build's models.

    Returns:
        Number of files, and the regions whose values the models do not tell.

    Raises:
        ShellgenError: Nothing of an earlier run has been touched then.
    """
    plan, network, _ = load(cluster)
    artifacts, silent = [], []
    for node in plan.nodes:
        for window in (memory for memory in node.memories if memory.memory):
            pack = network.registers.get((window.partition or "", window.interface or ""))
            registers = pack() if pack else None
            if registers is None:
                silent.append(f"{node.name}: {window.name}")
            else:
                text = "".join(f"{register:08x}\n" for register in registers)
                artifacts.append(Artifact.text(f"{node.name}/{window.name}.dat", text))
    write(tuple(artifacts), out)
    return len(artifacts), silent
