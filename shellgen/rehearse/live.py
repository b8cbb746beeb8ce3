# SPDX-License-Identifier: BSD-3-Clause
"""Run frames through a cluster whose servers run: on boards, or anywhere else."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen.counted import counted
from shellgen.disk.files import write_whole
from shellgen.errors import InputError, Problem, ShellgenError, SimulationError, offer
from shellgen.formats.npy import read_npy
from shellgen.model.base import Json
from shellgen.progress import step
from shellgen.rehearse.table import Table, spans
from shellgen.simulate.classes import check_classes, class_of, read_labels
from shellgen_host import Cluster, HostError, LostError, Operator
from shellgen_host import InputError as HostInputError
from shellgen_host.cluster_map import Edge
from vivado_check.formats.files import StrPath

Values = npt.NDArray[Any]
_ROUNDING = 1e-5


@dataclass(frozen=True)
class LiveOptions:
    """Options of a run.

    Attributes:
        hosts: ``hosts.toml``.
        inputs: ``.npy`` by input of the model, tensor or boundary; the key is empty where there is only one.
        output: ``.npy`` to write, by tensor or boundary; as ``inputs``.
        golden: ``.npy`` to compare with; as ``inputs``.
        labels: ``.npy`` of class labels.
        patience: Seconds that a node may be away.
        raw: Files have whole numbers at the boundaries, not values of the model.
        bitstreams: Folder with those to load before.
        weights: Folder with those to load before.
        force: Overwrite files of ``output``.
    """

    hosts: Path
    inputs: Mapping[str, Path]
    output: Mapping[str, Path]
    golden: Mapping[str, Path]
    labels: Path | None = None
    patience: float = 30.0
    raw: bool = False
    bitstreams: Path | None = None
    weights: Path | None = None
    force: bool = False


@dataclass(frozen=True)
class LiveRun:
    """Result of a run.

    Attributes:
        frames: Frames that were given in.
        compared: Whether there were golden vectors.
        wrong: Numbers of frames whose result is not the golden one.
        missing: Numbers of those without a result, with the reason.
        accuracy: Share of frames whose largest value is the label; None without labels.
        seconds: From the first frame to the last result.
        median_s: Median time from a frame to its result.
        percentile_99_s: The same for the slowest hundredth.
        nodes_s: Mean time inside each node.
        notes: What broke and was repaired, and who held frames back, in order.
    """

    frames: int
    compared: bool
    wrong: tuple[int, ...]
    missing: dict[int, str]
    accuracy: float | None
    seconds: float
    median_s: float
    percentile_99_s: float
    nodes_s: dict[str, float]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Every frame has a result, and the right one as far as that is known."""
        return not self.wrong and not self.missing

    @property
    def rate(self) -> float:
        """Frames with a result in a second."""
        return (self.frames - len(self.missing)) / self.seconds if self.seconds else 0.0

    def document(self) -> dict[str, Json]:
        """Return it as JSON."""
        return {
            "passed": self.passed,
            "frames": self.frames,
            "compared": self.compared,
            "wrong": list(self.wrong),
            "missing": {str(number): why for number, why in self.missing.items()},
            "accuracy": self.accuracy,
            "seconds": self.seconds,
            "frames_per_second": self.rate,
            "latency_s": {"median": self.median_s, "percentile_99": self.percentile_99_s},
            "nodes_s": self.nodes_s,
            "notes": list(self.notes),
        }

    def text(self) -> str:
        """Return it for people."""
        done = f"{self.frames - len(self.missing):,} of " if self.missing else ""
        lines = [
            f"{done}{counted(self.frames, 'frame')} in {self.seconds:.2f} s: {self.rate:.1f} frames/s",
            f"latency: {1e3 * self.median_s:.2f} ms median, "
            f"{1e3 * self.percentile_99_s:.2f} ms 99th percentile",
            *(f"  {name}: {1e3 * seconds:.2f} ms in the node" for name, seconds in self.nodes_s.items()),
            *(f"during the run: {note}" for note in self.notes),
        ]
        if self.accuracy is not None:
            lines.append(f"accuracy: {100 * self.accuracy:.2f} %")
        if self.missing:
            number = next(iter(self.missing))
            lines.append(f"missing: frames {spans(self.missing)}; {number}: {self.missing[number]}")
        if self.wrong:
            lines.append(f"wrong: frames {spans(self.wrong)}")
        if self.compared and self.passed:
            lines.append("all results are as in the golden vectors")
        return "\n".join(lines)


