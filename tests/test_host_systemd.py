# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node as a service: what its unit permits, and the messages that it sends to systemd."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from host_pair import Running, files, out  # noqa: F401 - fixtures

from shellgen.rehearse.processes import NodeFiles

pytestmark = pytest.mark.xdist_group("rehearse")

UNITS = Path(__file__).parents[1] / "host" / "systemd"
MOST_EXPOSURE = 25  # tenths


@pytest.fixture
def notified(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket of a service manager."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.bind(str(tmp_path / "notify"))
        one.settimeout(20)
        yield one


def test_messages_to_systemd(
    out: Path,  # noqa: F811
    files: dict[str, NodeFiles],  # noqa: F811
    tmp_path: Path,
    notified: socket.socket,
) -> None:
    """READY when it listens, and a sign of life within half of the watchdog's time."""
    given = files["two"]
    for path in given.data:
        (tmp_path / path.name).symlink_to(path.resolve())
    words = [given.program, "--map", out / "memory_map.json", "--node", "two", "--model", given.core[1]]
    environment = {**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "400000"}
    process = subprocess.Popen(
        [*map(str, words), "--listen", "127.0.0.1:0"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    try:
        assert [notified.recv(100) for _ in range(4)] == [b"READY=1", *[b"WATCHDOG=1"] * 3]
    finally:
        process.kill()
        process.wait()


def test_the_unit_names_what_the_program_has(files: dict[str, NodeFiles]) -> None:  # noqa: F811
    """Its options exist, it is not root, and it is restarted."""
    text = (UNITS / "shellgen-node@.service").read_text()
    lines = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
    ran = subprocess.run([str(files["two"].program), "--help"], capture_output=True, text=True, check=True)
    for word in lines["ExecStart"].split():
        if word.startswith("--"):
            assert f"  {word} " in ran.stdout
    assert (lines["User"], lines["Type"], lines["DevicePolicy"]) == ("shellgen", "notify", "closed")
    assert int(lines["WatchdogSec"]) <= 10
    assert all(
        'GROUP="shellgen"' in line
        for line in (UNITS / "70-shellgen.rules").read_text().splitlines()
        if "KERNEL" in line
    )


@pytest.mark.sweep
def test_exposure(tmp_path: Path) -> None:
    """`systemd-analyze security` says at most 2.5, and `verify` finds nothing."""
    tool = shutil.which("systemd-analyze")
    assert tool, "systemd-analyze is missing: apt-get install systemd"
    unit = tmp_path / "shellgen-node@zed0.service"
    shutil.copy(UNITS / "shellgen-node@.service", unit)
    command = [tool, "security", "--offline=true", f"--threshold={MOST_EXPOSURE}", "--no-pager", str(unit)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert "Overall exposure level" in ran.stdout
    unit.write_text(unit.read_text().replace("/usr/local/bin/shellgen-node", "/bin/true"))
    ran = subprocess.run([tool, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False)
    assert not [line for line in ran.stderr.splitlines() if "zed0" in line], ran.stderr
    unit.write_text(
        unit.read_text().replace("User=shellgen", "User=root").replace("ProtectSystem=strict", "")
        + "PrivateTmp=no\n"
    )
    for line in (
        "NoNewPrivileges=yes",
        "SystemCallFilter=@system-service",
        "CapabilityBoundingSet=CAP_SYS_RAWIO",
    ):
        unit.write_text(unit.read_text().replace(line, ""))
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
