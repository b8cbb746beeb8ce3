# SPDX-License-Identifier: BSD-3-Clause
"""The core's own registers, by the names in memory_map.json. Standard library only, Python 3.8 or later."""

import time

from shellgen_bus import HostError, as_bus, open_file, parse_json
from shellgen_fields import told
from shellgen_map import check_map

SCHEMA = "shellgen-memory-map-6"
LARGEST = 1 << 28  # bytes of a map
RESET_SECONDS = 1.0


def read_map(path):
    """Return ``memory_map.json``; raise HostError if it is not one that these programs read."""
    try:
        with open_file(path) as file:
            found = parse_json(file.read(LARGEST + 1)[:LARGEST].decode("utf-8"))
    except OSError as error:
        raise HostError(f"{path}: {error.strerror or error}") from None
    except ValueError:
        raise HostError(f"{path}: it is not JSON") from None
    version = found.get("schema_version") if isinstance(found, dict) else None
    if version != SCHEMA:
        text = "{}: schema_version is {}, and this program reads {!r}; take the map that lies beside it"
        raise HostError(text.format(path, told(version), SCHEMA))
    check_map(found, path)
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


class Block:
    """The registers of one block of a node, or of a unit beside its core, by the names in the map.

    Args:
        entry: Of the node.
        name: In the map: ``status``, ``bridge``, or what a link has.
        bus: See `shellgen_bus`. A value has 32 bits; where the map's ``slot_bytes`` is 8, the bus makes
            64-bit accesses: it writes a value with zero above, and what it reads above does not count.
    """

    def __init__(self, entry, name, bus):
        found = next(each for each in (*entry["blocks"], *entry["units"]) if each["name"] == name)
        self._bus, self._base = bus, found["base"]
        self._registers = {each["name"]: each for each in found["registers"]}

    def address(self, name, index=0):
        """Return the address of a register, or of number ``index`` of several alike."""
        register = self._registers[name]
        return self._base + register["offset"] + index * (register["stride"] or 0)

    def count(self, name):
        """Return how many registers of this name there are."""
        return self._registers[name]["count"] or 1

    def value(self, name):
        """Return what a register always reads."""
        return self._registers[name]["value"]

    def mask(self, name, field):
        """Return the bits of a part of a register."""
        part = next(each for each in self._registers[name]["fields"] if each["name"] == field)
        return ((1 << part["width"]) - 1) << part["low"]

    def read(self, name, index=0):
        """Return a register, or number ``index`` of several alike."""
        return self._bus.read(self.address(name, index))

    def write(self, name, value, index=0):
        """Write a register, or number ``index`` of several alike."""
        self._bus.write(self.address(name, index), value)


def has_block(entry, name):
    """Tell whether a node has a block of this name."""
    return any(each["name"] == name for each in entry["blocks"])


class Core(Block):
    """Status and control of one core."""

    def __init__(self, entry, bus):
        super().__init__(entry, "status", as_bus(bus))
        self.name = entry["name"]
        self._build_id = int(entry["build_id"], 16)

    def check(self):
        """Compare the build id of the core with that of the map.

        Raises:
            HostError: No shellgen core answers, or one of another build.
        """
        magic = self.read("MAGIC")
        if magic != self.value("MAGIC"):
            text = "{}: no shellgen core at {:#x}: read {:#010x}; load the bitstream first"
            raise HostError(text.format(self.name, self.address("MAGIC"), magic))
        found = self.read("BUILD_ID_HIGH") << 32 | self.read("BUILD_ID_LOW")
        if found != self._build_id:
            text = "{}: the core is build {:016x}, the map is for {:016x}; use the map of this bitstream"
            raise HostError(text.format(self.name, found, self._build_id))

    def ask_reset(self):
        """Ask for what is under way to end, and for partitions and links to be reset then."""
        self.write("CONTROL", self.mask("CONTROL", "RESET"))

    def resets(self):
        """Tell whether that is not yet done."""
        return bool(self.read("CONTROL") & self.mask("CONTROL", "RESET"))

    def clear(self):
        """Clear all counters."""
        self.write("CONTROL", self.mask("CONTROL", "CLEAR"))

    def hold(self):
        """Put partitions and links into reset, whatever is under way; DMAs are to be reset meanwhile."""
        self.write("CONTROL", self.mask("CONTROL", "HOLD"))

    def release(self):
        """End a reset, and wait until all of the core is open again."""
        self.write("CONTROL", 0)
        busy = self.mask("CONTROL", "RESET") | self.mask("CONTROL", "HOLD")
        end = time.monotonic() + RESET_SECONDS
        while self.read("CONTROL") & busy:
            if time.monotonic() > end:
                raise HostError(f"{self.name}: the reset does not end; load the bitstream again")
