# SPDX-License-Identifier: BSD-3-Clause
"""Cards over VNx are brought up by the host's own program, on a model of their registers.

What is tried is in simulate_modules/vnx_cards.py, named after what is said of VNx in docs/vnx.md.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, partition, plan_of, spec
from host_module import FOLDER
from test_file_format import ROOT
from test_vnx_plan import cards, loop
from xrt_library import build_library

from shellgen.emit.memory_map import memory_map
from shellgen.errors import PlanError
from shellgen.links.base import Site
from shellgen.links.tcp_dma import TcpDma
from shellgen.links.vnx_udp.addresses import Cage, Row
from shellgen.links.vnx_udp.bring_up import card_steps, units
from shellgen.links.vnx_udp.options import VnxOptions
from shellgen.model import Attachment
from shellgen.resources import data_dir, sim_file
from shellgen.simulate import SIMULATORS, ModelSpec, Simulator, build_model, run_model

pytestmark = pytest.mark.xdist_group("vnx_bring_up")  # one worker runs the cards, for all cases
MODULES = Path(__file__).with_name("simulate_modules")
CASES = tuple(re.findall(r"^@case\nasync def (\w+)", (MODULES / "vnx_cards.py").read_text(), re.MULTILINE))
ROWS = 4
PAIR = tuple(
    Cage(
        node=f"n{k}",
        number=0,
        ip=f"192.168.0.{10 + k}",
        gateway="192.168.0.1",
        mac=f"02:53:c0:a8:00:{10 + k:02x}",
        rows=(Row("a_to_b", f"192.168.0.{11 - k}", 50_000, 50_000),),
        options=VnxOptions(sockets=ROWS),
    )
    for k in range(2)
)


def behind_xrt(folder: Path, told: Any) -> dict[str, str]:
    """Put the cards behind XRT (xrt_stand_in); return where that is."""
    changed = copy.deepcopy(told)
    for index, node in enumerate(changed["nodes"]):
        card = folder / str(index)
        card.mkdir()
        node |= {"bus": "xrt", "ip": f"{node['name']}_kernel:{{core_0}}"}
        kernels = [(node["ip"], node["span"]), *((unit["ip"], unit["size"]) for unit in node["units"])]
        for name, size in (("loaded", 0), *kernels):
            (card / re.sub(r"[{}]", "", name)).write_bytes(bytes(size))
    (folder / "xrt.json").write_text(json.dumps(changed))
    (folder / "n.xclbin").write_text("xclbin2\n")
    library = build_library(FOLDER, folder)
    return {"xrt": str(folder / "xrt.json"), "xclbin": str(folder / "n.xclbin"), "library": str(library)}


def map_of(pair: Sequence[Cage]) -> Any:
    """Return memory_map.json of two boards with these cages; what joins their cores does not matter here."""
    with pytest.MonkeyPatch.context() as patch:
        plain = TcpDma.attach

        def attach(self: TcpDma, site: Site) -> tuple[Attachment, ...]:
            beside = units(0, pair[0].options.sockets)
            return tuple(one.model_copy(update={"units": beside}) for one in plain(self, site))

        patch.setattr(TcpDma, "attach", attach)
        patch.setattr(TcpDma, "bring_up", lambda *_: card_steps(pair))
        nodes: list[dict[str, object]] = [
            {"name": f"n{k}", "board": "zedboard", "partitions": [k]} for k in range(2)
        ]
        plan = plan_of(chain(partition("a"), partition("b")), spec(nodes))
    return json.loads(memory_map(plan).to_json())


@pytest.fixture(
    scope="module",
    params=[s if s == "icarus" else pytest.param(s, marks=pytest.mark.sweep) for s in SIMULATORS],
)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("cards")
    macs = tuple(
        replace(cage, mac=f"{first}2:34:56:78:90:0a") for cage, first in zip(PAIR, "fa", strict=True)
    )
    fec = tuple(replace(cage, options=VnxOptions(sockets=ROWS, rs_fec=True)) for cage in PAIR)
    more = tuple(replace(cage, options=VnxOptions(sockets=ROWS + 1)) for cage in PAIR)
    maps = {"plain": PAIR, "macs": macs, "fec": fec, "sockets": more}
    asked: dict[str, Any] = {"host": str(FOLDER), "maps": {name: map_of(pair) for name, pair in maps.items()}}
    asked |= behind_xrt(folder, asked["maps"]["plain"])
    (folder / "asked.json").write_text(json.dumps(asked))
    simulator: Simulator = request.param
    sources = [sim_file(f"{name}.sv") for name in ("axil_target", "vnx_registers")]
    model = build_model(ModelSpec([*sources, MODULES / "vnx_cards.sv"], "vnx_cards"), simulator)
    run_model(model, "vnx_cards", [MODULES, data_dir("sim")], folder, env={"STAND_IN": str(folder)})
    result: dict[str, str] = json.loads((folder / "found.json").read_text())
    assert tuple(result) == CASES
    return result


@pytest.mark.parametrize("name", CASES)
def test_cards(found: dict[str, str], name: str) -> None:
    assert found[name] == ""


def test_pitfall_tdest_beyond_the_table() -> None:
    with pytest.raises(PlanError, match="2 streams need a row each at cage 0, and the most is 1"):
        loop(cards(n0={"sockets": 1}, n1={"sockets": 1}, n2={"sockets": 1}))


def test_pitfall_first_packets_are_dropped() -> None:
    """A sender may be in no session before both cards know each other: what it says would be lost."""
    plan = loop()
    blocks = {claim.name: claim.block for n in plan.nodes for a in n.attachments for claim in a.claims}
    order = [step.op if step.op == "barrier" else blocks.get(step.unit, step.unit) for step in plan.bring_up]
    first, last = order.index("vnx_sender"), len(order) - 1 - order[::-1].index("networklayer_0")
    assert "barrier" in order[last:first]
    assert order.count("vnx_sender") == 3


def test_the_documents_name_the_tests() -> None:
    text = (ROOT / "docs" / "vnx.md").read_text()
    told = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    plain = {name.removeprefix("test_") for name in globals()}
    tests = {name.removeprefix("pitfall_") for name in (*CASES, *plain) if name.startswith("pitfall_")}
    assert tests <= told
