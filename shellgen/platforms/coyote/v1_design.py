# SPDX-License-Identifier: BSD-3-Clause
"""The block design that puts ACCL's offload engine between Coyote v1 and a core.

It has what ACCL's reference design for Coyote has, with two differences. The core may give commands beside
the host controller, through ACCL's `client_arbiter`; and the streams of a kernel leave the design, where
the reference returns them to the engine.

Source: ACCL 723d8ec, test/refdesigns/tcl/coyote.tcl; interfaces: kernels/cclo/hdl/ccl_offload.v and
kernels/plugins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from shellgen.platforms.block_design import Bus, Cell, Mapping, PlannedDesign, Wire

Network = Literal["rdma", "tcp"]
Mode = Literal["Master", "Slave"]

# What ACCL's kernels are packaged for.
KERNEL_CLOCK_HZ = 250_000_000
BEAT_BYTES = 64
# Where ACCL's driver expects the engine and its host controller, 4 bytes a register.
CONTROL = "S00_AXI"
CONTROL_BITS = 16
CONTROL_CONFIG = {
    "PROTOCOL": "AXI4LITE",
    "ADDR_WIDTH": str(CONTROL_BITS),
    "DATA_WIDTH": "32",
    **dict.fromkeys(("HAS_BURST", "HAS_CACHE", "HAS_LOCK", "HAS_QOS", "HAS_REGION"), "0"),
}
DESIGN, CLOCK, RESET = "accl_bd", "aclk", "aresetn"
OFFLOAD, HOST = "ccl_offload_0", "hostctrl_0"
ADAPTER, ARBITER, MUX, CLIENTS, ARITHMETIC = (
    *("cyt_dma_adapter_0", "cyt_rdma_arbiter_0", "cyt_rdma_mux_0"),
    *("client_arbiter_0", "reduce_ops_0"),
)
CROSSBAR, NO_SUPPRESS = "smartconnect_0", "xlconstant_0"
# DMA engines of ACCL, and the pair of streams that carries what a peer writes and reads.
DMAS = (0, 1)
PEER = 2


@dataclass(frozen=True)
class StreamPort:
    """An AXI4-Stream interface of the block design.

    Attributes:
        name: Of the port.
        mode: ``Slave``: the design takes beats.
        pin: What it belongs to inside, ``cell/interface``.
        data_bytes: Bytes of TDATA.
        marked: Whether TKEEP and TLAST are used.
        dest_bits: Width of TDEST; 0: it is not used.
    """

    name: str
    mode: Mode
    pin: str
    data_bytes: int = BEAT_BYTES
    marked: bool = True
    dest_bits: int = 0

    @property
    def config(self) -> dict[str, str]:
        """Return what is said of the port: of one through which beats leave, its pin says it."""
        if self.mode == "Master":
            return {}
        marked = str(int(self.marked))
        return {
            "TDATA_NUM_BYTES": str(self.data_bytes),
            "HAS_TREADY": "1",
            "HAS_TKEEP": marked,
            "HAS_TLAST": marked,
            "HAS_TSTRB": "0",
            "TDEST_WIDTH": str(self.dest_bits),
            "TID_WIDTH": "0",
            "TUSER_WIDTH": "0",
        }


@dataclass(frozen=True)
class AcclDesign:
    """Everything in the block design.

    Attributes:
        cells: IP; `Cell.ip` is vendor, library and name.
        clocks: Pins on the clock.
        resets: Pins on its reset, active low.
        quiet: Pins that are held at 0.
        buses: Connections inside.
        ports: Streams that leave the design.
        mappings: Where the registers are, from the control port.
    """

    cells: tuple[Cell, ...]
    clocks: tuple[str, ...]
    resets: tuple[str, ...]
    quiet: tuple[str, ...]
    buses: tuple[Bus, ...]
    ports: tuple[StreamPort, ...]
    mappings: tuple[Mapping, ...]

    def planned(self) -> PlannedDesign:
        """Return it as it is compared with what a script has made."""
        hz = {"FREQ_HZ": str(KERNEL_CLOCK_HZ)}
        return PlannedDesign(
            name=DESIGN,
            cells=self.cells,
            modules={},
            ports={
                CLOCK: {**hz, "ASSOCIATED_BUSIF": ":".join((CONTROL, *(port.name for port in self.ports)))},
                RESET: {"POLARITY": "ACTIVE_LOW"},
                CONTROL: {**hz, **CONTROL_CONFIG},
                **{port.name: hz | port.config for port in self.ports},
            },
            wires=(
                Wire(CLOCK, self.clocks),
                Wire(RESET, self.resets),
                Wire(f"{NO_SUPPRESS}/dout", self.quiet),
            ),
            buses=(
                *self.buses,
                *(
                    Bus(port.name, port.pin) if port.mode == "Slave" else Bus(port.pin, port.name)
                    for port in self.ports
                ),
                Bus(CONTROL, f"{CROSSBAR}/S00_AXI"),
            ),
            mappings=self.mappings,
            interfaces={
                CONTROL: ("xilinx.com:interface:aximm_rtl:1.0", "Slave"),
                **{port.name: ("xilinx.com:interface:axis_rtl:1.0", port.mode) for port in self.ports},
            },
        )


def engine_streams(network: Network) -> int:
    """Return how many of Coyote's host streams ACCL needs for itself, and as many card streams."""
    return len(DMAS) + (network == "rdma")


