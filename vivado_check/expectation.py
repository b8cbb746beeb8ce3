# SPDX-License-Identifier: BSD-3-Clause
"""Expectations of a caller about scripts before they are run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Script:
    """A script that Vivado is given; later ones see what earlier ones wrote.

    Attributes:
        file: Below the folder of the scripts.
        arguments: As after ``-tclargs``.
        opened: Part of the project that somebody else's flow has open when it sources the script; empty if
            the script makes its own.
        design: Block design that is open in that project, if any.
        left: Path below the folder of a closed project of that part, which the script opens by itself.
        given: Third-party files that the script reads: path below the folder, and text.
    """

    file: str
    arguments: tuple[str, ...] = ()
    opened: str = ""
    design: str = ""
    left: str = ""
    given: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Expectation:
    """Expectations of the scripts' author, such as a generator that checks its own output.

    The author vouches that scripts and files are complete: a missing one is a finding. For a script without
    an expectation, nobody can say whether what is missing comes from elsewhere.

    Attributes:
        home: Folder of the scripts below the folder that is checked, also the name of the design and of its
            bitstream; empty if the scripts lie in the folder itself.
        scripts: What Vivado is given, in order.
        board: Name of the board or the card.
        part: Of the FPGA.
        raised: Identities of messages that the scripts make errors (``Synth 8-4445``).
        buses: Interfaces that are connected, without hierarchies (``dma/S_AXIS_S2MM``), by block design.
        loaded: Whether the host fills memories that begin with zeros.
    """

    home: str = ""
    scripts: tuple[Script, ...] = ()
    board: str = ""
    part: str = ""
    raised: tuple[str, ...] = ()
    buses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    loaded: bool = False
