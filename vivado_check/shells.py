# SPDX-License-Identifier: BSD-3-Clause
"""The module of a shell that user logic is the body of, as a design that can be elaborated.

Facts of Coyote, kept apart from what writes its user logic: interfaces by the variables of CMake that bring
them, signals by interface. Sources: fpgasystems/Coyote, hw/hdl/pkg and hw/templates, in version 1
hw/scripts/wr_hdl.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .ip.header import Head

TOP, MODULE = "shellgen_shell", "design_user_logic"
_CONTROL_OUT = ("arready", "awready", "wready", "bresp", "bvalid", "rdata", "rresp", "rvalid")
_CONTROL_IN = (
    *("araddr", "arprot", "arqos", "arregion", "arvalid", "awaddr", "awprot", "awqos", "awregion", "awvalid"),
    *("wdata", "wstrb", "wvalid", "bready", "rready"),
)
_BEATS = ("tdata", "tkeep", "tid", "tlast", "tvalid")
# What comes from the master of each kind of interface, and what goes back.
SIGNALS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "AXI4L": (_CONTROL_IN, _CONTROL_OUT),
    "AXI4SR": (_BEATS, ("tready",)),
    "metaIntf": (("valid", "data"), ("ready",)),
}
_NARROW = {
    "tlast",
    "tvalid",
    "tready",
    "valid",
    "ready",
    *(one for one in (*_CONTROL_IN, *_CONTROL_OUT) if one[-5:] in ("valid", "ready")),
}


@dataclass(frozen=True)
class Port:
    """An interface of user logic: its kind, the side (``m``, ``s``) that user logic has, and how many."""

    kind: str
    side: str
    name: str
    count: int = 0

    @property
    def driven(self) -> tuple[str, ...]:
        """Return the signals that user logic drives."""
        return SIGNALS[self.kind][self.side == "s"]

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the names of the interface, one for each element."""
        return tuple(f"{self.name}[{k}]" for k in range(self.count)) if self.count else (self.name,)


_V1 = {
    "EN_BPSS": "m bpss_rd_req, m bpss_wr_req, s bpss_rd_done, s bpss_wr_done",
    "EN_RDMA_0": "s rdma_0_rd_req, s rdma_0_wr_req, s axis_rdma_0_sink, m axis_rdma_0_src",
    "EN_RPC": "m rdma_0_sq, s rdma_0_ack",
    "EN_TCP_0": "s tcp_0_notify, m tcp_0_rd_pkg, s tcp_0_rx_meta, m tcp_0_tx_meta, s tcp_0_tx_stat, "
    "s axis_tcp_0_sink, m axis_tcp_0_src",
}


def v1_ports(settings: Mapping[str, str]) -> tuple[Port, ...]:
    """Return the interfaces of version 1 for these variables."""
    found = [Port("AXI4L", "s", "axi_ctrl")]
    for kind, count, switch in (("host", "N_STRM_AXI", "EN_STRM"), ("card", "N_CARD_AXI", "EN_MEM")):
        for number in range(_number(settings, count, 1) if settings.get(switch) == "1" else 0):
            found.append(Port("AXI4SR", "s", f"axis_{kind}_{number}_sink"))
            found.append(Port("AXI4SR", "m", f"axis_{kind}_{number}_src"))
    for switch, names in _V1.items():
        for side, name in (one.split() for one in names.split(", ") if settings.get(switch) == "1"):
            found.append(Port("AXI4SR" if name.startswith("axis_") else "metaIntf", side, name))
    return tuple(found)


def v2_ports(settings: Mapping[str, str]) -> tuple[Port, ...]:
    """Return the interfaces of version 2 for these variables."""
    found = [Port("AXI4L", "s", "axi_ctrl")]
    found += [Port("metaIntf", "m", name) for name in ("notify", "sq_rd", "sq_wr")]
    found += [Port("metaIntf", "s", name) for name in ("cq_rd", "cq_wr")]
    rdma, tcp = settings.get("EN_RDMA") == "1", settings.get("EN_TCP") == "1"
    found += [Port("metaIntf", "s", "rq_rd")] if rdma else []
    found += [Port("metaIntf", "s", "rq_wr")] if rdma or tcp else []
    names = {
        "N_STRM_AXI": ("axis_host",) if settings.get("EN_STRM", "1") == "1" else (),
        "N_CARD_AXI": ("axis_card",) if settings.get("EN_MEM") == "1" else (),
        "N_RDMA_AXI": ("axis_rreq", "axis_rrsp") if rdma else (),
        "N_TCP_AXI": ("axis_tcp",) if tcp else (),
    }
    for count, groups in names.items():
        for name in groups:
            found.append(Port("AXI4SR", "s", f"{name}_recv", _number(settings, count, 1)))
            found.append(Port("AXI4SR", "m", f"{name}_send", _number(settings, count, 1)))
    return tuple(found)


def _number(settings: Mapping[str, str], name: str, default: int) -> int:
    text = settings.get(name, str(default))
    return int(text) if re.fullmatch(r"[0-9]{1,3}", text) else default


