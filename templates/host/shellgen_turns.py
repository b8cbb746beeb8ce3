# SPDX-License-Identifier: BSD-3-Clause
"""The frames of each stream of a board that deals to replicas or gathers from them. Python 3.8 or later."""

from shellgen_bus import HostError
from shellgen_core import Block


class Turns:
    """Deals and gathers of a core: which replicas have turns in a run, and how many frames each stream has.

    Args:
        entry: The node's, of the map.
        bus: Of the core.
        absent: Replicas without a turn, nodes beside this one.

    Raises:
        HostError: No deal or gather of the node leads to one of them, or one would be left without any.
    """

    def __init__(self, entry, bus, absent=()):
        self._entry, self._bus = entry, bus
        known = {name for each in entry["turns"] for name in each["nodes"]}
        if unknown := [name for name in absent if name not in known]:
            text = "--absent {}: node {} has no turns of it{}"
            told = f"; of {', '.join(sorted(known))} it has" if known else ""
            raise HostError(text.format(unknown[0], entry["name"], told))
        for each in entry["turns"]:
            if set(each["nodes"]) <= set(absent):
                text = "--absent: nobody would be left for a {} of node {}: {}"
                raise HostError(text.format(each["kind"], entry["name"], ", ".join(each["nodes"])))
        self._out = [
            sum(1 << bit for bit, name in enumerate(each["nodes"]) if name in absent)
            for each in entry["turns"]
        ]
        self.away = {
            each["streams"][bit]
            for each in entry["turns"]
            for bit, name in enumerate(each["nodes"])
            if name in absent
        }
        self._orders = {
            stream: (bit, [turn for turn in each["pattern"] if each["nodes"][turn] not in absent])
            for each in entry["turns"]
            for bit, stream in enumerate(each["streams"])
            if each["pattern"]
        }

    @property
    def shared(self):
        """The streams that have a share of the frames."""
        return self._orders.keys()

    def share(self, index, frames):
        """Return how many of the node's frames a stream has."""
        if index not in self._orders:
            return frames
        bit, order = self._orders[index]
        whole, rest = divmod(frames, len(order))
        return whole * order.count(bit) + order[:rest].count(bit)

    def total(self, told):
        """Return the node's frames, by those of streams that enter; None if these do not say it yet."""
        for index, frames in told.items():
            if index not in self._orders:
                return frames
        for each in self._entry["turns"]:
            here = [index for index in each["streams"] if index not in self.away]
            if each["kind"] == "gather" and set(here) <= told.keys():
                return sum(told[index] for index in here)
        return None

    def take_out(self):
        """Write OUT of each deal and gather, which the core takes over in its reset."""
        for number, out in enumerate(self._out):
            Block(self._entry, "turns", self._bus).write("OUT", out, number)

    def check_out(self):
        """Check that it has.

        Raises:
            HostError: It has not.
        """
        for number, out in enumerate(self._out):
            found = Block(self._entry, "turns", self._bus).read("OUT_NOW", number)
            if found != out:
                text = (
                    "{}: OUT_NOW is {:#x} after a reset with OUT at {:#x}; is this the bitstream of the map?"
                )
                raise HostError(text.format(self._entry["name"], found, out))
