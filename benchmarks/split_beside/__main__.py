# SPDX-License-Identifier: BSD-3-Clause
"""`split` beside finn-plus' partitioner with CBC: the same layers, folding, boards and limits for both.

Boards are filled as a whole, and only cut between layers in network order. The solver is not installed here::

    pip install --target FOLDER mip==1.17.0 networkx mashumaro    # 600 MB, with FINN's Python
    python -m benchmarks.split_beside FOLDER
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import onnx

from shellgen.model.folding import SplitNetwork
from shellgen.read import read_board
from shellgen.split import Desk, Stock, Wanted
from shellgen.split.search import fastest, least_traffic
from shellgen.split.task import RESOURCES, Choice, Found, Task
from shellgen.stitch import ensure_finn_env, survey_layers

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from published_networks import resnet50
from split_networks import network

CHANNELS = (64, 48, 96, 32, 120)
MOST = 0.8  # share of each resource, finn-plus' own default
_NAMES = {"lut": "LUT", "bram18": "BRAM_18K", "dsp": "DSP"}  # what both count
_IDEAL = 0.7
_TIMEOUT = 100  # seconds, finn-plus' own default
_STITCH = Path(__file__).parents[2] / "shellgen" / "stitch"


@dataclass(frozen=True)
class Case:
    """Layers with a folding that is kept.

    Attributes:
        name: For the table.
        make: Returns the network for a part.
        board: Kind of the boards.
        boards: How many there are, and must be used.
    """

    name: str
    make: Callable[[str], SplitNetwork]
    board: str
    boards: int


def chain(part: str) -> SplitNetwork:
    """Return 200 layers, as of `benchmarks.split_speed`, without FINN."""
    return network(*(CHANNELS[at % len(CHANNELS)] for at in range(101)), vectors=16, part=part)


def _surveyed(make: Callable[[], onnx.ModelProto]) -> Callable[[str], SplitNetwork]:
    def survey(part: str) -> SplitNetwork:
        with tempfile.TemporaryDirectory(prefix="split_beside_") as folder:
            path = Path(folder) / "network.onnx"
            onnx.save(make(), path)
            return survey_layers(path, part)

    return survey


CASES = (
    Case("200 layers", chain, "zedboard", 3),
    Case("200 layers", chain, "zedboard", 7),
    Case("200 layers", chain, "zedboard", 16),
    Case("ResNet-50", _surveyed(resnet50), "u280", 2),
    Case("ResNet-50", _surveyed(resnet50), "u280", 3),
)


def task_of(case: Case, net: SplitNetwork) -> tuple[Task, dict[str, int]]:
    """Return the task with the folding that `split` chooses, and what a board has."""
    board = read_board(case.board, Path())
    desk = Desk.of([Stock(case.board, board, case.boards)], {board.part: net}, Wanted(replicas=1))
    found = fastest(desk.first)
    assert found is not None, f"{case.name} does not fit"
    chosen = [(choice,) for part in found.parts for choice in part.choices]
    has = {name: getattr(board.resources, name) for name in _NAMES}
    room = tuple(int(has[name] * MOST) if name in has else 1 << 40 for name in RESOURCES)
    (kind,) = desk.first.kinds
    whole = replace(kind, room=room, choices=tuple(chosen), regions=(), region_names=())
    return Task(desk.first.layers, (whole,), desk.first.hops), has


def theirs(task: Task, has: dict[str, int], solver: Path, *, single: bool) -> dict[str, Any]:
    """Return what finn-plus' partitioner says of the task."""
    count = len(task.layers)
    names = [None, *task.layers, None]
    job = {
        "layers": [
            (name, [choice.takes[RESOURCES.index(one)] for one in has])
            for name, (choice,) in zip(task.layers, task.kinds[0].choices, strict=True)
        ],
        "streams": [(names[hop.producer + 1], names[min(hop.consumer, count) + 1]) for hop in task.hops],
        "device": {_NAMES[name]: number for name, number in has.items()},
        "boards": task.kinds[0].count,
        "most": MOST,
        "timeout": _TIMEOUT,
        "single": single,
    }
    with tempfile.TemporaryDirectory(prefix="split_beside_") as folder:
        files = [Path(folder) / name for name in ("job.json", "result.json")]
        files[0].write_text(json.dumps(job))
        python = str(ensure_finn_env())
        worker = Path(__file__).parent / "cbc.py"
        command = [python, str(worker), str(_STITCH), str(solver.resolve()), *map(str, files)]
        plain = {**os.environ, "LC_ALL": "C"}  # it sets the locale again that it found
        ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=plain, check=False)
        if not files[1].exists():
            return {"devices": None, "status": (ran.stderr.strip().splitlines() or ["no result"])[-1]}
        told: dict[str, Any] = json.loads(files[1].read_text())
        return told


