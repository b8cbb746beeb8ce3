# SPDX-License-Identifier: BSD-3-Clause
"""The memories of a core behind AXI-Lite: what belongs into them, loaded and read back. Python 3.8."""

from shellgen_bus import BusError, HostError, as_bus
from shellgen_core import Block, Core, find_node, has_block, slot_bytes


class _Bridge:
    """Regions behind the bridge: ADDRESS once, then one access to DATA per register."""

    stride = 4  # far bytes from a register to the next

    def __init__(self, entry, bus):
        self._block = Block(entry, "bridge", bus)

    def start(self):
        """Forget an error that an earlier user left."""
        self._block.write("ERROR", self._block.mask("ERROR", "KEPT"))

    def write(self, address, values):
        self._block.write("ADDRESS", address)
        for value in values:
            self._block.write("DATA", value)

    def read(self, address, count):
        self._block.write("ADDRESS", address)
        return [self._block.read("DATA") for _ in range(count)]

    def settle(self):
        """Wait until all posted writes are answered; return the far address of the first error, or None."""
        while self._block.read("LEVEL") & self._block.mask("LEVEL", "POSTED"):
            pass
        if self._block.read("ERROR") & self._block.mask("ERROR", "KEPT"):
            return self._block.read("ERROR_ADDRESS")
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
                text = "layer {}: word {} bit {} is {}, not {}"
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
    """The memories of one node, reached through a bus.

    Args:
        memory_map: As `read_map` returns it.
        name: Of the node.
        bus: See `shellgen_bus`; PYNQ's ``MMIO`` of the core will do. None while only files are looked at.
    """

    def __init__(self, memory_map, name, bus):
        entry = find_node(memory_map, name)
        bus = as_bus(bus)
        self.name = name
        self._core = Core(entry, bus)
        bridged = has_block(entry, "bridge")
        self._path = _Bridge(entry, bus) if bridged else _Direct(bus, slot_bytes(entry))
        self.regions = _memories(entry, self._path.stride)
        self.every = [region for node in memory_map["nodes"] for region in _memories(node, self._path.stride)]

    def check(self):
        """Compare the build id of the core with that of the map; HostError if they differ."""
        self._core.check()

    def load(self, contents):
        """Write and read back.

        Args:
            contents: 32-bit registers of each region to load, by name; `read_weights` returns them.

        Raises:
            HostError: Another build, an access that is answered with an error, or a bit that did not hold.
        """
        self._all(contents, (self._write, self._compare))

    def compare(self, contents):
        """Read, and compare: nothing in a memory changes.

        Args:
            contents: As for `load`.

        Raises:
            HostError: As well.
        """
        self._all(contents, (self._compare,))

    def _all(self, contents, acts):
        self.check()
        chosen = [region for region in self.regions if region.name in contents]
        self._path.start()
        for act in acts:
            for region in chosen:
                self._each(region, contents[region.name], act)
            self._settle()

    def _each(self, region, registers, act):
        lanes = region.memory["lanes"]
        for first, count in _runs(region.stored()):
            try:
                act(region, first, lanes, registers[first * lanes : (first + count) * lanes])
            except BusError as error:
                self._settle()  # the bridge knows the address behind it
                raise HostError(f"{self.name}: {region.place(error.address)}: {error}") from None

    def _write(self, region, first, lanes, registers):
        self._path.write(region.base + region.stride * lanes * first, registers)

    def _compare(self, region, first, lanes, registers):
        found = self._path.read(region.base + region.stride * lanes * first, len(registers))
        for at in range(0, len(registers), lanes):
            wrong = region.difference(first + at // lanes, registers[at : at + lanes], found[at : at + lanes])
            if wrong:
                raise HostError(f"{self.name}: {wrong}")

    def _settle(self):
        address = self._path.settle()
        if address is not None:
            owner = next((region for region in self.regions if region.owns(address)), None)
            place = owner.place(address) if owner else f"address {address:#x}"
            raise HostError(f"{self.name}: {place}: the memory answered with an error")


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
