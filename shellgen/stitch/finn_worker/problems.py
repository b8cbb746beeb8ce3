# SPDX-License-Identifier: BSD-3-Clause
"""User errors on FINN's side of the fence: a list of (where, found, remedy)."""

from __future__ import annotations


class FoundProblems(Exception):  # noqa: N818 - it carries findings; main() turns them into a result
    """Everything that is wrong with one stage."""

    def __init__(self, problems: list[tuple[str, str, str]]) -> None:
        self.problems = problems
        super().__init__(str(problems))


def stop_if(problems: list[tuple[str, str, str]]) -> None:
    """Raise if there is any."""
    if problems:
        raise FoundProblems(problems)
