# SPDX-License-Identifier: BSD-3-Clause
"""The core's own registers, by the names in memory_map.json. Standard library only, Python 3.8 or later."""

import json
import time
from pathlib import Path

from shellgen_bus import HostError, as_bus

SCHEMA = "shellgen-memory-map-3"
MAGIC = 0x5348474E
# Bits of CONTROL.
RESETTING, HOLD = 2, 4
RESET_SECONDS = 1.0


def read_map(path):
    """Return ``memory_map.json``; raise HostError if it is not one that these programs read."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise HostError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise HostError(f"{path}: it is not JSON") from None
    version = found.get("schema_version") if isinstance(found, dict) else None
    if version != SCHEMA:
        raise HostError(f"{path}: schema_version is {version!r}, this program reads {SCHEMA!r}")
    return found


def find_node(memory_map, name):
    """Return the entry of a node; raise HostError, which names those that there are."""
    entry = next((node for node in memory_map["nodes"] if node["name"] == name), None)
    if entry is None:
        known = ", ".join(node["name"] for node in memory_map["nodes"])
        raise HostError(f"memory_map.json: nodes: there is no node {name}; it has {known}")
    return entry


def slot_bytes(entry):
    """Return the bytes from a register to the next, in the address space of a node's host."""
    return entry.get("slot_bytes", 4)


class Core:
    """Status and control of one core.

    A value has 32 bits. Where the map's ``slot_bytes`` is 8, the bus makes 64-bit accesses: it writes a value
    with zero above, and what it reads above does not count.
    """

    def __init__(self, memory_map, entry, bus):
        self.name = entry["name"]
        self._bus = as_bus(bus)
        self._build_id = int(memory_map["build_id"], 16)
        status = entry["status"]
        self._stride = status["stream_stride"]
        self._at = {each["name"]: status["base"] + each["offset"] for each in status["registers"]}
        self._at_stream = {
            each["name"]: status["base"] + each["offset"] for each in status["stream_registers"]
        }

    def read(self, name, stream=None):
        """Return a register, or that of a stream."""
        return self._bus.read(self._address(name, stream))

    def write(self, name, value, stream=None):
        """Write a register, or that of a stream."""
        self._bus.write(self._address(name, stream), value)

    def _address(self, name, stream):
        return self._at[name] if stream is None else self._at_stream[name] + self._stride * stream

    def check(self):
        """Compare the build id of the core with that of the map.

        Raises:
            HostError: No shellgen core answers, or one of another build.
        """
        magic = self.read("MAGIC")
        if magic != MAGIC:
            text = "{}: no shellgen core at {:#x}: read {:#010x}; load the bitstream first"
            raise HostError(text.format(self.name, self._at["MAGIC"], magic))
        found = self.read("BUILD_ID_HIGH") << 32 | self.read("BUILD_ID_LOW")
        if found != self._build_id:
            text = "{}: the core is build {:016x}, the map is for {:016x}; use the map of this bitstream"
            raise HostError(text.format(self.name, found, self._build_id))

    def hold(self):
        """Put partitions and links into reset, whatever is under way; DMAs are to be reset meanwhile."""
        self.write("CONTROL", HOLD)

    def release(self):
        """End a reset, and wait until all of the core is open again."""
        self.write("CONTROL", 0)
        end = time.monotonic() + RESET_SECONDS
        while self.read("CONTROL") & (RESETTING | HOLD):
            if time.monotonic() > end:
                raise HostError(f"{self.name}: the reset does not end; load the bitstream again")
