# SPDX-License-Identifier: BSD-3-Clause
"""Maps that were cut, edited or made for something else: the host's programs say so in one sentence."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import UnionType
from typing import Any, get_args, get_origin

import numpy as np
import pytest
from fake_network import chain, lite, partition, plan_of, spec
from fuzz.mutate import mutate
from host_module import host_module
from pydantic import BaseModel

from shellgen.emit.memory_map import memory_map
from shellgen.model.memory_map import MemoryMap

run, load = host_module("shellgen_run"), host_module("shellgen_load")
bring_up, cards = host_module("shellgen_bring_up"), host_module("shellgen_cards")
core, fields, whole = (
    host_module("shellgen_core"),
    host_module("shellgen_fields"),
    host_module("shellgen_map"),
)
bus = host_module("shellgen_bus")
BOARDS = {"zynq": ("zedboard", {}), "vnx": ("u280", {}), "accl": ("u280", {"platform": "coyote"})}


def map_text(board: str, more: dict[str, str]) -> bytes:
    """The map of two boards of a kind, with a memory on the second."""
    network = chain(partition("p0"), partition("p1", slaves=(lite(0),)))
    nodes = [{"name": f"n{k}", "board": board, "partitions": [k], **more} for k in range(2)]
    return memory_map(plan_of(network, spec(nodes))).to_json().encode()


@pytest.fixture(scope="module")
def maps() -> dict[str, bytes]:
    return {kind: map_text(*board) for kind, board in BOARDS.items()}


def models(kind: type[BaseModel], place: str = "") -> dict[str, set[str]]:
    """Return the fields of a model and of those in it, by their place."""
    found = {place: set(kind.model_fields)}
    for name, field in kind.model_fields.items():
        for inner in _inner(field.annotation):
            found.update(models(inner, f"{place}.{name}"))
    return found


def _inner(annotation: Any) -> list[type[BaseModel]]:
    if get_origin(annotation) is tuple or isinstance(annotation, UnionType) or get_args(annotation):
        return [one for part in get_args(annotation) for one in _inner(part)]
    return [annotation] if isinstance(annotation, type) and issubclass(annotation, BaseModel) else []


def checked(record: Any, place: str = "") -> dict[str, set[str]]:
    """Return the fields that a check looks at, by their place."""
    if not isinstance(record, fields.Record):
        cells = getattr(record, "__closure__", None) or ()
        parts = [cell.cell_contents for cell in cells if callable(cell.cell_contents)]
        return {at: names for part in parts for at, names in checked(part, place).items()}
    found = {place: set(record.fields)}
    for name, check in record.fields.items():
        found.update(checked(check, f"{place}.{name}"))
    return found


def test_every_field_of_the_map_is_checked() -> None:
    """None that is added to the map goes by unseen."""
    known = checked(whole.MAP) | checked(whole.BRING_UP, ".bring_up")
    known[""].add("bring_up")
    assert known == models(MemoryMap)


def test_maps_of_all_platforms_are_whole(maps: dict[str, bytes], tmp_path: Path) -> None:
    for kind, content in maps.items():
        path = tmp_path / f"{kind}.json"
        path.write_bytes(content)
        assert core.read_map(path) == json.loads(content)


@pytest.mark.parametrize(
    ("replicas", "board"),
    [
        ((1, 2), "accl"),  # it lets no streams meet that come by it
        *((count, board) for count in ((1, 2), (1, 2, 1), (1, 2, 3), (1, 1)) for board in ("zynq", "vnx")),
    ],
)
def test_maps_of_boards_that_several_streams_leave(
    replicas: tuple[int, ...], board: str, tmp_path: Path
) -> None:
    """Streams of a network share the port of their link, and merges by number have no pattern."""
    name, more = BOARDS[board]
    ways = 1 if sum(replicas) > 2 else 2
    stream = ((("UINT4", 2, 16),) * ways,) * 2
    nodes = [
        {"name": f"n{k}", "board": name, "partitions": [k], "replicas": count, **more}
        for k, count in enumerate(replicas)
    ]
    parts = (partition(f"p{k}", *stream) for k in range(len(replicas)))
    found = memory_map(plan_of(chain(*parts, streams=ways), spec(nodes))).to_json()
    (tmp_path / "map.json").write_text(found)
    assert core.read_map(tmp_path / "map.json") == json.loads(found)


class Board:
    """Answers any access, and gives memory as long as there is some."""

    def __init__(self, rng: Random) -> None:
        self.bus, self._rng, self._held = self, rng, dict[int, int]()

    def read(self, address: int) -> int:
        return self._held.get(address, self._rng.choice((0, 1, 2, 0xFFFF_FFFF)))

    def write(self, address: int, value: int) -> None:
        self._held[address] = value

    def allocate(self, size: int) -> Any:
        raise bus.HostError(f"{size} bytes are too many")

    mover = allocate


def outcomes(content: bytes, folder: Path, node: str, rng: Random) -> list[tuple[str, Any, str]]:
    """Give a map to all programs; return what each ended with, and what it printed."""
    path = folder / "memory_map.json"
    path.write_bytes(content)
    quick = ["--timeout", "0.001", "--device", "/dev/null"]
    runner = ["--map", str(path), "--input", str(folder / "x.npy"), *quick, "--wait", "0.001"]

    def on_a_board() -> Any:
        try:
            build = core.find_node(core.read_map(path), node)["build_id"]
        except bus.HostError:
            return 2
        return run.main(node, build, runner, board=Board(rng))

    build = "0" * 16
    programs: dict[str, Callable[[], Any]] = {
        "run": lambda: run.main(node, build, [*runner, "--buffers", "/dev/null"]),
        "run on a board": on_a_board,
        "load": lambda: load.main([str(path), "--node", node, "--weights", str(folder), *quick[2:]]),
        "bring-up": lambda: bring_up.main([str(path), *quick, "--set", "communicator=1"]),
        "dry run": lambda: bring_up.main([str(path), "--dry-run"]),
        "cards": lambda: cards.main([str(path), "--show", *quick]),
    }
    found: list[tuple[str, Any, str]] = []
    for name, program in programs.items():
        said, code = io.StringIO(), None
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = program()
            except Exception:
                said.write(traceback.format_exc())
        found.append((name, code, said.getvalue()))
    return found


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.sweep)])
def test_damaged_maps(maps: dict[str, bytes], count: int, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 4)))
    codes: Counter[tuple[str, Any]] = Counter()
    for number in range(count):
        for kind, content in maps.items():
            rng = Random(f"{kind}:{number}")
            seeds = [f"{kind}:{number}:{step}" for step in range(rng.choice((1, 1, 2, 3)))]
            for name, code, said in outcomes(mutate("json", content, seeds), tmp_path, f"n{number % 2}", rng):
                where = f"{name} of {seeds}: {said}"
                assert code in (0, 2), where
                assert "Traceback" not in said, where
                assert all(c.isprintable() or c == "\n" for c in said), where
                assert code == 0 or said.count("\n") <= 1, where
                codes[name, code] += 1
    assert codes["run", 2] == 3 * count
    if count > 100:
        assert codes["dry run", 0] > 0, "damage that leaves a whole map"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[" * 4000, "it is not JSON"),
        (b'{"schema_version": ' + b"[" * 100_000, "it is not JSON"),
        (b'{"schema_version": "\x1b[31m"}', "it is not JSON"),
        (b'{"schema_version": "\\u001b[31m"}', r"schema_version is '\x1b[31m'"),
        (b'{"schema_version": ' + b"9" * 4000 + b"}", "schema_version is 99999"),
        (b"\xff\xfe", "it is not JSON"),
        (b"null", "schema_version is nothing"),
    ],
)
def test_what_is_no_map(text: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "memory_map.json"
    path.write_bytes(text)
    with pytest.raises(bus.HostError) as found:
        core.read_map(path)
    assert said in str(found.value)
    assert str(found.value).isprintable()
    os.mkfifo(tmp_path / "pipe")
    for other in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(bus.HostError, match="it is no file"):
            core.read_map(other)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("run_n0", ["--frames", "0"]),
        ("run_n0", ["--timeout", "1e999"]),
        ("run_n0", ["--nonsense\x1b[2J"]),
        ("shellgen_load", []),
        ("shellgen_bring_up", ["map.json", "--phase", "x\ny"]),
        ("shellgen_cards", ["a", "b"]),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(
    name: str,
    arguments: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", [f"host/{name}.py"])
    programs: dict[str, Callable[[list[str]], Any]] = {
        "run_n0": lambda given: run.main("n0", "0" * 16, given),
        "shellgen_load": load.main,
        "shellgen_bring_up": bring_up.main,
        "shellgen_cards": cards.main,
    }
    with pytest.raises(SystemExit) as ended:
        programs[name](arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{name}: ")
    assert said.endswith("--help lists the options\n")
    assert said[:-1].isprintable()


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (["nodes", 0, "streams", 0, "frame_bytes"], 1e999, "streams[0].frame_bytes is inf, and not a whole"),
        (["nodes", 0, "streams", 0, "frame_bytes"], True, "frame_bytes is True, and not a whole number"),
        (["nodes", 0, "streams", 0, "frame_bytes"], 1, "frame_bytes is 1, and it has 8"),
        (
            ["nodes", 0, "streams", 0, "boundary"],
            "a\x1b[2J",
            r"boundary is 'a\x1b[2J', and not a line of text",
        ),
        (["nodes", 0, "streams", 0, "index"], 1, "streams[0]: its index is 1"),
        (["nodes", 0, "blocks", 0, "name"], "state", "it has no block status"),
        (["nodes", 0, "blocks", 0, "registers", 0, "name"], "magic", "it has no register MAGIC"),
        (["nodes", 0, "blocks", 0, "base"], 1 << 40, "it is not in the window of the core"),
        (["nodes", 0, "dma", 0, "channels", "mm2s", "stream"], 7, "axi_dma_0: there is no stream 7"),
        (["nodes", 0, "dma", 0, "channels", "mm2s", "stream"], 1, "stream 1 goes the other way"),
        (["nodes", 1, "name"], "n0", "nodes has 'n0' twice"),
        (
            ["nodes", 1, "regions", 0, "memory", "row_words"],
            0,
            "row_words is 0, and not a whole number from 1",
        ),
        (["nodes", 1, "regions", 0, "dat"], "../x.dat", "which is not in the folder of the map"),
        (["nodes", 0, "build_id"], "12", "build_id is '12', and not 16 hexadecimal digits"),
    ],
)
def test_one_wrong_field_is_named(
    place: list[Any], value: Any, said: str, maps: dict[str, bytes], tmp_path: Path
) -> None:
    found = json.loads(maps["zynq"])
    at = found
    for step in place[:-1]:
        at = at[step]
    assert place[-1] in at if isinstance(at, dict) else True
    at[place[-1]] = value
    (tmp_path / "memory_map.json").write_text(json.dumps(found))
    with pytest.raises(bus.HostError) as wrong:
        core.read_map(tmp_path / "memory_map.json")
    assert said in str(wrong.value)
    del at[place[-1]]
    (tmp_path / "memory_map.json").write_text(json.dumps(found))
    with pytest.raises(bus.HostError, match=f"has no '{place[-1]}'"):
        core.read_map(tmp_path / "memory_map.json")
