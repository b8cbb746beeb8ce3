# SPDX-License-Identifier: BSD-3-Clause
"""libshellgen_host as programs see it: header and symbols, callers of other versions, Python without it."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_library import NODE, library, use_library
from test_file_format import ROOT
from test_host_linux_board import Devices, running

from shellgen_host import native_library, native_types
from shellgen_host.crc32c import crc32c
from shellgen_host.errors import HostError, InputError, NodeError
from shellgen_host.native import NativeNode

HEADER = NODE / "shellgen_host.h"
EXAMPLE = ROOT / "docs" / "example" / "out" / "memory_map.json"
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
LANGUAGES = {"c": ("gcc", "-std=c11"), "cpp": ("g++", "-std=c++11", "-x", "c++")}


@pytest.fixture(autouse=True)
def made() -> Iterator[Path]:
    """The library, which this process uses."""
    before = os.environ.get(native_library.VARIABLE)
    use_library(library())
    yield library()
    use_library(before)


def compiled(folder: Path, text: str, language: str = "c", *more: str) -> Path:
    source, program = folder / "program.c", folder / f"program_{language}"
    source.write_text(text)
    command = [*LANGUAGES[language], *STRICT, f"-I{NODE}", str(source), "-o", str(program), *more]
    subprocess.run(command, check=True)
    return program


@pytest.mark.parametrize("language", LANGUAGES)
def test_structs_are_those_of_python(language: str, tmp_path: Path) -> None:
    """The header is C and C++ without a warning, and ctypes has the same sizes and places."""
    lines, wanted = [], []
    for name, struct in native_types.STRUCTS.items():
        for field in struct._fields_:
            lines.append(f"offsetof(struct shellgen_host_{name}, {field[0]})")
            wanted.append(getattr(struct, field[0]).offset)
        lines.append(f"sizeof(struct shellgen_host_{name})")
        wanted.append(ctypes.sizeof(struct))
    told = "".join(f'printf("%zu\\n", (size_t){line});' for line in [*lines, "SHELLGEN_HOST_VERSION"])
    text = f'#include "shellgen_host.h"\n#include <stdio.h>\nint main(void) {{ {told} return 0; }}\n'
    ran = subprocess.run([compiled(tmp_path, text, language)], capture_output=True, text=True, check=True)
    assert [int(line) for line in ran.stdout.split()] == [*wanted, native_types.VERSION]
    assert set(re.findall(r"^struct shellgen_host_(\w+) \{", HEADER.read_text(), re.M)) == set(
        native_types.STRUCTS
    )


def test_it_exports_its_functions_only(made: Path) -> None:
    told = subprocess.run(["nm", "-D", "--defined-only", made], capture_output=True, text=True, check=True)
    found = {line.split()[-1] for line in told.stdout.splitlines()}
    assert found == set(re.findall(r"^SHELLGEN_API .*\b(shellgen_\w+)\(", HEADER.read_text(), re.M))
    assert "asio" not in subprocess.run(["nm", "-C", made], capture_output=True, text=True, check=True).stdout
    needed = subprocess.run(["readelf", "-d", made], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"NEEDED.*(ssl|crypto)", needed)


def opened(options: Any) -> tuple[int, str]:
    found, handle = native_library.library(), ctypes.c_void_p()
    result = found.shellgen_open(options and ctypes.byref(options), ctypes.byref(handle))
    text = found.shellgen_error(handle).decode()
    assert found.shellgen_check(handle) == -1, "nothing was opened"
    assert found.shellgen_error(handle) == b"the node was not opened"
    found.shellgen_close(handle)
    return result, text


def test_callers_of_another_version_get_a_sentence() -> None:
    size = ctypes.sizeof(native_types.Options)
    for options, said in (
        (None, "options: it is NULL"),
        (native_types.Options(), "options.size: it is 0, and this library has "),
        (native_types.Options(size=size - 8, version=1), "options.size: it is "),
        (native_types.Options(size=size, version=7), "version: the program was compiled for version 7"),
        (native_types.Options(size=size, version=1), "map: it is missing"),
        (native_types.Options(size=size, version=1, map=b"x"), "node: it is missing"),
        (native_types.Options(size=size, version=1, map=b"/none", node=b"x"), "/none: it cannot be opened"),
        (native_types.Options(size=size, version=1, map=b"/", node=b"x"), "/: it cannot be read; give"),
    ):
        result, text = opened(options)
        assert (result, text[: len(said)]) == (-1, said)
        assert "\n" not in text
    bus = native_types.Registers(size=4)
    options = native_types.Options(size=size, version=1, map=os.fsencode(EXAMPLE), node=b"zed0")
    options.own_registers = ctypes.pointer(bus)
    assert opened(options)[1].startswith("own_registers.size: it is 4, and this library has ")
    bus.size = ctypes.sizeof(bus)
    assert opened(options)[1] == "own_registers: read or write is missing"
    found = native_library.library()
    assert (found.shellgen_check(None), found.shellgen_error(None)) == (-1, b"there is no handle")
    assert found.shellgen_open(None, None) == -1
    found.shellgen_close(None)


def test_a_map_that_python_cannot_read(tmp_path: Path) -> None:
    """A layout that is not there, and a file that is too deep, are named where they are needed first."""
    whole = json.loads(EXAMPLE.read_text())
    del whole["nodes"][0]["streams"][0]["layout"]
    (tmp_path / "map.json").write_text(json.dumps(whole))
    deep = json.dumps(whole).replace('"cluster":', '"deep": ' + "[" * 3000 + "]" * 3000 + ', "cluster":')
    (tmp_path / "deep.json").write_text(deep)
    for name in ("map", "deep"):
        with NativeNode(tmp_path / f"{name}.json", "zed0", bus=Nothing()) as node:
            said = r"json: stream 0 of node zed0 has no layout; generate the folder again$"
            with pytest.raises(InputError, match=said):
                node.run({"s_axis_0": np.zeros((1, 4))})


class Nothing:
    """A bus that answers every access with an error."""

    def read(self, address: int) -> int:
        raise OSError(address)

    def write(self, address: int, _: int) -> None:
        raise ValueError(address)


def test_what_a_bus_answers() -> None:
    with NativeNode(EXAMPLE, "zed0", bus=Nothing()) as node:
        with pytest.raises(NodeError, match=r"^address 0x40000000 was answered with an error$"):
            node.check()
        with pytest.raises(ValueError, match="64"):
            node.write(64, 0)
        for address, said in ((66, "address: it is not a multiple of 4"), (1 << 63, "was answered with")):
            with pytest.raises(NodeError, match=said):
                node.read(address)
        with pytest.raises(InputError, match="4294967296 has more than 32 bits"):
            node.write(0, 1 << 32)
        with pytest.raises(NodeError, match=r"^stream: there is no stream of this number$"):
            node.share(1, 99)
        name = next(one.name for one in node.streams if one.enters)
        with pytest.raises(InputError, match=r"^x: no stream of this name enters node zed0; it has "):
            node.run({"x": np.zeros((1, 4))})
        with pytest.raises(InputError, match=r"its array is uint8 \(1, 3\); give uint8 \(frames, "):
            node.run({name: np.zeros((1, 3), np.uint8)}, packed=True)
        with pytest.raises(InputError, match="no stream tells how many frames enter node zed0: give frames"):
            node.run({})
        job = native_types.RunJob(size=ctypes.sizeof(native_types.RunJob), frames=(1 << 64) - 1)
        data = (ctypes.c_void_p * len(node.streams))()
        job.data, job.streams = ctypes.cast(data, ctypes.c_void_p), len(node.streams)
        with pytest.raises(NodeError, match=r"^frames: 18446744073709551615 are too many for one run$"):
            node._do("run", ctypes.byref(job))
        with pytest.raises(NodeError, match=r"^nothing feeds s_axis_0 \(.*\): give data for stream 0$"):
            node.run({}, 4)
    with pytest.raises(InputError, match="node zed0: it is closed"):
        node.check()
    with pytest.raises(InputError, match=r"^buffers: own_registers are given; leave one of both out$"):
        NativeNode(EXAMPLE, "zed0", bus=Nothing(), buffers="x")
    with pytest.raises(InputError, match=r"^buffer: there is no such option; there are buffers, device, "):
        NativeNode(EXAMPLE, "zed0", buffer="x")  # type: ignore[call-arg, unused-ignore]


FRAMES = 24


def test_the_program_of_the_page(made: Path, tmp_path: Path) -> None:
    """As docs/host.md has it; files stand for /dev/mem and u-dma-buf. Then what it says of a mistake."""
    text = (ROOT / "docs" / "host.md").read_text()
    (program,) = re.findall(r"```c\n(.*?)```", text, re.DOTALL)
    where = tmp_path / "devices"
    where.mkdir()
    devices = Devices(where)
    sizes = {one["direction"]: one["frame_bytes"] for one in devices.node["streams"]}
    rng = np.random.default_rng(2)
    frames, results = (rng.integers(0, 256, (FRAMES, sizes[way]), np.uint8) for way in ("rx", "tx"))
    answers = {bytes(x): bytes(y) for x, y in zip(frames, results, strict=True)}
    for old, new in (
        ('"zed0/memory_map.json"', f'"{where / "memory_map.json"}"'),
        ('"zed0"', '"zed1"'),
        ('"/dev/udmabuf0"', f'"{where / "udmabuf0"}"'),
        (
            "options.version =",
            f'options.registers = "{where / "mem"}"; options.sysfs = "{where / "sys"}"; options.version =',
        ),
        ("FRAMES = 100", f"FRAMES = {FRAMES}"),
    ):
        assert program.count(old) == 1, old
        program = program.replace(old, new)
    link = [str(made), f"-Wl,-rpath,{made.parent}"]
    made_program = compiled(tmp_path, program, "c", *link)

    def run() -> subprocess.CompletedProcess[bytes]:
        with running(devices, answers):
            return subprocess.run(
                [made_program], input=frames.tobytes(), capture_output=True, check=False, timeout=60
            )

    done = run()
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == results.tobytes()
    (where / "sys/class/u-dma-buf/udmabuf0/size").write_text("64\n")
    done = run()
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"its 64 bytes are too few by " in done.stderr
    devices.close()


# ---- Python with and without it ------------------------------------------------------------------------
def test_checksums_are_the_same_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.random.default_rng(3).integers(0, 256, 5000, np.uint8)
    cuts = [data[at : at + size] for size in (0, 1, 31, 256, 511, 512, 767, 768, 4097) for at in (0, 1, 7)]
    given: list[Any] = [*cuts, bytes(cuts[5]), bytearray(cuts[7]), memoryview(bytes(cuts[9]))]
    assert native_library.used().startswith("C++ (/")
    fast = [crc32c(one) for one in given]
    monkeypatch.setenv(native_library.VARIABLE, "")
    native_library.library.cache_clear()
    assert native_library.used() == "Python"
    assert fast == [crc32c(one) for one in given]
    assert crc32c(b"123456789") == 0xE3069283


def test_a_library_that_is_broken_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In one sentence; where none is there, Python goes on, but for what only the library does."""
    broken, other, old = tmp_path / "broken.so", tmp_path / "other.so", tmp_path / "old.so"
    broken.write_text("no library")
    for path, text in ((other, "int f(void) { return 0; }"), (old, old_library())):
        source = path.with_suffix(".c")
        source.write_text(text)
        subprocess.run(["gcc", "-shared", "-fPIC", str(source), "-o", str(path)], check=True)
    for path, said in (
        (broken, "broken.so: it cannot be loaded: "),
        (tmp_path / "none.so", "none.so: it cannot be loaded: "),
        (other, "other.so: it is no libshellgen_host; "),
        (old, "old.so: its version is 0, and this package is for 1; compile that of this release"),
    ):
        monkeypatch.setenv(native_library.VARIABLE, str(path))
        native_library.library.cache_clear()
        with pytest.raises(InputError, match=said) as caught:
            crc32c(b"x")
        assert "\n" not in str(caught.value)
    monkeypatch.setenv(native_library.VARIABLE, "")
    native_library.library.cache_clear()
    with pytest.raises(
        InputError, match=r"^libshellgen_host.so: it is not there; compile it \(docs/host.md\)"
    ):
        NativeNode(EXAMPLE, "zed0")
    monkeypatch.delenv(native_library.VARIABLE)
    text = "from shellgen_host.native_library import used; print(used())"
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout == "Python\n"