def run_live(out: StrPath, options: LiveOptions) -> LiveRun:
    """Run all frames of some files.

    Args:
        out: Folder that `shellgen generate` wrote.
        options: Files, and where the nodes are.

    Raises:
        InputError: A file is wrong, or a node refuses or is not reached.
    """
    _check_output(options)
    for path in options.output.values():  # before the frames, whose results would be lost
        if path.is_dir() or not path.parent.is_dir():
            found = "it is a folder" if path.is_dir() else "there is no such folder"
            raise InputError(Problem(f"run: --output: {path}", found, "Give a file in a folder that exists"))
    given = {name: read_npy(path, str(path)) for name, path in options.inputs.items()}
    golden = {name: read_npy(path, str(path)) for name, path in options.golden.items()}
    labels = read_labels(options.labels, str(options.labels)) if options.labels else None
    notes: list[str] = []
    tables: list[Table] = []

    def note(text: str) -> None:
        notes.append(text)
        step("frames", text)
        for table in tables:
            table.noted(text)

    try:
        if options.bitstreams or options.weights:
            step("loading", "bitstreams and weights")
            Operator(Path(out), options.hosts).program(options.bitstreams, options.weights)
        patience = options.patience
        with Cluster(Path(out), options.hosts, patience=patience, note=note, limit=patience) as cluster:
            names = cluster.names(raw=options.raw)
            inputs = _named(given, _known(names[0], cluster.map.inputs), "--input")
            cluster.fit(inputs, raw=options.raw)
            outputs = _known(names[1], cluster.map.outputs)
            wanted = _named(golden, outputs, "--golden", some=True)
            files = _named(options.output, outputs, "--output", some=True)
            if labels is not None and len(outputs) > 1:
                several = f"there are {len(outputs)} outputs, and labels belong to one"
                remedy = "Leave it out, write the results by --output, and compare that of the classes"
                raise InputError(Problem("run: --labels", several, remedy))
            count = _count(inputs, wanted, labels)
            tables.append(Table(count))
            missing: dict[int, str] = {}
            results: list[dict[str, Values]] = []
            began = time.monotonic()
            for number, answer in enumerate(cluster.answers(_frames(inputs, count), raw=options.raw)):
                if isinstance(answer, LostError):
                    missing[number] = str(answer)
                    results.append({})
                else:
                    _check_size(answer, wanted)
                    if labels is not None:
                        check_classes(labels, next(iter(answer.values())).size, str(options.labels))
                    results.append(answer)
                tables[0].show(number + 1, cluster.state())
            seconds = time.monotonic() - began
            latency = cluster.latency() if len(missing) < count else None
    except HostError as error:
        raise stated(error) from None
    if not missing:
        for name, path in files.items():
            write_whole(path, _npy(np.array([result[name] for result in results])))
    return LiveRun(
        frames=count,
        compared=bool(wanted),
        wrong=tuple(number for number, result in enumerate(results) if _differs(result, wanted, number)),
        missing=missing,
        accuracy=_accuracy(results, labels),
        seconds=seconds,
        median_s=latency.median if latency else 0.0,
        percentile_99_s=latency.percentile_99 if latency else 0.0,
        nodes_s=latency.nodes if latency else {},
        notes=tuple(notes),
    )


def _check_output(options: LiveOptions) -> None:
    """Refuse outputs that would destroy what the run reads, another output, or what is there."""
    read = [*options.inputs.values(), *options.golden.values(), *([options.labels] if options.labels else [])]
    taken = {path.resolve(): "the run reads this file" for path in read}
    for path in options.output.values():
        if found := taken.get(path.resolve()):
            raise InputError(Problem(f"run: --output: {path}", found, "Choose another file"))
        if path.is_file() and not options.force:
            raise InputError(
                Problem(f"run: --output: {path}", "it already exists", "Choose another file, or add --force")
            )
        taken[path.resolve()] = "two outputs go to this file"


