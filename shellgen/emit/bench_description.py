# SPDX-License-Identifier: BSD-3-Clause
"""``bench.json``: the data that the cluster test loads, starts and compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shellgen.emit.bench_gates import bare_name, gate_files
from shellgen.emit.bench_limits import answer_cycles, link_beats, link_bytes
from shellgen.emit.bench_links import link_kinds
from shellgen.emit.bench_memory import bench_bases
from shellgen.emit.bench_slaves import bench_slaves, own_windows
from shellgen.emit.core import core_name
from shellgen.emit.crossing import reset_cycles
from shellgen.emit.external import weights_file
from shellgen.emit.junctions import junction_blocks
from shellgen.emit.lite import STATUS
from shellgen.emit.monolith import Monolith
from shellgen.emit.taps import Tap, direct_paths, link_ends, whole_bytes
from shellgen.emit.waves import describe_waves
from shellgen.links import link_registry
from shellgen.model import Boundary, Endpoint, NodePlan, Plan
from shellgen.model.bench import (
    Bench,
    BenchBeats,
    BenchBlackBox,
    BenchBlock,
    BenchBoundary,
    BenchCounter,
    BenchEnd,
    BenchLink,
    BenchMissing,
    BenchMonolith,
    BenchNode,
    BenchParameter,
    BenchSources,
    BenchTap,
    BenchWords,
)
from shellgen.model.meets import reset_nodes
from shellgen.model.own_frames import OwnFrames
from shellgen.model.replicas import alike
from shellgen.model.spares import spares
from shellgen.resources import vendor_closure, vendor_models

_HDL = {"systemverilog": "verilog"}


@dataclass(frozen=True)
class BenchParts:
    """Decisions of `emit.bench` about the top, for its description.

    Attributes:
        mono: The partitions without shells.
        blocks: Modules of ``ip/`` in the core of each node.
        taps: Sinks and monitors.
        ports: Ports that stall.
        parameters: Parameters of a run.
        frames: Capacity in frames.
        own: Additional frames of the bench.
        clock_node: Node whose clock the bench shares.
    """

    mono: Monolith
    blocks: Mapping[str, tuple[str, ...]]
    taps: tuple[Tap, ...]
    ports: tuple[str, ...]
    parameters: tuple[BenchParameter, ...]
    frames: int
    own: OwnFrames
    clock_node: NodePlan


def _cycles(plan: Plan, hz: int) -> int:
    """Return the cycles of all layers for a frame in a clock: at least those of the partitions' clock."""
    return sum(
        -(-plan.partition(name).summed_cycles * hz // min(hz, node.compute.hz))
        for node in plan.nodes
        for name in node.partitions
    )


def describe_bench(plan: Plan, parts: BenchParts, models: tuple[str, ...], blocks: tuple[str, ...]) -> Bench:
    """Return the test's data to load, start and compare; the test does not read the plan.

    Args:
        plan: The plan.
        parts: Decisions about the top.
        models: Modules of ``sim/`` that it needs.
        blocks: Modules of ``ip/`` that it needs beside those of the cores.
    """
    mono, vectors = parts.mono, golden_vectors(plan)
    return Bench(
        cluster_id=plan.cluster_id,
        clock_hz=parts.clock_node.clock_hz,
        clock_node=parts.clock_node.name,
        cycle_ps=round(1e12 / parts.clock_node.clock_hz),
        frames=parts.frames,
        own_frames=parts.own.most,
        own_least=parts.own.least,
        epoch=plan.epoch,
        cycles_estimate=_cycles(plan, parts.clock_node.clock_hz),
        golden_frames=plan.golden.frames if plan.golden else 0,
        golden_asked=bool(plan.golden and plan.golden.asked),
        golden_note=plan.golden.note if plan.golden else "golden not run: the plan has no vectors",
        boundaries=tuple(
            _boundary(plan, index, boundary, one.first, vectors)
            for index, (boundary, one) in enumerate(zip(plan.boundaries, alike(plan), strict=True))
        ),
        monolith=BenchMonolith(
            inputs=mono.inputs,
            outputs=mono.outputs,
            lites={lite.region: f"mono_ops.{number}" for number, lite in enumerate(mono.lites)},
        ),
        taps=tuple(_tap(plan, tap) for tap in parts.taps),
        ports=parts.ports,
        links=tuple(_link(plan, kind) for kind in link_kinds(plan)),
        parameters=parts.parameters,
        meets=reset_nodes(plan),
        spares=spares(plan, parts.frames),
        nodes=tuple(
            BenchNode(
                name=node.name,
                base=node.lite_base,
                partitions=node.partitions,
                slaves={slave.region: slave.number for slave in bench_slaves(plan, node)},
                reset_cycles=reset_cycles(node),
                answer_cycles=answer_cycles(node),
                own=tuple(window.name for window in own_windows(node)),
                memories=tuple(bench_bases(node).values()),
            )
            for node in plan.nodes
        ),
        sources=_sources(plan, parts, models, blocks),
        missing=_missing(plan),
        black_boxes=tuple(
            BenchBlackBox(partition=partition.name, reason=partition.black_box)
            for partition in plan.partitions
            if partition.black_box
        ),
        blocks=_blocks(plan),
        data=_data(plan),
        waves=describe_waves(plan, parts.taps),
        values=_values(plan),
    )


def _values(plan: Plan) -> dict[str, int]:
    """Return a value for each name in the steps: the one that a link's model needs, or 1, 2, 3 and so on."""
    names = dict.fromkeys(step.value for step in plan.bring_up if isinstance(step.value, str))
    wanted = {
        name: value for kind in link_kinds(plan) for name, value in link_registry()[kind].values(plan).items()
    }
    return {name: wanted.get(name, number) for number, name in enumerate(names, 1)}


def _link(plan: Plan, kind: str) -> BenchLink:
    link = link_registry()[kind]
    nodes = (node.name for node in plan.nodes if any(one.link == kind for one in node.attachments))
    counters = tuple(
        BenchCounter(text=text, block=block, counter=register)
        for text, (block, register) in link.counters.items()
    )
    return BenchLink(
        kind=kind,
        fault=link.fault,
        silence=link.silent_cycles(plan),
        together=tuple(nodes) if link.together else (),
        counters=counters,
        directed_test=link.directed_test[0].removesuffix(".py") if link.directed_test else None,
        test_inputs=tuple(f"{kind}_{name}" for name in link.test_inputs),
        metered=dict(link.metered),
        pauses={f"{kind}_{parameter}": cycles for parameter, cycles in link.pauses.items()},
        beat_pauses={f"{kind}_{parameter}": cycles for parameter, cycles in link.beat_pauses.items()},
        sessions=link.sessions(plan),
    )


def _data(plan: Plan) -> tuple[str, ...]:
    """Return the initialisation files of the partitions' memories."""
    found = {
        f"{node.name}/partition/{source.name}"
        for node in plan.cores
        for name in node.partitions
        for source in plan.partition(name).sources
        if source.kind == "data"
    }
    return tuple(sorted(found))


def _tap(plan: Plan, tap: Tap) -> BenchTap:
    """Describe a sink or monitor: its stream, and its place for messages."""
    boundary = plan.boundaries[tap.boundary]
    where = {
        "made": f"pins of {boundary.producer}",
        "taken": f"pins of {boundary.consumer}",
        "inner": "behind its FIFO",
        "received": "at the host",
        "mono_made": "in the monolith",
    }
    place = f"{boundary.name}, {where[tap.side]}"
    return BenchTap(name=tap.name, place=place, beats=tap.beats, side=tap.side, boundary=tap.boundary)


def golden_vectors(plan: Plan) -> dict[int, str]:
    """Return the sha256 of the ``.npy`` vectors of host streams that have them, by index of the boundary."""
    known = {vectors.boundary: vectors.sha256 for vectors in plan.golden.vectors} if plan.golden else {}
    named = [(index, plan.boundaries[one.first].name) for index, one in enumerate(alike(plan))]
    return {index: known[name] for index, name in named if name in known}


def _boundary(
    plan: Plan,
    index: int,
    boundary: Boundary,
    first: int,
    vectors: Mapping[int, str],
) -> BenchBoundary:
    sender, receiver = link_ends(plan, boundary)
    port = plan.port(boundary)
    sent = received = None
    if boundary.producer is None and receiver:
        sent = BenchBeats(file=f"host_{index}.bin", bits=receiver[1].link_bits)
    if boundary.consumer is None and sender:
        received = BenchBeats(file=f"received_{index}.bin", bits=sender[1].link_bits)
    return BenchBoundary(
        name=boundary.name,
        link=boundary.link,
        element_bits=port.element.bits,
        signed=port.element.signed,
        low=port.element.low,
        high=port.element.high,
        shape=boundary.normal_shape,
        elements=boundary.elements_per_frame,
        elements_per_word=port.elements_per_word,
        wire_word_bits=boundary.wire_word_bits,
        frame_bytes=boundary.frame_bytes,
        link_beats=link_beats(plan, boundary),
        link_bytes=link_bytes(plan, boundary),
        role=boundary.role,
        passes=boundary.per_epoch,
        places=boundary.places,
        numbered=boundary.numbered,
        like=first if boundary.carries_weights else index,
        weights=weights_file(plan, boundary),
        golden=f"golden_{index}.npy" if index in vectors else None,
        datatype=boundary.datatype,
        producer=_end(plan, boundary.producer),
        consumer=_end(plan, boundary.consumer),
        made=_pins(plan, boundary.producer, f"made_{index}.bin"),
        taken=_pins(plan, boundary.consumer, f"taken_{index}.bin"),
        inner=plan.kept("inner words", lambda: _inner(plan)).get(index),
        sent=sent,
        received=received,
    )


def _pins(plan: Plan, end: Endpoint | None, file: str) -> BenchWords | None:
    """Describe the stream at the pins of a partition; None for the host."""
    if end is None:
        return None
    port = plan.partition(end.partition).stream(end.port)
    assert port is not None
    return BenchWords(
        file=file, bits=port.tdata_bits, word_bits=port.payload_bits, words=port.words_per_frame
    )


def _inner(plan: Plan) -> dict[int, BenchWords]:
    """Describe the output of the FIFO of each direct stream, by index of the boundary."""
    return {
        at: BenchWords(
            file=f"inner_{at}.bin",
            bits=whole_bytes(path),
            word_bits=path.producer_word_bits,
            words=path.producer_words,
        )
        for at, _, _, path in direct_paths(plan)
    }


def _end(plan: Plan, end: Endpoint | None) -> BenchEnd | None:
    """Name an end of a boundary; None is the host."""
    if end is None:
        return None
    port = plan.partition(end.partition).stream(end.port)
    return BenchEnd(partition=end.partition, port=end.port, layer=port.layer if port else "")


def _sources(plan: Plan, parts: BenchParts, models: tuple[str, ...], blocks: tuple[str, ...]) -> BenchSources:
    """Return source paths in compile order; files that several nodes share are listed once."""
    partition: dict[str, str] = {}
    ours: dict[str, str] = {}
    for node in plan.cores:
        for name in node.partitions:
            for source in plan.partition(name).sources:
                if source.kind in ("verilog", "systemverilog"):
                    partition.setdefault(source.name, f"{node.name}/partition/{source.name}")
        for block in parts.blocks[node.name]:
            ours.setdefault(block, f"{node.name}/rtl/{block}.sv")
    cores = [f"{node.name}/{core_name(node)}.v" for node in plan.cores]
    return BenchSources(
        partition=tuple(partition.values()),
        ours=(
            *ours.values(),
            *(f"bench/rtl/{name}.sv" for name in blocks),
            *cores,
            *(f"bench/sim/{m}.sv" for m in models),
            *gate_files(plan),
            "bench/bench_top.sv",
        ),
        vendor=tuple(f"bench/vendor/{name}.sv" for name in vendor_modules(plan)),
        include_dirs=tuple(f"{node.name}/partition" for node in plan.cores),
        shared=_shared(plan),
    )


def _shared(plan: Plan) -> tuple[str, ...]:
    """Return the modules between the top and the counters that it forces, if several boards share a core."""
    cores = dict.fromkeys(core_name(plan.node(node.copy_of)) for node in plan.nodes if node.copy_of)
    return (*cores, STATUS) if cores else ()


def vendor_modules(plan: Plan) -> tuple[str, ...]:
    """Return the models of Vivado's modules that no source of any partition defines."""
    return vendor_closure(entry.module for partition in plan.partitions for entry in partition.missing)


def _missing(plan: Plan) -> tuple[BenchMissing, ...]:
    """Return the places where partitions instantiate modules that have no definition."""
    models = vendor_models()
    return tuple(
        BenchMissing(
            module=entry.module,
            place=f"{node.name}/partition/{entry.file}:{entry.line}",
            certain=entry.certain,
        )
        for node in plan.cores
        for name in node.partitions
        for entry in plan.partition(name).missing
        if entry.module not in models
    )


def _blocks(plan: Plan) -> tuple[BenchBlock, ...]:
    """Return the partitions by top module, each with its sources only."""
    paths: dict[str, str] = {}
    found: dict[str, BenchBlock] = {}
    for node in plan.cores:
        for partition in (plan.partition(name) for name in node.partitions):
            kinds: dict[str, list[str]] = {}
            for source in partition.sources:
                # The first node's copy, as in _sources.
                path = paths.setdefault(source.name, f"{node.name}/partition/{source.name}")
                kinds.setdefault(_HDL.get(source.kind, source.kind), []).append(path)
            for name in junction_blocks(partition):
                path = paths.setdefault(f"{name}.sv", f"{node.name}/rtl/{name}.sv")
                kinds.setdefault("verilog", []).append(path)
            block = BenchBlock(
                top=partition.top,
                bare=bare_name(partition),
                clocks=tuple(clock for clock in (partition.clock, partition.clock2x) if clock),
                sources=tuple(kinds.get("verilog", ())),
                headers=tuple(kinds.get("header", ())),
            )
            found.setdefault(partition.top, block)
    return tuple(found.values())
