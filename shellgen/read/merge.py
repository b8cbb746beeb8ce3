# SPDX-License-Identifier: BSD-3-Clause
"""Several FINN builds in one cluster: unrelated ones, parts of one network, or copies of one build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shellgen.model import Edge, Endpoint
from shellgen.read.survey import Survey


def unique_names(builds: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Return a name for each partition of each build: its own, or with ``_b<build>`` if that is taken.

    Every release of FINN calls its partitions ``StreamingDataflowPartition_<k>``.
    """
    taken = {name for names in builds[:1] for name in names}
    found = [{name: name for name in names} for names in builds[:1]]
    for number, names in enumerate(builds[1:], 1):
        called = {}
        for name in names:
            new = name
            while new in taken:
                new = f"{name}_b{number}" if new == name else f"{new}_"
            taken.add(new)
            called[name] = new
        found.append(called)
    return found


def copied(survey: Survey, names: Mapping[str, str]) -> Survey:
    """Return the same build once more, with its partitions renamed: modules and files are shared."""

    def end(of: Endpoint) -> Endpoint:
        return Endpoint(partition=names[of.partition], port=of.port)

    return replace(
        survey,
        partitions=[one.model_copy(update={"name": names[one.name]}) for one in survey.partitions],
        models={names[name]: model for name, model in survey.models.items()},
        folders={names[name]: folder for name, folder in survey.folders.items()},
        outlines={names[name]: own for name, own in survey.outlines.items()},
        edges=tuple(
            Edge(producer=end(one.producer), consumer=end(one.consumer), join=one.join)
            for one in survey.edges
        ),
        tensors={end(one): name for one, name in survey.tensors.items()},
        registers={(names[name], port): pack for (name, port), pack in survey.registers.items()},
        weights={end(one): values for one, values in survey.weights.items()},
        unknown=[],
        problems=[],
    )


def merged(surveys: Sequence[Survey]) -> Survey:
    """Return the builds as one, in their order.

    Two streams of the host may have one name in their builds; the later one gets ``_b<build>``.
    """
    found = Survey(surveys[0].build)
    found.problems = []
    for number, one in enumerate(surveys):
        taken = frozenset(found.tensors.values())
        found.partitions += one.partitions
        found.models |= one.models
        found.folders |= one.folders
        found.outlines |= one.outlines
        found.edges += one.edges
        found.tensors |= {
            end: f"{name}_b{number}" if name in taken else name for end, name in one.tensors.items()
        }
        found.files |= one.files
        found.registers |= one.registers
        found.weights |= one.weights
        found.unknown += one.unknown
        found.problems += one.problems
    return found
