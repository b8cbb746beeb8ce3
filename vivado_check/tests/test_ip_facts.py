# SPDX-License-Identifier: BSD-3-Clause
"""Facts of IP as they are mined: each file says what it says, and of what."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from vivado_check.ip.catalogue import DATA, Facts, catalogue_of
from vivado_check.ip.document import DocumentedIp
from vivado_check.ip.store import dump, load

FILES = sorted(DATA.glob("*.json"))
NAMES = [path.stem for path in FILES]
RELEASE = "2022.2"


def ip(name: str) -> DocumentedIp:
    found = Facts().find(f"xilinx.com:ip:{name}", RELEASE)
    assert isinstance(found, DocumentedIp)
    return found


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_is_written_and_read_alike(path: Path) -> None:
    text = path.read_text()
    document = load(text)
    assert dump(document) == text
    assert path.stem == "_".join(document["vlnv"].split(":")[2:])
    assert all(
        re.fullmatch(r"[\w.-]+/[\w.-]+: .+\.(xml|xci|bd(#.+)?)", source) for source in document["sources"]
    )


def test_there_are_the_ip_of_our_scripts() -> None:
    names = {name.rpartition("_")[0] for name in NAMES}
    assert names >= {
        *("processing_system7", "zynq_ultra_ps_e", "axi_dma", "axi_interconnect", "smartconnect"),
        *("proc_sys_reset", "clk_wiz", "xlconcat", "xlconstant", "xlslice", "axi_gpio", "axi_timer"),
        *(
            "axi_bram_ctrl",
            "axi_protocol_converter",
            "axis_data_fifo",
            "axis_dwidth_converter",
            "axi_crossbar",
        ),
    }


def test_a_dma_without_scatter_gather() -> None:
    """PG021: its ports hang on c_include_sg, c_include_mm2s and c_include_s2mm; its registers take 4 KB."""
    dma = ip("axi_dma:7.1")
    simple = dma.resolve({"c_include_sg": "0", "c_include_s2mm": "0"})
    assert simple.complete
    assert not simple.doubtful
    assert {"M_AXI_MM2S", "M_AXIS_MM2S", "S_AXI_LITE"} <= set(simple.interfaces)
    assert not {"M_AXI_SG", "M_AXI_S2MM", "S_AXIS_S2MM"} & set(simple.interfaces)
    assert "m_axi_sg_aclk" not in simple.ports
    assert "M_AXI_SG" in dma.resolve({"C_INCLUDE_SG": "1"}).interfaces
    (block,) = simple.blocks
    assert (block.memory, block.name, block.range) == ("S_AXI_LITE", "Reg", 4096)
    assert simple.spaces == {"Data_MM2S": 1 << 32}
    assert simple.interfaces["AXI_RESETN"].params["POLARITY"] == "ACTIVE_LOW"


def test_parameters_of_a_dma() -> None:
    dma = ip("axi_dma:7.1")
    width = dma.parameter("C_SG_LENGTH_WIDTH", {})
    assert width is not None
    assert (width.name, width.lowest, width.highest) == ("c_sg_length_width", 8, 26)
    burst = dma.parameter("c_mm2s_burst_size", {})
    assert burst is not None
    assert set(burst.choices or ()) == {str(2**power) for power in range(1, 9)}
    assert dma.parameter("c_s_axis_s2mm_data_width", {}) is None
    stream = dma.parameter("c_s_axis_s2mm_tdata_width", {})
    assert stream is not None
    assert stream.derived


def test_pins_grow_with_a_number() -> None:
    bus = ip("axi_interconnect:2.1").resolve({"NUM_SI": "2", "NUM_MI": "20"})
    assert {"S01_AXI", "M19_AXI"} <= set(bus.interfaces)
    assert not {"S02_AXI", "M20_AXI"} & set(bus.interfaces)
    assert {"S01_ACLK", "M19_ARESETN"} <= set(bus.ports)
    assert "M20_ACLK" not in bus.ports
    assert bus.interfaces["CLK.M19_ACLK"].params["ASSOCIATED_BUSIF"] == "M19_AXI"
    assert "S03_AXI" in ip("smartconnect:1.0").resolve({"NUM_SI": "4"}).interfaces
    assert set(ip("xlconcat:2.1").resolve({"NUM_PORTS": "3"}).ports) == {"In0", "In1", "In2", "dout"}


def test_a_processing_system() -> None:
    ps = ip("processing_system7:5.5")
    asked = ps.resolve({"PCW_USE_S_AXI_HP0": "1", "PCW_USE_FABRIC_INTERRUPT": "1", "PCW_IRQ_F2P_INTR": "1"})
    assert {"S_AXI_HP0", "M_AXI_GP0", "DDR", "FIXED_IO"} <= set(asked.interfaces)
    assert {"IRQ_F2P", "FCLK_CLK0", "FCLK_RESET0_N", "S_AXI_HP0_ACLK"} <= set(asked.ports)
    assert "S_AXI_HP1" not in asked.interfaces
    assert asked.interfaces["M_AXI_GP0"].apertures == ((0x40000000, 0x40000000),)
    assert "IRQ_F2P" not in ps.resolve({}).ports


def test_a_version_that_cannot_be_told_is_not_told() -> None:
    facts = Facts()
    assert facts.versions("xilinx.com:ip:axi_dma:*", RELEASE) == ("xilinx.com:ip:axi_dma:7.1",)
    assert facts.find("xilinx.com:ip:axi_dma", RELEASE) is not None
    assert facts.versions("xilinx.com:ip:axi_dma:*", "2031.1") is None
    assert facts.versions("nobody.com:ip:nothing:*", RELEASE) is None
    assert facts.find("xilinx.com:ip:nothing:1.0", RELEASE) is None


def test_a_version_between_two_that_are_known_has_what_they_have_in_common() -> None:
    """2022's zynq_ultra_ps_e is 3.4: its ports hang on the same parameters in 3.3 and in 3.5."""
    for vlnv in ("xilinx.com:ip:zynq_ultra_ps_e", "xilinx.com:ip:zynq_ultra_ps_e:3.4"):
        ps = Facts().find(vlnv, RELEASE)
        assert ps is not None
        assert not ps.complete
        found = ps.resolve(
            {"PSU__USE__S_AXI_GP2": "1", "PSU__USE__M_AXI_GP0": "1", "PSU__USE__M_AXI_GP2": "0"}
        )
        assert not found.complete
        assert {"S_AXI_HP0_FPD", "M_AXI_HPM0_FPD"} <= set(found.interfaces)
        assert not {"S_AXI_HP1_FPD", "M_AXI_HPM0_LPD"} & set(found.interfaces)
        assert {"pl_clk0", "pl_resetn0", "saxihp0_fpd_aclk", "maxihpm0_fpd_aclk"} <= set(found.ports)
        assert (0xA0000000, 1 << 28) in found.interfaces["M_AXI_HPM0_FPD"].apertures
    assert Facts().find("xilinx.com:ip:zynq_ultra_ps_e:2.9", RELEASE) is None
    assert Facts().find("xilinx.com:ip:axi_dma:3.3", RELEASE) is None


