# SPDX-License-Identifier: BSD-3-Clause
"""Replicas without turns in a simulation: which can be left out, and that their absence is proved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, read_report, report_text, run
from fake_network import chain, partition, spec
from test_replicas import nodes, planned

from shellgen.errors import InputError
from shellgen.model.own_frames import room
from shellgen.model.spares import runs, spares
from shellgen.simulate.options import SimulateOptions
from shellgen.simulate.required import Required, required_tests

pytestmark = pytest.mark.recorded

Stages = tuple[tuple[list[int], dict[str, Any]], ...]
TWO: Stages = (([0, 2], {}), ([1], {"replicas": 2}))
# Of each stage, the replicas that can be left out.
SHAPES: dict[str, tuple[Stages, tuple[tuple[str, ...], ...]]] = {
    "one board deals and gathers": (TWO, (("n1_0", "n1_1"),)),
    "a chain": ((([0], {}), ([1], {"replicas": 2}), ([2], {})), (("n1_0", "n1_1"),)),
    "shares": (
        (([0], {}), ([1], {"replicas": 3, "share": [2, 1, 1]}), ([2], {})),
        (("n1_0", "n1_1", "n1_2"),),
    ),
    "pairs": (
        (([0], {}), ([1], {"replicas": 2}), ([2], {"replicas": 2}), ([3], {})),
        (("n1_0", "n1_1"), ("n2_0", "n2_1")),
    ),
    # Without one of the two, the other deals to the three in an order that the last board does not expect.
    "2 into 3": ((([0], {}), ([1], {"replicas": 2}), ([2], {"replicas": 3}), ([3], {})), ()),
    "the host feeds": ((([0], {"replicas": 2}), ([1], {})), ()),
    "the host takes": ((([0], {}), ([1], {"replicas": 2})), ()),
    "none": ((([0], {}), ([1], {})), ()),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_which_replicas_can_be_left_out(shape: str) -> None:
    stages, wanted = SHAPES[shape]
    plan = planned(*stages)
    assert spares(plan, room(plan)) == wanted
    tests = required_tests(Required.of(plan), SimulateOptions())
    assert ("absent" in tests) == bool(wanted)
    assert spares(plan, 1) == ()  # no room for what another would carry


@pytest.mark.parametrize(
    ("epoch", "left", "wanted"), [(2, 1, (2, 4)), (3, 2, (2, 3)), (6, 4, (2, 3)), (16, 15, (15, 16))]
)
def test_whole_epochs_of_both_kinds_are_sent(epoch: int, left: int, wanted: tuple[int, int]) -> None:
    assert runs(epoch, left) == wanted
    assert wanted[0] * epoch == wanted[1] * left


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("two") / "out", TWO)


def made(out: Path, stages: Stages) -> Path:
    names = "pqrs"[: sum(len(partitions) for partitions, _ in stages)]
    return generate_fake(chain(*map(partition, names)), spec(nodes(*stages)), out)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("n1_2", "there is no node 'n1_2'. Did you mean 'n1_0'?"),
        ("n0", "it is no replica: every frame needs it. Choose from: n1_0, n1_1"),
        ("n1_0; x", "there is no node 'n1_0; x'."),
    ],
)
def test_what_cannot_be_left_out(two: Path, name: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"simulate: --absent {name}: ")) as caught:
        run(two, "verilator", absent=name)
    assert said.split(". ", maxsplit=1)[0] in str(caught.value)


def test_a_replica_that_the_host_feeds_is_refused(tmp_path: Path) -> None:
    out = made(tmp_path / "out", (([0], {"replicas": 2}), ([1], {})))
    with pytest.raises(
        InputError, match="cannot leave its turns out: the host has some of its streams"
    ) as caught:
        run(out, "verilator", absent="n0_1")
    assert "`shellgen rehearse` takes away replicas that the host feeds" in str(caught.value)


@pytest.mark.sweep
@pytest.mark.parametrize("shape", [name for name, (_, wanted) in SHAPES.items() if wanted])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_of_each_stage_is_left_out(shape: str, seed: int, tmp_path: Path) -> None:
    stages, wanted = SHAPES[shape]
    document = run(made(tmp_path / "out", stages), "verilator", seed=seed, stalled=False)
    assert document["passed"], report_text(document)
    assert [one["node"] for one in document["absent"]] == [names[seed % len(names)] for names in wanted]
    for one in document["absent"]:
        assert one["node"] in one["idle"]
        assert one["silent"] >= 2
        proofs = {verdict["proof"] for verdict in one["verdicts"]}
        assert {"boundary", "monolith"} <= proofs


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_a_replica_is_left_out_for_many_frames(simulator: str, two: Path) -> None:
    document = run(two, simulator, absent="n1_0", frames=300, walk=False, stalled=False, full_rate=False)
    assert document["passed"], report_text(document)
    (one,) = read_report(document).absent or ()
    assert (one.node, one.idle, one.frames) == ("n1_0", ("n1_0",), 300)
    assert "without n1_0: 4 places of its streams saw nothing, and the 300 frames are right" in report_text(
        document
    )


# What somebody could break in a core, and what the bench says of it.
MUTANTS = {
    "the deal goes on": (r"(u_deal_0 \(.*?\.absent\()[^)]*\)", r"\g<1>2'b00)"),
    "the gather goes on": (r"(u_gather_0 \(.*?\.absent\()[^)]*\)", r"\g<1>2'b00)"),
    "the other replica is out": (r"(u_deal_0 \(.*?\.absent\()([^)]*)\)", r"\g<1>~\g<2>)"),
    "OUT is not taken over": (r"(u_turns \(.*?\.inner_aresetn\()[^)]*\)", r"\g<1>1'b1)"),
}


@pytest.mark.sweep
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_core_that_does_not_leave_a_replica_out_fails(mutant: str, tmp_path: Path) -> None:
    out = made(tmp_path / "out", TWO)
    core = out / "n0/n0_core.v"
    text = core.read_text()
    old, new = MUTANTS[mutant]
    changed = re.sub(old, new, text, count=1, flags=re.DOTALL)
    assert changed != text
    core.write_text(changed)
    words: dict[str, Any] = {"walk": False, "stalled": False, "full_rate": False, "edited": True}
    document = run(out, "verilator", absent="n1_1", frames=8, **words)
    assert not document["passed"], report_text(document)
    told = [*document.get("failures", ()), document.get("limit")]
    assert any(one and one["test"] == "absent" for one in told) or document["absent"], report_text(document)
