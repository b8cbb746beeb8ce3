# SPDX-License-Identifier: BSD-3-Clause
"""Run frames through the core of one node: from files or the board before, to files or the next board.

`run_<node>.py` calls `main`. At the start partitions, links and DMAs are reset, so that nothing of an
earlier run is left; weights that were loaded stay. Python 3.8 or later, numpy, and PYNQ, u-dma-buf or XRT.

Source: docs/host.md of shellgen.
"""

import importlib
import re
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from shellgen_board import DeviceBoard, PynqBoard
from shellgen_bus import HostError, Parser, positive, seconds
from shellgen_core import find_node, read_map
from shellgen_link import SocketSink, address_of, connect
from shellgen_listen import Listener
from shellgen_mover import XrtBoard
from shellgen_open import driver, through
from shellgen_pump import Copies, FileSink, FileSource
from shellgen_runner import Runner
from shellgen_wire import Layout


def consumers(stream):
    """Return the stream for each consumer of its frames: several may get what leaves the core."""
    return [stream, *(dict(stream, **one) for one in stream["copies"])]


def by_stream(runner, direction, given, option):
    """Return values by boundary from ``[STREAM=]VALUE``; a single stream needs no name."""
    streams = [each for stream in runner.streams(direction) for each in consumers(stream)]
    names = {stream["boundary"]: stream["boundary"] for stream in streams}
    names.update({stream["tensor"]: stream["boundary"] for stream in streams if stream["tensor"]})
    names.update({each["port"]: each["boundary"] for each in streams if not each["copies"]})
    chosen = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or name not in names:
            if len(streams) != 1 or (equals and re.fullmatch(r"[sm]_axis_[0-9]+", name)):
                known = ", ".join(each["boundary" if each["copies"] else "port"] for each in streams)
                raise HostError(f"{option} {text}: give it as STREAM=VALUE; streams are {known}")
            name, value = streams[0]["port"], text
        if names[name] in chosen:
            raise HostError(f"{option} {text}: stream {name} has one already")
        chosen[names[name]] = value
    return chosen


class Ends:
    """Sources and destinations of a run's frames, from the command line."""

    def __init__(self, runner, options):
        self._runner, self._options = runner, options
        self.sources, self.sinks, self._told = {}, {}, None
        self.ends = {}  # of what leaves, by the boundary of the consumer
        self.served = []  # those that need a step now and then

    def open(self):
        """Open files, and wait for the other boards; these may wait for this one, so it calls early."""
        options, streams = self._options, self._runner.streams("rx")
        files = by_stream(self._runner, "rx", options.input, "--input")
        others = [stream for stream in streams if stream["boundary"] not in files]
        missing = [stream for stream in others if not stream["program"]]
        cards = [stream for stream in others if stream["program"]]
        if not streams and not options.frames:
            name = self._runner.core.name
            raise HostError(f"no stream of the host enters node {name}: give --frames, how many come")
        if len(cards) == len(streams) > 0 and not options.frames:
            names = ", ".join(stream["boundary"] for stream in cards)
            raise HostError(f"a card sends {names}, and tells no number: give --frames, how many come")
        if missing and not options.listen:
            names = ", ".join(f"{stream['port']} ({stream['boundary']})" for stream in missing)
            raise HostError(f"nothing feeds {names}: give --input or --listen")
        for stream in streams:
            if stream["boundary"] in files:
                path, count = files[stream["boundary"]], options.frames
                share = count and self._runner.turns.share(stream["index"], count)
                self.sources[stream["index"]] = FileSource(Layout(stream), path, share)
        plan = self._planned_sinks()
        with ExitStack() as stack:
            listener = None
            if missing:
                listener = stack.enter_context(Listener(options.listen, missing, self.sources))
            self._open_sinks(plan)
            end = time.monotonic() + options.wait
            while listener and listener.missing:
                listener.wait(end)
                self._open_sinks(plan)
        for stream in cards:
            share = self._runner.turns.share(stream["index"], self._told)
            self._serve(stream["index"], udp().UdpSource(stream, share))
        if self.served:
            udp().await_cards(self.served, options.wait)
        if self.frames != self._told:
            raise HostError(
                f"{self.frames} frames come, and {self._told} were announced by who has gone since"
            )

    def _planned_sinks(self):
        """Return a function for each consumer that opens its sink for so many frames, by boundary."""
        options, plan = self._options, {}
        peers = by_stream(self._runner, "tx", options.connect, "--connect")
        files = by_stream(self._runner, "tx", options.output, "--output")
        golden = by_stream(self._runner, "tx", options.golden, "--golden")
        for stream in (each for one in self._runner.streams("tx") for each in consumers(one)):
            at = stream["boundary"]
            if stream["program"] and at in peers:
                text = (
                    "stream {}: --connect: it goes to a card by UDP, at the address in the map; leave it out"
                )
                raise HostError(text.format(at))
            if stream["program"] and at not in files and at not in golden:
                plan[at] = partial(self._to_card, stream)
                continue
            if at in peers and (at in files or at in golden):
                text = "stream {}: --connect sends it away; let the next board write or compare"
                raise HostError(text.format(at if stream["copies"] else stream["port"]))
            if at in peers:
                plan[at] = partial(self._connect, address_of(peers[at]), stream)
            else:
                sink = FileSink(Layout(stream), files.get(at), golden.get(at))
                plan[at] = partial(_already, sink)
        return plan

    def _connect(self, address, stream, frames):
        peer = connect(address, stream, frames, self._options.wait)
        return SocketSink(peer, f"{address[0]}:{address[1]}")

    def _to_card(self, stream, frames):  # noqa: ARG002 - as other sinks are opened
        sink = udp().UdpSink(stream)
        self.served.append(sink)
        return sink

    def _serve(self, index, source):
        self.sources[index] = source
        self.served.append(source)

    @property
    def frames(self):
        """Number of frames to move, or None: of several sources as many as of the first, or of a gather."""
        told = {index: source.frames for index, source in self.sources.items()}
        return self._runner.turns.total(told) or self._options.frames

    def _open_sinks(self, plan):
        """Open them when it is known how many frames there are, once."""
        if self._told or not self.frames:
            return
        self._told = self.frames
        for stream in self._runner.streams("tx"):
            share, ends = self._runner.turns.share(stream["index"], self._told), []
            if not share:
                text = "stream {}: too few frames for all replicas, {}; give more, or --absent"
                raise HostError(text.format(stream["boundary"], self._told))
            for each in consumers(stream):
                ends.append(plan[each["boundary"]](share))
                self.ends[each["boundary"]] = ends[-1]
            self.sinks[stream["index"]] = Copies(ends) if len(ends) > 1 else ends[0]

    def close(self):
        """Close all."""
        for end in (*self.sources.values(), *self.ends.values()):
            end.close()


