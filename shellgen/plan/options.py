# SPDX-License-Identifier: BSD-3-Clause
"""Options of platforms and links: tables of cluster.toml that the kind itself defines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from shellgen.errors import InputError, PlanError, Problem, offer
from shellgen.links import link_registry
from shellgen.model.base import Frozen
from shellgen.model.hooks import HookOptions
from shellgen.plan.docks import docks_of, in_hardware
from shellgen.plan.draft import Draft, NodeDraft, Route
from shellgen.platforms import platform_registry

Table = Mapping[str, object]


def take_options(draft: Draft) -> Draft:
    """Assign to every node the options of its platform and of its links.

    For a link, ``[node.options.<kind>]`` of the node at its end overrides ``[links.<kind>]``, and ``options``
    of its ``[[link]]`` overrides both.

    Raises:
        PlanError: Options of a kind that is unknown or unused here; unknown or missing fields.
    """
    problems = [*_default_problems(draft)]
    nodes = []
    for node in draft.nodes:
        problems.extend(_node_problems(draft, node.entry, node))
        nodes.append(_with_options(draft, node.entry, node))
    draft = replace(draft, nodes=tuple(nodes))
    told = bool(problems)
    for route in draft.routes:
        problems.extend(_route_problems(draft, route, told=told))
    if problems:
        raise PlanError(*dict.fromkeys(problems))
    return draft


def link_options(draft: Draft, node: NodeDraft, kind: str, asked: Table) -> Frozen:
    """Return a link's options in cluster.toml for one stream at one of its ends, after `take_options`."""
    table = {**node.link_options.get(kind, {}), **asked}
    return link_registry()[kind].Options.from_data(table, draft.where, f"links.{kind}")


def stream_options(draft: Draft, node: NodeDraft, route: Route) -> Frozen:
    """Return the options of a stream's link at one of its ends, as they are with a program at either."""
    assert route.link is not None
    link, found = link_registry()[route.link], link_options(draft, node, route.link, route.options)
    return found if in_hardware(link, draft.ends(route)) else link.over_program(found)


def hook_platforms() -> list[str]:
    """Return the platforms whose options take scripts and constraints of the user."""
    return [kind for kind, one in platform_registry().items() if issubclass(one.Options, HookOptions)]


@dataclass(frozen=True)
class _Reader:
    """The option record of one kind, and its parser.

    Attributes:
        where: Name of cluster.toml.
        kind: The platform or the link.
        model: Its `Options`.
    """

    where: str
    kind: str
    model: type[Frozen]

    def wrong(self, at: str, table: Table, *, whole: bool) -> list[Problem]:
        """Return the fields of a table that the record refuses, and those missing from a complete table."""
        known, none = list(self.model.model_fields), f"{self.kind} takes no options: remove it"
        field = re.sub(r"\[\d+\]", "", at)
        remedies = {
            f"{field}.{name}": offer(name, known, f"{self.kind} takes") if known else none
            for name in table
            if name not in known
        }
        try:
            self.model.from_data(dict(table), self.where, at, remedies)
        except InputError as error:
            absent = {f"{self.where}: {at}.{name}" for name in self.model.model_fields if name not in table}
            return [problem for problem in error.problems if whole or problem.where not in absent]
        return []


def _link(draft: Draft, kind: str) -> _Reader:
    return _Reader(draft.where, kind, link_registry()[kind].Options)


def _platform(draft: Draft, kind: str) -> _Reader:
    return _Reader(draft.where, kind, platform_registry()[kind].Options)


def _default_problems(draft: Draft) -> list[Problem]:
    registry, problems = link_registry(), []
    for kind, table in draft.spec.links.items():
        if kind in registry:
            problems.extend(_link(draft, kind).wrong(f"links.{kind}", table, whole=False))
            continue
        remedy = f"Known links are: {', '.join(sorted(registry))}"
        if kind in platform_registry():
            remedy = f"It is a platform: its options go into [node.options.{kind}]"
        problems.append(Problem(f"{draft.where}: links.{kind}", f"there is no link {kind!r}", remedy))
    return problems


def _node_problems(draft: Draft, index: int, node: NodeDraft) -> list[Problem]:
    links = _usable(node)
    problems: list[Problem] = []
    given: dict[str, Table] = {node.platform: {}, **draft.spec.node[index].options}
    for kind, table in given.items():
        at = f"node[{index}].options.{kind}"
        if kind == node.platform:
            problems.extend(_platform(draft, kind).wrong(at, table, whole=True))
        elif kind in links:
            problems.extend(_link(draft, kind).wrong(at, table, whole=False))
        else:
            found = f"node {node.name} has no part in {kind!r}: its platform is {node.platform}"
            remedy = f"Remove them; this node takes options of: {', '.join([node.platform, *links])}"
            problems.append(Problem(f"{draft.where}: {at}", found, remedy))
    return problems


def _usable(node: NodeDraft) -> list[str]:
    docks = docks_of(node)
    return [kind for kind, link in link_registry().items() if link.dock in docks]


def _with_options(draft: Draft, index: int, node: NodeDraft) -> NodeDraft:
    """Return the node with all options of its platform, and the given options of its links."""
    given, defaults = draft.spec.node[index].options, draft.spec.links
    links = {kind: {**defaults.get(kind, {}), **given.get(kind, {})} for kind in _usable(node)}
    node = replace(node, link_options={kind: table for kind, table in links.items() if table})
    model = platform_registry()[node.platform].Options
    try:
        own = model.from_data(
            given.get(node.platform, {}), draft.where, f"node[{index}].options.{node.platform}"
        )
    except InputError:  # reported by `_node_problems`
        return node
    return replace(node, options=own.model_dump(mode="json"))


def _route_problems(draft: Draft, route: Route, *, told: bool) -> list[Problem]:
    """Return the problems with a stream's options; ``told``: a table of a link or node has one already."""
    at = route.where.removeprefix(f"{draft.where}: ") + ".options"
    ends = draft.ends(route)
    if route.link is None:
        found = f"both ends are on node {ends[0].name}, so that no link carries the stream"
        return [Problem(f"{draft.where}: {at}", found, "Remove them")] if route.options else []
    reader = _link(draft, route.link)
    problems = reader.wrong(at, route.options, whole=False)
    for node in ends:
        given = node.link_options.get(route.link, {})
        if told and reader.wrong(at, given, whole=False):  # in a table with another name
            continue
        table = {**given, **route.options}
        problems = problems or reader.wrong(f"links.{route.link}", table, whole=True)
    return problems
