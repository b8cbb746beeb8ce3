# SPDX-License-Identifier: BSD-3-Clause
"""``rehearse``: a cluster runs on this machine, with its real servers and client."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer, whole_number
from shellgen.errors import InputError, one
from shellgen.progress import step

MOST_FRAMES = 10_000_000
MOST_PORT = 65535
MOST_SEED = (1 << 63) - 1
MOST_SLOWER = 1_000_000
WINDOW = 100  # frames under way, of which the client keeps count


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("rehearse", _rehearse, "Run a cluster on this machine, one server per node.")
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    text = "frames to send, the golden ones over and over (default: each once)"
    sub.add_argument("--frames", type=_frames, metavar="N", help=text)
    text = "faults.toml: processes and connections to break during the run"
    sub.add_argument("--script", type=Path, metavar="FILE", help=text)
    text = "one to five random faults instead of a script; the same seed, the same ones"
    sub.add_argument("--seed", type=_seed, metavar="S", help=text)
    text = "boards at their own pace by the estimate, or so many times slower, with golden frames for cores"
    sub.add_argument("--pace", type=_slower, nargs="?", const=1.0, metavar="SLOWER", help=text)
    text = f"frames under way at most (default {WINDOW})"
    sub.add_argument("--in-flight", type=_in_flight, metavar="K", help=text)
    text = "live picture in a browser of this machine; PORT 0 (default): any free one"
    sub.add_argument("--web", type=_port, nargs="?", const=0, metavar="PORT", help=text)
    text = "send nothing; keep the nodes running for `run` and others, their addresses in this new hosts.toml"
    sub.add_argument("--keep", type=Path, metavar="HOSTS", help=text)
    text = "with --keep: keys of `shellgen host keys`, for `program`, `drain` and `stop` as on boards"
    sub.add_argument("--keys", type=Path, metavar="DIR", help=text)
    text = "rehearse although generated files were edited; the verdict names them"
    sub.add_argument("--edited", action="store_true", help=text)


def _frames(text: str) -> int:
    return whole_number(text, MOST_FRAMES)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_SEED:
        raise argparse.ArgumentTypeError(f"got {text!r}; give a whole number from 0 to {MOST_SEED}")
    return int(text)


def _slower(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 1 <= found <= MOST_SLOWER:
        raise argparse.ArgumentTypeError(f"got {text!r}; give a number from 1 to {MOST_SLOWER}")
    return found


def _in_flight(text: str) -> int:
    return whole_number(text, WINDOW)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_PORT:
        raise argparse.ArgumentTypeError(f"got {text!r}; give a port up to {MOST_PORT}")
    return int(text)


def _keep(args: argparse.Namespace) -> Answer:
    """Keep the nodes until Ctrl-C."""
    from shellgen.rehearse.kept import kept, written

    others = {
        "--pace": args.pace,
        "--in-flight": args.in_flight,
        "--frames": args.frames,
        "--script": args.script,
        "--seed": args.seed,
        "--web": args.web,
    }
    for option, value in others.items():
        if value is not None:
            why = "--keep sends no frames and breaks nothing"
            raise one(InputError, f"rehearse: {option}", why, "Give only one of the two")
    with kept(args.out, edited=args.edited, keys=args.keys) as found, written(args.keep, found.toml()):
        said = f"{len(found.nodes)} nodes run, {args.keep} has their addresses; Ctrl-C ends them"
        print(said, file=sys.stderr, flush=True)
        step("the nodes run")
        try:
            text = f"node {found.wait()} was ended by an order, and so the nodes have ended"
        except KeyboardInterrupt:
            text = "the nodes have ended"
        return Answer(text, {"edited": list(found.edited)}, PASSED)


def _rehearse(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse.run import RehearseOptions, rehearse

    if args.keep:
        return _keep(args)
    if args.keys:
        why = "without --keep nobody gives orders to the nodes"
        raise one(InputError, "rehearse: --keys", why, "Give --keep, too, or leave it out")
    if args.script and args.seed is not None:
        raise one(InputError, "rehearse: --seed", "--script says what breaks", "Give only one of the two")
    options = RehearseOptions(
        args.frames,
        args.script,
        args.edited,
        args.seed,
        web=args.web,
        slower=args.pace,
        in_flight=args.in_flight or WINDOW,
    )
    found = rehearse(args.out, options)
    return Answer(found.text(), found.document(), PASSED if found.passed else FAILED)
