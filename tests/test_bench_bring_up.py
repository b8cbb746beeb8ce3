# SPDX-License-Identifier: BSD-3-Clause
"""The bench does what links need before the first frame, by the host's own program; nothing moves without."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import Chain, run
from test_claims import axil

from shellgen.emit.ends import end_texts
from shellgen.errors import InputError
from shellgen.links.base import Site
from shellgen.links.tcp_dma import TcpDma
from shellgen.model import Attachment, Claim, NodePlan, Plan, Step

KEY = 77  # opens a gate
SCRATCH, FRAMES_PER_TRANSFER = 0x1C, 0x114
SMALL = Chain(
    widths=(12, 8, 4),
    activations="UINT3",
    folds=((4, 4, 4), (2, 4, 1)),
    cuts=(0, 1),
    nodes=(("n0", "zedboard", (0,)), ("n1", "zcu104", (1,))),
)
TIES = (
    ".aclk(aclk), .aresetn(aresetn), .beat(2'b00), .stall(2'b00), .frame_done(2'b00), .error_short(1'b0), "
    ".error_long(1'b0), .error_keep(1'b0), .reset_busy(1'b0), .restart(1'b0), "
    ".reset_start(gate_start_unused), .reset_hold(gate_hold_unused)"
)


def gated(plan: Plan, node: NodePlan, attachment: Attachment) -> list[str]:
    """Let what leaves the core wait for a register; our own status registers stand for those of a link."""
    head = "    wire [31:0] gate_key;\n    wire gate_start_unused, gate_hold_unused;\n"
    head += "    wire gate_open = gate_key == {16'd1, 16'd77};\n"
    block = "shell_status #(.BUILD_ID(64'd1), .N_RX(1), .N_TX(1)) u_gate"
    ports = f"{axil('gate_axil', 's_axil')}, {TIES}, .frames_per_transfer(gate_key)"
    texts = [head + f"    {block} ({ports});\n"]
    for text in end_texts(plan, node, attachment):
        for pin in re.findall(r"\.m_axis_tvalid\((m_axis_\d+)_tvalid\)", text):
            made = f"    wire {pin}_made;\n    assign {pin}_tvalid = {pin}_made && gate_open;\n"
            gate = text.replace(f".m_axis_tvalid({pin}_tvalid)", f".m_axis_tvalid({pin}_made)")
            text = made + gate.replace(f"({pin}_tready)", f"({pin}_tready && gate_open)")  # noqa: PLW2901
        texts.append(text)
    assert sum("_made" in text for text in texts) == 1
    return texts


def attach(self: TcpDma, site: Site) -> tuple[Attachment, ...]:
    """Claim the window of the gate, once on each node."""
    claim = Claim(name="gate", addr_bits=12, block="shell_status", counts=(("N_RX", 1), ("N_TX", 1)))
    first, *others = PLAIN_ATTACH(self, site)
    return (first.model_copy(update={"claims": (claim,)}), *others)


PLAIN_ATTACH = TcpDma.attach


def steps(_: TcpDma, plan: Plan) -> tuple[Step, ...]:
    """Wait for each gate, then open them all."""
    names = [node.name for node in plan.nodes]
    gate: dict[str, Any] = {"unit": "gate"}
    return (
        *(Step(op="write", node=n, offset=SCRATCH, value="mark", **gate) for n in names),
        *(Step(op="until", node=n, offset=SCRATCH, value="mark", about="it is there", **gate) for n in names),
        Step(op="barrier", about="all gates are there"),
        *(Step(op="write", node=n, offset=FRAMES_PER_TRANSFER, value="key", **gate) for n in names),
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TcpDma, "attach", attach)
        patch.setattr(TcpDma, "bring_up", steps)
        patch.setattr("shellgen.emit.core.end_texts", gated)
        return SMALL.generate(tmp_path_factory.mktemp("gated"))


SIMULATORS = ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)]


@pytest.mark.recorded
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_frames_cross_when_the_gates_are_open(made: Path, simulator: str) -> None:
    """All three proofs, after a reset by CONTROL, which leaves gates open, and of one board by its pin."""
    report = run(made, simulator, settings=(f"key={KEY}",), walk=False, reset_node="n1")
    assert report["passed"], report["problem"]
    proofs = {verdict["proof"] for name in ("full_rate", "stalled") for verdict in report[name]["verdicts"]}
    assert proofs >= {"boundary", "monolith", "golden"}
    assert {report[f"reset_{means}"]["node"] for means in ("control", "pin")} == {"n1"}
    assert report["bring_up"] == {"nodes": ["n0", "n1"], "steps": 6, "values": {"mark": 1, "key": KEY}}


def changed(made: Path, folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    out = folder / "out"
    shutil.copytree(made, out)
    path = out / "memory_map.json"
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))
    return out


def without(found: dict[str, Any]) -> None:
    del found["bring_up"]


def never(found: dict[str, Any]) -> None:
    found["bring_up"]["steps"][3]["value"] = 5


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "values", "said"),
    [
        (without, (f"key={KEY}",), r"nothing moved for 3,000 cycles"),
        (lambda _: None, (), r"nothing moved for 3,000 cycles"),
        (
            never,
            (f"key={KEY}",),
            r"^stalled: before the first frame: n1: gate\.SCRATCH at 0x[0-9a-f]+: read 0x00000001, wanted "
            r"0x00000005 in the bits 0xffffffff within 3,000 cycles: it is there$",
        ),
    ],
    ids=["no steps", "wrong key", "never"],
)
def test_frames_stand_still_without(
    made: Path, tmp_path: Path, change: Any, values: tuple[str, ...], said: str
) -> None:
    out = changed(made, tmp_path, change)
    report = run(out, "icarus", settings=values, walk=False, control=False, full_rate=False)
    assert not report["passed"]
    assert re.search(said, report["problem"]), report["problem"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("kay=1", "there is no 'kay'. Did you mean key?"),
        ("key", "its value is not a whole number. Write key=<number>"),
        ("key=one", "its value is not a whole number. Write key=<number>"),
        ("key=0x100000000", "out of range. Choose 0 to 4294967295"),
    ],
)
def test_values_that_cannot_be(made: Path, value: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        run(made, "icarus", settings=(value,))
