# SPDX-License-Identifier: BSD-3-Clause
"""The platform of each node, and its facts about the board."""

from __future__ import annotations

from collections.abc import Mapping

from shellgen.errors import InputError, PlanError, Problem, offer
from shellgen.model import Board, ClusterSpec, NodeSpec
from shellgen.platforms import broken_platforms, platform_registry


def choose_platforms(spec: ClusterSpec, boards: Mapping[str, Board], where: str) -> dict[str, str]:
    """Return the platform of each node, by the node's name, after all tables of the boards have been read.

    The default is the first platform in the board's file. Board files may be shared between machines with
    different platforms installed, so a table of an unknown platform is no error as long as there is another
    table and no node names the platform.

    Raises:
        PlanError: A board without a known platform; invalid facts of a platform; a node with a platform that
            its board does not have.
    """
    problems = []
    for board in {board.where: board for board in boards.values()}.values():
        problems.extend(_board_problems(board))
    if problems:
        raise PlanError(*problems)
    kinds = {}
    for index, node in enumerate(spec.node):
        known = known_platforms(boards[node.name])
        kind = node.platform or known[0]
        if kind in known:
            kinds[node.name] = kind
        else:
            problems.append(_no_choice(f"{where}: node[{index}].platform", node, boards[node.name]))
    if problems:
        raise PlanError(*problems)
    return kinds


def known_platforms(board: Board) -> list[str]:
    """Return the platforms of a board that are installed, in the order of its file."""
    return [kind for kind in board.platform if kind in platform_registry()]


def _board_problems(board: Board) -> list[Problem]:
    known = known_platforms(board)
    if not known:
        names = ", ".join(repr(kind) for kind in board.platform)
        found = f"{names} {'is' if len(board.platform) == 1 else 'are'} not known"
        return [Problem(f"{board.where}: platform", found, _choose(platform_registry()))]
    problems: list[Problem] = []
    for kind in known:
        try:
            board.facts(kind, platform_registry()[kind].Facts)
        except InputError as error:
            problems.extend(error.problems)
    return problems


def _no_choice(where: str, node: NodeSpec, board: Board) -> Problem:
    known = known_platforms(board)
    if node.platform in board.platform:
        return Problem(where, f"{node.platform!r} is not known", offer(node.platform or "", known))
    found = f"got {node.platform!r}, and {board.where} has no [platform.{node.platform}]"
    return Problem(where, found, offer(node.platform or "", known))


def _choose(kinds: list[str] | Mapping[str, object]) -> str:
    """List the installed platforms, and those that could not be loaded."""
    broken = "; ".join(f"{one.where} is left out, since {one.found}" for one in broken_platforms())
    return f"Choose from: {', '.join(sorted(kinds))}{f' ({broken})' if broken else ''}"
