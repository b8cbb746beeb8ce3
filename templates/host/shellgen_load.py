#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Load weights and thresholds into a shellgen core, and prove that they arrived.

Needs nothing but Python 3.8, so that it runs on the board as it is:

    python3 shellgen_load.py memory_map.json --node zed0 --weights weights/

Nothing is written before the core has shown the build id that the map was made for. Every word is written
with its registers ascending, and read back; the first bit that differs is named by layer, word and bit. After
a reload FINN needs one frame whose result is dropped: give the function that sends one.

Source: docs/finn-builds.md of shellgen (order of writes and reads, dummy frame).
"""

import argparse
import importlib
import json
import mmap
import os
import re
import sys
from pathlib import Path

SCHEMA = "shellgen-memory-map-3"
MAGIC = 0x5348474E


class LoadError(Exception):
    """The load stopped; the message says where and why."""


class BusError(Exception):
    """An access was answered with an error; raised by `read` and `write` of a bus."""

    def __init__(self, address, answer):
        super().__init__(f"address {address:#x} was answered with {answer}")
        self.address = address


class DeviceBus:
    """Accesses to registers at physical addresses through a device such as /dev/mem.

    Each access is as wide as a slot: 32 bits, or 64 where a register is the lower half of 64.

    An address that the interconnect answers with an error ends the process with SIGBUS on ARM: check the
    build id first (`Node.check` does), and use the bridge where that matters; it keeps errors in a register.
    """

    def __init__(self, path, base, span, slot_bytes=4):
        page = mmap.PAGESIZE
        self._base = base // page * page
        handle = os.open(path, os.O_RDWR | getattr(os, "O_SYNC", 0))
        try:
            self._map = mmap.mmap(handle, base + span - self._base, offset=self._base)
        finally:
            os.close(handle)
        # One aligned access each, which a byte-wise copy would not be.
        self._words = memoryview(self._map).cast("Q" if slot_bytes == 8 else "I")
        self._slot_bytes = slot_bytes

    def read(self, address):
        return self._words[(address - self._base) // self._slot_bytes] & 0xFFFFFFFF

    def write(self, address, value):
        self._words[(address - self._base) // self._slot_bytes] = value


class _Bridge:
    """Regions behind the bridge: ADDRESS once, then one access to DATA per register."""

    stride = 4  # far bytes from a register to the next

    def __init__(self, bus, bridge):
        self._bus = bus
        self._at = {entry["name"]: bridge["base"] + entry["offset"] for entry in bridge["registers"]}

    def start(self):
        """Forget an error that an earlier user left."""
        self._bus.write(self._at["ERROR"], 1)

    def write(self, address, values):
        self._bus.write(self._at["ADDRESS"], address)
        for value in values:
            self._bus.write(self._at["DATA"], value)

    def read(self, address, count):
        self._bus.write(self._at["ADDRESS"], address)
        return [self._bus.read(self._at["DATA"]) for _ in range(count)]

    def settle(self):
        """Wait until all posted writes are answered; return the far address of the first error, or None."""
        while self._bus.read(self._at["LEVEL"]) & 0xFFFF:
            pass
        if self._bus.read(self._at["ERROR"]) & 1:
            return self._bus.read(self._at["ERROR_ADDRESS"])
        return None


class _Direct:
    """Regions that lie in the host's own address space."""

    def __init__(self, bus, stride):
        self._bus = bus
        self.stride = stride

    def start(self):
        pass

    def write(self, address, values):
        for index, value in enumerate(values):
            self._bus.write(address + self.stride * index, value)

    def read(self, address, count):
        return [self._bus.read(address + self.stride * index) for index in range(count)]

    def settle(self):
        return None


