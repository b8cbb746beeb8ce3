# SPDX-License-Identifier: BSD-3-Clause
"""``install``: the servers of a cluster, on its boards."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from shellgen.cli.command import AddCommand, Answer
from shellgen.cli.run import add_nodes_of_cluster

# Memory of u-dma-buf, and a place for bitstreams from which the kernel loads them.
_OPTIONS = "--buffers /dev/udmabuf0 --store /lib/firmware/shellgen"
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("install", _install, "Install shellgen-node as a service on the boards, by ssh.")
    add_nodes_of_cluster(sub)
    text = "shellgen-node, compiled for the boards"
    sub.add_argument("--program", type=Path, required=True, metavar="FILE", help=text)
    text = f"more options of shellgen-node, the same on all boards (default: {_OPTIONS})"
    sub.add_argument("--options", default=_OPTIONS, metavar="TEXT", help=text)
    sub.add_argument("--user", type=_user, default="root", help="user on the boards (default root)")
    sub.add_argument("--sudo", action="store_true", help="that user becomes root by `sudo -n`")


def _user(text: str) -> str:
    if not _USER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"got {text!r}; give the name of a user")
    return text


def _install(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse.install import Login, install

    login = Login(args.user, args.sudo)
    lines = install(args.out, args.hosts, args.program, args.options, login, args.node)
    return Answer("\n".join(lines), {"installed": list(lines)})
