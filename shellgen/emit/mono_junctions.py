# SPDX-License-Identifier: BSD-3-Clause
"""Junctions of the monolith, in a few lines of their own: the reference must not share blocks of ``ip/``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from shellgen.model import JunctionKind, Partition, StreamPort


def mono_junction(partition: Partition, clock: str, net: Callable[[Partition, StreamPort], str]) -> list[str]:
    """Return the Verilog of a junction between the nets of its ports."""
    assert partition.junction is not None
    ins = [net(partition, port) for port in partition.inputs]
    outs = [net(partition, port) for port in partition.outputs]
    lines = _TEXTS[partition.junction](f"mono_{partition.name}", clock, partition, ins, outs)
    return [f"// {partition.name}: {partition.junction}", *lines]


def _copies(
    name: str, clock: str, _partition: Partition, ins: Sequence[str], outs: Sequence[str]
) -> list[str]:
    (source,) = ins
    return mono_fork(source, clock, outs, name)


def mono_fork(source: str, clock: str, outs: Sequence[str], owner: str = "") -> list[str]:
    """Copy a stream: a consumer that has taken a word waits until the others have it."""
    count, name = len(outs), owner or f"{source}_fork"
    ready = ", ".join(f"{out}_tready" for out in reversed(outs))
    lines = [
        f"reg [{count - 1}:0] {name}_took;",
        f"wire [{count - 1}:0] {name}_takes = ~{name}_took & {{{count}{{{source}_tvalid}}}} & {{{ready}}};",
        f"assign {source}_tready = ({name}_took | {name}_takes) == {{{count}{{1'b1}}}};",
        f"always @(posedge {clock})",
        f"    if (!aresetn || {source}_tready) {name}_took <= {count}'d0;",
        f"    else {name}_took <= {name}_took | {name}_takes;",
    ]
    for place, out in enumerate(outs):
        lines.append(f"assign {out}_tvalid = {source}_tvalid && !{name}_took[{place}];")
        lines.append(f"assign {out}_tdata = {source}_tdata;")
    return lines


def _concat(
    name: str, clock: str, partition: Partition, ins: Sequence[str], outs: Sequence[str]
) -> list[str]:
    """Count the words of a pixel; each input has a range of numbers."""
    (out,) = outs
    ends = [0, *accumulate(port.shape[-2] for port in partition.inputs)]
    turns = [f"{name}_at >= {begin} && {name}_at < {end}" for begin, end in pairwise(ends)]
    lines = [
        f"integer {name}_at;",
        f"always @(posedge {clock})",
        f"    if (!aresetn) {name}_at <= 0;",
        f"    else if ({out}_tvalid && {out}_tready)",
        f"        {name}_at <= {name}_at == {ends[-1] - 1} ? 0 : {name}_at + 1;",
    ]
    lines += [f"assign {one}_tready = {turn} && {out}_tready;" for one, turn in zip(ins, turns, strict=True)]
    for signal in ("tvalid", "tdata"):
        picked = " : ".join(
            f"{turn} ? {one}_{signal}" for one, turn in zip(ins[:-1], turns[:-1], strict=True)
        )
        lines.append(f"assign {out}_{signal} = {picked} : {ins[-1]}_{signal};")
    return lines


def _sum(name: str, _clock: str, partition: Partition, ins: Sequence[str], outs: Sequence[str]) -> list[str]:
    """Extend each element to the bits of the sum, by its sign or by zeros, and add."""
    (out,), port = outs, partition.outputs[0]
    wide, lines = port.element.bits, []
    lines.append(f"assign {out}_tvalid = {' && '.join(f'{one}_tvalid' for one in ins)};")
    lines += [f"assign {one}_tready = {out}_tvalid && {out}_tready;" for one in ins]
    for place in range(port.elements_per_word):
        terms = []
        for one, given in zip(ins, partition.inputs, strict=True):
            bits = given.element.bits
            low, high = place * bits, (place + 1) * bits - 1
            fill = f"{one}_tdata[{high}]" if given.element.signed else "1'b0"
            terms.append(f"{{{{{wide - bits}{{{fill}}}}}, {one}_tdata[{high}:{low}]}}")
        lines.append(f"assign {out}_tdata[{(place + 1) * wide - 1}:{place * wide}] = {' + '.join(terms)};")
    if port.tdata_bits > port.payload_bits:
        above = port.tdata_bits - port.payload_bits
        lines.append(f"assign {out}_tdata[{port.tdata_bits - 1}:{port.payload_bits}] = {above}'d0;")
    unused = [
        f"{one}_tdata[{given.tdata_bits - 1}:{given.payload_bits}]"
        for one, given in zip(ins, partition.inputs, strict=True)
        if given.tdata_bits > given.payload_bits
    ]
    return [*lines, *([f"wire {name}_unused = &{{1'b0, {', '.join(unused)}}};"] if unused else [])]


_TEXTS: dict[JunctionKind, Callable[[str, str, Partition, Sequence[str], Sequence[str]], list[str]]] = {
    "relay": _copies,
    "broadcast": _copies,
    "concat": _concat,
    "sum": _sum,
}