class Region:
    """One memory: which registers it has, and what belongs into them."""

    def __init__(self, entry, stride):
        self.name = entry["name"]
        self.stride = stride
        self.base = entry["base"]
        self.size = entry["size"]
        self.dat = entry["dat"]
        self.partition = entry["partition"]
        self.index = int(entry["interface"].rpartition("_")[2])
        self.memory = entry["memory"]
        self.layer = entry["layer"] or entry["name"]

    @property
    def registers(self):
        return self.memory["words"] * self.memory["lanes"]

    def stored(self):
        """Yield the words that have storage: thresholds are spaced by powers of two."""
        m = self.memory
        for word in range(m["words"]):
            row = word // m["row_words"]
            if word % m["row_words"] < m["row_used"] and row % m["group_rows"] < m["group_used"]:
                yield word

    def difference(self, word, wanted, found):
        """Return a text on the first payload bit in which two words differ, or None."""
        for lane, (want, got) in enumerate(zip(wanted, found)):
            bits = min(max(self.memory["word_bits"] - 32 * lane, 0), 32)
            wrong = (want ^ got) & ((1 << bits) - 1)
            if wrong:
                bit = 32 * lane + (wrong & -wrong).bit_length() - 1
                text = "layer {}: word {} bit {} is {}, wrote {}"
                is_set = got >> (bit % 32) & 1
                return text.format(self.layer, word, bit, is_set, 1 - is_set)
        return None

    def owns(self, address):
        return self.base <= address < self.base + self.size

    def place(self, address):
        """Name the place of an address inside this region."""
        word = (address - self.base) // self.stride // self.memory["lanes"]
        return f"layer {self.layer}: word {word} at {address:#x}"