def accl_design(network: Network) -> AcclDesign:
    """Decide every cell, connection, port and address of the block design."""
    cells = (*_kernels(network), *_switches(network), _crossbar(), _constant())
    clocks = tuple(f"{cell.name}/{_clock(cell)[0]}" for cell in cells if cell.name != NO_SUPPRESS)
    resets = tuple(f"{cell.name}/{_clock(cell)[1]}" for cell in cells if cell.name != NO_SUPPRESS)
    return AcclDesign(
        cells=cells,
        clocks=clocks,
        resets=resets,
        quiet=tuple(f"{_join(number)}/s_req_suppress" for number in range(engine_streams(network))),
        buses=tuple(_buses(network)),
        ports=tuple(_ports(network)),
        mappings=(
            Mapping(CONTROL, f"{OFFLOAD}/s_axi_control/*", 0x0000, 0x2000),
            Mapping(CONTROL, f"{HOST}/s_axi_control/*", 0x2000, 0x2000),
        ),
    )


# ---- cells ----------------------------------------------------------------------------------------------
def plugins(network: Network) -> tuple[tuple[str, str], ...]:
    """Return ACCL's kernels beside the engine: folder in kernels/plugins, and name."""
    rdma = ("cyt_rdma_arbiter", "cyt_rdma_mux") if network == "rdma" else ()
    return (
        *((name, name) for name in ("hostctrl", "client_arbiter", "reduce_ops")),
        *(("cyt_adapter", name) for name in ("cyt_dma_adapter", *rdma)),
    )


def _kernels(network: Network) -> tuple[Cell, ...]:
    return (
        Cell(OFFLOAD, "Xilinx:ACCL:ccl_offload"),
        *(Cell(f"{name}_0", f"xilinx.com:ACCL:{name}") for _, name in plugins(network)),
    )


def _split(number: int) -> str:
    """Sends what the engine writes to the card (TDEST 0) or to the host (1)."""
    return f"to_memory_{number}"


def _join(number: int) -> str:
    """Takes what is read, from the host or from the card, transfer by transfer."""
    return f"from_memory_{number}"


def _switches(network: Network) -> Iterator[Cell]:
    beat = {"TDATA_NUM_BYTES": str(BEAT_BYTES), "HAS_TKEEP": "1", "HAS_TLAST": "1"}
    joining = {
        "NUM_SI": "2",
        "NUM_MI": "1",
        **beat,
        "ARB_ON_TLAST": "1",
        "ARB_ON_MAX_XFERS": "0",
        "DECODER_REG": "0",
    }
    splitting = {"NUM_SI": "1", "NUM_MI": "2", **beat, "TDEST_WIDTH": "8", "DECODER_REG": "1"}
    for number in range(engine_streams(network)):
        yield Cell(_join(number), "xilinx.com:ip:axis_switch", joining)
        yield Cell(_split(number), "xilinx.com:ip:axis_switch", splitting)


def _crossbar() -> Cell:
    return Cell(CROSSBAR, "xilinx.com:ip:smartconnect", {"NUM_SI": "1", "NUM_MI": "2"})


def _constant() -> Cell:
    return Cell(NO_SUPPRESS, "xilinx.com:ip:xlconstant", {"CONST_WIDTH": "2", "CONST_VAL": "0"})


def _clock(cell: Cell) -> tuple[str, str]:
    """Return clock and reset of a cell: kernels have those of HLS."""
    return ("aclk", "aresetn") if cell.ip.startswith("xilinx.com:ip:") else ("ap_clk", "ap_rst_n")


# ---- connections ----------------------------------------------------------------------------------------
def _buses(network: Network) -> Iterator[Bus]:
    yield Bus(f"{HOST}/cmd", f"{CLIENTS}/cmd_clients_0")
    yield Bus(f"{CLIENTS}/ack_clients_0", f"{HOST}/sts")
    yield Bus(f"{CLIENTS}/cmd_cclo", f"{OFFLOAD}/s_axis_call_req")
    yield Bus(f"{OFFLOAD}/m_axis_call_ack", f"{CLIENTS}/ack_cclo")
    yield Bus(f"{OFFLOAD}/m_axis_arith_op0", f"{ARITHMETIC}/in0")
    yield Bus(f"{OFFLOAD}/m_axis_arith_op1", f"{ARITHMETIC}/in1")
    yield Bus(f"{ARITHMETIC}/out_r", f"{OFFLOAD}/s_axis_arith_res")
    for lane in range(3):  # nothing is compressed
        yield Bus(f"{OFFLOAD}/m_axis_compression{lane}", f"{OFFLOAD}/s_axis_compression{lane}")
    for dma in DMAS:
        for way in ("mm2s", "s2mm"):
            yield Bus(f"{OFFLOAD}/m_axis_dma{dma}_{way}_cmd", f"{ADAPTER}/dma{dma}_{way}_cmd")
            yield Bus(f"{ADAPTER}/dma{dma}_{way}_sts", f"{OFFLOAD}/s_axis_dma{dma}_{way}_sts")
        yield Bus(f"{_join(dma)}/M00_AXIS", f"{OFFLOAD}/s_axis_dma{dma}_mm2s")
        yield Bus(f"{OFFLOAD}/m_axis_dma{dma}_s2mm", f"{_split(dma)}/S00_AXIS")
    if network == "rdma":
        yield from _rdma_buses()
    yield Bus(f"{CROSSBAR}/M00_AXI", f"{OFFLOAD}/s_axi_control")
    yield Bus(f"{CROSSBAR}/M01_AXI", f"{HOST}/s_axi_control")


