# SPDX-License-Identifier: BSD-3-Clause
"""The text of a first cluster.toml: known values as fields, the rest as comments to fill in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shellgen.counted import counted
from shellgen.init.boards import Choice, clock_on, platform_of
from shellgen.init.hints import Hint
from shellgen.init.links import Joint
from shellgen.model import Estimate, Partition, StreamPort
from shellgen.model.stream_block import is_described, stream_block
from shellgen.quote import toml_quote
from shellgen.read.device import BuiltFor

_NAME_LENGTH = 24
NODE = "fpga"  # nodes are numbered


def cluster_name(text: str) -> str:
    """Return a folder's name as a name that cluster.toml accepts."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")[:_NAME_LENGTH].rstrip("_")
    return name if re.match(r"[A-Za-z]", name) else "cluster"


def head(name: str, build: str, notes: Sequence[str]) -> str:
    """Return the top of the file, with notes on the build itself."""
    lines = ["# Written by `shellgen init`; edit it as you like. `shellgen plan` checks it."]
    lines += [f"# {note}" for note in notes]
    lines += [f"name = {toml_quote(name)}", f"build = {toml_quote(build)}", ""]
    return "\n".join(lines)


def node(  # noqa: PLR0913 - what is known about one partition
    index: int,
    partition: Partition,
    built: BuiltFor,
    need: Estimate | None,
    choices: Sequence[Choice],
    boards: Sequence[str],
    platform: str = "",
) -> str:
    """Return a ``[[node]]`` with one partition, with the reasons for its board as a comment."""
    lines = [f"# Partition {index}, {partition.name}: {_layers(partition)}"]
    lines += [f"#   {port.name}: {_stream(port)}" for port in partition.streams]
    slaves = counted(len(partition.axilite), "AXI-Lite slave") if partition.axilite else ""
    lines += [f"#   {text}" for text in (_built(built), _need(need), slaves, *partition.remarks) if text]
    lines += ["[[node]]", f'name = "{NODE}{index}"']
    if choices:
        lines.append(f"board = {toml_quote(choices[0].board.name)}  # {_choices(choices)}")
    else:
        lines.append(f'board = ""  # none has its DSP slices; there are: {", ".join(boards)}')
    lines.append(f"partitions = [{index}]")
    first = platform_of(choices[0].board) if choices else ""
    if platform and platform != first:
        lines.append(f"platform = {toml_quote(platform)}")
    if built.clock_hz and choices:
        clock = clock_on(choices[0].board, platform or first, built.clock_hz)
        if clock is not None:
            lines.append(f"clock_mhz = {clock / 1e6:.10g}  # what FINN built it for")
    return "\n".join([*lines, ""])


def link(joint: Joint) -> str:
    """Return a ``[[link]]``, as a comment if there are other possibilities."""
    lines = ["[[link]]", f"from = {toml_quote(joint.producer)}", f"to = {toml_quote(joint.consumer)}", ""]
    return "\n".join(line if joint.certain or not line else f"# {line}" for line in lines)


def stream(partition: str, port: StreamPort, hint: Hint | None) -> str:
    """Return the ``[[stream]]`` of a port that the build does not describe, as a comment to be filled in."""
    block = stream_block(partition, port)
    if hint:
        block = stream_block(partition, port, hint.datatype, hint.shape, hint.words)
        block = f"What {hint.source} says, if it is of this run:\n{block}"
    return "".join(f"# {line}\n" for line in block.splitlines())


def weights(port: str) -> str:
    """Return a comment for weights from memory whose values are unknown."""
    named = f"# port = {toml_quote(port)}\n"
    return f'# [[weights]]  # the build does not hold them\n{named}# file = "weights.npy"\n'


def through(first: str) -> str:
    """Return a comment on the way of the result, of a build that is on several boards."""
    return f'# [host]\n# through = "{first}"  # the result returns to the board where the image enters\n'


def verify(folder: str = "") -> str:
    """Return the section of the golden proof: of the vectors in a folder, or a comment."""
    if folder:
        return f"[verify]  # vectors of the build\ninput = {toml_quote(folder + '/input.npy')}\n" + (
            f"output = {toml_quote(folder + '/output.npy')}\n"
        )
    return (
        "# [verify]  # golden vectors, (frames, *shape of a frame)\n"
        '# input = "input.npy"\n# output = "output.npy"\n'
    )


def _choices(choices: Sequence[Choice]) -> str:
    first, fits = choices[0], [choice for choice in choices[1:] if choice.fits]
    others = [f"{one.board.name} ({one.filling})" if one.filling else one.board.name for one in fits]
    also = f"also fits: {', '.join(others)}" if others else "no other known board fits"
    own = first.filling if first.fits else f"{first.filling} by that estimate, which is too much"
    return "; ".join(text for text in (own, also) if text)


def _layers(partition: Partition) -> str:
    if not partition.layers:
        return "no ONNX of this run describes its layers"
    count = f"{len(partition.layers)} layers" if len(partition.layers) > 1 else "one layer"
    ends = f", {partition.layers[0]} to {partition.layers[-1]}" if len(partition.layers) > 1 else ""
    return f"{count}{ends}"


def _stream(port: StreamPort) -> str:
    if not is_described(port):
        return f"TDATA has {port.tdata_bits} bits; the elements are not known, see [[stream]] below"
    shape = " x ".join(str(size) for size in port.normal_shape or ())
    role = f", weights sent {port.passes} times a frame" if port.carries_weights else ""
    words = f"{counted(port.words_per_frame, 'word')} of {port.elements_per_word}"
    return f"{shape} {port.datatype} in {words}, TDATA has {port.tdata_bits} bits{role}"


def _built(built: BuiltFor) -> str:
    told = [f"for {built.part}" if built.part else "", f"with Vivado {built.vivado}" if built.vivado else ""]
    told.append(f"for {built.clock_hz / 1e6:g} MHz" if built.clock_hz else "")
    text = " ".join(word for word in told if word)
    return f"built {text}" if text else ""


def _need(need: Estimate | None) -> str:
    if need is None:
        return "its size is not known (no FINN report), so every board with its DSP slices is listed"
    uram = f", {need.uram} URAM" if need.uram else ""
    flops = f"{need.ff} FF, " if need.knows_ff else ""
    of = "" if need.is_whole else f" of {need.told} of {counted(need.layers, 'layer')}"
    return f"{need.lut} LUT, {flops}{need.bram18} BRAM18{uram}, {need.dsp} DSP, by {need.source}{of}"