def test_a_pin_that_the_board_decides_about_is_doubtful() -> None:
    ip = catalogue_of(()).find("xilinx.com:ip:clk_wiz:6.0", "2022.2")
    assert ip is not None
    assert "clk_in1" not in ip.resolve({}).doubtful
    found = ip.resolve({"CLK_IN1_BOARD_INTERFACE": "sys_diff_clock"})
    assert "clk_in1" in found.doubtful
    assert not found.complete


def present(names: Iterable[str], bits: str) -> set[str]:
    """Return the names whose bits are set, the last name's bit lowest."""
    ordered = list(names)
    flags = f"{int(bits, 16):0{len(ordered)}b}"
    return {name for name, flag in zip(ordered, flags, strict=True) if flag == "1"}


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_configurations_that_vivado_made_are_told_as_it_made_them(path: Path) -> None:
    """Ports and interfaces of instances, from what the user had set in them."""
    document = load(path.read_text())
    for given, ports, interfaces in document["seen"]:
        found = DocumentedIp({**document, "named": {}}).resolve(given)
        for here, told in (
            (present(document["ports"], ports), set(found.ports)),
            (present(document["interfaces"], interfaces), set(found.interfaces)),
        ):
            assert not here - told - found.doubtful, given
            assert not told - here - found.doubtful, given


def test_a_bus_that_nobody_had_on_is_not_any_bus() -> None:
    """IP-XACT gives parameters to ports of a processing system that are off: those of a bus of 32 bits."""
    ps = ip("processing_system7:5.5").resolve({"PCW_USE_S_AXI_HP0": "1", "PCW_USE_S_AXI_HP1": "1"})
    assert ps.interfaces["S_AXI_HP0"].params["DATA_WIDTH"] == "64"
    assert ps.interfaces["S_AXI_HP1"].params.get("DATA_WIDTH", "64") == "64"
    assert ps.interfaces["S_AXI_HP1"].params.get("PROTOCOL", "AXI3") == "AXI3"


@pytest.mark.parametrize(("name", "pin"), [("Overflow_Flag", "overflow"), ("Data_Count", "data_count")])
def test_what_nobody_switched_on_is_not_known(name: str, pin: str) -> None:
    fifo = ip("fifo_generator:13.1")
    assert pin not in fifo.resolve({name: "false"}).ports
    assert pin not in fifo.resolve({name: "false"}).doubtful
    assert pin in fifo.resolve({name: "true"}).doubtful
