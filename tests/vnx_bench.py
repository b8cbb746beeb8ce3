# SPDX-License-Identifier: BSD-3-Clause
"""Scripts for three cards behind the models of VNx and of a switch, and what comes of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.resources import sim_closure, sim_models
from tools.blocks.block_bench import run_sources

BENCH = Path(__file__).with_name("simulate_modules") / "vnx_bench.sv"
# Place of a parameter in the bench's `parameters`.
PARAMETERS = (
    "seed",
    "latency",
    "toward",
    "arp",
    "loss",
    "burst",
    "burst_length",
    "duplicate",
    "reorder",
    "truncate",
    "corrupt",
    "beat",
)
NETWORK, MASK, GATEWAY = "C0A800", "FFFFFF00", "C0A80001"
OCTETS = (5, 10, 11)  # of the cards' addresses
PORTS = (0xEA60, 0xC350, 0x1234)


@dataclass(frozen=True)
class Packet:
    """A packet as a core received it, up to TLAST."""

    card: int
    row: int
    user: int
    time_ns: float
    data: bytes


@dataclass(frozen=True)
class Outcome:
    """All that the bench has printed."""

    packets: tuple[Packet, ...]
    cards: tuple[dict[str, int], ...]
    probes: dict[tuple[int, int], int]
    arp: dict[tuple[int, int], str]
    switch: dict[str, int]

    def at(self, card: int) -> list[bytes]:
        """Return the payloads that a core got."""
        return [packet.data for packet in self.packets if packet.card == card]


def payload(count: int, seed: int = 0) -> bytes:
    """Return what `send` sends."""
    words = ((seed * 0x01000193 + k * 0x9E3779B1) % (1 << 32) for k in range(-(-count // 4)))
    return b"".join(word.to_bytes(4, "little") for word in words)[:count]


def card(number: int, ip: str = "", mask: str = MASK, gateway: str = GATEWAY) -> str:
    """Give a card its address."""
    octet = OCTETS[number]
    return f"card {number} {ip or NETWORK + f'{octet:02X}'} {mask} {gateway} 000A35029D{octet:02X}"


def row(number: int, at: int, peer: int, valid: int = 1, port: int | None = None) -> str:
    """Give a card a row of its socket table."""
    port = PORTS[peer] if port is None else port
    return f"row {number} {at} {NETWORK}{OCTETS[peer]:02X} {port:X} {PORTS[number]:X} {valid}"


def known(number: int, peer: int) -> str:
    """Give a card the MAC of another."""
    return f"known {number} {OCTETS[peer]:02X} 000A35029D{OCTETS[peer]:02X}"


def pair(first: int = 0, second: int = 1) -> list[str]:
    """Join row 3 of one card with row 1 of another."""
    joined = [row(first, 3, second), row(second, 1, first), known(first, second), known(second, first)]
    return [card(first), card(second), *joined]


def greet(number: int, at: int) -> list[str]:
    """Let a card send 18 bytes, so that the switch knows its MAC and floods nothing to it."""
    return [f"send {number} {at} 18 0", "wait 2000"]


def parameter(**values: int) -> list[str]:
    """Set parameters of the switch."""
    return [f"parameter {PARAMETERS.index(name)} {value}" for name, value in values.items()]


def play(script: Sequence[str], folder: Path, simulator: str) -> Outcome:
    """Run a script."""
    path = folder / "script.txt"
    path.write_text("\n".join(script) + "\n")
    models = sim_models()
    sources = [BENCH, *(models[name] for name in sim_closure(BENCH.read_text()))]
    result = run_sources("vnx_bench", sources, simulator, [f"script={path}"])
    assert "\nEND\n" in result.text, result.text[-2000:]
    return _outcome(result.text)


def _outcome(text: str) -> Outcome:
    packets = []
    for line in re.findall(r"^GOT (.*)$", text, re.MULTILINE):
        number, at, user, time, *beats = line.split()
        packets.append(
            Packet(int(number), int(at), int(user, 16), int(time) / 1000, b"".join(map(_beat, beats)))
        )
    cards = []
    for line in re.findall(r"^CARD \d (.*)$", text, re.MULTILINE):
        words = line.split()
        cards.append({name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)})
    probes = {
        (int(a), int(b)): int(c) for a, b, c in re.findall(r"^PROBE (\d) +(\d+) +(\d+)$", text, re.MULTILINE)
    }
    arp = {(int(a), int(b)): c for a, b, c in re.findall(r"^ARP (\d) +(\d+) (\w+)$", text, re.MULTILINE)}
    switch = {
        a: int(b)
        for a, b in re.findall(r"([a-z]+) +(\d+)", re.findall(r"^SWITCH (.*)$", text, re.MULTILINE)[0])
    }
    return Outcome(tuple(packets), tuple(cards), probes, arp, switch)


def _beat(text: str) -> bytes:
    """Return the bytes that TKEEP marks: from the first on, without a gap."""
    keep, data = (int(part, 16) for part in text.split(":"))
    count = keep.bit_length()
    assert keep == (1 << count) - 1, f"TKEEP is {keep:x}"
    return data.to_bytes(64, "little")[:count]
