# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node's command line: what is wrong with it in one sentence, and when the program ends."""
# ruff: noqa: F811 - fixtures of host_pair are parameters here

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from host_pair import Running, files, out, running  # noqa: F401 - fixtures

from shellgen.rehearse.processes import NodeFiles

pytestmark = pytest.mark.xdist_group("rehearse")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--map: it is missing; see --help"),
        (["--map", "{map}", "--node", "two"], "--listen: it is missing"),
        (["--map", "{map}", "--node", "six", "{rest}"], "there is no node six; it has one, two"),
        (
            ["--map", "{map}", "--node", "host", "--listen", "127.0.0.1:0"],
            "no stream of the host goes by UDP",
        ),
        (["--map", "{map}", "--node", "host", "{rest}"], "host has no core; leave out --model"),
        (["--map", "nowhere", "--node", "two", "{rest}"], "nowhere: it cannot be opened"),
        (["--map", "{junk}", "--node", "two", "{rest}"], "it is no memory map"),
        (["--map", "{map}", "--node", "one", "{rest}"], "goes to another node: give its address"),
        (
            ["--map", "{map}", "--node", "two", "{rest}", "--connect", "a=b:1"],
            "no boundary a leaves node two",
        ),
        (
            ["--map", "{map}", "--node", "two", "{rest}", "--slots", "1"],
            "--slots: a ring has at least 2 frames",
        ),
        (["--map", "{map}", "--node", "two", "{rest}", "--slots", "1e999"], "'1e999' is not a whole number"),
        (
            ["--map", "{map}", "--node", "two", "{rest}", "--token", "12"],
            "--token: it must have 64 hex digits",
        ),
        (["--map", "{map}", "--node", "two", "{rest}", "--tokn", "12"], "--tokn: there is no such option"),
        (
            ["--map", "{map}", "--node", "two", "{rest}", "--buffers", "/dev/no"],
            "--model, --pace, --buffers, --device: give one",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "127.0.0.1:0", "--buffers", "/dev/udmabuf9"],
            "load the module",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "1.2.3.4:9", "--model", "{core}"],
            "--listen 1.2.3.4:9:",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "127.0.0.1", "--model", "{core}"],
            "has no port: write",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "127.0.0.1:0", "--model", "{junk}"],
            "cannot be loaded",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "127.0.0.1:0", "--model", "{other}"],
            "the core is build",
        ),
    ],
)
def test_a_command_line_that_is_wrong(
    out: Path, files: dict[str, NodeFiles], tmp_path: Path, words: list[str], said: str
) -> None:
    """One sentence on stderr, exit code 2."""
    (tmp_path / "junk").write_text('{"schema_version": 1e999}')
    core = str(files["two"].core[1])
    rest = ["--listen", "127.0.0.1:0", "--model", core]
    given = {"{map}": str(out / "memory_map.json"), "{junk}": str(tmp_path / "junk"), "{core}": core}
    given["{other}"] = str(files["one"].core[1])
    command = [each for word in words for each in (rest if word == "{rest}" else [given.get(word, word)])]
    for path in files["two"].data:
        (tmp_path / path.name).symlink_to(path.resolve())
    ran = subprocess.run(
        [str(files["two"].program), *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 2, ran.stderr
    assert said in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.startswith("shellgen-node: error: ")


def test_a_port_that_is_taken(running: Running, files: dict[str, NodeFiles], tmp_path: Path) -> None:
    host, port = running.hosts["two"]
    command = [str(files["two"].program), "--map", str(running.out / "memory_map.json"), "--node", "two"]
    command += ["--listen", f"{host}:{port}", "--model", str(files["two"].core[1])]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 2
    assert "Address already in use; choose another port" in ran.stderr


def test_a_node_ends_with_what_started_it(running: Running) -> None:
    """However that ended: its standard input is closed then."""
    process = running.nodes["two"]._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    end = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert process.returncode == 0