def _rdma_buses() -> Iterator[Bus]:
    """Received data go to the engine or, if a peer wrote them, to memory; sent data come from either."""
    yield Bus(f"{ARBITER}/m_meta_0", f"{OFFLOAD}/s_axis_eth_notification")
    yield Bus(f"{ARBITER}/m_axis_0", f"{OFFLOAD}/s_axis_eth_rx_data")
    yield Bus(f"{ARBITER}/m_meta_1", f"{ADAPTER}/rdma_wr_req")
    yield Bus(f"{ARBITER}/m_axis_1", f"{_split(PEER)}/S00_AXIS")
    yield Bus(f"{OFFLOAD}/m_axis_rdma_sq", f"{MUX}/s_meta_0")
    yield Bus(f"{OFFLOAD}/m_axis_eth_tx_data", f"{MUX}/s_axis_0")
    yield Bus(f"{_join(PEER)}/M00_AXIS", f"{MUX}/s_axis_1")
    yield Bus(f"{MUX}/m_meta_1", f"{ADAPTER}/rdma_rd_req")


# ---- ports ----------------------------------------------------------------------------------------------
def _ports(network: Network) -> Iterator[StreamPort]:
    yield StreamPort("s_axis_command", "Slave", f"{CLIENTS}/cmd_clients_1", 4)
    yield StreamPort("m_axis_status", "Master", f"{CLIENTS}/ack_clients_1", 4)
    # The engine looks at no TDEST of what it takes, and is packaged without one.
    yield StreamPort("s_axis_krnl", "Slave", f"{OFFLOAD}/s_axis_krnl")
    yield StreamPort("m_axis_krnl", "Master", f"{OFFLOAD}/m_axis_krnl", dest_bits=8)
    for way in ("rd", "wr"):
        yield StreamPort(f"cyt_byp_{way}_cmd", "Master", f"{ADAPTER}/cyt_byp_{way}_cmd", 12, marked=False)
        yield StreamPort(f"cyt_byp_{way}_sts", "Slave", f"{ADAPTER}/cyt_byp_{way}_sts", 2, marked=False)
    for number in range(engine_streams(network)):
        yield StreamPort(f"s_axis_host_{number}", "Slave", f"{_join(number)}/S00_AXIS")
        yield StreamPort(f"s_axis_card_{number}", "Slave", f"{_join(number)}/S01_AXIS")
        yield StreamPort(f"m_axis_card_{number}", "Master", f"{_split(number)}/M00_AXIS")
        yield StreamPort(f"m_axis_host_{number}", "Master", f"{_split(number)}/M01_AXIS")
    yield from _rdma_ports() if network == "rdma" else _tcp_ports()


def _rdma_ports() -> Iterator[StreamPort]:
    yield StreamPort("s_axis_eth_rx_data", "Slave", f"{ARBITER}/s_axis", dest_bits=8)
    yield StreamPort("m_axis_eth_tx_data", "Master", f"{MUX}/m_axis")
    yield StreamPort("s_axis_rdma_wr_req", "Slave", f"{ARBITER}/s_meta", 12, marked=False)
    yield StreamPort("s_axis_rdma_rd_req", "Slave", f"{MUX}/s_meta_1", 12, marked=False)
    yield StreamPort("m_axis_rdma_sq", "Master", f"{MUX}/m_meta_0", 64, marked=False)


def _tcp_ports() -> Iterator[StreamPort]:
    yield StreamPort("s_axis_eth_rx_data", "Slave", f"{OFFLOAD}/s_axis_eth_rx_data", dest_bits=8)
    yield StreamPort("m_axis_eth_tx_data", "Master", f"{OFFLOAD}/m_axis_eth_tx_data")
    yield StreamPort("s_axis_eth_notification", "Slave", f"{OFFLOAD}/s_axis_eth_notification", 16)
    yield StreamPort("s_axis_eth_rx_meta", "Slave", f"{OFFLOAD}/s_axis_eth_rx_meta", 2)
    yield StreamPort("s_axis_eth_tx_status", "Slave", f"{OFFLOAD}/s_axis_eth_tx_status", 8)
    yield StreamPort("m_axis_eth_read_pkg", "Master", f"{OFFLOAD}/m_axis_eth_read_pkg", 4)
    yield StreamPort("m_axis_eth_tx_meta", "Master", f"{OFFLOAD}/m_axis_eth_tx_meta", 4)
