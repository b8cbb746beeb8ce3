# SPDX-License-Identifier: BSD-3-Clause
"""``bench.json``: what the cluster test loads, starts and compares."""

from __future__ import annotations

from shellgen.emit.core import core_blocks, core_name
from shellgen.emit.external import weights_file
from shellgen.emit.monolith import Monolith
from shellgen.emit.taps import Tap, direct_paths, link_ends, whole_bytes
from shellgen.model import Boundary, Endpoint, Plan
from shellgen.resources import vendor_closure, vendor_models

_HDL = {"systemverilog": "verilog"}


def describe_bench(
    plan: Plan, mono: Monolith, models: list[str], taps: list[Tap], frames: int
) -> dict[str, object]:
    """Return what the test needs to load, start and compare; it reads no plan."""
    return {
        "build_id": plan.build_id,
        "clock_hz": min(node.clock_hz for node in plan.nodes),
        "frames": frames,
        "cycles_estimate": sum(partition.cycles or 0 for partition in plan.partitions),
        "golden_frames": plan.golden.frames if plan.golden else 0,
        "golden_note": plan.golden.note if plan.golden else "golden not run: the plan has no vectors",
        "boundaries": [_boundary(plan, index, boundary) for index, boundary in enumerate(plan.boundaries)],
        "monolith": {
            "inputs": mono.inputs,
            "outputs": mono.outputs,
            "lites": {str(lite["region"]): f"{lite['net']}_ops.bin" for lite in mono.lites},
        },
        "taps": [_tap(plan, tap) for tap in taps],
        "nodes": [{"name": node.name, "base": node.lite_base} for node in plan.nodes],
        "sources": _sources(plan, models),
        "missing": _missing(plan),
        "black_boxes": [
            {"partition": partition.name, "reason": partition.black_box}
            for partition in plan.partitions
            if partition.black_box
        ],
        "blocks": _blocks(plan),
        "data": sorted(
            {
                f"{node.name}/partition/{source.name}"
                for node in plan.nodes
                for name in node.partitions
                for source in plan.partition(name).sources
                if source.kind == "data"
            }
        ),
    }


def _tap(plan: Plan, tap: Tap) -> dict[str, object]:
    """Describe a recorder or monitor: what it watches, and the place as a message names it."""
    side, index = tap.watches
    boundary = plan.boundaries[index]
    where = {
        "made": f"pins of {boundary.producer}",
        "taken": f"pins of {boundary.consumer}",
        "inner": "behind its FIFO",
        "received": "at the host",
        "mono_made": "in the monolith",
    }
    place = f"{boundary.name}, {where[side]}"
    return {"name": tap.name, "place": place, "beats": tap.beats, "side": side, "boundary": index}


def golden_vectors(plan: Plan) -> dict[int, str]:
    """Return the sha256 of the ``.npy`` vectors of host streams that have them, by index of the boundary."""
    known = {vectors.boundary: vectors.sha256 for vectors in plan.golden.vectors} if plan.golden else {}
    return {index: known[b.name] for index, b in enumerate(plan.boundaries) if b.name in known}


def _boundary(plan: Plan, index: int, boundary: Boundary) -> dict[str, object]:
    sender, receiver = link_ends(plan, boundary)
    element = _element(plan, boundary)
    sides: dict[str, object] = {}
    for side, end in (("made", boundary.producer), ("taken", boundary.consumer)):
        if end is None:
            continue
        port = plan.partition(end.partition).stream(end.port)
        assert port is not None
        sides[side] = {
            "file": f"{side}_{index}.bin",
            "bits": port.tdata_bits,
            "word_bits": port.payload_bits,
            "words": port.words_per_frame,
        }
    for at, _, _, path in direct_paths(plan):
        if at == index:
            layout = {"bits": whole_bytes(path), "word_bits": path.producer_word_bits}
            sides["inner"] = {"file": f"inner_{index}.bin", **layout, "words": path.producer_words}
    if boundary.producer is None and receiver:
        sides["sent"] = {"file": f"host_{index}.bin", "bits": receiver[1].link_bits}
    if boundary.consumer is None and sender:
        sides["received"] = {"file": f"received_{index}.bin", "bits": sender[1].link_bits}
    return {
        "name": boundary.name,
        "link": boundary.link,
        "element_bits": element[0],
        "signed": element[1],
        "low": element[2],
        "shape": list(boundary.normal_shape),
        "elements": boundary.elements_per_frame,
        "elements_per_word": element[3],
        "wire_word_bits": boundary.wire_word_bits,
        "frame_bytes": boundary.frame_bytes,
        "role": boundary.role,
        "passes": boundary.passes,
        "weights": weights_file(plan, boundary),
        "golden": f"golden_{index}.npy" if index in golden_vectors(plan) else None,
        "datatype": boundary.datatype,
        "producer": _end(plan, boundary.producer),
        "consumer": _end(plan, boundary.consumer),
        **sides,
    }