_PACKAGE = (
    "localparam integer AXIL_DATA_BITS = 64, AXI_DATA_BITS = 512, AXI_ADDR_BITS = 64, PID_BITS = 6;\n"
    "localparam integer DEST_BITS = 4, VADDR_BITS = 48, LEN_BITS = 28, OPCODE_BITS = 5, STRM_BITS = 2;\n"
    "localparam integer LOCAL_READ = 1, LOCAL_WRITE = 2, STRM_CARD = 0, STRM_HOST = 1;\n"
    "typedef struct packed { logic [4:0] opcode; logic [1:0] strm; logic mode, rdma, remote;\n"
    "logic [3:0] vfid; logic [5:0] pid; logic [3:0] dest; logic last; logic [47:0] vaddr; logic [27:0] len;\n"
    "logic actv, host;\n"
    "logic [5:0] offs; logic [18:0] rsrvd; } req_t;\n"
    "typedef struct packed { logic [4:0] opcode; logic [1:0] strm; logic remote, host; logic [3:0] dest;\n"
    "logic [5:0] pid; logic [3:0] vfid; logic [8:0] rsrvd; } ack_t;\n"
)
# What the queues of version 2 carry.
_CARRIED = {
    "sq_rd": "req_t",
    "sq_wr": "req_t",
    "rq_rd": "req_t",
    "rq_wr": "req_t",
    "cq_rd": "ack_t",
    "cq_wr": "ack_t",
}
_TIED = re.compile(r"always_comb\s+(\w+(?:\[\w+\])?)\.tie_off_([ms])\(\)\s*;")


def module_text(body: str, ports: tuple[Port, ...], settings: Mapping[str, str]) -> str:
    """Return the module of the shell around user logic; its lines are those of the body.

    Tasks of an interface are written out: what they drive is driven here.
    """
    kinds = {port.name: port for port in ports}

    def spread(found: re.Match[str]) -> str:
        port = kinds.get(found[1].partition("[")[0])
        if port is None:
            return found[0]
        ready = "1'b1" if port.kind == "metaIntf" else "1'b0"
        values = {name: ready if name.endswith("ready") else "'0" for name in port.driven}
        return " ".join(f"assign {found[1]}.{name} = {value};" for name, value in values.items())

    declared = [
        f"{port.kind}.{port.side} {port.name}" + (f" [{port.count}]" if port.count else "") for port in ports
    ]
    listed = ", ".join([*declared, "input wire aclk", "input wire [0:0] aresetn"])
    head = f"module {MODULE} import lynxTypes::*; ({listed}); "
    counts = {
        name: _number(settings, name, 1) for name in ("N_STRM_AXI", "N_CARD_AXI", "N_RDMA_AXI", "N_TCP_AXI")
    }
    known = " ".join(f"localparam integer {name} = {value};" for name, value in counts.items())
    return f"{head}{known} {_TIED.sub(spread, body)}\nendmodule\n"


def surroundings(ports: tuple[Port, ...]) -> str:
    """Return interfaces, the slices that Coyote has, and a top with user logic in it."""
    made = []
    for kind, (forth, back) in SIGNALS.items():
        signals = "".join(f"logic {'' if one in _NARROW else '[511:0] '}{one};\n" for one in (*forth, *back))
        ways = f"modport m(output {', '.join(forth)}, input {', '.join(back)});\n"
        ways += f"modport s(input {', '.join(forth)}, output {', '.join(back)});\n"
        carried = ""
        if kind == "metaIntf":
            signals, carried = (
                signals.replace("logic [511:0] data", "T data"),
                "#(parameter type T = logic [511:0]) ",
            )
        ports_of = "(input wire aclk, input wire aresetn)"
        made.append(f"interface {kind} {carried}{ports_of};\n{signals}{ways}endinterface\n")
    passed = "".join(f"assign m_axis.{one} = s_axis.{one};\n" for one in _BEATS)
    for name in ("axisr_reg_array", "axisr_reg"):
        made.append(
            f"module {name} #(parameter integer N_STAGES = 2) (input wire aclk, input wire aresetn, "
            f"AXI4SR.s s_axis, AXI4SR.m m_axis);\n{passed}assign s_axis.tready = m_axis.tready;\nendmodule\n"
        )
    counts = {port: f" [{port.count}]" if port.count else "" for port in ports}
    types = {name: f" #(lynxTypes::{carried})" for name, carried in _CARRIED.items()}
    held = "".join(
        f"{port.kind}{types.get(port.name, '')} {port.name}{count} (.*);\n" for port, count in counts.items()
    )
    clocked = "input wire aclk, input wire [0:0] aresetn"
    made.append(f"module {TOP} ({clocked});\n{held}{MODULE} u_logic (.*);\nendmodule\n")
    text = "".join(made).replace("input wire aclk, input wire aresetn", clocked)
    return f"package lynxTypes;\n{_PACKAGE}endpackage\n{text}"


def black_box(head: Head, name: str) -> str:
    """Return a module with the ports of another."""
    ports = ", ".join(
        f"{port.direction} wire {f'[{port.range}] ' if port.range else ''}{port.name}" for port in head.ports
    )
    given = ", ".join(f"parameter {key} = {value}" for key, value in head.parameters.items())
    return f"module {name} {f'#({given}) ' if given else ''}({ports});\nendmodule\n"
