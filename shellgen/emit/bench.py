# SPDX-License-Identifier: BSD-3-Clause
"""The bench of the whole cluster: a top with sources and sinks, and the data for the comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shellgen.emit.bench_description import BenchParts, describe_bench, golden_vectors, vendor_modules
from shellgen.emit.bench_gates import emit_gates
from shellgen.emit.bench_limits import answer_cycles
from shellgen.emit.bench_links import (
    lingering_kinds,
    link_directed_tests,
    link_kinds,
    link_parameters,
    link_test_inputs,
    link_texts,
    own_blocks,
)
from shellgen.emit.bench_slaves import BenchSlave, bench_slaves, leaving, master_pins, own_slaves
from shellgen.emit.monolith import monolith
from shellgen.emit.pressure import StallPorts, stall_ports
from shellgen.emit.taps import (
    boundary_taps,
    direct_paths,
    host_taps,
    inner_clock,
    inner_taps,
    node_clock,
    whole_bytes,
)
from shellgen.emit.waves import FILE as WAVES
from shellgen.emit.waves import emit_waves
from shellgen.model import Artifact, Clock, NodePlan, Plan
from shellgen.model.axilite import CHANNELS, REGISTER_BYTES, host_channels
from shellgen.model.bench import BenchParameter
from shellgen.model.own_frames import most_beats, own_frames, room
from shellgen.render import render
from shellgen.resources import data_dir, rtl_file, sim_closure, sim_models, vendor_models

# Parameters of each board's clock (`sim/node_clock.sv`): minimum, maximum, and the range of the seed.
# Oscillators of evaluation boards are within 50 ppm.
# Entries of one list of sim/bench_protocol.py, at most.
PROTOCOL_OPS = 2048
CLOCK_PARAMETERS = {
    "ppm": (-1000, 1000, (-50, 50)),
    "drift": (0, 1000, (0, 5)),
    "phase": (0, 255, (0, 255)),
}
_BEAT = ("tdata", "tkeep", "tlast", "tid", "tdest", "tuser")
PYTHON = (
    "axil.py",
    "bench_absent.py",
    "bench_beats.py",
    "bench_bring_up.py",
    "bench_budget.py",
    "bench_compare.py",
    "bench_control.py",
    "bench_counters.py",
    "bench_faults.py",
    "bench_files.py",
    "bench_flight.py",
    "bench_held.py",
    "bench_hesitate.py",
    "bench_hold.py",
    "bench_host.py",
    "bench_judge.py",
    "bench_links.py",
    "bench_lite.py",
    "bench_marks.py",
    "bench_node_reset.py",
    "bench_own.py",
    "bench_load.py",
    "bench_protocol.py",
    "bench_pace.py",
    "bench_pins.py",
    "bench_received.py",
    "bench_records.py",
    "bench_registers.py",
    "bench_report.py",
    "bench_rest.py",
    "bench_run.py",
    "bench_session.py",
    "bench_sight.py",
    "bench_slaves.py",
    "bench_stand.py",
    "bench_stimulus.py",
    "bench_streams.py",
    "bench_traffic.py",
    "bench_verdict.py",
    "bench_walk.py",
    "conftest.py",
    "test_cluster.py",
)


def emit_bench(
    plan: Plan,
    files: Mapping[str, bytes],
    blocks: Mapping[str, tuple[str, ...]],
    registers: Mapping[str, Mapping[str, str]],
) -> tuple[Artifact, ...]:
    """Return ``bench/``: the top, the models it needs, the cocotb test and ``bench.json``.

    Args:
        plan: The plan.
        files: Content by sha256; the golden vectors are copied from it.
        blocks: Modules of ``ip/`` in the core of each node.
        registers: Instances of its claims' register blocks, by node and claim.
    """
    mono = monolith(plan)
    inner = inner_taps(plan)
    taps = (*boundary_taps(plan), *inner.values(), *host_taps(plan), *mono.taps)
    sent = [plan.boundaries[source.boundary].name for source in mono.inputs]
    ports = stall_ports(plan, taps, sent)
    own, frames = own_frames(plan, most_beats(plan)), room(plan)
    slowest = min(plan.nodes, key=lambda node: node.clock_hz)
    parameters = (*clock_parameters(plan), *link_parameters(plan))
    parts = BenchParts(mono, blocks, taps, tuple(ports.names), parameters, frames, own, slowest)
    gates = emit_gates(plan)
    top = _top(plan, parts, ports, registers)
    models = sim_closure(*(gate.content.decode() for gate in gates), top)
    blocks_here = own_blocks(top, models, blocks)
    return (
        Artifact.text("bench/bench_top.sv", top),
        *gates,
        Artifact.text(WAVES, emit_waves(plan, taps)),
        Artifact.text("bench/bench.json", describe_bench(plan, parts, models, blocks_here).to_json()),
        *(Artifact(f"bench/rtl/{name}.sv", rtl_file(name).read_bytes()) for name in blocks_here),
        *(Artifact(f"bench/sim/{m}.sv", sim_models()[m].read_bytes()) for m in models),
        *(Artifact(f"bench/vendor/{m}.sv", vendor_models()[m].read_bytes()) for m in vendor_modules(plan)),
        *(Artifact(f"bench/{name}", (data_dir("sim") / name).read_bytes()) for name in PYTHON),
        *link_directed_tests(plan),
        *(
            Artifact(f"bench/golden_{index}.npy", files[sha256])
            for index, sha256 in golden_vectors(plan).items()
        ),
    )


def clock_parameters(plan: Plan) -> tuple[BenchParameter, ...]:
    """Return the parameters of a run: offset, phase and drift of each board's clock."""
    return tuple(
        BenchParameter(
            name=f"{node.name}.{name}", port=f"{node.name}_{name}", least=least, most=most, drawn=drawn
        )
        for node in plan.nodes
        for name, (least, most, drawn) in CLOCK_PARAMETERS.items()
    )


