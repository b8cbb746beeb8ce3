# SPDX-License-Identifier: BSD-3-Clause
"""Waves of a window before the first difference: the second run is the same to the cycle; their views."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pywellen
from cluster_bench import bench_of, generate_fake, streams_only
from fake_network import chain, one_each, partition
from waiting import PATIENCE

from shellgen.cli import main
from shellgen.errors import InputError, ToolMissingError
from shellgen.simulate import SIMULATORS, tools, trace
from shellgen.simulate.options import Injection, SimulateOptions, check_options
from shellgen.simulate.span import Span, parse_span
from shellgen.simulate.waves import AFTER, BEFORE

FRAME, BEATS = 45, 2  # the frame with the wrong bit; link beats of a frame
PER_WORD = 2
CYCLE_PS = 10_000


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards, a pass-through partition on each."""
    network = chain(partition("a"), partition("b"))
    return generate_fake(network, one_each(network), tmp_path_factory.mktemp("waves") / "out")


class Dump:
    """A dump, read by the reader that Surfer has."""

    def __init__(self, path: str) -> None:
        self._file = pywellen.Waveform(path)
        self.signals = {signal.full_name: signal for signal in self._file.all_vars()}

    def value(self, path: str, at_ps: int) -> int | None:
        value = self.signals[path].signal.value_at(at_ps)
        return value if isinstance(value, int) else None  # text where bits are unknown


