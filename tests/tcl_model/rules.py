# SPDX-License-Identifier: BSD-3-Clause
"""What validate_bd_design looks at, and what Vivado itself lets pass but no board of ours may have."""

from __future__ import annotations

from .catalogue import AXIMM, AXIS, Interface
from .design import Design


def violations(design: Design) -> list[str]:
    """Return every rule that the design breaks."""
    return [
        *_pins(design),
        *_interfaces(design),
        *_links(design),
        *_addresses(design),
        *_processing_system(design),
    ]


def _pins(design: Design) -> list[str]:
    pins = design.pins()
    found = []
    for name, pin in pins.items():
        driver = design.driver(name)
        if pin.direction != "in":
            continue
        if pin.required and driver is None:
            found.append(f"[BD 41-758] the {pin.kind} pin {name} is not driven")
        elif driver is None:
            continue
        elif pin.kind == "data":
            if pin.bits not in (0, pins[driver].bits):
                found.append(
                    f"[BD 41-2384] {name} has {pin.bits} bits, its driver {driver} {pins[driver].bits}"
                )
        elif pins[driver].kind != pin.kind:
            found.append(
                f"[BD 41-1348] {name} is a {pin.kind} pin, its driver {driver} a {pins[driver].kind} pin"
            )
        elif pin.kind == "rst" and pins[driver].active_low != pin.active_low:
            found.append(f"[BD 41-1347] {name} and its driver {driver} differ in reset polarity")
    return found


def _interfaces(design: Design) -> list[str]:
    found = []
    for name, port in design.interfaces().items():
        if port.external:
            if name not in design.externals:
                found.append(f"[model] {name} is not made external")
        elif name not in design.peer and name not in design.watched:
            found.append(f"[BD 41-759] {name} is not connected")
        if port.bus in (AXIMM, AXIS) and (port.clock is None or _clock(design, name, port) is None):
            found.append(f"[BD 41-967] {name} has no clock")
    return found


def _clock(design: Design, name: str, port: Interface) -> str | None:
    if name in design.ports:
        return port.clock
    return design.driver(f"{name.partition('/')[0]}/{port.clock}")


def _rates(design: Design) -> list[str]:
    """An interface port says how fast it is, and its clock must be so."""
    found = []
    for name, port in design.ports.items():
        clock = design.ports.get(design.clock_of(name) or "")
        if clock and port.config.get("FREQ_HZ") != clock.config.get("FREQ_HZ"):
            found.append(f"[BD 41-238] FREQ_HZ of {name} is not that of {clock.name}")
    return found


def _links(design: Design) -> list[str]:
    ports = design.interfaces()
    found = _rates(design)
    for first, second in design.peer.items():
        master, slave = ports[first], ports[second]
        if master.mode != "master":
            continue
        link = f"{first} to {second}"
        if _clock(design, first, master) != _clock(design, second, slave):
            found.append(f"[BD 41-237] {link}: the clocks differ")
        if master.bus == AXIMM:
            protocols = {master.protocol, slave.protocol} - {"ANY"}
            if len(protocols) > 1:
                found.append(f"[BD 41-237] {link}: {' and '.join(sorted(protocols))} without an interconnect")
        elif master.bus == AXIS:
            if master.bits != slave.bits:
                found.append(f"[BD 41-237] {link}: TDATA has {master.bits} and {slave.bits} bits")
            if slave.has_last and not master.has_last:
                found.append(f"[model] {link}: no TLAST, so the transfer never ends")
            if slave.has_keep and not master.has_keep:
                found.append(f"[model] {link}: no TKEEP")
    for monitor, target in design.watched.items():
        if _clock(design, monitor, ports[monitor]) != _clock(design, target, ports[target]):
            found.append(f"[model] {monitor} samples {target} on another clock")
    found += _interrupts(design) + _coherence(design)
    for cell in design.cells.values():
        found += _dma_widths(cell.name, cell.ip.name, cell.config, cell.owned)
    return found


def _interrupts(design: Design) -> list[str]:
    """A DMA holds its line until it is answered; seen as an edge, the second of two would be lost."""
    lines = {"processing_system7": 16, "zynq_ultra_ps_e": 8}
    found = [
        f"[model] {cell.name} takes levels for edges"
        for cell in design.cells.values()
        if cell.ip.name == "axi_intc" and int(cell.config["C_KIND_OF_INTR"], 16)
    ]
    for name, pin in design.pins().items():
        cell, _, local = name.partition("/")
        driver = design.driver(name)
        if driver and local in ("IRQ_F2P", "pl_ps_irq0", "intr"):
            most = lines.get(design.cells[cell].ip.name, 32)
            if pin.direction == "in" and design.pins()[driver].bits > most:
                found.append(f"[model] {name} takes {most} interrupts")
    return found


def _coherence(design: Design) -> list[str]:
    """An HPC port that is not told to look into the caches is a slower HP port."""
    found = []
    for name in design.pins():
        if name.endswith(("_awcache", "_arcache", "_awprot", "_arprot")):
            driver = design.driver(name)
            cell = design.cells[driver.partition("/")[0]] if driver else None
            value = int(cell.config.get("CONST_VAL", "0"), 0) if cell else 0
            wanted = 0b1100 if name.endswith("cache") else 0b010
            if not value & wanted:
                found.append(f"[model] {name} is {value}: not coherent")
    return found


def _dma_widths(name: str, ip: str, config: dict[str, str], owned: set[str]) -> list[str]:
    if ip != "axi_dma":
        return []
    found = []
    for memory, stream, on in (
        ("c_m_axi_mm2s_data_width", "c_m_axis_mm2s_tdata_width", config["c_include_mm2s"]),
        ("c_m_axi_s2mm_data_width", "c_s_axis_s2mm_tdata_width", config["c_include_s2mm"]),
    ):
        if on == "1" and int(config[stream]) > int(config[memory]):
            found.append(f"[model] {name}: {stream} is wider than {memory}")
    derived = ("c_s_axis_s2mm_tdata_width", "c_m_axi_s2mm_data_width")
    if config["c_include_s2mm"] == "1":
        found += [
            f"[model] {name}: {key} is set, but Vivado derives it" for key in derived if key not in owned
        ]
    return found


def _addresses(design: Design) -> list[str]:
    found = []
    for space in design.spaces():
        placed = {entry.segment for entry in design.placed if entry.space == space}
        for path in sorted(design.reachable(space)):
            if path not in placed and (space, path) not in design.excluded:
                found.append(f"[BD 41-1356] {path} is not assigned in {space}")
    return found


def _processing_system(design: Design) -> list[str]:
    if design.ports:  # a part of something else
        return []
    cells = [
        cell for cell in design.cells.values() if cell.ip.name in ("processing_system7", "zynq_ultra_ps_e")
    ]
    if len(cells) != 1:
        return [f"[model] {len(cells)} processing systems"]
    if cells[0].name not in design.automated:
        return [f"[model] {cells[0].name} was never automated"]
    return []
