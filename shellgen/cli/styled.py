# SPDX-License-Identifier: BSD-3-Clause
"""Help in colour, for a terminal."""

from __future__ import annotations

from argparse import HelpFormatter

from rich_argparse import RawDescriptionRichHelpFormatter, RichHelpFormatter


class _Wrapped(RichHelpFormatter):
    """Descriptions are wrapped; brackets, as in [[node]], are no markup; groups keep their names."""

    help_markup = text_markup = False
    group_name_formatter = str


class _Raw(RawDescriptionRichHelpFormatter):
    """The same, but description and epilog keep their lines."""

    help_markup = text_markup = False
    group_name_formatter = str


def formatter(prog: str, *, raw: bool) -> HelpFormatter:
    """Return a formatter of help; raw: description and epilog keep their lines."""
    from rich.console import Console

    return (_Raw if raw else _Wrapped)(prog, console=Console(force_terminal=True))