def udp():
    """Return the module for streams by UDP, which is there if the cluster has some."""
    return importlib.import_module("shellgen_udp")


def _already(sink, frames):
    sink.expect(frames)
    return sink


def run(node, memory_map, folder, options, board=None):
    """Do what the command line asks for; return the exit code."""
    entry = find_node(memory_map, node)
    if not entry["dma"] and not entry["movers"] and not driver(entry["bus"]):
        if entry["rings"]:
            return keep(entry, folder, options)
        raise HostError(f"node {node}: no stream of its goes through the host's memory")
    board = board or _board(entry, folder, options)
    runner = Runner(memory_map, node, board, folder, options.timeout, options.absent)
    ends = Ends(runner, options)
    try:
        ends.open()
        seconds = runner.run(ends.sources, ends.sinks, options.batch, ends.frames, ends.served)
        differences = {name: sink.finish() for name, sink in ends.ends.items()}
    finally:
        ends.close()
    rate = ends.frames / seconds if seconds else 0.0
    print(f"{node}: {ends.frames} frames in {seconds:.3f} s, {rate:,.0f} frames/s")
    for name, text in differences.items():
        if text:
            print(f"{node}: {name} differs from the golden frames: {text}", file=sys.stderr)
    for text in runner.marked:
        print(f"{node}: {text}", file=sys.stderr)
    if options.golden and not any(differences.values()):
        print(f"{node}: as in the golden frames")
    return 1 if runner.marked or any(differences.values()) else 0


def keep(entry, folder, options):
    """Let a card that frames only pass use its memory, until SIGINT or SIGTERM."""
    from shellgen_keep import keep as kept  # noqa: PLC0415 - other nodes have none
    from shellgen_keep import until_signal  # noqa: PLC0415 - as above
    from shellgen_xrt import XrtBus  # noqa: PLC0415 - as above

    for name in ("input", "output", "golden", "listen", "connect", "frames", "batch", "absent"):
        if getattr(options, name):
            text = (
                "--{}: no stream of node {} goes through the host's memory; only its rings need this program"
            )
            raise HostError(text.format(name, entry["name"]))
    _refuse(entry, options)
    bus = XrtBus(entry, options.device or "0", _xclbin(entry, folder, options))
    try:
        with until_signal() as stopped:
            kept(entry, bus, stopped)
    finally:
        bus.close()
    return 0


