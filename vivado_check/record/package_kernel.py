# SPDX-License-Identifier: BSD-3-Clause
"""The packager's other commands: clocks of interfaces, checks, what is left on disk (UG1118, UG1393)."""

from __future__ import annotations

import io
import zipfile

from ..design import Setting
from ..recording import Part
from ..tcl.sandbox import OutsideError
from .commands import Arguments, Command, ToolError
from .objects import words_of
from .package_core import core_of, handle_of
from .project_session import nothing
from .session import Session

_COMPONENT = """<?xml version="1.0"?>
<component>
<spirit:vendor>{0}</spirit:vendor>
<spirit:library>{1}</spirit:library>
<spirit:name>{2}</spirit:name>
<spirit:version>{3}</spirit:version>
<xilinx:coreRevision>{4}</xilinx:coreRevision>
</component>
"""


def infer_bus_interface(session: Session, call: Arguments) -> str:
    """Make an interface of ports."""
    ports = words_of(call.first("ports"))
    kind = call.rest[1] if len(call.rest) > 1 else ""
    package = core_of(session)
    for port in ports:
        if package.ports is not None and port not in package.ports:
            raise ToolError(
                f"the core has no port {port} to infer an interface of",
                where=port,
                expected=f"one of {', '.join(package.ports)}",
                remedy="Correct the name",
            )
    name = ports[0]
    interface = package.part("bus_interface", name) or Part("bus_interface", name, call.origin)
    interface.properties["vlnv"] = Setting(kind.replace("_rtl:", ":"), call.origin)
    if interface not in package.parts:
        package.parts.append(interface)
    for port in ports:
        properties = {"physical_name": Setting(port, call.origin)}
        interface.parts.append(Part("port_map", port, call.origin, False, properties))
    package.saved = None
    return handle_of(package, [interface])


def associate_bus_interfaces(session: Session, call: Arguments) -> str:
    """Say which clock an interface has, or which reset a clock."""
    package = core_of(session)
    clock = call.options.get("-clock", "")
    names = [call.options[name] for name in ("-busif", "-clock", "-reset") if name in call.options]
    for name in names:
        if package.ports is not None and package.part("bus_interface", name) is None:
            known = ", ".join(part.name for part in package.of("bus_interface"))
            raise ToolError(
                f"{name} is no interface of the core",
                where=name,
                expected=f"one of {known}",
                remedy="Infer or add it first",
            )
    if "-busif" in call.options and clock:
        if call.has("-remove"):
            package.clocks.pop(call.options["-busif"], None)
        else:
            package.clocks[call.options["-busif"]] = clock
    if "-reset" in call.options and clock:
        package.resets[clock] = call.options["-reset"]
    package.saved = None
    return ""


def check_integrity(session: Session, call: Arguments) -> str:
    """Note the check; what it would find, the rules on packages say."""
    core_of(session).checked.append((call.origin, call.has("-kernel") or call.has("-xrt")))
    return "1"


def save_core(session: Session, call: Arguments) -> str:
    """Write component.xml."""
    package = core_of(session)
    package.saved = call.origin
    if session.scenario.packager.writes:
        revision = package.properties.get("core_revision")
        words = (*package.vlnv.split(":"), "", "", "", "")[:4]
        text = _COMPONENT.format(*words, revision.value if revision else "1")
        session.sandbox.write(f"{package.root}/component.xml", text)
    return ""


def archive_core(session: Session, call: Arguments) -> str:
    """Write an archive of the core."""
    session.sandbox.write(session.path(call.first("file")), "archive\n")
    return ""


def package_xo(session: Session, call: Arguments) -> str:
    """Write a kernel made of a core that was saved."""
    path, folder = (session.path(word) for word in call.need("-xo_path", "-ip_directory"))
    package = next((one for one in reversed(session.recording.packages) if one.root == folder), None)
    if package is None and not session.sandbox.is_file(f"{folder}/component.xml"):
        raise ToolError(
            f"package_xo: {session.sandbox.shown(folder)} holds no saved core",
            where=folder,
            expected="component.xml",
            remedy="Save the core first (ipx::save_core)",
        )
    if session.sandbox.exists(path) and not call.has("-force"):
        raise ToolError(f"package_xo: {session.sandbox.shown(path)} is there already", remedy="Add -force")
    xml = session.path(call.options["-kernel_xml"]) if "-kernel_xml" in call.options else ""
    text = ""
    if xml:
        try:
            text = session.sandbox.read_text(xml)
        except OutsideError as error:
            session.not_modelled(xml, str(error))
        except FileNotFoundError:
            raise ToolError(f"package_xo: there is no {session.sandbox.shown(xml)}", where=xml) from None
    if package is not None:
        package.archives[path] = text
    if session.scenario.packager.writes_xo:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr("kernel.xml", text)
        session.sandbox.write(path, content.getvalue())
    return path


COMMANDS = {
    "ipx::infer_bus_interface": Command(infer_bus_interface),
    "ipx::infer_bus_interfaces": Command(nothing),
    "ipx::associate_bus_interfaces": Command(
        associate_bus_interfaces, "-busif= -clock= -reset= -clear -remove"
    ),
    "ipx::check_integrity": Command(check_integrity, "-kernel -xrt"),
    "ipx::save_core": Command(save_core),
    "ipx::archive_core": Command(archive_core),
    "ipx::merge_project_changes": Command(nothing),
    "ipx::create_xgui_files": Command(nothing, "-logo_file="),
    "ipx::update_checksums": Command(nothing),
    "ipx::update_source_project_archive": Command(nothing, "-component="),
    "ipx::update_ip_instances": Command(nothing, "-delete_project="),
    "ipx::move_temp_component_back": Command(nothing, "-component="),
    "ipx::add_ports_from_hdl": Command(nothing, "-top_level_hdl_file= -top_module_name="),
    "ipx::add_model_parameters_from_hdl": Command(nothing, "-top_level_hdl_file= -top_module_name="),
    **{
        f"ipgui::{name}": Command(
            nothing, "-name= -component= -parent= -display_name= -tooltip= -layout= -after= -order= -text="
        )
        for name in (
            *(
                "add_page",
                "add_param",
                "add_group",
                "remove_page",
                "remove_param",
                "remove_group",
                "move_param",
            ),
            *("get_pagespec", "get_groupspec", "get_guiparamspec", "get_canvasspec", "add_static_text"),
        )
    },
    "package_xo": Command(
        package_xo,
        "-xo_path= -force -kernel_name= -kernel_xml= -ip_directory= -parent_ip_directory= -kernel_files= "
        "-kernel_xml_args= -kernel_xml_pipes= -kernel_xml_connections= -design_xml= -debug_xml= "
        "-ctrl_protocol= -output_kernel_xml= -hls_files= -cpp_files=",
    ),
}
