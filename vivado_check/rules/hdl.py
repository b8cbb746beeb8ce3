# SPDX-License-Identifier: BSD-3-Clause
"""The HDL of a node, elaborated as synthesis does: nothing is wrong with ours, nothing fatal with FINN's.

Only our own output is judged: of anybody else's sources nobody can say what is meant. What FINN wrote is held
to what breaks hardware, since its style is not ours to judge, and slang refuses some of what Vivado takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vivado_check.syntax import Finding

from ..hdl import Hdl, Source, tops
from ..report import Message, Origin, Verdict
from .base import Context, rule

# Cells of AMD's devices, and macros that Vivado brings along (UG953, UG974).
PRIMITIVE = re.compile(
    r"xpm_\w+|LUT[1-6](_2|_D|_L|CY\w*)?|LOOKAHEAD8|DSP(48E[125]?|58|FP32|CPLX|_\w+)|CARRY[48]|MUXF[789]"
    r"|FD[RSPC]E(_1)?|LD[CP]E|SRL(16E|C16E|C32E)|RAM(B(18|36)(E[125]|SDP)|D?\d+\w*|S\d+\w*)|URAM288\w*"
    r"|FIFO(18|36)E[12]|BUF[A-Z_0-9]+|[IO]?O?BUF\w*|MMCM\w+|PLL\w+|[IO]DDR\w*|[IO]SERDES\w+|GND|VCC"
    r"|PULLUP|PULLDOWN|STARTUP\w+|BSCAN\w+|ICAP\w+|DNA_PORT\w*|GT[A-Z]+\d\w*|HBM_\w+"
)


@dataclass(frozen=True)
class Class:
    """A class of faults.

    Attributes:
        codes: Slang's names.
        ours: Whether it counts in our own files only.
        vivado: Identity of Vivado's message.
    """

    name: str
    verdict: Verdict
    codes: tuple[str, ...]
    expected: str
    remedy: str
    vivado: str = ""
    ours: bool = False


CLASSES = (
    Class(
        name="hdl-missing-module",
        verdict=Verdict.ERROR,
        codes=("UnknownModule",),
        expected="a module that a file of the project defines",
        remedy="add the file that defines it",
        vivado="Synth 8-439",
    ),
    Class(
        name="hdl-module-twice",
        verdict=Verdict.FINDING,
        codes=("DuplicateDefinition",),
        expected="one definition of each module; Vivado takes the last",
        remedy="rename one, or leave its file out",
        vivado="Synth 8-9873",
    ),
    Class(
        name="hdl-port",
        verdict=Verdict.ERROR,
        codes=("PortDoesNotExist", "ParamDoesNotExist", "ParameterDoesNotExist"),
        expected="a port or parameter that the module has",
        remedy="connect what the module declares",
    ),
    Class(
        name="hdl-drivers",
        verdict=Verdict.FINDING,
        codes=(
            *("MultipleNetDrivers", "MultipleContAssigns", "MixedVarAssigns", "MultipleAlwaysAssigns"),
            "MultipleUWireDrivers",
        ),
        expected="one driver for each bit",
        remedy="remove all drivers but one",
        vivado="Synth 8-3352",
    ),
    Class(
        name="hdl-undriven",
        verdict=Verdict.FINDING,
        codes=("UndrivenNet", "UndrivenPort", "UnassignedVariable"),
        expected="a driver for each bit; synthesis takes 0",
        remedy="connect it to what drives it",
        vivado="Synth 8-3848",
    ),
    Class(
        name="hdl-open-input",
        verdict=Verdict.FINDING,
        codes=("UnconnectedInputPort", "EmptyInputPortConn", "UnconnectedUnnamedPort"),
        expected="a connection of each input; synthesis ties it to 0",
        remedy="connect it",
    ),
    Class(
        name="hdl-undriven",
        verdict=Verdict.FINDING,
        codes=("PartlyDrivenNet",),
        expected="a driver for each bit; synthesis takes 0",
        remedy="connect it to what drives it",
        ours=True,
    ),
    Class(
        name="hdl-port-width",
        verdict=Verdict.FINDING,
        codes=("PortWidthTruncate", "PortWidthExpand"),
        expected="as many bits on both sides of a port",
        remedy="connect all bits",
        vivado="Synth 8-689",
        ours=True,
    ),
)
OTHER = Class(
    name="hdl-finding",
    verdict=Verdict.FINDING,
    codes=(),
    expected="generated files without findings of slang",
    remedy="generate the folder again; if that does not help, report it as a fault of the generator",
    ours=True,
)
BY_CODE = {code: found for found in CLASSES for code in found.codes}
# A cast that a parameter makes idle, outputs that nobody wants, HLS with time scales beside ours without.
# A shift by all bits and more gives 0 (IEEE 1800-2017, 11.4.10): the last step of a generic shifter.
STYLE = {"UselessCast", "UnconnectedOutputPort", "EmptyOutputPortConn", "MissingTimeScale"}
STYLE |= {"ShiftCountOverflow"}


@rule("hdl", scope="session", source="IEEE 1800-2017, 23.3; UG901", ours=True)
def hdl(context: Context) -> Iterator[Message]:
    """Everything below a generated top elaborates, and each bit has one driver."""
    for project in context.projects:
        for top, origin in tops(context.recording).items():
            if project.defining(top):
                # Of what the tool writes we have the ports alone.
                shells = {f"{name}_wrapper.v" for name in context.recording.designs}
                yield from _judged(project, top, origin, shells)


def _judged(project: Hdl, top: str, origin: Origin, shells: set[str]) -> Iterator[Message]:
    named = {source.name: source for source in (*project.sources, *project.headers)}
    for finding in project.below(top).findings:
        source = named.get(finding.file)
        found = _class(finding, source, project)
        if found and finding.file.rpartition("/")[2] not in shells:
            yield Message(
                rule=found.name,
                verdict=found.verdict,
                origin=Origin(finding.file, finding.line) if source else origin,
                where=f"below {top}",
                found=finding.text,
                expected=found.expected,
                remedy=found.remedy,
                vivado=found.vivado,
            )


def _class(finding: Finding, source: Source | None, project: Hdl) -> Class | None:
    """Return what class a finding is of, None if it does not matter."""
    found = BY_CODE.get(finding.code, OTHER)
    quoted = re.search(r"'(.*?)'", finding.text)
    name = quoted[1] if quoted else ""
    if finding.code == "UnknownModule" and (project.closed or PRIMITIVE.fullmatch(name)):
        return None
    if (found.ours or finding.idle) and (source is None or source.foreign or finding.code in STYLE):
        return None
    # What is not used on purpose is called so.
    return None if finding.code.startswith("Unused") and "unused" in name else found
