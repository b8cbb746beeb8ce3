# SPDX-License-Identifier: BSD-3-Clause
"""The user's request: boards, limits, a goal, and a folding to keep."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from shellgen.errors import InputError, Problem, one
from shellgen.model import Usage
from shellgen.model.folding import Folding, SplitLayer, SplitNetwork
from shellgen.split.search import Goal
from shellgen.split.task import RESOURCES

MOST_BOARDS = 64
MOST_REPLICAS = 16  # streams of a deal or a gather
# Shares of a device that layers, shell and platform may take: beyond them placement and timing get hard.
LIMITS = {"lut": 0.70, "bram": 0.80, "uram": 0.80, "dsp": 0.80}
_FIELD = {"bram": "bram18"}
_BOARDS = re.compile(r"(?P<name>[^*]+?)(\*(?P<count>\d{1,3}))?")
_LIMIT = re.compile(r"((?P<board>[^:=]+):)?(?P<rest>[^:]+)")
_LAYER = re.compile(r"(?P<kind>\w+?)(_Batch|_hls|_rtl)*_(?P<number>\d+)")
_STYLES = ("auto", "block", "distributed", "ultra")  # of FINN's memories
_RENAMED = {
    "StreamingFCLayer": "MVAU",
    "MatrixVectorActivation": "MVAU",
    "VectorVectorActivation": "VVAU",
    "Vector_Vector_Activate": "VVAU",
    "Concat": "StreamingConcat",
    "Split": "StreamingSplit",
}

Given = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class Synthesis:
    """Resources of the layers of a build after synthesis.

    Attributes:
        takes: By layer, without its FIFOs.
        folding: By layer, as in a folding file.
        where: The file, for messages.
    """

    takes: Mapping[str, Usage]
    folding: Given
    where: str

    def by_folding(self, network: SplitNetwork) -> dict[tuple[str, tuple[tuple[str, int | str], ...]], Usage]:
        """Return the resources by layer and folding.

        Raises:
            InputError: It names no layer of the network, or the folding is illegal.
        """
        takes = {_meant(name)[1]: usage for name, usage in self.takes.items()}
        kept = kept_foldings(network, self.folding, self.where)
        found = {
            (name, tuple(sorted(one_.attributes.items()))): takes[name].model_copy(update={"ff": 0})
            for name, foldings in kept.items()
            for one_ in foldings
            if name in takes
        }
        if not found:
            remedy = "Name the report of a build of this network"
            raise one(InputError, self.where, "it names no layer of the network", remedy)
        return found


@dataclass(frozen=True)
class Wanted:
    """A goal.

    Attributes:
        goal: The most frames a second, the fullest boards, or the least traffic.
        fps: Frames a second that are enough; then the fewest boards.
        folding: By layer, as in a folding file; None where it is to be found.
        limits: Shares of a device by resource, for each board's name; the empty name for all others.
        replicas: The most boards that may have the same layers.
        where: The command line, or the file, for messages.
        measured: Resources of layers in a build, and the folding that it had.
        ultra: Whether weights may lie in UltraRAM, into which somebody must load them.
    """

    goal: Goal = "fps"
    fps: float | None = None
    folding: Given | None = None
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    where: str = "shellgen split"
    replicas: int = MOST_REPLICAS
    measured: Synthesis | None = None
    ultra: bool = False


def board_counts(texts: Sequence[str], where: str) -> list[tuple[str, int]]:
    """Read ``zedboard*2``; the same name twice adds up.

    Raises:
        InputError: There is no board, or no number.
    """
    found: dict[str, int] = {}
    for text in texts:
        if "," in text and not Path(text.strip().partition("*")[0]).exists():
            each = " ".join(f"'{part.strip()}'" for part in text.split(",") if part.strip())
            remedy = f"Give each board as an argument of its own: --boards {each}"
            raise one(InputError, f"{where}: --boards", f"got {text!r}, with a comma", remedy)
        match = _BOARDS.fullmatch(text.strip())
        count = int(match["count"] or 1) if match else 0
        if not match or not 1 <= count <= MOST_BOARDS:
            raise one(
                InputError,
                f"{where}: --boards",
                f"got {text!r}",
                f"Give a board and how many there are, 1 to {MOST_BOARDS}, as in 'zedboard*2'",
            )
        name = match["name"].strip()
        found[name] = found.get(name, 0) + count
    if not found:
        raise one(
            InputError, f"{where}: --boards", "there is no board", "Name one, as in --boards 'zedboard*2'"
        )
    if sum(found.values()) > MOST_BOARDS:
        said = f"these are {sum(found.values())} boards"
        raise one(InputError, f"{where}: --boards", said, f"Name {MOST_BOARDS} boards at most")
    return list(found.items())


def read_limits(texts: Sequence[str], names: Sequence[str], where: str) -> dict[str, dict[str, float]]:
    """Read ``lut=0.3,bram=0.2``, shares that stay free; with ``zedboard:`` before, on this board alone.

    Raises:
        InputError: A resource or a board that is not known, a share outside 0 to 1.
    """
    found: dict[str, dict[str, float]] = {}
    place = f"{where}: --reserve"
    for text in texts:
        match = _LIMIT.fullmatch(text)
        board = (match["board"] or "") if match else ""
        if not match or (board and board not in names):
            known = f"Name one of --boards ({', '.join(names)}) before the colon, or none"
            form = (
                "Give shares as in lut=0.3,bram=0.2; with zedboard: before them, once, they are for it alone"
            )
            raise one(InputError, place, f"got {text!r}", known if match else form)
        for entry in match["rest"].split(","):
            name, _, number = entry.partition("=")
            if name.strip() not in LIMITS:
                remedy = f"Choose from {', '.join(LIMITS)}, as in lut=0.3,bram=0.2"
                raise one(InputError, place, f"there is no resource {name.strip()!r}", remedy)
            try:
                share = float(Fraction(number.strip()))
            except (ValueError, ZeroDivisionError, OverflowError):
                share = -1.0
            if not 0 <= share < 1:
                said = f"{name.strip()}={number.strip()} is no share of a device"
                raise one(
                    InputError, place, said, "Give a number from 0 to less than 1: the share that stays free"
                )
            own = found.setdefault(board, {})
            if name.strip() in own:
                said = f"{name.strip()} is given twice{f' for {board}' if board else ''}"
                raise one(InputError, place, said, "Give one share for each resource")
            own[name.strip()] = 1 - share
    return found


def limits_of(board: str, limits: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the share of each resource that may be taken, by the name in `RESOURCES`."""
    shares = {**LIMITS, **limits.get("", {}), **limits.get(board, {})}
    return {_FIELD.get(name, name): share for name, share in shares.items()}


