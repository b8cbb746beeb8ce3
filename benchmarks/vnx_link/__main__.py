# SPDX-License-Identifier: BSD-3-Clause
"""Payload rate of vnx_udp relative to the wire rate, without loss and with 1 % of packets lost."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from shellgen.links.vnx_udp.link import sizes
from shellgen.links.vnx_udp.options import IP_AND_UDP, VnxOptions
from shellgen.resources import sim_closure, sim_models
from tools.blocks.block_bench import closure, run_sources

HERE = Path(__file__).parent
BLOCKS = ("vnx_sender", "vnx_receiver", "vnx_seal", "vnx_check")
LINE = 100e9  # bits in a second
OVERHEAD = 66  # bytes of Ethernet, IP and UDP around a payload, preamble and gap included
HEADERS = 42  # of these, what the stack puts in front of the payload
LOSS = 655  # of 65,536 packets
FRAME_BYTES = 1_000_003
LEAST = {0: 0.97, LOSS: 0.85}


@dataclass(frozen=True)
class Setting:
    """One row of the table: packets of the network, clock of the cards in MHz, packets lost of 65,536."""

    mtu: int
    mhz: int
    loss: int


SETTINGS = [Setting(mtu, mhz, loss) for mtu in (1500, 9000) for mhz in (200, 250, 300) for loss in LEAST]


def limit(mtu: int, mhz: int) -> float:
    """Return the bits in a second that VNx could carry in the largest packets: by the wire or its own clock.

    The stack's header inserter takes a cycle more than a packet has beats with its headers.
    """
    payload = mtu - IP_AND_UDP
    wire = LINE * payload / (payload + OVERHEAD)
    return min(wire, 8e6 * mhz * payload / (1 + -(-(HEADERS + payload) // 64)))


def measure(setting: Setting, microseconds: int) -> tuple[float, int, int]:
    """Return the payload in bits in a second, packets sent and packets lost; every byte is compared."""
    options = VnxOptions(mtu=setting.mtu)
    send, receive = sizes(options)["out"], sizes(options)["in"]
    period = round(1e6 / setting.mhz / 2) * 2
    defines = (
        f"PACKET_BEATS={options.packet_beats}",
        f"FRAME_BYTES={FRAME_BYTES}",
        f"SEND_SLOTS={send['SLOTS']}",
        f"SLOTS={receive['SLOTS']}",
        f"ACK_EVERY={receive['ACK_EVERY']}",
        f"TIMEOUT_CYCLES={send['TIMEOUT_CYCLES']}",
        f"PERIOD_PS={period}",
    )
    sources = [HERE / "vnx_link.sv", *(path for block in BLOCKS for path in closure(block))]
    sources += [sim_models()[name] for name in sim_closure(sources[0].read_text())]
    plusargs = (f"loss={setting.loss}", f"us={microseconds}")
    sources = list(dict.fromkeys(sources))
    result = run_sources("vnx_link", sources, "verilator", plusargs, defines, optimise="-O1")
    if not result.comparisons:
        raise SystemExit(result.text)
    found = re.search(r"^LINK (\d+) (\d+) (\d+) (\d+)$", result.text, re.MULTILINE)
    assert found
    size, cycles, packets, lost = map(int, found.groups())
    return 8 * size / (cycles * period * 1e-12), packets, lost


def main() -> int:
    """Print the table; return 1 if any figure is below what is demanded."""
    microseconds = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    failed = False
    print("  MTU  MHz  lost   limit Gb/s  payload Gb/s  of the limit  packets  lost")
    for setting in SETTINGS:
        rate, packets, lost = measure(setting, microseconds)
        most = limit(setting.mtu, setting.mhz)
        low = rate / most < LEAST[setting.loss]
        failed |= low
        print(
            f"{setting.mtu:5} {setting.mhz:4} {setting.loss / 655.36:4.0f} % {most / 1e9:12.2f} "
            f"{rate / 1e9:13.2f} {rate / most:13.3f} {packets:8} {lost:5}{'  BELOW' if low else ''}"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
