# SPDX-License-Identifier: BSD-3-Clause
"""Members of numbered families that no public project had: what the known ones have alike holds for the rest.

Of ``SLOT_0_AXIS`` to ``SLOT_2_AXIS`` each is there while its own ``C_SLOT_<n>_INTF_TYPE`` says so. An
instance has many other parameters that happen to agree, but not those of the same number in every member.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

Document = dict[str, Any]
_INDEX = re.compile(r"\d+")
_AGREE = re.compile(r"agree\((.*)\)", re.DOTALL)
_SPLIT = re.compile(r"\s*,\s*(?=p:\w+ = )")
_LEAST = 2  # members that a family must have
_MARK = "\0"


def with_kin(document: Document) -> Document:
    """Return a document with all members of the families of interfaces whose rule is known."""
    interfaces = dict(document["interfaces"])
    for pattern, members in _families(interfaces).items():
        shared = _shared(interfaces, pattern, members)
        if shared is None:
            continue
        for index in _indices(document["parameters"], shared):
            name = pattern.replace(_MARK, str(index))
            model = interfaces[pattern.replace(_MARK, str(members[0]))]
            rule = shared.replace(_MARK, str(index))
            known = interfaces.get(name)
            interfaces[name] = {**known, "if": rule} if known else _renumbered(model, members[0], index, rule)
    return {**document, "interfaces": interfaces}


def _families(interfaces: Mapping[str, Any]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for name in interfaces:
        for match in _INDEX.finditer(name):
            if len(match[0]) < 3 and str(int(match[0])) == match[0]:
                found.setdefault(name[: match.start()] + _MARK + name[match.end() :], []).append(
                    int(match[0])
                )
    return {pattern: sorted(members) for pattern, members in found.items() if len(members) >= _LEAST}


def _shared(interfaces: Mapping[str, Any], pattern: str, members: list[int]) -> str | None:
    """Return the one rule that all members have but for their number, None if there is none or several."""
    rules = []
    for index in members:
        condition = interfaces[pattern.replace(_MARK, str(index))]["if"]
        if not condition or "unknown" not in condition:
            return None  # nothing that was learned
        parts = _SPLIT.split(agreed[1] if (agreed := _AGREE.fullmatch(condition)) else condition)
        of_number = re.compile(rf"(?<=_){index}(?=_)|(?<=[a-z]){index}(?=_)")
        rules.append(
            {of_number.sub(_MARK, part) for part in parts if of_number.search(part.partition(" =")[0])}
        )
    # A member's table may lack a value that only another member ever had.
    named = [{part.partition(" =")[0]: part for part in one} for one in rules]
    kept = set.intersection(*(set(one) for one in named))
    if len(kept) != 1:
        return None
    (name,) = kept
    return max((one[name] for one in named), key=len)


def _indices(parameters: Mapping[str, Any], rule: str) -> Iterator[int]:
    """Yield the numbers for which the parameter of a rule exists."""
    name = rule.partition(" =")[0].removeprefix("p:")
    before, _, after = name.partition(_MARK)
    for one in parameters:
        lower = one.lower()
        number = lower[len(before) : len(lower) - len(after)]
        if lower.startswith(before) and lower.endswith(after) and number.isdigit():
            yield int(number)


def _renumbered(model: Mapping[str, Any], old: int, new: int, rule: str) -> dict[str, Any]:
    """Return a member in the form of another; bus parameters are those of instances, and not taken."""
    ports = {
        logical: re.sub(rf"(?<=_){old}(?=_)", str(new), port, count=1)
        for logical, port in model["ports"].items()
    }
    return {"mode": model["mode"], "vlnv": model["vlnv"], "if": rule, "params": {}, "ports": ports}
