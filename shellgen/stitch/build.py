# SPDX-License-Identifier: BSD-3-Clause
"""From a QONNX model, or a model that FINN has partitioned, to a FINN build of stitched partitions."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen.counted import counted
from shellgen.disk.changes import changing, settle
from shellgen.errors import InputError, one
from shellgen.formats.graph_check import graph_problems
from shellgen.formats.onnx import is_ours, load_onnx
from shellgen.model.base import Json
from shellgen.model.file_names import is_file_name
from shellgen.model.unsupported import UNSUPPORTED
from shellgen.progress import step
from shellgen.stitch.config import DEFAULT_CLK_NS, DEFAULT_PART, StitchConfig, load_config
from shellgen.stitch.environment import ensure_finn_env
from shellgen.stitch.kept import Job, build_of
from shellgen.stitch.own_layers import KINDS, add_own_rtl
from shellgen.stitch.package import PROJECT, package_partition, write_parent
from shellgen.stitch.worker import run_worker
from vivado_check.formats.files import StrPath

PARENT = "dataflow_parent.onnx"
_MOST_PROBLEMS = 20
# Beside the partitions: vectors at their ports, and what the host computes before and after them.
_BESIDE = re.compile(r"(in|out)put(_\d+)?\.npy|host_(before|after)\.onnx")


@dataclass(frozen=True)
class FoldableLayer:
    """A layer that a folding file can name.

    Attributes:
        name: Its name there.
        after: The layers that feed it.
        shape: Of its output.
        limits: What each folding attribute has to divide.
    """

    name: str
    after: list[str]
    shape: list[int]
    limits: dict[str, int]


def stitch_model(  # noqa: PLR0913 - what the command line offers, and two for Python callers
    model: StrPath,
    config: StrPath | None,
    out: StrPath,
    vectors: StrPath | None = None,
    *,
    given: Mapping[str, Json] | None = None,
    finn_env: StrPath | None = None,
    say: Callable[[str], None] = lambda _: None,
    ours: bool = False,
) -> list[str]:
    """Make a FINN build without Vivado.

    ``out`` gets `PARENT`, one folder per partition, and with ``vectors`` the golden ``input.npy`` and
    ``output.npy`` (frames, *shape of one frame) at the ports of the partitions, ``input_<i>.npy`` where there
    are several. What streamlining leaves to the host goes into ``host_before.onnx`` and ``host_after.onnx``.
    Earlier partitions there are replaced; after an error they are as they were.

    Args:
        model: A QONNX export (Brevitas and the like); or a streamlined network of MatMul, MultiThreshold and
            Im2Col with annotated integer types; or a parent with ``StreamingDataflowPartition`` nodes, whose
            children are RTL-specialised; folding and cuts of ``config`` are not used then, unless it asks for
            the ``whole``.
        config: `StitchConfig` as JSON, or FINN's own folding file; None for no folding and no cut.
        out: Build folder.
        vectors: ``.npy`` of inputs of the model, (frames, ...); ``.npz``, by input, where it has several.
        given: Fields of `StitchConfig` that win over the file's. Without any part it is `DEFAULT_PART`.
        finn_env: Folder of the FINN environment; by default `environment.default_folder`.
        say: Receives what is legal and should be known.
        ours: ``out`` is known to be of an earlier run, even if its parent is missing.

    Returns:
        The names of the partitions, in network order.

    Raises:
        InputError: A file that is missing or malformed, a layer without RTL, folding that does not fit,
            an output folder that has something else in it.
        ToolMissingError: FINN cannot be installed, or does not run.
    """
    model, out = Path(model), Path(out)
    config, vectors = Path(config) if config else None, Path(vectors) if vectors else None
    if config is None and "part" not in (given or {}):
        say(f"built for {DEFAULT_PART} at {DEFAULT_CLK_NS} ns, since no part is named")
        given = {"part": DEFAULT_PART, **(given or {})}
    decided = load_config(config, given)
    if vectors is not None and not vectors.is_file():
        raise one(InputError, str(vectors), "there is no such vectors file", "Check the path")
    check_model(model)
    _check_out(out, ours=ours)
    python = ensure_finn_env(finn_env)
    settings = f"{config} {decided.model_dump_json()} {decided.parts}"

    def make(fresh: Path) -> tuple[list[str], list[str]]:
        with tempfile.TemporaryDirectory(prefix="shellgen_stitch_") as folder:
            work = Path(folder) / "finn"
            work.mkdir()
            result = run_worker(python.absolute(), job_of(model, config, decided, vectors, work))
            step("packaging", counted(len(result["partitions"]), "partition"))
            add_own_rtl(result["partitions"], Path(folder) / "own", str(model))
            for partition in result["partitions"]:
                package_partition(partition, fresh / partition["name"])
            write_parent(work / "parent.onnx", fresh / PARENT)
            for path in sorted(work.iterdir()):
                if _BESIDE.fullmatch(path.name):
                    shutil.copy(path, fresh / path.name)
        return [partition["name"] for partition in result["partitions"]], result["notes"]

    with build_of(Job(python.absolute(), model, settings, vectors), make) as build:
        _replace(build.folder, out)
    for note in build.notes:
        say(note)
    return build.partitions


def build_files(out: Path, partitions: Sequence[str]) -> list[Path]:
    """Return the files of a build that `stitch_model` made."""
    inside = (path for name in partitions for path in (out / name).rglob("*") if path.is_file())
    beside = (path for path in out.iterdir() if path.name == PARENT or _BESIDE.fullmatch(path.name))
    return sorted([*inside, *beside])


def list_layers(
    model: StrPath, *, finn_env: StrPath | None = None, say: Callable[[str], None] = lambda _: None
) -> list[FoldableLayer]:
    """Return the layers that a folding file can name.

    Raises:
        InputError: As `stitch_model`.
        ToolMissingError: As `stitch_model`.
    """
    model = Path(model)
    check_model(model)
    python = ensure_finn_env(finn_env)
    with tempfile.TemporaryDirectory(prefix="shellgen_stitch_") as folder:
        job = job_of(model, None, load_config(None, {"part": DEFAULT_PART}), None, Path(folder))
        result = run_worker(python.absolute(), {**job, "list": True})
    for note in result["notes"]:
        say(note)
    return [FoldableLayer(**layer) for layer in result["layers"]]


def check_model(model: Path) -> None:
    """Refuse what is no ONNX model, or one whose graph cannot be run by anything.

    Raises:
        InputError: It is none.
    """
    if model.is_dir():
        remedy = "Name the model's file; of a finished FINN build, `shellgen init` makes a cluster.toml"
        raise one(InputError, str(model), "it is a folder", remedy)
    if not model.is_file():
        raise one(InputError, str(model), "there is no such model file", "Check the path")
    if problems := graph_problems(load_onnx(model, "Name a QONNX model"), model):
        raise InputError(*problems[:_MOST_PROBLEMS])


def job_of(
    model: Path, config: Path | None, decided: StitchConfig, vectors: Path | None, work: Path
) -> dict[str, Any]:
    """Return a job for the worker."""
    return {
        "model": str(model.resolve()),
        "name": str(model),
        "config": str(config or "command line"),
        "vectors": str(Path(vectors).resolve()) if vectors else None,
        "work": str(work),
        "own_layers": sorted(KINDS),
        "unsupported": UNSUPPORTED,
        "list": False,
        "survey": False,
        **decided.model_dump(mode="json", exclude={"part"}),
        "parts": decided.parts,
    }


def _check_out(out: Path, *, ours: bool) -> None:
    if out.exists() and not out.is_dir():
        raise one(InputError, str(out), "the output folder is a file", "Name another folder")
    settle(out)
    if out.is_dir() and any(out.iterdir()) and not (ours or is_ours(out / PARENT)):
        found = "the output folder has something else in it, perhaps a build of FINN"
        raise one(InputError, str(out), found, "Name an empty folder, or one that an earlier run made")


def _replace(fresh: Path, out: Path) -> None:
    """Put the new build in the place of the old one; files of the user that stand beside it stay."""
    try:
        with changing(out) as changes:
            new = {path.name for path in fresh.iterdir()}
            for path in sorted(out.iterdir()):
                ours = (path / PROJECT).is_dir() or path.name == PARENT or _BESIDE.fullmatch(path.name)
                if ours and is_file_name(path.name) and path.name not in new:
                    changes.remove(path.name)
            for name in sorted(new):
                changes.bring(name, fresh / name)
    except OSError as error:
        found = f"cannot be written: {error.strerror or error}"
        raise one(InputError, str(out), found, "Check its permissions and the space on its disk") from None
