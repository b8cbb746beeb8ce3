# SPDX-License-Identifier: BSD-3-Clause
"""The sources of a partition: its files, modules, DSP slices and packaged IP."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.names import Digest, FileName, Line

FileKind = Literal["verilog", "systemverilog", "header", "data", "netlist"]


class SourceFile(Frozen):
    """A file of a partition's implementation.

    Attributes:
        name: File name in the generated project (unique within a node, no folder).
        kind: What a tool does with it. ``data`` files are read by ``$readmemh`` under exactly this name;
            ``netlist`` is what only Vivado can read (.dcp, .edf, .edn, .edif, .ngc).
        sha256: Of the bytes, and the key in `Network.files`.
        fixes: Why it differs from the build's own file; empty if it does not.
    """

    name: FileName
    kind: FileKind
    sha256: Digest
    fixes: tuple[Line, ...] = ()


class MissingModule(Frozen):
    """A module that a partition instantiates and none of its sources defines.

    Attributes:
        module: Its name.
        file: Source that instantiates it, by its name in the generated project.
        line: Line there.
        certain: It stands outside every branch, so it is needed whatever the parameters are.
    """

    module: Line
    file: FileName
    line: int
    certain: bool


class DspLayer(Frozen):
    """A layer that instantiates a DSP slice by name.

    Attributes:
        layer: FINN node name.
        dsp: One of `shellgen.model.device.DSP_SLICES`.
    """

    layer: Line
    dsp: Line


class PackagedIp(Frozen):
    """The IP that a partition was packaged as.

    Attributes:
        vlnv: ``<vendor>:<library>:<name>:<version>`` in Vivado's catalogue.
        created: When Vivado packaged it, as in its component.xml: the next build has another.
    """

    vlnv: Line
    created: Line
