# SPDX-License-Identifier: BSD-3-Clause
"""Verilog of a layer of our own under FINN's port names, and the blocks that it needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import InputError, one
from shellgen.render import render
from shellgen.resources import data_dir, rtl_closure, rtl_file
from shellgen.stitch.own_layers.kinds import KINDS, refusal
from shellgen.stitch.own_layers.layer import Layer
from shellgen.stitch.own_layers.stages import Chain, Stage, Unavailable

PREFIX = "shellgen_"
_LAYERS = "layers"
_INSTANCE = re.compile(r"^\s*(layer_\w+) (?:#\(|u_)", re.MULTILINE)


@dataclass(frozen=True)
class OwnRtl:
    """RTL of one layer.

    Attributes:
        module: The wrapper's module.
        wrapper: Its text; plain Verilog.
        blocks: Text by file name of all that it instantiates, modules named with `PREFIX`.
        remark: One line for those who read the build.
    """

    module: str
    wrapper: str
    blocks: dict[str, str]
    remark: str


@dataclass(frozen=True)
class _Port:
    """A stream of the wrapper: bits of TDATA, those that carry data, and whether it comes in."""

    name: str
    bits: int
    used: int
    comes: bool

    @property
    def padding(self) -> int:
        """Bits of TDATA above the data."""
        return self.bits - self.used


@dataclass(frozen=True)
class _Instance:
    """A stage in the wrapper; the last of several streams is in the highest bits, so it stands first."""

    module: str
    name: str
    parameters: Mapping[str, int | str]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    open: tuple[tuple[str, int], ...]


def make_rtl(layer: Layer, where: str) -> OwnRtl:
    """Make the RTL of a layer.

    Args:
        layer: What FINN says of it.
        where: File of the user that it comes from, for messages.

    Raises:
        InputError: No block of shellgen computes it.
    """
    place = f"{where}: node {layer.name}"
    if layer.kind not in KINDS:
        found, remedy = refusal(layer.kind)
        raise one(InputError, place, found, remedy)
    try:
        chain = KINDS[layer.kind](layer)
    except Unavailable as error:
        raise one(InputError, place, error.reason, error.remedy) from None
    blocks = _closure([stage.block for stage in chain.stages])
    module = f"{PREFIX}{layer.name}"
    users = sorted({stage.block for stage in chain.stages})
    remark = f"RTL of shellgen ({', '.join(users)}), not FINN's HLS"
    text = render(
        "stitch/own_layer.v.j2",
        module=module,
        kind=layer.kind,
        name=layer.name,
        remark=remark,
        ports=_ports(layer, chain),
        nets=[(name, bits) for name, bits in chain.bits.items() if name not in _outer(layer)],
        instances=[_instance(stage) for stage in chain.stages],
    )
    names = {block: f"{PREFIX}{block}" for block in blocks}
    return OwnRtl(
        module, text, {f"{names[block]}.sv": _renamed(text, names) for block, text in blocks.items()}, remark
    )


def _outer(layer: Layer) -> set[str]:
    return {port.name for port in (*layer.inputs, *layer.outputs)}


def _ports(layer: Layer, chain: Chain) -> list[_Port]:
    return [
        _Port(port.name, port.bits, chain.bits[port.name], comes)
        for ports, comes in ((layer.inputs, True), (layer.outputs, False))
        for port in ports
    ]


def _instance(stage: Stage) -> _Instance:
    name = f"u_{stage.outputs[0] if len(stage.outputs) == 1 else stage.inputs[0]}"
    return _Instance(
        PREFIX + stage.block, name, stage.parameters, stage.inputs[::-1], stage.outputs[::-1], stage.open
    )


def _closure(blocks: list[str]) -> dict[str, str]:
    """Return the text of these blocks and of all that they instantiate, by module, sorted."""
    layers: dict[str, str] = {}
    others: set[str] = set()
    pending = list(blocks)
    while pending:
        name = pending.pop()
        if not name.startswith("layer_"):
            others.add(name)
        elif name not in layers:
            layers[name] = layer_file(name).read_text()
            pending += _INSTANCE.findall(layers[name])
            pending += re.findall(r"^\s*(axis_\w+) (?:#\(|u_)", layers[name], re.MULTILINE)
    found = layers | {name: rtl_file(name).read_text() for name in rtl_closure(sorted(others))}
    return dict(sorted(found.items()))


def layer_file(block: str) -> Path:
    """Return the source of a block of layers: a folder of its own holds one that has proofs and costs."""
    shared = data_dir("ip") / _LAYERS / f"{block}.sv"
    return shared if shared.is_file() else rtl_file(block)


def _renamed(text: str, names: dict[str, str]) -> str:
    """Give modules their other names where they are defined and where they are instantiated."""
    choice = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    defined = re.sub(rf"^(module )({choice})\b", lambda m: m[1] + names[m[2]], text, flags=re.MULTILINE)
    return re.sub(
        rf"^(\s*)({choice})(?= (?:#\(|u_))", lambda m: m[1] + names[m[2]], defined, flags=re.MULTILINE
    )
