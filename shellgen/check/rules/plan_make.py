# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: generated makefiles, evaluated as make does, and never run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shellgen.platforms import platform_registry
from shellgen.platforms.commands import HERE, Commands, clone
from vivado_check.report import Message, Origin, Verdict

from ..makefile import MakeError, Makefile, Scenario
from .base import Context, rule
from .planned import Planned, broken
from .planned_files import RENEW, Text, texts

# What somebody else's sources are found by; each is a folder that the caller names.
_CLONES = ("VNX", "COYOTE", "ACCL")
_FILES = ("FLOORPLAN",)
_ALONE = {"clean", "help", "ip", "xo"}  # goals that take no clone
_SPECIAL = (".PHONY", ".NOTPARALLEL", ".DELETE_ON_ERROR")
_PROGRAMS = {
    *("vivado", "v++", "vitis_hls", "xclbinutil", "platforminfo", "cmake", "make", "unzip", "git"),
    *("mkdir", "rm", "mv", "cp", "touch", "cd", "echo", "exit", "grep", "sed", "sh", "tr", "[", "test"),
}
_KEYWORDS = {"if", "then", "else", "elif", "!", "{", "do", "while"}
_ENDS = {"fi", "}", "done", "esac"}


@dataclass(frozen=True)
class _Case:
    """A makefile, where it lies, and the clones that it asks for."""

    wanted: Planned
    text: Text
    folder: Path

    @property
    def clones(self) -> tuple[str, ...]:
        """Return the clones that it asks for."""
        return tuple(name for name in _CLONES if f"$({name})" in self.text.text)

    def read(self, given: dict[str, str], goals: tuple[str, ...] = (), *, there: bool = True) -> Makefile:
        """Evaluate it; by default every file below a clone exists."""

        def exists(name: str) -> bool:
            return any(f"{name}/".startswith(f"{clone}/") for clone in given.values()) and there

        return Makefile(self.text.text, Scenario({"CURDIR": HERE, **given}, goals, exists))

    def right(self) -> dict[str, str]:
        """Return what a caller gives who has everything."""
        asked = [*self.clones, *(name for name in _FILES if f"$({name})" in self.text.text)]
        return {name: clone(name) for name in asked}


@rule("plan-make", scope="session", source="docs/vitis.md, docs/coyote.md; the GNU make manual")
def makefiles(context: Context) -> Iterator[Message]:
    """A makefile runs every step with its tools, on files that there are, and stops at what is missing."""
    for wanted, text in texts(context, "*/Makefile"):
        case = _Case(wanted, text, (context.folder / text.name).parent)
        try:
            make = case.read(case.right())
        except MakeError as error:
            yield _stops(text, error, "make goes on when everything is there")
            continue
        yield from _callers(case)
        yield from _needs(case, make)
        yield from _complete(case, make)
        lines = [(line, command) for step in make.order("all") for line, command in make.commands(step)]
        yield from _programs(text, make)
        yield from _steps(case, lines)
        yield from _targets(text, make)
        for line, name in dict.fromkeys(make.undefined):
            yield _said(text, line, f"$({name})", "nobody defines it", "a variable or a function of make")


def _said(text: Text, line: int, where: str, found: str, expected: str) -> Message:
    return broken("plan-make", Origin(text.name, line), where, found, expected, RENEW)


def _stops(text: Text, error: MakeError, expected: str) -> Message:
    origin = Origin(text.name, error.line)
    return Message(
        "plan-make", Verdict.ERROR, origin, text.name, f"make stops: {error.text}", expected, RENEW
    )


def _callers(case: _Case) -> Iterator[Message]:
    """Make stops at once if a clone is not named, not there, or has a space in its name; else it goes on."""
    right = case.right()
    for name in case.clones:
        wrong = {f"{name} has a space in its name": {**right, name: "/a b"}}
        if f"\n{name} ?=" not in case.text.text:
            wrong[f"{name} is not set"] = {key: path for key, path in right.items() if key != name}
        for what, given in wrong.items():
            if _goes_on(case, given):
                yield _said(case.text, 0, what, "make goes on", "it stops with a sentence")
    if case.clones and _goes_on(case, right, there=False):
        yield _said(case.text, 0, "an empty clone", "make goes on", "it stops with a sentence")
    goals = case.read(right).steps[".PHONY"].needs if "\n.PHONY" in case.text.text else []
    for goal in sorted(_ALONE.intersection(goals)):
        try:
            case.read({}, (goal,))
        except MakeError as error:
            yield _stops(case.text, error, f"make {goal} needs no clone")
    for folder, stops in (("/out of space", True), (HERE, False)):
        if _goes_on(case, {**right, "CURDIR": folder}) == stops:
            found = "make goes on" if stops else "make stops"
            yield _said(case.text, 0, f"a folder called {folder}", found, "it stops at a space only")


def _goes_on(case: _Case, given: dict[str, str], *, there: bool = True) -> bool:
    try:
        case.read(given, there=there)
    except MakeError:
        return False
    return True


def _needs(case: _Case, make: Makefile) -> Iterator[Message]:
    phony = make.steps[".PHONY"].needs if ".PHONY" in make.steps else []
    for step in make.steps.values():
        for need in step.needs:
            known = need in make.steps or need.startswith(tuple(f"{one}/" for one in case.right().values()))
            if not known and not (case.folder / need).exists():
                yield Message(
                    "plan-make",
                    Verdict.ERROR,
                    Origin(case.text.name, step.line),
                    f"{step.target}: {need}",
                    "there is no such file, and no rule makes it",
                    "a file of the node or a target",
                    RENEW,
                )
    for name in _SPECIAL:
        if name not in make.steps:
            yield _said(
                case.text, 0, name, "it is missing", "it: half a product is none, and goals are no files"
            )
    for name, step in make.steps.items():
        if "/" not in name and not name.startswith(".") and name not in phony:
            yield _said(case.text, step.line, name, "it is not .PHONY", "every goal there")


