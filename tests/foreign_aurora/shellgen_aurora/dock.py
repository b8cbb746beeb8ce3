# SPDX-License-Identifier: BSD-3-Clause
"""Aurora 64B/66B beside a core on a Zynq UltraScale+: AMD's core, FIFOs between clocks, flow control.

Sources: PG074 (core, native flow control, reset sequence), PG085 (AXI4-Stream data FIFO), UG576.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from shellgen.errors import Problem
from shellgen.model import Attachment, Board, Dock, NodePlan
from shellgen.model.base import Frozen
from shellgen.model.names import Line
from shellgen.platforms.block_design import Bus, Cell, ExternalInterface, ExternalPort, Wire
from shellgen.platforms.contract import Contract, PinRole
from shellgen.platforms.docks import DesignNets, DesignPart, DockProvider, Source

BITS = 64
CORE, SUPPORT, TX_FIFO, RX_FIFO = "aurora_0", "aurora_support_0", "aurora_tx_fifo", "aurora_rx_fifo"
# The far end stops some time after the request: half of the FIFO is for data under way by then.
RX_DEPTH, RX_FULL = 2048, 1024
GT_PINS = "xilinx.com:display_aurora:GT_Serial_Transceiver_Pins"
PackagePin = Annotated[str, Field(pattern=r"^[A-Z]{1,2}[0-9]{1,2}$")]


class AuroraFacts(Frozen):
    """``[platform.zynq.docks.aurora]``: one lane of a transceiver and the clock that it refers to.

    Attributes:
        lane: Site of the transceiver, as the core names it: ``X1Y12``.
        quad: Its quad: ``Quad_X1Y3``.
        refclk: Reference clock: ``MGTREFCLK0_of_Quad_X1Y3``.
        refclk_p: Package pin of the clock's positive side.
        refclk_mhz: Its frequency.
        line_gbps: Line rate, before 64B/66B.
        enable_pin: Package pin that switches the optical module's transmitter on when high; empty: none.
        enable_standard: I/O standard of that pin.
    """

    lane: Annotated[str, Field(pattern=r"^X\d+Y\d+$")]
    quad: Annotated[str, Field(pattern=r"^Quad_X\d+Y\d+$")]
    refclk: Annotated[str, Field(pattern=r"^MGTREFCLK[01]_of_Quad_X\d+Y\d+$")]
    refclk_p: PackagePin
    refclk_mhz: Annotated[float, Field(gt=0)]
    line_gbps: Annotated[float, Field(ge=0.5, le=16.375)]
    enable_pin: PackagePin | None = None
    enable_standard: Line = "LVCMOS33"


class AuroraDock(DockProvider):
    """One lane, duplex, framed, with immediate flow control."""

    kind: ClassVar[str] = "aurora_zynq"
    platform: ClassVar[str] = "zynq"
    dock: ClassVar[str] = "aurora"
    Facts: ClassVar[type[Frozen]] = AuroraFacts
    contract: ClassVar[Contract] = Contract(
        (PinRole("rx", "in", bits=BITS, most=1), PinRole("tx", "out", bits=BITS, most=1))
    )
    about: ClassVar[str] = "Aurora 64B/66B on one lane of a GTH"

    def offer(self, board: Board, facts: Frozen) -> Dock:  # noqa: ARG002 - all boards have the same
        """Return a stream in each direction."""
        return Dock(slots=2, bits=BITS)

    def check(self, node: NodePlan, attachment: Attachment, facts: Frozen) -> list[Problem]:  # noqa: ARG002 - one lane only
        """Check what the core's clock wizard would refuse: the init clock of an UltraScale+ GTH."""
        if 6.25e6 <= node.clock_hz <= 2e8:
            return []
        found = f"{node.clock_hz / 1e6:g} MHz, which Aurora is initialised with, is not in 6.25 to 200 MHz"
        return [Problem(f"node {node.name}.clock_mhz", found, "Choose another")]

    def design(self, node: NodePlan, attachment: Attachment, facts: Frozen, nets: DesignNets) -> DesignPart:  # noqa: ARG002 - of any node
        """Return the core, its FIFOs and what keeps the far end from overrunning ours."""
        assert isinstance(facts, AuroraFacts)
        pins = {pin.role: pin.name for pin in attachment.pins}
        aurora = {
            "CHANNEL_ENABLE": facts.lane,
            "C_START_LANE": facts.lane,
            "C_START_QUAD": facts.quad,
            "C_REFCLK_SOURCE": facts.refclk,
            "C_REFCLK_FREQUENCY": f"{facts.refclk_mhz:g}",
            "C_LINE_RATE": f"{facts.line_gbps:g}",
            "C_INIT_CLK": f"{nets.hz / 1e6:g}",
            "SupportLevel": "1",
            "drp_mode": "Disabled",
            "interface_mode": "Framing",
            "flow_mode": "Immediate_NFC",
        }
        fifo = {"TDATA_NUM_BYTES": str(BITS // 8), "HAS_TKEEP": "1", "HAS_TLAST": "1", "IS_ACLK_ASYNC": "1"}
        owned = ("TDATA_NUM_BYTES", "HAS_TKEEP", "HAS_TLAST")
        full = {"HAS_PROG_FULL": "1", "PROG_FULL_THRESH": str(RX_FULL), "FIFO_DEPTH": str(RX_DEPTH)}
        cells = [Cell(CORE, "aurora_64b66b", aurora), _constant(1, 0), _constant(3, 0)]
        user, core = [f"{SUPPORT}/user_clk"], [nets.core]
        clocked, resets = [f"{CORE}/init_clk", f"{SUPPORT}/init_clk"], [f"{SUPPORT}/aresetn"]
        wires, buses = [], []
        if "tx" in pins:
            cells.append(Cell(TX_FIFO, "axis_data_fifo", fifo, owned))
            buses += [Bus(f"{core[0]}/{pins['tx']}", f"{TX_FIFO}/S_AXIS")]
            buses += [Bus(f"{TX_FIFO}/M_AXIS", f"{CORE}/USER_DATA_S_AXIS_TX")]
            wires.append(Wire(nets.clock, (f"{TX_FIFO}/s_axis_aclk",)))
            resets.append(f"{TX_FIFO}/s_axis_aresetn")
            user.append(f"{TX_FIFO}/m_axis_aclk")
        if "rx" in pins:
            cells.append(Cell(RX_FIFO, "axis_data_fifo", fifo | full, owned))
            buses += [Bus(f"{CORE}/USER_DATA_M_AXIS_RX", f"{RX_FIFO}/S_AXIS")]
            buses += [Bus(f"{RX_FIFO}/M_AXIS", f"{core[0]}/{pins['rx']}")]
            wires.append(Wire(nets.clock, (f"{RX_FIFO}/m_axis_aclk",)))
            wires.append(Wire(f"{RX_FIFO}/prog_full", (f"{SUPPORT}/full",)))
            wires.append(Wire(f"{SUPPORT}/rx_aresetn", (f"{RX_FIFO}/s_axis_aresetn",)))
            user.append(f"{RX_FIFO}/s_axis_aclk")
        else:
            wires.append(Wire(f"{_constant(1, 0).name}/dout", (f"{SUPPORT}/full",)))
        wires += [
            Wire(nets.free, tuple(clocked)),
            Wire(nets.resetn, tuple(resets)),
            Wire(f"{CORE}/user_clk_out", tuple(user)),
            Wire(f"{CORE}/sys_reset_out", (f"{SUPPORT}/sys_reset",)),
            Wire(f"{SUPPORT}/pma_init", (f"{CORE}/pma_init",)),
            Wire(f"{SUPPORT}/reset_pb", (f"{CORE}/reset_pb",)),
            Wire(f"{SUPPORT}/nfc_request", (f"{CORE}/s_axi_nfc_tvalid",)),
            Wire(f"{SUPPORT}/nfc_word", (f"{CORE}/s_axi_nfc_tdata",)),
            Wire(f"{CORE}/s_axi_nfc_tready", (f"{SUPPORT}/nfc_accept",)),
            Wire(f"{_constant(1, 0).name}/dout", (f"{CORE}/power_down", f"{CORE}/gt_rxcdrovrden_in")),
            Wire(f"{_constant(3, 0).name}/dout", (f"{CORE}/loopback",)),
        ]
        ports: tuple[ExternalPort, ...] = ()
        if facts.enable_pin:
            cells.append(_constant(1, 1))
            ports = (ExternalPort("aurora_enable", "O", f"{_constant(1, 1).name}/dout"),)
        clock = {"FREQ_HZ": str(round(facts.refclk_mhz * 1e6))}
        diff = "xilinx.com:interface:diff_clock_rtl:1.0"
        text = (Path(__file__).parent / "aurora_support.v").read_text()
        return DesignPart(
            cells=tuple(cells),
            modules=((SUPPORT, "aurora_support"),),
            sources=(Source("aurora_support.v", text),),
            wires=tuple(wires),
            buses=tuple(buses),
            ports=ports,
            interfaces=(
                ExternalInterface("aurora_refclk", diff, "Slave", f"{CORE}/GT_DIFF_REFCLK1", clock),
                ExternalInterface("aurora_rx", f"{GT_PINS}_RX_rtl:1.0", "Slave", f"{CORE}/GT_SERIAL_RX"),
                ExternalInterface("aurora_tx", f"{GT_PINS}_TX_rtl:1.0", "Master", f"{CORE}/GT_SERIAL_TX"),
            ),
        )

    def constraints(self, node: NodePlan, attachment: Attachment, facts: Frozen) -> tuple[Source, ...]:  # noqa: ARG002 - one lane only
        """Return the pins; the lane itself is placed by the core, which knows its site."""
        assert isinstance(facts, AuroraFacts)
        lines = [
            "# The reference clock of the transceiver.",
            f"set_property PACKAGE_PIN {facts.refclk_p} [get_ports aurora_refclk_clk_p]",
            f"create_clock -name aurora_refclk -period {1e3 / facts.refclk_mhz:.3f} "
            "[get_ports aurora_refclk_clk_p]",
        ]
        if facts.enable_pin:
            lines += [
                "# Switches the optical module's transmitter on.",
                f"set_property PACKAGE_PIN {facts.enable_pin} [get_ports aurora_enable]",
                f"set_property IOSTANDARD {facts.enable_standard} [get_ports aurora_enable]",
            ]
        return (Source("aurora.xdc", "\n".join(lines) + "\n"),)


def _constant(bits: int, value: int) -> Cell:
    config = {"CONST_WIDTH": str(bits), "CONST_VAL": str(value)}
    return Cell(f"aurora_const_{bits}_{value}", "xlconstant", config)
