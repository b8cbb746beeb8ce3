# SPDX-License-Identifier: BSD-3-Clause
"""One fault in any stream makes the bench fail and name the stream; without it the same model passes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import FRAMES, MIXED, bench_of, run, streams_only
from simulators import mostly_on

from shellgen.simulate.options import Injection

INJECTOR = Path(__file__).with_name("faulty_fifo.sv")
BOUNDARIES = ("host_input", "direct", "hop", "host_output")
KINDS = {"flip": 1, "drop": 2, "duplicate": 3, "swap": 4}
# Beats of a frame at the error injector: of 32 bits from the host (9 bytes), words of 9 bits inside
# the core, beats of 64 bits at the sender of the hop (9 bytes), of 32 bits to the host (8 bytes).
BEATS = (3, 4, 2, 2)
SENT = FRAMES + 1  # one frame follows the others

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("faults")]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated chain whose one direct stream has an error injector too; the rest is as generated."""
    made = MIXED.generate(tmp_path_factory.mktemp("faults"))
    bench = bench_of(made)
    assert [b["link"] for b in bench["boundaries"]] == ["tcp_dma", None, "tcp_dma", "tcp_dma"]
    shipped = made / "zed" / "rtl" / "axis_fifo.sv"
    text = shipped.read_text()
    assert text.count("module axis_fifo #(") == 1
    lint = "/* verilator lint_off DECLFILENAME */\n"  # two modules in one file, in this test only
    renamed = text.replace("module axis_fifo #(", f"{lint}module axis_fifo_shipped #(")
    shipped.write_text(INJECTOR.read_text() + renamed)
    return made


def failing(report: dict[str, Any]) -> set[str]:
    return {v["name"] for v in report["stalled"]["verdicts"] if not v["passed"]}


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_without_a_fault_it_passes(out: Path, simulator: str) -> None:
    report = run(out, simulator, walk=False)
    assert report["passed"], report["problem"]
    assert report["full_rate"]["per_transfer"] == [1, 1]
    assert sorted(report["stalled"]["per_transfer"]) == [2, 3]
    words = {v["name"]: v["words"] for v in report["stalled"]["verdicts"]}
    for boundary in bench_of(out)["boundaries"]:
        assert words[boundary["name"]] == SENT * (boundary.get("made") or boundary["taken"])["words"]


@pytest.mark.parametrize(
    ("boundary", "simulator"),
    [pytest.param("direct", "icarus", marks=pytest.mark.sweep), ("hop", "verilator")],
)
def test_a_host_resets_what_stands_still(out: Path, boundary: str, simulator: str) -> None:
    """In the middle of transfers; no access hangs meanwhile, and then all is right.

    Links are drained as AXI4-Stream asks. A neighbour that takes nothing any more cannot be helped to its
    end: there the core is held in reset without.
    """
    stuck = Injection(boundary=BOUNDARIES.index(boundary), kind=5, beat=5)
    report = run(out, simulator, walk=False, full_rate=False, inject=stuck)
    assert report["passed"], report["problem"]
    assert report["stuck"]["forced"] == (boundary == "hop")
    assert report["stuck"]["refused"] > 0 or boundary == "hop"
    assert sorted(report["stalled"]["per_transfer"]) == [2, 3]


@pytest.mark.parametrize(("wrong", "flag"), [(1, 2), (-1, 1)])
def test_a_wrong_count_of_frames_is_told(out: Path, wrong: int, flag: int) -> None:
    """Transfers that are longer or shorter than programmed."""
    count = Injection(kind=6, beat=wrong)
    report = run(out, "verilator", walk=False, full_rate=False, idle_limit=5_000, inject=count)
    assert not report["passed"]
    told = [v["detail"] for v in report["stalled"]["verdicts"] if v["proof"] == "status"]
    assert any(f"error flags {flag:#x}" in text for text in told), report["problem"]


def pairs(default: Sequence[tuple[str, str]], kinds: Iterable[str]) -> list[Any]:
    """Return each boundary with each kind of fault; pairs that are not the default are for the sweep."""
    both = itertools.product(BOUNDARIES, kinds)
    return [pytest.param(*pair, marks=[] if pair in default else [pytest.mark.sweep]) for pair in both]


@pytest.mark.parametrize(("boundary", "kind"), pairs([*zip(BOUNDARIES, KINDS, strict=True)], KINDS))
def test_a_fault_is_seen(out: Path, boundary: str, kind: str) -> None:
    """In the middle of a frame that is neither the first nor the last."""
    at = BOUNDARIES.index(boundary)
    beat = 2 * BEATS[at]
    report = check(out, "verilator", at, kind, beat)
    if kind == "flip":
        # The other streams carry what their producers made of it, and nothing is lost.
        name = bench_of(out)["boundaries"][at]["name"]
        assert failing(report) <= {name, f"inside {name}", "monolith", "golden"}


@pytest.mark.parametrize(
    ("boundary", "kind"), pairs([("hop", "drop"), ("host_output", "duplicate")], ["drop", "duplicate"])
)
def test_a_fault_at_the_very_end_is_seen(out: Path, boundary: str, kind: str) -> None:
    """The last beat of all: a frame that never completes, or a beat after everything has arrived."""
    at = BOUNDARIES.index(boundary)
    report = check(out, "verilator", at, kind, SENT * BEATS[at] - 1)
    if kind == "drop":
        assert not report["stalled"]["arrived"]


@pytest.mark.sweep
@pytest.mark.parametrize(("boundary", "kind"), list(zip(BOUNDARIES, KINDS, strict=True)))
def test_a_fault_is_seen_on_icarus(out: Path, boundary: str, kind: str) -> None:
    at = BOUNDARIES.index(boundary)
    check(out, "icarus", at, kind, BEATS[at])


@pytest.mark.sweep
def test_a_beat_too_many_is_seen_when_the_sink_is_full(out: Path) -> None:
    """As many frames as the sinks hold, and one beat after them."""
    frames = bench_of(out)["frames"]
    check(out, "verilator", 3, "duplicate", (frames + 1) * BEATS[3] - 1, frames=frames)


def check(out: Path, simulator: str, at: int, kind: str, beat: int, **options: Any) -> dict[str, Any]:
    """Run with the fault; the bench must fail in good time and name the stream."""
    fault = Injection(boundary=at, kind=KINDS[kind], beat=beat)
    report = streams_only(out, simulator, inject=fault, **options)
    name = bench_of(out)["boundaries"][at]["name"]
    assert not report["passed"]
    assert re.search(rf"\b{name}[:,] ", report["problem"]), report["problem"]
    assert name in {re.sub("^(framing of|ahead of|inside) ", "", bad) for bad in failing(report)}
    return report
