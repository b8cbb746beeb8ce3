# SPDX-License-Identifier: BSD-3-Clause
"""Coyote v2: a CMake project, the user logic around the core, and what brings the packaged core into it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Artifact, NodePlan, OtherProducts, Plan, Script, Setting, Stage
from shellgen.model.axilite import host_channels
from shellgen.model.hooks import Moment, user_files
from shellgen.platforms.commands import Commands
from shellgen.platforms.coyote.build import COYOTE, JOBS, PROJECT_INPUTS, SETTINGS
from shellgen.platforms.coyote.commands import v2_commands
from shellgen.platforms.coyote.core import LIBRARY, VENDOR, core_ip, core_module, core_revision
from shellgen.platforms.coyote.facts import BURST_BYTES, CLOCK_HZ, KIND, VersionName, facts_of, options_of
from shellgen.platforms.coyote.hooks import NO_DESIGN, run_hooks, run_scripts
from shellgen.platforms.coyote.streams import (
    DOCK,
    MEMORY,
    HostStream,
    RingStream,
    first_ring,
    host_streams,
    ring_streams,
)
from shellgen.platforms.coyote.version import Version
from shellgen.platforms.hooks import hook_problems
from shellgen.platforms.memory import implementation_memory, packaging_memory
from shellgen.platforms.messages import SYNTHESIS
from shellgen.render import render

MEGA = 1_000_000
# AXI ports of a card's memory: HBM has as many. Coyote gives one to each card stream of each vFPGA, one to
# what moves pages and one to RDMA (N_MEM_CHAN of cmake/FindCoyoteHW.cmake).
MOST_PORTS = 32
FLOORPLAN = Setting(
    name="FLOORPLAN", about="constraints that place the vFPGAs", words=("FLOORPLAN={}",), required=True
)
PLACES = {
    "CMakeLists.txt": "hw/CMakeLists.txt",
    "vfpga_top.svh": "hw/src/vfpga_top.svh",
    "init_ip.tcl": "hw/src/init_ip.tcl",
    "clone.sh": "hw/clone.sh",
    "Makefile": "Makefile",
}
# Interfaces of user logic that every vfpga_top.svh names, and those of the network.
INTERFACES = ("axi_ctrl", "notify", "sq_rd", "sq_wr", "cq_rd", "cq_wr", "axis_host_recv", "axis_host_send")
CARD = ("axis_card_recv", "axis_card_send")
NETWORK = ("rq_rd", "rq_wr", "axis_rreq_recv", "axis_rreq_send", "axis_rrsp_recv", "axis_rrsp_send")
# Clones that the files of this version were tried with, and where they are from (docs/coyote.md).
TRIED = (("abede377", "harshanavkis/Coyote"),)

ABSENT: dict[Moment, str] = {
    "block_design": NO_DESIGN,
    "bitstream": "Coyote v2 writes its bitstreams from checkpoints, by a script of its own",
}


@dataclass(frozen=True)
class Wired:
    """An interface of the core in vfpga_top.svh.

    Attributes:
        about: What it is for.
        wires: Port of the core, and signal of Coyote's interface.
    """

    about: str
    wires: tuple[tuple[str, str], ...]


class V2(Version):
    """An application of Coyote's current version, which has host streams and registers but no ACCL."""

    name: ClassVar[VersionName] = "v2"
    streams: ClassVar[int] = 16  # what DATA_DEST_BITS can tell apart

    def problems(self, plan: Plan, node: NodePlan) -> list[Problem]:  # noqa: ARG002 - the version's interface
        """Return what only v1 has, and each window that only other hardware beside the core could serve."""
        return [
            *_network(node),
            *_foreign(node),
            *_masters(node),
            *self._rings(node),
            *hook_problems(node, options_of(node), ABSENT),
        ]

    def _rings(self, node: NodePlan) -> Iterator[Problem]:
        """Refuse rings of the host that find no stream, and more ports than the memory of a card has."""
        rings = ring_streams(node, self.first(node))
        needed = max((one.dest + 1 for one in rings if one.host), default=0)
        if needed > self.streams:
            behind = first_ring(node, self.first(node))
            count = sum(one.host for one in rings)
            found = (
                f"{count} rings in the memory of the host need streams behind the {behind} of its frames, and"
            )
            found += f" Coyote {self.name} has {self.streams}"
            remedy = 'Say buffer = "ddr" or "chip" for some, or put partitions on another node'
            yield Problem(f"node {node.name}: link {_link(node)}", found, remedy)
        cards, regions = sum(not one.host for one in rings), options_of(node).regions
        ports = cards * regions + 1 + int(options_of(node).rdma)
        if cards and ports > MOST_PORTS:
            found = (
                f"{cards} rings in each of {regions} vFPGAs need {ports} ports of the card's memory, which"
            )
            found += f" has {MOST_PORTS}"
            remedy = 'Say buffer = "chip" for some, or ask for fewer regions'
            yield Problem(f"node {node.name}: link {_link(node)}", found, remedy)

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the CMake project, the user logic, init_ip.tcl and the Makefile, in ``<node>/coyote/``."""
        answers = _answers(self, plan, node, files)
        places = dict(PLACES)
        if answers["others"]:
            places["idle_top.svh"] = "hw/idle/vfpga_top.svh"
        files_of_ours = (
            Artifact.text(f"{node.name}/coyote/{place}", render(f"platforms/coyote/v2/{name}.j2", **answers))
            for name, place in places.items()
        )
        return (*files_of_ours, *run_hooks(plan, node))

    def scripts(self, node: NodePlan) -> tuple[Script, ...]:
        """Return what Coyote sources in the user project."""
        return (Script(file=f"{KIND}/hw/src/init_ip.tcl", opened=node.board.part), *run_scripts(node))

    def commands(self, node: NodePlan) -> Commands:
        """Return what the Makefile runs."""
        return v2_commands(_application(node), _report(node))

    def stages(self, node: NodePlan) -> tuple[Stage, ...]:
        """Return targets of the Makefile, each of which takes a long time and can fail by itself."""
        asked = (COYOTE, JOBS, SETTINGS, *([FLOORPLAN] if options_of(node).configs > 1 else []))
        whole, bits = implementation_memory(node.board), f"{KIND}/build/hw/bitstreams"
        app = OtherProducts(
            setting=SETTINGS.name, word="-DBUILD_APP=1", products=(f"{bits}/{_application(node)}",)
        )
        return tuple(
            Stage(
                name=name,
                command=("make", *targets),
                folder=KIND,
                products=(f"{KIND}/build/hw/{product}",),
                others=(app,) if name == "bitstream" else (),
                inputs=PROJECT_INPUTS,
                tools=("make", "cmake", "vivado"),
                memory=memory,
                settings=asked,
                logs=(f"{KIND}/build/hw/*/*/*.runs/*/runme.log",) if name == "synth" else (),
            )
            for name, targets, product, memory in (
                ("project", ("project",), "projected", packaging_memory()),
                ("synth", ("synth",), "synthesised", whole),
                ("bitstream", (), "bitstreams/cyt_top.bit", whole),
            )
        )


def _application(node: NodePlan) -> str:
    """Return what Coyote leaves of the core's vFPGA if it builds that alone, for a shell that is there."""
    options = options_of(node)
    return f"config_{options.config}/vfpga_c{options.config}_{options.region}.bin"


