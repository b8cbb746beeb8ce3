# SPDX-License-Identifier: BSD-3-Clause
"""The IP packager and package_xo: a kernel is made of what its top says, and refused as UG1393 says.

Source: UG835 and UG1118 (ipx::), UG1393 (package_xo, requirements of RTL kernels), and the package scripts of
Xilinx/Vitis_Accel_Examples (rtl_vadd_2clks), Xilinx/xup_vitis_network_example and pc2/aurora_flow.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

from .arguments import Arguments, parse
from .project import ModelError, Project
from .vivado import Vivado

COMMANDS = {
    "ipx::package_project": ("-root_dir= -vendor= -library= -taxonomy= -set_current= -import_files", 0),
    "ipx::current_core": ("", 0),
    "ipx::get_bus_interfaces": ("-quiet -of_objects=", 1),
    "ipx::infer_bus_interface": ("", 3),
    "ipx::associate_bus_interfaces": ("-busif= -clock= -reset=", 1),
    "ipx::get_file_groups": ("-of_objects=", 1),
    "ipx::get_files": ("-quiet -of_objects=", 1),
    "ipx::add_file": ("", 2),
    "ipx::get_memory_maps": ("-quiet -of_objects=", 1),
    "ipx::add_memory_map": ("-quiet", 2),
    "ipx::get_address_blocks": ("-quiet -of_objects=", 1),
    "ipx::add_address_block": ("-quiet", 2),
    "ipx::create_xgui_files": ("", 1),
    "ipx::update_checksums": ("", 1),
    "ipx::check_integrity": ("-quiet -kernel", 1),
    "ipx::save_core": ("", 1),
    "close_project": ("-delete", 0),
    "package_xo": ("-force -xo_path= -kernel_name= -ip_directory= -kernel_xml=", 0),
}
CORE = {
    "core_revision": r"\d+",
    "sdx_kernel": "true|false",
    "sdx_kernel_type": "rtl",
    "ipi_drc": "ignore_freq_hz (true|false)",
    "vitis_drc": "ctrl_protocol ap_ctrl_(none|hs|chain)",
    "xpm_libraries": "(XPM_CDC|XPM_MEMORY|XPM_FIFO| )*",
    "supported_families": "",
    "auto_family_support_level": r"level_\d",
}
PORT = re.compile(
    r'(?:\(\* X_INTERFACE_INFO = "(\S+) (\w+) (\w+)" \*\)\s*)?'
    r'(?:\(\* X_INTERFACE_PARAMETER = "[^"]*" \*\)\s*)?'
    r"(input|output) +wire +(?:\[\d+:0\] +)?(\w+)"
)


@dataclass
class Packaged:
    """A core that is being packaged.

    Attributes:
        ports: Of the top.
        buses: Kind of each interface.
        mapped: Ports of each interface.
        clock_of: Clock of each interface.
        reset_of: Reset of each clock.
        properties: Of the core.
        maps: Memory map by name, with its address blocks and their properties.
        synthesis: Types of the files that go into synthesis, by their names below the root.
        mapped_by: Memory maps to which an interface refers.
        saved: Whether component.xml is as the script left it.
    """

    top: str
    root: Path
    files: list[Path]
    ports: list[str]
    buses: dict[str, str] = field(default_factory=dict)
    mapped: dict[str, set[str]] = field(default_factory=dict)
    clock_of: dict[str, str] = field(default_factory=dict)
    reset_of: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    maps: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    synthesis: dict[str, str] = field(default_factory=dict)
    mapped_by: set[str] = field(default_factory=set)
    saved: bool = False


class Packager(Vivado):
    """A Vivado session that packages a kernel.

    Attributes:
        packaged: The core.
        infers_maps: Whether an AXI-Lite slave gets a memory map by itself.
        leaves_out: Kinds of files that package_project leaves out.
        blind_to: Interfaces that the packager does not find.
        writes_xo: Whether package_xo leaves its file.
        made: Kernels, by the path of their .xo.
    """

    def __init__(self, release: str) -> None:
        super().__init__(release)
        self.packaged: Packaged | None = None
        self.infers_maps = True
        self.leaves_out: tuple[str, ...] = ()
        self.blind_to: frozenset[str] = frozenset()
        self.writes_xo = True
        self.made: dict[Path, ElementTree.Element] = {}

    def call(self, command: str, words: list[str]) -> str:
        if command not in COMMANDS:
            return super().call(command, words)
        self.calls[command] += 1
        handler = getattr(self, f"do_{command.replace('::', '_')}")
        return str(handler(parse(command, words, *COMMANDS[command])))

    @property
    def core(self) -> Packaged:
        if self.packaged is None:
            raise ModelError("[IP_Flow 19-3461] no core is open")
        return self.packaged

    # ---- the core ----------------------------------------------------------------------------------
    def do_ipx_package_project(self, arguments: Arguments) -> str:
        root, *_ = arguments.need("-root_dir", "-vendor", "-library", "-taxonomy")
        project, folder = self.current, Path(root).resolve()
        files = [Path(path) for path in project.files]
        outside = [path for path in files if folder not in path.parents]
        if outside and not arguments.has("-import_files"):
            raise ModelError(f"[IP_Flow 19-3157] {outside[0]} is outside the root folder of the IP")
        top = project.properties["top"]
        self.packaged = Packaged(top, folder, files, [])
        inside = {path.relative_to(folder).as_posix(): project.files[str(path)] for path in files}
        self.core.synthesis = {name: kind for name, kind in inside.items() if kind not in self.leaves_out}
        self._find_interfaces(project)
        if arguments.options.get("-set_current") != "true":
            raise ModelError("[model] the script needs the core to be the current one")
        return ""

    def _find_interfaces(self, project: Project) -> None:
        """Read the top: attributes name interfaces; ap_clk and ap_rst_n are known, a second pair is not."""
        core = self.core
        text = next(
            text
            for path in project.files
            if path.endswith(".v")
            and re.search(rf"^module {core.top}\b", text := Path(path).read_text(), re.M)
        )
        for vlnv, bus, _, _, port in PORT.findall(text.partition(");")[0]):
            core.ports.append(port)
            if bus and bus not in self.blind_to:
                core.buses[bus] = vlnv
                core.mapped.setdefault(bus, set()).add(port)
            elif port in ("ap_clk", "ap_rst_n"):
                self._signal(port)
        for bus, vlnv in core.buses.items():
            if "aximm" in vlnv and self.infers_maps:
                core.maps[bus] = {"reg0": {}}
                core.mapped_by.add(bus)

    def _signal(self, port: str) -> None:
        self.core.buses[port] = "signal"
        self.core.mapped[port] = {port}

    def do_ipx_current_core(self, arguments: Arguments) -> str:  # noqa: ARG002
        return "core" if self.core else ""

    # ---- interfaces --------------------------------------------------------------------------------
    def do_ipx_get_bus_interfaces(self, arguments: Arguments) -> str:
        self._of(arguments, "core")
        (name,) = arguments.rest
        return f"bus:{name}" if name in self.core.buses else ""

    def do_ipx_infer_bus_interface(self, arguments: Arguments) -> str:
        name, kind, _ = arguments.rest
        if name not in self.core.ports or not re.fullmatch(
            r"xilinx\.com:signal:(clock|reset)_rtl:1\.0", kind
        ):
            raise ModelError(f"[IP_Flow 19-4751] cannot infer {kind} from {name}")
        self._signal(name)
        return f"bus:{name}"

    def do_ipx_associate_bus_interfaces(self, arguments: Arguments) -> str:
        core, (clock,) = self.core, arguments.need("-clock")
        for name in (clock, arguments.options.get("-reset", clock)):
            if core.buses.get(name) != "signal":
                raise ModelError(f"[IP_Flow 19-4728] {name} is no interface of the core")
        if arguments.has("-reset"):
            core.reset_of[clock] = arguments.options["-reset"]
        else:
            (bus,) = arguments.need("-busif")
            if bus not in core.buses:
                raise ModelError(f"[IP_Flow 19-4728] {bus} is no interface of the core")
            core.clock_of[bus] = clock
        return ""

    # ---- files -------------------------------------------------------------------------------------
    def do_ipx_get_file_groups(self, arguments: Arguments) -> str:
        self._of(arguments, "core")
        if arguments.rest != ["xilinx_anylanguagesynthesis"]:
            raise ModelError(f"[model] no file group {arguments.rest}")
        return "synthesis"

    def do_ipx_get_files(self, arguments: Arguments) -> str:
        self._of(arguments, "synthesis")
        (name,) = arguments.rest
        return f"file:{name}" if name in self.core.synthesis else ""

    def do_ipx_add_file(self, arguments: Arguments) -> str:
        name, _ = arguments.rest
        if not (self.core.root / name).is_file():
            raise ModelError(f"[IP_Flow 19-3157] there is no file {name}")
        self.core.synthesis[name] = "unknown"
        return f"file:{name}"

    # ---- addresses ---------------------------------------------------------------------------------
    def do_ipx_get_memory_maps(self, arguments: Arguments) -> str:
        self._of(arguments, "core")
        (name,) = arguments.rest
        return f"map:{name}" if name in self.core.maps else ""

    def do_ipx_add_memory_map(self, arguments: Arguments) -> str:
        name, _ = arguments.rest
        self.core.maps[name] = {}
        return f"map:{name}"

    def do_ipx_get_address_blocks(self, arguments: Arguments) -> str:
        (name,), map_name = arguments.rest, arguments.options["-of_objects"].removeprefix("map:")
        return f"block:{map_name}/{name}" if name in self.core.maps[map_name] else ""

    def do_ipx_add_address_block(self, arguments: Arguments) -> str:
        name, target = arguments.rest
        map_name = target.removeprefix("map:")
        self.core.maps[map_name][name] = {}
        return f"block:{map_name}/{name}"

    def _set(self, name: str, value: str, target: str) -> None:
        if target == "core":
            if not re.fullmatch(CORE.get(name, r"\b\B"), value):
                raise ModelError(f"[Common 17-54] a core has no property {name} {value}")
            self.core.properties[name] = value
        elif target.startswith("block:"):
            map_name, _, block = target.removeprefix("block:").partition("/")
            if name not in ("range", "width") or not re.fullmatch(r"\d+", value):
                raise ModelError(f"[Common 17-54] an address block has no property {name} {value}")
            self.core.maps[map_name][block][name] = value
        elif target.startswith("file:"):
            if (name, value) != ("type", "mif"):
                raise ModelError(f"[Common 17-54] a file has no property {name} {value}")
            self.core.synthesis[target.removeprefix("file:")] = value
        elif target.startswith("bus:"):
            if name != "slave_memory_map_ref" or value not in self.core.maps:
                raise ModelError(f"[Common 17-54] an interface has no property {name} {value}")
            self.core.mapped_by.add(value)
        else:
            super()._set(name, value, target)
            return
        self.core.saved = False

    @staticmethod
    def _of(arguments: Arguments, kind: str) -> None:
        if arguments.options.get("-of_objects") != kind:
            raise ModelError(f"[model] {arguments.command}: of what?")

    # ---- what is left on disk ----------------------------------------------------------------------
    def do_ipx_create_xgui_files(self, arguments: Arguments) -> str:  # noqa: ARG002
        return ""

    do_ipx_update_checksums = do_ipx_create_xgui_files

    def do_ipx_check_integrity(self, arguments: Arguments) -> str:  # noqa: ARG002
        """What UG1393 asks of an RTL kernel's interfaces."""
        core = self.core
        loose = set(core.ports) - set().union(*core.mapped.values())
        if loose:
            raise ModelError(f"pins that are not part of an interface are not supported: {sorted(loose)}")
        for name, kind in core.buses.items():
            if kind != "signal" and name not in core.clock_of:
                raise ModelError(f"interface {name} has no clock")
        if any(clock != "ap_clk" for clock in core.clock_of.values()):
            raise ModelError("all interfaces of a kernel are on ap_clk")
        for clock in set(core.ports) & {"ap_clk", "ap_clk_2"}:
            if clock not in core.reset_of:
                raise ModelError(f"clock {clock} has no reset")
        return "1"

    def do_ipx_save_core(self, arguments: Arguments) -> str:  # noqa: ARG002
        (self.core.root / "component.xml").write_text("<component/>\n")
        self.core.saved = True
        return ""

    def do_close_project(self, arguments: Arguments) -> str:  # noqa: ARG002
        self.project = None
        return ""

    def do_package_xo(self, arguments: Arguments) -> str:
        xo, name, folder, text = arguments.need("-xo_path", "-kernel_name", "-ip_directory", "-kernel_xml")
        core = self.core
        if (
            not core.saved
            or Path(folder).resolve() != core.root
            or core.properties.get("sdx_kernel") != "true"
        ):
            raise ModelError("[Common 17-69] the folder holds no saved kernel")
        kernel = ElementTree.parse(text).getroot().find("kernel")  # noqa: S314 - our own file
        if kernel is None or kernel.get("name") != name or name != core.top:
            raise ModelError(f"kernel.xml is not about {name}")
        self._compare(kernel)
        self._find_memory_files()
        if self.writes_xo:
            with ZipFile(xo, "w") as archive:
                archive.write(text, "kernel.xml")
                for path in core.files:
                    archive.write(path, path.relative_to(core.root))
            self.made[Path(xo)] = kernel
        return ""

    def _find_memory_files(self) -> None:
        """What synthesis inside v++ would only warn of (Synth 8-4445): it looks beside the source."""
        core = self.core
        for path in core.files:
            if path.suffix not in (".v", ".sv"):
                continue
            for name in re.findall(r'\$readmem[hb]\(\s*"([^"]+)"', path.read_text()):
                beside = (path.parent / name).relative_to(core.root).as_posix()
                if core.synthesis.get(beside) != "mif":
                    raise ModelError(f"{path.name} reads {name}, which does not go into synthesis")

    def _compare(self, kernel: ElementTree.Element) -> None:
        """Ports of kernel.xml are interfaces of the core, each argument belongs to one, ids count up."""
        core = self.core
        ports = {port.get("name", ""): port for port in kernel.iter("port")}
        buses = {name for name, kind in core.buses.items() if kind != "signal"}
        if set(ports) != buses:
            raise ModelError(f"ports of kernel.xml and interfaces differ: {sorted(set(ports) ^ buses)}")
        for name, blocks in core.maps.items():
            port, block = ports[name], blocks["reg0"]
            told = (int(port.get("range", "0"), 16), int(port.get("dataWidth", "0")))
            if told != (int(block.get("range", "-1")), int(block.get("width", "-1"))):
                raise ModelError(f"range or width of {name} are not those of kernel.xml")
            if name not in core.mapped_by:
                raise ModelError(f"no interface refers to memory map {name}")
        found = list(kernel.iter("arg"))
        if [arg.get("id") for arg in found] != [str(number) for number in range(len(found))]:
            raise ModelError("ids of arguments do not count up")
        twice = [name for name, count in Counter(arg.get("name") for arg in found).items() if count > 1]
        if twice or any(arg.get("port") not in ports for arg in found):
            raise ModelError(f"arguments of kernel.xml: {twice or 'one is of no port'}")
