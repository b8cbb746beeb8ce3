# SPDX-License-Identifier: BSD-3-Clause
"""The drawings of a block: ``ip/<block>/wave.json``, a list of WaveJSON drawings with these keys added.

In a drawing:

``title``       the case that it shows
``parameters``  of the block, by name
``constants``   value of inputs that are not drawn, by name; 0 when absent
``stops``       last cycle and message, when the drawing makes the block end the simulation
``edge``        ``"A~>B"`` from mark A to mark B; the tool adds the number of cycles

In a lane, whose name is a port, a bit ``port[3]`` or a slice ``port[15:8]`` of one:

``format``      how labels are numbers: ``name`` (d0, d1: any distinct numbers), ``hex``, ``dec``, ``resp``
``valid``       the signal that says when the lane means something, when its name does not tell (`qualifier`)
``withdrawn``   true: this valid may fall without a transfer, as that of a request which timed out
``mark``        ``{"A": "d0"}``: mark A stands where the lane first shows d0
``period``      of WaveDrom, a whole number of columns; lanes of one clock have the same

A character of a wave is a cycle: what stands between two edges of the clock. Inputs are drawn by hand, the
rest is filled in from simulation (`tools.blocks.pages_sim`): no picture can lie.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LABELLED = "=23456789"
RESPONSES = {"OKAY": 0, "SLVERR": 2, "DECERR": 3}
FORMATS = ("name", "hex", "dec", "resp")

Drawing = dict[str, Any]

__all__ = ["Cell", "Drawing", "Lane", "WaveError", "compress", "dump", "lanes", "load", "qualifier", "values"]


class WaveError(ValueError):
    """A drawing is not what this module describes; the message names lane and remedy."""


@dataclass(frozen=True)
class Cell:
    """Content of a lane in one cycle: ``0``, ``1``, ``x`` or, with a label, one of ``=2`` to ``9``."""

    char: str
    label: str = ""

    def __str__(self) -> str:
        return self.label or self.char


@dataclass
class Lane:
    """A lane of a drawing.

    Attributes:
        raw: The lane in the drawing.
        port: Port of the block.
        high, low: Slice of it; None for the whole port.
    """

    raw: dict[str, Any]
    port: str
    high: int | None
    low: int | None

    @property
    def name(self) -> str:
        """Return the name as drawn."""
        return str(self.raw["name"])

    @property
    def period(self) -> int:
        """Return the columns that a cycle takes."""
        return int(self.raw.get("period", 1))

    @property
    def is_clock(self) -> bool:
        """Tell whether the lane is a clock."""
        return str(self.raw.get("wave", "")).startswith("p")

    @property
    def format(self) -> str:
        """Return how the labels are numbers."""
        chosen = self.raw.get("format", "name" if self.port.endswith("data") else "dec")
        if chosen not in FORMATS:
            raise WaveError(f"{self.name}: format is one of {', '.join(FORMATS)}, not {chosen}")
        return str(chosen)

    def cells(self) -> list[Cell]:
        """Return what the lane shows, cycle by cycle.

        Raises:
            WaveError: A character is not in ``01x.=23456789``, or a label is missing or left over.
        """
        labels = self.raw.get("data", [])
        labels = labels.split() if isinstance(labels, str) else list(labels)
        found: list[Cell] = []
        for char in self.raw.get("wave", ""):
            if char == "." and found:
                found.append(found[-1])
            elif char in "01x":
                found.append(Cell(char))
            elif char in LABELLED and labels:
                found.append(Cell(char, labels.pop(0)))
            else:
                raise WaveError(f"{self.name}: no label for, or no use of, {char!r}")
        if labels:
            raise WaveError(f"{self.name}: the label {labels[0]} has no place")
        return found

    def cut(self, bits: str) -> str:
        """Return the part of the port's bits (most significant first) that the lane shows."""
        if self.high is None or self.low is None:
            return bits
        return bits[len(bits) - 1 - self.high : len(bits) - self.low]


def load(path: Path) -> list[Drawing]:
    """Read the drawings of a block.

    Raises:
        WaveError: There are none.
    """
    if not path.is_file():
        raise WaveError(
            f"{path.parent.name} has no {path.name}: draw its inputs, see tools/blocks/pages_wave.py"
        )
    drawings = json.loads(path.read_text(encoding="ascii"))
    if not isinstance(drawings, list) or not drawings:
        raise WaveError(f"{path.parent.name}/{path.name} is not a list of drawings")
    return drawings


def dump(drawings: Iterable[Drawing]) -> str:
    """Return the text of a file: a line for each key, a line for each lane, waves below each other."""
    return "[\n" + ",\n".join(_dump_drawing(drawing) for drawing in drawings) + "\n]\n"


def _dump_drawing(drawing: Drawing) -> str:
    width = max((len(json.dumps(lane.name)) for lane in lanes(drawing)), default=0)

    def entry(item: Any, indent: str) -> str:
        if isinstance(item, list):
            head = json.dumps(item[0])
            inner = ",\n".join(entry(part, indent + "  ") for part in item[1:])
            return f"{indent}[{head},\n{inner}]"
        if not item:
            return f"{indent}{{}}"
        rest = {key: value for key, value in item.items() if key != "name"}
        if not rest:
            return indent + json.dumps(item)
        name = json.dumps(item["name"]) + ","
        return f'{indent}{{"name": {name:{width + 1}} {json.dumps(rest)[1:]}'

    lines = []
    for key, value in drawing.items():
        if key == "signal":
            inner = ",\n".join(entry(item, "      ") for item in value)
            lines.append(f'    "signal": [\n{inner}\n    ]')
        else:
            lines.append(f"    {json.dumps(key)}: {json.dumps(value)}")
    return "  {\n" + ",\n".join(lines) + "\n  }"