@dataclass(frozen=True)
class Failed:
    """A run with a bit flipped on its way over a boundary, and its waves."""

    boundary: int
    report: dict[str, Any]
    bench: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of the boundary."""
        return str(self.bench["boundaries"][self.boundary]["name"])


# One bit goes wrong between the boards, the other before the first, and shows at the host too.
@pytest.fixture(
    scope="module",
    params=[pytest.param(("verilator", 1), marks=pytest.mark.sweep), ("icarus", 0)],
    ids=SIMULATORS,
)
def failed(cluster: Path, request: pytest.FixtureRequest) -> Failed:
    simulator, boundary = request.param
    flip = Injection(boundary=boundary, kind=1, beat=BEATS * FRAME)
    return Failed(
        boundary,
        streams_only(cluster, simulator, waves="window", inject=flip, frames=64, control=True),
        bench_of(cluster),
    )


@pytest.mark.sweep
@pytest.mark.xdist_group("waves")
def test_the_window_shows_the_first_difference(failed: Failed) -> None:
    waves = failed.report["waves"]
    verdict = next(
        entry for entry in failed.report["stalled"]["verdicts"] if entry["boundary"] == failed.name
    )
    first = verdict["difference"]
    dump = Dump(waves["files"][0])
    assert waves["tests"] == ["streams_stalled"], "CONTROL is not tried again for it"
    at_ps, scope = waves["at_ps"], f"bench_top.u_waves.b{failed.boundary}_{failed.name}"
    assert re.search(rf"the first difference is at cycle [\d,]+: {failed.name}, pins of", waves["text"])
    # Before the edge that takes it, the wrong word lies at the pins that the report names.
    assert first["tap"] == f"taken_{failed.boundary}"
    assert first["frame"] == FRAME
    assert dump.value(f"{scope}.taken_tvalid", at_ps) == dump.value(f"{scope}.taken_tready", at_ps) == 1
    place = dump.value(f"{scope}.taken_frame", at_ps), dump.value(f"{scope}.taken_word", at_ps)
    assert place == (FRAME, first["element"] // PER_WORD)
    word = dump.value(f"{scope}.taken_tdata", at_ps)
    assert word is not None
    assert word >> 4 * (first["element"] % PER_WORD) & 0xF == first["got_code"] != first["expected_code"]
    # A window, and no more: nothing is known before it, nothing changes after it.
    assert waves["from_ps"] == at_ps - BEFORE * CYCLE_PS
    assert dump.value("bench_top.aclk", waves["from_ps"] - CYCLE_PS) is None
    before, at = (dump.value("bench_top.cycles", time) for time in (waves["from_ps"] + CYCLE_PS, at_ps))
    last = dump.value("bench_top.cycles", waves["to_ps"] - CYCLE_PS)
    assert None not in (before, at, last)
    assert (at - before, last - at) == (BEFORE - 1, AFTER - 1)  # type: ignore[operator]
    end = dump.value("bench_top.cycles", waves["to_ps"] + 100 * CYCLE_PS)
    assert end is None or end <= last + 3  # type: ignore[operator]
    # The inside of a core and of a partition is there too.
    assert any(path.startswith("bench_top.u_n0.u_a.") for path in dump.signals)


@pytest.mark.xdist_group("waves")
def test_the_views_name_signals_of_the_dump(failed: Failed) -> None:
    dump, gtkwave, surfer = failed.report["waves"]["files"]
    signals = Dump(dump).signals
    lines = Path(gtkwave).read_text().splitlines()
    shown = [re.match(r"([\w.$]+)(?:\[(\d+):0\])?$", line) for line in lines if line.startswith("bench_top.")]
    assert len(shown) > 60
    for match in shown:
        assert match
        assert signals[match[1]].bitwidth == int(match[2] or 0) + 1
    titles = [line[1:] for line in lines if line.startswith("-")]
    assert titles[:2] == [failed.name] * 2, "where the difference is comes first"
    names = [boundary["name"] for boundary in failed.bench["boundaries"]]
    assert set(titles) == {*names, "AXI-Lite of n0", "AXI-Lite of n1"}
    at_ps = failed.report["waves"]["at_ps"]
    assert [line for line in lines if line.startswith("*") and line.endswith(f" {at_ps}")]
    scopes = {path.rpartition(".")[0] for path in signals}
    *commands, cursor = Path(surfer).read_text().splitlines()
    assert cursor == f"cursor_set {at_ps}"
    assert {command.partition(" ")[0] for command in commands} == {
        "variable_add",
        "scope_add_as_group",
        "zoom_fit",
    }
    for command in commands:
        name, _, argument = command.partition(" ")
        assert name == "zoom_fit" or argument in (signals if name == "variable_add" else scopes)


@pytest.mark.sweep
@pytest.mark.xdist_group("waves")
def test_cycles_and_all_of_it_are_dumped_of_a_run_that_passes(
    cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = [
        "simulate",
        str(cluster),
        "--simulator",
        "icarus",
        "--frames",
        "4",
        "--walk",
        "none",
        "--edited",
    ]
    common += ["--wave-format", "vcd", "--quiet"]
    assert main([*common, "--waves", "20:40", "--json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    dump = Dump(report["waves"]["files"][0])
    times = [line for line in Path(report["waves"]["files"][0]).read_text().splitlines() if line[:1] == "#"]
    assert dump.value("bench_top.cycles", int(times[0][1:])) in (20, 21)
    assert dump.value("bench_top.cycles", int(times[-1][1:]) - CYCLE_PS) in (40, 41)
    # What dumps is no part of the model of every day, and a run that passes has no window.
    (cluster / "bench" / "bench_waves.sv").rename(cluster / "bench" / "aside")
    assert main([*common, "--waves"]) == 0
    (cluster / "bench" / "aside").rename(cluster / "bench" / "bench_waves.sv")
    said = capsys.readouterr().out
    assert "nothing differs; --waves all, or " in said
    assert "gtkwave" not in said
    assert main([*common, "--waves", "all"]) == 0
    said = capsys.readouterr().out
    file = re.search(r"gtkwave (\S+waves\.vcd) \S+waves\.gtkw", said)
    assert file
    first = next(line for line in Path(file[1]).read_text().splitlines() if line.startswith("#"))
    assert int(first[1:]) <= 3 * CYCLE_PS  # a period, and the phase of the clock


def test_a_span_is_read_or_refused() -> None:
    assert parse_span("10:20") == Span("cycles", 10, 20)
    assert parse_span("10:") == Span("cycles", 10, 0)
    assert parse_span(":20") == Span("cycles", 0, 20)
    for wrong in ("out", ":", "20:10", "5", "1:2:3", "-1:4", "9" * 30 + ":"):
        with pytest.raises(InputError, match=r"simulate: --waves .*Give --waves after the folder"):
            check_options(SimulateOptions(waves=wrong), None)


def test_what_fst_needs_is_named_or_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_HEADERS", ("no_such_header.h",))
    tool = tools.find_verilator()
    waves, note = trace.choose_format(tool, None)
    assert waves == "vcd"
    assert "no_such_header.h" in note
    assert trace.choose_format(tool, "vcd") == ("vcd", "")
    with pytest.raises(ToolMissingError, match=r"apt-get install liblz4-dev zlib1g-dev, or choose"):
        trace.choose_format(tool, "fst")


STUCK = """module a_wrapper (
  input wire ap_clk, input wire ap_rst_n,
  input wire [7:0] s_axis_0_tdata, input wire s_axis_0_tvalid, output wire s_axis_0_tready,
  output wire [7:0] m_axis_0_tdata, output wire m_axis_0_tvalid, input wire m_axis_0_tready
);
  reg [7:0] count;
  always @(posedge ap_clk) count <= !ap_rst_n ? 8'd0 : count + (s_axis_0_tready && s_axis_0_tvalid);
  assign m_axis_0_tdata = s_axis_0_tdata;
  assign m_axis_0_tvalid = s_axis_0_tvalid && s_axis_0_tready;
  assign s_axis_0_tready = m_axis_0_tready && count != 8'd20;
