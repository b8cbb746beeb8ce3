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
    struct shellgen_loaded loaded = {0, 0};
    const struct shellgen_node *node = shellgen_find(name, &error);
    int result = node ? shellgen_load(node, &bus, folder, flags, &loaded, &error) : -1;
    snprintf(text, size, "%s", error.text);
    counted[0] = loaded.memories;
    counted[1] = loaded.registers;
    return result;
}
"""


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