class Node:
    """The core of one node, reached through a bus with `read(address)` and `write(address, value)`.

    A value has 32 bits. Where the map's ``slot_bytes`` is 8, the bus makes 64-bit accesses: it writes a value
    with zero above, and what it reads above does not count.
    """

    def __init__(self, memory_map, name, bus):
        entry = next((node for node in memory_map["nodes"] if node["name"] == name), None)
        if entry is None:
            known = ", ".join(node["name"] for node in memory_map["nodes"])
            raise LoadError(f"memory_map.json: nodes: there is no node {name}; it has {known}")
        self.name = name
        self._bus = bus
        self._build_id = int(memory_map["build_id"], 16)
        self._status = entry["status"]
        self._path = _Bridge(bus, entry["bridge"]) if entry["bridge"] else _Direct(bus, _slot(entry))
        self.regions = _memories(entry, self._path.stride)
        self.every = [region for node in memory_map["nodes"] for region in _memories(node, self._path.stride)]

    def check(self):
        """Compare the build id of the core with that of the map.

        Raises:
            LoadError: No shellgen core answers, or one of another build.
        """
        at = {entry["name"]: self._status["base"] + entry["offset"] for entry in self._status["registers"]}
        magic = self._bus.read(at["MAGIC"])
        if magic != MAGIC:
            text = "{}: no shellgen core at {:#x}: read {:#010x}; load the bitstream first"
            raise LoadError(text.format(self.name, at["MAGIC"], magic))
        found = self._bus.read(at["BUILD_ID_HIGH"]) << 32 | self._bus.read(at["BUILD_ID_LOW"])
        if found != self._build_id:
            text = "{}: the core is build {:016x}, the map is for {:016x}; use the map of this bitstream"
            raise LoadError(text.format(self.name, found, self._build_id))

    def load(self, contents):
        """Write and read back.

        Args:
            contents: 32-bit registers of each region to load, by name; `read_weights` returns them.

        Raises:
            LoadError: Another build, an access that is answered with an error, or a bit that did not hold.
        """
        self.check()
        chosen = [region for region in self.regions if region.name in contents]
        self._path.start()
        for region in chosen:
            self._each(region, contents[region.name], self._write)
        self._settle()
        for region in chosen:
            self._each(region, contents[region.name], self._compare)
        self._settle()

    def _each(self, region, registers, act):
        lanes = region.memory["lanes"]
        for first, count in _runs(region.stored()):
            try:
                act(region, first, lanes, registers[first * lanes : (first + count) * lanes])
            except BusError as error:
                self._settle()  # the bridge knows the address behind it
                raise LoadError(f"{self.name}: {region.place(error.address)}: {error}") from None

    def _write(self, region, first, lanes, registers):
        self._path.write(region.base + region.stride * lanes * first, registers)

    def _compare(self, region, first, lanes, registers):
        found = self._path.read(region.base + region.stride * lanes * first, len(registers))
        for at in range(0, len(registers), lanes):
            wrong = region.difference(first + at // lanes, registers[at : at + lanes], found[at : at + lanes])
            if wrong:
                raise LoadError(f"{self.name}: {wrong}")

    def _settle(self):
        address = self._path.settle()
        if address is not None:
            owner = next((region for region in self.regions if region.owns(address)), None)
            place = owner.place(address) if owner else f"address {address:#x}"
            raise LoadError(f"{self.name}: {place}: the memory answered with an error")


def _slot(entry):
    """Return the bytes from a register to the next, in the address space of a node's host."""
    return entry.get("slot_bytes", 4)


def _memories(entry, stride):
    return [Region(region, stride) for region in entry["regions"] if region["memory"]]


def _runs(words):
    """Join consecutive words: (first, number)."""
    first = last = None
    for word in words:
        if first is not None and word != last + 1:
            yield first, last + 1 - first
            first = None
        if first is None:
            first = word
        last = word
    if first is not None:
        yield first, last + 1 - first


def load(nodes, contents, run_frame):
    """Load several nodes and make the weights take effect.

    Args:
        nodes: `Node` objects.
        contents: Registers by region name, for each node by its name.
        run_frame: Function without arguments that sends one frame through the cluster and drops the result.
            FINN's layers still hold old weights in their pipelines for that frame.
    """
    for node in nodes:
        node.check()
    for node in nodes:
        node.load(contents.get(node.name, {}))
    run_frame()


def read_map(path):
    """Return ``memory_map.json``; raise LoadError if it is not one that this loader reads."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise LoadError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise LoadError(f"{path}: it is not JSON") from None
    version = found.get("schema_version") if isinstance(found, dict) else None
    if version != SCHEMA:
        raise LoadError(f"{path}: schema_version is {version!r}, this loader reads {SCHEMA!r}")
    return found


def read_weights(node, folder):
    """Return the registers of every region of a node that has a file in a folder.

    A file holds one 32-bit register per line, in hex, for all words of its memory. The folder is what
    `shellgen weights` writes, or that of one node in it; or FINN's own ``runtime_weights``, with
    ``<partition>_<interface>_<layer>.dat`` in which FINN numbers all partitions, its DMAs included.

    Raises:
        LoadError: No file at all, two that may be meant, one that is not hex, of the wrong length or
            packed for another folding.
    """
    folder = Path(folder)
    own = folder / node.name if (folder / node.name).is_dir() else folder
    chosen = {region.name: own / region.dat for region in node.regions if (own / region.dat).is_file()}
    chosen.update(_finn_files([region for region in node.regions if region.name not in chosen], node, own))
    for path in chosen.values():
        takers = [name for name in chosen if chosen[name] == path]
        if len(takers) > 1:
            raise LoadError(f"{path}: it may be {' or '.join(takers)}; rename it to one of them")
    if node.regions and not chosen:
        names = ", ".join(region.dat for region in node.regions)
        text = f"{folder}: it has none of {names}"
        others = ", ".join(sorted(path.name for path in own.glob("*.dat")))
        raise LoadError(f"{text}, and it cannot be told which layers {others} are for" if others else text)
    regions = {region.name: region for region in node.regions}
    return {name: _read_registers(regions[name], path) for name, path in chosen.items()}


def _finn_files(regions, node, folder):
    """Return FINN's own file for each of these regions that has one, by name, or else by order."""
    finn = []  # (partition, interface, layer, path)
    for path in folder.glob("*.dat"):
        match = re.match(r"(\d+)_(\d+)_(.+)\.dat$", path.name)
        if match:
            finn.append((int(match.group(1)), int(match.group(2)), match.group(3), path))
    if not finn or not regions:
        return {}
    named = {region: _by_name(region, finn) for region in regions}
    if any(len(paths) != 1 for paths in named.values()):
        ordered = _by_order(regions, node, sorted(finn))
        if ordered:
            return ordered
    for region, paths in named.items():
        if len(paths) > 1:
            names = ", ".join(sorted(path.name for path in paths))
            text = f"{folder}: {names} may all be layer {region.layer}; rename one to {region.dat}"
            raise LoadError(text)
    return {region.name: paths[0] for region, paths in named.items() if paths}


def _by_name(region, finn):
    """Return the files whose name tells the region: by its layer, or else by its partition."""
    names = (region.layer, f"{region.partition}_{region.layer}")
    same = [entry for entry in finn if entry[1] == region.index]
    exact = [path for _, _, name, path in same if name in names]
    return exact or [path for _, _, name, path in same if name.startswith(region.partition + "_")]


def _by_order(regions, node, finn):
    """Return the files of a driver whose partitions are not those of this build.

    FINN counts the layers of each partition from 0 again, so names mean little then. The order of all
    layers is the same, and counts if each has exactly one file of its operator and its length.
    """
    every = sorted(node.every, key=lambda region: (_natural(region.partition), region.index))
    fits = len(every) == len(finn) and all(
        _operator(entry[2]).endswith(_operator(region.layer)) and _count(entry[3]) == region.registers
        for region, entry in zip(every, finn)
    )
    wanted = {region.name for region in regions}
    return (
        {region.name: entry[3] for region, entry in zip(every, finn) if region.name in wanted} if fits else {}
    )


def _natural(name):
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _operator(name):
    """Return a node's name without its number."""
    return re.sub(r"_?\d+$", "", name)


def _count(path):
    return sum(1 for line in path.read_text(encoding="ascii", errors="replace").splitlines() if line.strip())


def _read_registers(region, path):
    text = path.read_text(encoding="ascii", errors="replace")
    comment, _, rest = text.partition("\n")
    if comment.startswith("//"):
        text = rest
        _check_folding(region, path, comment)
    try:
        registers = [int(line, 16) for line in text.split()]
    except ValueError:
        raise LoadError(f"{path}: a line is not a hexadecimal number") from None
    if any(register >> 32 for register in registers):
        raise LoadError(f"{path}: a line has more than 32 bits")
    if len(registers) != region.registers:
        words, lanes = region.memory["words"], region.memory["lanes"]
        wanted = f"layer {region.layer} has {region.registers} ({words} words of {lanes} registers)"
        raise LoadError(f"{path}: {len(registers)} registers, and {wanted}")
    return registers


def _check_folding(region, path, comment):
    """Compare how a file says that it was packed with how the memory is: equal lengths prove nothing."""
    try:
        packed = json.loads(comment[comment.index("{") :])
    except ValueError:
        return
    differing = [key for key in sorted(packed) if packed[key] != region.memory.get(key, packed[key])]
    if differing:
        was = ", ".join(f"{key} {packed[key]}" for key in differing)
        now = ", ".join(f"{key} {region.memory[key]}" for key in differing)
        raise LoadError(
            f"{path}: packed for {was}, and layer {region.layer} has {now}; "
            "pack the weights of this very build with `shellgen weights`"
        )


def main(arguments=None):
    """Load one node; return the exit code."""
    parser = argparse.ArgumentParser(description="Load weights into a shellgen core and read them back.")
    parser.add_argument("map", help="memory_map.json of the cluster or of the node")
    parser.add_argument("--node", required=True, help="name of the node that this runs on")
    parser.add_argument(
        "--weights", required=True, help="folder with <region>.dat, or FINN's runtime_weights"
    )
    parser.add_argument("--device", default="/dev/mem", help="what to map (default: /dev/mem)")
    parser.add_argument("--run-frame", metavar="MODULE:FUNCTION", help="sends the frame FINN needs")
    options = parser.parse_args(arguments)
    try:
        found = read_map(options.map)
        entry = next((node for node in found["nodes"] if node["name"] == options.node), None)
        span = (entry["base"], entry["span"], _slot(entry)) if entry else (0, mmap.PAGESIZE)
        node = Node(found, options.node, DeviceBus(options.device, *span))
        contents = read_weights(node, options.weights)
        node.load(contents)
    except (LoadError, OSError) as error:
        print(f"shellgen_load: {error}", file=sys.stderr)
        return 2
    registers = sum(len(values) for values in contents.values())
    print(f"{node.name}: {len(contents)} memories, {registers} registers written and read back")
    if options.run_frame:
        module, function = options.run_frame.split(":")
        sys.path.insert(0, str(Path.cwd()))
        getattr(importlib.import_module(module), function)()
    else:
        print("Send one frame and drop its result before you trust an output: FINN needs it after a load.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