@dataclass(frozen=True)
class CorePin:
    """An interface of a core.

    Attributes:
        port: Prefix of the core's ports.
        net: Prefix of the nets at them.
        signals: Signals with their bits.
        beat: Signals that the core ignores while TVALID is low.
    """

    port: str
    net: str
    signals: tuple[tuple[str, int], ...]
    beat: tuple[str, ...] = ()


@dataclass(frozen=True)
class InnerNet:
    """The output of a direct stream's FIFO: its net in the bench, and the pins inside the core."""

    net: str
    bits: int
    pins: str


@dataclass(frozen=True)
class LiteSignal:
    """A signal of a core's AXI-Lite port.

    Attributes:
        name: Without prefix.
        span: Range of its declaration.
        driven: Whether the host drives it.
        gated: Whether it is a ready or valid, which is low for masters that do not own the bus.
    """

    name: str
    span: str
    driven: bool
    gated: bool


@dataclass(frozen=True)
class BenchUnit:
    """Registers beside a core: prefix of their ports, and signals; the link's template has the model."""

    port: str
    signals: tuple[LiteSignal, ...]


@dataclass(frozen=True)
class BenchCore:
    """A node of the bench.

    Attributes:
        name: Name of the node.
        core: Node whose core it has.
        addr_bits: Address bits of its AXI-Lite port.
        data_bits: Data bits of it.
        ops: Accesses in its master's longest list.
        answer_cycles: Maximum cycles of an access.
        lite: Signals of the port.
        clocks: Ports of its clocks and resets.
        double_clock: Whether a partition has ``aclk2x``.
        period_fs: Period of its clock in femtoseconds.
        doubled: Whether there is a clock of twice its frequency.
        compute_fs: Period of its partitions' own clock in femtoseconds, or 0.
        compute_doubled: The same for the partitions' own clock.
        pins: Its other interfaces.
        units: Units beside it.
        slaves: AXI-Lite slaves behind it, which the bench can delay and make fail.
        watched: These and the core's own.
        counted: Nets of its streams that its registers count, without ``_tvalid``.
        resets: Reset pins of its partitions.
    """

    name: str
    core: str
    addr_bits: int
    data_bits: int
    ops: int
    answer_cycles: int
    lite: tuple[LiteSignal, ...]
    clocks: tuple[Clock, ...]
    double_clock: bool
    period_fs: int
    doubled: bool
    compute_fs: int
    compute_doubled: bool
    pins: tuple[CorePin, ...]
    units: tuple[BenchUnit, ...]
    slaves: tuple[BenchSlave, ...]
    watched: tuple[BenchSlave, ...]
    counted: tuple[str, ...]
    resets: tuple[str, ...]

    @property
    def watches(self) -> int:
        """Number of watched slaves."""
        return len(self.watched)


