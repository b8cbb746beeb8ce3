# SPDX-License-Identifier: BSD-3-Clause
"""The layers of a model with all their foldings, as FINN sees them; kept from one run to the next."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from shellgen.cache import default_cache_dir, digest, once
from shellgen.model.folding import SplitNetwork
from shellgen.stitch.build import check_model, job_of
from shellgen.stitch.config import load_config
from shellgen.stitch.environment import ensure_finn_env
from shellgen.stitch.kept import ELSEWHERE, installed
from shellgen.stitch.worker import run_worker
from vivado_check.formats.data import read_json
from vivado_check.formats.files import StrPath, file_bytes

_KEPT = "survey.json"


def survey_layers(
    model: StrPath,
    part: str,
    *,
    finn_env: StrPath | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> SplitNetwork:
    """Return all layers of a model, with FINN's cycles and estimate of each legal folding.

    What FINN tells of a model and a part is kept in the cache.

    Raises:
        InputError: As `stitch_model`.
        ToolMissingError: As `stitch_model`.
    """
    model = Path(model)
    check_model(model)
    python = ensure_finn_env(finn_env).absolute()

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="shellgen_survey_") as work:
            job = job_of(model, None, load_config(None, {"part": part}), None, Path(work))
            told = run_worker(python, {**job, "survey": True})
        (folder / _KEPT).write_text(json.dumps(told))

    content = file_bytes(model)
    if any(mark in content for mark in ELSEWHERE):
        with tempfile.TemporaryDirectory(prefix="shellgen_survey_") as folder:
            make(Path(folder))
            network = _read(Path(folder), part)
    else:
        key = digest([*_worker_code(), str(python), *installed(python), part, str(model), content])
        network = _read(once(default_cache_dir() / "surveys" / key, make).folder, part)
    for note in network.notes:
        say(note)
    return network


def _worker_code() -> list[bytes]:
    """Return the code of the worker: another release may make other layers."""
    return [path.read_bytes() for path in sorted((Path(__file__).parent / "finn_worker").glob("*.py"))]


def _read(folder: Path, part: str) -> SplitNetwork:
    told = read_json(folder / _KEPT, _KEPT, "")
    return SplitNetwork.from_data({**told, "part": part}, _KEPT)
