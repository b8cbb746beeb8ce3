# SPDX-License-Identifier: BSD-3-Clause
"""The facts of one IP as a document, and the answers that follow from it for a configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

from .expression import Atom, UnknownError, evaluate, number, truth
from .facts import AddressBlock, IpInterface, IpPort, Parameter, Resolved
from .unite import release_key

_SUFFIX = {"K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}
_SOURCE = ".value_src"
_WIDTH = re.compile(r"_+width$")
_ZERO = re.compile(r"\"?(0x)?0+\"?")


class DocumentedIp:
    """Facts of one IP (`vivado_check.ip.facts.Ip`), from a document that `unite` made.

    Attributes:
        vlnv: With its version.
        complete: Whether all its parameters are known.
        closed: Whether it has no others: it was packaged, or nothing of it had to be learned from instances.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.vlnv: str = document["vlnv"]
        self.complete: bool = document["complete"]
        self.closed = bool(self.complete and (document.get("packaged") or not document.get("seen", True)))
        self._early: dict[frozenset[tuple[str, str]], _Configuration] = {}
        self._resolved: dict[frozenset[tuple[str, str]], Resolved] = {}

    @cached_property
    def _names(self) -> dict[str, str]:
        return {name.lower(): name for name in self.document["parameters"]}

    @cached_property
    def _until(self) -> str:
        return max(self.document.get("releases", []), key=release_key, default="")

    @cached_property
    def _tables(self) -> _Tables:
        return _Tables.of(self.document)

    def parameter_names(self) -> Iterable[str]:
        """Return the names of all parameters that are known."""
        return self._names.values()

    def parameter(self, name: str, config: Mapping[str, str]) -> Parameter | None:
        """Return a parameter, or None; upper and lower case are alike, as in Vivado."""
        spelled = self._names.get(name.lower())
        if spelled is None:
            return None
        entry = self.document["parameters"][spelled]
        rule, choices = entry.get("enabled"), entry.get("choices")
        return Parameter(
            spelled,
            entry.get("format", ""),
            None if choices is None else tuple(choices),
            entry.get("low"),
            entry.get("high"),
            self._asked_early(config).holds(rule) if rule else None,
            entry.get("default"),
            "by" in entry if self.complete else None,
            self._until,
        )

    def _asked_early(self, config: Mapping[str, str]) -> _Configuration:
        key = frozenset(config.items())  # asked for at every parameter of a cell
        if key not in self._early:
            self._early[key] = _Configuration(self._tables, config, early=True)
        return self._early[key]

    def resolve(self, config: Mapping[str, str]) -> Resolved:
        """Return pins, interfaces and addresses under these CONFIG values.

        What hangs on a value that is not known is left out and named as doubtful; so is what hangs on a
        parameter that validation sets, unless the configuration sets it.
        """
        key = frozenset(config.items())  # asked for at every pin of a cell
        if key not in self._resolved:
            found = _Configuration(self._tables, config).resolved()
            self._resolved[key] = replace(found, closed=self.closed and found.complete)
        return self._resolved[key]


@dataclass(frozen=True)
class _Tables:
    """A document as every evaluation of it needs it.

    Attributes:
        parameters: Of the user, by name in lower case; likewise the HDL's in ``model``.
        absolute: Memory maps in which some block has a base other than 0.
    """

    document: Mapping[str, Any]
    parameters: Mapping[str, Any]
    model: Mapping[str, str | None]
    absolute: frozenset[str]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> _Tables:
        return cls(
            document,
            {name.lower(): entry for name, entry in document["parameters"].items()},
            {name.lower(): rule for name, rule in document["model"].items()},
            frozenset(
                entry["memory"]
                for entry in document["blocks"]
                if entry["base"] is None or not _ZERO.fullmatch(entry["base"])
            ),
        )