endmodule
"""


@pytest.mark.sweep
def test_the_window_of_a_cluster_that_stands_still_is_where_it_stopped(cluster: Path) -> None:
    source = cluster / "n0" / "partition" / "a.v"
    whole = source.read_text()
    source.write_text(STUCK)
    waves_source = cluster / "bench" / "bench_waves.sv"
    good = waves_source.read_text()
    waves_source.write_text("module bench_waves")
    broken = streams_only(cluster, "icarus", waves="window", frames=4)
    waves_source.write_text(good)
    report = streams_only(cluster, "icarus", waves="window", frames=4)
    source.write_text(whole)
    assert broken["limit"] == report["limit"], "the result of the run is reported all the same"
    assert broken["waves"]["files"] == []
    assert "there are none: " in broken["waves"]["text"]
    waves, last = report["waves"], report["limit"]["last"]
    assert f"the last word moved at cycle {last['cycle']:,}: {last['place']}" in waves["text"]
    dump = Dump(waves["files"][0])
    assert dump.value("bench_top.cycles", waves["at_ps"]) == last["cycle"]
    assert dump.value("bench_top.idle_cycles", waves["to_ps"] - CYCLE_PS) in range(AFTER - 4, AFTER + 1)
    assert dump.value("bench_top.u_n0.u_a.u_bare.count", waves["to_ps"] - CYCLE_PS) == 20


@pytest.mark.sweep
def test_a_dump_that_cannot_be_written_ends_the_run(cluster: Path) -> None:
    """A full disk, here a limit for the size of files: Verilator's writer of VCD waited for its own lock."""
    options = [
        "--simulator",
        "verilator",
        "--frames",
        "4",
        "--walk",
        "none",
        "--edited",
        "--wave-format",
        "vcd",
    ]
    command = [sys.executable, "-m", "shellgen", "simulate", str(cluster), *options, "--waves", "all"]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    dump = cluster / "bench" / "run_verilator" / "waves.vcd"
    most = dump.stat().st_size // 2

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, preexec_fn=limited, check=False
    )
    assert done.returncode != 0, (most, dump.stat().st_size, done.stdout + done.stderr)
    assert "Traceback" not in done.stderr
    assert "File too large" in done.stderr
