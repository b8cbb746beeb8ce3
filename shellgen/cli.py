# SPDX-License-Identifier: BSD-3-Clause
"""The command line. No logic: each command calls one function and prints what it returned."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from shellgen import __version__
from shellgen.errors import Problem, ShellgenError

SIMULATORS: tuple[Literal["verilator", "icarus"], ...] = ("verilator", "icarus")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when everything asked for happened, 2 on bad input, 1 when a simulation failed."""
    args = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = args.command
    try:
        return command(args)
    except ShellgenError as error:
        _fail(args, error.problems)
        return 2
    except BrokenPipeError:  # `shellgen map out | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:  # whatever the machine refuses: a full disk, a folder without permission
        where = str(error.filename or "this machine")
        _fail(args, [Problem(where, error.strerror or str(error), "Check the path and its permissions")])
        return 2
    except KeyboardInterrupt:
        return 130


def _fail(args: argparse.Namespace, problems: Sequence[Problem]) -> None:
    paste = "\n".join(problem.paste for problem in problems if problem.paste)
    if args.json:
        record = {"ok": False, "problems": [str(problem) for problem in problems]}
        print(json.dumps(record | ({"paste": paste} if paste else {})))
    for problem in problems:
        print(f"shellgen: error: {problem}", file=sys.stderr)
    if paste:
        print(f"\nTo be filled in and added to cluster.toml:\n\n{paste}", file=sys.stderr, end="")


def _say(args: argparse.Namespace, text: str, data: object) -> None:
    print(json.dumps(data) if args.json else text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shellgen", description="Board shells for FINN networks that are spread over several FPGAs."
    )
    parser.add_argument("--version", action="version", version=f"shellgen {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON record instead of text")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, function: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text, parents=[common])
        sub.set_defaults(command=function)
        return sub

    _add_init(add("init", _init, "Begin a cluster.toml with everything that a FINN build tells."))
    sub = add("import-floorplan", _import_floorplan, "Make [[node]] tables of a floorplan of FINN's.")
    sub.add_argument(
        "file", type=Path, help="floorplan.json, partitioning.yaml, or a parent ONNX with device_id"
    )
    sub.add_argument("--board", default="zedboard", help="board of every node (default zedboard)")
    sub.add_argument("-o", "--out", type=Path, help="file to write (default: print it)")
    sub.add_argument("--force", action="store_true", help="overwrite the file")
    for name, function, text in (
        ("plan", _plan, "Decide the system and write plan.json only."),
        ("generate", _generate, "Plan, and write cores, board projects, memory maps and the bench."),
    ):
        sub = add(name, function, text)
        sub.add_argument("cluster", type=Path, help="cluster.toml")
        sub.add_argument("-o", "--out", type=Path, required=True, help="output folder")
        if name == "generate":
            sub.add_argument("--dry-run", action="store_true", help="list the files, write nothing")
    _add_simulate(add("simulate", _simulate, "Build and run the bench of a generated folder."))
    sub = add("map", _map, "Print where the host finds every register and weight.")
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    sub = add("weights", _weights, "Write the weights of a build as the board's loader takes them.")
    sub.add_argument("cluster", type=Path, help="cluster.toml; its build may have been retrained")
    sub.add_argument("-o", "--out", type=Path, required=True, help="output folder")
    sub = add("list", _list, "List what there is to choose from.")
    sub.add_argument("what", choices=("boards", "links", "platforms"))
    _add_builders(add)
    sub = add("demo", _demo, "A built-in example on ZedBoards, proven bit-exact.")
    sub.add_argument("--example", choices=("digits", "residual"), default="digits", help="network (digits)")
    sub.add_argument(
        "--boards", type=int, choices=(2, 6), default=2, help="of the digits; the other has three"
    )
    sub.add_argument("--simulator", choices=SIMULATORS, default="verilator")
    sub.add_argument("--reference", action="store_true", help="our own partitions instead of FINN's")
    sub.add_argument("-o", "--out", type=Path, required=True, help="working folder")
    return parser


def _add_init(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "build", type=Path, help="parent ONNX, ONNX of a stitched partition, stitched_ip, or a folder of such"
    )
    sub.add_argument("-o", "--out", type=Path, help="cluster.toml to write (default: print it)")
    sub.add_argument("--force", action="store_true", help="overwrite the file")