def _report(node: NodePlan) -> str:
    """Return the report on timing that goes with it."""
    config = options_of(node).config
    return f"config_{config}/shell_timing_summary_c{config}.rpt"


def _link(node: NodePlan) -> str:
    """Return the link that keeps streams in memory."""
    return next(one.link for one in node.attachments if one.dock == MEMORY)


def _network(node: NodePlan) -> Iterator[Problem]:
    network = options_of(node).network
    if network:
        found = f"{network!r} is what ACCL sends through, which Coyote v2 lacks"
        yield Problem(
            f"node {node.name}.options.{node.platform}.network", found, "Leave it out; rdma is v2's own"
        )


def _foreign(node: NodePlan) -> Iterator[Problem]:
    for one in node.attachments:
        if one.dock not in (DOCK, MEMORY):
            found = "it needs ACCL's engine, which Coyote v2 lacks; v1 has it, in branch accl_integration"
            remedy = 'Leave version out or set it to "v1", or keep these partitions on one node'
            yield Problem(f"node {node.name}: link {one.link}", found, remedy)


def _masters(node: NodePlan) -> Iterator[Problem]:
    for one in node.attachments:
        for claim in one.claims:
            if claim.leaves and one.dock == DOCK:
                found = f"its window {claim.name} leaves the core by m_axil_{claim.name}, and nobody is there"
                remedy = "Choose a link whose registers are in the core, or a board of another platform"
                yield Problem(f"node {node.name}: link {one.link}", found, remedy)


