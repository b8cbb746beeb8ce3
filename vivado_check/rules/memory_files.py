# SPDX-License-Identifier: BSD-3-Clause
"""The files that memories are filled from: there, found by synthesis, of the right length, and simulated.

Vivado fills a memory whose file it does not find with zeros, and goes on. So the design is elaborated twice,
as synthesis sees it and as the simulator does, and what the two open is compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from vivado_check.syntax import Memory

from ..hdl import MEMORY, Hdl, kind_of, shown, tops
from ..recording import File
from ..report import Message, Origin, Verdict
from .base import Context, rule

NOT_FOUND = "Synth 8-4445"
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BASES = {2: "binary", 16: "hexadecimal"}


@rule(
    "memory-file",
    scope="session",
    source="UG901, Specifying RAM Initial Contents in an External Data File",
    ours=True,
)
def memory_file(context: Context) -> Iterator[Message]:
    """Every file that a memory is filled from is found, by synthesis and by the simulator, and fits."""
    for project in context.projects:
        for top in tops(context.recording):
            if project.defining(top):
                yield from _judged(project, top, context)


def _judged(project: Hdl, top: str, context: Context) -> Iterator[Message]:
    board, bench = project.below(top).memories, project.in_simulation(top)
    files = {Path(file.name).name: file for file in project.files}
    for memory in board:
        yield from _found(memory, files, context)
    yield from _sides(board, bench, files, loaded=context.expectation.loaded)


def _found(memory: Memory, files: dict[str, File], context: Context) -> Iterator[Message]:
    """Judge one call of the side that synthesis sees."""
    origin, where = Origin(memory.file, memory.line), memory.memory
    if not memory.name:
        yield Message(
            rule="memory-file",
            verdict=Verdict.NOT_MODELLED,
            origin=origin,
            where=where,
            found="the name of its file is not a constant that elaboration can tell",
            expected="a name",
            remedy="look at the synthesis log for the file that it reads",
        )
        return
    file = files.get(PurePosixPath(memory.name).name)
    if "/" in memory.name or file is None:
        yield Message(
            rule="memory-file",
            verdict=Verdict.FINDING,
            origin=origin,
            where=where,
            found=f"it is filled from {memory.name}, which no file of the project is: synthesis takes zeros",
            expected="a file of the project, by its bare name",
            remedy="add the file",
            vivado=NOT_FOUND,
        )
        return
    yield from _typed(memory, file)
    yield from _sized(memory, file, origin, shown(file, context.folder))


def _typed(memory: Memory, file: File) -> Iterator[Message]:
    kind = kind_of(file)
    used = file.properties.get("used_in_synthesis")
    hidden = used is not None and used.value.lower() in ("0", "false")
    if kind not in MEMORY or hidden:
        state = "left out of synthesis" if hidden else f"typed {kind}" if kind else "of no type"
        yield Message(
            rule="memory-file",
            verdict=Verdict.FINDING,
            origin=file.origin,
            where=memory.memory,
            found=f"{memory.name} is {state}",
            expected="a file of type Memory Initialization Files, which synthesis finds under its bare name",
            remedy="set its file_type" if not hidden else "leave used_in_synthesis alone",
            vivado=NOT_FOUND,
        )


def _sized(memory: Memory, file: File, origin: Origin, name: str) -> Iterator[Message]:
    """Compare words and bits; a file with addresses need not fill its memory."""
    if not memory.words or not file.path.is_file():
        return
    words = words_of(file.path)
    wrong = ""
    if any(not _is_word(word, memory.base) for word in words):
        bad = next(word for word in words if not _is_word(word, memory.base))
        wrong = f"{name} has {bad[:20]!r}, which is no {_BASES[memory.base]} word"
    elif any(word.startswith("@") for word in words):
        return
    elif len(words) != memory.words:
        wrong = f"{name} has {len(words)} words"
    elif (
        memory.bits and (widest := max((_bits(word, memory.base) for word in words), default=0)) > memory.bits
    ):
        wrong = f"{name} has a word of {widest} bits"
    if wrong:
        yield Message(
            rule="memory-file",
            verdict=Verdict.FINDING,
            origin=origin,
            where=memory.memory,
            found=wrong,
            expected=f"{memory.words} words of {memory.bits} bits",
            remedy="put back the file of the build",
        )


def _sides(
    board: tuple[Memory, ...], bench: tuple[Memory, ...], files: dict[str, File], *, loaded: bool
) -> Iterator[Message]:
    """Compare what the two sides of an ``ifdef SYNTHESIS`` fill a memory with.

    Args:
        board: Memories of the side that synthesis sees.
        bench: Of the other.
        files: By base name.
        loaded: Whether the host loads memories that begin with zeros (URAM).
    """
    there = {memory.memory: memory for memory in bench}
    here = {memory.memory: memory for memory in board}
    for path in sorted(here.keys() ^ there.keys()):
        memory = here.get(path) or there[path]
        side = "synthesis" if path in here else "simulation"
        yield Message(
            rule="memory-sides",
            verdict=Verdict.FINDING,
            origin=Origin(memory.file, memory.line),
            where=path,
            found=f"it is filled in {side} only, from {memory.name}: the board computes something else",
            expected="the same words in synthesis and in simulation",
            remedy="fill it on both sides of the conditional",
        )
    for path in sorted(here.keys() & there.keys()):
        one, two = here[path], there[path]
        content = _content(one, files)
        zeros = loaded and content is not None and not any(content)
        if one.name != two.name and not zeros and content != _content(two, files):
            yield Message(
                rule="memory-sides",
                verdict=Verdict.FINDING,
                origin=Origin(one.file, one.line),
                where=path,
                found=f"synthesis fills it from {one.name}, simulation from {two.name}, and they differ",
                expected="the same words in synthesis and in simulation",
                remedy="remove the one that is wrong",
            )


def _content(memory: Memory, files: dict[str, File]) -> list[str] | None:
    file = files.get(PurePosixPath(memory.name).name)
    if file is None or not file.path.is_file():
        return None
    return [word.lower().replace("_", "").lstrip("0") for word in words_of(file.path)]


def words_of(path: Path) -> list[str]:
    """Return what ``$readmemh`` reads of a file, addresses too."""
    return _COMMENT.sub(" ", path.read_text(errors="replace")).split()


def _is_word(word: str, base: int) -> bool:
    digits = "01xXzZ_" if base == 2 else "0123456789abcdefABCDEFxXzZ_"
    return not word.strip(digits) or (word.startswith("@") and not word[1:].strip("0123456789abcdefABCDEF"))


def _bits(word: str, base: int) -> int:
    """Return how many bits a word takes, its leading zeros left out."""
    digits = word.replace("_", "").lstrip("0")
    if not digits:
        return 0
    if base == 2:
        return len(digits)
    first = {"x": 1, "z": 1}.get(digits[0].lower()) or int(digits[0], 16).bit_length()
    return 4 * (len(digits) - 1) + first
