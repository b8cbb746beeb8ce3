# SPDX-License-Identifier: BSD-3-Clause
"""The top module of a stitched IP, and its ports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from shellgen.errors import InputError, Problem
from shellgen.read.component import Component, read_component
from shellgen.read.finn_onnx import FinnModel
from shellgen.read.pins import Boundary, Kind
from shellgen.read.sources import Source
from shellgen.read.wrapper import group_ports, ports_of_module, read_ifnames, wrapper_boundary
from vivado_check.formats.looks import is_file

_BLOCK = "finn_design"  # FINN's name of a design that is not a partition


@dataclass(frozen=True)
class Found:
    """A partition that has been located but not read.

    Attributes:
        name: Its name in the network.
        folder: Its stitched IP.
        model: Its ONNX, if there is one.
        origin: The folder as the user would write it.
    """

    name: str
    folder: Path
    model: FinnModel | None
    origin: str


def component_of(found: Found, problems: list[Problem]) -> Component | None:
    """Read the component.xml of a stitched IP, if it has one that can be read."""
    for name in ("ip/component.xml", "component.xml"):
        if is_file(found.folder / name):
            try:
                return read_component(found.folder / name)
            except InputError as error:
                problems.extend(error.problems)
                return None
    return None


def boundary_of(
    found: Found, component: Component | None, sources: tuple[Source, ...], problems: list[Problem]
) -> tuple[Boundary | None, str]:
    """Return the boundary and the module to instantiate: the wrapper, if there is one."""
    if component is None and problems:
        return None, ""
    defined = {name: source for source in sources for name in source.verilog.defined}
    top = _top(found, component, defined)
    if component:
        boundary = component.boundary
        if not any(interface.kind == "stream" for interface in boundary.interfaces):
            remedy = "Name the stitched IP of a compute partition"
            problems.append(Problem(boundary.where, "it has no AXI4-Stream interface", remedy))
            return None, top
    elif top in defined:
        try:
            packages = [source.verilog.text for source in sources if source.verilog.packages]
            boundary = wrapper_boundary(defined[top].verilog, top, _ifnames(found), packages)
        except InputError as error:
            problems.extend(error.problems)
            return None, top
    if component and top not in defined and any(source.verilog.protected for source in sources):
        return boundary, component.boundary.module  # whose definition is encrypted
    if top not in defined:
        found_text = f"no source defines the top module {top or '<block>_wrapper'}"
        remedy = "Copy the whole stitched IP folder of the FINN build"
        problems.append(Problem(str(found.folder), found_text, remedy))
        return None, top
    return boundary, top


def _ifnames(found: Found) -> dict[str, Kind]:
    text = found.model.metadata.get("vivado_stitch_ifnames") if found.model else None
    return read_ifnames(text, str(found.model.path)) if found.model and text else {}


def _top(found: Found, component: Component | None, defined: dict[str, Source]) -> str:
    """Choose ``<block>_wrapper`` or the block; without a name, the only module that no other uses.

    The component of FINN's own builds names finn_design, and the wrapper is not in ip/.
    """
    names = []
    metadata = found.model.metadata if found.model else {}
    if "wrapper_filename" in metadata:
        names.append(PurePosixPath(metadata["wrapper_filename"]).stem)
    if "vivado_stitch_vlnv" in metadata and metadata["vivado_stitch_vlnv"].count(":") == 3:
        block = metadata["vivado_stitch_vlnv"].split(":")[2]
        names += [f"{block}_wrapper", block]
    if component:
        model = component.boundary.module
        names = [f"{model}_wrapper", model, *names]
    for name in names:
        if name in defined:
            return name
    if names:
        return names[0]
    used = {name for source in defined.values() for name in _instantiated(source)}
    roots = [name for name in defined if name not in used]
    wrappers = [name for name in roots if name.endswith("_wrapper")]
    named = [name for name in roots if name == found.folder.name]  # an IP inside a Vivado project
    # HLS leaves monitors and testbenches that nothing uses; a stitched design has streams on both sides.
    stitched = [name for name in roots if _has_streams(defined[name], name)]
    for candidates in (wrappers, named, roots, stitched, [name for name in stitched if name == _BLOCK]):
        if len(candidates) == 1:
            return candidates[0]
    return ""


def _has_streams(source: Source, module: str) -> bool:
    """Whether a module has the interfaces of a stitched design: streams in and out, and no other master."""
    try:
        found = group_ports(ports_of_module(source.verilog, module))
    except InputError:
        return False
    streams = {interface.master for interface in found if interface.kind == "stream"}
    return len(streams) == 2 and all(interface.kind != "memory" for interface in found)


def _instantiated(source: Source) -> frozenset[str]:
    """Return the names that some definition of this source uses inside its body."""
    verilog = source.verilog
    return frozenset(used for name in verilog.units for used in verilog.used_by(name) if used != name)
