# SPDX-License-Identifier: BSD-3-Clause
"""Commands about the command line itself: ``completion``, ``help``."""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.cli.command import AddCommand, Answer

SHELLS = ("bash", "zsh", "tcsh")
_INSTALL = """to complete commands, options, choices and files on Tab:
  bash  shellgen completion bash > ~/.shellgen.bash, and source it in ~/.bashrc
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


# The nodes of a generated folder, which is a word of the line that is being typed.
_NODES = {
    "bash": """
_shellgen_nodes() {
  local word core
  for word in "${COMP_WORDS[@]}"; do
    for core in "$word"/*/*_core.v; do
      [ -f "$core" ] && core=${core##*/} && compgen -W "${core%_core.v}" -- "$1"
    done
  done
}
""",
    "zsh": """
_shellgen_nodes() {
  local word
  local -a cores
  for word in $words; do cores+=($word/*/*_core.v(N:t)); done
  compadd -- ${cores%_core.v}
}
""",
    "tcsh": "",
}


def _completion(args: argparse.Namespace) -> Answer:
    import shtab

    values = _values(args.whole)
    for parser in (args.whole, *_commands(args.whole).values()):
        for action in parser._actions:
            if action.type is Path:
                action.complete = shtab.FILE
            if action.dest in values and not action.choices:
                action.choices = values[action.dest]
            if action.dest == "node":
                action.complete = {"bash": "_shellgen_nodes", "zsh": "_shellgen_nodes"}
    script: str = shtab.complete(args.whole, args.shell, preamble=_NODES[args.shell])
    return Answer(script, {"script": script})


def _values(whole: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Return what can be given to an argument or an option, by its name: for Tab, no check."""
    from shellgen.platforms import platform_registry
    from shellgen.read import find_boards

    boards = sorted({found.board.name for found in find_boards(Path())})
    return {
        "topic": list(_commands(whole)),
        "board": boards,
        "boards": boards,
        "platform": sorted(platform_registry()),
    }


def _help(args: argparse.Namespace) -> Answer:
    commands = _commands(args.whole)
    if args.topic and args.topic not in commands:
        raise args.whole.wrong_word("command", args.topic, commands)
    text = (commands[args.topic] if args.topic else args.whole).format_help()
    return Answer(text, {"help": text}, styled=True)


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    choices = next(action.choices for action in parser._actions if isinstance(action.choices, dict))
    return dict(choices)