def lanes(drawing: Drawing) -> list[Lane]:
    """Return the lanes, those of groups included, in the order drawn."""

    def walk(items: Iterable[Any]) -> Iterator[Lane]:
        for item in items:
            if isinstance(item, list):
                yield from walk(item[1:])
            elif item:
                match = re.fullmatch(r"(\w+)(?:\[(\d+)(?::(\d+))?\])?", item.get("name", ""))
                if match is None:
                    raise WaveError(f"{item}: the name of a lane is a port, port[bit] or port[high:low]")
                high = None if match[2] is None else int(match[2])
                yield Lane(item, match[1], high, high if match[3] is None else int(match[3]))

    return list(walk(drawing["signal"]))


def qualifier(lane: Lane, ports: Iterable[str]) -> Lane | None:
    """Return the signal that says when a lane means something: its ``valid``, else the valid of its channel.

    Channels are those of AXI4-Stream (``..._t*``) and AXI4-Lite (``..._aw*``, ``w``, ``b``, ``ar``, ``r``).
    """
    name = lane.raw.get("valid")
    if name is None:
        channel = re.fullmatch(r"((?:.*_)?(?:aw|ar|t|w|b|r))(\w+)", lane.port)
        # A vector of valids belongs to several streams: there the lane must say which.
        if channel is None or channel[2] in {"valid", "ready"} or lane.high is not None:
            return None
        name = f"{channel[1]}valid"
        if name not in set(ports):
            return None
    return lanes({"signal": [{"name": name}]})[0]


def values(drawing: Drawing) -> dict[str, int]:
    """Give every label of the named lanes a number: 1, 2, ... in the order drawn."""
    labels = (
        cell.label
        for lane in lanes(drawing)
        if not lane.is_clock and lane.raw.get("wave") and lane.format == "name"
        for cell in lane.cells()
        if cell.label
    )
    return {label: number for number, label in enumerate(dict.fromkeys(labels), 1)}


def number(lane: Lane, cell: Cell, names: Mapping[str, int]) -> int:
    """Return the number that a label of this lane is.

    Raises:
        WaveError: It is none in the format of the lane.
    """
    try:
        if lane.format == "name":
            return names[cell.label]
        if lane.format == "resp":
            return RESPONSES[cell.label]
        return int(cell.label, 16 if lane.format == "hex" else 10)
    except (KeyError, ValueError):
        raise WaveError(f"{lane.name}: {cell.label!r} is no {lane.format} label") from None


def cell_of(lane: Lane, bits: str, names: Mapping[str, int], tint: Mapping[str, str]) -> Cell:
    """Return how a lane shows these bits; the tint of a label is that of the lane where it was drawn.

    Raises:
        WaveError: Some bits are unknown, or a number has no name.
    """
    if len(bits) == 1:
        return Cell(bits)
    if set(bits) == {"x"}:
        return Cell("x")
    if set(bits) - {"0", "1"}:
        raise WaveError(f"{lane.name}: the simulation shows {bits}")
    value = int(bits, 2)
    if lane.format == "name":
        known = {number: label for label, number in names.items()}
        if value and value not in known:
            raise WaveError(f"{lane.name}: {value:#x} is no number that was drawn: use the format hex")
        label = known.get(value, "0")
    elif lane.format == "resp":
        label = {number: name for name, number in RESPONSES.items()}[value]
    else:
        label = f"{value:0{(len(bits) + 3) // 4}x}" if lane.format == "hex" else str(value)
    return Cell(tint.get(label, "="), label)


def compress(cells: Iterable[Cell]) -> tuple[str, list[str]]:
    """Return wave and labels of a lane that shows these cells."""
    wave, labels, last = "", [], None
    for cell in cells:
        if cell == last:
            wave += "."
            continue
        wave += cell.char
        labels += [cell.label] if cell.label else []
        last = cell
    return wave, labels


def tints(drawing: Drawing) -> dict[str, str]:
    """Return the character that stands for a label where it is first drawn."""
    found: dict[str, str] = {}
    for lane in lanes(drawing):
        if not lane.is_clock:
            for cell in lane.cells():
                if cell.label and lane.format in {"name", "hex"}:
                    found.setdefault(cell.label, cell.char)
    return found


def annotate(drawing: Drawing) -> Drawing:
    """Return the drawing with its marks placed and the cycles between them counted.

    Raises:
        WaveError: A mark asks for a label that its lane does not show.
    """
    result = copy.deepcopy(drawing)
    places: dict[str, int] = {}
    for lane in lanes(result):
        lane.raw.pop("node", None)
        for mark, label in lane.raw.get("mark", {}).items():
            shown = [str(cell) for cell in lane.cells()]
            if label not in shown:
                raise WaveError(f"{lane.name}: mark {mark} asks for {label}, which the lane does not show")
            at = shown.index(label)
            places[mark] = at * lane.period
            node = str(lane.raw.get("node", "")).ljust(at + 1, ".")
            lane.raw["node"] = node[:at] + mark + node[at + 1 :]
    for index, edge in enumerate(result.get("edge", [])):
        arrow = edge.split()[0]
        cycles = places[arrow[-1]] - places[arrow[0]]
        count = f"{cycles} cycle{'' if cycles == 1 else 's'}" if cycles else "same cycle"
        result["edge"][index] = f"{arrow} {count}"
    return result
