# SPDX-License-Identifier: BSD-3-Clause
"""The C programs of templates/host as functions of Python, which gives them their bus."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint32))
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32)
CHECK, PARTIAL = 1, 2
LOAD = """
#define SHELLGEN_NO_MAIN
#include "shellgen_load.c"
int load(const char *name, int (*read)(void *, uint64_t, uint32_t *),
         int (*write)(void *, uint64_t, uint32_t), const char *folder, int flags, uint64_t *counted,
         char *text, size_t size)
{
    struct shellgen_bus bus = {NULL, read, write};
    struct shellgen_error error = {""};
    struct shellgen_loaded loaded = {0, 0, NULL, NULL};
    const struct shellgen_node *node = shellgen_find(name, &error);
    int result = node ? shellgen_load(node, &bus, folder, flags, &loaded, &error) : -1;
    snprintf(text, size, "%s", error.text);
    counted[0] = loaded.memories;
    counted[1] = loaded.registers;
    return result;
}
"""


def build_library(source: Path, folder: Path) -> Path:
    """Compile what reaches cards behind XRT for headers that stand for XRT's (xrt_stand_in)."""
    made, stand_in = folder / "libshellgen_xrt.so", Path(__file__).with_name("xrt_stand_in")
    command = ["g++", "-std=c++17", "-O1", *STRICT, "-shared", "-fPIC", f"-I{stand_in}"]
    subprocess.run([*command, str(source / "shellgen_xrt.cpp"), "-o", str(made)], check=True)
    return made


def compiled(folder: Path, map_folder: Path, host: Path, source: str, name: str) -> Any:
    """Compile a source that includes one of the programs, and load it."""
    program, library = folder / f"{name}.c", folder / f"lib{name}.so"
    program.write_text(source)
    command = ["gcc", "-std=c11", "-O1", *STRICT, "-shared", "-fPIC", f"-I{map_folder}", f"-I{host}"]
    subprocess.run([*command, str(program), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


class Callbacks:
    """A bus as C sees it; an access that raises is answered with an error, and the first of them is kept."""

    def __init__(self, bus: Any, answered: type[Exception]) -> None:
        self.raised: BaseException | None = None

        def read(_: Any, address: int, value: Any) -> int:
            return self._try(answered, lambda: value.__setitem__(0, bus.read(address)))

        def write(_: Any, address: int, value: int) -> int:
            return self._try(answered, lambda: bus.write(address, value))

        self.read, self.write = READ(read), WRITE(write)

    def _try(self, answered: type[Exception], access: Any) -> int:
        try:
            access()
        except answered:
            return -1
        except BaseException as error:  # C cannot carry it
            self.raised = self.raised or error
            return -1
        return 0


def c_load(
    library: Any, node: str, bus: Any, folder: Path, answered: type[Exception], flags: int = 0
) -> tuple[str, int, int]:
    """Call ``load``; return its message, memories and registers."""
    calls = Callbacks(bus, answered)
    counted, text = (ctypes.c_uint64 * 2)(), ctypes.create_string_buffer(1024)
    size = ctypes.c_size_t(1024)
    result = library.load(
        node.encode(), calls.read, calls.write, str(folder).encode(), flags, counted, text, size
    )
    if calls.raised:
        raise calls.raised
    assert (result == 0) == (text.value == b""), text.value
    return text.value.decode(), counted[0], counted[1]


RUN = """
#define SHELLGEN_NO_MAIN
#include "shellgen_run.c"
int run(const struct shellgen_bus *bus, const struct shellgen_memory *memory, const char *folder,
        const char *const *paths, unsigned frames, unsigned batch, double timeout, char *text, size_t size)
{
    static struct shellgen_job job;
    struct shellgen_files files;
    struct shellgen_error error = {""};
    const struct shellgen_node *node = shellgen_nodes[0];
    uint32_t index;
    int result;
    memset(&files, 0, sizeof files);
    job.folder = folder;
    job.frames = frames;
    job.batch = batch;
    job.timeout = timeout;
    for (index = 0; index < node->streams; index++) {
        if (!node->stream[index].weights && !node->stream[index].tx)
            files.input[index] = paths[0];
        if (node->stream[index].tx) {
            files.output[index] = paths[1];
            files.golden[index] = paths[2];
        }
    }
    result = shellgen_run_files(node, bus, memory, &job, &files, &error);
    snprintf(text, size, "%s", error.text);
    return result;
}
"""


class _Buffer(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("address", ctypes.c_uint64), ("size", ctypes.c_size_t))


class _Bus(ctypes.Structure):
    _fields_ = (("context", ctypes.c_void_p), ("read", READ), ("write", WRITE))


ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(_Buffer))
USE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Buffer))


class _Memory(ctypes.Structure):
    _fields_ = (
        ("context", ctypes.c_void_p),
        *(("allocate", ALLOCATE), ("flush", USE), ("invalidate", USE), ("release", USE)),
    )


def c_run(
    library: Any,
    board: Any,
    folder: Path,
    paths: list[str | None],
    answered: type[Exception],
    *,
    frames: int = 0,
    batch: int = 0,
    timeout: float = 10.0,
) -> tuple[int, str]:
    """Call ``run`` with input, output and golden file; return its result and its message."""
    calls, buffers = Callbacks(board, answered), {}

    def allocate(_: Any, size: int, buffer: Any) -> int:
        made = board.allocate(size)
        buffers[made.address] = made
        buffer[0] = _Buffer(made.data.ctypes.data, made.address, size)
        return 0

    def use(name: str) -> Any:
        return USE(lambda _, buffer: getattr(buffers[buffer[0].address], name)())

    memory = _Memory(None, ALLOCATE(allocate), use("flush"), use("invalidate"), use("free"))
    bus, text = _Bus(None, calls.read, calls.write), ctypes.create_string_buffer(1024)
    given = (ctypes.c_char_p * 3)(*(path.encode() if path else None for path in paths))
    result = library.run(
        ctypes.byref(bus),
        ctypes.byref(memory),
        str(folder).encode(),
        given,
        frames,
        batch,
        ctypes.c_double(timeout),
        text,
        ctypes.c_size_t(1024),
    )
    if calls.raised:
        raise calls.raised
    return result, text.value.decode()
