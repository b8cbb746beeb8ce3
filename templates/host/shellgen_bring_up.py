#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bring a cluster up: what its links need before the first frame, as memory_map.json lists it.

Needs nothing but Python 3.8 and the files beside it, so that it runs on the board as it is:

    python3 shellgen_bring_up.py memory_map.json

Nothing is written before every core has shown the build id that the map was made for. Steps are done in
order. What lies between two barriers is a phase: where boards hang on several hosts, each host runs phase 1
for its own (--phase 1), and phase 2 when all of them have finished.
"""

import os
import sys
import time

from shellgen_bus import BusError, DeviceBus, HostError, Parser, WindowBus, as_bus
from shellgen_core import Core, find_node, read_map
from shellgen_open import add_options, open_buses, ways

__all__ = [
    "BusError",
    "DeviceBus",
    "HostError",
    "WindowBus",
    "bring_up",
    "chosen_steps",
    "given_values",
    "main",
    "read_map",
]
_WORD = (1 << 32) - 1


class Patience:
    """Limits how long a register is polled: the same time for each step."""

    def __init__(self, seconds):
        self._seconds = seconds
        self._end = self._next = None

    def start(self):
        """Begin to wait for a register."""
        now = time.monotonic()
        self._end, self._next = now + self._seconds, now + self._seconds / 10

    def again(self):
        """Wait a little and return True, or return False when the time is up."""
        if time.monotonic() >= self._end:
            return False
        time.sleep(0.001)
        return True

    def lapsed(self):
        """Return whether a tenth of the time is over since it last did, or since the start."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + self._seconds / 10
        return True

    def __str__(self):
        return f"within {self._seconds:g} s"


def chosen_steps(memory_map, nodes, phase=None):
    """Return the steps to be done, in order and without barriers.

    Args:
        memory_map: As `read_map` returns it.
        nodes: Names of the nodes that this host brings up.
        phase: Number of the phase, from 1; None for all, which only a host of all nodes can do.

    Raises:
        HostError: There is no such node or phase, or a phase must be given.
    """
    for name in nodes:
        find_node(memory_map, name)
    found = memory_map.get("bring_up") or {"nodes": [], "steps": []}
    phases = [[]]
    for step in found["steps"]:
        if step["op"] == "barrier":
            phases.append([])
        elif step["node"] in nodes:
            phases[-1].append(step)
    if phase is not None and not 1 <= phase <= len(phases):
        raise HostError(f"--phase {phase}: there are {len(phases)}, from 1")
    others = [name for name in found["nodes"] if name not in nodes]
    if phase is None and len(phases) > 1 and others:
        text = "there are {} phases, and other nodes must keep up: {}; {}"
        remedy = "run --phase 1 for all of them, then --phase 2"
        raise HostError(text.format(len(phases), ", ".join(others), remedy))
    return [step for number, steps in enumerate(phases, 1) if phase in (None, number) for step in steps]


def given_values(steps, given):
    """Return the value of each step; raise HostError, which tells every name that lacks a value."""
    lacking = sorted({s["value"] for s in steps if isinstance(s["value"], str) and s["value"] not in given})
    if lacking:
        text = "no value is given for {}; add {}"
        raise HostError(text.format(", ".join(lacking), " ".join(f"--set {n}=..." for n in lacking)))
    return [given[step["value"]] if isinstance(step["value"], str) else step["value"] for step in steps]


def bring_up(memory_map, buses, phase=None, given=None, patience=None):
    """Do the steps of some nodes.

    Args:
        memory_map: As `read_map` returns it.
        buses: By name of the node, how it is reached: see `shellgen_bus`; PYNQ's ``MMIO`` of the core is one.
        phase: See `chosen_steps`.
        given: Values by name.
        patience: How long a register is waited for; 10 s by default.

    Returns:
        The steps that were done.

    Raises:
        HostError: Another build, an access that is answered with an error, or a register that does not get
            the value that is waited for; with node and register.
    """
    steps = chosen_steps(memory_map, list(buses), phase)
    values = given_values(steps, given or {})
    patience = patience or Patience(10.0)
    reached = {name: as_bus(bus) for name, bus in buses.items()}
    for name in dict.fromkeys(step["node"] for step in steps):
        Core(find_node(memory_map, name), reached[name]).check()
    for index, step in enumerate(steps):
        bus = reached[step["node"]]
        if step["op"] == "write":
            _write(step, values[index], bus)
        else:
            first = index - step["again"]
            _until(step, values[index], bus, patience, list(zip(steps[first:index], values[first:index])))
    return steps


