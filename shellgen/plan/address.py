# SPDX-License-Identifier: BSD-3-Clause
"""Pass 4: an address window for every AXI-Lite slave, and the crossbar tree that reaches them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shellgen.errors import PlanError, Problem
from shellgen.model import AxiLitePort, Crossbar, CrossbarPort, Partition, Window
from shellgen.plan.draft import Draft, NodeDraft

STATUS_ADDR_BITS = 12  # the register file of ip/shell_status
RADIX = 16


def assign_addresses(draft: Draft) -> Draft:
    """Give every slave a naturally aligned power-of-two window, the status registers at offset 0.

    Raises:
        PlanError: A slave that is not 32 bits wide, or windows beyond what the board's master reaches.

    Source: design section 6.
    """
    problems: list[Problem] = []
    nodes = []
    for node in draft.nodes:
        slaves = [(partition, port) for partition in node.partitions for port in partition.axilite]
        problems.extend(_unsupported(slaves))
        windows = _windows(slaves)
        problems.extend(_too_large(draft, node, windows))
        nodes.append(replace(node, windows=windows, crossbars=crossbar_tree(windows)))
    if problems:
        raise PlanError(*problems)
    return replace(draft, nodes=tuple(nodes))


def allocate(sizes_log2: Sequence[int], first: int = 0) -> list[int]:
    """Place naturally aligned windows of ``2**size`` bytes without overlap.

    Largest first, which for powers of two leaves no gap but the one behind ``first``; windows of one
    size keep their order.

    Args:
        sizes_log2: One entry per window.
        first: Bytes at the bottom that are already taken.

    Returns:
        The offset of each window, in the order of ``sizes_log2``.
    """
    offsets = [0] * len(sizes_log2)
    free: list[tuple[int, int]] = []  # naturally aligned free blocks (offset, size_log2)
    top = first
    for index in sorted(range(len(sizes_log2)), key=lambda i: -sizes_log2[i]):
        size = sizes_log2[index]
        fitting = [block for block in free if block[1] >= size]
        if fitting:
            offset, have = min(fitting, key=lambda block: (block[1], block[0]))
            free.remove((offset, have))
        else:
            while top % (1 << size):
                step = (top & -top).bit_length() - 1
                free.append((top, step))
                top += 1 << step
            offset, have = top, size
            top += 1 << size
        while have > size:
            have -= 1
            free.append((offset + (1 << have), have))
        offsets[index] = offset
    return offsets


def crossbar_tree(windows: Sequence[Window]) -> tuple[Crossbar, ...]:
    """Build a tree of crossbars of at most `RADIX` ports over ascending windows, root first.

    A range of more windows than ports is split into aligned sub-ranges; a sub-range of one window is
    that window itself, so no level serves only one slave.
    """
    end = windows[-1].offset + windows[-1].size
    return tuple(_subtree("xbar", list(windows), 0, (end - 1).bit_length()))


def _subtree(name: str, windows: list[Window], base: int, size_log2: int) -> list[Crossbar]:
    if len(windows) <= RADIX:
        return [Crossbar(name=name, ports=tuple(_port(window) for window in windows))]
    ports, below = [], []
    for index, (offset, bits, group) in enumerate(_split(windows, base, size_log2)):
        if len(group) == 1:
            ports.append(_port(group[0]))
        else:
            target = f"{name}_{index}"
            below.extend(_subtree(target, group, offset, bits))
            ports.append(CrossbarPort(target=target, offset=offset, size_log2=bits))
    return [Crossbar(name=name, ports=tuple(ports)), *below]


def _port(window: Window) -> CrossbarPort:
    return CrossbarPort(target=window.name, offset=window.offset, size_log2=window.size.bit_length() - 1)


def _split(windows: list[Window], base: int, size_log2: int) -> list[tuple[int, int, list[Window]]]:
    """Halve the fullest range again and again while there are ports left."""
    ranges = [(base, size_log2, windows)]
    while len(ranges) < RADIX:
        splittable = [r for r in ranges if len(r[2]) > 1]
        if not splittable:
            break
        fullest = max(splittable, key=lambda r: len(r[2]))
        offset, bits, group = fullest
        middle = offset + (1 << (bits - 1))
        low = [w for w in group if w.offset < middle]
        high = [w for w in group if w.offset >= middle]
        halves = [(offset, bits - 1, low), (middle, bits - 1, high)]
        at = ranges.index(fullest)
        ranges[at : at + 1] = [half for half in halves if half[2]]
    return ranges


def _windows(slaves: list[tuple[Partition, AxiLitePort]]) -> tuple[Window, ...]:
    status = Window(
        name="status", kind="status", offset=0, size=1 << STATUS_ADDR_BITS, addr_bits=STATUS_ADDR_BITS
    )
    # A crossbar passes 32-bit words; a slave with fewer than two address bits still owns one word.
    sizes = [max(port.addr_bits, 2) for _, port in slaves]
    windows = [
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
        for (partition, port), size, offset in zip(slaves, sizes, allocate(sizes, status.size), strict=True)
    ]
    return (status, *sorted(windows, key=lambda window: window.offset))


def _unsupported(slaves: list[tuple[Partition, AxiLitePort]]) -> list[Problem]:
    return [
        Problem(
            f"{partition.origin}: {port.name}",
            f"the AXI-Lite slave is {port.data_bits} bits wide",
            "Only 32-bit slaves are reachable; rebuild the partition with 32-bit AXI-Lite",
        )
        for partition, port in slaves
        if port.data_bits != 32
    ]


def _too_large(draft: Draft, node: NodeDraft, windows: tuple[Window, ...]) -> list[Problem]:
    span = windows[-1].offset + windows[-1].size
    if node.board.zynq is None or span <= node.board.zynq.lite_bytes:
        return []
    largest = sorted(windows, key=lambda w: -w.size)[:3]
    names = ", ".join(f"{w.name} ({w.size} bytes)" for w in largest)
    found = (
        f"the AXI-Lite map of node {node.name} is {span} bytes, {span - node.board.zynq.lite_bytes} more "
        f"than board {node.board.name} reaches; the largest slaves are {names}"
    )
    return [Problem(f"{draft.where}: node {node.name}", found, "Move a partition to another node")]
