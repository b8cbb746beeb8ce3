# SPDX-License-Identifier: BSD-3-Clause
"""Checks before a build starts: settings, programs, memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from shellgen.build.memory import gib
from shellgen.errors import InputError, Problem, ToolMissingError, nearest
from shellgen.model import NodePlan, Setting, Stage

Stages = Sequence[tuple[NodePlan, Sequence[Stage]]]


def settings_of(stages: Stages, given: Sequence[str]) -> dict[str, str]:
    """Return the value of each setting: the given one, else a folder from the environment, else the default.

    Args:
        stages: Of each node.
        given: ``NAME=VALUE`` each.

    Raises:
        InputError: A name that no stage knows, a missing or wrong value, or a missing folder.
    """
    known = {one.name: one for _, own in stages for stage in own for one in stage.settings}
    values = {name: one.default for name, one in known.items() if one.default}
    values |= {
        name: os.environ[name] for name, one in known.items() if one.folder and os.environ.get(name, "")
    }
    problems = []
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or not value or not value.isprintable():
            problems.append(Problem(f"build: --set {word}", "expected NAME=VALUE", "Correct it"))
        elif name not in known:
            near = nearest(name, known)
            meant = _explained([known[one] for one in ([near] if near else sorted(known))])
            remedy = (
                f"Did you mean {meant}? Correct it"
                if near
                else f"Choose from {meant}"
                if known
                else "Leave it out"
            )
            problems.append(Problem(f"build: --set {word}", f"no build has a setting {name!r}", remedy))
        elif known[name].number and not (value.isascii() and value.isdigit() and int(value[:9])):
            found = f"it is no whole number from 1 ({known[name].about})"
            problems.append(Problem(f"build: --set {word}", found, "Correct it"))
        else:
            values[name] = value
    for name, one in known.items():
        if name in values and one.folder:
            values[name] = os.path.abspath(os.path.expanduser(values[name]))  # noqa: PTH100, PTH111 - keeps links
    if problems:
        raise InputError(*problems)
    return values


def check_settings(stages: Stages, values: Mapping[str, str], *, folders: bool) -> list[Problem]:
    """Return a problem for each setting that a stage needs and that is missing or unusable.

    Args:
        stages: Of each node.
        values: Settings.
        folders: Whether the folders are on this machine.
    """
    problems: dict[str, Problem] = {}
    for node, own in stages:
        for one in [setting for stage in own for setting in stage.settings]:
            value = values.get(one.name)
            if value is None and one.required:
                remedy = f"Add --set {one.name}=<{one.about}>"
                problems.setdefault(
                    one.name, Problem(f"build: {node.name}", f"{one.name} is not set", remedy)
                )
            elif value is not None and folders and one.folder and not Path(value).is_dir():
                where = f"build: {one.name}"
                problems[one.name] = Problem(where, f"there is no folder {value}", f"It is the {one.about}")
    return list(problems.values())


def check_tools(stages: Stages, found: Callable[[str], object] = shutil.which) -> list[Problem]:
    """Return a problem for each missing program."""
    users: dict[str, list[str]] = {}
    for node, own in stages:
        for tool in dict.fromkeys(tool for stage in own for tool in stage.tools):
            if not found(tool):
                users.setdefault(tool, []).append(node.name)
    remedy = "Install it, or run its vendor's settings script (settings64.sh) in this shell first"
    return [
        Problem(f"build: {', '.join(nodes)}", f"there is no {tool} on PATH", remedy)
        for tool, nodes in users.items()
    ]


def check_memory(needs: Mapping[str, int], memory: int) -> list[Problem]:
    """Return a problem for the nodes whose largest stage does not fit even when it runs alone."""
    large: dict[int, list[str]] = {}
    for name, need in needs.items():
        if need > memory:
            large.setdefault(need, []).append(name)
    return [
        Problem(
            f"build: {', '.join(names)}",
            f"it is expected to need {gib(need)} of memory; the limit is {gib(memory)}",
            "Build it on a larger machine (--on, --queue), or raise the limit with --memory",
        )
        for need, names in large.items()
    ]


def refuse(
    settings: Sequence[Problem], tools: Sequence[Problem] = (), memory: Sequence[Problem] = ()
) -> None:
    """Refuse to start the build.

    Raises:
        InputError: A setting is missing or wrong, or the memory is insufficient.
        ToolMissingError: Only programs are missing.
    """
    if tools and not settings and not memory:
        raise ToolMissingError(*tools)
    if settings or tools or memory:
        raise InputError(*settings, *tools, *memory)


def _explained(settings: Sequence[Setting]) -> str:
    return ", ".join(f"{one.name} ({one.about})" for one in settings)
