# SPDX-License-Identifier: BSD-3-Clause
"""A node's sources, by their file types in Vivado."""

from __future__ import annotations

from dataclasses import dataclass

VERILOG = ("v",)
SYSTEMVERILOG = ("sv",)
HEADERS = ("vh", "svh")
NETLISTS = ("dcp", "edf", "edif", "edn", "ngc")  # of a partition that comes without RTL


@dataclass(frozen=True)
class Sources:
    """Names relative to the node's folder, in the order in which a compiler must read them.

    Attributes:
        verilog: Verilog.
        systemverilog: SystemVerilog.
        headers: What these include.
        include_dirs: Folders of the headers.
        netlists: What comes without RTL.
        data: What memories are filled from.
    """

    verilog: list[str]
    systemverilog: list[str]
    headers: list[str]
    include_dirs: list[str]
    netlists: list[str]
    data: list[str]

    @property
    def commands(self) -> tuple[tuple[str, list[str]], ...]:
        """Return Vivado's command for each kind of source; memory initialisation files are separate."""
        return (
            ("read_verilog -sv", self.systemverilog),
            ("read_verilog", self.verilog),
            ("add_files -norecurse", [*self.headers, *self.netlists]),
        )


def sort_sources(files: tuple[str, ...]) -> Sources:
    """Sort the files of a node by their extensions."""

    def of(*kinds: str) -> list[str]:
        return [name for name in files if extension(name) in kinds]

    known = {*VERILOG, *SYSTEMVERILOG, *HEADERS, *NETLISTS}
    return Sources(
        verilog=of(*VERILOG),
        systemverilog=of(*SYSTEMVERILOG),
        headers=of(*HEADERS),
        include_dirs=sorted({name.rpartition("/")[0] for name in of(*HEADERS)}),
        netlists=of(*NETLISTS),
        data=[name for name in files if extension(name) not in known],
    )


def extension(name: str) -> str:
    """Return the extension of a file, without its dot."""
    return name.rpartition(".")[2]
