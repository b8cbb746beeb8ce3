# SPDX-License-Identifier: BSD-3-Clause
"""The commands as functions: a path is a text or any path, every error is a `ShellgenError`.

Examples:
    >>> import shellgen
    >>> shellgen.plan(cluster).name
    'pair'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shellgen.model import Artifact, Network, Plan
from shellgen.progress import each
from shellgen.read.cluster import Cluster
from vivado_check.formats.files import StrPath

if TYPE_CHECKING:
    from shellgen.check.run import Checked
    from shellgen.check.run import Options as CheckOptions
    from shellgen.disk.output import Written
    from shellgen.estimate import Estimate
    from shellgen.loaded import Loaded
    from shellgen.model.bench_report import RunReport
    from shellgen.simulate.cluster import SimulateOptions
    from shellgen.simulate.tools import Simulator
    from shellgen.split import Split
    from shellgen.splitting import SplitOptions
    from shellgen.system import System

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
    from shellgen.loaded import loaded
    from shellgen.read.output import settled_plan

    if isinstance(cluster, Cluster) or not Path(cluster).is_dir():
        return loaded(cluster, overfull=overfull, files=False).plan
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
    from shellgen.system import load as loaded_anew

    return loaded_anew(cluster, overfull=overfull)


def advice(plan: Plan, network: Network) -> list[str]:
    """Return what is legal and should be known: a sentence each."""
    from shellgen.system import advice as said

    return said(plan, network)


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
    from shellgen.disk.cluster_folder import write_cluster
    from shellgen.loaded import loaded

    found = loaded(cluster)
    for line in found.advice:
        say(line)
    whole, nodes = emitted(found), [node.name for node in found.plan.nodes]
    return found.plan, write_cluster(whole, out, found.plan.name, nodes, force=force)


def emitted(found: Loaded) -> tuple[Artifact, ...]:
    """Return every file that `generate` writes of a plan."""
    from shellgen.loaded import artifacts_of

    host = (Artifact(name, content) for name, content in found.host_models.items())
    made = artifacts_of(found.plan, lambda: artifacts(found.plan, found.files))
    return (*made, *host)


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
    from shellgen.estimate import estimate as estimate_plan
    from shellgen.estimate.measured import found_beside, with_measured

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
    from shellgen.system import read_system

    system = read_system(cluster)
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


def _golden_of_weights(system: System) -> list[Artifact]:
    """Compute the outputs of these very models: those of ``[verify]`` may be of other weights."""
    from shellgen.emit.bench_description import golden_vectors
    from shellgen.golden import make_golden

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
