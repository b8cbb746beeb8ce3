# SPDX-License-Identifier: BSD-3-Clause
"""Pipes, sockets, devices, folders and dead links in the place of any file that shellgen reads."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz.campaign import Campaign
from fuzz.seeds import Target
from fuzz.victim import Ending, judge, run

from vivado_check.formats.files import NoPlainFileError, file_bytes, file_text


def fifo(path: Path) -> None:
    os.mkfifo(path)


def bound(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # the address of a socket is short
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


ODD: dict[str, Callable[[Path], None]] = {
    "pipe": fifo,
    "socket": bound,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": lambda path: path.mkdir(),
    "dead link": lambda path: path.symlink_to("nowhere"),
}


def test_only_plain_files_are_opened(tmp_path: Path) -> None:
    for kind, make in ODD.items():
        make(tmp_path / kind)
        with pytest.raises(OSError, match=r"is a|No such file") as error:
            file_bytes(tmp_path / kind)
        dead = kind == "dead link"
        assert isinstance(error.value, FileNotFoundError if dead else NoPlainFileError)
        assert dead or kind in str(error.value)
    (tmp_path / "text").write_bytes(b"a\r\nb\rc\n\xff")
    assert file_text(tmp_path / "text", errors="replace") == "a\nb\nc\n\ufffd"
    with pytest.raises(OSError, match="MiB"):
        file_bytes(tmp_path / "text", 5)
    os.truncate(tmp_path / "text", 1 << 40)
    with pytest.raises(OSError, match="has more than 2048 MiB"):
        file_bytes(tmp_path / "text")


def odd(campaign: Campaign, target: Target, kind: str, argv: tuple[str, ...]) -> str:
    """Run a command with the odd file in place; return what is wrong, if anything is."""
    path = target.system / target.path
    kept = path.read_bytes()
    path.unlink()
    ODD[kind](path)
    code, out, err, hung = run(argv, target.system, campaign.said)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.write_bytes(kept)
    found = judge(Ending(argv, code, out, err, hung, []))
    return f"{target.path} as a {kind}: {argv}: {found}" if found else ""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return Campaign(tmp_path_factory.mktemp("odd"))


@pytest.mark.sweep
def test_a_pipe_in_the_place_of_any_file(campaign: Campaign) -> None:
    found = [odd(campaign, group[-1], "pipe", group[-1].commands[0]) for _, group in campaign.groups]
    assert not list(filter(None, found))


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ODD)
def test_anything_in_the_place_of_any_file(campaign: Campaign, kind: str) -> None:
    found = [
        odd(campaign, target, kind, argv)
        for _, group in campaign.groups
        for target in {group[0].path: group[0], group[-1].path: group[-1]}.values()
        for argv in target.commands
    ]
    assert not list(filter(None, found))
