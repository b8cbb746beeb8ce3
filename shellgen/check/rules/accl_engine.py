# SPDX-License-Identifier: BSD-3-Clause
"""ACCL's engine in Coyote: each of its streams meets the shell's stream of the same meaning, and one stack.

The engine numbers its memories as the shell numbers its streams: two that change places read and write
each other's memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivado_check.report import Message, Origin, Verdict
from vivado_check.shells import TOP

from .base import Context, rule
from .planned_files import Text, texts
from .user_logic import Logic, logics, sources_of
from .wires import parted

_SOURCE = "Xilinx/ACCL, test/refdesigns/hdl/coyote_rdma_top.sv and coyote_tcp_top.sv, kernels/cclo/Makefile"
_MEMORY = re.compile(r"([sm])_axis_(host|card)_(\d+)")
_STREAMS = {
    "cyt_byp_rd_cmd": "bpss_rd_req",
    "cyt_byp_wr_cmd": "bpss_wr_req",
    "cyt_byp_rd_sts": "bpss_rd_done",
    "cyt_byp_wr_sts": "bpss_wr_done",
    "s_axis_rdma_wr_req": "rdma_0_wr_req",
    "s_axis_rdma_rd_req": "rdma_0_rd_req",
    "m_axis_rdma_sq": "rdma_0_sq",
    "s_axis_eth_notification": "tcp_0_notify",
    "s_axis_eth_rx_meta": "tcp_0_rx_meta",
    "s_axis_eth_tx_status": "tcp_0_tx_stat",
    "m_axis_eth_read_pkg": "tcp_0_rd_pkg",
    "m_axis_eth_tx_meta": "tcp_0_tx_meta",
}
_ETHERNET = {"s_axis_eth_rx_data": ("axis_rdma_0_sink", "axis_tcp_0_sink")}
_ETHERNET["m_axis_eth_tx_data"] = ("axis_rdma_0_src", "axis_tcp_0_src")
# Variables of Coyote's CMake that bring the stack of a network, by ACCL's name for it.
_STACKS = {"RDMA": "EN_RDMA_0", "TCP": "EN_TCP_0"}
_STACK = re.compile(r"STACK_TYPE=(\w+)")
_BUILT = re.compile(r"/cclo/(\w+?)_\w+/ccl_offload")
_SWITCH = re.compile(r"-D(EN_RDMA_0|EN_TCP_0)=1\b")
_MADE, _UNPACKED = (
    re.compile(r"-C \$\(ACCL\)/(\S+)"),
    re.compile(r"-qn \$\(ACCL\)/(kernels/(?:plugins/)?\w+)/"),
)
# Variables that each of ACCL's makefiles needs; without them it builds a kernel for its own default card.
_GIVEN = {
    r"kernels/plugins/\w+": (r"DEVICE=xc[\w-]+", "DEVICE=<part of the card>"),
    r"kernels/cclo": (r"PLATFORM=\w+ .*STACK_TYPE=(?:RDMA|TCP)\b", "PLATFORM=<card> STACK_TYPE=RDMA or TCP"),
}
_PART = re.compile(r"\b(xc[a-z0-9]+-\w+-\w+(?:-\w)?)\b")


@rule("accl-streams", scope="session", source=_SOURCE, ours=True)
def accl_streams(context: Context) -> Iterator[Message]:
    """Follow every port of the engine to the shell, through slices and words."""
    for logic in logics(context):
        ports = {joint.target for joint in logic.joints} | {
            s for joint in logic.joints for s in joint.sources
        }
        for port in sorted(one for one in ports if one.startswith(f"{TOP}.u_logic.u_accl.")):
            yield from _followed(logic, port)


def _meant(interface: str) -> tuple[str, ...]:
    """Return the interfaces of the shell that a port of the engine may meet; none: no fact says."""
    memory = _MEMORY.fullmatch(interface)
    if memory:
        return (f"axis_{memory[2]}_{memory[3]}_{'sink' if memory[1] == 's' else 'src'}",)
    return (_STREAMS[interface],) if interface in _STREAMS else _ETHERNET.get(interface, ())


def _followed(logic: Logic, port: str) -> Iterator[Message]:
    holder, signal = parted(port)
    interface = holder.rpartition(".")[2]
    meant = _meant(interface)
    shell = {f"{path}." for path in logic.interfaces}
    for forth in (False, True) if meant else ():
        for end in sorted(sources_of(logic.joints, port, forth=forth)):
            there, peer = parted(end)
            inside = end.startswith((f"{TOP}.u_logic.u_accl.", f"{TOP}.u_logic.u_core."))
            if not end.startswith(tuple(shell)) and not inside:
                continue
            name = there.removeprefix(f"{TOP}.").removeprefix("u_logic.")
            if name not in meant or (signal, peer) not in ((signal, signal), ("tdest", "tid")):
                line = next((one for one in logic.joints if port in (one.target, *one.sources)), None)
                yield Message(
                    "accl-streams",
                    Verdict.FINDING,
                    logic.origin(line) if line else Origin(logic.text.name),
                    f"u_accl.{interface}_{signal}",
                    f"it meets {peer} of {name}",
                    f"{signal} of {' or '.join(meant)}",
                    "join the engine to the stream of the same meaning",
                )


@rule("accl-stack", scope="session", source=_SOURCE, ours=True)
def accl_stack(context: Context) -> Iterator[Message]:
    """The engine is built for the stack that the shell has, and every kernel for the part of the card."""
    for _, text in texts(context, "coyote/Makefile"):
        built, switches = _STACK.findall(text.text), set(_SWITCH.findall(text.text))
        has = [stack for stack, switch in _STACKS.items() if switch in switches]
        for stack in dict.fromkeys((*built, *_BUILT.findall(text.text))):
            if stack not in has:
                found = (
                    f"the engine is made for {stack}, and the shell has {' and '.join(has) or 'no network'}"
                )
                line = (
                    text.line_of(f"STACK_TYPE={stack}") if stack in built else text.line_of(f"/cclo/{stack}_")
                )
                yield _said(
                    line, "STACK_TYPE", found, f"-D{_STACKS.get(stack, 'EN_RDMA_0')}=1, or another engine"
                )
        if "$(ACCL)/kernels" in text.text:
            yield from _designed(context, text, has)
            yield from _parts(text)
            yield from _given(text)
            made = set(_MADE.findall(text.text))
            for folder in sorted(set(_UNPACKED.findall(text.text)) - made):
                line = text.line_of(f"-qn $(ACCL)/{folder}/")
                yield _said(
                    line,
                    folder,
                    "its kernel is unpacked, and no step makes it",
                    f"$(MAKE) -C $(ACCL)/{folder}",
                )


def _designed(context: Context, text: Text, has: list[str]) -> Iterator[Message]:
    """RDMA needs an arbiter and a multiplexer in the block design, TCP has none."""
    for design in context.recording.designs.values():
        cells = [cell for cell in design.cells.values() if ":cyt_rdma_" in cell.vlnv]
        if bool(cells) != ("RDMA" in has):
            origin = cells[0].origin if cells else design.origin
            found = (
                f"it has {'cells of RDMA' if cells else 'no cells of RDMA'}, and {text.name} asks for {has}"
            )
            yield _said(
                origin, design.name, found, "cyt_rdma_arbiter and cyt_rdma_mux with RDMA, and only there"
            )


def _given(text: Text) -> Iterator[Message]:
    """Every kernel is made for the card and the stack, and not for the default of its makefile."""
    for line, command in enumerate(text.text.splitlines(), 1):
        for folder, (wanted, told) in _GIVEN.items():
            made = re.search(rf"\$\(MAKE\) .*\$\(ACCL\)/({folder})(?:\s|$)(.*)", command)
            if made and not re.search(rf"(?:^|\s){wanted}(?:\s|$)", made[2]):
                found = f"it is given {made[2].strip() or 'nothing'}"
                yield _said(Origin(text.name, line), made[1], found, told)


def _parts(text: Text) -> Iterator[Message]:
    """Kernels are made for one part, and looked for under its name."""
    parts = _PART.findall("\n".join(line for line in text.text.splitlines() if not line.startswith("#")))
    most = max(parts, key=parts.count, default="")
    for part in sorted(set(parts) - {most}):
        yield _said(text.line_of(part), part, f"another kernel is made for {most}", "one part for all")


def _said(origin: Origin, where: str, found: str, expected: str) -> Message:
    remedy = "write the same network in all places, or generate the folder again"
    return Message("accl-stack", Verdict.FINDING, origin, where, found, expected, remedy)