def _top(plan: Plan, parts: BenchParts, ports: StallPorts, registers: Mapping[str, Mapping[str, str]]) -> str:
    mono_clock = _fastest(plan)
    mono_doubled = any(partition.clock2x for partition in plan.partitions)
    doubled = mono_clock if mono_doubled else ""
    nodes = [_node(plan, node, doubled, registers[node.name]) for node in plan.nodes]
    return render(
        "bench/bench_top.sv.j2",
        generator=plan.generator,
        build_id=plan.cluster_id,
        frames=parts.frames,
        nodes=nodes,
        bench_node=parts.clock_node.name,
        mono_clock=mono_clock,
        mono_clock2x=mono_clock.replace("aclk_", "aclk2x_", 1),
        mono_doubled=mono_doubled,
        link_inputs=(*link_parameters(plan), *link_test_inputs(plan)),
        kinds=link_kinds(plan),
        lingering=lingering_kinds(plan),
        links=link_texts(plan, ports),
        inner_nets=[
            InnerNet(f"inner_{index}", whole_bytes(path), f"u_{node.name}.direct_{k}_fifo")
            for index, node, k, path in direct_paths(plan)
        ],
        mono=parts.mono,
        mono_stalls=ports.sources,
        taps=parts.taps,
        ports=ports.names,
        stalls=ports.taps,
        gates=ports.gates.items(),
    )


def _fastest(plan: Plan) -> str:
    """Return the net of the fastest clock of all."""
    shells = [(node.clock_hz, node_clock(node.name)) for node in plan.nodes]
    inner = [(node.compute.hz, inner_clock(node)) for node in plan.nodes]
    return max([*shells, *inner], key=lambda one: one[0])[1]


def _node(plan: Plan, node: NodePlan, doubled: str, registers: Mapping[str, str]) -> BenchCore:
    """Describe a node; the clock of the given name also needs a double-rate clock."""
    slaves = bench_slaves(plan, node)
    pumped = any(plan.partition(name).clock2x for name in node.partitions)
    return BenchCore(
        name=node.name,
        core=node.core,
        addr_bits=node.lite_port_bits,
        data_bits=8 * node.lite_slot,
        ops=_lite_ops(node),
        answer_cycles=answer_cycles(node),
        lite=_lite(node.lite_port_bits, node.lite_slot),
        clocks=node.clocks,
        double_clock=pumped,
        period_fs=round(1e15 / node.clock_hz),
        doubled=(pumped and not node.apart) or doubled == node_clock(node.name),
        compute_fs=round(1e15 / node.compute.hz) if node.apart else 0,
        compute_doubled=node.apart and (pumped or doubled == inner_clock(node)),
        pins=(*_pins(node), *_masters(node), *_memories(node)),
        units=tuple(
            BenchUnit(f"s_axil_{node.name}_{unit.name}", _lite(unit.addr_bits, REGISTER_BYTES))
            for unit in node.units
        ),
        slaves=slaves,
        watched=(*slaves, *own_slaves(node, registers, len(slaves) + 1)),
        counted=tuple(end.counted for end in node.ends),
        resets=tuple(
            f"u_{node.name}.u_{plan.inside(node, name)}.{plan.partition(name).reset}"
            for name in node.partitions
        ),
    )


def _lite(addr_bits: int, slot: int) -> tuple[LiteSignal, ...]:
    """Return the signals of a port for the host's accesses."""
    return tuple(
        LiteSignal(name, f"[{bits - 1}:0] " if bits != 1 else "", driven, name.endswith(("ready", "valid")))
        for name, bits, driven in host_channels(addr_bits, slot)
    )


def _pins(node: NodePlan) -> tuple[CorePin, ...]:
    """Return the streams of a core."""
    return tuple(
        CorePin(
            pin.name,
            f"{node.name}_{pin.name}",
            tuple((name, bits) for name, bits, _ in pin.signals),
            _BEAT if pin.direction == "in" else (),
        )
        for attachment in node.attachments
        for pin in attachment.pins
    )


def _masters(node: NodePlan) -> tuple[CorePin, ...]:
    """Return the AXI-Lite masters of a core; behind their gate is a model in the template of their link."""
    return tuple(
        CorePin(
            f"m_axil_{window.name}",
            master_pins(node, window),
            tuple((name, bits or window.addr_bits) for name, bits, _ in CHANNELS),
        )
        for window in leaving(node)
    )


def _memories(node: NodePlan) -> tuple[CorePin, ...]:
    """Return the AXI4 masters of a core; the memory is a model in the template of their link."""
    return tuple(
        CorePin(
            memory.name,
            f"{node.name}_{memory.name}",
            tuple((name, bits) for name, bits, _ in memory.signals),
        )
        for memory in node.memory_ports
        if memory.dest is None
    )


def _lite_ops(node: NodePlan) -> int:
    """Operations of the longest pass of the memory test: one write and one read per 32-bit register."""
    registers = sum(w.memory.words * w.memory.lanes for w in node.memories if w.memory)
    # Behind a bridge, a register may need its address written first.
    walk = (4 if node.bridge else 2) * registers + 16
    return max(walk, PROTOCOL_OPS)
