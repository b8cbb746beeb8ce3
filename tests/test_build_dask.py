# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen build` on workers of Dask: real processes, one of which is killed in the middle."""

from __future__ import annotations

import importlib
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from build_site import Site, site
from test_build import names, record, refused
from waiting import PATIENCE, until

from shellgen.cli import main

pytestmark = [pytest.mark.sweep, pytest.mark.xdist_group("dask")]
Said = pytest.CaptureFixture[str]
SMALL = (
    "--memory",
    "1",
)  # that a node takes: the machine of the test need not have what a card's build takes
# Waits in mid-build until the test lets it go on, and says who it is.
WAIT = 'echo $$ > "$STAND_IN/$node.busy"; while [ ! -e "$STAND_IN/go" ]; do sleep 0.05; done'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    found = site(tmp_path, count=2)
    for name, value in found.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return found


@pytest.fixture
def cluster(here: Site) -> Iterator[Any]:  # noqa: ARG001 - workers take its environment
    start: Any = importlib.import_module(
        "distributed"
    ).LocalCluster  # a second, which collecting need not take
    with start(n_workers=2, threads_per_worker=1, memory_limit="2GiB", dashboard_address=None) as made:
        yield made


def ancestors(pid: int) -> list[int]:
    found = [pid]
    while found[-1] > 1:
        found.append(int(Path(f"/proc/{found[-1]}/stat").read_text().rpartition(")")[2].split()[1]))
    return found


def test_a_worker_that_is_killed_in_mid_build(here: Site, cluster: Any, capsys: Said) -> None:
    """Its tools end with it, and what it had begun is built elsewhere, from where it stopped."""
    here.told("card0", "v++", WAIT)
    busy = here.root / "stand_in/card0.busy"
    codes: list[int] = []
    words = ["build", "out", *SMALL, "--on", cluster.scheduler_address]
    assert main([*words, "--node", "card1"]) == 0
    words += ["--again", "--node", "card0"]
    thread = threading.Thread(target=lambda: codes.append(main(words)))
    thread.start()
    until(lambda: busy.exists() and busy.read_text())
    first = int(busy.read_text())
    workers = [worker.pid for worker in cluster.workers.values()]
    (victim,) = [pid for pid in ancestors(first) if pid in workers]
    busy.unlink()
    os.kill(victim, signal.SIGKILL)
    until(lambda: busy.exists() and busy.read_text())
    assert not Path(f"/proc/{first}").exists(), "two of them would write the same files"
    (here.root / "stand_in/go").touch()
    thread.join(PATIENCE)
    said = capsys.readouterr()
    assert codes == [0], said
    calls = here.calls
    assert (calls.count("card0 vivado"), calls.count("card0 v++")) == (1, 2), "what was finished is kept"
    assert list(here.state()["stages"]) == ["kernel", "vnx", "link"]
    assert "card0 link: done" in said.err
    assert not list(here.out.glob(".shellgen-*"))


def test_workers_report_and_build_what_is_left(here: Site, cluster: Any, capsys: Said) -> None:
    here.told("card1", "v++", "echo 'ERROR: [Synth 8-439] nothing'; exit 1")
    on = (*SMALL, "--on", cluster.scheduler_address)
    found = record(capsys, *on, code=1)
    assert found["nodes"][0]["products"] == ["card0/vitis/build/card0.xclbin"]
    assert found["nodes"][1]["failure"]["said"] == "ERROR: [Synth 8-439] nothing"
    assert here.calls
    here.untold("card1", "v++")
    assert main(["build", "out", *on]) == 0
    assert names(here.calls) == ["card1 v++"]
    assert main(["build", "out", "--on", "tcp://127.0.0.1:1"]) == 0, "nothing is left for any worker"
    product = here.out / "card0/vitis/build/card0.xclbin"
    (line,) = refused(capsys, "--again", "--node", "card0", *on[2:])
    assert "it is expected to need 29 GiB, and no worker has more than 2.0 GiB" in line
    assert product.exists()


def test_workers_that_cannot_build_are_told(
    here: Site, cluster: Any, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    on = (*SMALL, "--on", cluster.scheduler_address)
    lines = refused(capsys, *on, "--set", "VNX=nowhere")
    assert "is left out: it has no folder" in lines[0]
    monkeypatch.setattr("shellgen.build.worker.__version__", "9.9")
    assert "it has shellgen 0.1.0, and not 9.9" in refused(capsys, *on)[0]
    assert here.calls == []


def test_ctrl_c_ends_the_tools_of_workers(here: Site, cluster: Any) -> None:
    here.told("card0", "v++", WAIT)
    busy = here.root / "stand_in/card0.busy"
    with here.start(*SMALL, "--on", cluster.scheduler_address, "--node", "card0") as process:
        until(lambda: busy.exists() and busy.read_text())
        os.kill(process.pid, signal.SIGINT)
        _, told = process.communicate()
        assert process.returncode == 130, told
    assert not Path(f"/proc/{int(busy.read_text())}").exists()
    assert list(here.state()["stages"]) == ["kernel", "vnx"]


def test_a_client_that_is_killed_leaves_no_tool_behind(here: Site, cluster: Any) -> None:
    here.told("card0", "v++", WAIT)
    busy = here.root / "stand_in/card0.busy"
    with here.start(*SMALL, "--on", cluster.scheduler_address, "--node", "card0") as process:
        until(lambda: busy.exists() and busy.read_text())
        process.kill()
    until(lambda: not Path(f"/proc/{int(busy.read_text())}").exists())


def test_no_scheduler(here: Site, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellgen.build.remote._CONNECT", 0.3)
    (line,) = refused(capsys, "--on", "tcp://127.0.0.1:1")
    assert "no scheduler of Dask answers" in line
    assert here.calls == []


SBATCH = """#!/bin/sh
# A job begins at once, in a session of its own. Its script is copied, since the caller removes it.
for last; do :; done
cp "$last" "$0.$$"
setsid sh "$0.$$" > "$0.log" 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = '#!/bin/sh\nfor job; do kill -TERM -- "-$job" 2>/dev/null; done\nexit 0\n'


def test_workers_from_a_queue(
    here: Site, capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """dask-jobqueue itself, with stubs of Slurm's commands."""
    tools = tmp_path / "slurm"
    tools.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    found = record(capsys, "--queue", "slurm", "--jobs", "1", "--node", "card0", *SMALL)
    assert found["nodes"][0]["products"] == ["card0/vitis/build/card0.xclbin"]
    assert here.calls
    until(lambda: not [line for line in here.alive() if "dask" in line])


def test_dask_is_asked_for_only_where_it_is_needed(
    here: Site, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    (line,) = refused(capsys, "--on", "tcp://127.0.0.1:1")
    assert "Dask is not installed" in line
    assert here.calls == []
