# SPDX-License-Identifier: BSD-3-Clause
"""Tcl's glob, on the files that a script sees."""

from __future__ import annotations

import re

from ..record.commands import ToolError
from .arguments import split_list
from .sandbox import Sandbox
from .wildcard import glob_pattern

_MOST = 10_000  # alternatives of a pattern
_BRACES = re.compile(r"(?<!\\)\{([^{}]*)\}")


def alternatives(pattern: str) -> list[str]:
    """Return the patterns that one with braces stands for.

    Raises:
        ToolError: They are more than any script means.
    """
    todo, done = [pattern], []
    while todo:
        one = todo.pop(0)
        found = _BRACES.search(one)
        if not found:
            done.append(one)
            continue
        head, tail = one[: found.start()], one[found.end() :]
        todo[:0] = [head + choice + tail for choice in found[1].split(",")]
        if len(todo) + len(done) > _MOST:
            raise ToolError(f"glob pattern {pattern[:80]!r} stands for too many", rule="sandbox")
    return done


def matching(words: list[str], sandbox: Sandbox, folder: str) -> list[str]:
    """Answer ``glob``: names in the order of the patterns, sorted.

    Raises:
        ToolError: Nothing matches, and that is not said to be fine.
    """
    flags, patterns = _options(words)
    base = flags.get("-directory", flags.get("-path", ""))
    found: list[str] = []
    for pattern in patterns:
        for text in alternatives(pattern):
            prefix = base + "/" if "-directory" in flags and base and not base.endswith("/") else base
            names = _expand(prefix, text, "-path" in flags, sandbox, folder)
            names = [name for name in names if _of_type(name, flags.get("-types", ""), sandbox, folder)]
            if "-tails" in flags:
                cut = len(prefix) if "-directory" in flags else prefix.rfind("/") + 1
                names = [name[cut:] for name in names]
            found += [name for name in names if name not in found]
    if not found and "-nocomplain" not in flags:
        plural = "s" if len(patterns) > 1 else ""
        raise ToolError(f'no files matched glob pattern{plural} "{" ".join(patterns)}"', rule="tcl")
    return found


def _options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    flags: dict[str, str] = {}
    rest = list(words)
    known = ("-directory", "-join", "-nocomplain", "-path", "-tails", "-types")
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        fitting = [name for name in known if name.startswith(word)]
        if not fitting:
            raise ToolError(f'bad option "{word}" of glob', rule="tcl")
        takes = fitting[0] in ("-directory", "-path", "-types")
        flags[fitting[0]] = rest.pop(0) if takes and rest else ""
    if "-join" in flags:
        rest = ["/".join(rest)]
    return flags, rest


def _expand(prefix: str, pattern: str, path: bool, sandbox: Sandbox, folder: str) -> list[str]:
    """Return all names that begin with a prefix, to be taken as it is, and go on as the pattern says."""
    if path:
        head, _, start = prefix.rpartition("/")
        prefix = f"{head}/" if "/" in prefix else ""
        pattern = re.sub(r"([*?\[\]{}\\])", r"\\\1", start) + pattern
    elif pattern.startswith("/"):
        prefix, pattern = "/", pattern.lstrip("/")
    bases = [prefix]
    parts = [part for part in pattern.split("/") if part]
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        bases = [
            name + ("" if last else "/")
            for base in bases
            for name in _step(base, part, sandbox, folder)
            if last or sandbox.is_dir(sandbox.absolute(name, folder))
        ]
    return bases


def _step(base: str, part: str, sandbox: Sandbox, folder: str) -> list[str]:
    if not re.search(r"[*?\[\\]", part):
        return [base + part] if sandbox.exists(sandbox.absolute(base + part, folder)) else []
    pattern = glob_pattern(part)
    return [
        base + name
        for name in sandbox.names(sandbox.absolute(base, folder))
        if pattern.fullmatch(name) and (part.startswith((".", "\\.")) or not name.startswith("."))
    ]


def _of_type(name: str, types: str, sandbox: Sandbox, folder: str) -> bool:
    path = sandbox.absolute(name, folder)
    wanted = {word for word in split_list(types) if word in ("d", "f", "l", "p", "s", "b", "c")}
    return not wanted or ("d" if sandbox.is_dir(path) else "f") in wanted
