# SPDX-License-Identifier: BSD-3-Clause
"""The commands of the IP in a project, and of the repositories that it comes from.

Source: UG835; UG896 (output products, synthesis runs and upgrades of IP).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Arguments
from .project import ModelError, Project

IP_COMMANDS = {
    "update_ip_catalog": ("-rebuild", 0),
    "config_ip_cache": ("-use_cache_location=", 0),
    "create_ip": ("-vendor= -library= -name= -version= -module_name=", 0),
    "get_ips": ("-quiet", 1),
    "upgrade_ip": ("-quiet", 1),
    "reset_target": ("", 2),
    "generate_target": ("", 2),
    "create_ip_run": ("", 1),
}


class IpCommands:
    """Mixed into the session before what knows block designs, which have products, too."""

    if TYPE_CHECKING:
        user_ip: dict[str, str | None]
        catalogued: dict[str, str | None]
        products: dict[str, str]
        alone: set[str]

        @property
        def current(self) -> Project: ...

    def do_update_ip_catalog(self, arguments: Arguments) -> str:  # noqa: ARG002
        self.catalogued = self.user_ip if self.current.properties.get("ip_repo_paths") else {}
        return ""

    def do_config_ip_cache(self, arguments: Arguments) -> str:
        if not Path(*arguments.need("-use_cache_location")).is_dir():
            raise ModelError("[model] config_ip_cache: no such folder")
        return ""

    def do_create_ip(self, arguments: Arguments) -> str:
        *vlnv, module = arguments.need("-vendor", "-library", "-name", "-version", "-module_name")
        if ":".join(vlnv) not in self.catalogued:
            raise ModelError(f"[model] create_ip: no {':'.join(vlnv)}")
        if module in self.current.ips:
            raise ModelError(f"[IP_Flow 19-3458] an IP of the name {module} is in the project already")
        path = self.current.folder / f"{self.current.name}.srcs/sources_1/ip/{module}/{module}.xci"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("xci\n")
        self.current.add(str(path), "ip")
        self.current.ips[module] = ":".join(vlnv)
        return module

    def do_get_ips(self, arguments: Arguments) -> str:
        return arguments.rest[0] if arguments.rest[0] in self.current.ips else ""

    def do_upgrade_ip(self, arguments: Arguments) -> str:
        if self.current.ips.get(arguments.rest[0]) not in self.catalogued:
            raise ModelError(f"[model] upgrade_ip: {arguments.rest[0]} is in no repository")
        return arguments.rest[0]

    def do_reset_target(self, arguments: Arguments) -> str:
        self.products.pop(arguments.rest[1], None)
        return ""

    def do_generate_target(self, arguments: Arguments) -> str:
        what, module = arguments.rest
        if module not in self.current.ips:
            return str(super().do_generate_target(arguments))  # type: ignore[misc]
        if module in self.products:
            raise ModelError(f"[model] generate_target: what there is of {module} would stay")
        self.products[module] = what
        return ""

    def do_create_ip_run(self, arguments: Arguments) -> str:
        if f"{arguments.rest[0]}_synth_1" in self.current.runs:
            raise ModelError(f"[model] create_ip_run: {arguments.rest[0]} has a run")
        return self.current.add_run(f"{arguments.rest[0]}_synth_1")
