# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen install`, through an ssh that runs its command on this machine and writes below a folder."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from bad_input import good_system
from test_stitch import executable

from shellgen.cache import default_cache_dir
from shellgen.cli import main
from shellgen.rehearse.node_program import node_program
from shellgen.simulate.tools import find_verilator

pytestmark = pytest.mark.xdist_group("rehearse")
SSH = """#!/bin/sh
echo "$1" >> "{log}"
DESTDIR="{boards}/$1"
export DESTDIR
exec sh -c "$2"
"""
HOSTS = """keys = "keys/operator"
[[node]]
name = "zed0"
address = "192.168.0.10:5000"
[[node]]
name = "zed1"
address = "[fd00::1]:5000"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a cluster with keys, and an ssh that writes to ``boards``."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(good_system() / "out", "out")
    assert main(["host", "keys", "out"]) == 0
    Path("hosts.toml").write_text(HOSTS)
    executable(tmp_path / "bin/ssh", SSH.format(log=tmp_path / "log", boards=tmp_path / "boards"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return tmp_path


@pytest.fixture(scope="module")
def program() -> Path:
    return node_program(find_verilator(), default_cache_dir())


def words(program: Path, *more: str) -> list[str]:
    return ["install", "out", "--hosts", "hosts.toml", "--program", str(program), *more]


def test_each_board_gets_what_its_service_reads(
    here: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--buffers /dev/none --slots 4"
    assert main(words(program, "--options", options)) == 0
    said = capsys.readouterr().out
    assert "zed0: shellgen-node runs on root@192.168.0.10, and listens at 192.168.0.10:5000" in said
    assert Path("log").read_text().split() == ["root@192.168.0.10", "root@fd00::1"]
    for name, target in (("zed0", "root@192.168.0.10"), ("zed1", "root@fd00::1")):
        board = here / "boards" / target
        service = (board / "etc/systemd/system/shellgen-node@.service").read_text()
        asked = [line.partition("=")[2] for line in service.splitlines()]
        read = [one.partition(":")[2] for one in asked if ":/" in one] + [
            one for one in asked if one.startswith("/etc/")
        ]
        assert len(read) == 4
        assert all((board / one.replace("%i", name).lstrip("/")).is_file() for one in read)
        assert (board / "lib/firmware/shellgen").is_dir()
        key = board / f"etc/shellgen/keys/{name}/key.pem"
        assert key.read_bytes() == (here / "keys" / name / "key.pem").read_bytes()
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
        # The service's own user reads these.
        assert stat.S_IMODE((board / "etc/shellgen").stat().st_mode) == 0o755
        assert stat.S_IMODE((board / "etc/shellgen/memory_map.json").stat().st_mode) == 0o644
        # The installed program takes all options, up to the memory that this machine has not.
        options = (board / f"etc/shellgen/{name}.env").read_text().strip().removeprefix("OPTIONS=")
        command: list[object] = [
            board / "usr/local/bin/shellgen-node",
            "--map",
            board / "etc/shellgen/memory_map.json",
        ]
        command += ["--node", name, "--keys", key.parent, *shlex.split(options)]
        ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert ran.returncode == 2
        assert "/dev/none" in ran.stderr
    leaves = "--connect StreamingDataflowPartition_0_to_StreamingDataflowPartition_1=[fd00::1]:5000"
    assert leaves in (here / "boards/root@192.168.0.10/etc/shellgen/zed0.env").read_text()
    assert "--connect" not in (here / "boards/root@fd00::1/etc/shellgen/zed1.env").read_text()


def test_one_board_and_another_user(here: Path, program: Path) -> None:
    executable(here / "bin/sudo", '#!/bin/sh\n[ "$1" = -n ] || exit 9\nshift\nexec "$@"\n')
    Path("out/zed1/weights").mkdir()
    Path("out/zed1/weights/s_axis_1.bin").write_bytes(b"weights")
    memory_map = json.loads(Path("out/memory_map.json").read_text())
    memory_map["nodes"][1]["streams"][0]["weights"] = "zed1/weights/s_axis_1.bin"
    Path("out/memory_map.json").write_text(json.dumps(memory_map))
    Path("out/manifest.json").unlink()  # it has the digest of the map before
    assert main(words(program, "--node", "zed1", "--user", "xilinx", "--sudo")) == 0
    assert Path("log").read_text().split() == ["xilinx@fd00::1"]
    board = here / "boards/xilinx@fd00::1"
    weights = board / "etc/shellgen/zed1/weights/s_axis_1.bin"
    assert (weights.read_bytes(), stat.S_IMODE(weights.stat().st_mode)) == (b"weights", 0o644)
    given = "OPTIONS=--listen [fd00::1]:5000 --buffers /dev/udmabuf0 --store /lib/firmware/shellgen\n"
    assert (board / "etc/shellgen/zed1.env").read_text() == given
    (board / "usr/local/bin/shellgen-node").write_text("old")
    assert main(words(program, "--node", "zed1", "--user", "xilinx")) == 0
    assert (board / "usr/local/bin/shellgen-node").read_bytes() == program.read_bytes()


CASES = {
    "program": ("README", "this is no program"),
    "ssh": ("node zed0", "root@192.168.0.10: ssh: no route to host"),
    "another processor": ("node zed0", "shellgen-node does not run here"),
    "no keys": ("hosts.toml: keys", "the service runs with keys only"),
    "a key": ("keys/zed1/sign.pem", "No such file"),
    "node": ("--node", "the cluster has no node zed7"),
    "no ssh": ("install", "there is no ssh"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_said_and_no_board_is_half_done(
    case: str, here: Path, program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given, more = program, []
    if case == "program":
        given = here / "README"
        given.write_text("no program")
    elif case == "ssh":
        executable(here / "bin/ssh", "#!/bin/sh\necho 'ssh: no route to host\x1b[2J' >&2\nexit 255\n")
    elif case == "another processor":
        given = here / "node"
        given.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(60))
    elif case == "no keys":
        Path("hosts.toml").write_text(HOSTS.partition("\n")[2])
    elif case == "a key":
        (here / "keys/zed1/sign.pem").unlink()
    elif case == "node":
        more = ["--node", "zed7"]
    else:
        monkeypatch.setenv("PATH", "/nowhere")
    capsys.readouterr()
    assert main(words(given, *more)) == 2
    said = capsys.readouterr().err
    where, found = CASES[case]
    assert where in said
    assert found in said
    assert "\x1b" not in said
    assert not list((here / "boards").rglob("shellgen-node"))
