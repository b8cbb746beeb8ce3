# SPDX-License-Identifier: BSD-3-Clause
"""The layers of a model with all their foldings, as FINN sees them; kept from one run to the next."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from shellgen.model.folding import SplitNetwork
from shellgen.stitch.build import check_model, job_of
from shellgen.stitch.config import load_config
from shellgen.stitch.environment import ensure_finn_env
from shellgen.stitch.kept import kept
from shellgen.stitch.worker import run_worker
from vivado_check.formats.data import read_json
from vivado_check.formats.files import StrPath

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

    with kept("surveys", python, (part,), (model,), make) as folder:
        network = SplitNetwork.from_data({**read_json(folder / _KEPT, _KEPT, ""), "part": part}, _KEPT)
    for note in network.notes:
        say(note)
    return network