def old_library() -> str:
    """A library with all functions, of a version before this one."""
    names = re.findall(r"^SHELLGEN_API .*\b(shellgen_\w+)\(", HEADER.read_text(), re.M)
    return "".join(f"int {name}(void) {{ return 0; }}\n" for name in names)


def where(folder: Path) -> dict[str, Any]:
    """Options of a node on such devices."""
    return {"registers": folder / "mem", "buffers": folder / "udmabuf0", "sysfs": folder / "sys"}


def test_ctrl_c_ends_a_run(tmp_path: Path) -> None:
    """While nothing moves: the DMAs come to rest, and the next run is right."""
    devices = Devices(tmp_path)
    sizes = {one["direction"]: one["frame_bytes"] for one in devices.node["streams"]}
    x, y = (np.random.default_rng(4).integers(0, 256, (3, sizes[way]), np.uint8) for way in ("rx", "tx"))
    answers = {bytes(a): bytes(b) for a, b in zip(x, y, strict=True)}

    def stop(done: int, _: int) -> None:
        if done < len(x):
            raise KeyboardInterrupt

    def act() -> None:
        with NativeNode(tmp_path / "memory_map.json", "zed1", **where(tmp_path)) as node:
            name = next(one.name for one in node.streams if one.enters)
            with pytest.raises(KeyboardInterrupt):
                node.run({name: np.zeros((3, sizes["rx"]), np.uint8)}, packed=True, timeout=30, progress=stop)
            for _ in range(2):
                ran = node.run({name: x}, packed=True, batch=1)
                assert np.array_equal(next(iter(ran.outputs.values())), y)
            with pytest.raises(HostError, match=r"zed1: nothing moved for 0.2 s; .* DMASR 0x"):
                node.run({name: np.zeros((3, sizes["rx"]), np.uint8)}, packed=True, batch=1, timeout=0.2)

    with running(devices, answers):
        act()
    devices.close()