def _write(step, value, bus):
    try:
        bus.write(step["address"], value)
    except BusError as error:
        raise HostError(f"{_place(step)}: {error}") from None


def _until(step, value, bus, patience, again):
    """Wait for a register; do steps of before again while that takes time."""
    patience.start()
    mask = step["mask"]
    while True:
        try:
            found = bus.read(step["address"])
        except BusError as error:
            raise HostError(f"{_place(step)}: {error}") from None
        if not (found ^ value) & mask:
            return
        if not patience.again():
            text = "{}: read {:#010x}, wanted {:#010x} in the bits {:#010x} {}{}{}"
            why = ": " + step["text"] if step["text"] else ""
            told = text.format(_place(step), found, value & mask, mask, patience, why, _reason(step, bus))
            raise HostError(told)
        if again and patience.lapsed():
            for earlier, written in again:
                _write(earlier, written, bus)


def _reason(step, bus):
    """Return the reason for a register's timeout, from another register."""
    reason = step["reason"]
    try:
        found = bus.read(reason["address"]) if reason else 0
    except BusError:
        found = 0
    if not found:
        return ""
    told = ", ".join(each["text"] for each in reason["bits"] if found & each["mask"])
    return "; {} reads {:#010x}{}".format(reason["place"], found, ": " + told if told else "")


def _place(step):
    return "{}: {} at {:#x}".format(step["node"], step["place"], step["address"])


def main(arguments=None):
    """Bring up the nodes that this host reaches; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except HostError as error:
        print(f"shellgen_bring_up: {error}", file=sys.stderr)
    except BrokenPipeError:  # who read the steps has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"shellgen_bring_up: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("shellgen_bring_up: interrupted; load the bitstreams before the next try", file=sys.stderr)
        return 130
    return 2


def _parser():
    parser = Parser(description="Do what the links of a cluster need before the first frame.")
    parser.add_argument("map", help="memory_map.json of the cluster or of a node")
    parser.add_argument(
        "--node", action="append", help="bring up this node (may be repeated; default: all of the map)"
    )
    parser.add_argument("--phase", type=int, help="only what lies between two barriers, from 1")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a value that the map only names"
    )
    parser.add_argument(
        "--timeout", type=float, default=10.0, help="seconds to wait for a register (default 10)"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the steps, and touch nothing")
    add_options(parser)
    return parser


def _run(options):
    found = read_map(options.map)
    if not options.timeout > 0:
        raise HostError(f"--timeout {options.timeout:g}: give some time")
    # All that can be wrong with the map and the values is said before the device is opened.
    names = list(dict.fromkeys(options.node or [node["name"] for node in found["nodes"]]))
    steps = chosen_steps(found, names, options.phase)
    given = _given(options.set, (found.get("bring_up") or {"values": []})["values"])
    shown = [_line(step, given) for step in steps]
    entries = [find_node(found, name) for name in dict.fromkeys(step["node"] for step in steps)]
    if not options.dry_run:
        given_values(steps, given)
        ways(entries, options)
    if options.dry_run:
        print("\n".join(shown) or "there is nothing to do", flush=True)
        return 0
    if steps:
        buses = dict.fromkeys(names)
        buses.update(open_buses(entries, options))
        bring_up(found, buses, options.phase, given, Patience(options.timeout))
    count = "{} {}".format(len(steps), "step" if len(steps) == 1 else "steps")
    which = f" of phase {options.phase}" if options.phase else ""
    print("{}: {}{} done".format(", ".join(names), count, which))
    return 0


def _given(texts, known):
    given = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            given[name] = int(value, 0)
        except ValueError:
            raise HostError(f"--set {text}: give it as NAME=VALUE, with a number") from None
        if name not in known:
            names = ", ".join(known) or "none"
            raise HostError(f"--set {text}: the map does not name {name}; it names {names}")
        if not 0 <= given[name] <= _WORD:
            raise HostError(f"--set {text}: a value has 32 bits")
    return given


def _line(step, given):
    value = given.get(step["value"], step["value"])
    shown = value if isinstance(value, str) else f"{value:#010x}"
    mask = " in the bits {:#010x}".format(step["mask"]) if step["op"] == "until" else ""
    why = ", " + step["text"] if step["text"] else ""
    return "{}: {} = {}{}{}".format(_place(step), step["op"], shown, mask, why)


if __name__ == "__main__":
    sys.exit(main())