def crossing(task: Task, device: list[int]) -> int:
    """Return the bytes of a frame between boards."""
    count = len(task.layers)
    inner = [hop for hop in task.hops if hop.producer >= 0 and hop.consumer < count]
    return sum(hop.bytes for hop in inner if device[hop.producer] != device[hop.consumer])


def slowest(task: Task, device: list[int]) -> float:
    """Return the period: of the slowest layer, or of the slowest link of a board."""
    kind, count = task.kinds[0], len(task.layers)
    into, out = [0] * kind.count, [0] * kind.count
    for hop in task.hops:
        before = device[hop.producer] if hop.producer >= 0 else None
        behind = device[hop.consumer] if hop.consumer < count else None
        if before != behind:
            if before is not None:
                out[before] += hop.bytes
            if behind is not None:
                into[behind] += hop.bytes
    times = [kind.seconds(choice) for (choice,) in kind.choices]
    return max(*times, *(one / kind.into for one in into), *(one / kind.out_of for one in out))


def objective(task: Task, device: list[int], has: dict[str, int]) -> float:
    """Return what finn-plus makes least: the largest sum of a board's distances from 70 %."""
    sums = []
    for board in range(task.kinds[0].count):
        own = [one for at, (one,) in enumerate(task.kinds[0].choices) if device[at] == board]
        sums.append(sum(abs(_taken(own, name) / has[name] - _IDEAL) for name in has))
    return max(sums)


def _taken(choices: list[Choice], name: str) -> int:
    return sum(one.takes[RESOURCES.index(name)] for one in choices)


def devices(found: Found) -> list[int]:
    """Return the board of each layer."""
    return [number for number, part in enumerate(found.parts) for _ in part.layers]


def main() -> int:
    """Solve each case with both, and print period, bytes between boards, finn-plus' objective and CPU."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.split_beside", description=__doc__)
    parser.add_argument("solver", type=Path, help="folder with python-mip, CBC, networkx and mashumaro")
    parser.add_argument("--case", default="", help="only cases whose name begins so")
    args = parser.parse_args()
    known: dict[tuple[str, str], SplitNetwork] = {}
    for case in (one for one in CASES if one.name.startswith(args.case)):
        part = read_board(case.board, Path()).part
        if (case.name, part) not in known:
            known[case.name, part] = case.make(part)
        task, has = task_of(case, known[case.name, part])
        began = time.process_time()
        best = fastest(task)
        took = time.process_time() - began
        whole = least_traffic(task)
        print(f"{case.name}, {case.boards} {case.board}, {len(task.layers)} layers", flush=True)
        for text, found in ((f"split {took:.2f} s", best), ("split, all boards", whole)):
            _line(text, task, devices(found) if found else None, has)
        branches = len(task.hops) > len(task.layers) + 1
        for single in (True, False) if branches else (False,):  # whether all cuts are of one stream
            told = theirs(task, has, args.solver, single=single)
            row = [told["devices"][name] for name in task.layers] if told["devices"] else None
            seconds = f"{told['cpu']:.2f} s ({told['wall']:.1f} s)" if "cpu" in told else ""
            text = f"CBC{', one stream' if single else ''}: {told['status']} {seconds}"
            _line(text, task, row, has)
            if "cpu" in told:
                print(f"    split takes 1/{told['cpu'] / max(took, 1e-3):.0f} of the CPU", flush=True)
    return 0


def _line(text: str, task: Task, row: list[int] | None, has: dict[str, int]) -> None:
    if row is None:
        print(f"  {text}: no split", flush=True)
        return
    rate, bytes_ = 1 / slowest(task, row), crossing(task, row)
    boards, sums = len(set(row)), objective(task, row, has)
    print(f"  {text}: {rate:,.0f} frames/s, {boards} boards, {bytes_:,} bytes, {sums:.3f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
