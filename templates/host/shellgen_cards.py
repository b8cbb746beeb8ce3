#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Set up the cards of a cluster that this host has, and tell how they and their streams are doing.

Needs nothing but Python 3.8 and the files beside it:

    python3 shellgen_cards.py memory_map.json --device n0=0 --device n1=1 --xclbin '{node}.xclbin'

Every card gets its xclbin, unless it has it, and what its links need before the first frame
(shellgen_bring_up.py says how several hosts do that together); then two tables tell of cards and streams.
With --show nothing is written. The exit code is 1 if a link is down, a stream has no session, or frames were
lost.
"""

import sys

from shellgen_bring_up import Patience, bring_up, chosen_steps
from shellgen_bus import BusError, HostError, Parser
from shellgen_core import Block, Core, find_node, read_map
from shellgen_open import add_options, close_buses, open_buses, ways

__all__ = ["BusError", "HostError", "cards", "main", "streams"]
CARD = ("card", "port", "address", "MAC address", "link", "RS-FEC")
STREAM = ("stream", "at", "", "session", "frames", "packets", "again", "lost")


def cards(entry, bus):
    """Return a row for each network port of a card, as CARD names the columns, and whether all is well.

    Args:
        entry: Of the node in the map.
        bus: See `shellgen_bus`.
    """
    rows, well = [], True
    layers = [unit for unit in entry["units"] if unit["block"] == "networklayer"]
    for layer in layers:
        port = layer["name"].rpartition("_")[2]
        own, mac = Block(entry, layer["name"], bus), Block(entry, f"cmac_{port}", bus)
        mac.read("STAT_RX_STATUS")  # how it was before
        up = mac.read("STAT_RX_STATUS") & mac.mask("STAT_RX_STATUS", "STATUS")
        address = own.read("MAC_HIGH") << 32 | own.read("MAC_LOW")
        fec = "on" if mac.read("RSFEC_ENABLE") else "off"
        rows.append((entry["name"], port, _ip(own.read("IP_ADDRESS")), _octets(address), _up(up), fec))
        well = well and bool(up)
    return rows, well


def streams(entry, bus, later=()):
    """Return a row for each end of a stream at a card, as STREAM names the columns, and if all is well.

    Args:
        entry: Of the node in the map.
        bus: See `shellgen_bus`.
        later: Streams whose other end is a program, which need not run yet.
    """
    rows, well = [], True
    for block in entry["blocks"]:
        sends = block["block"] == "vnx_sender"
        if not sends and block["block"] != "vnx_receiver":
            continue
        name = _stream(entry, block["name"])
        end = Block(entry, block["name"], bus)
        is_open = end.read("STATE") & end.mask("STATE", "OPEN" if sends else "SESSION")
        lost = end.read("LOST_FRAMES" if sends else "CUT_FRAMES")
        # What was sent once more, and what came once more.
        again = end.read("RESENT" if sends else "DUPLICATES")
        told = ("sends" if sends else "receives", "open" if is_open else "none")
        rows.append((name, entry["name"], *told, end.read("FRAMES"), end.read("PACKETS"), again, lost))
        well = well and (bool(is_open) or name in later) and not lost
    return rows, well


def _stream(entry, name):
    """Return the stream of a block, whose name ends like vnx0_tx_3: number 3 of those that leave."""
    _, direction, number = name.rsplit("_", 2)
    return [one["boundary"] for one in entry["streams"] if one["direction"] == direction][int(number)]


def _ip(number):
    return ".".join(str(number >> shift & 0xFF) for shift in (24, 16, 8, 0))


def _octets(number):
    return ":".join(f"{number >> shift & 0xFF:02x}" for shift in range(40, -8, -8))


def _up(bits):
    return "up" if bits else "down"


def table(columns, rows):
    """Return the lines of a table; what is a number stands to the right."""
    texts = [tuple(map(str, row)) for row in (columns, *rows)]
    widths = [max(len(row[at]) for row in texts) for at in range(len(columns))]
    right = [all(isinstance(row[at], int) for row in rows) for at in range(len(columns))]
    lines = [
        "  ".join(
            cell.rjust(size) if flush else cell.ljust(size) for cell, size, flush in zip(row, widths, right)
        )
        for row in texts
    ]
    return [line.rstrip() for line in lines]


def main(arguments=None):
    """Set up and show; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except HostError as error:
        print(f"shellgen_cards: {error}", file=sys.stderr)
    except OSError as error:
        print(f"shellgen_cards: {error.filename or options.map}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("shellgen_cards: interrupted; load the xclbins before the next try", file=sys.stderr)
        return 130
    return 2


def _parser():
    parser = Parser(description="Set up the cards of a cluster, and show how they are doing.")
    parser.add_argument("map", help="memory_map.json of the cluster or of a node")
    parser.add_argument("--node", action="append", help="a card of this host (may be repeated; default: all)")
    parser.add_argument("--phase", type=int, help="only what lies between two barriers, from 1")
    parser.add_argument(
        "--timeout", type=float, default=10.0, help="seconds to wait for a register (default 10)"
    )
    parser.add_argument("--show", action="store_true", help="write nothing, only show")
    add_options(parser)
    return parser


def _run(options):
    found = read_map(options.map)
    if not options.timeout > 0:
        raise HostError(f"--timeout {options.timeout:g}: give some time")
    names = list(dict.fromkeys(options.node or [node["name"] for node in found["nodes"] if node["units"]]))
    entries = [find_node(found, name) for name in names]
    if not options.show:
        chosen_steps(found, names, options.phase)
    ways(entries, options)
    buses = open_buses(entries, options)
    try:
        if not options.show:
            bring_up(found, buses, options.phase, patience=Patience(options.timeout))
            phases = 1 + sum(
                step["op"] == "barrier" for step in (found.get("bring_up") or {"steps": []})["steps"]
            )
            if (options.phase or phases) < phases:
                text = "{}: phase {} of {} done; the next when all hosts have come so far"
                print(text.format(", ".join(names), options.phase, phases))
                return 0
        return _show(found, entries, buses)
    finally:
        close_buses(buses)


def _show(found, entries, buses):
    later = {one["boundary"] for node in found["nodes"] for one in node["streams"] if one["program"]}
    told, well = ([], []), True
    for entry in entries:
        bus = buses[entry["name"]]
        Core(entry, bus).check()
        for rows, (more, fine) in zip(told, (cards(entry, bus), streams(entry, bus, later))):
            rows.extend(more)
            well = well and fine
    for columns, rows in zip((CARD, STREAM), told):
        if rows:
            print("\n".join([*table(columns, rows), ""]))
    print("all is well" if well else "see above: a link is down, a session is missing, or frames were lost")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
