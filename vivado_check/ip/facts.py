# SPDX-License-Identifier: BSD-3-Clause
"""Queries on the facts of an IP. Every answer may be "not known": None, never a guess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

CLOCK = "xilinx.com:signal:clock:1.0"
RESET = "xilinx.com:signal:reset:1.0"
INTERRUPT = "xilinx.com:signal:interrupt:1.0"
AXIMM = "xilinx.com:interface:aximm:1.0"
AXIS = "xilinx.com:interface:axis:1.0"


@dataclass(frozen=True)
class IpPort:
    """A plain port; left and right are None for a scalar, and where the width is not known (not sized).

    Attributes:
        default: What an input gets if nothing is connected to it, None if nothing is known.
    """

    name: str
    direction: Literal["in", "out", "inout"]
    left: int | None = None
    right: int | None = None
    sized: bool = True
    default: str | None = None

    @property
    def bits(self) -> int | None:
        """Width, or None if not known."""
        if not self.sized:
            return None
        return 1 if self.left is None or self.right is None else abs(self.left - self.right) + 1


@dataclass(frozen=True)
class IpInterface:
    """An interface: a bus, or a clock, reset or interrupt pin, by its VLNV.

    Attributes:
        mode: ``master``, ``slave``, ``monitor``, ``mirroredMaster``...
        params: Bus parameters in this configuration (PROTOCOL, TDATA_NUM_BYTES, FREQ_HZ, POLARITY,
            ASSOCIATED_BUSIF...); those that propagation would change are left out.
        ports: Physical port by logical name.
        space: Address space of a master, or empty.
        memory: Memory map of a slave, or empty.
        apertures: What a master reaches of its space, as (first byte, bytes): segments of the space that
            are called ``<interface>`` or ``<interface>/...``; empty if nothing narrows it.
        bridges: Masters of the same IP that a slave hands accesses on to, where that is known; empty
            otherwise.
    """

    name: str
    mode: str
    vlnv: str
    params: Mapping[str, str] = field(default_factory=dict)
    ports: Mapping[str, str] = field(default_factory=dict)
    space: str = ""
    memory: str = ""
    apertures: tuple[tuple[int, int], ...] = ()
    bridges: tuple[str, ...] = ()


@dataclass(frozen=True)
class AddressBlock:
    """A block of a memory map; base and range in bytes, None if not known. The segment is memory/name.

    Attributes:
        absolute: Whether its base is the address at which every master sees it (the DDR behind a port of a
            processing system): so where some block of the map, switched on or not, has a base other than 0.
    """

    memory: str
    name: str
    base: int | None
    range: int | None
    usage: str = ""
    access: str = ""
    absolute: bool = False


@dataclass(frozen=True)
class Resolved:
    """An IP in one configuration.

    Attributes:
        complete: Whether these are all its interfaces and ports; if not, an unknown pin is "not modelled".
        spaces: Bytes of each address space, None if not known.
        doubtful: Names of ports, interfaces and blocks (``memory/block``) whose presence is unknown.
        closed: Whether there can be no others: the facts are the IP's own list, as a package or a module
            has it. Those of instances are not: vendors add pins with revisions and by programs.
        denied: Names that the configuration itself switches off, without any default.
        known: All names that it may have in other configurations.
    """

    interfaces: Mapping[str, IpInterface]
    ports: Mapping[str, IpPort]
    blocks: tuple[AddressBlock, ...] = ()
    spaces: Mapping[str, int | None] = field(default_factory=dict)
    complete: bool = False
    doubtful: frozenset[str] = frozenset()
    closed: bool = False
    denied: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Parameter:
    """A parameter that the IP has.

    Attributes:
        choices: All legal values, or None if not known to be few.
        lowest: Least legal integer, or None; likewise highest.
        enabled: Whether it may be set in this configuration, None if not known.
        default: Its default, None if not known.
        derived: Whether validation changes it unless its VALUE_SRC is USER, None if not known.
        until: The newest release that the choices are known of, empty if not known.
    """

    name: str
    format: str = ""
    choices: tuple[str, ...] | None = None
    lowest: int | None = None
    highest: int | None = None
    enabled: bool | None = None
    default: str | None = None
    derived: bool | None = None
    until: str = ""


class Ip(Protocol):
    """The facts of one IP, or of one module reference."""

    @property
    def vlnv(self) -> str:
        """Return its name with its version."""
        ...

    @property
    def complete(self) -> bool:
        """Return whether `parameter` knows all parameters; if not, an unknown one is "not modelled"."""
        ...

    @property
    def closed(self) -> bool:
        """Return whether it has no other parameters, as its own package says; instances may lack new ones."""
        ...

    def parameter_names(self) -> Iterable[str]:
        """Return the names of all parameters that are known."""
        ...

    def parameter(self, name: str, config: Mapping[str, str]) -> Parameter | None:
        """Return a parameter (upper and lower case count as Vivado counts them), or None."""
        ...

    def resolve(self, config: Mapping[str, str]) -> Resolved:
        """Return pins, interfaces and addresses under these CONFIG values."""
        ...


class Catalogue(Protocol):
    """All facts at hand for one release."""

    def find(self, vlnv: str, release: str) -> Ip | None:
        """Return the IP of a VLNV, with or without its version; None if it is not known."""
        ...

    def versions(self, vlnv: str, release: str) -> tuple[str, ...] | None:
        """Return the VLNVs that the release's catalogue has under a pattern, None if not known."""
        ...
