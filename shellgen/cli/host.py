# SPDX-License-Identifier: BSD-3-Clause
"""``host``: what the servers of a cluster need once."""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.cli.command import AddCommand, Answer

MOST_DAYS = 36_500


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("host", _host, "Make the keys with which shellgen-node and its clients know each other.")
    sub.add_argument("what", choices=("keys",), help="keys: an authority, and certificates of all nodes")
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    sub.add_argument("-o", "--keys", type=Path, default=Path("keys"), help="folder to write (default keys)")
    text = "days until the certificates end (default 730)"
    sub.add_argument("--days", type=_days, default=730, metavar="N", help=text)


def _days(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_DAYS:
        raise argparse.ArgumentTypeError(f"got {text!r}; give days from 1 to {MOST_DAYS}")
    return int(text)


def _host(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse.keys import cluster_keys

    made = cluster_keys(args.out, args.keys, args.days)
    lines = [
        f"{args.keys}: keys for {args.days} days",
        f"  {made[0].name}: stays with you, as keys in hosts.toml",
    ]
    lines += [f"  {folder.name}: copy to that board, for --keys of shellgen-node" for folder in made[1:]]
    lines += ["  ca.key: makes certificates that all of them accept; keep it away from the boards"]
    return Answer("\n".join(lines), {"keys": str(args.keys), "folders": [folder.name for folder in made]})