def _xclbin(entry, folder, options):
    name = entry["name"]
    return options.xclbin or Path(folder) / name / "vitis" / "build" / f"{name}.xclbin"


def _refuse(entry, options):
    """Refuse what the bus of a node has none of."""
    for name in ("bitstream", "buffers") if entry["bus"] == "xrt" else ("xclbin",):
        if getattr(options, name):
            raise HostError(f"--{name}: node {entry['name']} is on bus {entry['bus']}, which has none")


def _board(entry, folder, options):
    """Return the board as the command line says; only what the node's bus needs may be given."""
    own = driver(entry["bus"])
    if own:
        return through(own, "open_board", entry, options)
    _refuse(entry, options)
    if entry["bus"] not in ("devmem", "xrt"):
        text = "node {}: its bus is {}; import this program, and give it a board of your own"
        raise HostError(text.format(entry["name"], entry["bus"]))
    if entry["movers"]:
        return XrtBoard(entry, options.device or "0", _xclbin(entry, folder, options))
    if options.buffers:
        return DeviceBoard(entry, options.device or "/dev/mem", options.buffers)
    return PynqBoard(entry, options.bitstream)


def parser(node):
    """Return the parser of the command line."""
    about = f"Run frames through node {node}. STREAM is a port, a boundary or a tensor."
    made = Parser(description=about)
    some = {"action": "append", "default": []}
    made.add_argument("--input", metavar="[STREAM=]X.npy", help="frames to send", **some)
    made.add_argument("--output", metavar="[STREAM=]Y.npy", help="where results go", **some)
    made.add_argument("--golden", metavar="[STREAM=]Y.npy", help="what must come", **some)
    made.add_argument("--listen", metavar="[HOST:]PORT", help="take the rest from the boards before")
    made.add_argument("--connect", metavar="[STREAM=]HOST:PORT", help="send to the next board", **some)
    made.add_argument("--frames", type=positive, help="only so many of --input, or how many come")
    made.add_argument("--absent", metavar="NODE", help="a replica that gets no frames", **some)
    made.add_argument("--batch", type=positive, help="frames of a transfer (chosen if left out)")
    made.add_argument(
        "--timeout", type=seconds, default=10.0, help="seconds without movement that end it (10)"
    )
    made.add_argument("--wait", type=seconds, default=60.0, help="seconds to wait for the other boards (60)")
    made.add_argument("--bitstream", help="PYNQ loads it first; its .hwh lies beside it")
    made.add_argument("--buffers", help="without PYNQ: device of u-dma-buf, such as /dev/udmabuf0")
    made.add_argument(
        "--device",
        help="with --buffers: what to map (/dev/mem); XRT: number or PCIe address of the card (0); on "
        "another bus: whatever its driver takes",
    )
    made.add_argument("--xclbin", help="XRT loads it, unless it is loaded (vitis/build/ of the node)")
    made.add_argument("--map", help="memory_map.json of the node or cluster")
    return made


def find_map(node, asked):
    """Return the map's path and the folder to which the files in it are relative."""
    here = Path(__file__).resolve().parent
    if asked:
        path = Path(asked)
        inside = path.resolve().parent.name == node
        return path, path.resolve().parents[1 if inside else 0]
    for path in (here.parent / node / "memory_map.json", here.parent / "memory_map.json"):
        if path.exists():
            return path, here.parent
    raise HostError(f"{here.parent / node / 'memory_map.json'}: it is not there; give --map")


def main(node, build_id, arguments=None, board=None):
    """Run a node; return the exit code: 0, 1 if golden frames differ, 2 on an error."""
    options = parser(node).parse_args(arguments)
    try:
        path, folder = find_map(node, options.map)
        memory_map = read_map(path)
        found = find_node(memory_map, node)["build_id"]
        if found != build_id:
            raise HostError(f"{path}: build {found} of {node}, and this script is for {build_id}")
        return run(node, memory_map, folder, options, board)
    except HostError as error:
        print(f"run_{node}: {error}", file=sys.stderr)
    except OSError as error:
        print(
            f"run_{node}: {error.filename or options.device or node}: {error.strerror or error}",
            file=sys.stderr,
        )
    except KeyboardInterrupt:
        print(f"run_{node}: interrupted", file=sys.stderr)
        return 130
    return 2
