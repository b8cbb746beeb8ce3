#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Send frames to cards and take their results, as the end of the host's streams that go by UDP (docs/vnx.md).

    python3 run_host.py --input x.npy --output y.npy --golden golden.npy

Set the cards up first (shellgen_cards.py). This machine needs a port in their network with the address that
the map says, and no card of its own. Python 3.8 or later, numpy.
"""

import sys
import time
from pathlib import Path

import numpy as np
from shellgen_bus import HostError, Parser, positive, seconds
from shellgen_core import read_map
from shellgen_pump import FileSink
from shellgen_udp import PAUSE, UdpSink, UdpSource, await_cards
from shellgen_wire import Layout

AT_ONCE = 1 << 20  # bytes of frames that are packed at a time
QUIET = 0.3  # seconds without a result of an earlier run


class Stream:
    """One stream of the host, with the places of its frames among those of all replicas."""

    def __init__(self, entry, frames):
        self.entry, self.name, self.layout = entry, entry["boundary"], Layout(entry)
        deal = entry["deal"]
        places = np.arange(frames)
        self.places = places if deal is None else places[np.isin(places % deal["period"], deal["places"])]
        self.at = 0  # frames that have passed
        self.end, self.marked = None, []

    @property
    def done(self):
        """All frames have passed."""
        return self.at == len(self.places)

    def next(self):
        """Return the places of frames that are moved together."""
        count = max(1, AT_ONCE // self.entry["frame_bytes"])
        return self.places[self.at : self.at + count]


class Away(Stream):
    """A stream from the host: ``values`` (frames, elements) of a file."""

    def __init__(self, entry, frames, values, path):
        super().__init__(entry, frames)
        self._values, self._path = values, path
        self.end = UdpSink(entry)

    def drop(self):
        """Serve the card; nothing comes."""
        self.end.step()
        return 0

    def finish(self):
        """Send what is left."""
        self.end.finish()

    def step(self):
        """Go on without waiting; tell whether anything has moved."""
        moved = self.end.step()
        if self.done or not self.end.room():
            return moved
        chosen = self.next()
        self.end.put(self.layout.encode(self._values[chosen], self._path))
        self.at += len(chosen)
        return True


class Back(Stream):
    """A stream to the host, whose frames go into ``rows`` by their places, as bytes."""

    def __init__(self, entry, frames, rows):
        super().__init__(entry, frames)
        self._rows = rows
        self.end = UdpSource(entry, len(self.places))

    def drop(self):
        """Drop what has come; return how many frames."""
        return self.end.drop()

    def finish(self):
        """Tell which frames are marked."""
        self.marked = [(self.name, self.places[at]) for at in self.end.marked]

    def step(self):
        """Go on without waiting; tell whether anything has moved."""
        moved = self.end.step()
        data = None if self.done else self.end.take(1)
        if data is None:
            return moved
        self._rows[self.places[self.at]] = data
        self.at += 1
        return True


def named(entry):
    """Return the names by which the command line can mean a stream; replicas and copies have one."""
    deal, tensor = entry["deal"], entry["tensor"]
    return [name for name in (deal["stream"] if deal else entry["boundary"], tensor) if name]


def groups(entries):
    """Return streams that share a file: those of one tensor, and those of the replicas of one stage."""
    found = {}
    for entry in entries:
        known = next((group for name, group in found.items() if name in named(entry)), [])
        known.append(entry)
        found.update(dict.fromkeys(named(entry), known))
    return found


def unlike(known):
    """Return each group once, in order."""
    return list({id(group): group for group in known.values()}.values())


def by_group(known, given, option):
    """Return values by the first boundary of a group, from ``[STREAM=]VALUE``; a single one needs no name."""
    single, chosen = unlike(known), {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or name not in known:
            if len(single) != 1:
                names = ", ".join(known) or "none"
                raise HostError(f"{option} {text}: give it as STREAM=VALUE; streams are {names}")
            group, value = single[0], text
        else:
            group = known[name]
        if group[0]["boundary"] in chosen:
            raise HostError(f"{option} {text}: stream {group[0]['boundary']} has one already")
        chosen[group[0]["boundary"]] = value
    return chosen


class Run:
    """The frames of the command line on their way to the cards and back."""

    def __init__(self, entries, options):
        self._options = options
        self._sent = groups([one for one in entries if one["direction"] == "rx"])
        self._got = groups([one for one in entries if one["direction"] == "tx"])
        self._paths = by_group(self._sent, options.input, "--input")
        self._values = {first: Layout(self._sent[first][0]).read(path) for first, path in self._paths.items()}
        self.frames = options.frames or min((len(one) for one in self._values.values()), default=0)
        self._check()
        files = by_group(self._got, options.output, "--output")
        golden = by_group(self._got, options.golden, "--golden")
        self._sinks, self._rows = {}, {}
        for group in unlike(self._got):
            first = group[0]["boundary"]
            self._sinks[first] = FileSink(Layout(group[0]), files.get(first), golden.get(first))
            self._sinks[first].expect(self.frames)
        self.streams, self.marked = [], []

    def open(self):
        """Open a socket for each stream, and wait until all cards have answered."""
        for group in unlike(self._sent):
            first = group[0]["boundary"]
            for entry in group:
                self.streams.append(Away(entry, self.frames, self._values[first], self._paths[first]))
        for group in unlike(self._got):
            rows = self._rows[group[0]["boundary"]] = [None] * self.frames
            for entry in group:
                self.streams.append(Back(entry, self.frames, rows))
        await_cards([one.end for one in self.streams], self._options.wait)

    def settle(self):
        """Drop results of an earlier run that was interrupted; return how many."""
        dropped, end = 0, time.monotonic() + QUIET
        while time.monotonic() < end:
            count = sum(one.drop() for one in self.streams)
            if count:
                dropped, end = dropped + count, time.monotonic() + QUIET
            time.sleep(PAUSE)
        return dropped

    def move(self):
        """Move all frames; return the seconds that it took."""
        began = last = time.monotonic()
        while not all(one.done for one in self.streams):
            if sum(one.step() for one in self.streams):
                last = time.monotonic()
            elif time.monotonic() - last > self._options.timeout:
                told = "; ".join(f"{one.name}: {one.at} of {len(one.places)} frames" for one in self.streams)
                text = "nothing moved for {:g} s. {}. shellgen_cards.py --show tells how the cards are"
                raise HostError(text.format(self._options.timeout, told))
            else:
                time.sleep(PAUSE)
        took = time.monotonic() - began
        for one in self.streams:
            one.finish()
            self.marked += one.marked
        return took

    def results(self):
        """Write the files of results; return what differs from golden frames, by stream."""
        found = {}
        for first, sink in self._sinks.items():
            sink.put(np.concatenate(self._rows[first]))
            found[first] = sink.finish()
        return {first: text for first, text in found.items() if text}

    def close(self):
        """Close all sockets."""
        for one in self.streams:
            one.end.close()

    def _check(self):
        names = [group[0]["boundary"] for group in unlike(self._sent)]
        without = [first for first in names if first not in self._values]
        if without:
            raise HostError(f"nothing feeds {', '.join(without)}: give --input")
        if not self.frames:
            raise HostError("the host sends no stream here: give --frames, how many come")
        lengths = {len(values) for values in self._values.values()}
        if len(lengths) > 1 and not self._options.frames:
            raise HostError(f"the inputs have different numbers of frames: {sorted(lengths)}; give --frames")
        for first, values in self._values.items():
            if len(values) < self.frames:
                text = "{}: it has {} frames, and {} are asked for"
                raise HostError(text.format(self._paths[first], len(values), self.frames))


def parser():
    """Return the parser of the command line."""
    made = Parser(description="Run frames through cards. STREAM is a boundary or a tensor.")
    some = {"action": "append", "default": []}
    made.add_argument("--input", metavar="[STREAM=]X.npy", help="frames to send", **some)
    made.add_argument("--output", metavar="[STREAM=]Y.npy", help="where results go", **some)
    made.add_argument("--golden", metavar="[STREAM=]Y.npy", help="what must come", **some)
    made.add_argument("--frames", type=positive, help="only so many of --input, or how many come")
    made.add_argument("--timeout", type=seconds, default=10.0, help="seconds without movement (10)")
    made.add_argument("--wait", type=seconds, default=60.0, help="seconds to wait for the cards (60)")
    made.add_argument("--map", help="memory_map.json of the cluster")
    return made


def run(memory_map, options):
    """Do what the command line asks for; return the exit code."""
    entries = [
        one for node in memory_map["nodes"] for one in node["streams"] if one["host"] and one["program"]
    ]
    if not entries:
        raise HostError("the map has no stream of the host that goes by UDP")
    going = Run(entries, options)
    try:
        going.open()
        if dropped := going.settle():
            print(f"host: {dropped} results of an earlier run were dropped", file=sys.stderr)
        took = going.move()
    finally:
        going.close()
    wrong = going.results()
    print(f"host: {going.frames} frames in {took:.3f} s, {going.frames / took:,.0f} frames/s")
    for name, text in wrong.items():
        print(f"host: {name} differs from the golden frames: {text}", file=sys.stderr)
    for name, at in going.marked:
        text = "host: stream {}: frame {} is made of frames that a card has lost in a reset; run it again"
        print(text.format(name, at), file=sys.stderr)
    if options.golden and not wrong:
        print("host: as in the golden frames")
    return 1 if going.marked or wrong else 0


def main(arguments=None):
    """Run; return the exit code: 0, 1 if golden frames differ or results are marked, 2 on an error."""
    options = parser().parse_args(arguments)
    path = options.map or Path(__file__).resolve().parent.parent / "memory_map.json"
    try:
        return run(read_map(path), options)
    except HostError as error:
        print(f"run_host: {error}", file=sys.stderr)
    except OSError as error:
        print(f"run_host: {error.filename or path}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("run_host: interrupted", file=sys.stderr)
        return 130
    return 2


if __name__ == "__main__":
    sys.exit(main())
