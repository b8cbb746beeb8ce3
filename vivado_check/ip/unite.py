# SPDX-License-Identifier: BSD-3-Clause
"""From all files of one IP to one document of facts, which a data file of this room holds.

A packaged IP says everything itself. An instance is one resolved configuration: its choices may be narrowed,
and a value is a default only if nobody set it. What no file gives a rule for is learned (`learned`) or left
out, which means "not known".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .asked import asked, model_names, note_twins
from .bus_params import bus_params
from .component import Component, Condition, InterfaceFact, ParameterFact, PortFact, Value
from .learned import ENOUGH, ONE, Seen, families, member, quote, rule_of
from .named import canonical

Document = dict[str, Any]
_MOST_MEMBERS = 64
# What the members of a family have alike, but for their number.
_KEPT = ("ASSOCIATED_BUSIF", "ASSOCIATED_RESET", "POLARITY")


def unite(components: Sequence[Component]) -> Document:
    """Return the document of one IP.

    Args:
        components: All of one VLNV. Of several files the newest release has the last word.
    """
    usual, named = canonical(components)
    ordered = sorted(usual, key=lambda one: (release_key(one.release), one.origin))
    found = _Union(ordered)
    parameters = found.parameters()
    found.complete_values(parameters)
    document: Document = {
        "vlnv": ordered[-1].vlnv,
        "complete": any(one.parameters and one.whole for one in ordered),
        "whole": found.whole_pins(),
        "packaged": any(not one.instance for one in ordered),
        "named": named,
        "parameters": parameters,
        "model": {},
        "ports": found.ports(),
        "interfaces": found.interfaces(),
        "spaces": found.spaces(),
        "blocks": found.blocks(),
    }
    document["model"] = found.model(model_names(document, {}))
    while missing := model_names(document, document["model"]):
        document["model"] |= found.model(missing)
    found.computed(document)
    note_twins(document, found.seen)
    return document


def release_key(release: str) -> tuple[int, ...]:
    """Return a release as numbers, so that 2020.1 comes before 2020.1.1 and after nothing."""
    return tuple(int(part) for part in release.split(".") if part.isdigit())


@dataclass
class _Union:
    """The files of one IP, oldest first."""

    files: Sequence[Component]

    def __post_init__(self) -> None:
        self.seen = [Seen.of(one) for one in self.files]
        self.whole = [one for one in self.files if one.whole]

    # --- parameters -----------------------------------------------------------------------------------
    def parameters(self) -> dict[str, Document]:
        names: dict[str, list[tuple[Component, ParameterFact]]] = {}
        for one in self.files:
            for name, fact in one.parameters.items():
                if name != "Component_Name":
                    names.setdefault(name.lower(), []).append((one, fact))
        return {facts[-1][1].name: self._parameter(key, facts) for key, facts in sorted(names.items())}

    def _parameter(self, key: str, facts: list[tuple[Component, ParameterFact]]) -> Document:
        told = [fact for one, fact in facts if one.whole]
        last = told[-1] if told else facts[-1][1]
        entry: Document = {}
        if last.format:
            entry["format"] = last.format
        if choices := _choices([(one, fact) for one, fact in facts if one.whole]):
            entry["choices"] = choices
        for end, limit in (("low", _limit(told, True)), ("high", _limit(told, False))):
            if limit is not None:
                entry[end] = limit
        if last.enabled.rule:
            entry["enabled"] = last.enabled.rule
        permissions = {fact.value.permission for _, fact in facts}
        if permissions & {"bd", "bd_and_user"}:
            entry["by"] = "bd" if "bd_and_user" not in permissions else "both"
        entry |= self._default(key, facts)
        return entry

    def _default(self, key: str, facts: list[tuple[Component, ParameterFact]]) -> Document:
        packaged = [fact for one, fact in facts if not one.instance]
        if packaged:
            value = packaged[-1].value
            return {"rule": value.rule} if value.rule else {"default": value.text}
        ruled = [fact.value.rule for _, fact in facts if fact.value.rule]
        if ruled:
            return {"rule": ruled[-1]}
        texts = {text for _, text in self._unset(key)}
        return {"default": texts.pop()} if len(texts) == 1 else {}

    def _unset(self, key: str) -> list[tuple[Seen, str]]:
        """Return a parameter's value in the instances in which nobody set it."""
        return [
            (seen, fact.value.text)
            for one, seen in zip(self.files, self.seen, strict=True)
            if (fact := _spelled(one.parameters, key)) and fact.value.source == ""
        ]

    def computed(self, document: Document) -> None:
        """Find a rule for parameters that conditions ask for and whose value varies though nobody sets it."""
        wanted = asked(document)
        for name, entry in document["parameters"].items():
            key = name.lower()
            if (
                key in wanted
                and "rule" not in entry
                and "default" not in entry
                and (unset := self._unset(key))
            ):
                others = [
                    (Seen({k: v for k, v in seen.values.items() if k != key}, seen.given), text)
                    for seen, text in unset
                ]
                rule = rule_of("", others)
                if rule:
                    entry["rule"] = rule

    def complete_values(self, parameters: Mapping[str, Document]) -> None:
        """A .bd tells what was set only; the rest has its default."""
        defaults = {
            name.lower(): entry["default"] for name, entry in parameters.items() if "default" in entry
        }
        self.seen = [
            seen if one.whole or one.model else Seen({**defaults, **seen.values}, seen.given)
            for one, seen in zip(self.files, self.seen, strict=True)
        ]

    # --- HDL parameters -------------------------------------------------------------------------------
    def model(self, names: set[str]) -> dict[str, str | None]:
        """Return a rule for each HDL parameter that is asked for, None if none is known."""
        found: dict[str, str | None] = {}
        spelled = {name.lower(): name for one in self.files for name in one.model}
        for name in sorted({spelled.get(name.lower(), name) for name in names}):
            values = [
                (one, seen, one.model[name])
                for one, seen in zip(self.files, self.seen, strict=True)
                if name in one.model
            ]
            found[name] = _value_rule(name, values) if values else None
        return found

    # --- elements -------------------------------------------------------------------------------------
    def _elements(self, of: Callable[[Component], Mapping[str, Any]]) -> dict[str, tuple[Any, str | None]]:
        """Return the newest form of each element, and its condition."""
        telling = [
            (one, seen) for one, seen in zip(self.files, self.seen, strict=True) if not self._silent(one)
        ]
        newest: dict[str, Any] = {}
        told = any(of(one) for one in self.whole)
        for one, _ in telling:
            if one.whole or not told:
                newest |= of(one)
        here = [{name for name, it in of(one).items() if it.present.now} for one, _ in telling]
        groups = families(here, [seen for _, seen in telling])
        found = {
            name: (it, self._condition(name, it, of, telling, here, groups)) for name, it in newest.items()
        }
        for pattern, (parameter, first) in groups.items():
            self._multiply(found, pattern, parameter, first)
        return dict(sorted(found.items(), key=lambda item: item[0].lower()))

    def _silent(self, one: Component) -> bool:
        """An instance of a hierarchy has its pins elsewhere (axi_interconnect: in the .bd)."""
        return not one.ports and not one.interfaces

    def _condition(  # noqa: PLR0913 - all that one element is judged by
        self,
        name: str,
        it: Any,
        of: Callable[[Component], Mapping[str, Any]],
        telling: Sequence[tuple[Component, Seen]],
        here: Sequence[set[str]],
        groups: Mapping[str, tuple[str, str]],
    ) -> str | None:
        condition: Condition = it.present
        first = min((place for place, (one, _) in enumerate(telling) if name in of(one)), default=0)
        later = [one for one, _ in telling[first:] if one.whole]
        # A program of the vendor may have put an element in or out without a rule.
        put = condition.rule == "" and not all(of(one)[name].present.now for one in later if name in of(one))
        lately = first > 0 and condition.rule == "" and len(later) < ENOUGH
        if condition.rule is not None and all(name in of(one) for one in later) and not (put or lately):
            return condition.rule
        presence = [(seen, str(int(name in names))) for (_, seen), names in zip(telling, here, strict=True)]
        if (counted := member(name, groups)) is not None:
            switch = rule_of("", presence) if ">=" in counted else None
            return f"({counted}) or ({switch})" if switch else counted
        values = {value for _, value in presence}
        if values == {"1"} and len(presence) >= ENOUGH:
            return ""
        if len(values) > 1 and len(presence) >= ENOUGH:
            return rule_of("", presence)
        return None

    def _multiply(
        self, found: dict[str, tuple[Any, str | None]], pattern: str, parameter: str, first: str
    ) -> None:
        """Write out a family up to the parameter's limit, in the form of its first members."""
        told = [fact for one in self.whole if (fact := _spelled(one.parameters, parameter))]
        most = min(_limit(told, False) or 0, _MOST_MEMBERS)
        before, _, after = pattern.partition("#")
        width = 0 if first == ONE else len(first)
        known = [index for index in range(most) if f"{before}{index:0{width}d}{after}" in found]
        for index in range(0 if first not in ("", ONE) else 1, most):
            name = f"{before}{index:0{width}d}{after}"
            if name not in found and known:
                model = f"{known[-1]:0{width}d}"
                it = found[f"{before}{model}{after}"][0]
                found[name] = (
                    _renumbered(it, before, model, f"{index:0{width}d}", name),
                    f"p:{parameter} {'>=' if first == ONE else '>'} {index}",
                )

    def ports(self) -> dict[str, list[Any]]:
        found = {}
        for name, (it, condition) in self._elements(lambda one: one.ports).items():
            left, right = self._size(name, it, "left"), self._size(name, it, "right")
            found[name] = [it.direction, left, right, condition, it.default]
        return found

    def _size(self, name: str, it: PortFact, end: str) -> str | None:
        """Return a rule; empty for a scalar, None if it is not known."""
        if getattr(it, end) is None:
            return ""
        values = [
            (one, seen, getattr(one.ports[name], end))
            for one, seen in zip(self.files, self.seen, strict=True)
            if name in one.ports and getattr(one.ports[name], end) is not None
        ]
        return _value_rule("", values) if values else None

    def interfaces(self) -> dict[str, Document]:
        found = {}
        ports = self.ports()
        for name, (it, condition) in self._elements(lambda one: one.interfaces).items():
            entry: Document = {"mode": it.mode, "vlnv": it.vlnv, "if": condition}
            known = [
                (one, seen, one.interfaces[name])
                for one, seen in zip(self.files, self.seen, strict=True)
                if name in one.interfaces and (not one.instance or one.has(one.interfaces[name]))
            ]
            entry["params"] = bus_params(it, [(seen, other) for _, seen, other in known], ports)
            entry["ports"] = it.ports
            for key, value in (("space", it.space), ("memory", it.memory)):
                if value:
                    entry[key] = value
            found[name] = entry
        return found

    def whole_pins(self) -> bool:
        """Whether all pins that there may be are known: not from what a few configurations had."""
        return any((one.whole or one.hierarchy) and not self._silent(one) for one in self.files)

    def spaces(self) -> dict[str, Document]:
        return {
            name: {
                "range": self._plain([one.spaces[name].range for one in self.files if name in one.spaces]),
                "if": condition,
                "segments": {key: list(ends) for key, ends in it.segments.items()},
            }
            for name, (it, condition) in self._elements(lambda one: one.spaces).items()
        }

    def blocks(self) -> list[Document]:
        def of(one: Component) -> Mapping[str, Any]:
            return {f"{block.memory}\n{block.name}": block for block in one.blocks}

        found = []
        for key, (it, condition) in self._elements(of).items():
            every = [of(one)[key] for one in self.files if key in of(one)]
            entry: Document = {"memory": it.memory, "name": it.name, "if": condition}
            entry["base"] = self._plain([block.base for block in every])
            entry["range"] = self._plain([block.range for block in every])
            entry |= {k: v for k, v in (("usage", it.usage), ("access", it.access)) if v}
            found.append(entry)
        return found

    @staticmethod
    def _plain(values: Sequence[Value]) -> str | None:
        """A rule, or what all files say."""
        ruled = [value.rule for value in values if value.rule]
        if ruled:
            return ruled[-1]
        texts = {value.text for value in values}
        return quote(texts.pop()) if len(texts) == 1 else None