def room_of(has: Sequence[int], name: str, limits: Mapping[str, Mapping[str, float]]) -> tuple[int, ...]:
    """Return how much may be taken of the resources of a board or a region, in the order of `RESOURCES`."""
    shares = limits_of(name, limits)
    return tuple(int(count * shares[one_] + 1e-9) for count, one_ in zip(has, RESOURCES, strict=True))


def kept_foldings(network: SplitNetwork, given: Given, where: str) -> dict[str, tuple[Folding, ...]]:
    """Return for each layer the foldings that a folding file leaves: one, the ways to store weights aside.

    Raises:
        InputError: Layers that do not exist, and foldings that are illegal for their layer; all of them.
    """
    meant: dict[str, Mapping[str, object]] = {}
    problems: list[Problem] = []
    names = {layer.name for layer in network.layers}
    for name, attributes in given.items():
        if name == "Defaults":
            continue
        kind, own = _meant(name)
        if own in names:
            meant[own] = attributes
        elif kind not in ("StreamingFIFO", "StreamingDataWidthConverter", "IODMA", "TLastMarker"):
            remedy = f"Name layers as `shellgen stitch --layers` does, such as {network.layers[0].name}"
            problems.append(Problem(f"{where}: folding", f"the network has no layer {name}", remedy))
    defaults = given.get("Defaults", {})
    found = {}
    for layer in network.layers:
        wanted = {key: _plain(defaults[key]) for key in layer.limits if key in defaults}
        wanted |= meant.get(layer.name, {})
        found[layer.name], wrong = _left(layer, wanted, f"{where}: folding.{layer.name}")
        problems += wrong
    if problems:
        raise InputError(*problems)
    return found


def by_layer(given: Given) -> dict[str, Mapping[str, object]]:
    """Return the entries of a folding file by the names that layers have here, whatever FINN's age."""
    return {_meant(name)[1]: attributes for name, attributes in given.items()}


def _meant(name: str) -> tuple[str, str]:
    """Return the kind and the name of the layer that a folding file means."""
    match = _LAYER.fullmatch(name)
    kind = _RENAMED.get(match["kind"], match["kind"]) if match else ""
    return kind, f"{kind}_{match['number']}" if match else name


def _plain(value: object) -> object:
    """Return the value of one of FINN's defaults, which come with the operators that they are for."""
    return value[0] if isinstance(value, list | tuple) and value else value


def _left(
    layer: SplitLayer, wanted: Mapping[str, object], where: str
) -> tuple[tuple[Folding, ...], list[Problem]]:
    for key, limit in layer.limits.items():
        value = wanted.get(key, 1)
        if not isinstance(value, int):
            return (), [
                Problem(f"{where}.{key}", f"got {value!r}", f"Give a divisor of {limit}, without quotes")
            ]
        if value < 1 or limit % value:
            found = f"{value} does not divide {limit}, as FINN wants for this {layer.kind}"
            return (), [Problem(f"{where}.{key}", found, "Choose a divisor")]
    style = wanted.get("ram_style")
    if style not in (None, *_STYLES):
        remedy = f"Choose from {', '.join(_STYLES)}"
        return (), [Problem(f"{where}.ram_style", f"got {style!r}, which FINN does not know", remedy)]
    left = [
        one_
        for one_ in layer.foldings
        if all(one_.attributes.get(key) == wanted.get(key, 1) for key in layer.limits)
    ]
    same = [one_ for one_ in left if one_.attributes.get("ram_style", style) == style] or left[:1]
    if not same:
        widths = ", ".join(f"{key} {wanted.get(key, 1)}" for key in layer.limits)
        said = f"{widths}: a weight memory so wide cannot be built"
        return (), [Problem(where, said, "Choose smaller divisors")]
    return tuple(same[:1]), []
