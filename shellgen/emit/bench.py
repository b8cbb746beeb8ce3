# SPDX-License-Identifier: BSD-3-Clause
"""The bench of the whole cluster: a top between players and recorders, and what the comparison needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from shellgen.emit.core import core_blocks, core_name, stream_net
from shellgen.emit.lite import CHANNELS
from shellgen.emit.monolith import Monolith, monolith
from shellgen.links import link_registry
from shellgen.model import Artifact, Boundary, DirectPath, Endpoint, LinkPath, NodePlan, Plan
from shellgen.render import render
from shellgen.resources import data_dir

FRAMES = 64  # the recorders' room; `shellgen simulate --frames` may ask for more
# A host port has a player or a recorder, and a saboteur; the monolith has joins.
BASE_MODELS = (
    "axil_player",
    "axis_monitor",
    "axis_player",
    "axis_recorder",
    "axis_saboteur",
    "bench_clock",
    "bench_stall",
    "word_join",
)
PYTHON = ("bench_compare.py", "bench_files.py", "bench_lite.py", "test_cluster.py")


@dataclass(frozen=True)
class Tap:
    """A recorder (``seed`` not 0) or monitor on one stream of the bench."""

    name: str
    net: str
    bits: int
    beats: int
    file: str
    seed: int = 0

    @property
    def module(self) -> str:
        """Module of ``sim/``."""
        return "axis_recorder" if self.seed else "axis_monitor"

    @property
    def keep(self) -> str:
        """Expression for the recorder's TKEEP."""
        return f"{self.net}_tkeep"

    @property
    def last(self) -> str:
        """Expression for the recorder's TLAST."""
        return f"{self.net}_tlast"


def emit_bench(plan: Plan, files: Mapping[str, bytes]) -> tuple[Artifact, ...]:
    """Return ``bench/``: the top, the models it needs, the cocotb test and ``bench.json``.

    Args:
        plan: The plan.
        files: Content by sha256; the golden vectors are copied from it.
    """
    mono = monolith(plan)
    inner = _inner(plan)
    taps = [*_boundary_taps(plan), *inner.values(), *_host_taps(plan), *(Tap(*tap) for tap in mono.taps)]
    models = sorted(
        set(BASE_MODELS) | {m for boundary in plan.boundaries for m in link_registry()[boundary.link].models}
    )
    artifacts = [
        Artifact.text("bench/bench_top.sv", _top(plan, mono, taps)),
        Artifact.text("bench/bench.json", json.dumps(_description(plan, mono, models), indent=1) + "\n"),
        *(Artifact(f"bench/sim/{m}.sv", (data_dir("sim") / f"{m}.sv").read_bytes()) for m in models),
        *(Artifact(f"bench/{name}", (data_dir("sim") / name).read_bytes()) for name in PYTHON),
    ]
    if plan.golden:
        artifacts.append(Artifact("bench/golden_input.npy", files[plan.golden.input_sha256]))
        artifacts.append(Artifact("bench/golden_output.npy", files[plan.golden.output_sha256]))
    return tuple(artifacts)


def _top(plan: Plan, mono: Monolith, taps: list[Tap]) -> str:
    slowest = min(node.clock_hz for node in plan.nodes)
    nodes = [_node(plan, node) for node in plan.nodes]
    return render(
        "bench/bench_top.sv.j2",
        generator=plan.generator,
        build_id=plan.build_id,
        frames=FRAMES,
        half_ps=round(1e12 / slowest / 2),
        double_clock=any(node["double_clock"] for node in nodes),
        nodes=nodes,
        link_nets=[
            {"net": f"{node.name}_{side}_axis_{path.index}", "bits": path.link_bits}
            for node in plan.nodes
            for side, paths in (("s", node.rx), ("m", node.tx))
            for path in paths
        ],
        hops=[text for index, b in enumerate(plan.boundaries) if (text := _hop(plan, index, b))],
        inner_nets=[
            {"net": f"inner_{index}", "bits": _whole_bytes(path), "pins": f"u_{node.name}.direct_{k}_fifo"}
            for index, node, k, path in _direct_paths(plan)
        ],
        mono_nets=mono.nets,
        mono_players=mono.players,
        mono_joins=mono.joins,
        mono_sinks=[net for _, net, *_ in mono.taps],
        mono_partitions=mono.partitions,
        taps=taps,
        hop_errors=[f"hop_{i}_error" for i, b in enumerate(plan.boundaries) if all(_paths(plan, b))],
        bulk_done=[f"{node.name}_bulk_done" for node in plan.nodes],
        dumped=[f"{tap.name}_dumped" for tap in taps],
    )


def _node(plan: Plan, node: NodePlan) -> dict[str, object]:
    signals = []
    ports = []
    for name, bits, driven in CHANNELS:
        span = f"[{(bits or node.lite_addr_bits) - 1}:0] " if bits != 1 else ""
        # The one that does not own the bus sees it idle: no ready, no valid.
        gated = name.endswith(("ready", "valid"))
        signals.append(
            {
                "name": name,
                "range": span,
                "driven": driven,
                "idle": "bulk && " if gated else "",
                "port_idle": "!bulk && " if gated else "",
            }
        )
        direction = "input  wire" if driven else "output wire"
        ports.append({"declaration": f"{direction} {span}s_axil_{node.name}_{name}"})
    return {
        "name": node.name,
        "lite_addr_bits": node.lite_addr_bits,
        "lite_ops": _lite_ops(node),
        "lite_signals": signals,
        "lite_ports": ports,
        "double_clock": any(plan.partition(name).clock2x for name in node.partitions),
        "ports": [f"s_axis_{p.index}" for p in node.rx] + [f"m_axis_{p.index}" for p in node.tx],
    }