def _add_simulate(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    sub.add_argument("--simulator", choices=(*SIMULATORS, "both"), default="verilator")
    text = "frames to send, at least 2; one more follows (all golden ones, fewer if a frame is long)"
    sub.add_argument("--frames", type=int, help=text)
    sub.add_argument("--stall", type=int, default=64, help="chance of a stall at every port, in 1/256")
    sub.add_argument("--seed", type=int, default=1, help="of the random frames where there are no vectors")
    text = "cycles of silence that count as stuck (a multiple of what the first frame takes)"
    sub.add_argument("--idle-limit", type=int, help=text)
    sub.add_argument("--timeout", type=float, help="seconds after which the run ends (none, while it moves)")
    text = "which words of the weight memories are written and read back (sample: of large ones, some)"
    sub.add_argument("--walk", choices=("none", "sample", "full"), default="sample", help=text)
    sub.add_argument(
        "--no-walk", action="store_const", dest="walk", const="none", help="the same as --walk none"
    )
    sub.add_argument("--quiet", action="store_true", help="do not show how far it has come")
    sub.add_argument("--weights", type=Path, help="folder of `shellgen weights`: load it as the board would")
    sub.add_argument("--xpm", type=Path, help="<Vivado>/data/ip/xpm: its macros instead of our models")
    sub.add_argument("--labels", type=Path, help=".npy of class labels: report the accuracy")


def _add_builders(add: Callable[..., argparse.ArgumentParser]) -> None:
    sub = add("stitch", _stitch, "Make stitched partitions of a QONNX model with FINN, without Vivado.")
    sub.add_argument("model", type=Path, help="QONNX export, streamlined QONNX, or FINN's partitioned parent")
    sub.add_argument("config", type=Path, nargs="?", help="folding and cuts (JSON), or FINN's folding file")
    sub.add_argument("-o", "--out", type=Path, default=Path("build"), help="build folder (default build)")
    sub.add_argument("--layers", action="store_true", help="only list the layers that a folding can name")
    sub.add_argument("--vectors", type=Path, help=".npy of inputs to compute golden vectors for")
    sub.add_argument("--part", nargs="+", help="Xilinx part, or one for each partition")
    sub.add_argument("--clk-ns", type=float, help="clock period")
    sub.add_argument("--cut-before", nargs="+", metavar="LAYER", help="layers that begin a partition")
    sub = add("reference", _reference, "Make partitions in plain Verilog of our own from a QONNX model.")
    sub.add_argument("model", type=Path, help="QONNX model")
    sub.add_argument("config", type=Path, help="folding and cuts (JSON)")
    sub.add_argument("-o", "--out", type=Path, required=True, help="build folder")
    sub.add_argument("--vectors", type=Path, help=".npy of inputs to compute golden vectors for")


def _init(args: argparse.Namespace) -> int:
    from shellgen.emit.write import write_file
    from shellgen.init import start_cluster

    started = start_cluster(args.build, args.out.parent if args.out else Path())
    if args.out:
        write_file(args.out, started.text, force=args.force)
    problems = [str(problem) for problem in started.problems]
    if args.json:
        record = {"ok": True, "partitions": started.partitions, "gaps": started.gaps, "problems": problems}
        print(json.dumps(record | ({} if args.out else {"text": started.text})))
    elif not args.out:
        print(started.text, end="")
    else:
        print(f"{args.out}: {len(started.partitions)} partitions: {', '.join(started.partitions)}")
        todo = [f"  to fill in: {gap}" for gap in started.gaps]
        print("\n".join(todo or [f"  next: shellgen plan {args.out} -o out"]))
    for problem in problems:
        print(f"shellgen: mend first: {problem}", file=sys.stderr)
    return 0


def _import_floorplan(args: argparse.Namespace) -> int:
    from shellgen.emit.write import write_file
    from shellgen.init import import_floorplan

    text = import_floorplan(args.file, args.board)
    if args.out:
        write_file(args.out, text, force=args.force)
    _say(args, f"{args.out}: written" if args.out else text.rstrip("\n"), {"ok": True, "text": text})
    return 0


def _plan(args: argparse.Namespace) -> int:
    from shellgen.api import advice, load
    from shellgen.emit.write import write
    from shellgen.model import Artifact

    plan, network, _ = load(args.cluster)
    write((Artifact.text("plan.json", plan.to_json()),), args.out, keep=True)
    notes = advice(plan, network)
    lines = [f"{args.out}/plan.json: {len(plan.nodes)} nodes, {len(plan.boundaries)} streams"]
    lines.extend(f"note: {note}" for note in notes)
    names = [node.name for node in plan.nodes]
    _say(args, "\n".join(lines), {"ok": True, "build_id": plan.build_id, "nodes": names, "notes": notes})
    return 0


def _generate(args: argparse.Namespace) -> int:
    from shellgen.api import generate, load
    from shellgen.emit import emit

    if args.dry_run:
        plan, _, files = load(args.cluster)
        paths = [artifact.path for artifact in emit(plan, files)]
        _say(args, "\n".join(paths), {"ok": True, "build_id": plan.build_id, "files": paths})
        return 0
    notes: list[str] = []
    plan, written = generate(args.cluster, args.out, notes.append)
    lines = [
        f"{args.out}: {written.changed} files written, {written.unchanged} unchanged, build {plan.build_id}"
    ]
    lines.extend(f"  removed {path}, which is produced no longer" for path in written.removed)
    golden = plan.golden.note if plan.golden else ""
    lines.append(f"  {golden}")
    lines.extend(f"note: {note}" for note in notes)
    data = {
        "ok": True,
        "build_id": plan.build_id,
        "written": written.changed,
        "golden": golden,
        "notes": notes,
    }
    _say(args, "\n".join(lines), data)
    return 0


def _simulate(args: argparse.Namespace) -> int:
    from shellgen.simulate.cluster import SimulateOptions, simulate
    from shellgen.simulate.progress import Display
    from shellgen.simulate.report import format_report

    simulators = [name for name in SIMULATORS if args.simulator in (name, "both")]
    ok = True
    for simulator in simulators:
        options = SimulateOptions(
            frames=args.frames,
            stall=args.stall,
            seed=args.seed,
            idle_limit=args.idle_limit,
            timeout=args.timeout,
            walk=args.walk,
            weights=str(args.weights.resolve()) if args.weights else "",
            xpm=str(args.xpm.resolve()) if args.xpm else "",
        )
        display = None if args.quiet or args.json else Display(sys.stderr)
        report = simulate(args.out, simulator, options, args.labels, display=display)
        _say(args, format_report(report), report)
        ok = ok and report["passed"]
    return 0 if ok else 1


def _map(args: argparse.Namespace) -> int:
    from shellgen.read.output import read_memory_map

    memory_map = read_memory_map(args.out)
    lines = [f"{'address':>12} {'bytes':>10}  {'node':<16} {'region':<44} contents"]
    for node in memory_map["nodes"]:
        status = node["status"]
        place = f"{status['base']:#12x} {status['size']:>10}  {node['name']:<16}"
        lines.append(f"{place} {'status':<44} registers")
        if bridge := node["bridge"]:
            place = f"{bridge['base']:#12x} {bridge['size']:>10}  {node['name']:<16}"
            lines.append(f"{place} {'bridge':<44} registers, aperture; the rest lies behind it")
        for region in node["regions"]:
            memory = region["memory"]
            what = (
                f"{memory['layer']}: {memory['words']} x {memory['word_bits']} bits"
                if memory
                else "not known"
            )
            lines.append(
                f"{region['base']:#12x} {region['size']:>10}  {node['name']:<16} {region['name']:<44} {what}"
            )
    _say(args, "\n".join(lines), memory_map)
    return 0


def _weights(args: argparse.Namespace) -> int:
    from shellgen.api import weights

    count, silent = weights(args.cluster, args.out)
    lines = [f"{args.out}: {count} memories"]
    lines += [f"not told by the build: {name}" for name in silent]
    _say(args, "\n".join(lines), {"ok": not silent, "memories": count, "not_told": silent})
    return 1 if silent else 0


def _list(args: argparse.Namespace) -> int:
    from shellgen.links import link_registry
    from shellgen.platforms import platform_registry
    from shellgen.read import read_boards

    if args.what == "boards":
        boards = read_boards()
        lines = [f"{board.name:<14} {board.part:<24} {board.title}" for board in boards]
        _say(args, "\n".join(lines), {"boards": [board.name for board in boards]})
    else:
        names = sorted(link_registry() if args.what == "links" else platform_registry())
        _say(args, "\n".join(names), {args.what: names})
    return 0


def _demo(args: argparse.Namespace) -> int:
    from shellgen.demo import demo
    from shellgen.simulate.report import format_report

    say = _quiet if args.json else _progress
    report = demo(args.out, args.boards, args.simulator, args.reference, say, example=args.example)
    _say(args, format_report(report), report)
    return 0 if report["passed"] else 1


def _progress(line: str) -> None:
    print(line, flush=True)


def _quiet(line: str) -> None:
    del line


def _stitch(args: argparse.Namespace) -> int:
    from shellgen.stitch import list_layers, stitch_model

    say = _quiet if args.json else _progress
    if args.layers:
        layers = list_layers(args.model, say=say)
        lines = [
            f"{entry['name']:<32} {'x'.join(map(str, entry['shape'])):<16} "
            + ", ".join(f"{key} divides {limit}" for key, limit in entry["limits"].items())
            for entry in layers
        ]
        _say(args, "\n".join(lines), {"ok": True, "layers": layers})
        return 0
    options = {"part": args.part, "clk_ns": args.clk_ns, "cut_before": args.cut_before}
    given = {name: value for name, value in options.items() if value is not None}
    parts = stitch_model(args.model, args.config, args.out, args.vectors, given=given, say=say)
    _say(args, f"{args.out}: {len(parts)} partitions: {', '.join(parts)}", {"ok": True, "partitions": parts})
    return 0


def _reference(args: argparse.Namespace) -> int:
    from shellgen.reference import reference_model

    parts = reference_model(args.model, args.config, args.out, args.vectors)
    _say(args, f"{args.out}: {len(parts)} partitions: {', '.join(parts)}", {"ok": True, "partitions": parts})
    return 0


if __name__ == "__main__":
    sys.exit(main())