def _complete(case: _Case, make: Makefile) -> Iterator[Message]:
    """The package is rebuilt if any of its files changes."""
    node = case.folder.parent
    there = [path for sub in ("rtl", "partition") for path in sorted((node / sub).glob("*"))]
    files = {f"../{path.relative_to(node).as_posix()}" for path in there}
    for step in make.steps.values():
        if any("-source package.tcl" in text for _, text in step.recipe):
            core = f"../{case.wanted.node.name}_core.v"
            for name in sorted({*files, core, "package.tcl"} - set(step.needs)):
                yield _said(
                    case.text, step.line, f"{step.target}: {name}", "it is missing", "every file of it"
                )


def _programs(text: Text, make: Makefile) -> Iterator[Message]:
    for step in make.steps.values():
        for line, command in make.commands(step):
            words = tokens(command)
            if words is None:
                yield _said(text, line, step.target, "a quote is open", "a line that the shell takes")
                continue
            for word in _commands(words):
                if word not in _PROGRAMS:
                    yield _said(text, line, step.target, f"it runs {word!r}", "a program of the build")
            opened, closed = words.count("if"), words.count("fi")
            if opened != closed or words.count("{") != words.count("}") or words.count("then") != opened:
                yield _said(
                    text, line, step.target, "if, then and fi do not match", "a line that the shell takes"
                )


def tokens(command: str) -> list[str] | None:
    """Return the words of a line of a recipe as the shell parts them, None if it cannot."""
    lexer = shlex.shlex(command.strip().lstrip("@-+ "), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError:
        return None


def _commands(words: list[str]) -> Iterator[str]:
    """Yield the words that stand where a command begins."""
    begins = True
    for index, word in enumerate(words):
        if word in (";", "&&", "||", "|", "(", "&"):
            begins = True
        elif begins and word in _KEYWORDS:
            continue
        elif begins and word not in _ENDS and not _assigns(word, words[index + 1 : index + 2]):
            begins = False
            yield word
        elif word not in (")",):
            begins = False


def _assigns(word: str, further: list[str]) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier() and (word.endswith("$") or further in ([], [";"], [")"]))


def _steps(case: _Case, lines: list[tuple[int, str]]) -> Iterator[Message]:
    """Each step of the build is there, after those before it."""
    parted = [(line, tokens(command) or []) for line, command in lines]
    node = case.wanted.node
    commands = platform_registry()[node.platform].commands(node)
    yield from _printed(case, commands)
    for step in commands.anywhere:
        if not any(_has(words, step) for _, words in parted):
            near = next(
                (line for line, words in parted if step[-1] in words or list(step[:2]) == words[:2]), 0
            )
            yield _said(case.text, near, " ".join(step), "no step does it", "every step of the build")
    for given, steps in commands.given.items():
        yield from _given(case, given, steps)
    at = 0
    for step in commands.ordered:
        found = next((k for k in range(at, len(parted)) if _has(parted[k][1], step)), None)
        if found is None:
            early = next((line for line, words in parted if _has(words, step)), 0)
            near = early or next((line for line, words in parted if step[0] in words), 0)
            what = "it comes too early" if early else "no step does it"
            yield _said(case.text, near, " ".join(step), what, "every step of the build, in order")
        else:
            at = found


def _given(case: _Case, given: str, steps: tuple[tuple[str, ...], ...]) -> Iterator[Message]:
    """With such settings, the build does these steps as well."""
    otherwise = given.replace("=1", "=ON")  # CMake would take it, and make would wait for other products
    if _goes_on(case, {**case.right(), "SETTINGS": otherwise}):
        yield _said(case.text, 0, f"SETTINGS={otherwise}", "make goes on", f"it stops: {given} is one word")
    try:
        make = case.read({**case.right(), "SETTINGS": given})
    except MakeError as error:
        yield _stops(case.text, error, f"make goes on with SETTINGS={given}")
        return
    lines = [line for step in make.order("all") for line in make.commands(step)]
    for step in steps:
        if not any(_has(tokens(command) or [], step) for _, command in lines):
            yield _said(
                case.text, 0, " ".join(step), f"no step does it with SETTINGS={given}", "every step of it"
            )


def _printed(case: _Case, commands: Commands) -> Iterator[Message]:
    """A command looks for what a script prints at its end, so that must be this very text."""
    for file, wanted in commands.printed.items():
        path = case.folder.parent / file
        text = path.read_text(errors="replace") if path.is_file() else ""
        found = re.findall(r"^puts \[join \{(.*)\} \" \"\]$", text, re.MULTILINE)
        if found[-1:] != [wanted]:
            said = found[-1] if found else "nothing"
            yield broken(
                "plan-make",
                Origin(f"{case.wanted.node.name}/{file}"),
                file,
                f"it prints {said}",
                wanted,
                RENEW,
            )


def _has(words: list[str], step: tuple[str, ...]) -> bool:
    left = iter(words)
    return all(word in left for word in step)


def _targets(text: Text, make: Makefile) -> Iterator[Message]:
    """A step of several commands leaves its product under the name of its target."""
    for step in make.steps.values():
        if "/" not in step.target or step.target.endswith((".xo", ".xml")) or not step.recipe:
            continue
        lines = [tokens(command) or [] for _, command in make.commands(step)]
        if not any(_has(words, (maker, step.target)) for words in lines for maker in (">", "mv")):
            expected = f"echo done > {step.target}, or mv"
            yield _said(text, step.line, step.target, "no command of it makes it", expected)
