# SPDX-License-Identifier: BSD-3-Clause
"""Payload rate of vnx_udp relative to the wire rate: packets lost each way, round trips, bursts of losses."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from shellgen.links.vnx_udp.options import IP_AND_UDP, VnxOptions
from shellgen.links.vnx_udp.window import sizes, under_way
from shellgen.resources import sim_closure, sim_models
from tools.blocks.block_bench import closure, run_sources

HERE = Path(__file__).parent
BLOCKS = ("vnx_sender", "vnx_receiver", "vnx_seal", "vnx_check")
LINE = 100e9  # bits in a second
OVERHEAD = 66  # bytes of Ethernet, IP and UDP around a payload, preamble and gap included
HEADERS = 42  # of these, what the stack puts in front of the payload
PERCENT = 65536 / 100  # chance of a packet
FRAME_BYTES = 1_000_003
MODEL_NS = 1100  # round trip of a short packet through the models, without more latency
ROUND_TRIPS = (1100, 2000, 5000, 10_000)  # ns
LEAST_LOST = {1: 0.95, 5: 0.90}  # of the limit, by packets lost each way, percent
LEAST_CLEAN = {1500: 0.978, 9000: 0.995}
BURST, MOST_TRIPS = 16, 2.0  # packets lost in a row, and round trips that this may cost


@dataclass(frozen=True)
class Setting:
    """One row of the table.

    Attributes:
        mtu: Of the network, bytes.
        mhz: Clock of the cards.
        trip_ns: Round trip of a short packet.
        percent: Packets lost each way.
        burst: Packets lost in a row now and then.
    """

    mtu: int
    mhz: int
    trip_ns: int
    percent: int
    burst: int = 0


@dataclass(frozen=True)
class Measured:
    """Payload in bits in a second, packets sent and packets lost, bursts and what each has cost.

    The cost is in round trips of a full packet, compared with a run that lost nothing.
    """

    rate: float
    packets: int
    lost: int
    bursts: int

    def cost(self, setting: Setting, clean: float, microseconds: int) -> float:
        """Return the round trips that a burst has cost besides the time of its packets.

        ``clean`` is the rate without any.
        """
        options = VnxOptions(mtu=setting.mtu, round_trip_ns=setting.trip_ns)
        packet_ns = (options.packet_beats * 64 + OVERHEAD) * 8e9 / LINE
        lost_ns = microseconds * 1000 * (1 - self.rate / clean) / self.bursts
        return (lost_ns - setting.burst * packet_ns) / (under_way(options) * packet_ns)


def limit(mtu: int, mhz: int) -> float:
    """Return the bits in a second that VNx could carry in the largest packets: by the wire or its own clock.

    The stack's header inserter takes a cycle more than a packet has beats with its headers.
    """
    payload = mtu - IP_AND_UDP
    wire = LINE * payload / (payload + OVERHEAD)
    return min(wire, 8e6 * mhz * payload / (1 + -(-(HEADERS + payload) // 64)))


def measure(setting: Setting, microseconds: int, seed: int) -> Measured:
    """Return what was measured; every byte is compared."""
    options = VnxOptions(mtu=setting.mtu, round_trip_ns=setting.trip_ns)
    send, receive = sizes(options)["out"], sizes(options)["in"]
    period = round(1e6 / setting.mhz / 2) * 2
    defines = (
        f"PACKET_BEATS={options.packet_beats}",
        f"FRAME_BYTES={FRAME_BYTES}",
        f"SLOTS={receive['SLOTS']}",
        f"ACK_EVERY={receive['ACK_EVERY']}",
        f"TIMEOUT_CYCLES={send['TIMEOUT_CYCLES']}",
        f"REORDER={send['REORDER']}",
        f"FLIGHT={send['FLIGHT']}",
        f"PERIOD_PS={period}",
    )
    sources = [HERE / "vnx_link.sv", *(path for block in BLOCKS for path in closure(block))]
    sources += [sim_models()[name] for name in sim_closure(sources[0].read_text())]
    plusargs = (
        f"loss={round(setting.percent * PERCENT)}",
        f"burst={setting.burst}",
        f"latency={(setting.trip_ns - MODEL_NS) // 2}",
        f"seed={seed}",
        f"us={microseconds}",
    )
    sources = list(dict.fromkeys(sources))
    result = run_sources("vnx_link", sources, "verilator", plusargs, defines, optimise="-O1")
    if not result.comparisons:
        raise SystemExit(result.text)
    found = re.search(r"^LINK (\d+) (\d+) (\d+) (\d+) (\d+)$", result.text, re.MULTILINE)
    assert found
    size, cycles, packets, lost, bursts = map(int, found.groups())
    return Measured(8 * size / (cycles * period * 1e-12), packets, lost, bursts)


def settings(*, short: bool) -> list[Setting]:
    """Return the rows; of a short run those that say most."""
    trips = (2000,) if short else ROUND_TRIPS
    clocks = (300,) if short else (250, 300)
    rows = [Setting(mtu, mhz, 2000, 0) for mtu in LEAST_CLEAN for mhz in clocks]
    rows += [Setting(mtu, 300, trip, lost) for lost in LEAST_LOST for mtu in LEAST_CLEAN for trip in trips]
    return rows


def main() -> int:
    """Print the table; return 1 if any figure is below what is demanded."""
    parser = argparse.ArgumentParser(prog="vnx_link", description=__doc__)
    parser.add_argument("--us", type=int, default=1000, help="microseconds of each run")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each row with losses")
    parser.add_argument("--short", action="store_true", help="only round trips of 2 us, at 300 MHz")
    told = parser.parse_args()
    failed = False
    print("  MTU  MHz  trip us  lost   limit Gb/s  payload Gb/s  of the limit  packets  lost")
    for setting in settings(short=told.short):
        most = limit(setting.mtu, setting.mhz)
        least = LEAST_LOST[setting.percent] if setting.percent else LEAST_CLEAN[setting.mtu]
        for seed in range(1, 1 + (told.seeds if setting.percent else 1)):
            found = measure(setting, told.us, seed)
            share = round(found.rate / most, 3)
            failed |= share < least
            print(
                f"{setting.mtu:5} {setting.mhz:4} {setting.trip_ns / 1000:8.1f} {setting.percent:4} % "
                f"{most / 1e9:12.2f} "
                f"{found.rate / 1e9:13.2f} {share:13.3f} {found.packets:8} {found.lost:5}"
                f"{'  BELOW' if share < least else ''}",
                flush=True,
            )
    print("  MTU  trip us  bursts  round trips that one costs")
    for mtu in LEAST_CLEAN:
        setting = Setting(mtu, 300, 2000, 0, BURST)
        clean = measure(Setting(mtu, 300, 2000, 0), told.us, 1).rate
        found = measure(setting, told.us, 1)
        cost = found.cost(setting, clean, told.us)
        failed |= cost > MOST_TRIPS
        print(
            f"{mtu:5} {setting.trip_ns / 1000:8.1f} {found.bursts:7} {cost:27.2f}"
            f"{'  ABOVE' if cost > MOST_TRIPS else ''}",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
