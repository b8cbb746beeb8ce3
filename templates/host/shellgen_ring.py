# SPDX-License-Identifier: BSD-3-Clause
"""Streams of a core that are kept in memory: which memory, and from when to when. Python 3.8 or later.

A core may use memory of the host only as long as a program holds it: rings are armed when a run begins, and
disarmed before their buffers are given back.
"""

import time

from shellgen_bus import HostError

SECONDS = 1.0  # for what takes some cycles


class Rings:
    """The rings of one node; there may be none.

    Args:
        entry: Of the node in the map.
        bus: See `shellgen_bus`.
    """

    def __init__(self, entry, bus):
        self._entries, self._bus, self._name = entry["rings"], bus, entry["name"]

    def __len__(self):
        return len(self._entries)

    def arm(self, core, allocate):
        """Give each ring a buffer.

        Args:
            core: Of the node, a `shellgen_core.Core`; partitions and links are reset.
            allocate: Returns a buffer for an entry of `rings`, with its bytes and `align` more; see
                `shellgen_board`.

        Raises:
            HostError: A buffer that a ring cannot use, or one that does not come to rest.
        """
        if not self._entries:
            return
        core.hold()  # what an earlier run has left is dropped
        self.disarm()
        self.place([self._address(ring, allocate(ring)) for ring in self._entries])
        core.release()

    def place(self, addresses):
        """Tell each ring where its memory is, and let all use it; they must be disarmed and at rest."""
        armed = 0
        for ring, address in zip(self._entries, addresses):
            self._bus.write(ring["base_low"], address & 0xFFFFFFFF)
            self._bus.write(ring["base_high"], address >> 32)
            for register in (ring["write_faults"], ring["read_faults"]):
                self._bus.write(register, ring["mask"])
            armed |= ring["mask"]
        for register in {ring["arm"] for ring in self._entries}:
            self._bus.write(register, armed)

    def disarm(self):
        """Let no ring begin another burst, and wait until none is under way; the core is held or idle."""
        for register in {ring["arm"] for ring in self._entries}:
            self._bus.write(register, 0)
        wanted = sum(ring["mask"] for ring in self._entries)
        end = time.monotonic() + SECONDS
        for register in {ring["idle"] for ring in self._entries}:
            while self._bus.read(register) & wanted != wanted:
                if time.monotonic() > end:
                    text = "{}: the memory does not answer a ring of the core; load the bitstream again"
                    raise HostError(text.format(self._name))

    def check(self):
        """Raise HostError if the memory has answered an access of a ring with an error."""
        for ring in self._entries:
            for what, register in (("write", ring["write_faults"]), ("read", ring["read_faults"])):
                if self._bus.read(register) & ring["mask"]:
                    text = "{}: the memory has answered a {} of stream {} with an error; its frames are wrong"
                    raise HostError(text.format(self._name, what, ring["boundary"]))

    def _address(self, ring, buffer):
        address = -(-buffer.address // ring["align"]) * ring["align"]
        if ring["bank"]:
            return address  # the runtime knows where its bank lies
        ranges = [(each["base"], each["base"] + each["size"]) for each in ring["memory"]]
        if not any(first <= address and address + ring["bytes"] <= end for first, end in ranges):
            told = ", ".join(f"{first:#x} to {end - 1:#x}" for first, end in ranges)
            text = "{}: {} bytes for stream {} were allocated at {:#x}; the core reaches {}"
            raise HostError(text.format(self._name, ring["bytes"], ring["boundary"], address, told))
        return address