def _answers(version: Version, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> dict[str, object]:
    """Return the variables of the templates."""
    options, streams = options_of(node), host_streams(node, version.first(node))
    rings = ring_streams(node, version.first(node))
    cards, taken = sum(not one.host for one in rings), [one.dest for one in rings if one.host]
    count = max((dest + 1 for dest in (*(one.dest for one in streams), *taken)), default=1)
    applications = [
        f"VFPGA_C{config}_{region}" for config in range(options.configs) for region in range(options.regions)
    ]
    own = f"VFPGA_C{options.config}_{options.region}"
    return {
        "plan": plan,
        "node": node,
        "options": options,
        "hooked": tuple(user_files(node.options)),
        "module": core_module(node),
        "ip": core_ip(node),
        "vendor": VENDOR,
        "library": LIBRARY,
        "revision": core_revision(node),
        "files": files,
        "lite": _lite(node),
        "streams": [_wired(one) for one in streams],
        "rings": rings,
        "queues": _queues(node),
        "ring_wires": _ring_wires(node, rings),
        "first_ring": first_ring(node, version.first(node)),
        "burst_bytes": BURST_BYTES,
        "cards": cards,
        "idle_recv": _idle(streams, taken, count, sends=True),
        "idle_send": _idle(streams, taken, count, sends=False),
        "variables": _variables(node, count, cards),
        "planned": _variables(node, count, cards),
        "names": [name for name, _ in _variables(node, count, cards)],
        "interfaces": (*INTERFACES, *(CARD if cards else ()), *(NETWORK if options.rdma else ())),
        "tried": TRIED,
        "device": facts_of(node).device,
        "facts": facts_of(node),
        "version": "v2",
        "app": _application(node),
        "app_report": _report(node),
        "checkpoint": f"hw/checkpoints/static_routed_locked_{facts_of(node).device}.dcp",
        "applications": applications,
        "others": [name for name in applications if name != own],
        "messages": tuple(SYNTHESIS.items()),
    }


def _variables(node: NodePlan, streams: int, cards: int) -> tuple[tuple[str, object], ...]:
    """Return Coyote's variables, by their names there."""
    options = options_of(node)
    found: list[tuple[str, object]] = [
        ("FDEV_NAME", facts_of(node).device),
        ("EN_STRM", 1),
        ("N_STRM_AXI", streams),
        ("EN_MEM", int(cards > 0)),
        *([("N_CARD_AXI", cards)] if cards else []),
        ("EN_RDMA", int(options.rdma)),
        ("N_REGIONS", options.regions),
        ("N_CONFIG", options.configs),
        ("EN_PR", int(options.configs > 1)),
    ]
    if node.clock_hz != CLOCK_HZ:
        found += [("EN_UCLK", 1), ("UCLK_F", node.clock_hz // MEGA)]
    return tuple(found)


def _lite(node: NodePlan) -> tuple[tuple[str, str], ...]:
    bits = node.lite_port_bits
    return tuple(
        (f"s_axil_{signal}", f"axi_ctrl.{signal}{f'[{bits - 1}:0]' if signal.endswith('addr') else ''}")
        for signal, _, _ in host_channels(bits, node.lite_slot)
    )


def _wired(stream: HostStream) -> Wired:
    pin, way = stream.pin, "recv" if stream.sends else "send"
    interface = f"axis_host_{way}[{stream.dest}]"
    about = f"what the host {'sends' if stream.sends else 'receives'} as dest {stream.dest}"
    return Wired(
        about, tuple((f"{pin.name}_{signal}", f"{interface}.{signal}") for signal, _, _ in pin.signals)
    )


def _queues(node: NodePlan) -> tuple[tuple[str, str], ...]:
    """Return the ports of the core for the queues of requests, and the nets of vfpga_top.svh at them."""
    pins = [pin for one in node.attachments if one.dock == MEMORY for pin in one.pins]
    return tuple(
        (f"{pin.name}_{signal}", f"ring_{pin.role}_{signal}")
        for pin in pins
        if pin.role in ("sq_wr", "sq_rd", "cq_wr")
        for signal, _, _ in pin.signals
    )


def _ring_wires(node: NodePlan, rings: tuple[RingStream, ...]) -> tuple[Wired, ...]:
    pins = {pin.name: pin for one in node.attachments if one.dock == MEMORY for pin in one.pins}
    found = []
    for ring in rings:
        for way, pin in (
            ("send", pins[f"m_axis_ring_{ring.number}"]),
            ("recv", pins[f"s_axis_ring_{ring.number}"]),
        ):
            interface = f"axis_{'host' if ring.host else 'card'}_{way}[{ring.dest}]"
            about = f"ring {ring.number}: what it {'writes' if way == 'send' else 'reads'}"
            wires = tuple((f"{pin.name}_{name}", f"{interface}.{name}") for name, _, _ in pin.signals)
            found.append(Wired(about, wires))
    return tuple(found)


def _idle(streams: tuple[HostStream, ...], taken: list[int], count: int, sends: bool) -> list[int]:
    used = {one.dest for one in streams if one.sends == sends} | set(taken)
    return [dest for dest in range(count) if dest not in used]
