# SPDX-License-Identifier: BSD-3-Clause
"""Logs of vendor tools, in their public form: what is counted, and which error is the first real one."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from shellgen.build.blame import Failure, blame
from shellgen.build.follow import cause_in, named_logs
from shellgen.build.messages import Weight, hint, understand
from shellgen.build.scan import Counts, Follower
from shellgen.model import Stage

STAGE = Stage(name="link", command=("make",), folder="vitis", products=("a.bit",), memory=1)


def blamed(folder: Path, text: str, code: int = 2) -> Failure:
    log = folder / "build.log"
    log.write_text(text)
    follower, counts = Follower(log), Counts()
    follower.read(counts, to_end=True)
    return blame("card0", folder, STAGE, code, None, follower.first, follower)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        (  # v++: what it repeats of a run, then all that follows from it
            "WARNING: [v++ 60-1] x\n"
            "ERROR: [VPL 60-1328] Vpl run 'vpl' failed\n"
            "ERROR: [VPL 17-69] Command failed: bitstream generation is not permitted:\nulp/cmac_0\n\nINFO\n"
            "ERROR: [v++ 60-661] v++ link run 'run_link' failed\n"
            "make: *** [Makefile:90: build/card0.xclbin] Error 1\n",
            "ERROR: [VPL 17-69] Command failed: bitstream generation is not permitted: ulp/cmac_0",
            3,
        ),
        (  # HLS in a make of a make
            "ERROR: [HLS 200-1023] Part 'xcu280' is not installed.\nmake[1]: *** [a.xo] Error 1\n",
            "ERROR: [HLS 200-1023] Part 'xcu280' is not installed.",
            1,
        ),
        (  # CMake says it in the lines that follow
            "-- found\nCMake Error at CMakeLists.txt:31 (message):\n  Vitis HLS not found.\n\n\n"
            "-- Configuring incomplete, errors occurred!\n",
            "CMake Error at CMakeLists.txt:31 (message): Vitis HLS not found.",
            2,
        ),
        ("Makefile:43: *** VNX is not set.  Stop.\n", "Makefile:43: *** VNX is not set. Stop.", 1),
        (
            "make: *** No rule to make target 'x', needed by 'y'.  Stop.\n",
            "make: *** No rule to make target 'x', needed by 'y'. Stop.",
            1,
        ),
        ("make: v++: No such file\nmake: *** [x] Error 127\n", "make: *** [x] Error 127", 2),
        ("/bin/sh: 1: v++: not found\nmake: *** [x] Error 127\n", "/bin/sh: 1: v++: not found", 1),
        (
            "g++ -c a.cpp\na.cpp:3:5: error: expected ';'\na.cpp:9:1: error: x\nmake: *** [a.o] Error 1\n",
            "a.cpp:3:5: error: expected ';'",
            2,
        ),
        (
            "a.cpp:(.text+0x5): undefined reference to `f'\ncollect2: error: ld returned 1 exit status\n",
            "a.cpp:(.text+0x5): undefined reference to `f'",
            1,
        ),
        (
            'Traceback (most recent call last):\n  File "w.py", line 1\n    x\nKeyError: 7\n'
            "ERROR: [Common 17-39] 'exec' failed due to earlier errors.\n",
            "KeyError: 7",
            4,
        ),
        (
            'invalid command name "nonsense"\n    while executing\n"nonsense"\n',
            'invalid command name "nonsense"',
            1,
        ),
        (  # our own script knows best, unless a tool has said why
            "build.tcl: synth_1 failed: synth_design ERROR; see runs/synth_1/runme.log\n",
            "build.tcl: synth_1 failed: synth_design ERROR; see runs/synth_1/runme.log",
            1,
        ),
        (
            "ERROR: [Common 17-39] 'wait_on_run' failed due to earlier errors.\n"
            "Makefile: a memory file was not found\n",
            "Makefile: a memory file was not found",
            2,
        ),
        (
            "build.tcl: no bitstream, because it would compute rubbish:\nsynth_1: Synth 8-4445\n",
            "build.tcl: no bitstream, because it would compute rubbish: synth_1: Synth 8-4445",
            1,
        ),
        (  # a licence that only a warning tells of
            "WARNING: [Common 17-348] Failed to get the license for feature 'Synthesis'\n"
            "ERROR: [Vivado 12-13638] Failed runs(s) : 'synth_1'\n",
            "WARNING: [Common 17-348] Failed to get the license for feature 'Synthesis'",
            1,
        ),
        (  # Vivado's words for a run, with a capital
            "ERROR: [Common 17-69] Command failed: Run 'synth_1' failed. Unable to open\n"
            "ERROR: [Synth 8-439] module 'widget' not found\n",
            "ERROR: [Synth 8-439] module 'widget' not found",
            2,
        ),
        (
            "ERROR: [Synth 8-6156] failed synthesizing module 'a' [a.v:1]\n"
            "ERROR: [Common 17-69] Command failed: Synthesis failed - please see the run log file\n"
            "ERROR: [Common 17-70] Application Exception: Failed to launch run 'impl_1' due to failures in\n"
            "ERROR: [v++ 60-300] Failed to build kernel(ip) k, see log for details: k.log\n"
            "ERROR: [VIVADO 12-13638] FAILED RUNS(S) : 'SYNTH_1'\n"
            "ERROR: [Place 30-58] IO placement is infeasible\n",
            "ERROR: [Place 30-58] IO placement is infeasible",
            6,
        ),
        (  # a log that cannot be written is a cause
            "ERROR: [Common 17-49] Internal error: cannot open log file\n",
            "ERROR: [Common 17-49] Internal error: cannot open log file",
            1,
        ),
        ("\x1b[1;31mERROR: [A 1-2] caf\u00e9\x1b[0m\r\n", "ERROR: [A 1-2] caf\u00e9", 1),
        ("rdiArgs.sh: line 309: 380 Killed   vivado\n", "rdiArgs.sh: line 309: 380 Killed vivado", 1),
        ("nothing that looks like it\nI give up\n\n", "I give up", 4),
        ("", "", 1),
    ],
)
def test_the_first_real_error(text: str, said: str, line: int, tmp_path: Path) -> None:
    found = blamed(tmp_path, text)
    assert (found.said, found.line, found.log) == (said, line, "card0/build.log")


def test_causes_in_logs_that_the_printed_one_names(tmp_path: Path) -> None:
    """Absolute, and relative to where the stage runs; not of another run, not what is no file."""
    run, old = tmp_path / "vitis/runs/synth_1/runme.log", tmp_path / "vitis/old.log"
    run.parent.mkdir(parents=True)
    run.write_text("INFO: x\nERROR: [Synth 8-439] module 'widget' not found\n")
    old.write_text("ERROR: [Synth 8-1] of another run\n")
    os.utime(old, (1, 1))
    os.mkfifo(tmp_path / "vitis/pipe.log")
    log = tmp_path / "build.log"
    before = "ERROR: [A 1-1] see log runs/before.log\n"
    (tmp_path / "vitis/runs/before.log").write_text("ERROR: [A 1-2] of the stage before\n")
    said = f"see '{old}', pipe.log and none.log\nsynth_1: runs/synth_1/runme.log\nbuild.log\n"
    log.write_text(before + said)
    places = (tmp_path, tmp_path / "vitis")
    found = list(named_logs(log, len(before), places, time.time() - 60))
    assert found == [run]
    place = cause_in(iter([tmp_path / "vitis/old.log", run]))
    assert place
    assert (place.log, place.line) == (old, 1)
    place = cause_in(iter(found))
    assert place
    assert (place.log, place.line) == (run, 2)
    assert cause_in(iter([])) is None
    failure = blame("card0", tmp_path / "node", STAGE, 1, None, {Weight.CAUSE: place}, Follower(log))
    assert failure.log == str(run), "a log that is not in the node's folder"


def test_what_is_printed_cannot_move_the_cursor(tmp_path: Path) -> None:
    said = blamed(tmp_path, "ERROR: [A 1-2] a\x07b\x1b]0;t\x07 \u202e" + "x" * 5000 + "\n").said
    assert said.isprintable()
    assert len(said) < 700


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"INFO: [Common 17-206] Exiting Vivado", None),
        (b"# WARNING: [A 1-1] a comment that is echoed", None),
        (b"WARNING: [Synth 8-7080] x", "warning"),
        (b"CRITICAL WARNING: [Timing 38-282] x", "critical"),
        (b"a.c:1:2: warning: unused", "warning"),
        (b"CMake Warning at a:1 (find_package):", "warning"),
        (b"0 Errors encountered.", None),
        (b"INFO: no error here", None),
        (b"make[1]: *** [x.mk:9: a/b] Error 1", "error"),
        (b"make: *** [Makefile:9: a] Terminated", None),  # it was ended, and that is said already
        (b"make: *** [a] Interrupt", None),
    ],
)
def test_kinds(line: bytes, kind: str | None) -> None:
    found = understand(line)
    assert (found.kind if found else None) == kind


@pytest.mark.parametrize(
    ("line", "phase"),
    [
        (b"[Sun Nov 22 20:00:00 2026] Launched synth_1...", "synth_1"),
        (b"[13:21:32] Run vpl: Step config_hw_runs: Started", "config_hw_runs"),
        (b"Starting Logic Optimization Task", "Logic Optimization"),
        (b"[ 50%] Building CXX object", "50%"),
    ],
)
def test_phases(line: bytes, phase: str) -> None:
    found = understand(line)
    assert found
    assert found.phase == phase


def test_remedies_only_where_the_design_is_not_to_blame() -> None:
    assert "licence" in hint("ERROR: [Common 17-345] A valid license was not found")
    assert "memory" in hint("std::bad_alloc")
    assert "disk" in hint("write error: No space left on device")
    assert hint("ERROR: [Synth 8-439] module 'x' not found") == ""


def test_a_log_is_read_while_it_is_written(tmp_path: Path) -> None:
    log, counts = tmp_path / "log", Counts()
    follower = Follower(log)
    assert not follower.read(counts, to_end=True), "it need not be there"
    log.write_bytes(b"WARNING: [A 1-1] a\nERROR: [A 1")
    follower.read(counts, to_end=True)
    assert (counts.warnings, counts.errors) == (1, 0), "half a line"
    with log.open("ab") as more:
        more.write(b"-2] b\n")
    follower.read(counts, to_end=True)
    assert counts.errors == 1
    assert follower.first[Weight.CAUSE].line == 2
    log.unlink()
    log.write_bytes(b"WARNING: [A 1-1] of another run\n" + b"INFO: x\n" * 100)
    follower.read(counts, to_end=True)
    assert counts.warnings == 2
    assert follower.first == {}, "the error was in the file before"


def test_a_large_log_takes_seconds_and_no_memory(tmp_path: Path) -> None:
    """10 MB here; 500 MB take fifty times as long."""
    log, times = tmp_path / "log", 1_000
    block = b"INFO: [Synth 8-6157] synthesizing module 'thing' [file.v:10]\n" * 150 + b"WARNING: [A 1-1] a\n"
    log.write_bytes(block * times + b"x" * 3_000_000 + b"\nERROR: [A 1-2] at the end\n")
    counts, follower, began = Counts(), Follower(log), time.process_time()
    follower.read(counts, to_end=True)
    assert time.process_time() - began < 0.5
    assert counts.warnings == times
    assert follower.first[Weight.CAUSE].line == times * 151 + 2
