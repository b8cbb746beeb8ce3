# SPDX-License-Identifier: BSD-3-Clause
"""ACCL's kernels as a catalogue has them that was made of their packages.

Source: ACCL 723d8ec. The engine: kernels/cclo/hdl/ccl_offload.v and tcl/generate_xo.tcl. The others are HLS
(kernels/plugins), whose streams of `ap_axiu` have TSTRB as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from small_design import SmallIp, clock, reset

from vivado_check.ip.facts import AXIMM, AXIS, AddressBlock, Catalogue, Ip, IpInterface, IpPort

BEAT = 512


@dataclass(frozen=True)
class Stream:
    """A stream of a kernel: mode, and bits of its signals."""

    mode: str
    bits: dict[str, int]


Streams = dict[str, Stream]


def _stream(mode: str, bits: int, dest: int = 0, *, marked: bool = True, strobed: bool = False) -> Stream:
    signals = {"TDATA": bits, "TVALID": 1, "TREADY": 1, "TDEST": dest}
    signals |= {"TKEEP": bits // 8 * marked, "TLAST": int(marked), "TSTRB": bits // 8 * strobed}
    return Stream(mode, {name: width for name, width in signals.items() if width})


def _params(bits: dict[str, int]) -> dict[str, str]:
    found = {"TDATA_NUM_BYTES": str(bits["TDATA"] // 8), "TDEST_WIDTH": str(bits.get("TDEST", 0))}
    return found | {f"HAS_{name}": str(int(name in bits)) for name in ("TLAST", "TKEEP", "TSTRB", "TREADY")}


def _kernel(name: str, streams: Streams, registers: str = "") -> SmallIp:
    vlnv = f"{'Xilinx' if name == 'ccl_offload' else 'xilinx.com'}:ACCL:{name}:1.0"
    interfaces: list[IpInterface] = []
    ports: list[IpPort] = []
    for bus, one in streams.items():
        named = {signal: f"{bus}_{signal.lower()}" for signal in one.bits}
        interfaces.append(IpInterface(bus, one.mode, AXIS, _params(one.bits), named))
        for signal, width in one.bits.items():
            given = (one.mode == "slave") != (signal == "TREADY")
            direction: Literal["in", "out"] = "in" if given else "out"
            ports.append(IpPort(named[signal], direction, *((width - 1, 0) if width > 1 else ())))
    blocks: tuple[AddressBlock, ...] = ()
    if registers:
        lite = {"PROTOCOL": "AXI4LITE", "DATA_WIDTH": "32"}
        interfaces.append(IpInterface("s_axi_control", "slave", AXIMM, lite, memory="s_axi_control"))
        blocks = (AddressBlock("s_axi_control", registers, 0, 0x1000),)
    buses = ":".join(one.name for one in interfaces)
    pins = (clock("ap_clk", ASSOCIATED_BUSIF=buses, ASSOCIATED_RESET="ap_rst_n"), reset("ap_rst_n"))
    return SmallIp(vlnv, (*interfaces, *pins), tuple(ports), blocks=blocks)


def _words(**modes: str) -> Streams:
    """Streams of 32-bit words of HLS."""
    return {name: _stream(mode, 32, strobed=True) for name, mode in modes.items()}


def _beats(**modes: str) -> Streams:
    """Streams of beats of HLS."""
    return {name: _stream(mode, BEAT, 8, strobed=True) for name, mode in modes.items()}


def _requests(bits: int, **modes: str) -> Streams:
    """Streams of structures of HLS, which have nothing but data."""
    return {name: _stream(mode, bits, marked=False) for name, mode in modes.items()}


def _engine(network: str) -> SmallIp:
    found: Streams = {
        "s_axis_call_req": _stream("slave", 32),
        "m_axis_call_ack": _stream("master", 32),
        "s_axis_krnl": _stream("slave", BEAT),
        "m_axis_krnl": _stream("master", BEAT, 8),
        "s_axis_arith_res": _stream("slave", BEAT),
        "m_axis_arith_op0": _stream("master", BEAT, 8),
        "m_axis_arith_op1": _stream("master", BEAT, 8),
        "s_axis_eth_rx_data": _stream("slave", BEAT, 8),
        "m_axis_eth_tx_data": _stream("master", BEAT, 8),
    }
    for lane in range(3):
        found[f"s_axis_compression{lane}"] = _stream("slave", BEAT)
        found[f"m_axis_compression{lane}"] = _stream("master", BEAT, 8)
    for dma in range(2):
        found[f"s_axis_dma{dma}_mm2s"] = _stream("slave", BEAT)
        found[f"m_axis_dma{dma}_s2mm"] = _stream("master", BEAT, 8)
        for way in ("mm2s", "s2mm"):
            found[f"m_axis_dma{dma}_{way}_cmd"] = _stream("master", 104, marked=False)
            # For mm2s it has only the lowest 8, and ACCL's own design joins the adapter's 32 to them.
            found[f"s_axis_dma{dma}_{way}_sts"] = _stream("slave", 32)
    if network == "rdma":
        found["m_axis_rdma_sq"] = _stream("master", 128, marked=False)
        found["s_axis_eth_notification"] = _stream("slave", 64, marked=False)
    else:
        for name, mode, bits in (
            ("s_axis_eth_notification", "slave", 128),
            ("m_axis_eth_read_pkg", "master", 32),
            ("s_axis_eth_rx_meta", "slave", 16),
            ("m_axis_eth_tx_meta", "master", 32),
            ("s_axis_eth_tx_status", "slave", 64),
        ):
            found[name] = _stream(mode, bits)
    return _kernel("ccl_offload", found, "reg0")


def _adapter() -> SmallIp:
    found: Streams = {}
    for dma in range(2):
        for way in ("mm2s", "s2mm"):
            # It looks at data and TDEST alone, and the engine gives it no more.
            found[f"dma{dma}_{way}_cmd"] = _stream("slave", 104, 8, marked=False)
            found[f"dma{dma}_{way}_sts"] = _stream("master", 32, strobed=True)
    found |= _requests(96, rdma_wr_req="slave", rdma_rd_req="slave")
    found |= _requests(96, cyt_byp_wr_cmd="master", cyt_byp_rd_cmd="master")
    found |= _requests(16, cyt_byp_wr_sts="slave", cyt_byp_rd_sts="slave")
    return _kernel("cyt_dma_adapter", found)


@dataclass(frozen=True)
class WithKernels:
    """A catalogue that knows the kernels besides."""

    base: Catalogue
    kernels: dict[str, SmallIp]

    def find(self, vlnv: str, release: str) -> Ip | None:
        return self.kernels.get(vlnv) or self.base.find(vlnv, release)

    def versions(self, vlnv: str, release: str) -> tuple[str, ...] | None:
        """Return nothing for kernels: whether there are any, their repository says."""
        return self.base.versions(vlnv, release)


def kernels(network: str) -> dict[str, SmallIp]:
    """Return what ACCL's Makefiles make for this network, by VLNV."""
    clients = _words(
        cmd_clients_0="slave",
        cmd_clients_1="slave",
        ack_clients_0="master",
        ack_clients_1="master",
        cmd_cclo="master",
        ack_cclo="slave",
    )
    arbiter = _requests(96, s_meta="slave", m_meta_1="master") | _requests(64, m_meta_0="master")
    mux = _requests(128, s_meta_0="slave") | _requests(96, s_meta_1="slave", m_meta_1="master")
    made = (
        _adapter(),
        _kernel("client_arbiter", clients),
        _kernel("hostctrl", _words(cmd="master", sts="slave"), "Reg"),
        _kernel("reduce_ops", _beats(in0="slave", in1="slave", out_r="master")),
        _kernel("cyt_rdma_arbiter", arbiter | _beats(s_axis="slave", m_axis_0="master", m_axis_1="master")),
        _kernel(
            "cyt_rdma_mux",
            mux
            | _requests(512, m_meta_0="master")
            | _beats(s_axis_0="slave", s_axis_1="slave", m_axis="master"),
        ),
    )
    return {ip.vlnv: ip for ip in (*made, _engine(network))}
