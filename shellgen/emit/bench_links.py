# SPDX-License-Identifier: BSD-3-Clause
"""The links between the cores of the bench: one template per kind of link, with all its streams."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from shellgen.emit.bench_memory import bench_bases
from shellgen.emit.host_end import HOST, host_clock_nodes, host_programs, station_node
from shellgen.emit.link_template import told_by_file
from shellgen.emit.pressure import StallPorts
from shellgen.emit.taps import Repeats, link_ends, node_clock
from shellgen.errors import PluginError, Problem
from shellgen.links import link_registry
from shellgen.model import Artifact, Attachment, Boundary, End, NodePlan, Plan
from shellgen.model.bench import BenchParameter
from shellgen.model.plain import JsonObject
from shellgen.render import render
from shellgen.resources import rtl_closure, rtl_instances, sim_file, sim_models

KINDS_OF_TRANSFERS = 3  # lengths of transfers in one run: streams of a board differ (sim/bench_host.py)


@dataclass(frozen=True)
class Place:
    """One end of a stream in the bench.

    Attributes:
        node: Name of the node.
        pin: Prefix of the nets at the core's pin, which several ends may share.
        end: The end.
        program: It is the inner side of a program there, and not at the core.
        clocked: Of the program of the host: the node whose clock it has. A reset of `node`, which is at the
            other end of the stream, resets this end, too.
    """

    node: str
    pin: str
    end: End
    program: bool = False
    clocked: str = ""

    @property
    def clock(self) -> str:
        """Clock of the core."""
        return node_clock(self.clocked or self.node)

    @property
    def station(self) -> str:
        """Owner of the program: a node, or the host."""
        return HOST if self.clocked else self.node

    @property
    def aresetn(self) -> str:
        """Reset of the core, and of the units beside it on its board."""
        return f"aresetn_{self.node}"

    @property
    def resetn(self) -> str:
        """The same, combined with the reset of the whole bench."""
        return f"resetn_{self.node}"

    @property
    def frames(self) -> str:
        """Frames of a transfer at this end, if the link has transfers; the core may support only one."""
        if self.end.most_frames == 1:
            return "16'd1"
        low = 16 * (self.end.stream % KINDS_OF_TRANSFERS)
        return f"{'rx' if self.end.direction == 'in' else 'tx'}_frames[{low + 15}:{low}]"

    @property
    def keep_bits(self) -> int:
        """Width of TKEEP."""
        return self.end.link_bits // 8

    @property
    def beat_bits(self) -> int:
        """TLAST, TKEEP and TDATA."""
        return self.end.link_bits + self.keep_bits + 1


@dataclass(frozen=True)
class Station:
    """A program that is an end of streams of a link.

    Attributes:
        name: Its node; HOST for that of the host.
        told: What it knows of each of its streams, by boundary.
        macs: MAC addresses that cluster.toml gives its network port.
    """

    name: str
    told: Mapping[str, JsonObject]
    macs: Sequence[str]


@dataclass(frozen=True)
class Carried:
    """A boundary that a link carries.

    Attributes:
        index: Number of the boundary.
        boundary: The boundary.
        source: Its end at the sending core; None if the host sends it.
        sink: Its end at the receiving core; None if the host receives it.
        stall_in: Probability in 1/256 that the receiver of the core's output stalls.
        stall_out: The same for the driver of a core's input.
        copies: Prefixes of the nets of all streams that its end at the sending core serves, its own included.
        host_clock: Clock of the host's source or sink.
        half: Of a view of a stream with programs at both ends: the direction of the half at one board, whose
            program is a host to it.
    """

    index: int
    boundary: Boundary
    source: Place | None
    sink: Place | None
    stall_in: str
    stall_out: str
    copies: tuple[str, ...] = ()
    host_clock: str = ""
    half: str = ""

    @property
    def given(self) -> str:
        """Prefix of the nets that bring it from the sending core: of a copy, if there are several."""
        assert self.source
        return f"{self._hop}_copy" if len(self.copies) > 1 else self.source.pin

    @property
    def forks(self) -> bool:
        """Whether the copies of its frames are to be made at its place."""
        return len(self.copies) > 1 and self.copies[0] == self._hop

    @property
    def name(self) -> str:
        """Prefix of its nets; ``<name>_tdata`` and so on are the frames of the host's source or sink."""
        return f"{self._hop}_{self.half}" if self.half else self._hop

    @property
    def _hop(self) -> str:
        return f"hop_{self.index}"

    @property
    def seed(self) -> int:
        """Seed of the random generators."""
        return 101 + self.index

    @property
    def inject_kind(self) -> str:
        """Kind of fault that an error injector applies to it, if any; between two programs only one does."""
        if self.half:
            return "3'd0"
        return f"inject_at == 16'd{self.index} ? inject_kind : 3'd0"

    @property
    def repeats(self) -> Repeats:
        """The repetitions of the host's source."""
        return Repeats.of(self.boundary)

    @property
    def places(self) -> tuple[Place, ...]:
        """Both ends, or the one that is not the host's."""
        return tuple(place for place in (self.source, self.sink) if place)

    @property
    def host(self) -> Place | None:
        """The only end at a core, if the host has the other."""
        return None if self.source and self.sink else self.source or self.sink

    @property
    def program(self) -> Place | None:
        """The end that is a program, of a view of a stream with one; its pin is the program's side."""
        return next((one for one in (self.source, self.sink) if one and one.program), None)


