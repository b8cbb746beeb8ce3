# SPDX-License-Identifier: BSD-3-Clause
"""Fields of cluster.toml that a link or a platform means when it names a field of a node or of a stream."""

from __future__ import annotations

import re
from dataclasses import replace

from shellgen.errors import Problem
from shellgen.model import ClusterSpec, NodeSpec
from shellgen.plan.draft import Route

_FIELD = re.compile(r"node (?P<node>\w+)(?:: |\.)(?P<field>[\w.\[\]]+)")


def placed(problem: Problem, where: str) -> Problem:
    """Prefix a location from links and platforms with the name of cluster.toml."""
    in_a_file = problem.where.partition(":")[0].endswith(".toml")
    return problem if in_a_file else replace(problem, where=f"{where}: {problem.where}")


def in_the_link(problem: Problem, stream: str, route: Route) -> Problem:
    """Name the options of a stream by the [[link]] that has them."""
    options = f"stream {stream}: options"
    if not route.options or not problem.where.startswith(options):
        return problem
    field = f"{route.where}.options{problem.where.removeprefix(options)}"
    return replace(problem, where=field, found=f"stream {stream}: {problem.found}")


def in_the_file(problem: Problem, spec: ClusterSpec, where: str) -> Problem:
    """Return a problem with a field of a node as one of the file, where the field stands or could stand.

    Links and platforms know the name of a node and the field. It is in the table of the [[node]], which
    replicas share, or as an option in the table of the link for all nodes. An option of the host's end is in
    the latter.
    """
    if problem.where.startswith("links."):
        return replace(problem, where=f"{where}: {problem.where}")
    found = _FIELD.fullmatch(problem.where.removeprefix(f"{where}: "))
    index = _entry(spec, found["node"]) if found else None
    if found is None or index is None or found["field"].partition(".")[0] not in NodeSpec.model_fields:
        return problem
    name, field = found["node"], found["field"]
    text = problem.found if re.search(rf"\b{name}\b", problem.found) else f"node {name}: {problem.found}"
    return replace(problem, where=f"{where}: {_table(spec, index, field)}", found=text)


def _table(spec: ClusterSpec, index: int, field: str) -> str:
    first, _, rest = field.partition(".")
    kind, _, option = rest.partition(".")
    name = option.partition(".")[0]
    of_all = first == "options" and name in spec.links.get(kind, {})
    if of_all and name not in spec.node[index].options.get(kind, {}):
        return f"links.{kind}.{option}"
    return f"node[{index}].{field}"


def _entry(spec: ClusterSpec, name: str) -> int | None:
    """Return the number of the [[node]] of a node or of a replica."""
    names = [node.name for node in spec.node]
    for wanted in (name, re.sub(r"_\d+$", "", name)):
        if wanted in names:
            return names.index(wanted)
    return None
