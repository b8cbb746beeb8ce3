# SPDX-License-Identifier: BSD-3-Clause
"""Registers beside the core: in the plan, in all forms of the map, and reached by steps in Python and C."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, one_each, partition, plan_of
from peakrdl_cheader.exporter import CHeaderExporter
from rdl_text import check_plain
from systemrdl.compiler import RDLCompiler
from test_bring_up import Core, Made, host

from shellgen.cli import main
from shellgen.emit.maps import emit_memory_maps
from shellgen.emit.memory_map import memory_map
from shellgen.errors import PlanError
from shellgen.links.base import Site
from shellgen.links.tcp_dma import TcpDma
from shellgen.model import Attachment, Plan, Step, Unit
from shellgen.registers import UNIT_BYTES, block_registers

COUNTS = (("PROBES", 12), ("SOCKETS", 16), ("ARP_ENTRIES", 256))
LAYER = Unit(
    name="networklayer_0",
    block="networklayer",
    addr_bits=13,
    ip="networklayer:{networklayer_0}",
    counts=COUNTS,
)
MAC = Unit(name="cmac_0", block="cmac", addr_bits=13, base=0x8000_0000)
STATUS = 0x204
STEPS = (
    Step(op="write", node="n0", unit="networklayer_0", offset=0x18, value=0xC0A80001),
    Step(op="write", node="n0", unit="networklayer_0", offset=0x1010, value=0),
    Step(op="write", node="n0", unit="networklayer_0", offset=0x1010, value=1),
    Step(
        op="until",
        node="n0",
        unit="cmac_0",
        offset=STATUS,
        value=1,
        mask=1,
        again=2,
        reason=STATUS,
        about="the link is up",
    ),
)


def with_units(patch: pytest.MonkeyPatch, *units: Unit) -> None:
    """Let each attachment of the TCP link have these beside the core."""
    plain = TcpDma.attach

    def attach(self: TcpDma, site: Site) -> tuple[Attachment, ...]:
        return tuple(one.model_copy(update={"units": units}) for one in plain(self, site))

    patch.setattr(TcpDma, "attach", attach)


def planned(steps: tuple[Step, ...] = ()) -> Plan:
    with pytest.MonkeyPatch.context() as patch:
        with_units(patch, LAYER, MAC)
        patch.setattr(TcpDma, "bring_up", lambda *_: steps)
        network = chain(partition("a"))
        return plan_of(network, one_each(network))


def test_the_map_tells_of_them() -> None:
    (node,) = memory_map(planned()).nodes
    layer, mac = node.units
    assert (layer.ip, layer.base, mac.ip, mac.base) == (LAYER.ip, UNIT_BYTES, None, 0x8000_0000)
    assert (layer.size, layer.block) == (0x2000, "networklayer")
    assert layer.register("ID").value == 0x5E771465
    assert node.block("cmac_0") == mac


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        (16, (0x820, 0x8A0, 0x920, 0x9A0)),
        (48, (0x820, 0x9A0, 0xB20, 0xCA0)),
        (63, (0x820, 0xA18, 0xC10, 0xE08)),
    ],
)
def test_the_socket_table_lies_where_vnx_puts_it(rows: int, places: tuple[int, ...]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        counts = (("PROBES", 12), ("SOCKETS", rows), ("ARP_ENTRIES", 256))
        with_units(patch, LAYER.model_copy(update={"counts": counts}))
        network = chain(partition("a"))
        (layer,) = memory_map(plan_of(network, one_each(network))).nodes[0].units
    table = [layer.register(name) for name in ("THEIR_IP", "THEIR_PORT", "MY_PORT", "VALID")]
    assert tuple(register.offset for register in table) == places
    assert {(register.stride, register.count) for register in table} == {(8, rows)}
    assert layer.register("PACKETS_LOW").elements[11] == ("PACKETS_LOW_11", 0x518)
    assert [layer.register(name).count for name in ("ARP_VALID", "ARP_IP", "ARP_MAC")] == [64, 256, 512]


def test_no_bitstream_depends_on_them() -> None:
    network = chain(partition("a"))
    assert planned().nodes[0].build_id == plan_of(network, one_each(network)).nodes[0].build_id


def test_rdl_and_header_compile(tmp_path: Path) -> None:
    texts = {artifact.path: artifact.content for artifact in emit_memory_maps(planned(STEPS))}
    (tmp_path / "map.rdl").write_bytes(texts["memory_map.rdl"])
    compiler = RDLCompiler()
    compiler.compile_file(str(tmp_path / "map.rdl"))
    top = compiler.elaborate(top_def_name="cluster_cluster").top
    (entry,) = memory_map(planned()).nodes
    for unit in entry.units:
        for register in unit.registers:
            for index, (told, offset) in enumerate(register.elements):
                name = f"{register.name}[{index}]" if register.stride == 4 else told
                found: Any = top.find_by_path(f"{unit.name}_n0.{name}")
                assert found.absolute_address == unit.base + offset, name
    assert check_plain(top) > 20
    CHeaderExporter().export(compiler.elaborate(top_def_name="n0_cmac_0_map").top, str(tmp_path / "cmac.h"))
    (tmp_path / "memory_map.h").write_bytes(texts["memory_map.h"])
    (tmp_path / "use.c").write_text(
        '#include "memory_map.h"\n#include <stdio.h>\nint main(void)\n{\n    const struct shellgen_node *n = '
        "shellgen_nodes[0];\n"
        '    printf("%s %s %llx %llx %x %x\\n", n->bus, n->unit[0].ip, (unsigned long long)n->unit[1].base, '
        "(unsigned long long)SHELLGEN_N0_NETWORKLAYER_0, SHELLGEN_NETWORKLAYER_MY_PORT, "
        "SHELLGEN_CMAC_STAT_RX_STATUS_REMOTE_FAULT_MASK);\n    return 0;\n}\n"
    )
    program = str(tmp_path / "use")
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-const-variable"]
    subprocess.run(["gcc", *strict, str(tmp_path / "use.c"), "-o", program], check=True)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert said == "devmem networklayer:{networklayer_0} 80000000 100000000 920 20\n"


def test_map_shows_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for artifact in emit_memory_maps(planned(STEPS)):
        if artifact.path.endswith("memory_map.json"):
            (tmp_path / artifact.path).parent.mkdir(exist_ok=True)
            (tmp_path / artifact.path).write_bytes(artifact.content)
    assert main(["map", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "networklayer:{networklayer_0}" in said.replace("\n", "")
    assert "0x100000000" in said


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ((LAYER, LAYER), "unit networklayer_0 of .* has the name of a window"),
        ((LAYER.model_copy(update={"name": "base"}),), "has a name that the memory map needs"),
        (
            (LAYER.model_copy(update={"counts": ()}),),
            "registers CYCLES_LOW of networklayer need to know PROBES",
        ),
        ((MAC.model_copy(update={"addr_bits": 12}),), "block cmac has 13 address bits, and the window 12"),
        ((MAC.model_copy(update={"block": "nothing"}),), "nothing/registers.json: there is no such file"),
    ],
)
def test_units_that_cannot_be(monkeypatch: pytest.MonkeyPatch, units: tuple[Unit, ...], said: str) -> None:
    with_units(monkeypatch, *units)
    network = chain(partition("a"))
    with pytest.raises(PlanError, match=said):
        plan_of(network, one_each(network))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"offset": 0x200C}, "offset 0x200c lies beyond the 8192 bytes of cmac_0 of n0"),
        ({"offset": 0x24, "op": "write", "again": 0, "reason": None}, "VERSION of cmac is written"),
        ({"reason": 0x2B0}, "STAT_PM_TICK of cmac is waited for, and it cannot be read"),
        ({"again": 4}, "repeats the 4 steps before it: there are 3"),
        ({"node": "n1"}, "there is no node n1"),
    ],
)
def test_steps_that_cannot_be(change: dict[str, Any], said: str) -> None:
    bad = Step(**{**STEPS[-1].model_dump(), **change})
    with pytest.raises(PlanError, match=said):
        planned((*STEPS[:-1], bad))


def test_every_unit_of_ours_is_read() -> None:
    assert block_registers("cmac").address_bits == block_registers("networklayer").address_bits == 13


class Card(Core):
    """A core with units beside it; the link comes up when the discovery has been started three times."""

    def __init__(self, entry: dict[str, Any], log: list[tuple[str, str, int, int]]) -> None:
        super().__init__(entry, log)
        self.started, self.enough, self.kept = 0, 3, 0x41

    def write(self, address: int, value: int) -> None:
        self.started += address == UNIT_BYTES + 0x1010 and value == 1
        super().write(address, value)

    def read(self, address: int) -> int:
        if address == 0x8000_0000 + STATUS:
            return 0x21 if self.started >= self.enough else self.kept & ~1
        return super().read(address)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    with pytest.MonkeyPatch.context() as patch:
        with_units(patch, LAYER, MAC)
        return Made(tmp_path_factory.mktemp("units"), 4, STEPS, Card)


def test_writes_are_done_again_until_it_is_so(made: Made) -> None:
    *said, done, log = made.both(given={}, timeout=2.0)  # a tenth of it from one try to the next
    assert (said, done) == (["", ""], 4)
    writes = [(address - UNIT_BYTES, value) for _, what, address, value in log if what == "write"]
    assert writes == [(0x18, 0xC0A80001), *[(0x1010, 0), (0x1010, 1)] * 3]


def test_why_it_never_was_is_told(made: Made) -> None:
    def never(cores: list[Card]) -> None:
        cores[0].enough = 1000

    first, second, done, _ = made.both(given={}, change=never, timeout=0.05)
    assert first == second
    assert done == 0
    assert first == (
        "n0: cmac_0.STAT_RX_STATUS at 0x80000204: read 0x00000040, wanted 0x00000001 in the bits 0x00000001 "
        "within 0.05 s: the link is up; cmac_0.STAT_RX_STATUS reads 0x00000040: nothing useful is received"
    )


def test_a_map_without_reasons_is_not_read(made: Made, tmp_path: Path) -> None:
    """The schema has a number of its own."""
    old = json.loads((made.folder / "memory_map.json").read_text()) | {
        "schema_version": "shellgen-memory-map-4"
    }
    (tmp_path / "old.json").write_text(json.dumps(old))
    with pytest.raises(host.HostError, match="schema_version is 'shellgen-memory-map-4'"):
        host.read_map(tmp_path / "old.json")