class _Configuration:
    """One evaluation of a document.

    Attributes:
        early: Whether validation is still to come, so that what it would set has its default. Pins are what
            they are when a script connects them; widths and bus parameters what validation leaves.
        sure: Whether defaults count as not known: those of an instance may be those of its device.
    """

    def __init__(
        self, tables: _Tables, config: Mapping[str, str], early: bool = False, sure: bool = False
    ) -> None:
        self.tables = tables
        self.sure = sure
        self.document = tables.document
        self.early = early
        self.config = {name.lower(): value for name, value in config.items()}
        self.parameters, self.model = tables.parameters, tables.model
        self.known: dict[tuple[str, str], str | None] = {}
        self.held: dict[str, bool | None] = {}

    # --- values ---------------------------------------------------------------------------------------
    def lookup(self, kind: str, name: str) -> str | None:
        """Return a parameter's value, None if it is not known."""
        key = (kind, name.lower())
        if key not in self.known:
            self.known[key] = None  # what a value that hangs on itself gets
            rule = self._user_rule(key[1]) if kind == "p" else self.model.get(key[1])
            self.known[key] = rule[1:] if rule and rule[0] == "=" else self._text(rule)
        return self.known[key]

    def _user_rule(self, name: str) -> str | None:
        """Return ``=value`` or a rule."""
        entry = self.parameters.get(name)
        if entry is None:
            return f"={self.config[name]}" if name in self.config else None
        mine = self.config.get(name + _SOURCE, "").upper() == "USER"
        if name in self.config:
            return f"={self.config[name]}" if entry.get("by") != "bd" or mine or self.early else None
        if ("by" in entry and not self.early) or self._follows(name):
            return None
        for twin in entry.get("twins", ()):
            if twin in self.config and self.config[twin] != entry.get("default"):
                return None
        if "default" in entry:
            return None if self.sure else f"={entry['default']}"
        return cast("str | None", entry.get("rule"))

    def _follows(self, name: str) -> bool:
        """Tell whether a width is not set, but others of its kin are: a program of the vendor may derive it.

        ``PSU__GPIO_EMIO_WIDTH`` of a processing system becomes what ``PSU__GPIO_EMIO__PERIPHERAL__IO`` says.
        """
        stem = _WIDTH.sub("", name)
        return stem != name and any(
            other.startswith(f"{stem}_") and other != name and not other.endswith(_SOURCE)
            for other in self.config
        )

    def value(self, rule: str | None) -> Atom | None:
        """Return what a rule gives, None if it is not known."""
        if rule is None:
            return None
        try:
            return evaluate(rule, self.lookup)
        except UnknownError:
            return None

    def _text(self, rule: str | None) -> str | None:
        found = self.value(rule)
        return None if found is None else str(found).lower() if isinstance(found, bool) else str(found)

    def whole(self, rule: str | None) -> int | None:
        """Return an integer, of ``4G`` as well; None if it is not known."""
        found = self.value(rule)
        return None if found is None else size(str(found))

    def holds(self, rule: str | None) -> bool | None:
        """Return whether a condition holds; an empty one does."""
        if rule is None or rule == "":
            return None if rule is None else True
        if rule not in self.held:
            found = self.value(rule)
            try:
                self.held[rule] = None if found is None else truth(found)
            except UnknownError:
                self.held[rule] = None
        return self.held[rule]

    # --- elements -------------------------------------------------------------------------------------
    def resolved(self) -> Resolved:
        """Evaluate the document."""
        early = _Configuration(self.tables, self.config, early=True)
        sure = _Configuration(self.tables, self.config, early=True, sure=True)
        doubtful: set[str] = set()
        conditions = {name: entry[3] for name, entry in self.document["ports"].items()}
        conditions |= {name: entry["if"] for name, entry in self.document["interfaces"].items()}
        denied = frozenset(name for name, rule in conditions.items() if sure.holds(rule) is False)
        ports, interfaces = {}, {}
        for name, (direction, left, right, condition, default) in self.document["ports"].items():
            there = early.holds(condition)
            if there is None:
                doubtful.add(name)
            if there is not False:
                ports[name] = self._port(name, direction, left, right, default)
        for name, entry in self.document["interfaces"].items():
            there = early.holds(entry["if"])
            mapped = [port for port in entry["ports"].values() if port in self.document["ports"]]
            if mapped and not any(port in ports for port in mapped):
                continue
            if there is None:
                doubtful.add(name)
            if there is not False:
                interfaces[name] = self._interface(name, entry)
                doubtful |= {port for port in entry["ports"].values() if port not in self.document["ports"]}
        spaces = {
            name: self.whole(entry["range"])
            for name, entry in self.document["spaces"].items()
            if early.holds(entry["if"]) is not False
        }
        named = self.document["named"]
        away = {port: text for port, name in named.items() if (text := self.config.get(name.lower()))}
        if away:
            ports = {
                away.get(name, name): replace(it, name=away.get(name, name)) for name, it in ports.items()
            }
            interfaces = {name: _rewired(it, away) for name, it in interfaces.items()}
            doubtful = {away.get(name, name) for name in doubtful}
        doubtful |= self._unseen()
        blocks = self._blocks(early, doubtful)
        boarded = self._on_board()
        doubtful |= {name for name in ports if name.lower() in boarded}
        alone = self.config and len(self.document.get("seen", ())) == 1 and not any(conditions.values())
        if alone:  # Facts of a single configuration, which need not be this one, and no condition of them.
            doubtful |= {*ports, *interfaces}
        whole = self.document["whole"] and not boarded and not alone
        return Resolved(
            interfaces,
            ports,
            blocks,
            spaces,
            whole,
            frozenset(doubtful),
            denied=denied,
            known=frozenset(conditions),
        )

    def _unseen(self) -> set[str]:
        """Return ports that a parameter names and that no instance had."""
        named = {name.lower() for name in self.document["named"].values()}
        if not named:
            return set()
        return {
            text
            for name, entry in self.parameters.items()
            if name.endswith("_port") and name not in named
            if (text := self.config.get(name, entry.get("default", "")))
        } - set(self.document["ports"])

    def _on_board(self) -> set[str]:
        """Return what interfaces of the board decide about, of which facts of IP tell nothing."""
        end = "_board_interface"
        return {
            name.removesuffix(end)
            for name, value in self.config.items()
            if name.endswith(end) and value.lower() not in ("custom", "")
        }

    def _port(
        self, name: str, direction: str, left: str | None, right: str | None, default: str | None
    ) -> IpPort:
        way = cast(Literal["in", "out", "inout"], direction)
        if left == "" and right == "":
            return IpPort(name, way, default=default)
        high, low = self.whole(left), self.whole(right)
        return IpPort(name, way, high, low, high is not None and low is not None, default)

    def _interface(self, name: str, entry: Mapping[str, Any]) -> IpInterface:
        params = {}
        for key, rule in entry["params"].items():
            text = self._text(rule)
            if text is not None:
                params[key] = text
        space = entry.get("space", "")
        segments = self.document["spaces"].get(space, {}).get("segments", {})
        apertures = [
            (base, reach)
            for key, (first, reached) in segments.items()
            if key == name or key.startswith(f"{name}/")
            if (base := size(first)) is not None and (reach := size(reached)) is not None
        ]
        return IpInterface(
            name,
            entry["mode"],
            entry["vlnv"],
            params,
            entry["ports"],
            space,
            entry.get("memory", ""),
            tuple(apertures),
        )

    def _blocks(self, early: _Configuration, doubtful: set[str]) -> tuple[AddressBlock, ...]:
        doubtful |= {
            f"{entry['memory']}/{entry['name']}"
            for entry in self.document["blocks"]
            if early.holds(entry["if"]) is None
        }
        return tuple(
            AddressBlock(
                entry["memory"],
                entry["name"],
                self.whole(entry["base"]),
                self.whole(entry["range"]),
                entry.get("usage", ""),
                entry.get("access", ""),
                entry["memory"] in self.tables.absolute,
            )
            for entry in self.document["blocks"]
            if early.holds(entry["if"]) is not False
        )


def _rewired(it: IpInterface, away: Mapping[str, str]) -> IpInterface:
    return replace(it, ports={logical: away.get(port, port) for logical, port in it.ports.items()})


def size(text: str) -> int | None:
    """Return a number of bytes or bits: ``4096``, ``0x1000``, ``64K``; None if it is none."""
    word = text.strip().strip('"')
    shift = _SUFFIX.get(word[-1:].upper(), 0) if not word.lower().startswith("0x") else 0
    try:
        return int(number(word[:-1] if shift else word)) << shift
    except (UnknownError, OverflowError):
        return None
