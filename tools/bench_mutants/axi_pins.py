# SPDX-License-Identifier: BSD-3-Clause
"""Pins of a core by AXI channel: what counts of them, and what neighbours that keep AXI's rules do at them.

What counts: a payload while its VALID is high, of its bytes those that TKEEP or WSTRB names, and READY while
VALID is high, because a source may not look at READY before (AMBA AXI, A3.2.1; AMBA AXI-Stream, 2.2). A
neighbour that is in reset looks at nothing.
What neighbours do: VALID once high stays with its payload until READY, and is low in reset (A3.1.2); a slave
answers what it took, once, in a later cycle, since no path leads from its inputs to its outputs within one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tools.bench_mutants.aig import FALSE, TRUE, Graph

_STREAM = re.compile(r"(.*_)t(data|keep|strb|last|dest|id|user|valid|ready)")
_LITE = re.compile(r"(.*_)(aw|ar|w|b|r)(addr|prot|data|strb|resp|valid|ready)")


@dataclass
class Channel:
    """Pins of one direction, a source and a sink; literals by signal, bits in order.

    Attributes:
        name: What all its pins begin with.
        kind: Empty for a stream, else ``aw``, ``w``, ``b``, ``ar`` or ``r``.
        ours: The core is the source.
        pins: Names of pins by signal.
    """

    name: str
    kind: str
    ours: bool = False
    pins: dict[str, list[str]] = field(default_factory=dict)

    @property
    def shares_reset(self) -> bool:
        """Whether the neighbour is reset with us; a stream that leaves the core may lead to another reset."""
        return bool(self.kind) or "." in self.name

    @property
    def payload(self) -> list[str]:
        """Names of the pins that VALID tells of."""
        return [pin for signal, pins in self.pins.items() if signal not in ("valid", "ready") for pin in pins]


def channels(inputs: list[str], outputs: list[str]) -> tuple[list[Channel], list[str]]:
    """Return the channels of these pins, and the outputs that belong to none."""
    found: dict[tuple[str, str], Channel] = {}
    loose = []
    for pin in [*inputs, *outputs]:
        base = pin.split("[", 1)[0]
        match = _STREAM.fullmatch(base) or _LITE.fullmatch(base)
        if match:
            prefix, kind, signal = match[1], match[2] if match.re is _LITE else "", match[match.re.groups]
            one = found.setdefault((prefix, kind), Channel(prefix, kind))
            one.pins.setdefault(signal, []).append(pin)
    sides = set(outputs)
    whole = {key: one for key, one in found.items() if {"valid", "ready"} <= one.pins.keys()}
    for one in whole.values():
        one.ours = one.pins["valid"][0] in sides
    told = {pin for one in whole.values() for pins in one.pins.values() for pin in pins}
    loose = [pin for pin in outputs if pin not in told]
    return list(whole.values()), loose


def counts(
    graph: Graph, channel: Channel, values: Mapping[str, int], resets: Mapping[str, int]
) -> Iterator[tuple[str, int]]:
    """Yield the outputs of a channel, each with when it counts; see `rules`."""
    awake = _reset(channel, resets) if channel.shares_reset else TRUE
    valid = graph.conj(values[channel.pins["valid"][0]], awake)
    if not channel.ours:
        yield channel.pins["ready"][0], valid
        return
    yield channel.pins["valid"][0], awake
    enables = next((channel.pins[name] for name in ("keep", "strb") if name in channel.pins), [])
    for signal, pins in channel.pins.items():
        if signal in ("valid", "ready"):
            continue
        per_byte = signal == "data" and len(pins) == 8 * len(enables)
        for pin in pins:
            byte = values[enables[_bit(pin) // 8]] if per_byte else TRUE
            yield pin, graph.conj(valid, byte)


def _bit(pin: str) -> int:
    found = re.search(r"\[(\d+)\]$", pin)
    return int(found[1]) if found else 0


def rules(
    graph: Graph, found: list[Channel], values: Mapping[str, int], resets: Mapping[str, int]
) -> Iterator[tuple[int, int]]:
    """Yield what neighbours keep to: pins, as variables, and literals that are true in every cycle.

    Args:
        graph: Gets the latches of the monitors.
        found: All channels.
        values: Of all pins.
        resets: Active low, by the beginning of the names of pins whose neighbours they reset.
    """
    for channel in found:
        if channel.ours:
            continue
        reset = _reset(channel, resets)
        valid, ready = values[channel.pins["valid"][0]], values[channel.pins["ready"][0]]
        was_reset = _delayed(graph, reset) ^ 1
        still = graph.conj(_delayed(graph, graph.every([valid, ready ^ 1, reset])), reset)
        yield valid >> 1, graph.disj(still ^ 1, valid)
        for pin in channel.payload:
            same = graph.xor(values[pin], _delayed(graph, values[pin])) ^ 1
            yield values[pin] >> 1, graph.disj(still ^ 1, same)
        if channel.shares_reset:
            yield valid >> 1, graph.disj(reset, graph.disj(was_reset ^ 1, valid ^ 1))
    for channel in found:
        if channel.kind in ("b", "r") and not channel.ours:
            requests = [
                one
                for one in found
                if one.name == channel.name and one.kind in (("aw", "w") if channel.kind == "b" else ("ar",))
            ]
            reset = _reset(channel, resets)
            answered = _handshake(graph, channel, values)
            valid = values[channel.pins["valid"][0]]
            for one in requests:
                owed = _owed(graph, _handshake(graph, one, values), answered, reset)
                yield valid >> 1, graph.disj(valid ^ 1, owed)


def _reset(channel: Channel, resets: Mapping[str, int]) -> int:
    return next(literal for start, literal in resets.items() if channel.name.startswith(start))


def _handshake(graph: Graph, channel: Channel, values: Mapping[str, int]) -> int:
    return graph.conj(values[channel.pins["valid"][0]], values[channel.pins["ready"][0]])


def _delayed(graph: Graph, literal: int) -> int:
    latch = graph.new_latch()
    graph.follows[latch >> 1] = literal
    return latch


def _owed(graph: Graph, taken: int, answered: int, reset: int) -> int:
    """Return whether a request waits for its answer; three and more may be any number."""
    low, high = graph.new_latch(), graph.new_latch()
    many = graph.conj(low, high)
    up, down = graph.conj(taken, answered ^ 1), graph.conj(answered, taken ^ 1)
    flip = graph.conj(graph.disj(up, down), many ^ 1)
    carry = graph.disj(graph.conj(up, low), graph.conj(down, low ^ 1))
    for latch, new in (
        (low, graph.xor(low, flip)),
        (high, graph.xor(high, graph.conj(carry, many ^ 1))),
    ):
        graph.follows[latch >> 1] = graph.conj(reset, new)
    return graph.disj(low, high)


def long_reset(graph: Graph, reset: int, cycles: int) -> tuple[int, int]:
    """Return that a reset, and the one with which all begins, lasts as long, and that the first is over."""
    low = _delayed(graph, FALSE)  # how many cycles it has been low, one bit each
    bits = [low]
    previous = reset ^ 1
    graph.follows[low >> 1] = previous
    for _ in range(cycles - 1):
        latch = graph.new_latch()
        graph.follows[latch >> 1] = graph.conj(bits[-1], reset ^ 1)
        bits.append(latch)
    first = graph.new_latch()  # something has happened
    graph.follows[first >> 1] = TRUE
    begun = graph.disj(low, first ^ 1)  # in the cycle before, or before all, the reset was low
    long_enough = graph.disj(begun ^ 1, graph.disj(bits[-1], reset ^ 1))
    over = graph.new_latch()
    graph.follows[over >> 1] = graph.disj(over, bits[-1])
    return long_enough, over
