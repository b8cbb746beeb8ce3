# SPDX-License-Identifier: BSD-3-Clause
"""The page of a live rehearsal: the picture of the report, whose parts a script finds by name."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from pathlib import Path

from shellgen.estimate import estimate
from shellgen.model import Plan
from shellgen.render import environment, render
from shellgen.report.cards import Scene, Stage, scene
from shellgen.report.loads import Loads
from shellgen.report.picture import bands, picture
from shellgen.resources import data_dir

_SIZES = ("phone", "desk", "wall")


def live_page(plan: Plan, gateway: str | None = None) -> str:
    """Return the page; it loads nothing but the state from where it comes itself.

    Args:
        plan: Of the cluster.
        gateway: The server of the host's streams, if it is an end of the network of cards.
    """
    seen = scene(plan, Loads(plan, estimate(plan)))
    drawn = dict(zip(_SIZES, (picture(seen, per_band) for per_band in bands(seen)), strict=False))
    for one in drawn.values():  # there are no tables to link to
        one.parts = [replace(part, anchor="") for part in one.parts]
    crossing = [one for one in plan.boundaries if one.link is not None]
    names = {
        "parts": _parts(seen, gateway or ""),
        "edges": [
            {
                "from": one.producer_node,
                "to": one.consumer_node,
                "server": None if one.producer_node and one.consumer_node else gateway,
                "bytes": stream.bytes,
            }
            for one, stream in zip(crossing, seen.streams, strict=True)
        ],
    }
    styles = environment().get_template("report/picture.css.j2").module
    style = f"{styles.root('auto')}{styles.shapes()}{render('rehearse/live.css.j2')}"  # type: ignore[attr-defined]
    script = Path(data_dir("templates") / "rehearse" / "live.js").read_text(encoding="ascii")
    script = f"const NAMES = {json.dumps(names)};\n{script}"
    return render(
        "rehearse/live.html.j2",
        plan=plan,
        pictures=drawn,
        largest=list(drawn)[-1],
        style=style,
        script=script,
        style_hash=_digest(style),
        script_hash=_digest(script),
        nodes=[*(node.name for node in plan.nodes), *([gateway] if gateway else [])],
    )


def _parts(found: Scene, gateway: str) -> list[str]:
    """Return for each part of the picture, in its order, the board that it belongs to; a label has none."""
    parts: list[str] = []
    for card in found.cards:
        name = card.title if card.kind == "board" else gateway
        parts += [name] * (1 + sum(isinstance(row, Stage) for row in card.rows))
        parts += [""] * sum(one.source == card.key for one in found.streams)
    return parts


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
