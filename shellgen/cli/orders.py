# SPDX-License-Identifier: BSD-3-Clause
"""``drain``, ``stop``, ``program``: orders to the servers of a cluster; ``serve``: for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer
from shellgen.cli.rehearse import MOST_PORT
from shellgen.cli.run import add_cluster, add_nodes_of_cluster, seconds
from shellgen.errors import InputError, one


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("drain", _drain, "Let boards take no more frames, and finish those that they have.")
    add_nodes_of_cluster(sub)
    sub.add_argument("--end", action="store_true", help="let them take frames again")
    _wait(sub)

    sub = add("stop", _stop, "End the servers of a cluster, when they have no frames.")
    add_nodes_of_cluster(sub)
    sub.add_argument("--now", action="store_true", help="whatever is under way")
    _wait(sub)

    sub = add("program", _program, "Load bitstreams and weights on boards that run shellgen-node.")
    add_nodes_of_cluster(sub)
    text = "folder with NODE.bit or NODE.bin of each node"
    sub.add_argument("--bitstreams", type=Path, metavar="DIR", help=text)
    text = "folder that `shellgen weights` wrote"
    sub.add_argument("--weights", type=Path, metavar="DIR", help=text)

    sub = add("serve", _serve, "Serve a cluster by HTTP: Open Inference Protocol v2, Prometheus text.")
    add_cluster(sub)
    text = "local address (default 127.0.0.1:8000); port 0: any free one"
    sub.add_argument("--listen", type=_address, default=("127.0.0.1", 8000), metavar="HOST:PORT", help=text)
    sub.add_argument("--name", default="", help="name of the model (default: that of the cluster)")
    text = "seconds that a node may be away (default 30)"
    sub.add_argument("--patience", type=seconds, default=30.0, metavar="S", help=text)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > MOST_PORT:
        raise argparse.ArgumentTypeError(f"got {text!r}; give HOST:PORT")
    return host.strip("[]"), int(port)


def _wait(sub: argparse.ArgumentParser) -> None:
    text = "seconds to wait until nodes are empty (default 30)"
    sub.add_argument("--wait", type=seconds, default=30.0, metavar="S", help=text)


def _drain(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse import orders

    if args.end:
        orders.go_on(args.out, args.hosts, args.node)
        return Answer("frames go on", {"drained": False})
    found = orders.drain(args.out, args.hosts, args.node, args.wait)
    return Answer(found.text(), found.document(), PASSED if found.passed else FAILED)


def _stop(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse import orders

    found = orders.stop(args.out, args.hosts, args.node, args.wait, now=args.now)
    if found.passed:
        return Answer("ended", {"ended": True})
    text = f"{found.text()}\nnothing was ended; --now ends them whatever is under way"
    return Answer(text, {"ended": False, **found.document()}, FAILED)


def _program(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse import orders

    if not args.bitstreams and not args.weights:
        raise one(InputError, "program", "there is nothing to load", "Give --bitstreams, --weights or both")
    done = orders.program(args.out, args.hosts, args.bitstreams, args.weights, args.node)
    return Answer("\n".join(done), {"done": list(done)})


def _serve(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse.serve import serve

    serve(args.out, args.hosts, args.name, args.listen, args.patience)
    return Answer("ended")
