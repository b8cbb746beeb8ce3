# SPDX-License-Identifier: BSD-3-Clause
"""The small IP of the catalogue: interrupts, constants, stream switches."""

from __future__ import annotations

from .catalogue import AXIMM, AXIS, BIT, CLOCK, RESET, Config, Interface, Ip, Pin, Segment, every


def _concat_pins(config: Config) -> dict[str, Pin]:
    count = int(config["NUM_PORTS"])
    found = {f"In{index}": Pin("in", required=True) for index in range(count)}
    return found | {"dout": Pin("out", bits=count)}


XLCONCAT = Ip(
    "xlconcat",
    every("2.1"),
    {"NUM_PORTS": ("2", "[1-9]|[12][0-9]|3[0-2]")},
    lambda config: {},  # noqa: ARG005
    _concat_pins,
)

XLCONSTANT = Ip(
    "xlconstant",
    every("1.1"),
    {"CONST_WIDTH": ("1", "[1-9][0-9]*"), "CONST_VAL": ("1", "[0-9]+|0x[0-9a-fA-F]+")},
    lambda config: {},  # noqa: ARG005
    lambda config: {"dout": Pin("out", bits=int(config["CONST_WIDTH"]))},
)


def _intc_pins(config: Config) -> dict[str, Pin]:
    found = {"s_axi_aclk": CLOCK, "s_axi_aresetn": RESET, "intr": Pin("in", required=True, bits=0)}
    return found | ({"irq": Pin("out")} if config["C_IRQ_CONNECTION"] == "1" else {})


AXI_INTC = Ip(
    "axi_intc",
    every("4.1"),
    {
        "C_IRQ_CONNECTION": ("0", BIT),
        "C_KIND_OF_INTR": ("0xFFFFFFFF", "0x[0-9A-Fa-f]{8}"),
        "C_HAS_FAST": ("0", BIT),
    },
    lambda config: {  # noqa: ARG005
        "s_axi": Interface(
            AXIMM, "slave", "s_axi_aclk", "AXI4LITE", 32, segments=(Segment("Reg", 0x1000),), path="S_AXI"
        )
    },
    _intc_pins,
    frozenset({"C_KIND_OF_INTR"}),
)


def _switch_interfaces(config: Config) -> dict[str, Interface]:
    sides = [(f"S{index:02}_AXIS", "slave") for index in range(int(config["NUM_SI"]))]
    sides += [(f"M{index:02}_AXIS", "master") for index in range(int(config["NUM_MI"]))]
    shape = {
        "bits": 8 * int(config["TDATA_NUM_BYTES"]),
        "has_last": config["HAS_TLAST"] == "1",
        "has_keep": config["HAS_TKEEP"] == "1",
        "dest_bits": int(config["TDEST_WIDTH"]) if config["NUM_MI"] != "1" else 0,
    }
    return {name: Interface(AXIS, mode, "aclk", **shape) for name, mode in sides}  # type: ignore[arg-type]


def _switch_pins(config: Config) -> dict[str, Pin]:
    slaves = int(config["NUM_SI"])
    suppress = {"s_req_suppress": Pin("in", required=True, bits=slaves)} if slaves > 1 else {}
    return {"aclk": CLOCK, "aresetn": RESET, **suppress}


AXIS_SWITCH = Ip(
    "axis_switch",
    every("1.1"),
    {
        "NUM_SI": ("2", "[1-9]|1[0-6]"),
        "NUM_MI": ("1", "[1-9]|1[0-6]"),
        "TDATA_NUM_BYTES": ("1", "[0-9]+"),
        "TDEST_WIDTH": ("1", "[0-9]+"),
        **dict.fromkeys(("HAS_TKEEP", "HAS_TLAST", "DECODER_REG", "ARB_ON_TLAST"), ("0", BIT)),
        "ARB_ON_MAX_XFERS": ("1", "[0-9]+"),
    },
    _switch_interfaces,
    _switch_pins,
)
