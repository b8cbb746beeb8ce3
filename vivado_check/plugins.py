# SPDX-License-Identifier: BSD-3-Clause
"""Rules of other packages, found by entry points of the group ``vivado_check.rules``.

A rule that is installed and cannot be loaded is an error and no warning: a check without it would pass what
the user wants to have found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from .errors import InputError, Problem, StatedError
from .report import Message
from .rules.base import RULES, Context, Rule, all_rules

GROUP = "vivado_check.rules"
_REMEDY = "Repair or uninstall that package"


@dataclass(frozen=True)
class Provider:
    """The package that an entry point is of.

    Attributes:
        package: Its name and version.
        place: Module that the entry point names.
    """

    package: str
    place: str

    def __str__(self) -> str:
        return f"{self.package}, {self.place}"


@cache
def load_rules() -> dict[str, Provider]:
    """Load the rules of all packages; return who has each rule that is not of this package.

    Raises:
        InputError: A module cannot be imported, has no rule, or a rule under a name that is taken.
    """
    all_rules()
    found: dict[str, Provider] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        provider = Provider(_package(point), point.value)
        before = set(RULES)
        try:
            point.load()
        except Exception as error:  # third-party code may raise anything
            raise _broken(provider, f"it cannot be loaded: {type(error).__name__}: {error}") from error
        added = set(RULES) - before
        if not added:
            raise _broken(provider, "it registers no rule")
        found |= dict.fromkeys(added, provider)
    return found


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "a package without a name"


def _broken(provider: Provider, found: str) -> InputError:
    return InputError(Problem(f"rules of {provider}", found, _REMEDY))


def judge(rule: Rule, context: Context) -> Iterable[Message]:
    """Return what a rule says, of whichever package.

    Raises:
        InputError: A rule of another package raised, or did not yield messages under its own name.
    """
    provider = load_rules().get(rule.name)
    if provider is None:
        return rule.judge(context)
    try:
        said = list(rule.judge(context))
    except StatedError:
        raise
    except Exception as error:  # third-party code may raise anything
        text = f"rule {rule.name} raised {type(error).__name__}: {error}"
        raise _broken(provider, text) from error
    for one in said:
        if not isinstance(one, Message) or one.rule != rule.name:
            raise _broken(provider, f"rule {rule.name} yielded {one!r:.80}, which is no message of its name")
    return said
