# SPDX-License-Identifier: BSD-3-Clause
"""Check of a configuration file of ``v++`` without a plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..coverage import Coverage
from ..errors import InputError, Problem
from ..formats.files import file_text
from ..report import Message, Report, Verdict
from ..rules.board_facts import boards
from .config import Option, read_config
from .judge import Card, Link
from .kernels import known_kernels, read_kernels

SUFFIXES = (".cfg", ".ini")
# Options that say what is linked to what, and so can be judged.
_JUDGED = ("nk", "sp", "slr", "stream_connect", "freqHz", "kernel_frequency")
_TEMPLATE = re.compile(r"\$\w|\{\{")
_CARD = re.compile(r"xilinx_(u\d+\w?)_")


def link_checked(path: Path, learn: Sequence[Path], platform: str) -> tuple[Report, Coverage]:
    """Check a configuration file.

    Args:
        path: The file.
        learn: Descriptions of kernels: kernel.xml, .xo, or folders with them.
        platform: Name of the target platform; empty: the one that the file names, if it does.

    Raises:
        InputError: It is no configuration of a link, or a description cannot be read.
    """
    options = read_config(file_text(path, errors="replace"), path.name)
    judged = [one for one in options if one.key in _JUDGED]
    if unfilled := next((one for one in judged if _TEMPLATE.search(one.value)), None):
        found = f"line {unfilled.origin.line} is a template: {unfilled.key}={unfilled.value}"
        raise InputError(Problem(str(path), found, "Give the file that is made from it"))
    if not judged:
        found = "it has no option of v++ that links kernels, such as nk, sp or stream_connect"
        raise InputError(Problem(str(path), found, "Give the file that `v++ --link --config` gets"))
    described = read_kernels(learn)
    link = Link(options, {**known_kernels(), **described}, frozenset(described), _card(options, platform))
    report = Report.of(link.messages())
    return report, _coverage(judged, report.messages)


def _card(options: Sequence[Option], platform: str) -> Card:
    """Return the card of the platform; kernels of a network may be anywhere, as far as v++ is concerned."""
    named = [one.value for one in options if one.key == "platform" and not one.section]
    match = _CARD.search(Path(platform or (named[-1] if named else "")).name)
    facts = boards().get(match[1], {}) if match else {}
    return Card(facts.get("slrs", 0), None, facts.get("banks"))


def _coverage(judged: Sequence[Option], messages: Sequence[Message]) -> Coverage:
    unknown = {one.origin for one in messages if one.verdict is Verdict.NOT_MODELLED}
    known = [one for one in judged if one.origin not in unknown]
    return Coverage(
        ended=True,
        commands=len(known),
        judged=len(known),
        unknown=tuple(one.key for one in judged if one.origin in unknown),
    )
