# SPDX-License-Identifier: BSD-3-Clause
"""A run is replaced by its record only if nothing that it depends on has changed; no failure is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_file_format import ROOT

from tools.blocks import verdicts
from tools.blocks.block_bench import TOOLS, bench_parts, block_file, run_sources
from tools.blocks.verdicts import MODE, RECORDED, TARGET, discard, finish, kept, merge, significant, stale

TEST = "tests/blocks/test_verdicts.py::test_one"
TOP = """module top;
    int seed, value, file;
    string name;
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if ($value$plusargs("data=%s", name)) begin
            file = $fopen(name, "r");
            if ($fscanf(file, "%d", value) != 1) $fatal(1, "no data");
        end
`ifdef DOUBLE
        value = 2 * value;
`endif
        $display("PASS %0d", 1 + seed + value);
        $finish;
    end
endmodule
"""


@pytest.fixture(name="record")
def _record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Record what has run, as `make verdicts` does."""
    parts, folder = tmp_path / "parts", tmp_path / "record"
    parts.mkdir()
    monkeypatch.setattr(verdicts, "FOLDER", folder)
    monkeypatch.setenv(TARGET, str(parts))
    monkeypatch.setenv(MODE, "")
    verdicts._record.cache_clear()

    def write() -> None:
        finish(TEST)
        merge(parts, folder)
        verdicts._record.cache_clear()

    yield write
    discard()
    verdicts._record.cache_clear()


def counted() -> tuple[int, int]:
    """Return how many runs were kept, and made, since the last call."""
    return finish(TEST)


@pytest.fixture(name="bench")
def _bench(tmp_path: Path) -> Callable[..., int]:
    """A run of the bench above; it says a number that depends on all its inputs."""
    source, data = tmp_path / "top.sv", tmp_path / "data.txt"

    def run(text: str = TOP, seed: int = 1, value: int = 3, defines: tuple[str, ...] = ()) -> int:
        source.write_text(text)
        data.write_text(f"{value}\n")
        result = run_sources("top", [source], "icarus", [f"seed={seed}", f"data={data}"], defines)
        assert result.code == 0, result.text
        return result.comparisons

    return run


def test_what_has_not_changed_is_not_run(record: Callable[[], None], bench: Callable[..., int]) -> None:
    assert (bench(), counted()) == (5, (0, 1))
    assert (bench(), counted()) == (5, (0, 1)), "not recorded yet"
    bench()
    record()
    assert (bench(), counted()) == (5, (1, 0))
    assert (bench("// A comment.\n\n" + TOP), counted()) == (5, (1, 0))


def test_what_has_changed_is_run(
    record: Callable[[], None], bench: Callable[..., int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bench()
    record()
    assert (bench(TOP.replace("1 + seed", "7 + seed")), counted()) == (11, (0, 1)), "source"
    assert (bench("// verilator lint_off WIDTH\n" + TOP), counted()) == (5, (0, 1)), "a comment for a tool"
    assert (bench(seed=2), counted()) == (6, (0, 1)), "argument"
    assert (bench(value=4), counted()) == (6, (0, 1)), "data"
    assert (bench(defines=("DOUBLE",)), counted()) == (8, (0, 1)), "macro"
    with monkeypatch.context() as patch:
        patch.setattr(verdicts, "tool_version", lambda tool: f"another {tool}")
        assert (bench(), counted()) == (5, (0, 1)), "tool"
    runner = tmp_path / "block_bench.py"
    runner.write_text((TOOLS / "block_bench.py").read_text() + "\nMORE = 1\n")
    with monkeypatch.context() as patch:
        patch.setattr("tools.blocks.block_bench.RUNNERS", {"icarus": [runner]})
        assert (bench(), counted()) == (5, (0, 1)), "the code that runs it"
    assert (bench(), counted()) == (5, (1, 0))


def test_the_sweep_runs_all_and_refuses_a_wrong_record(
    record: Callable[[], None], bench: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench()
    record()
    monkeypatch.setenv(MODE, "run")
    assert (bench(), counted()) == (5, (0, 1))
    (file,) = verdicts.FOLDER.glob("*.json")
    file.write_text(file.read_text().replace("PASS 5", "PASS 9"))
    verdicts._record.cache_clear()
    with pytest.raises(AssertionError, match="not as recorded"):
        bench()


def test_a_test_that_fails_records_nothing(record: Callable[[], None], bench: Callable[..., int]) -> None:
    bench()
    discard()
    record()
    assert (bench(), counted()) == (5, (0, 1))


def test_outside_of_recorded_tests_everything_runs(
    record: Callable[[], None], bench: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench()
    record()
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/test_cli.py::test_help (call)")
    assert (bench(), counted()) == (5, (0, 0))


def test_long_output_is_kept_whole_and_without_the_folder(record: Callable[[], None], tmp_path: Path) -> None:
    file = tmp_path / "top.sv"
    file.write_text("")
    text = "".join(f"{file}:{number}: fault\n" for number in range(99))
    kept("long", [], [], [file], lambda: (1, text))
    record()
    assert kept("long", [], [], [file], lambda: (0, "")) == (1, text.replace(str(file), "top.sv"))
    (record_file,) = verdicts.FOLDER.glob("*.json")
    assert len(record_file.read_text()) < 800


def test_only_comments_are_no_part_of_a_source() -> None:
    assert significant("a // b\n\n  c\n") == "a\n  c"
    assert significant('$display("// a"); // b\n') == '$display("// a"); // b'
    assert significant("a = '#'  # b\n# c\n", "#") == "a = '#'  # b"


def test_the_record_is_of_the_present_sources() -> None:
    assert not stale(), "run make verdicts"


def test_a_record_of_other_sources_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text("module a;\nendmodule\n")
    content = {"module": "test_a.py", "sources": {"a.sv": "0", "b.sv": "0"}, "tools": {}, "runs": {}}
    (tmp_path / "test_a.json").write_text(json.dumps(content))
    assert stale(tmp_path, tmp_path) == [
        "test_a.json: there is no test_a.py",
        "test_a.json: a.sv has changed",
        "test_a.json: there is no b.sv",
    ]


def test_every_recorded_test_is_there() -> None:
    assert all((ROOT / name).exists() for name in RECORDED)


def test_parts_of_a_bench_are_found_through_each_other() -> None:
    found = {path.stem for path in bench_parts([block_file("axis_fifo").with_name("traffic_axis_fifo.sv")])}
    assert found >= {"bench_traffic", "bench_traffic_source", "bench_traffic_string"}
    assert not bench_parts([block_file("axis_fifo")])
