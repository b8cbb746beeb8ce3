# SPDX-License-Identifier: BSD-3-Clause
"""Output of target `shell` of Coyote v1, as far as the generated project.tcl reads it, for `shellgen check`.

Source: Coyote 46298860, hw/scripts/wr_hdl/template_gen/user_logic.txt and lynx_pkg.txt.
"""

from __future__ import annotations

from collections.abc import Mapping

# Interfaces of user logic by the variable that brings them.
SWITCHED = {
    "EN_BPSS": (
        *("metaIntf.m bpss_rd_req", "metaIntf.m bpss_wr_req"),
        *("metaIntf.s bpss_rd_done", "metaIntf.s bpss_wr_done"),
    ),
    "EN_RDMA_0": (
        *("metaIntf.s rdma_0_rd_req", "metaIntf.s rdma_0_wr_req"),
        *("AXI4SR.s axis_rdma_0_sink", "AXI4SR.m axis_rdma_0_src"),
    ),
    "EN_RPC": ("metaIntf.m rdma_0_sq", "metaIntf.s rdma_0_ack"),
    "EN_TCP_0": (
        *("metaIntf.s tcp_0_notify", "metaIntf.m tcp_0_rd_pkg", "metaIntf.s tcp_0_rx_meta"),
        *("metaIntf.m tcp_0_tx_meta", "metaIntf.s tcp_0_tx_stat"),
        *("AXI4SR.s axis_tcp_0_sink", "AXI4SR.m axis_tcp_0_src"),
    ),
}


def shell_interfaces(settings: Mapping[str, str], more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the interfaces of user logic for these variables: kind, side and name."""
    found = ["AXI4L.s axi_ctrl"]
    for kind, count, switch in (("host", "N_STRM_AXI", "EN_STRM"), ("card", "N_CARD_AXI", "EN_MEM")):
        for number in range(int(settings[count]) if settings.get(switch) == "1" else 0):
            found += [f"AXI4SR.s axis_{kind}_{number}_sink", f"AXI4SR.m axis_{kind}_{number}_src"]
    for switch, names in SWITCHED.items():
        found += names if settings.get(switch) == "1" else ()
    return (*found, *more)


def shell_user_logic(ports: tuple[str, ...]) -> str:
    """Return user_logic_c0_0.sv as Coyote leaves it, with comments where they could mislead."""
    declared = "".join(f"    // of Coyote\n    {port},\n" for port in ports)
    idle = "".join(f"//always_comb {port.split()[1]}.tie_off();\n" for port in ports)
    return (
        "import lynxTypes::*;\n\nmodule design_user_logic_c0_0 (\n"
        + declared
        + "    input  wire                 aclk,\n    input  wire[0:0]            aresetn\n);\n\n"
        + "/* -- Tie-off unused interfaces and signals ----------------------------- */\n"
        + idle
        + "\n/* -- USER LOGIC -------------------------------------------------------- */\n\n\n\nendmodule"
    )


def shell_package(layouts: Mapping[str, str]) -> str:
    """Return lynx_pkg.sv with these requests: members and their bits, the highest first."""
    text = "package lynxTypes;\n"
    for name, layout in layouts.items():
        words = layout.split()
        text += "    typedef struct packed {\n"
        for member, bits in zip(words[::2], words[1::2], strict=True):
            text += f"        logic {f'[{int(bits) - 1}:0] ' if bits != '1' else ''}{member};\n"
        text += f"    }} {name};\n"
    return text + "endpackage\n"
