# SPDX-License-Identifier: BSD-3-Clause
"""A core that is packaged as an IP, and the project of a Coyote application that takes it from a repository.

Source: UG835 and UG1118 (ipx::, IP catalogue), UG896 (output products, synthesis runs of IP), and Coyote's
scripts/cr_prjcts/cr_user.tcl.in.
"""

from __future__ import annotations

import re
from pathlib import Path

from .arguments import Arguments, parse
from .packager import Packager
from .project import ModelError

COMMANDS = {
    "ipx::get_bus_parameters": ("-quiet -of_objects=", 1),
    "ipx::add_bus_parameter": ("", 2),
    "ipx::check_integrity": ("-quiet", 1),
}
COMPONENT = """<component>
<spirit:vendor>{0}</spirit:vendor>
<spirit:library>{1}</spirit:library>
<spirit:name>{2}</spirit:name>
<spirit:version>1.0</spirit:version>
<xilinx:coreRevision>{3}</xilinx:coreRevision>
</component>
"""


class UserProject(Packager):
    """A Vivado session that packages a core, or one that Coyote's script has opened.

    Attributes:
        parameters: Bus parameters of the core, by interface and name.
        leaves_component: Whether the packager leaves its component.xml.
    """

    def __init__(self, release: str) -> None:
        super().__init__(release)
        self.parameters: dict[str, str] = {}
        self.leaves_component = True
        self.named = ("", "")
        self.roots: dict[str, Path] = {}

    def call(self, command: str, words: list[str]) -> str:
        if command not in COMMANDS:
            return super().call(command, words)
        self.calls[command] += 1
        handler = getattr(self, f"do_{command.replace('::', '_')}")
        return str(handler(parse(command, words, *COMMANDS[command])))

    # ---- the packager ------------------------------------------------------------------------------
    def do_ipx_package_project(self, arguments: Arguments) -> str:
        self.named = (arguments.options["-vendor"], arguments.options["-library"])
        return super().do_ipx_package_project(arguments)

    def do_ipx_get_bus_parameters(self, arguments: Arguments) -> str:
        name = f"{arguments.options['-of_objects']}/{arguments.rest[0]}"
        return f"parameter:{name}" if name in self.parameters else ""

    def do_ipx_add_bus_parameter(self, arguments: Arguments) -> str:
        name, bus = arguments.rest
        if bus.removeprefix("bus:") not in self.core.buses:
            raise ModelError(f"[IP_Flow 19-4728] {bus} is no interface of the core")
        self.parameters[f"{bus}/{name}"] = ""
        return f"parameter:{bus}/{name}"

    def do_ipx_check_integrity(self, arguments: Arguments) -> str:
        if arguments.rest != ["core"] or "xilinx.com:signal:clock:1.0" not in self.core.buses.values():
            raise ModelError("[IP_Flow 19-5655] the core has no clock")
        return "1"

    def do_ipx_save_core(self, arguments: Arguments) -> str:  # noqa: ARG002
        if self.leaves_component:
            text = COMPONENT.format(*self.named, self.core.top, self.core.properties["core_revision"])
            (self.core.root / "component.xml").write_text(text)
        return ""

    # ---- the user project --------------------------------------------------------------------------
    def do_update_ip_catalog(self, arguments: Arguments) -> str:  # noqa: ARG002
        """Find the IP of all repositories; where there is none, the folder is a warning in Vivado."""
        self.catalogued = {}
        for folder in self.split(self.current.properties.get("ip_repo_paths", "")):
            for xml in [Path(folder) / "component.xml", *Path(folder).glob("*/component.xml")]:
                if xml.is_file():
                    words = re.findall(r"<spirit:\w+>([^<]+)<", xml.read_text())
                    self.catalogued[":".join(words)] = str(folder)
        return ""

    def do_create_ip(self, arguments: Arguments) -> str:
        name, module = arguments.need("-name", "-module_name")
        if name == module:
            raise ModelError("[model] the module of an IP may not be called like its top")
        return super().do_create_ip(arguments)

    def do_create_ip_run(self, arguments: Arguments) -> str:
        if self.products.get(arguments.rest[0]) != "all" or arguments.rest[0] not in self.alone:
            raise ModelError("[model] create_ip_run: the IP is not to be synthesised by itself")
        return super().do_create_ip_run(arguments)

    def _set(self, name: str, value: str, target: str) -> None:
        if target.startswith("parameter:") and name == "value":
            self.parameters[target.removeprefix("parameter:")] = value
        else:
            super()._set(name.lower() if name == "IP_REPO_PATHS" else name, value, target)
