# SPDX-License-Identifier: BSD-3-Clause
"""The names in ``[estimate]``: each must be that of one layer, of a node, or of a figure of a link."""

from __future__ import annotations

from collections.abc import Iterator

from shellgen.errors import Problem, offer
from shellgen.links import link_registry
from shellgen.model import EstimateSpec, Plan


def estimate_problems(plan: Plan, asked: EstimateSpec, where: str) -> list[Problem]:
    """Return what in the table is about nothing in the plan."""
    return [*_layers(plan, asked, where), *_servers(plan, asked, where), *_links(asked, where)]


def _layers(plan: Plan, asked: EstimateSpec, where: str) -> Iterator[Problem]:
    owners = [(layer, one) for one in plan.partitions for layer in one.timed]
    for name in asked.layers:
        found = [one.name for layer, one in owners if name == one.full(layer)]
        found = found or [one.name for layer, one in owners if name in (layer, one.short(layer))]
        at = f"{where}: estimate.layers.{name}"
        if not found:
            known = [layer for layer, _ in owners]
            yield Problem(at, "no partition has such a layer", offer(name, known))
        elif len(set(found)) > 1:
            said = f"{', '.join(sorted(set(found)))} have such a layer"
            yield Problem(at, said, "Put the name of the partition and _ in front")


def _servers(plan: Plan, asked: EstimateSpec, where: str) -> Iterator[Problem]:
    known = [node.name for node in plan.nodes]
    for name in asked.servers:
        if name not in known:
            yield Problem(f"{where}: estimate.servers.{name}", "there is no such node", offer(name, known))


def _links(asked: EstimateSpec, where: str) -> Iterator[Problem]:
    """Check that a link kind has such figures, and that their values make sense."""
    kinds = link_registry()
    for kind, given in asked.links.items():
        at = f"{where}: estimate.links.{kind}"
        if kind not in kinds:
            yield Problem(at, "there is no such link", offer(kind, list(kinds)))
            continue
        known = kinds[kind].figures()
        for name, value in given.items():
            if name not in known:
                yield Problem(f"{at}.{name}", "the link has no such figure", offer(name, list(known)))
            elif not known[name].least <= value <= known[name].most:
                one = known[name]
                found = f"got {value:g} {one.unit}"
                yield Problem(f"{at}.{name}", found, f"Give {one.least:g} to {one.most:g}: {one.about}")