def carried(plan: Plan, ports: StallPorts) -> tuple[Carried, ...]:
    """Return the boundaries that leave a board, in network order."""
    found, clocks = [], host_clock_nodes(plan)
    for index, boundary in enumerate(plan.boundaries):
        sender, receiver = link_ends(plan, boundary)
        if sender or receiver:
            source = Place(str(boundary.producer_node), *sender) if sender else None
            sink = Place(str(boundary.consumer_node), *receiver) if receiver else None
            clock = node_clock(clocks[boundary.name]) if not (source and sink) else ""
            found.append(Carried(index, boundary, source, sink, *ports.hops[index], host_clock=clock))
    copies: dict[str, list[str]] = {}
    for one in found:
        if one.source and one.source.end.copies:
            copies.setdefault(f"{one.source.pin} {one.source.end.stream}", []).append(one.name)
    return tuple(
        replace(one, copies=tuple(copies.get(f"{one.source.pin} {one.source.end.stream}", ())))
        if one.source
        else one
        for one in found
    )


def link_kinds(plan: Plan) -> tuple[str, ...]:
    """Return the kinds of links that a plan has, sorted."""
    own = {attachment.link for node in plan.nodes for attachment in node.attachments}
    return tuple(sorted(own | {one.link for one in plan.boundaries if one.link}))


def lingering_kinds(plan: Plan) -> tuple[str, ...]:
    """Return the kinds of links whose models keep running while cores are held in reset."""
    return tuple(kind for kind in link_kinds(plan) if link_registry()[kind].lingers)


def link_parameters(plan: Plan) -> tuple[BenchParameter, ...]:
    """Return the parameters of the models of the links, which a user can set."""
    registry = link_registry()
    return tuple(one for kind in link_kinds(plan) for one in _inputs(kind, registry[kind].parameters))


def link_test_inputs(plan: Plan) -> tuple[BenchParameter, ...]:
    """Return the test-only inputs, which only the directed tests of the links drive."""
    registry = link_registry()
    return tuple(one for kind in link_kinds(plan) for one in _inputs(kind, registry[kind].test_inputs))


def _inputs(kind: str, bits: Mapping[str, int]) -> Iterator[BenchParameter]:
    for name, width in bits.items():
        most = (1 << width) - 1
        yield BenchParameter(name=f"{kind}.{name}", port=f"{kind}_{name}", least=0, most=most, drawn=(0, 0))


def link_directed_tests(plan: Plan) -> tuple[Artifact, ...]:
    """Return the directed tests of the links, with their facts about the cluster.

    Raises:
        PluginError: A file of a directed test is missing.
    """
    found: list[Artifact] = []
    for kind in link_kinds(plan):
        link = link_registry()[kind]
        for name in link.directed_test:
            path = sim_file(name)
            if not path.is_file():
                remedy = "Add it to the package, or tell the authors of the link"
                raise PluginError(
                    Problem(f"sim/{name}", f"link {kind} lists it in its directed test", remedy)
                )
            found.append(Artifact(f"bench/{name}", path.read_bytes()))
        if link.directed_test:
            found.append(Artifact.text(f"bench/{kind}.json", json.dumps(link.facts(plan), indent=1) + "\n"))
    return tuple(found)