def _lite_ops(node: NodePlan) -> int:
    """Operations of the longest pass of the weight walk: one write and one read per 32-bit register."""
    registers = sum(w.memory.words * w.memory.lanes for w in node.windows if w.memory)
    return 2 * registers + 16


def _paths(plan: Plan, boundary: Boundary) -> tuple[tuple[str, LinkPath] | None, tuple[str, LinkPath] | None]:
    """Return (net prefix, path) of the sending and of the receiving core, where there is one."""
    sender = next(
        ((f"{n.name}_m_axis_{p.index}", p) for n in plan.nodes for p in n.tx if p.boundary == boundary.name),
        None,
    )
    receiver = next(
        ((f"{n.name}_s_axis_{p.index}", p) for n in plan.nodes for p in n.rx if p.boundary == boundary.name),
        None,
    )
    return sender, receiver


def _hop(plan: Plan, index: int, boundary: Boundary) -> str:
    sender, receiver = _paths(plan, boundary)
    common = {"boundary": boundary, "index": index, "name": f"hop_{index}", "seed": 101 + index}
    if sender and receiver:
        return render(
            f"links/{boundary.link}/hop.v.j2",
            source=sender[0],
            source_bits=sender[1].link_bits,
            sink=receiver[0],
            sink_bits=receiver[1].link_bits,
            **common,
        )
    if receiver:
        beats, bits = receiver[1].beats_per_frame, receiver[1].link_bits
        file = f"host_{index}.bin"
        return render("bench/host_in.v.j2", sink=receiver[0], bits=bits, beats=beats, file=file, **common)
    if sender:
        return render("bench/host_out.v.j2", source=sender[0], bits=sender[1].link_bits, **common)
    return ""


def _pin(plan: Plan, end: Endpoint) -> str:
    node = next(n for n in plan.nodes if end.partition in n.partitions)
    return f"u_{node.name}.{stream_net(end)}"


def _boundary_taps(plan: Plan) -> list[Tap]:
    """Watch the pins of every partition inside its core."""
    taps = []
    for index, boundary in enumerate(plan.boundaries):
        for side, end in (("made", boundary.producer), ("taken", boundary.consumer)):
            if end is None:
                continue
            port = plan.partition(end.partition).stream(end.port)
            assert port is not None
            name = f"{side}_{index}"
            taps.append(Tap(name, _pin(plan, end), port.tdata_bits, port.words_per_frame, f"{name}.bin"))
    return taps


def _host_taps(plan: Plan) -> list[Tap]:
    taps = []
    for index, boundary in enumerate(plan.boundaries):
        sender, receiver = _paths(plan, boundary)
        if sender and not receiver:
            path = sender[1]
            name = f"received_{index}"
            taps.append(
                Tap(name, f"hop_{index}", path.link_bits, path.beats_per_frame, f"{name}.bin", 201 + index)
            )
    return taps


def _direct_paths(plan: Plan) -> list[tuple[int, NodePlan, int, DirectPath]]:
    """Return (boundary index, node, index on the node, path) of the streams that leave no core."""
    index = {boundary.name: i for i, boundary in enumerate(plan.boundaries)}
    return [(index[p.boundary], node, k, p) for node in plan.nodes for k, p in enumerate(node.direct)]


def _whole_bytes(path: DirectPath) -> int:
    return -(-path.producer_word_bits // 8) * 8


def _inner(plan: Plan) -> dict[int, Tap]:
    """Watch what a direct stream's FIFO hands on, by boundary.

    No frame guard counts there, and a word too many after the last frame can rest in the converter,
    where the consumer's pins do not show it.
    """
    return {
        index: Tap(
            f"inner_{index}_tap",
            f"inner_{index}",
            _whole_bytes(path),
            path.producer_words,
            f"inner_{index}.bin",
        )
        for index, _, _, path in _direct_paths(plan)
    }


def _description(plan: Plan, mono: Monolith, models: list[str]) -> dict[str, object]:
    """Return what the test needs to load, start and compare; it reads no plan."""
    return {
        "build_id": plan.build_id,
        "clock_hz": min(node.clock_hz for node in plan.nodes),
        "frames": FRAMES,
        "golden": plan.golden is not None,
        "boundaries": [_boundary(plan, index, boundary) for index, boundary in enumerate(plan.boundaries)],
        "monolith": {"inputs": mono.inputs, "outputs": mono.outputs},
        "nodes": [{"name": node.name, "base": node.lite_base} for node in plan.nodes],
        "sources": _sources(plan, models),
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


def _boundary(plan: Plan, index: int, boundary: Boundary) -> dict[str, object]:
    sender, receiver = _paths(plan, boundary)
    element = boundary_element(plan, boundary)
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
    for at, _, _, path in _direct_paths(plan):
        if at == index:
            layout = {"bits": _whole_bytes(path), "word_bits": path.producer_word_bits}
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
        **sides,
    }


def boundary_element(plan: Plan, boundary: Boundary) -> tuple[int, bool, int, int]:
    """Return bits and signedness of an element, its lowest value, and the elements of a wire word."""
    end = boundary.producer or boundary.consumer
    assert end is not None
    port = plan.partition(end.partition).stream(end.port)
    assert port is not None
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
        "include_dirs": [f"{node.name}/partition" for node in plan.nodes],
    }
