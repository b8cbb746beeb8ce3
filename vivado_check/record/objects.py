# SPDX-License-Identifier: BSD-3-Clause
"""Objects that have properties, and the commands that read and set them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..design import Setting
from ..tcl.arguments import ListError, join_list, split_list
from ..tcl.regexp import matching
from ..tcl.wildcard import names_pattern
from . import block_properties
from .commands import Arguments, Command, ToolError
from .filters import FilterError, parse
from .session import Session


@dataclass
class Thing:
    """An object of the project, of a package, of the catalogue.

    Attributes:
        kind: As in a sentence: ``a run``.
        known: Values that follow from what was recorded, by upper-case name.
        properties: Those that were set; lower-case names if ``folded``.
        changed: Called after a property was set, with its name and value.
    """

    kind: str
    known: Mapping[str, str] = field(default_factory=dict)
    properties: dict[str, Setting] = field(default_factory=dict)
    folded: bool = True
    changed: Callable[[str, str], None] | None = None

    def get(self, name: str) -> str | None:
        """Return a property, None if it is neither set nor known."""
        key = name.lower() if self.folded else name
        found = self.properties.get(key)
        return found.value if found is not None else self.known.get(name.upper())

    def put(self, name: str, setting: Setting) -> None:
        """Set a property."""
        self.properties[name.lower() if self.folded else name] = setting
        if self.changed is not None:
            self.changed(name, setting.value)

    def names(self) -> list[str]:
        """Return the names of all that is set or known."""
        return sorted({*self.known, *(name.upper() if self.folded else name for name in self.properties)})


Finder = Callable[[Session, str], Thing | None]


@cache
def finders() -> tuple[Finder, ...]:
    """Return what finds an object by its name: FINDERS of every module of this room."""
    found: list[Finder] = []
    for entry in iter_modules(import_module(__package__).__path__):
        found += getattr(import_module(f"{__package__}.{entry.name}"), "FINDERS", ())
    return tuple(found)


def find(session: Session, name: str) -> Thing | None:
    """Return an object outside of block designs."""
    return next((thing for finder in finders() if (thing := finder(session, name)) is not None), None)


def words_of(text: str) -> list[str]:
    """Return the elements of a list.

    Raises:
        ToolError: It is none.
    """
    try:
        return split_list(text)
    except ListError as error:
        raise ToolError(str(error), where=text[:60]) from None


def select(
    session: Session, call: Arguments, names: Iterable[str], known: Callable[[str], Thing | None]
) -> list[str]:
    """Return the names that the patterns and the filter of a getter take, in order."""
    found = list(names)
    patterns = [pattern for word in call.rest for pattern in words_of(word)] or ["*"]
    nocase = call.has("-nocase")
    if call.has("-regexp"):
        expressions = [pattern for pattern in patterns if pattern != "*"]  # all, where none is given
        fitting = {name for one in expressions for name in matching(one, found, nocase=nocase)}
        found = [name for name in found if name in fitting or not expressions]
    else:
        whole = [names_pattern(pattern, nocase=nocase) for pattern in patterns]
        found = [name for name in found if any(pattern.fullmatch(name) for pattern in whole)]
    expression = call.options.get("-filter", "")
    if not expression:
        return found
    try:
        test = parse(expression)
    except FilterError as error:
        raise ToolError(str(error), where=call.command) from None

    def passes(name: str) -> bool:
        thing = known(name) or Thing("an object")
        return test(lambda key: (thing.get(key) or "") if key.upper() != "NAME" else name)

    return [name for name in found if passes(name)]


# ---- the commands --------------------------------------------------------------------------------------
def _targets(words: Iterable[str]) -> list[str]:
    return [name for word in words for name in words_of(word)]


def _unknown(call: Arguments, target: str) -> ToolError:
    return ToolError(
        f"{call.command}: there is no object {target!r}",
        where=target,
        expected="an object of the project or of the block design",
        remedy="Correct the name, or create it first",
    )


def _doubtful(session: Session, call: Arguments) -> bool:
    """Tell whether there is no object since we did not know one, in this line or before it."""
    if session.empty and call.origin not in session.doubts:
        session.not_modelled(call.command, "it has no object here, as an answer before was not known")
    return call.origin in session.doubts


def get_property(session: Session, call: Arguments) -> str:
    """Answer with a property of one object; a list of values for several."""
    words = list(call.rest)
    name = call.options.get("-name") or (words.pop(0) if words else "")
    targets = _targets([call.options["-object"]] if "-object" in call.options else words)
    if name and not targets and _doubtful(session, call):
        return ""  # its getter may well have found what we do not know
    if not name or not targets:
        raise ToolError("get_property has no object", where=name, remedy="Look why its getter finds nothing")
    values = [_value(session, call, name, target) for target in targets]
    return values[0] if len(values) == 1 else join_list(values)


def _value(session: Session, call: Arguments, name: str, target: str) -> str:
    thing = find(session, target)
    if thing is not None:
        found = thing.get(name)
        if found is None:
            session.not_modelled(target, f"property {name} of {thing.kind} is not modelled")
        return found or ""
    derived = session.scenario.derives.get(name.removeprefix("CONFIG."))
    value = block_properties.get(session, name, target)
    if value is None:
        raise _unknown(call, target)
    return derived if derived is not None and value and session.design and session.design.validated else value


def set_property(session: Session, call: Arguments) -> str:
    """Set properties of objects."""
    words = list(call.rest)
    pairs: list[tuple[str, str]] = []
    for option in ("-dict",):
        if option in call.options:
            listed = words_of(call.options[option])
            if len(listed) % 2:
                raise ToolError(
                    f"set_property: -dict has a name without a value ({listed[-1]})",
                    where=listed[-1],
                    expected="pairs of name and value",
                    remedy="Add the value",
                )
            pairs += zip(listed[::2], listed[1::2], strict=True)
    if not pairs:
        name = call.options.get("-name") or (words.pop(0) if words else "")
        value = call.options["-value"] if "-value" in call.options else (words.pop(0) if words else None)
        if value is None:
            raise ToolError("set_property has no value", where=name, expected="a name, a value, objects")
        pairs = [(name, value)]
    targets = _targets([call.options["-objects"]] if "-objects" in call.options else words)
    if not targets and _doubtful(session, call):
        return ""
    if not targets:
        raise ToolError(
            "set_property has no object",
            where=pairs[0][0] if pairs else "",
            expected="an object",
            remedy="Look why its getter finds nothing",
        )
    for target in targets:
        thing = find(session, target)
        for name, value in pairs:
            if thing is not None:
                thing.put(name, Setting(value, call.origin))
            elif not block_properties.put(session, name, value, target):
                raise _unknown(call, target)
    return ""


def list_property(session: Session, call: Arguments) -> str:
    """Answer with the names of properties."""
    words = _targets(call.rest)
    if not words and _doubtful(session, call):
        return ""
    if not words:
        raise ToolError("list_property has no object")
    target, *patterns = words
    thing = find(session, target)
    names = thing.names() if thing is not None else block_properties.names(session, target)
    if names is None:
        raise _unknown(call, target)
    # What is not set is not known either: a name that is asked for is there.
    asked = [pattern for pattern in patterns if not set(pattern) & {"*", "?"}]
    whole = [names_pattern(pattern, nocase=True) for pattern in patterns or ["*"]]
    found = [name for name in names if any(pattern.fullmatch(name) for pattern in whole)]
    return join_list(dict.fromkeys([*found, *asked]))


def report_property(session: Session, call: Arguments) -> str:
    """Print nothing: the properties are what get_property answers."""
    return ""


def reset_property(session: Session, call: Arguments) -> str:
    """Take properties back to their defaults."""
    name, *rest = _targets(call.rest) or [""]
    for target in rest:
        thing = find(session, target)
        if thing is not None:
            thing.properties.pop(name.lower() if thing.folded else name, None)
    return ""


COMMANDS = {
    "get_property": Command(get_property, "-min -max -name= -object="),
    "set_property": Command(set_property, "-dict= -name= -value= -objects="),
    "list_property": Command(list_property, "-class= -regexp"),
    "list_property_value": Command(report_property, "-default -class="),
    "report_property": Command(report_property, "-all -class= -return_string -file= -append -regexp"),
    "reset_property": Command(reset_property),
}
