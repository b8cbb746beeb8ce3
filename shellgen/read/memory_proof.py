# SPDX-License-Identifier: BSD-3-Clause
"""The final check of a partition's memories: Vivado's files exist, and equal the simulated ones.

Vivado reports a file that it cannot open as Synth 8-4445, fills the memory with zeros and continues; and it
compiles with SYNTHESIS defined, which no simulator does. Both sides are therefore proved equal on the same
texts and files that the tools get.

Source: memstream of FINN 2022, which reads ``memblock_synth_*`` or ``memblock_sim_*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from shellgen.errors import Problem
from shellgen.read.initial import words_of
from shellgen.read.memory_names import OPEN, Call, Name, Names, calls
from shellgen.read.verilog import Verilog

_BOARD = {"SYNTHESIS": True, "VERILATOR": False, "__ICARUS__": False, "SIMULATION": False}
_BENCH = {"SYNTHESIS": False, "VERILATOR": True}
# Ends of names of data files; a memory generator of Vivado has others, in models that are never built.
_SUFFIXES = (".dat", ".mem", ".hex", ".txt")
_OFF = re.compile(r"//\s*(?:synthesis|synopsys|pragma)\s+translate_off\b", re.IGNORECASE)
_ON = re.compile(r"//\s*(?:synthesis|synopsys|pragma)\s+translate_on\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Opened:
    """The files that one call opens."""

    call: Call
    path: Path
    line: int
    hidden: bool
    names: tuple[Name, ...]

    @property
    def on_board(self) -> bool:
        return not self.hidden and self.call.seen_with(_BOARD)

    @property
    def in_bench(self) -> bool:
        return self.call.seen_with(_BENCH)

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"


def check_memories(
    texts: Sequence[tuple[Path, str]],
    files: Mapping[str, bytes],
    live: frozenset[str],
    loaded: frozenset[str] = frozenset(),
) -> list[Problem]:
    """Prove that every initialisation file exists, and is the same for both sides.

    Args:
        texts: The sources as the tools get them, with their places.
        files: Data files by the name in the generated project.
        live: Modules below the top.
        loaded: Names of files that hold zeros for synthesis, whose memories the host fills (URAM).

    Returns:
        A problem for each call whose file is not there, that only one side compiles, or whose words are not
        those of the other side.
    """
    opened = list(_opened(texts, live))
    problems = [problem for one in opened for problem in _lost(one, files)]
    memories: dict[tuple[Path, str, str], list[_Opened]] = {}
    for one in opened:
        memories.setdefault((one.path, one.call.module, one.call.target), []).append(one)
    for group in memories.values():
        problems += _one_sided(group) or _unequal(group, files, loaded)
    first = {problem.found: problem for problem in reversed(problems)}
    return list(reversed(first.values()))


def _opened(texts: Sequence[tuple[Path, str]], live: frozenset[str]) -> Iterator[_Opened]:
    headers = {path.name: text for path, text in reversed(texts)}
    readers = [(path, Verilog(text, str(path), headers)) for path, text in texts]
    names = Names({module: verilog for _, verilog in readers for module in verilog.defined}, live)
    for path, verilog in readers:
        for call in calls(verilog):
            if call.module in live:
                hidden = _is_hidden(verilog.text, call.at)
                yield _Opened(call, path, verilog.line(call.at), hidden, names.of(call))


def _is_hidden(text: str, at: int) -> bool:
    """Whether a place lies between translate_off and translate_on, which synthesis skips."""
    off = [match.start() for match in _OFF.finditer(text, 0, at)]
    on = [match.start() for match in _ON.finditer(text, 0, at)]
    return bool(off) and (not on or on[-1] < off[-1])


def _lost(one: _Opened, files: Mapping[str, bytes]) -> Iterator[Problem]:
    for name in one.names:
        shown = _shown(name)
        if _is_judged(name) and not _matches(name, files):
            found = f"it fills {one.call.target} from {shown}, and no such file is in the partition"
            yield Problem(one.where, found, "Copy the file into the folder of the partition")


def _one_sided(group: Sequence[_Opened]) -> list[Problem]:
    """A memory that is filled in simulation must be in synthesis, and the other way round."""
    judged = [one for one in group if any(_is_judged(name) for name in one.names)]
    board, bench = [one for one in judged if one.on_board], [one for one in judged if one.in_bench]
    if bool(board) == bool(bench):
        return []
    one, side = (board or bench)[0], "synthesis" if board else "simulation"
    found = f"it fills {one.call.target} in {side} only: the board would compute something else"
    return [Problem(one.where, found, "Fill it on both sides of the conditional")]


def _unequal(group: Sequence[_Opened], files: Mapping[str, bytes], loaded: frozenset[str]) -> list[Problem]:
    """Compare what the two sides of a conditional fill one memory with."""
    problems = []
    pairs = [(one, two) for one in group for two in group if one.in_bench and two.on_board and one is not two]
    for bench, board in pairs:
        if not _are_branches(bench.call, board.call) or len(bench.names) != len(board.names):
            continue
        for first, second in zip(bench.names, board.names, strict=True):
            if not _is_judged(first) or not _is_judged(second):
                continue
            left, right = _matches(first, files), _matches(second, files)
            for key in sorted(left.keys() & right.keys()):
                if right[key] not in loaded and words_of(files[left[key]]) != words_of(files[right[key]]):
                    found = f"{left[key]} and {right[key]} differ: the board would compute something else"
                    problems.append(Problem(board.where, found, "Remove the one that is wrong"))
    return problems


def _are_branches(one: Call, two: Call) -> bool:
    """Return whether two calls are in different branches of one conditional."""
    arms = {arm.block: arm.number for arm in one.arms}
    return any(arms.get(arm.block, arm.number) != arm.number for arm in two.arms)


def _is_judged(name: Name) -> bool:
    """Return whether a name is sufficiently known: the suffix of a data file, and a known prefix."""
    first, last = name[0], name[-1]
    return bool(first is not OPEN and last is not OPEN and first and last.lower().endswith(_SUFFIXES))


def _matches(name: Name, files: Mapping[str, bytes]) -> dict[tuple[str, ...], str]:
    """Return the files that match a name, by the values of its open parts."""
    known = "".join(part for part in name if part is not OPEN).removeprefix("./")
    if OPEN not in name:
        return {(): known} if known in files else {}
    pattern = "".join(r"(\w*?)" if part is OPEN else re.escape(part) for part in name)
    pattern = pattern.removeprefix(re.escape("./"))
    found = {file: re.fullmatch(pattern, file) for file in files}
    return {match.groups(): file for file, match in sorted(found.items()) if match}


def _shown(name: Name) -> str:
    return PurePosixPath("".join("*" if part is OPEN else part for part in name)).as_posix()
