# SPDX-License-Identifier: BSD-3-Clause
"""Address windows of all AXI-Lite slaves, and the crossbar trees that decode them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shellgen.errors import PlanError, Problem
from shellgen.model import AxiLitePort, Partition, Window
from shellgen.plan.allocate import allocate
from shellgen.plan.claims import TURNS, claim_problems, fixed_windows, free_windows
from shellgen.plan.draft import Draft, NodeDraft
from shellgen.plan.tree import crossbar_tree
from shellgen.platforms import platform_registry

STATUS_ADDR_BITS = 12  # the register file of ip/shell_status
TURNS_ADDR_BITS = 8  # of ip/shell_turns
# ip/axil_bridge: one half of the window holds the registers, the other the aperture. A larger aperture saves
# page changes; above 64 KiB, the size of Coyote's window, it has no benefit.
BRIDGE_ADDR_BITS = range(8, 17)
FAR_ADDR_BITS = 32  # range of the bridge's address register

Slaves = list[tuple[Partition, AxiLitePort]]


def assign_addresses(draft: Draft) -> Draft:
    """Give every slave a naturally aligned power-of-two window, the status registers the lowest.

    With ``lite.access = "bridge"`` only the status registers and the bridge lie in the host's window, and
    the slaves in a separate space behind the bridge. Claims of attachments are in the host's window.
    Without ``lite.access``, the platform defines the size above which there is a bridge.

    Raises:
        PlanError: A claim that cannot be met; more streams than the status registers have; a slave that is
            not 32 bits wide; reserved ranges that overlap or leave the window; windows beyond what the host
            reaches.

    Source: docs/design-core.md, control plane.
    """
    problems: list[Problem] = []
    nodes = []
    for node in draft.nodes:
        where = f"{draft.where}: node[{node.entry}].lite"
        slaves = [(partition, port) for partition in node.partitions for port in partition.axilite]
        problems.extend(_unsupported(slaves))
        limit, wrong = _limit(where, node)
        wrong = wrong or claim_problems(f"{draft.where}: node[{node.entry}]", node, _reserved(node), limit)
        problems.extend(one for one in wrong if one not in problems)
        if wrong:
            continue
        mapped = _mapped(node, slaves, limit)
        problems.extend(_too_large(where, node, mapped.windows, limit))
        problems.extend(_too_far(where, node, mapped.far_windows))
        nodes.append(mapped)
    if problems:
        raise PlanError(*problems)
    return replace(draft, nodes=tuple(nodes))


def _mapped(node: NodeDraft, slaves: Slaves, limit: int) -> NodeDraft:
    """Lay out the windows of a node, and the trees that reach them."""
    apart = len(node.clocks) > 1 and slaves
    direct = _crossed(node, slaves) if apart else _side_by_side(node, slaves)
    if not slaves or not _wants_bridge(direct):
        return direct
    windows, far = _bridged(node, limit), _far(slaves)
    return replace(
        node,
        windows=windows,
        crossbars=crossbar_tree(windows),
        far_windows=far,
        far_crossbars=crossbar_tree(far, "far"),
    )


def _side_by_side(node: NodeDraft, slaves: Slaves) -> NodeDraft:
    windows = _windows(node, slaves)
    return replace(node, windows=windows, crossbars=crossbar_tree(windows))


def _wants_bridge(direct: NodeDraft) -> bool:
    """Return whether the memories of a node are behind a bridge: as requested, or by the platform's rule."""
    if direct.lite.access is not None:
        return direct.lite.access == "bridge"
    most, last = platform_registry()[direct.platform].direct_bytes, direct.windows[-1]
    return most is not None and (last.offset + last.size) * direct.host.scale > most


def lite_limit(node: NodeDraft) -> int:
    """Return the bytes of registers that the host can address, in the core's own space."""
    return _host_limit(node) // node.host.scale