def own_blocks(top: str, models: Sequence[str], blocks: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the modules of ``ip/`` that stand for programs in the bench, and that no core has."""
    texts = (top, *(sim_models()[model].read_text() for model in models))
    used = dict.fromkeys(name for text in texts for name in rtl_instances(text))
    return tuple(sorted(set(rtl_closure(used)).difference(*blocks.values())))


def link_texts(plan: Plan, ports: StallPorts) -> list[str]:
    """Return the host's sources and sinks, then each link, which connects them to the cores."""
    streams = carried(plan, ports)
    hosts = [
        render("bench/host_source.sv.j2" if stream.sink else "bench/host_sink.sv.j2", stream=stream)
        for stream in streams
        if stream.host
    ]
    spoken = host_programs(plan)
    clocked = station_node(plan, spoken)
    streams = tuple(_spoken(one, str(clocked)) if one.boundary.name in spoken else one for one in streams)
    views = [view for stream in streams for view in _views(plan, stream)]
    programs = [
        render("bench/program.sv.j2", place=place, stream=view)
        for kind, view in views
        for place in view.places
        if place.program and kind == view.boundary.link and not place.clocked
    ]
    kinds = link_kinds(plan)
    links = [_link(plan, kind, [view for name, view in views if name == kind]) for kind in kinds]
    return [*hosts, *programs, *links]


def _spoken(stream: Carried, clocked: str) -> Carried:
    """Return the view of a stream of the host of which the program of the host is an end."""
    at = stream.host
    assert at
    far = Place(at.node, stream.name, at.end, program=True, clocked=clocked)
    return replace(stream, sink=far) if stream.source else replace(stream, source=far)


def _views(plan: Plan, stream: Carried) -> Iterator[tuple[str, Carried]]:
    """Yield a stream as the template of each kind of link sees it.

    A program that is an end divides it: the link to its host carries the frames between core and program, and
    the link of the boundary carries them between program and the other core. The program has them in beats as
    the other core has.
    """
    if any(place.clocked for place in stream.places):
        yield str(stream.boundary.link), stream
        return
    places = {place: plan.node(place.node).attachment(place.end).link for place in stream.places}
    kinds = dict.fromkeys(places.values())
    if len(places) > 1 and stream.boundary.link not in kinds:
        yield from _halves(stream, places)
        return
    if len(kinds) == 1:
        yield next(iter(kinds)), stream
        return
    (inner,) = (place for place, kind in places.items() if kind != stream.boundary.link)
    (outer,) = (place for place in places if place is not inner)
    beats = outer.end.model_copy(update={"direction": inner.end.direction, "most_frames": 1, "copies": ()})
    into = outer.end.model_copy(update={"most_frames": 1})
    pin = f"{stream.name}_program"
    near, far = (Place(inner.node, pin, end, program=True) for end in (into, beats))
    if inner is stream.source:
        yield places[inner], replace(stream, sink=near)
        yield places[outer], replace(stream, source=far, copies=())
    else:
        yield places[inner], replace(stream, source=near, copies=())
        yield places[outer], replace(stream, sink=far)


def _halves(stream: Carried, places: Mapping[Place, str]) -> Iterator[tuple[str, Carried]]:
    """Yield the views of a stream with programs at both ends: two hosts, and what is between them."""
    assert stream.source
    assert stream.sink
    out, into = replace(stream, sink=None, half="out"), replace(stream, source=None, half="in")
    yield places[stream.source], out
    yield places[stream.sink], into
    ends = (
        Place(place.node, half.name, place.end.model_copy(update={"most_frames": 1}), program=True)
        for place, half in ((stream.source, out), (stream.sink, into))
    )
    yield str(stream.boundary.link), replace(stream, source=next(ends), sink=next(ends), copies=())


def _macs(node: NodePlan | None, kind: str) -> tuple[str, ...]:
    found = node.link_options.get(kind, {}).get("mac", ()) if node else ()
    return tuple(map(str, found)) if isinstance(found, (list, tuple)) else ()


def _link(plan: Plan, kind: str, streams: Sequence[Carried]) -> str:
    template = f"links/{kind}/bench.sv.j2"
    attached: list[tuple[NodePlan, Attachment]] = [
        (node, attachment)
        for node in plan.nodes
        for attachment in node.attachments
        if attachment.link == kind
    ]
    link = link_registry()[kind]
    programs = [
        Station(node.name if node else HOST, told, _macs(node, kind))
        for node in (*plan.nodes, None)
        if (told := link.programs(plan, node))
    ]
    names = [f"{node.name}_{attachment.name}" for node, attachment in attached]
    with told_by_file(template):
        return render(
            template,
            kind=kind,
            parameters=link.parameters,
            attached=attached,
            streams=streams,
            bases={node.name: bench_bases(node) for node in plan.nodes},
            programs=programs,
            stations=[*names, *(f"{one.name}_program" for one in programs)],
        )
