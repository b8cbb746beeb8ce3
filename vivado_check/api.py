# SPDX-License-Identifier: BSD-3-Clause
"""Names for programs that check scripts, and for packages that add rules; README.md shows both."""

from .design import Cell, Design, Net, Pin, Setting
from .errors import InputError, Problem, UserError
from .expectation import Expectation, Script
from .graph import Graph
from .recording import Call, Project, Recording, Run
from .report import Message, Origin, Report, Verdict
from .rules.base import Context, rule
from .run import Checked, Options, check, start

__all__ = [
    "Call",
    "Cell",
    "Checked",
    "Context",
    "Design",
    "Expectation",
    "Graph",
    "InputError",
    "Message",
    "Net",
    "Options",
    "Origin",
    "Pin",
    "Problem",
    "Project",
    "Recording",
    "Report",
    "Run",
    "Script",
    "Setting",
    "UserError",
    "Verdict",
    "check",
    "rule",
    "start",
]
