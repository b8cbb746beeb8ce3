# SPDX-License-Identifier: BSD-3-Clause
"""The commands as functions: a path is a text or any path, every error is a `ShellgenError`.

Examples:
    >>> import shellgen
    >>> shellgen.plan(cluster).name
    'pair'
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shellgen.errors import InputError, Problem
from shellgen.estimate import Estimate
from shellgen.estimate import estimate as estimate_plan
from shellgen.estimate.measured import found_beside, with_measured
from shellgen.golden import Integers, check_weights, given_frames, make_golden
from shellgen.model import Artifact, Board, ClusterSpec, Endpoint, ExternalWeights, Network, Plan
from shellgen.plan import make_plan
from shellgen.plan.advice import advice as plan_advice
from shellgen.plan.junction import junction_files
from shellgen.plan.options import hook_platforms
from shellgen.progress import each, step
from shellgen.read import read_board, read_boards, read_cluster, read_network
from shellgen.read.cluster import Cluster, cluster_name
from shellgen.read.coupled import with_coupled
from shellgen.read.external import read_weights
from shellgen.read.hazards import hazards
from shellgen.read.hooks import read_hooks
from shellgen.read.output import other_cluster, settled_plan
from shellgen.read.vectors import read_vectors
from vivado_check.formats.files import StrPath

if TYPE_CHECKING:
    from shellgen.check.run import Checked
    from shellgen.check.run import Options as CheckOptions
    from shellgen.disk.output import Written
    from shellgen.model.bench_report import RunReport
    from shellgen.simulate.cluster import SimulateOptions
    from shellgen.simulate.tools import Simulator
    from shellgen.split import Split
    from shellgen.splitting import SplitOptions

__all__ = [
    "CheckOptions",
    "Cluster",
    "Plan",
    "SimulateOptions",
    "SplitOptions",
    "StrPath",
    "Written",
    "advice",
    "check",
    "estimate",
    "generate",
    "load",
    "plan",
    "simulate",
    "split",
    "weights",
]
# What only one function takes or returns: that of a plan should import no simulator.
_LATE = {
    "CheckOptions": ("shellgen.check.run", "Options"),
    "SimulateOptions": ("shellgen.simulate.options", "SimulateOptions"),
    "SplitOptions": ("shellgen.splitting", "SplitOptions"),
    "Written": ("shellgen.disk.output", "Written"),
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, own = _LATE[name]
    return getattr(import_module(module), own)


@dataclass(frozen=True)
class _System:
    """A cluster read from cluster.toml and planned, before the golden proof is asked for."""

    plan: Plan
    network: Network
    files: dict[str, bytes]
    weights: dict[Endpoint, bytes]
    given: dict[str, Integers]


def plan(cluster: StrPath | Cluster, *, overfull: bool = False) -> Plan:
    """Return the plan of a cluster.toml, or that of a folder which `generate` wrote.

    Args:
        cluster: cluster.toml, its text, or the folder.
        overfull: Boards may have fewer resources than their part takes, as with ``fit = "warn"``.

    Examples:
        >>> [(node.name, node.board.name) for node in plan(cluster).nodes]
        [('zed0', 'zedboard'), ('zed1', 'zedboard')]

    Raises:
        ShellgenError: The input is not in order.
    """
    if isinstance(cluster, Cluster) or not Path(cluster).is_dir():
        return load(cluster, overfull=overfull)[0]
    return settled_plan(cluster)


def load(cluster: StrPath | Cluster, *, overfull: bool = False) -> tuple[Plan, Network, dict[str, bytes]]:
    """Read everything that cluster.toml names and plan the system.

    Args:
        cluster: Path of cluster.toml, or its text.
        overfull: Boards may have fewer resources than their part takes, as with ``fit = "warn"``.

    Returns:
        The plan, the network, and the content of every file that the plan refers to, by sha256.

    Raises:
        InputError: A file that cannot be read; all problems of a stage together.
        PlanError: Inputs that do not make a system.
    """
    system = _read(cluster, overfull=overfull)
    golden, vectors = make_golden(system.plan, system.network.models, system.weights, system.given)
    return system.plan.model_copy(update={"golden": golden}), system.network, system.files | vectors


def _read(cluster: StrPath | Cluster, *, overfull: bool = False) -> _System:
    cluster = cluster if isinstance(cluster, Cluster) else Path(cluster)
    folder = Path(cluster.folder) if isinstance(cluster, Cluster) else cluster.parent
    spec = read_cluster(cluster)
    if overfull:
        nodes = tuple(node.model_copy(update={"fit": "warn"}) for node in spec.node)
        spec = spec.model_copy(update={"node": nodes})
    where = cluster_name(cluster)
    boards = _boards(spec, folder, where)
    spec, hooks = read_hooks(spec, folder, where, hook_platforms())
    network = read_network([folder / one for one in spec.build], spec.stream, where)
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
    return _System(plan, network, files, held, given)


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


def generate(
    cluster: StrPath | Cluster,
    out: StrPath,
    say: Callable[[str], None] = lambda _: None,
    *,
    force: bool = False,
) -> tuple[Plan, Written]:
    """Plan and write the whole output folder.

    Args:
        cluster: cluster.toml, or its text.
        out: Missing, empty, or a folder that an earlier run wrote.
        say: Receives what is legal and should be known.
        force: Overwrite generated files that were edited since.

    Examples:
        >>> planned, written = generate(cluster, out)
        >>> written.changed
        0

    Raises:
        ShellgenError: Nothing of an earlier run has been touched then.
    """
    from shellgen.disk.output import write

    planned, network, files = load(cluster)
    for line in advice(planned, network):
        say(line)
    other = other_cluster(out, planned)
    host = (Artifact(name, content) for name, content in network.host_models.items())
    return planned, replace(write((*artifacts(planned, files), *host), out, force=force), replaced=other)


def estimate(cluster: StrPath | Cluster) -> Estimate:
    """Return the rate of a cluster before any simulation, in frames/s, and its limit.

    The latest run of a folder that passed counts before all estimates.

    Args:
        cluster: cluster.toml, its text, or a folder that `generate` wrote.

    Examples:
        >>> estimate(cluster).limit.name
        'Ethernet into zed0'

    Raises:
        ShellgenError: The input is not in order.
    """
    planned = plan(cluster, overfull=True)
    run = None if isinstance(cluster, Cluster) else found_beside(Path(cluster), planned)
    return estimate_plan(with_measured(planned, run) if run else planned)


def simulate(
    out: StrPath, simulator: Simulator = "verilator", options: SimulateOptions | None = None
) -> RunReport:
    """Prove that every stream of a generated cluster crosses every boundary bit-exactly.

    Args:
        out: Folder that `generate` wrote.
        simulator: ``verilator`` or ``icarus``.
        options: Frames, stall, seed, timeout and so on.

    Examples:
        >>> import shellgen
        >>> report = shellgen.simulate(out, options=shellgen.SimulateOptions(frames=4))
        >>> report.passed
        True

    Returns:
        The report that is also in ``bench/run_<simulator>/report.json``; a failed proof raises nothing.

    Raises:
        ShellgenError: The model cannot be built, or nothing was run.
    """
    from shellgen.simulate.cluster import simulate as simulated

    return simulated(out, simulator, options)


def check(path: StrPath, options: CheckOptions | None = None) -> Checked:
    """Find what Vivado would find in a generated folder or in any Tcl script, without Vivado.

    Args:
        path: Folder that `generate` wrote, or a script.
        options: Release, nodes, hdl and so on.

    Examples:
        >>> check(out).worst()
        <Result.RIGHT: ...>

    Raises:
        ShellgenError: It is neither an output folder nor a script, or an option cannot be.
    """
    from shellgen.check.run import Options
    from shellgen.check.run import check as checked

    return checked(path, options or Options())


def split(
    model: StrPath,
    boards: Sequence[str],
    options: SplitOptions | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Split:
    """Choose the folding of every layer of a network, and where it is cut, for the boards at hand.

    Args:
        model: QONNX export, or whatever else `shellgen stitch` takes.
        boards: Names of boards with their number.
        options: Goal, and shares of the boards that stay free.
        say: Receives notes on the model.

    Examples:
        >>> found = split(model, ["zedboard*2"])
        >>> [part.node for part in shellgen.split.rows(found)], found.estimate.limit.name
        (['zedboard0'], 'Ethernet into zedboard0_0')

    Returns:
        Partitions, foldings, resources of each board and the estimated rate;
        `shellgen.split.split_files` makes the files of it.

    Raises:
        ShellgenError: A wrong option, a model that cannot be built, boards that are not enough.
    """
    from shellgen.splitting import SplitOptions, split_model

    return split_model(model, boards, options or SplitOptions(), say)


def artifacts(plan: Plan, files: Mapping[str, bytes]) -> tuple[Artifact, ...]:
    """Return every file of the output folder: those of the system, and its report."""
    from shellgen.emit.whole import emit
    from shellgen.report.page import report_file

    return (*emit(plan, files), report_file(plan))


def weights(cluster: StrPath | Cluster, out: StrPath, *, force: bool = False) -> tuple[int, list[str]]:
    """Write what a host loads at run time: ``<node>/<region>.dat``, 32 bits a line, from a build's models.

    The first line is a comment that says how the words are packed; the loader compares it with its map.
    Beside them goes ``golden/``: what the network must answer with these weights, named as in the bench.

    Examples:
        >>> weights(cluster, folder / "weights")
        (5, [])

    Returns:
        Number of weight files, and the regions whose values the models do not tell.

    Raises:
        ShellgenError: Nothing of an earlier run has been touched then.
    """
    from shellgen.disk.output import write

    system = _read(cluster)
    plan, network = system.plan, system.network
    artifacts, silent = [], []
    first = {part.name: part.copy_of or part.name for part in plan.partitions}
    for node in each("packing the weights of board", plan.nodes):
        for window in (memory for memory in node.memories if memory.memory):
            pack = network.registers.get((first.get(window.partition or "", ""), window.interface or ""))
            registers = pack() if pack else None
            if registers is None:
                silent.append(f"{node.name}: {window.name}")
            else:
                assert window.memory is not None
                packing = window.memory.model_dump(exclude={"layer", "op_type", "kind"})
                # Two foldings of a layer may give as many registers, so the file says which it is for.
                text = f"// {window.memory.layer} {json.dumps(packing)}\n"
                text += "".join(f"{register:08x}\n" for register in registers)
                artifacts.append(Artifact.text(f"{node.name}/{window.name}.dat", text))
    write((*artifacts, *_golden_of_weights(system)), out, force=force)
    return len(artifacts), silent


def _golden_of_weights(system: _System) -> list[Artifact]:
    """Compute the outputs of these very models: those of ``[verify]`` may be of other weights."""
    from shellgen.emit.bench_description import golden_vectors

    sent = {b.name for b in system.plan.boundaries if b.producer is None}
    given = {name: values for name, values in system.given.items() if name in sent}
    golden, files = make_golden(system.plan, system.network.models, system.weights, given)
    plan = system.plan.model_copy(update={"golden": golden})
    streams = {boundary.name: boundary.elements_per_frame for boundary in plan.boundaries}
    vectors = golden_vectors(plan).items()
    digests = {f"golden_{index}.npy": sha256 for index, sha256 in vectors}
    told = {"note": golden.note, "streams": streams, "vectors": digests}
    note = json.dumps(told, indent=1) + "\n"
    return [
        Artifact.text("golden/golden.json", note),
        *(Artifact(f"golden/golden_{index}.npy", files[sha256]) for index, sha256 in vectors),
    ]
