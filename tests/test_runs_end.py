# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are killed, and two at once: nothing is left behind, and nothing is taken for a verdict."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from cluster_bench import generate_fake
from fake_network import chain, one_each, partition
from waiting import PATIENCE, killed_at_the_end, until

from shellgen.cli import main
from shellgen.disk.in_use import LOCK
from shellgen.disk.locks import locked
from shellgen.disk.output import write
from shellgen.errors import InputError, ToolMissingError
from shellgen.model import Artifact
from shellgen.process import keeper
from shellgen.process.kept import Kept, run_kept
from shellgen.resources import data_dir
from shellgen.simulate import ModelSpec, Simulator, build_model, tools

MODULES = Path(__file__).with_name("simulate_modules")
SMALL = (data_dir("sim") / "bench_clock.sv", MODULES / "small_top.sv")
_RUN = """
import os, sys
from pathlib import Path
from shellgen.disk.locks import locked
from shellgen.simulate import ModelSpec, build_model, run_model
folder, modules, simulator = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
model = build_model(ModelSpec([Path(name) for name in sys.argv[4:]], "small_top"), simulator)
test = os.getppid()
with locked(folder / "run.lock") as lock:
    # No limit of time: on a loaded machine, the test might still need the run when it is up.
    alone = lambda: "" if os.getppid() == test else "the test has ended"
    run_model(model, "endless", [modules], folder, held=[lock], meanwhile=alone)
"""


def below(pid: int) -> list[int]:
    return keeper.descendants(pid, keeper.processes())


def name(pid: int) -> str:
    """Return the program of a process: that of the keeper until it has become its own."""
    with suppress(OSError):  # it has ended
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def runs(pid: int) -> bool:
    return pid in keeper.processes()


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)])
def test_a_killed_run_leaves_no_simulator_and_its_lock_is_free(simulator: Simulator, tmp_path: Path) -> None:
    build_model(ModelSpec(SMALL, "small_top"), simulator)
    command = [sys.executable, "-c", _RUN, str(tmp_path), str(MODULES), simulator, *map(str, SMALL)]
    started = (
        tmp_path / "endless.pid"
    )  # the simulator itself writes it; before, tools are asked for their versions
    with killed_at_the_end(subprocess.Popen(command)) as caller:
        until(started.exists, caller)
        left = below(caller.pid)
        assert int(started.read_text()) in left
        with pytest.raises(BlockingIOError), locked(tmp_path / "run.lock"):
            pass
        caller.kill()
    until(lambda: not any(map(runs, left)))
    with locked(tmp_path / "run.lock"):
        pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_keeper_that_is_ended_ends_all(number: int, request: pytest.FixtureRequest) -> None:
    """A tool that starts others and does not listen; a killed keeper can end its own child only."""
    if number == signal.SIGHUP:  # the tests' parent may have set it to be ignored, as nohup does
        before = signal.signal(number, signal.SIG_DFL)
        request.addfinalizer(lambda: signal.signal(number, before))
    deaf = "trap '' TERM HUP; sleep 3600 & echo; wait" if number != signal.SIGKILL else "exec sleep 3600"
    program = Kept(["sh", "-c", deaf], output=subprocess.PIPE, grace=0.2)
    until(lambda: any(name(pid) == "sleep" for pid in below(program.pid)))
    left = below(program.pid)
    os.kill(program.pid, number)
    assert program.wait(PATIENCE) < 0
    until(lambda: not any(map(runs, left)))


def test_a_program_is_run_to_its_end_and_what_it_leaves_is_ended() -> None:
    assert run_kept(["sh", "-c", "echo out; echo err >&2; exit 3"]) == (3, "out\nerr\n")
    assert run_kept(["sh", "-c", "kill -SEGV $$"])[0] == -signal.SIGSEGV
    assert run_kept(["/no/such/program"]) == (
        keeper.NOT_STARTED,
        "/no/such/program: No such file or directory\n",
    )
    code, said = run_kept(["sh", "-c", "sleep 3600 > /dev/null 2>&1 & echo $!"])
    assert not code
    assert not runs(int(said))


# Of a supervisor that ignores or blocks signals, which programs that it starts inherit.
_DEAF = """
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
"""
_COMMAND = """
from shellgen.cli import entry
from shellgen.cli.command import Answer
from shellgen.process.kept import run_kept
entry._answer = lambda *_, **__: Answer(str(run_kept(["sh", "-c", "exit 3"])), {})
entry.main([])
"""


def test_signals_that_a_caller_ignores_or_blocks_hide_no_exit_code() -> None:
    """All programs would seem to succeed, and the keeper would wait indefinitely."""
    done = subprocess.run(
        [sys.executable, "-c", _DEAF, _COMMAND], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.stdout == "(3, '')\n", done.stderr


def test_two_at_once_are_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = chain(partition("a"), partition("b"))
    out = generate_fake(network, one_each(network), tmp_path / "out")
    files = sorted(out.rglob("*"))
    plan = Artifact.text("plan.json", (out / "plan.json").read_text())
    with locked(out / "bench" / "run_icarus.lock"):
        assert main(["simulate", str(out), "--simulator", "icarus"]) == 2
    said = capsys.readouterr().err
    assert "another command works in this folder (process" in said
    assert str(os.getpid()) in said
    assert "pytest" in said or "execnet" in said or "python" in said
    busy = pytest.raises(InputError, match="another command works in this folder")
    with locked(out / LOCK, shared=True), locked(out / LOCK, shared=True), busy:
        write((), out)
    write((plan,), out, keep=True)
    (out / LOCK).touch()  # of a run that was killed
    write((plan,), out, keep=True)
    assert sorted(out.rglob("*")) == files
    (out / "bench" / "run_icarus.lock").symlink_to(tmp_path / "elsewhere")
    assert main(["simulate", str(out), "--simulator", "icarus"]) == 2
    assert "a run has to write there (Too many levels of symbolic links)" in capsys.readouterr().err
    assert not (tmp_path / "elsewhere").exists()


def test_a_compiler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "foo -O2")
    tools.find_verilator.cache_clear()
    with pytest.raises(ToolMissingError, match=r"CXX: there is no program 'foo -O2' to run\. Let CXX name"):
        tools.find_verilator()
    tools.find_verilator.cache_clear()
