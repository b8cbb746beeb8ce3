# SPDX-License-Identifier: BSD-3-Clause
"""Cards behind XRT: the programs of the host open the core and the kernels beside it by what the map says.

XRT itself is replaced by the headers in xrt_stand_in, modelled on its own: registers are files.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, one_each, partition, plan_of
from host_library import library, use_library
from host_module import host_module
from load_board import MAGIC
from test_units import LAYER, with_units
from xrt_library import build_library

from shellgen.emit.host import XRT, emit_host
from shellgen.emit.maps import emit_memory_maps
from shellgen.links.tcp_dma import TcpDma
from shellgen.model import Artifact, HostWindow, Step
from shellgen.platforms.host_side import HostSide
from shellgen.platforms.zynq import Zynq
from shellgen_host.errors import HostError
from shellgen_host.native import NativeNode
from shellgen_host.native import bring_up as native_bring_up

opens, bring_up, load = (host_module(f"shellgen_{name}") for name in ("open", "bring_up", "load"))
xrt = host_module("shellgen_xrt")
KERNEL = "n0_kernel:{core_0}"
SCRATCH = 0x1C
STEPS = (
    Step(op="write", node="n0", unit="status", offset=SCRATCH, value=5),
    Step(op="write", node="n0", unit="networklayer_0", offset=0x18, value=0xC0A8000A, about="its address"),
    Step(op="until", node="n0", unit="networklayer_0", offset=0x7C, value=0x5E771465),
)


def emitted() -> tuple[Artifact, ...]:
    """Maps and programs for a board that hangs on XRT; what it is otherwise does not matter to them."""
    with pytest.MonkeyPatch.context() as patch:
        with_units(patch, LAYER)
        patch.setattr(TcpDma, "bring_up", lambda *_: STEPS)
        patch.setattr(Zynq, "window", lambda *_: HostWindow(base=0, bytes=0x10000, bus="xrt"))
        patch.setattr(Zynq, "check", lambda *_: [])
        patch.setattr(Zynq, "host_side", lambda *_: HostSide(ip=KERNEL))
        network = chain(partition("a"))
        plan = plan_of(network, one_each(network))
        return (*emit_memory_maps(plan), *emit_host(plan))


class Card:
    """A card of the stub, with the map of its node, and the library that reaches it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "out"
        self.out.mkdir()
        for artifact in emitted():
            (self.out / artifact.path).parent.mkdir(exist_ok=True)
            (self.out / artifact.path).write_bytes(artifact.content)
        self.map = json.loads((self.out / "memory_map.json").read_text())
        self.library = build_library(self.out / "host", self.out / "host")
        (folder / "n0.xclbin").write_text("xclbin2 of n0\n")

    def fresh(self, folder: Path, name: str = "0") -> Path:
        """Put a card into a folder; return its own folder."""
        card = folder / name
        card.mkdir(parents=True)
        (card / "loaded").write_text("")
        (node,) = self.map["nodes"]
        core = bytearray(node["span"])
        (status,) = (block for block in node["blocks"] if block["name"] == "status")
        build = int(node["build_id"], 16)
        told = {"MAGIC": MAGIC, "BUILD_ID_LOW": build & 0xFFFFFFFF, "BUILD_ID_HIGH": build >> 32}
        for register in status["registers"]:
            at = status["base"] + register["offset"]
            core[at : at + 4] = told.get(register["name"], 0).to_bytes(4, "little")
        (card / "n0_kernel:core_0").write_bytes(core)
        layer = bytearray(0x2000)
        layer[0x7C:0x80] = (0x5E771465).to_bytes(4, "little")
        (card / "networklayer:networklayer_0").write_bytes(layer)
        return card


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Card:
    return Card(tmp_path_factory.mktemp("xrt"))


