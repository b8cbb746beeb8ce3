# SPDX-License-Identifier: BSD-3-Clause
"""Steps before the first frame: in the map, and done by the program in Python and the library alike."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, one_each, partition, plan_of
from host_library import library, use_library
from host_module import FOLDER, host_module
from load_board import MAGIC
from wide_platform import wide_plan

from shellgen.emit.host import BRING_UP, emit_host
from shellgen.emit.maps import emit_memory_maps
from shellgen.errors import PlanError
from shellgen.links.tcp_dma import TcpDma
from shellgen.model import Plan, Step
from shellgen.model.memory_map import MemoryMap
from shellgen_host.errors import HostError
from shellgen_host.native import NativeNode
from shellgen_host.native import bring_up as native_bring_up

host = host_module("shellgen_bring_up")
SCRATCH, CONTROL = 0x1C, 0x18
STEPS = (
    Step(op="write", node="n0", unit="status", offset=SCRATCH, value="address", about='who "it" is'),
    Step(op="until", node="n0", unit="status", offset=CONTROL, value=0xF0, mask=0x30, about="it is up"),
    Step(op="write", node="n1", unit="status", offset=SCRATCH, value=7),
    Step(op="barrier", about="all know each other"),
    Step(op="until", node="n1", unit="status", offset=CONTROL, value="peers"),
    Step(op="write", node="n0", unit="status", offset=SCRATCH, value=0xFFFFFFFF),
)


class Core:
    """The status registers of a core; what is waited for comes after some reads."""

    def __init__(self, entry: dict[str, Any], log: list[tuple[str, str, int, int]]) -> None:
        (status,) = (block for block in entry["blocks"] if block["name"] == "status")
        at = {r["name"]: status["base"] + r["offset"] for r in status["registers"]}
        build = int(entry["build_id"], 16)
        self.name, self.log, self.control, self.scratch = entry["name"], log, at["CONTROL"], at["SCRATCH"]
        fixed = ("MAGIC", MAGIC), ("BUILD_ID_LOW", build & 0xFFFFFFFF), ("BUILD_ID_HIGH", build >> 32)
        self.words = {at[name]: value for name, value in fixed}
        self.reads_left, self.ready = 3, 0x1234 if self.name == "n1" else 0x38
        self.broken: int | None = None

    def read(self, address: int) -> int:
        if address == self.broken:
            raise host.BusError(address, "SLVERR")
        value = self.words.get(address, 0)
        if address == self.control:
            self.reads_left -= 1
            value = 0 if self.reads_left > 0 else self.ready
        self.log.append((self.name, "read", address, value))
        return value

    def write(self, address: int, value: int) -> None:
        if address == self.broken:
            raise host.BusError(address, "SLVERR")
        self.log.append((self.name, "write", address, value))


class Made:
    """A cluster of two nodes in a folder."""

    def __init__(
        self, folder: Path, slot: int, steps: tuple[Step, ...] = STEPS, core: type[Core] = Core
    ) -> None:
        self.folder, self.core = folder, core
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TcpDma, "bring_up", lambda *_: steps)
            network = chain(partition("a"), partition("b"))
            nodes: list[dict[str, object]] = [
                {"name": f"n{k}", "board": "zedboard", "partitions": [k]} for k in range(2)
            ]
            self.plan = wide_plan(patch, network, nodes, {"n0", "n1"} if slot == 8 else set())
            for artifact in (*emit_memory_maps(self.plan), *emit_host(self.plan)):
                path = folder / artifact.path
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(artifact.content)
        self.map = host.read_map(folder / "memory_map.json")
        use_library(library())

    def python(self, cores: list[Core], phase: int, given: dict[str, int], timeout: float) -> tuple[str, int]:
        buses, patience = {core.name: core for core in cores}, host.Patience(timeout)
        try:
            return "", len(host.bring_up(self.map, buses, phase or None, given, patience))
        except host.HostError as error:
            return str(error), 0

    def cpp(self, cores: list[Core], phase: int, given: dict[str, int], timeout: float) -> tuple[str, int]:
        path, answered = self.folder / "memory_map.json", (host.BusError,)
        nodes = [NativeNode(path, core.name, bus=core, answered=answered) for core in cores]
        try:
            return "", native_bring_up(nodes, given, phase=phase, timeout=timeout)
        except HostError as error:
            return str(error), 0
        finally:
            for node in nodes:
                node.close()

    def both(
        self,
        nodes: tuple[int, ...] = (0, 1),
        phase: int = 0,
        given: dict[str, int] | None = None,
        change: Callable[[list[Any]], object] = lambda _: None,
        timeout: float = 10.0,
    ) -> tuple[str, str, int, list[tuple[str, str, int, int]]]:
        """Let both do the same: what each says, the steps they did, and the accesses, which must be equal."""
        found = []
        for program in (self.python, self.cpp):
            log: list[tuple[str, str, int, int]] = []
            cores = [self.core(self.map["nodes"][index], log) for index in nodes]
            change(cores)
            told = program(
                cores, phase, {"address": 0xC0A80001, "peers": 0x1234} if given is None else given, timeout
            )
            found.append((told, log))
        (first, log), (second, other) = found
        assert first[1] == second[1]
        if "within" not in first[0]:  # how often a register is read until the time is up is a matter of speed
            assert log == other
        return first[0], second[0], first[1], log


@pytest.fixture(scope="module", params=[4, 8], ids=["slot4", "slot8"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("up"), request.param)


def test_the_map_has_them(made: Made) -> None:
    whole = MemoryMap.model_validate_json((made.folder / "memory_map.json").read_text()).bring_up
    assert whole
    assert (whole.nodes, whole.values) == (("n0", "n1"), ("address", "peers"))
    node = made.map["nodes"][1]
    slot = node["slot_bytes"]
    (status,) = (block for block in node["blocks"] if block["name"] == "status")
    step = whole.steps[4]
    assert (step.place, step.address) == ("status.CONTROL", status["base"] + CONTROL // 4 * slot)
    own = MemoryMap.model_validate_json((made.folder / "n1" / "memory_map.json").read_text()).bring_up
    assert own
    assert (own.nodes, own.values) == (whole.nodes, ("peers",))
    assert own.steps == tuple(step for step in whole.steps if step.node != "n0")


def test_nothing_where_nothing_is_to_be_done() -> None:
    network = chain(partition("a"))
    plan: Plan = plan_of(network, one_each(network))
    texts = {artifact.path: artifact.content for artifact in (*emit_memory_maps(plan), *emit_host(plan))}
    assert not {f"host/{name}" for name in BRING_UP} & set(texts)
    assert "bring_up" not in json.loads(texts["memory_map.json"])
    assert b"shellgen_step" not in texts["memory_map.h"]


def test_both_do_the_same(made: Made) -> None:
    *said, done, log = made.both()
    assert (said, done) == (["", ""], 5)
    acts = [(node, what, value) for node, what, _, value in log]
    builds = [what for _, what, _ in acts[:6]]
    assert builds == ["read"] * 6, "the builds of both cores come first"
    assert acts[6:] == [
        ("n0", "write", 0xC0A80001),
        *[("n0", "read", 0)] * 2,
        ("n0", "read", 0x38),
        ("n1", "write", 7),
        *[("n1", "read", 0)] * 2,
        ("n1", "read", 0x1234),
        ("n0", "write", 0xFFFFFFFF),
    ]
    parts = [made.both(nodes, phase) for phase in (1, 2) for nodes in ((0,), (1,))]
    assert [part[2] for part in parts] == [2, 1, 1, 1]
    rest = [access for *_, part in parts for access in part if access[1] == "write"]
    assert sorted(rest) == sorted(access for access in log if access[1] == "write")


def slow(cores: list[Core]) -> None:
    cores[0].ready = 0x18


def other_build(cores: list[Core]) -> None:
    cores[1].words = dict.fromkeys(cores[1].words, MAGIC)


def broken(cores: list[Core]) -> None:
    cores[1].broken = cores[1].scratch


@pytest.mark.parametrize(
    ("options", "said", "writes"),
    [
        (
            {"change": slow, "timeout": 0.05},
            "read 0x00000018, wanted 0x00000030 in the bits 0x00000030 within 0.05 s: it is up",
            1,
        ),
        ({"change": other_build}, f"n1: the core is build {MAGIC:08x}{MAGIC:08x}", 0),
        ({"change": broken}, "n1: status.SCRATCH at 0x", 1),
        ({"given": {"peers": 1}}, "no value is given for address", 0),
        ({"phase": 3}, "phase 3: there are 2, from 1", 0),
        ({"nodes": (0,)}, "there are 2 phases, and other nodes must keep up", 0),
    ],
)
def test_what_stops_them(made: Made, options: dict[str, Any], said: str, writes: int) -> None:
    *texts, done, log = made.both(**options)
    assert done == 0
    assert all(said in text for text in texts), texts
    assert sum(what == "write" for _, what, _, _ in log) == writes
    if "change" in options and options["change"] is slow:
        assert all(text.startswith("n0: status.CONTROL at 0x") for text in texts)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"offset": 0x10, "op": "write"}, "STREAMS of shell_status is written, and it can only be read"),
        ({"offset": 0x3C}, "shell_status has no register at 0x3c, and status of n0 is one"),
        ({"unit": "a_s_axilite_0"}, "node n0 has no window a_s_axilite_0; it has status"),
    ],
)
def test_a_step_that_cannot_be_done(monkeypatch: pytest.MonkeyPatch, step: dict[str, Any], said: str) -> None:
    bad = Step(**{"op": "until", "node": "n0", "unit": "status", **step})
    monkeypatch.setattr(TcpDma, "bring_up", lambda *_: (bad,))
    network = chain(partition("a"))
    with pytest.raises(PlanError, match=said):
        plan_of(network, one_each(network))


def test_command_lines(made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The program in Python and the library, with a node's own map; a file stands for /dev/mem."""
    node = made.map["nodes"][0]
    base = node["base"]
    moved = json.loads((made.folder / "n0" / "memory_map.json").read_text())
    for entry in (*moved["nodes"], *moved["nodes"][0]["blocks"]):
        entry["base"] -= base
    moved["nodes"][0]["dma"] = []
    for step in moved["bring_up"]["steps"]:
        step["address"] = step["address"] - base if step["node"] else None
    (tmp_path / "map.json").write_text(json.dumps(moved))
    core = Core(node, [])
    image = bytearray(node["span"])
    for place, value in {**core.words, core.control: core.ready}.items():
        image[place - base : place - base + 4] = value.to_bytes(4, "little")

    def run(*arguments: str, memory: bytes = bytes(image)) -> tuple[int, str]:
        (tmp_path / "mem").write_bytes(memory)
        code = host.main([str(tmp_path / "map.json"), *arguments, "--device", str(tmp_path / "mem")])
        read = capsys.readouterr()
        assert not code or len(read.err.splitlines()) == 1, read
        return code, read.out + read.err

    def native(memory: bytes = bytes(image), given: dict[str, int] | None = None, **how: Any) -> str:
        (tmp_path / "mem").write_bytes(memory)
        try:
            with NativeNode(tmp_path / "map.json", "n0", registers=tmp_path / "mem") as opened:
                return str(native_bring_up([opened], given, **how))
        except HostError as error:
            return str(error)

    def written() -> bytes:
        return (tmp_path / "mem").read_bytes()[core.scratch - base :][:4]

    code, told = run("--phase", "1", "--set", "address=0xc0a80001")
    assert (code, "2 steps" in told, written()) == (0, True, bytes.fromhex("0100a8c0"))
    assert native(given={"address": 0xC0A80001}, phase=1) == "2"
    assert written() == bytes.fromhex("0100a8c0")
    shown = run("--phase", "1", "--dry-run", memory=b"")[1]
    assert shown.splitlines()[0].endswith(': write = address, who "it" is')
    assert shown.splitlines()[1].endswith(": until = 0x000000f0 in the bits 0x00000030, it is up")
    listed = [sys.executable, str(FOLDER / "shellgen_bring_up.py"), str(tmp_path / "map.json"), "--dry-run"]
    piped = f"{shlex.join(listed)} --phase 1 --timeout 5 | (exec 0<&-; sleep 0.2)"
    ran = subprocess.run(["bash", "-o", "pipefail", "-c", piped], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    for wrong, said in (
        (["--phase", "1"], "no value is given for address"),
        (["--set", "address=1"], "other nodes must keep up"),
        (["--phase", "0"], "--phase 0"),
        (["--phase", "1", "--set", "adress=1"], "not name"),
        (["--phase", "1", "--set", "address=0x100000000"], "a value has 32 bits"),
        (["--phase", "1", "--set", "address"], "give it as NAME=VALUE"),
        (["--phase", "1", "--set", "address=1", "--timeout", "0"], "--timeout 0"),
    ):
        code, told = run(*wrong)
        assert (code, said in told) == (2, True), told
    for given, how, said in native_refusals():
        assert said in native(given=given, **how)
    code, told = run("--phase", "1", "--set", "address=1", memory=bytes(len(image)))
    assert (code, "no shellgen core at" in told) == (2, True), told
    assert "no shellgen core at" in native(bytes(len(image)), {"address": 1}, phase=1)


def native_refusals() -> list[tuple[dict[str, int], dict[str, Any], str]]:
    """Return values, other arguments and what the library says of them."""
    return [
        ({}, {"phase": 1}, "no value is given for address"),
        ({"address": 1}, {}, "other nodes must keep up"),
        ({"address": 1}, {"phase": 3}, "phase 3: there are 2, from 1"),
        ({"adress": 1}, {"phase": 1}, "the map does not name adress"),
        ({"address": 1 << 32}, {"phase": 1}, "address: a value has 32 bits"),
        ({"address": 1}, {"phase": 1, "timeout": -1.0}, "timeout: it is no number of seconds"),
        ({"address": 1}, {"phase": 1, "timeout": float("nan")}, "timeout: it is no number of seconds"),
    ]


def test_a_barrier_of_the_program(made: Made) -> None:
    """It is asked between the phases; where it fails, nothing behind it is done."""
    log: list[tuple[str, str, int, int]] = []
    core, path, asked = Core(made.map["nodes"][0], log), made.folder / "memory_map.json", list[int]()
    behind = ("n0", "write", core.scratch, 0xFFFFFFFF)
    with NativeNode(path, "n0", bus=core, answered=(host.BusError,)) as node:
        values = {"address": 5, "peers": 1}
        assert native_bring_up([node], values, barrier=lambda: asked.append(len(log))) == 3
        assert log[asked[0] :] == [behind]
        log.clear()
        with pytest.raises(ZeroDivisionError):
            native_bring_up([node], values, barrier=lambda: 1 // 0)
        assert behind not in log
        with pytest.raises(HostError, match="nodes: n0 is there twice"):
            native_bring_up([node, node], values)
