# SPDX-License-Identifier: BSD-3-Clause
"""Placement as FINN and finn-plus write it: which device each partition is on.

Three forms. FINN's floorplan (``floorplan.json``, in FINN's configuration form): ``slr``, ``partition_id``,
``device_id`` and ``mem_port`` by layer or by partition, with ``Defaults``. finn-plus's ``partitioning.yaml``
for several FPGAs: a line ``<layer>: <device>`` for each layer, in network order. And a parent ONNX, whose
partitions have ``device_id`` and ``slr``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from shellgen.errors import InputError, Problem
from shellgen.read.finn_onnx import load_model
from vivado_check.formats.data import parse_json
from vivado_check.formats.files import file_text

_LINE = re.compile(r"""\s*["']?(?P<name>[\w.]+)["']?\s*:\s*(?P<device>-?\d+)\s*(#.*)?""")
# FINN's DMA is in partitions of its own, which the shell takes the place of.
_SHELL = re.compile(r"(IODMA|TLastMarker|idma|odma|CheckSum)")


@dataclass(frozen=True)
class Placed:
    """One partition, in network order.

    Attributes:
        device: Number of the FPGA.
        slr: Super logic region, -1 for any.
        names: The layers in it, or its own name.
    """

    device: int
    slr: int
    names: tuple[str, ...]


def read_floorplan(path: Path) -> list[Placed]:
    """Read a floorplan or a partitioning.

    Raises:
        InputError: Neither of the two, or nothing in it but FINN's own shell.
    """
    if path.suffix == ".onnx":
        return _parent(path)
    try:
        text = file_text(path)
    except OSError as error:
        found = f"cannot be read: {error.strerror}"
        raise InputError(Problem(str(path), found, "Name a floorplan or a partitioning of FINN")) from None
    except UnicodeDecodeError:
        raise _neither(path) from None
    placed = _floorplan(path, text) if text.lstrip().startswith("{") else _partitioning(path, text)
    if not placed:
        found = "it places no layer"
        raise InputError(Problem(str(path), found, "Name a floorplan with compute layers"))
    return placed


def _parent(path: Path) -> list[Placed]:
    nodes = load_model(path).partitions
    if not nodes:
        remedy = "Name FINN's dataflow_parent.onnx"
        raise InputError(Problem(str(path), "it has no StreamingDataflowPartition", remedy))
    return [
        Placed(node.integer("device_id", 0) or 0, node.integer("slr", -1) or 0, (node.name,))
        for node in nodes
        if not _SHELL.search(f"{node.name} {node.text('instance_name') or ''}")
    ]


def _neither(path: Path) -> InputError:
    remedy = (
        "Name floorplan.json (slr, partition_id, device_id by layer) or partitioning.yaml (layer: device)"
    )
    return InputError(Problem(str(path), "is neither a floorplan nor a partitioning", remedy))


def _floorplan(path: Path, text: str) -> list[Placed]:
    data: dict[str, Any] = parse_json(text, str(path), "Correct the file")
    defaults = data.pop("Defaults", {})
    if not all(isinstance(entry, dict) for entry in (defaults, *data.values())):
        raise _neither(path)
    fallback = {"slr": -1, "partition_id": 0, "device_id": 0}
    for key in fallback:
        value = defaults.get(key)
        if isinstance(value, list) and value and isinstance(value[0], int):
            fallback[key] = value[0]  # value and operators by turns; the first for all
    layers = []
    for name, entry in data.items():
        values = {key: entry.get(key, default) for key, default in fallback.items()}
        wrong = [key for key, value in values.items() if not isinstance(value, int)]
        if wrong:
            found = f"got {entry[wrong[0]]!r}"
            raise InputError(Problem(f"{path}: {name}.{wrong[0]}", found, "Give a whole number"))
        if not _SHELL.search(name):
            layers.append((name, values))
    whole = all(
        re.fullmatch(r"(StreamingDataflowPartition|GenericPartition)_\d+", name) for name, _ in layers
    )
    if whole:
        return [Placed(entry["device_id"], entry["slr"], (name,)) for name, entry in layers]
    # FINN numbers partitions by enumerating what partition_ids there are.
    placed = []
    for number in sorted({entry["partition_id"] for _, entry in layers}):
        inside = [(name, entry) for name, entry in layers if entry["partition_id"] == number]
        devices = sorted({entry["device_id"] for _, entry in inside})
        if len(devices) > 1:
            found = f"its layers are on devices {', '.join(map(str, devices))}"
            remedy = "Give each device partitions of its own"
            raise InputError(Problem(f"{path}: partition_id {number}", found, remedy))
        slrs = {entry["slr"] for _, entry in inside}
        slr = slrs.pop() if len(slrs) == 1 else -1
        placed.append(Placed(devices[0], slr, tuple(name for name, _ in inside)))
    return placed


def _partitioning(path: Path, text: str) -> list[Placed]:
    """Layers one after the other on a device are a partition, as finn-plus clusters them."""
    layers = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith(("#", "---")):
            continue
        match = _LINE.fullmatch(line)
        if not match:
            raise _neither(path)
        if not _SHELL.search(match["name"]):
            layers.append((match["name"], int(match["device"])))
    return [
        Placed(device, -1, tuple(name for name, _ in group))
        for device, group in groupby(layers, key=lambda layer: layer[1])
    ]