@pytest.fixture
def place(card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STAND_IN", str(tmp_path))
    monkeypatch.setattr(xrt, "LIBRARY", card.library)
    return card.fresh(tmp_path)


def register(path: Path, at: int) -> int:
    return int.from_bytes(path.read_bytes()[at : at + 4], "little")


def test_files_that_it_needs_are_emitted(card: Card) -> None:
    assert {path.name for path in (card.out / "host").iterdir()} >= set(XRT)
    network = chain(partition("a"))
    assert not {f"host/{name}" for name in XRT} & {
        a.path for a in emit_host(plan_of(network, one_each(network)))
    }
    (node,) = card.map["nodes"]
    assert (node["bus"], node["ip"]) == ("xrt", KERNEL)


def test_the_core_and_what_is_beside_it(card: Card, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(card.out / "memory_map.json"), "--xclbin", str(card.folder / "{node}.xclbin")]
    assert bring_up.main(arguments) == 0, capsys.readouterr().err
    assert capsys.readouterr().out == "n0: 3 steps done\n"
    assert register(place / "networklayer:networklayer_0", 0x18) == 0xC0A8000A
    assert (place / "loaded").read_text() == "xclbin2 of n0\n"


def test_by_the_library_as_well(card: Card, place: Path, tmp_path: Path) -> None:
    use_library(library("files"))
    path, image = card.out / "memory_map.json", card.folder / "n0.xclbin"

    def run(node: str = "n0", **options: Any) -> int:
        with NativeNode(path, node, **options) as opened:
            return native_bring_up([opened])

    assert run(xclbin=image) == 3
    assert register(place / "networklayer:networklayer_0", 0x18) == 0xC0A8000A
    for options, said in (
        ({}, "xclbin: it is missing; give the bitstream of card n0"),
        ({"xclbin": image, "device": "7"}, "device 7: Could not open device with index '7'"),
        ({"xclbin": tmp_path}, "failed to load xclbin"),
        ({"xclbin": image, "node": "n7"}, "there is no node n7; it has n0"),
        ({"xclbin": image, "buffers": "x"}, "buffers: node n0 is a card; give its device"),
    ):
        with pytest.raises(HostError, match=said.replace("(", ".")):
            run(**options)
    (place / "networklayer:networklayer_0").write_bytes(bytes(0x10))
    said = r"n0: networklayer_0.IP_ADDRESS at 0x100000018: n0: Cannot read or write outside ip register space"
    with pytest.raises(HostError, match=said):
        run(xclbin=image)
    (place / "networklayer:networklayer_0").unlink()
    with pytest.raises(HostError, match=r"No IP matching 'networklayer:\{networklayer_0\}'"):
        run(xclbin=image)
    use_library(library())
    with pytest.raises(HostError, match=r"n0 is a card behind XRT, and this .* was compiled without; source"):
        run(xclbin=image)


def test_weights_are_loaded_through_it(card: Card, place: Path, tmp_path: Path) -> None:
    """By the loader's own main, up to what is wrong with the files: there is no memory in this core."""
    arguments = [str(card.out / "memory_map.json"), "--node", "n0", "--weights", str(tmp_path)]
    assert load.main([*arguments, "--xclbin", str(card.folder / "n0.xclbin"), "--device", "0"]) == 0
    assert (place / "loaded").read_text() == "xclbin2 of n0\n"


def entries(card: Card, *changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return entries of nodes n0, n1 and so on."""
    found = []
    for index, change in enumerate(changes):
        entry = copy.deepcopy(card.map["nodes"][0])
        found.append(entry | {"name": f"n{index}"} | change)
    return found


@pytest.mark.parametrize(
    ("changes", "device", "xclbin", "said"),
    [
        (({},), [], [], "n0: say what the card runs: --xclbin n0=FILE"),
        (({}, {}), ["0"], ["{node}.xclbin"], "--device: n0 and n1 are both on card 0"),
        (({}, {}), ["n0=0"], ["x"], "n1: say which card it is: --device n0=... --device n1=..., as xbutil"),
        (({},), ["n2=0"], ["x"], "--device n2=0: there is no node n2 here; there is n0"),
        (({},), ["n0="], ["x"], "--device n0=: give it as NODE=VALUE"),
        (({"bus": "devmem"},), [], ["x"], "--xclbin: n0 hangs on no XRT; it is reached by /dev/mem"),
        (
            ({"bus": "other"},),
            [],
            [],
            "n0: its bus is other, and this program knows devmem and xrt; import it",
        ),
        (
            ({"bus": "coyote", "vfpga": {"region": 0}},),
            [],
            [],
            "n0: its bus is coyote, and this program knows devmem and xrt; shellgen-node does it",
        ),
    ],
)
def test_places_that_are_not_told(
    card: Card, changes: Any, device: list[str], xclbin: list[str], said: str
) -> None:
    with pytest.raises(opens.HostError, match="^" + said.replace(".", r"\.").replace("{", r"\{")):
        opens.ways(entries(card, *changes), Namespace(device=device, xclbin=xclbin))


def test_places_of_a_mixed_cluster(card: Card) -> None:
    told = entries(card, {}, {"bus": "devmem"}, {})
    options = Namespace(device=["n0=0000:65:00.1", "n2=1"], xclbin=["n0=out/{node}.xclbin", "n2=b"])
    assert opens.ways(told, options) == {
        "n0": ("0000:65:00.1", "out/n0.xclbin"),
        "n1": ("/dev/mem", None),
        "n2": ("1", "b"),
    }


def test_a_bus_with_a_driver(card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of the platform opens it; what that module lacks is named."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "shellgen_bus_pci.py").write_text(
        "def open_bus(entry, device):\n return entry['name'], device\n"
    )
    (tmp_path / "shellgen_bus_usb.py").write_text("import no_such_library\n")
    told = entries(card, {"bus": "pci"}, {"bus": "pci"}, {"bus": "devmem"})
    found = opens.open_buses(told[:2], Namespace(device=["n1=slot 4"], xclbin=[]))
    assert found == {"n0": ("n0", None), "n1": ("n1", "slot 4")}
    with pytest.raises(opens.HostError, match="--xclbin: n0 hangs on no XRT; it is reached by bus pci"):
        opens.ways(told, Namespace(device=[], xclbin=["n0=x"]))
    with pytest.raises(opens.HostError, match=r"shellgen_bus_usb.py needs the Python module no_such_library"):
        opens.ways(entries(card, {"bus": "usb"}), Namespace(device=[], xclbin=[]))
    with pytest.raises(opens.HostError, match=r"^shellgen_bus_pci.py has no open_board\(\): docs/host.md"):
        opens.through(opens.driver("pci"), "open_board", told[0], None)
    (tmp_path / "shellgen_bus_bad.py").write_text("def open_bus(entry, device):\n return entry[device]\n")
    with pytest.raises(opens.HostError, match=r"^shellgen_bus_bad.py: open_bus raised KeyError: 'x'; tell"):
        opens.open_bus(told[0] | {"bus": "bad"}, "x", None)
    for bus in ("../pci", "pci.x", ""):
        assert opens.driver(bus) is None


def test_what_xrt_says_is_told(card: Card, place: Path, tmp_path: Path) -> None:
    (entry,) = card.map["nodes"]
    image = card.folder / "n0.xclbin"
    with pytest.raises(opens.HostError, match="nowhere: there is no such file"):
        opens.open_bus(entry, "0", tmp_path / "nowhere")
    with pytest.raises(opens.HostError, match=r"n0: device 9, .*Could not open device with index '9'"):
        opens.open_bus(entry, "9", image)
    (tmp_path / "bad").write_text("no xclbin")
    with pytest.raises(opens.HostError, match="failed to load xclbin: Invalid argument"):
        opens.open_bus(entry, "0", tmp_path / "bad")
    bus = opens.open_bus(entry, "0", image)
    with pytest.raises(opens.BusError, match="no kernel has it"):
        bus.read(0x7000_0000_0000)
    (place / "networklayer:networklayer_0").write_bytes(bytes(0x100))
    with pytest.raises(opens.BusError, match="0x100001000 was answered with Cannot read or write outside"):
        bus.read(0x1_0000_1000)
    other = opens.open_bus(entry, "0", image)
    with pytest.raises(opens.HostError, match=r"networklayer:\{networklayer_0\}: failed to open ip context"):
        other.read(0x1_0000_0018)
    bus.close()
    assert other.read(0x1_0000_0018) == 0
    other.close()
    shutil.rmtree(place)


def test_the_library_is_missing(tmp_path: Path) -> None:
    with pytest.raises(opens.HostError, match=r"it is not there; make it by: g\+\+ -std=c\+\+17"):
        xrt.library(tmp_path / "none.so")
    (tmp_path / "bad.so").write_text("")
    with pytest.raises(opens.HostError, match=r"source XRT's setup\.sh first"):
        xrt.library(tmp_path / "bad.so")
    assert os.environ.get("XILINX_XRT") is None, "these tests mean no real card"
