# SPDX-License-Identifier: BSD-3-Clause
"""Files of a split: split.json, FINN's folding file and cluster.toml."""

from __future__ import annotations

import json
from collections.abc import Mapping

from shellgen.model import Artifact
from shellgen.model.base import Json
from shellgen.split.ask import by_layer
from shellgen.split.explain import rows, sentences
from shellgen.split.mock import cluster_text
from shellgen.split.placed import Placed
from shellgen.split.run import Split
from shellgen.split.task import RESOURCES, Found

SPLIT, FOLDING, CLUSTER = "split.json", "folding.json", "cluster.toml"


def split_files(split: Split, model: str, name: str, *, vectors: bool = False) -> tuple[Artifact, ...]:
    """Return the files of a split; ``name`` is that of the cluster."""
    document = split_record(split, model)
    names = [split.desk.stock[part.kind].name for part in split.found.parts]
    return (
        Artifact.text(SPLIT, json.dumps(document, indent=1) + "\n"),
        Artifact.text(FOLDING, json.dumps(folding_of(split), indent=1) + "\n"),
        Artifact.text(
            CLUSTER,
            cluster_text(split.plan, split.placed, names, name, split.desk.network if vectors else None),
        ),
    )


def split_record(split: Split, model: str) -> dict[str, Json]:
    """Return split.json: what `stitch` takes, and what it follows from."""
    found, wanted = split.found, split.desk.wanted
    clocks = [node.compute.hz for node in split.plan.nodes]
    return {
        "split": 1,
        "model": model,
        "goal": f"{wanted.fps:g} fps" if wanted.fps is not None else wanted.goal,
        "exact": found.exact,
        "stitch": {
            "part": [split.desk.stock[part.kind].board.part for part in found.pieces],
            "clk_ns": round(1e9 / max(clocks), 6),
            **cuts_of(split),
            **_regions(split),
            "whole": True,
            "folding": folding_of(split),
        },
        "estimate": {
            "frames_per_second": round(split.estimate.frames_per_second, 3),
            "limit": split.estimate.limit.name,
            "source": split.estimate.limit.source,
        },
        "boards": _boards(split),
        "layers": _layers(split),
        "sentences": sentences(split),
    }


def cuts_of(split: Split) -> dict[str, Json]:
    """Return the layers that begin a partition."""
    return {"cut_before": [split.task.layers[part.layers[0]] for part in split.found.pieces[1:]]}


def _regions(split: Split) -> dict[str, Json]:
    """Return the SLR of each partition, if any board has some."""
    found = [part.region for part in split.found.pieces]
    if all(one is None for one in found):
        return {}
    return {"slr": [-1 if one is None else one for one in found]}


def folding_of(split: Split) -> dict[str, Json]:
    """Return FINN's folding file: what was given, with the folding that was found."""
    given = by_layer(split.desk.wanted.folding or {})
    written: dict[str, Json] = {}
    if "Defaults" in given:
        written["Defaults"] = _json(given["Defaults"])
    depths = {layer: depth for part in split.placed for layer, depth in _depths(part).items()}
    for layer, attributes in _foldings(split.found, split).items():
        kept = _json(given.get(layer, {}))
        assert isinstance(kept, dict)
        if split.desk.wanted.folding is not None:  # how weights are stored is the user's, too
            attributes = {key: value for key, value in attributes.items() if key != "ram_style"}  # noqa: PLW2901
        written[layer] = {**kept, **attributes, **_deeper(depths.get(layer, 0), kept)}
    return written


def _depths(part: Placed) -> dict[str, int]:
    """Return the words of the FIFOs in front of layers."""
    return {layer: depth for (layer, _), depth in part.depths.items()}


def _deeper(depth: int, kept: Mapping[str, Json]) -> dict[str, Json]:
    """Return FINN's attribute for a FIFO, unless the user's is as deep."""
    given = kept.get("inFIFODepths")
    first, *others = given if isinstance(given, list) and given else [0]
    enough = isinstance(first, int) and first >= depth
    return {} if not depth or enough else {"inFIFODepths": [depth, *others]}


def _json(table: Mapping[str, object]) -> Json:
    loaded: Json = json.loads(json.dumps(table))
    return loaded


def _foldings(found: Found, split: Split) -> dict[str, dict[str, int | str]]:
    network = split.desk.network
    of = {
        layer: choice for part in found.parts for layer, choice in zip(part.layers, part.choices, strict=True)
    }
    return {
        layer.name: dict(layer.foldings[of[at].number].attributes)
        for at, layer in enumerate(network.layers)
        if layer.foldings[of[at].number].attributes
    }


def _boards(split: Split) -> list[Json]:
    return [
        {
            "node": row.node,
            "board": row.board,
            **({"slr": piece.region} if piece.region is not None else {}),
            "replicas": row.replicas,
            "partition": number,
            "first_layer": row.first,
            "last_layer": row.last,
            "layers": row.count,
            "cycles": row.cycles,
            "frames_per_second": round(row.fps, 3),
            "takes": dict(zip(RESOURCES, split.takes[number], strict=True)),
            "shares": {name: round(share, 4) for name, share in row.shares.items() if share is not None},
            "sends_bytes": row.sends,
        }
        for number, (row, piece) in enumerate(zip(rows(split), split.found.pieces, strict=True))
    ]


def _layers(split: Split) -> list[Json]:
    network = split.desk.network
    found: list[tuple[int, Json]] = []
    for number, part in enumerate(split.found.pieces):
        for at, choice in zip(part.layers, part.choices, strict=True):
            layer = network.layers[at]
            entry: Json = {
                "layer": layer.name,
                "partition": number,
                "folding": dict(layer.foldings[choice.number].attributes),
                "cycles": choice.cycles,
                "takes": dict(zip(RESOURCES, choice.takes, strict=True)),
                "source": layer.foldings[choice.number].source or layer.source,
            }
            found.append((at, entry))
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0])]
