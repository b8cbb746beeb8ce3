# SPDX-License-Identifier: BSD-3-Clause
"""Signals of the buses that modules have: who drives each, how wide it is, which belong together.

Sources: Arm IHI 0051 (2.1) and IHI 0022 (A2, B1.1); names as in AMD's bus definitions (UG1118).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .facts import AXIMM, AXIS, CLOCK, INTERRUPT, RESET


@dataclass(frozen=True)
class Signal:
    """A signal of a bus.

    Attributes:
        master: Whether a master drives it.
        widths: How many bits it may have; empty: any number.
    """

    master: bool
    widths: tuple[int, ...] = ()


_ONE = (1,)
_ADDRESS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("ID", "ADDR", "USER"), ()),
    # 4 bits in AXI3, 8 in AXI4; AXI3 has two bits of LOCK.
    "LEN": (4, 8),
    "SIZE": (3,),
    "BURST": (2,),
    "LOCK": (1, 2),
    "CACHE": (4,),
    "PROT": (3,),
    "REGION": (4,),
    "QOS": (4,),
    "VALID": _ONE,
}


def _channel(way: str, driven: Mapping[str, tuple[int, ...]], *, master: bool) -> dict[str, Signal]:
    found = {f"{way}{name}": Signal(master, widths) for name, widths in driven.items()}
    return {**found, f"{way}READY": Signal(not master, _ONE)}


_RESPONSE: dict[str, tuple[int, ...]] = {"ID": (), "RESP": (2,), "USER": (), "VALID": _ONE}
SIGNALS: dict[str, Mapping[str, Signal]] = {
    AXIS: {
        **dict.fromkeys(("TDATA", "TKEEP", "TSTRB", "TUSER", "TID", "TDEST"), Signal(master=True)),
        **dict.fromkeys(("TVALID", "TLAST"), Signal(True, _ONE)),
        "TREADY": Signal(False, _ONE),
    },
    AXIMM: {
        **_channel("AW", _ADDRESS, master=True),
        **_channel(
            "W", {"ID": (), "DATA": (), "STRB": (), "LAST": _ONE, "USER": (), "VALID": _ONE}, master=True
        ),
        **_channel("B", _RESPONSE, master=False),
        **_channel("AR", _ADDRESS, master=True),
        **_channel("R", {**_RESPONSE, "DATA": (), "LAST": _ONE}, master=False),
    },
    CLOCK: {"CLK": Signal(True, _ONE)},
    RESET: {"RST": Signal(master=True)},
    INTERRUPT: {"INTERRUPT": Signal(master=True)},
}
# Required for write access, and for read access.
WRITES = ("AWADDR", "AWVALID", "AWREADY", "WDATA", "WVALID", "WREADY", "BVALID", "BREADY")
READS = ("ARADDR", "ARVALID", "ARREADY", "RDATA", "RVALID", "RREADY")
# Further signals of generated masters and slaves, which leave nothing to a default.
TOLD = {"BRESP": "BVALID", "RRESP": "RVALID", "WSTRB": "WVALID"}
# An AXI-Lite interface has none of these (IHI 0022, B1.1).
BURSTS = frozenset(
    {
        f"{way}{name}"
        for way in ("AW", "AR")
        for name in ("ID", "LEN", "SIZE", "BURST", "LOCK", "REGION", "USER")
    }
    | {"WID", "WLAST", "WUSER", "BID", "BUSER", "RID", "RLAST", "RUSER"}
)
# Whose names say nothing against another's role: a core may carry what it likes on them.
FREE = frozenset({"TID", "TDEST", "TUSER", "TKEEP", "TSTRB"})
# As many bits as this one, or one for each of its bytes.
ALIKE = {"RDATA": "WDATA", "BID": "AWID", "RID": "ARID"}
BYTES = {"WSTRB": "WDATA", "TKEEP": "TDATA", "TSTRB": "TDATA"}


def is_lite(roles: set[str], parameters: Mapping[str, str]) -> bool:
    """Tell whether Vivado takes an interface of memory for AXI-Lite: by its parameter, or without bursts."""
    told = parameters.get("PROTOCOL", "")
    return told == "AXI4LITE" or (not told and not roles & {"AWLEN", "ARLEN"})