def _host_limit(node: NodeDraft) -> int:
    return min(node.lite.window or node.host.bytes, node.host.bytes)


def _reserved(node: NodeDraft) -> list[tuple[int, int]]:
    """Return the reserved ranges (offset, bytes) in the core's own space, rounded up to whole slots."""
    scale = node.host.scale
    ends = [
        (entry.offset // scale, -(-(entry.offset + entry.bytes) // scale)) for entry in node.lite.reserved
    ]
    return [(first, end - first) for first, end in ends]


def _limit(where: str, node: NodeDraft) -> tuple[int, list[Problem]]:
    board, limit = node.host.bytes, _host_limit(node)
    problems = []
    if (node.lite.window or 0) > board:
        found = f"{node.lite.window} bytes, and board {node.board.name} gives the host {board}"
        problems.append(Problem(f"{where}.window", found, "Make it smaller or leave it out"))
    ends = [(entry.offset, entry.offset + entry.bytes, i) for i, entry in enumerate(node.lite.reserved)]
    for first, end, i in ends:
        if end > limit:
            found = f"bytes {first:#x} to {end - 1:#x} end beyond the window of {limit:#x} bytes"
            problems.append(Problem(f"{where}.reserved[{i}]", found, "Reserve only what the window holds"))
    for (low, low_end, i), (high, high_end, j) in zip(sorted(ends), sorted(ends)[1:], strict=False):
        if high < low_end:
            found = (
                f"bytes {high:#x} to {high_end - 1:#x} overlap reserved[{i}], {low:#x} to {low_end - 1:#x}"
            )
            problems.append(Problem(f"{where}.reserved[{j}]", found, "Make them disjoint, or one range"))
    return lite_limit(node), problems


def _windows(node: NodeDraft, slaves: Slaves) -> tuple[Window, ...]:
    own = _own(node)
    return tuple(sorted((*own, *_leaves(slaves, _taken(node, own))), key=_offset))


def _own(node: NodeDraft) -> tuple[Window, ...]:
    """Return the status registers and the claims of the attachments."""
    fixed = fixed_windows(node)
    status = _status(_taken(node, fixed))
    own = (*fixed, status, *_turns(node, _taken(node, (*fixed, status))))
    return (*own, *free_windows(node, _taken(node, own)))


def _turns(node: NodeDraft, taken: list[tuple[int, int]]) -> tuple[Window, ...]:
    """Place the registers of a board that is a replica, or that deals to or gathers from replicas."""
    count = sum(part.takes_turns for part in node.partitions)
    if not count and node.places is None:
        return ()
    (offset,) = allocate([TURNS_ADDR_BITS], taken)
    window = Window(
        name="turns",
        kind="block",
        offset=offset,
        size=1 << TURNS_ADDR_BITS,
        addr_bits=TURNS_ADDR_BITS,
        block=TURNS,
        counts=(("N", max(1, count)),),  # a replica has the registers, too, and shows its number
    )
    return (window,)


def _taken(node: NodeDraft, windows: Sequence[Window]) -> list[tuple[int, int]]:
    return [*_reserved(node), *((window.offset, window.size) for window in windows)]


def _crossed(node: NodeDraft, slaves: Slaves) -> NodeDraft:
    """Place all slaves in one naturally aligned range, which is one slave of the near tree."""
    own, behind = _own(node), _far(slaves)
    bits = (behind[-1].offset + behind[-1].size - 1).bit_length()
    (offset,) = allocate([bits], _taken(node, own))
    crossing = Window(name="crossing", kind="crossing", offset=offset, size=1 << bits, addr_bits=bits)
    seen = (window.model_copy(update={"offset": window.offset + offset}) for window in behind)
    return replace(
        node,
        windows=tuple(sorted((*own, *seen), key=_offset)),
        crossbars=crossbar_tree(sorted((*own, crossing), key=_offset)),
        far_crossbars=crossbar_tree(behind, "far"),
        crossing=crossing,
    )


def _bridged(node: NodeDraft, limit: int) -> tuple[Window, ...]:
    """Place the status registers, the claims, and the largest bridge that fits behind them."""
    own = _own(node)
    taken = _taken(node, own)
    for bits in reversed(BRIDGE_ADDR_BITS):
        (offset,) = allocate([bits], taken)
        if offset + (1 << bits) <= limit:
            break
    bridge = Window(
        name="bridge", kind="bridge", offset=offset, size=1 << bits, addr_bits=bits, block="axil_bridge"
    )
    return tuple(sorted((*own, bridge), key=_offset))


def _far(slaves: Slaves) -> tuple[Window, ...]:
    return tuple(sorted(_leaves(slaves, []), key=_offset))


def _status(taken: Sequence[tuple[int, int]]) -> Window:
    (offset,) = allocate([STATUS_ADDR_BITS], taken)
    size = 1 << STATUS_ADDR_BITS
    return Window(
        name="status",
        kind="status",
        offset=offset,
        size=size,
        addr_bits=STATUS_ADDR_BITS,
        block="shell_status",
    )


def _leaves(slaves: Slaves, taken: list[tuple[int, int]]) -> list[Window]:
    # A crossbar passes 32-bit words; a slave with fewer than two address bits still owns one word.
    sizes = [max(port.addr_bits, 2) for _, port in slaves]
    return [
        Window(
            name=f"{partition.name}_{port.name}",
            kind="partition",
            offset=offset,
            size=1 << size,
            partition=partition.name,
            interface=port.name,
            addr_bits=port.addr_bits,
            memory=port.memory,
        )
        for (partition, port), size, offset in zip(slaves, sizes, allocate(sizes, taken), strict=True)
    ]


def _offset(window: Window) -> int:
    return window.offset


def _unsupported(slaves: Slaves) -> list[Problem]:
    return [
        Problem(
            f"{partition.origin}: {port.name}",
            f"the AXI-Lite slave is {port.data_bits} bits wide",
            "Only 32-bit slaves are reachable; rebuild the partition with 32-bit AXI-Lite",
        )
        for partition, port in slaves
        if port.data_bits != 32
    ]


def _too_large(where: str, node: NodeDraft, windows: tuple[Window, ...], limit: int) -> list[Problem]:
    span = windows[-1].offset + windows[-1].size
    if span <= limit:
        return []
    scale = node.host.scale
    span, limit = span * scale, limit * scale
    reach = f"the host reaches {limit} bytes"
    reach += f", {node.host.slot} for each register" if scale > 1 else ""
    if any(window.kind == "bridge" for window in windows):
        found = f"status registers and the smallest bridge of node {node.name} take {span} bytes; {reach}"
        return [Problem(where, found, "Give the node a larger window, or reserve less of it")]
    largest = sorted(windows, key=lambda window: -window.size)[:3]
    names = ", ".join(f"{window.name} ({window.size * scale} bytes)" for window in largest)
    alone = [window for window in largest if window.size * scale > limit]
    if alone:
        found = f"{alone[0].name} of node {node.name} takes {alone[0].size * scale} bytes; {reach}"
    else:
        found = (
            f"the AXI-Lite map of node {node.name} is {span} bytes, {span - limit} too many ({reach}); "
            f"the largest slaves are {names}"
        )
    remedy = (
        'Set lite.access = "bridge", which needs only a small window, or move a partition to another node'
    )
    return [Problem(where, found, remedy)]


def _too_far(where: str, node: NodeDraft, windows: tuple[Window, ...]) -> list[Problem]:
    if not windows or windows[-1].offset + windows[-1].size <= 1 << FAR_ADDR_BITS:
        return []
    found = f"the slaves of node {node.name} take more than the {1 << FAR_ADDR_BITS} bytes behind a bridge"
    return [Problem(where, found, "Move a partition to another node")]
