# SPDX-License-Identifier: BSD-3-Clause
"""Build and run the bench of a generated folder, and gather what it found."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from math import prod
from pathlib import Path

from shellgen.cache import default_cache_dir
from shellgen.disk.changes import settle
from shellgen.disk.files import write_whole
from shellgen.disk.in_use import LOCK, in_use
from shellgen.errors import InputError, Problem, SimulationError, offer
from shellgen.model import Plan
from shellgen.model.bench import Bench, BenchBlock
from shellgen.model.bench_report import RunReport
from shellgen.model.spares import node_places
from shellgen.progress import step
from shellgen.quote import shell_quote
from shellgen.simulate.as_generated import changed_since, fingerprint, forget_bytecode
from shellgen.simulate.bare import bare_sources, told_of_originals
from shellgen.simulate.blocks import Block
from shellgen.simulate.build import Model, ModelSpec, build_model
from shellgen.simulate.description import read_bench, read_generated
from shellgen.simulate.folding import refuse_other_folding
from shellgen.simulate.golden import choose_golden, edited_weights
from shellgen.simulate.labels import Labels
from shellgen.simulate.options import Injection, RunOptions, SimulateOptions, check_options
from shellgen.simulate.outcome import REPORT, outcome
from shellgen.simulate.progress import RunWatch
from shellgen.simulate.refused import refused_is_ours
from shellgen.simulate.required import Required
from shellgen.simulate.run import run_model
from shellgen.simulate.settings import choose_settings
from shellgen.simulate.span import parse_span
from shellgen.simulate.tools import Simulator, find_cocotb, find_icarus, find_verilator
from shellgen.simulate.trace import WaveFormat, choose_format
from shellgen.simulate.vendor import Vendor, vendor_sources
from shellgen.simulate.waves import Replay, dump_waves
from vivado_check.formats.files import StrPath

__all__ = ["Injection", "SimulateOptions", "simulate"]

# Modules whose flops bench_top forces: the counters that it winds (templates/bench/meters.sv.j2).
FORCED = ("split_counter",)
_UNPACKED = re.compile(r"\bstruct\s*\{")
_UNREADABLE = re.compile(r'[$"\n]')
_COUNTED, _MORE_EPOCHS = 1 << 31, 8  # integers of SystemVerilog; what sinks hold beyond the frames asked for


def simulate(  # noqa: PLR0913 - inputs of a run, and a callback
    out: StrPath,
    simulator: Simulator,
    options: SimulateOptions | None = None,
    labels: StrPath | None = None,
    cache_dir: StrPath | None = None,
    told: Callable[[RunReport], None] = lambda _: None,
) -> RunReport:
    """Prove that every stream of a generated cluster crosses every boundary bit-exactly.

    Args:
        out: Folder that `shellgen generate` wrote.
        simulator: ``verilator`` or ``icarus``.
        options: What to run.
        labels: ``.npy`` of class labels, one per golden frame, to report the accuracy.
        cache_dir: Where models are kept; the user's cache by default.
        told: Gets the report as soon as the run is judged, before waves are made, which may take longer.

    Raises:
        InputError: ``out`` was not written by shellgen, or an option is out of range.
        ToolMissingError: The simulator, cocotb or a compiler is not installed.
        SimulationError: The model cannot be built, or nothing was run.
    """
    out, labels = Path(out), Path(labels) if labels else None
    cache_dir = Path(cache_dir) if cache_dir else None
    settle(out)
    read_bench(out)  # in a folder that is not ours nothing is locked
    with ExitStack() as stack:
        held = _have(out, simulator, stack)
        return _simulate(out, simulator, options or SimulateOptions(), labels, cache_dir, told, held)


def _have(out: Path, simulator: Simulator, stack: ExitStack) -> tuple[int, ...]:
    """Lock a folder: against another run with this simulator, and against commands that change the folder."""
    bench = out / "bench"
    try:
        return (
            stack.enter_context(in_use(bench, bench / f"run_{simulator}.lock")),
            stack.enter_context(in_use(out, out / LOCK, shared=True)),
        )
    except OSError as error:
        found = f"a run has to write there ({error.strerror or error})"
        raise InputError(Problem(str(bench), found, "Copy the folder to where you may write")) from None


def _simulate(  # noqa: PLR0913 - internal
    out: Path,
    simulator: Simulator,
    options: SimulateOptions,
    labels: Path | None,
    cache_dir: Path | None,
    told: Callable[[RunReport], None],
    held: Sequence[int],
) -> RunReport:
    settle(out)  # from here on nobody changes the folder
    if simulator == "verilator":
        _check_place(out)
    check_options(options, labels)
    before = fingerprint(out)
    bench, plan, edited = read_generated(out, options.edited)
    classes = Labels(labels, out, _scores(plan)) if labels else None
    _check_node(bench, options.reset_node)
    _check_absent(bench, plan, options.absent)
    _check_frames(bench, options)
    settings = choose_settings(bench, options.settings, options.seed)
    edited = [*edited, *edited_weights(options)]
    refuse_other_folding(out, options.weights)
    golden = choose_golden(out, bench, options)
    if classes:
        classes.fit(golden.frames)
    find_cocotb()  # before a build that may take a minute
    (find_verilator if simulator == "verilator" else find_icarus)()
    waves, note = _wave_format(simulator, options)
    vendor = vendor_sources(out, bench, options.xpm)
    step(f"{simulator}: is the model built?")
    run_dir = out / "bench" / f"run_{simulator}"
    _fresh(run_dir)  # before the build: if that fails, no report of an earlier run is left
    model = _model(out, bench, simulator, options, vendor, cache_dir, edited=edited)
    deadline = time.monotonic() + options.timeout if options.timeout else None
    asked = RunOptions(options, golden, settings.inputs(bench), settings.values, deadline)
    (run_dir / "options.json").write_text(json.dumps(asked.record(), indent=1))
    ran: tuple[str, ...] | SimulationError
    forget_bytecode(out)
    began = time.perf_counter()
    try:
        watch = RunWatch(run_dir, simulator, options.timeout)
        python_path = [out / "bench"]
        ran = run_model(model, "test_cluster", python_path, run_dir, meanwhile=watch, held=held).tests
        _refuse_changed(out, before)
    except SimulationError as error:
        ran = error
    found = outcome(run_dir, bench, Required.of(plan), asked, ran)
    frames = next((run.frames for run in found.runs.values()), options.frames)
    report = RunReport(
        simulator=simulator,
        seconds=time.perf_counter() - began,
        built_in=0.0 if model.was_cached else model.seconds,
        frames=frames,
        golden_frames=golden.frames,
        clock_hz=bench.clock_hz,
        settings=settings.parameters,
        edited=tuple(edited),
        repeat=_repeat(out, simulator, options),
        accuracy=classes.accuracy(run_dir / "result.npy", frames)
        if classes and frames and isinstance(ran, tuple)
        else None,
        **found.sections(),
    )
    _write(run_dir, report)
    told(report)  # it counts, whatever becomes of the waves
    if waves:
        again = Replay(
            lambda: _model(out, bench, simulator, options, vendor, cache_dir, waves, edited),
            *(run_dir, bench, out / "bench", waves, held),
        )
        dumped = dump_waves(again, report, parse_span(options.waves))
        report = report.model_copy(update={"waves": dumped.model_copy(update={"note": note})})
        _write(run_dir, report)
    return report


def _scores(plan: Plan) -> int:
    """Return the values of a frame that leaves the last board; 0 if outputs differ in it."""
    last = [one for one in plan.boundaries if one.consumer_node is None and one.producer_node is not None]
    sizes = {prod(one.normal_shape) for one in last}
    return sizes.pop() if len(sizes) == 1 else 0


def _fresh(run_dir: Path) -> None:
    """Make an empty folder: nothing that an earlier run has left may count for this one."""
    try:
        if run_dir.is_symlink():
            run_dir.unlink()
        elif run_dir.exists():
            shutil.rmtree(run_dir)
        run_dir.mkdir(parents=True)
    except OSError as error:
        found = f"what an earlier run has left there cannot be removed ({error.strerror or error})"
        raise InputError(Problem(str(run_dir), found, "Remove it by hand")) from None


def _refuse_changed(out: Path, before: Mapping[str, str]) -> None:
    """Raise SimulationError if files changed during the run: nobody knows which content it has proved."""
    if changed := changed_since(out, before):
        more = f", and so did {len(changed) - 1} more" if len(changed) > 1 else ""
        found = f"the file changed during the run{more}"
        raise SimulationError(Problem(str(out / changed[0]), found, "Simulate again"))


def _write(run_dir: Path, report: RunReport) -> None:
    write_whole(run_dir / REPORT, json.dumps(report.document(), indent=1).encode())


def _check_node(bench: Bench, name: str) -> None:
    """Refuse a node that is not there, and a reset that shifts frames of replicas that have no numbers."""
    names = [node.name for node in bench.nodes]
    if name in names and bench.epoch > 1 and not all(one.numbered for one in bench.boundaries):
        found = (
            "after the reset of one board, frames come to other replicas than before, and no number shows it"
        )
        remedy = "Leave the option out: every run under back-pressure resets all boards at once"
        raise InputError(Problem(f"simulate: --reset-node {name}", found, remedy))
    if name and name not in names:
        where = f"simulate: --reset-node {name}"
        raise InputError(Problem(where, f"there is no node {name!r}", offer(name, names)))


def _check_absent(bench: Bench, plan: Plan, name: str) -> None:
    """Refuse a node whose turns the cores around it cannot leave out."""
    able = [node for stage in bench.spares for node in stage]
    if not name or name in able:
        return
    names = [node.name for node in bench.nodes]
    if name not in names:
        found, remedy = f"there is no node {name!r}", offer(name, able or names)
    elif len(node_places(plan)[name]) == bench.epoch:
        found = "it is no replica: every frame needs it"
        remedy = offer(name, able) if able else "Leave the option out: no replica can be taken out"
    else:
        found = "the cores around it cannot leave its turns out: the host has some of its streams, or others "
        found += "would come to another order"
        remedy = offer(name, able) if able else "`shellgen rehearse` takes away replicas that the host feeds"
    raise InputError(Problem(f"simulate: --absent {name}", found, remedy))


def _repeat(out: Path, simulator: Simulator, options: SimulateOptions) -> str:
    """Return the command that does the same again: what decides the run, and not how long it may take."""
    words = ["shellgen", "simulate", str(out), "--simulator", simulator, "--seed", str(options.seed)]
    words += ["--frames", str(options.frames)] if options.frames else []
    words += ["--stall", str(options.stall)]
    words += ["--walk", options.walk] if options.walk in ("none", "full") else []
    words += ["--weights", options.weights] if options.weights else []
    words += ["--edited"] if options.edited else []
    words += ["--reset-node", options.reset_node] if options.reset_node else []
    words += ["--absent", options.absent] if options.absent else []
    words += [word for setting in options.settings for word in ("--set", setting)]
    return " ".join(shell_quote(word) for word in words)


def _wave_format(simulator: Simulator, options: SimulateOptions) -> tuple[WaveFormat | None, str]:
    """Return the format of the waves, None without any, and what is to be said of it."""
    if not options.waves:
        return None, ""
    if simulator == "icarus":
        return options.wave_format or "fst", ""
    return choose_format(find_verilator(), options.wave_format)


def _model(  # noqa: PLR0913 - internal
    out: Path,
    bench: Bench,
    simulator: Simulator,
    options: SimulateOptions,
    vendor: Vendor,
    cache_dir: Path | None,
    waves: WaveFormat | None = None,
    edited: Sequence[str] = (),
) -> Model:
    """Build the bench of a generated folder; that for waves has one source more."""
    sources = bench.sources
    ours = [*sources.ours, *([bench.waves.file] if waves else [])]
    frames = _epochs(bench, options)
    room = (f"BENCH_FRAMES={frames}",) if frames > bench.frames else ()
    bare = bare_sources(out, bench.blocks, cache_dir or default_cache_dir())
    partition = [bare.get(path, path) for path in ((out / name).resolve() for name in sources.partition)]
    with refused_is_ours(options.edited), told_of_originals(bare):
        return build_model(
            ModelSpec(
                [*vendor.models, *(out / name for name in ours)],
                "bench_top",
                third_party=[*vendor.originals, *partition],
                data_files=[out / name for name in bench.data],
                include_dirs=[out / name for name in sources.include_dirs],
                defines=room,
                extra_flags=verilator_flags(partition, simulator),
                blocks=[_block(out, entry, vendor, bare) for entry in bench.blocks],
                inline=(*FORCED, *sources.shared),
                waves=waves,
                edited=[out / name for name in ours if name in edited],
            ),
            simulator,
            cache_dir,
        )


def _check_place(out: Path) -> None:
    """Refuse a folder whose files Verilator looks for elsewhere: it expands ``$NAME`` in their names."""
    if _UNREADABLE.search(str(out.resolve())):
        found = "Verilator finds no files in a folder whose path has $, a quotation mark or a line break"
        raise InputError(
            Problem(f"simulate: {out}", found, "Generate it elsewhere, or use --simulator icarus")
        )


def _epochs(bench: Bench, options: SimulateOptions) -> int:
    """Return the epochs that sinks must have room for; 0 if their number was left to the bench."""
    frames = -(-options.frames // bench.epoch) + bench.own_frames if options.frames else 0
    return frames * (bench.epoch if options.absent else 1)  # one replica may carry those of all


def _check_frames(bench: Bench, options: SimulateOptions) -> None:
    """Refuse more frames than the bench can count the beats and bytes of."""
    sizes = [tap.beats for tap in bench.taps] + [one.frame_bytes for one in bench.boundaries]
    most = _COUNTED // max(sizes) - _MORE_EPOCHS
    if _epochs(bench, options) > most:
        found = "the bench counts beats and bytes of all frames in 31 bits"
        remedy = f"Send at most {max(0, (most - bench.own_frames) * bench.epoch):,}"
        raise InputError(Problem(f"simulate: --frames {options.frames}", found, remedy))


def _block(out: Path, entry: BenchBlock, vendor: Vendor, bare: Mapping[Path, Path]) -> Block:
    sources = [bare.get(path, path) for path in ((out / name).resolve() for name in entry.sources)]
    return Block(
        top=entry.bare,
        clocks=entry.clocks,
        sources=tuple(path.resolve() for path in (*vendor.originals, *vendor.models, *sources)),
        headers=tuple((out / name).resolve() for name in entry.headers),
        flags=verilator_flags(sources, "verilator"),
    )


def verilator_flags(partition: Sequence[Path], simulator: Simulator) -> tuple[str, ...]:
    """Flatten where a partition has unpacked structs.

    Verilator 5.48 declares such a struct once for each of two modules that share it, and the C++ does not
    compile; flattening avoids that at up to twice the build time.
    """
    if simulator == "verilator" and any(
        _UNPACKED.search(path.read_text(errors="replace")) for path in partition
    ):
        return ("--flatten",)
    return ()
