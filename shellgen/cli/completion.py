# SPDX-License-Identifier: BSD-3-Clause
"""Commands about the command line itself: ``completion``, ``help``."""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.cli.command import AddCommand, Answer

SHELLS = ("bash", "zsh", "tcsh")
_INSTALL = """to complete commands, options, choices and files on Tab:
  bash  shellgen completion bash > ~/.local/share/bash-completion/completions/shellgen
  zsh   shellgen completion zsh > <a folder of $fpath>/_shellgen
  tcsh  shellgen completion tcsh > ~/.shellgen.tcsh, and source it in ~/.tcshrc
"""


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("completion", _completion, "Print the script that completes commands on Tab.")
    sub.add_argument("shell", choices=SHELLS)
    sub.epilog, sub.formatter_class = _INSTALL, argparse.RawDescriptionHelpFormatter
    sub = add("help", _help, "Show this help, or that of a command.")
    sub.add_argument("topic", nargs="?", metavar="COMMAND", help="command")


def _completion(args: argparse.Namespace) -> Answer:
    import shtab

    for parser in (args.whole, *_commands(args.whole).values()):
        for action in parser._actions:
            if action.type is Path:
                action.complete = shtab.FILE
            if action.dest == "topic":
                action.choices = list(_commands(args.whole))
    script: str = shtab.complete(args.whole, args.shell)
    return Answer(script, {"script": script})


def _help(args: argparse.Namespace) -> Answer:
    commands = _commands(args.whole)
    if args.topic and args.topic not in commands:
        raise args.whole.wrong_word("command", args.topic, commands)
    text = (commands[args.topic] if args.topic else args.whole).format_help()
    return Answer(text, {"help": text})


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    choices = next(action.choices for action in parser._actions if isinstance(action.choices, dict))
    return dict(choices)