def _end(plan: Plan, end: Endpoint | None) -> dict[str, str] | None:
    """Name an end of a boundary; None is the host."""
    if end is None:
        return None
    port = plan.partition(end.partition).stream(end.port)
    return {"partition": end.partition, "port": end.port, "layer": port.layer if port else ""}


def _element(plan: Plan, boundary: Boundary) -> tuple[int, bool, int, int]:
    """Return bits and signedness of an element, its lowest value, and the elements of a wire word."""
    port = plan.port(boundary)
    return port.element.bits, port.element.signed, port.element.low, port.elements_per_word


def _sources(plan: Plan, models: list[str]) -> dict[str, list[str]]:
    """Return source paths in compile order; files that several nodes share are listed once."""
    partition: dict[str, str] = {}
    ours: dict[str, str] = {}
    for node in plan.nodes:
        for name in node.partitions:
            for source in plan.partition(name).sources:
                if source.kind in ("verilog", "systemverilog"):
                    partition.setdefault(source.name, f"{node.name}/partition/{source.name}")
        for block in core_blocks(node, plan):
            ours.setdefault(block, f"{node.name}/rtl/{block}.sv")
    cores = [f"{node.name}/{core_name(node)}.v" for node in plan.nodes]
    return {
        "partition": list(partition.values()),
        "ours": [*ours.values(), *cores, *(f"bench/sim/{m}.sv" for m in models), "bench/bench_top.sv"],
        "vendor": [f"bench/vendor/{name}.sv" for name in vendor_modules(plan)],
        "include_dirs": [f"{node.name}/partition" for node in plan.nodes],
    }


def vendor_modules(plan: Plan) -> tuple[str, ...]:
    """Return our models of Vivado's modules that stand in for what no source of any partition defines."""
    return vendor_closure(entry.module for partition in plan.partitions for entry in partition.missing)


def _missing(plan: Plan) -> list[dict[str, object]]:
    """Return where partitions instantiate what neither they nor we define."""
    models = vendor_models()
    return [
        {
            "module": entry.module,
            "place": f"{node.name}/partition/{entry.file}:{entry.line}",
            "certain": entry.certain,
        }
        for node in plan.nodes
        for name in node.partitions
        for entry in plan.partition(name).missing
        if entry.module not in models
    ]


def _blocks(plan: Plan) -> list[dict[str, object]]:
    """Return the partitions by top module: what each is made of, whatever lies beside it on its node."""
    paths: dict[str, str] = {}
    found: dict[str, dict[str, object]] = {}
    for node in plan.nodes:
        for partition in (plan.partition(name) for name in node.partitions):
            kinds: dict[str, list[str]] = {}
            for source in partition.sources:
                # The first node's copy, as in _sources.
                path = paths.setdefault(source.name, f"{node.name}/partition/{source.name}")
                kinds.setdefault(_HDL.get(source.kind, source.kind), []).append(path)
            block: dict[str, object] = {
                "top": partition.top,
                "clocks": [clock for clock in (partition.clock, partition.clock2x) if clock],
                "sources": kinds.get("verilog", []),
                "headers": kinds.get("header", []),
            }
            found.setdefault(partition.top, block)
    return list(found.values())
