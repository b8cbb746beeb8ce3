# SPDX-License-Identifier: BSD-3-Clause
"""Entry point: read a job from a JSON file, run FINN, write the result beside it.

A job names ``model``, ``work`` (an empty folder for all that is written), ``parts``, ``clk_ns``,
``cut_before``, ``slr``, ``whole``, ``folding``, ``own_layers``, ``unsupported``, ``vectors`` (or null) and
``list``. The result has either ``problems``, each a list of where, found and remedy, or ``notes`` for the
user and ``partitions`` as `describe.describe_partition` gives them; with ``list`` set nothing is built, and
``layers`` are named; with ``survey`` set, ``layers`` and ``streams`` are as `survey.survey_of` gives them.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from .stand_ins import stand_in
from .steps import tell, tell_through


def main(path: str, pipe: str = "") -> None:
    """Run one job; an environment that does not work ends in a traceback on stderr and no result.

    Steps go to the file descriptor ``pipe``, if there is one.
    """
    if pipe:
        tell_through(int(pipe))
    job = json.loads(Path(path).read_text())
    _prepare_environment(Path(job["work"]))
    from .explain import explain  # noqa: PLC0415 - as in _run
    from .problems import FoundProblems  # noqa: PLC0415

    try:
        result = _run(job)
    except FoundProblems as error:
        result = {"problems": error.problems}
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # FINN's steps stop with whatever they happen to meet
        traceback.print_exc()
        result = {"problems": [explain(error, job["name"])]}
    (Path(job["work"]) / "result.json").write_text(json.dumps(result))


def _prepare_environment(work: Path) -> None:
    """Set what FINN and qonnx read from the environment on first use; finn is found without import."""
    packages = (Path(entry) / "finn" for entry in sys.path)
    package = next(folder for folder in packages if (folder / "finn-rtllib").is_dir())
    build = work / "build"
    build.mkdir()
    os.environ["FINN_BUILD_DIR"] = str(build)
    os.environ["FINN_ROOT"] = str(package.parent)
    # There is no such file. Without a name FINN looks for its settings at home, and makes a folder there.
    os.environ["FINN_SETTINGS"] = str(work / "settings.yaml")
    # Vectors are whole numbers that float32 holds exactly: no need to round after every node.
    os.environ["SANITIZE_QUANT_TENSORS"] = "0"
    os.environ["FINN_RTLLIB"] = str(package / "finn-rtllib")
    stand_in()


def _fix() -> None:
    """Correct FINN and qonnx, and replace what of them is slow."""
    from .aside import fix_weights  # noqa: PLC0415
    from .bipolar import fix_widths  # noqa: PLC0415
    from .dynamic import fix_dynamic  # noqa: PLC0415
    from .execute import fix_partitions  # noqa: PLC0415
    from .lookups import fix_lookups  # noqa: PLC0415
    from .own import fix_finn  # noqa: PLC0415
    from .packing import fix_packing  # noqa: PLC0415
    from .qonnx_fixes import fix_qonnx  # noqa: PLC0415
    from .requant import fix_requant  # noqa: PLC0415
    from .rounding import fix_rounding  # noqa: PLC0415

    for fix in (fix_qonnx, fix_weights, fix_lookups, fix_finn, fix_packing, fix_rounding):
        fix()
    for fix in (fix_requant, fix_dynamic, fix_widths, fix_partitions):
        fix()


def _run(job: dict[str, Any]) -> dict[str, Any]:
    # FINN is imported only once the environment is prepared.
    from .constants import drop_constant_outputs  # noqa: PLC0415
    from .describe import describe_partition  # noqa: PLC0415
    from .execute import golden, golden_if_it_runs, load_vectors, partitioned_golden  # noqa: PLC0415
    from .folding import list_layers, unfolded  # noqa: PLC0415
    from .lower import infer_layers, is_partitioned, load, lower, prepare  # noqa: PLC0415
    from .naming import end_names, end_shapes, restore_names, restore_shapes  # noqa: PLC0415
    from .partition import finish_children, load_children, partition, unpartitioned  # noqa: PLC0415
    from .requant import requant_notes  # noqa: PLC0415
    from .survey import survey_of  # noqa: PLC0415
    from .verify import check_export, draw, is_small  # noqa: PLC0415

    _fix()
    tell("FINN reads", Path(job["name"]).name)
    model = load(job)
    notes = drop_constant_outputs(model)
    work = Path(job["work"])
    if job["survey"]:
        return survey_of(model, job)
    if job["list"]:
        ends, _ = prepare(model, job)
        return {"notes": [*notes, *ends.notes()], "layers": list_layers(infer_layers(ends.core, job["name"]))}
    frames = load_vectors(model, job["vectors"]) if job["vectors"] else None
    parent = load_children(model, Path(job["model"]).parent, work, job) if is_partitioned(model) else None
    whole = unpartitioned(parent, anew=job["whole"]) if parent else model
    if parent and whole is None:
        children = finish_children(parent, job)
        notes += requant_notes(children)
        if frames is not None:
            tell("golden frames", f"{_count(frames)} through FINN's layers")
            partitioned_golden(parent, frames, work)
    else:
        tell("FINN streamlines")
        exported, shapes = end_names(whole), end_shapes(whole)
        ends, origin = prepare(whole, job)
        notes += ends.notes()
        tried = frames if frames is not None else draw(origin or ends.core)
        notes += check_export(ends, tried)
        layers, said = lower(ends, job)
        notes += said
        parent = partition(layers, work, ends)
        children = finish_children(parent, job)
        notes += unfolded(children, job)
        if tried is not None and (frames is not None or is_small(origin or ends.core)):
            tell("golden frames", f"{_count(tried)} through FINN's layers")
            run = golden if frames is not None else golden_if_it_runs
            notes += run(parent, ends, origin, tried, job)
        notes += requant_notes(children)
        restore_names(parent, ends, origin, exported)
        restore_shapes(ends, shapes)
        for name, part in (("host_before.onnx", ends.before), ("host_after.onnx", ends.after)):
            if part is not None:
                part.save(str(work / name))
    parent.save(str(work / "parent.onnx"))
    partitions = [{**describe_partition(name, path), "part": part} for name, path, part in children]
    return {"notes": notes, "partitions": partitions}


def _count(frames: dict[str, Any]) -> int:
    return max(map(len, frames.values()), default=0)