def _value_rule(name: str, values: Sequence[tuple[Component, Seen, Value]]) -> str | None:
    """Return how a value comes about: its own rule, a constant, or what was learned; None if not known."""
    told = [(one, seen, value) for one, seen, value in values if one.whole] or list(values)
    last = told[-1][2]
    if last.rule:
        return last.rule
    varies = len({value.text for _, _, value in told}) > 1
    if not varies and (last.resolve in ("", "immediate") or (last.resolve == "user" and not name)):
        return quote(last.text)
    packaged = next((one for one, _, _ in reversed(told) if not one.instance), None)
    if packaged is not None:
        same = _spelled(packaged.parameters, name.lower())
        return f"p:{same.name}" if same else quote(last.text)
    return rule_of(name, [(seen, value.text) for _, seen, value in values])


def _spelled(parameters: Mapping[str, ParameterFact], key: str) -> ParameterFact | None:
    return next((fact for name, fact in parameters.items() if name.lower() == key), None)


def _choices(told: Sequence[tuple[Component, ParameterFact]]) -> list[str] | None:
    """Return the legal values, if there are files enough that one of them is likely to have them all."""
    lists = [fact.choices for _, fact in told]
    if not lists or any(choices is None for choices in lists):
        return None
    largest = max((choices for choices in lists if choices), key=len, default=())
    packaged = any(not one.instance for one, _ in told)
    if not packaged and len(largest) < 2:
        return None  # narrowed to the one that was chosen
    if not packaged and {fact.value.text for _, fact in told} - set(largest):
        return None
    if not packaged and any(choice.startswith(("<Select", "MIO", "EMIO")) for choice in largest):
        return None  # pins that others have taken are left out
    if not packaged and (len(lists) < 2 or not all(set(one or ()) <= set(largest) for one in lists)):
        return None
    return list(largest)


def _limit(told: Sequence[ParameterFact], lowest: bool) -> int | None:
    """Return the widest limit that a file gives; None if one gives none."""
    found = []
    for fact in told:
        text = fact.lowest if lowest else fact.highest
        try:
            found.append(int(text, 0))
        except ValueError:
            return None
    return (min if lowest else max)(found, default=None)


def _renumbered(it: Any, before: str, old: str, new: str, name: str) -> Any:
    if isinstance(it, InterfaceFact):
        token = re.search(r"[A-Za-z_]*$", before)
        head = token[0] if token else ""
        start = head + old
        ports = {
            logical: head + new + port[len(start) :] if port.startswith(start) else port
            for logical, port in it.ports.items()
        }
        params = {
            key: Value(value.text.replace(head + old, head + new), resolve="generated")
            for key, value in it.params.items()
            if key in _KEPT and not value.rule
        }
        return InterfaceFact(name, it.mode, it.vlnv, params, ports, it.space, it.memory)
    return PortFact(name, it.direction, it.left, it.right, it.default) if isinstance(it, PortFact) else it
