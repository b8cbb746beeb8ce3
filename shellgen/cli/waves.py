# SPDX-License-Identifier: BSD-3-Clause
"""``waves``: open the waves of a simulation in a viewer."""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.cli.command import FAILED, WRONG_INPUT, AddCommand, Answer
from shellgen.errors import Problem


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("waves", _waves, "Open the waves of a simulation in Surfer or GTKWave.")
    sub.add_argument("out", type=Path, help="folder that `shellgen simulate --waves` ran in")
    text = "simulator whose waves are opened (default: the one whose run failed)"
    sub.add_argument("--simulator", choices=("verilator", "icarus"), help=text)
    text = "viewer (default: the first that is on PATH)"
    sub.add_argument("--viewer", choices=("surfer", "gtkwave"), help=text)
    sub.add_argument("--print", action="store_true", help="print the command instead of running it")


def _waves(args: argparse.Namespace) -> Answer:
    from shellgen.simulate.viewer import choose, commands, find_waves, start

    waves = find_waves(args.out, args.simulator)
    asked = [line for viewer, line in commands(waves).items() if args.viewer in (None, viewer)]
    data = {"file": str(waves), "commands": list(asked)}
    if args.print:
        return Answer("\n".join(asked), data)
    viewer = choose(args.viewer)
    if viewer is None:
        wanted = args.viewer or "neither Surfer nor GTKWave"
        found = f"{wanted} is {'not ' if args.viewer else ''}there"
        problem = Problem("PATH", found, "Install it, or open the waves elsewhere by the command above")
        return Answer("\n".join(asked), data, WRONG_INPUT, (f"shellgen: error: {problem}",))
    code = start(viewer, waves)
    line = commands(waves)[viewer]
    if code:
        return Answer("", data | {"exit": code}, FAILED, (f"shellgen: {viewer} ended with {code}: {line}",))
    return Answer(line, data | {"exit": 0})
