# SPDX-License-Identifier: BSD-3-Clause
"""Classes of other packages, loaded by entry point; errors are reported with the package's name.

A class that cannot be loaded is omitted, and named only when its kind is asked for, so that other commands
still work. A method that raises or returns the wrong type ends the command with one line that names the
package.
"""

from __future__ import annotations

import functools
import inspect
import re
import traceback
from abc import ABC
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import new_class
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from shellgen.errors import PluginError, Problem, ShellgenError
from shellgen.model.base import Frozen
from shellgen.resources import installed

KindT = TypeVar("KindT", bound=ABC)
# Folders, tables of cluster.toml and nets of the bench are named after a kind.
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_REPORT = "Tell its authors, or remove the package"


@dataclass(frozen=True)
class Found(Generic[KindT]):
    """Classes of one group of entry points.

    Attributes:
        kinds: Ours and those that could be loaded, by kind.
        broken: Why others could not.
    """

    kinds: dict[str, KindT]
    broken: tuple[Problem, ...] = field(default=())


def find_plugins(group: str, base: type[KindT], built_in: Iterable[KindT]) -> Found[KindT]:
    """Return what is built in, then what entry points of a group bring.

    Args:
        group: Of the entry points, as in ``[project.entry-points."shellgen.links"]``.
        base: The class that theirs must be derived from.
        built_in: Ours.
    """
    kinds = {_kind(one): one for one in built_in}
    broken = []
    for entry in installed(group):
        try:
            made = _load(entry, base)
            if _kind(made) in kinds:
                raise TypeError(f"there is a {base.__name__.lower()} of kind {_kind(made)!r} already")
            kinds[_kind(made)] = made
        except (Exception, SystemExit) as error:
            said = f"it cannot be loaded: {_said(error)}"
            broken.append(Problem(_origin(entry), said, _REPORT))
    return Found(kinds, tuple(broken))


def _kind(one: object) -> str:
    return str(getattr(one, "kind", ""))


def _origin(entry: EntryPoint) -> str:
    of = f" of {entry.dist.name} {entry.dist.version}" if entry.dist else ""
    return f"plug-in {entry.name}{of}"


def _said(error: BaseException) -> str:
    """Return what an exception says, with the last line of code before it that somebody wrote."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}{at}" if text else f"{type(error).__name__}{at}"


def _load(entry: EntryPoint, base: type[KindT]) -> KindT:
    cls = entry.load()
    if not (isinstance(cls, type) and issubclass(cls, base)):
        raise TypeError(f"{entry.value} is not a class derived from {base.__module__}.{base.__name__}")
    for name, wanted in _constants(base):
        given = getattr(cls, name, None)
        if not hasattr(cls, name):
            raise TypeError(f"{cls.__name__} has no {name}")
        if wanted is type and not (isinstance(given, type) and issubclass(given, Frozen)):
            raise TypeError(f"{cls.__name__}.{name} is not a subclass of {Frozen.__module__}.Frozen")
        if wanted is str and not isinstance(given, str):
            raise TypeError(f"{cls.__name__}.{name} is not a text")
    if not _WORD.fullmatch(_kind(cls)):
        raise TypeError(
            f"{cls.__name__}.kind is {_kind(cls)!r}; expected a letter, then letters, digits and _"
        )
    return _guarded(cls, base, _origin(entry))()


def _constants(base: type) -> Iterator[tuple[str, type]]:
    """Yield the class variables that a base declares, and whether each is a text, a record or anything."""
    for name, hint in get_type_hints(base).items():
        (inner,) = get_args(hint)
        if type(None) in get_args(inner):  # may be left out
            continue
        yield name, str if inner is str else type if get_origin(inner) is type else object


def _guarded(cls: type[KindT], base: type[KindT], origin: str) -> type[KindT]:
    """Return the same class, whose answers are checked and whose exceptions name its package."""
    methods = {
        name: _guard(getattr(cls, name), function, f"{_kind(cls)}.{name}", origin)
        for name, function in inspect.getmembers(base, inspect.isfunction)
        if not name.startswith("_")
    }
    return cast("type[KindT]", new_class(cls.__name__, (cls,), {}, lambda space: space.update(methods)))


def _guard(
    own: Callable[..., Any], declared: Callable[..., Any], name: str, origin: str
) -> Callable[..., Any]:
    """Return a method that does as its own; ``name`` and ``origin`` are for messages."""

    @functools.cache
    def expected() -> TypeAdapter[Any]:
        return TypeAdapter(get_type_hints(declared)["return"])

    @functools.wraps(own)
    def call(*given: Any, **named: Any) -> Any:
        try:
            answer = own(*given, **named)
        except ShellgenError:  # what it found wrong with the inputs
            raise
        except Exception as error:
            raise PluginError(Problem(origin, f"{name} raised {_said(error)}", _REPORT)) from error
        try:
            expected().validate_python(answer, strict=True)
        except ValidationError:
            wanted = inspect.signature(declared).return_annotation
            said = f"{name} returned {type(answer).__name__} {answer!r:.100}; expected {wanted}"
            raise PluginError(Problem(origin, said, _REPORT)) from None
        return answer

    return call