def _npy(values: Values) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def _frames(inputs: Mapping[str, Values], count: int) -> Iterator[dict[str, Values]]:
    for number in range(count):
        yield {name: values[number] for name, values in inputs.items()}


def _known(names: list[str], edges: Sequence[Edge]) -> dict[str, tuple[str, str]]:
    """Return for each name of the client's what a user may write; the first is shown."""
    tensors = {edge.name: (edge.tensor, edge.name) for edge in edges}
    return (
        tensors
        if names == [*tensors]
        else {
            name: (name, next((edge.name for edge in edges if edge.tensor == name), name)) for name in names
        }
    )


def _named(
    given: Mapping[str, Any], known: Mapping[str, tuple[str, str]], option: str, *, some: bool = False
) -> dict[str, Any]:
    """Return values by the client's names; the empty key means the only one."""
    found = {}
    for key, value in given.items():
        fits = [name for name, said in known.items() if key in said or (not key and len(known) == 1)]
        if not fits:
            names = [shown for shown, _ in known.values()]
            said = f"there is no {key!r}" if key else f"there are {len(names)} of them"
            raise InputError(Problem(f"run: {option}", said, f"{offer(key, names)}, as NAME=FILE"))
        found[fits[0]] = value
    if not some and (lacking := [said[0] for name, said in known.items() if name not in found]):
        raise InputError(
            Problem(f"run: {option}", f"{', '.join(lacking)} has no file", "Give one, as NAME=FILE")
        )
    return found


def _count(inputs: Mapping[str, Values], golden: Mapping[str, Values], labels: Values | None) -> int:
    sizes = {len(values) if values.ndim else 0 for values in inputs.values()}
    if len(sizes) != 1 or not (count := sizes.pop()):
        raise InputError(
            Problem("run: --input", "the files have no frame, or different numbers of them", "Correct them")
        )
    for option, values in [
        *(("--golden", one) for one in golden.values()),
        *([("--labels", labels)] if labels is not None else []),
    ]:
        if not values.ndim or len(values) < count:
            found = f"it has {len(values) if values.ndim else 0} frames, and {count} are sent"
            raise InputError(Problem(f"run: {option}", found, "Give one for each frame"))
    return count


def _check_size(result: Mapping[str, Values], wanted: Mapping[str, Values]) -> None:
    for name, golden in wanted.items():
        if golden[0].size != result[name].size:
            found = f"{name} has {golden[0].size} values in a frame, and there are {result[name].size}"
            raise InputError(Problem("run: --golden", found, "Give those of this output"))


def _differs(result: Mapping[str, Values], wanted: Mapping[str, Values], number: int) -> bool:
    return bool(result) and any(
        not _same(result[name].reshape(-1), golden[number].reshape(-1)) for name, golden in wanted.items()
    )


def _same(found: Values, wanted: Values) -> bool:
    """Tell whether values are equal; floats of the model may be rounded differently by another runtime."""
    if found.size != wanted.size or found.dtype.kind in "biu":
        return np.array_equal(found, wanted)
    return np.allclose(found, wanted, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True)


def _accuracy(results: list[dict[str, Values]], labels: Values | None) -> float | None:
    """Share of frames whose largest value of the first output is the label; a missing frame is wrong."""
    if labels is None:
        return None
    right = 0
    for result, label in zip(results, labels, strict=False):
        right += bool(result) and class_of(next(iter(result.values()))) == int(label)
    return right / len(results)


def stated(error: HostError, command: str = "run") -> ShellgenError:
    """Return an error of the client as one of shellgen: where, what, and what to do about it."""
    text, _, remedy = str(error).rpartition("; ")
    where, _, found = text.rpartition(": ") if ".toml:" in text else (command, "", text or str(error))
    kind = InputError if isinstance(error, HostInputError) else SimulationError
    log = "Correct it" if kind is InputError else "Look at the log of shellgen-node"
    remedy = remedy[:1].upper() + remedy[1:] if text else log
    return kind(Problem(where, found, remedy))
