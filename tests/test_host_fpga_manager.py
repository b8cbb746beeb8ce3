# SPDX-License-Identifier: BSD-3-Clause
"""The FPGA manager's attributes as files, and bitstreams as a user has them."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from shellgen.resources import data_dir
from shellgen_host import InputError
from shellgen_host.files import read_bitstream

WORDS = [0xFFFFFFFF] * 8 + [0xAA995566, 0x20000000, 0x30022001]

MAIN = r"""
#include <iostream>
#include "fpga_manager.h"
#include "settings.h"
int main(int, char **words) {
    try {
        shellgen::FpgaManager manager(words[1], words[2], words[3]);
        std::cout << manager.programmed() << std::endl;
        manager.program(words[4]);
        std::cout << manager.programmed() << std::endl;
    } catch (const shellgen::InputError &error) {
        std::cout << "input: " << error.what() << std::endl;
    } catch (const shellgen::BoardError &error) {
        std::cout << "board: " << error.what() << std::endl;
    }
}
"""


def big() -> bytes:
    return struct.pack(f">{len(WORDS)}I", *WORDS)


def little() -> bytes:
    return struct.pack(f"<{len(WORDS)}I", *WORDS)


def bit(payload: bytes) -> bytes:
    """A .bit: fields with their lengths before the configuration data."""
    fields = b"".join(
        bytes([key]) + struct.pack(">H", len(text)) + text
        for key, text in zip(b"abcd", (b"top\0", b"7z020\0", b"2026/01/01\0", b"10:00:00\0"), strict=True)
    )
    return (
        bytes.fromhex("00090ff00ff00ff00ff0000001")
        + fields
        + b"e"
        + struct.pack(">I", len(payload))
        + payload
    )


def test_bitstreams(tmp_path: Path) -> None:
    for name, content in (("a.bit", bit(big())), ("b.bin", little()), ("c.bin", big())):
        (tmp_path / name).write_bytes(content)
        assert read_bitstream(tmp_path, name[0]) == little()
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "d.bit").write_bytes(bit(big()))
    assert read_bitstream(tmp_path, "d") == little()
    cases = {
        "cut.bit": (bit(big())[:-4], "its header is damaged, or it is cut off"),
        "text.bin": (b"not a bitstream", "it has no sync word"),
        "odd.bin": (big() + b"x", "it has no sync word"),
        "long.bit": (bit(big())[:14] + b"\xff\xff" + bit(big())[16:], "its header is damaged"),
    }
    for name, (content, said) in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=said):
            read_bitstream(tmp_path, name.partition(".")[0])
    with pytest.raises(InputError, match="there is no bitstream of node none; it needs one of "):
        read_bitstream(tmp_path, "none")


def test_the_manager(tmp_path: Path) -> None:
    """Attributes that are written; refusals: no manager, a store elsewhere, a state that is not operating."""
    node = data_dir("host") / "node"
    (tmp_path / "main.cpp").write_text(MAIN)
    program = tmp_path / "manager"
    sources = [tmp_path / "main.cpp", node / "fpga_manager.cpp"]
    subprocess.run(["g++", "-std=c++17", f"-I{node}", *map(str, sources), "-o", program], check=True)
    device, firmware = tmp_path / "fpga0", tmp_path / "firmware"
    store = firmware / "shellgen"
    store.mkdir(parents=True)
    device.mkdir()
    file = store / ("ab" * 32)
    file.write_bytes(little())

    def run(place: Path = store) -> list[str]:
        words = [str(program), str(device), str(firmware), str(place), str(file)]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()

    assert run() == [f"input: --fpga: {device}: it has no state; the kernel has no FPGA manager there"]
    for name, text in (("state", "operating\n"), ("flags", "1\n"), ("firmware", "")):
        (device / name).write_text(text)
    assert run() == ["1", "1"]
    assert (device / "flags").read_text() == "0\n"
    assert (device / "firmware").read_text() == f"shellgen/{'ab' * 32}\n"
    (device / "state").write_text("write init error\n")
    said = "the FPGA manager did not take the bitstream: its state is 'write init error'"
    assert run() == ["0", f"board: {said}"]
    assert run(tmp_path)[0].startswith(f"input: --store: {tmp_path}: the kernel reads bitstreams below")
