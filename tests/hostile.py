# SPDX-License-Identifier: BSD-3-Clause
"""Texts that mean something in the languages that we write, and every field of a record that can hold one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

HOSTILE = (
    "[exec touch pwned]",
    "; touch pwned;",
    "$(touch pwned)",
    "`touch pwned`",
    "$env(HOME) $x",
    '" pwned "',
    "' pwned '",
    "{ pwned",
    "pwned }",
    "pwned \\",
    "*/ pwned /*",
    "// pwned",
    "# pwned",
    "</script><script>document.documentElement.id='pwned'</script>",
    "<img src=x onerror=\"document.documentElement.id='pwned'\">",
    "]]> &pwned; %s%n %d",
    "??/ ??' {{ 7 * 7 }}",
    "`include pwned `pwned",
    "endmodule module pwned;",
    "../pwned",
    "/pwned",
    "-o pwned",
    "a\nb pwned",
    "a\r\tpwned",
    "\x1b[31m pwned \0",
    "\u202e \u2028 pwned",
    "caf\u00e9 \u4e2d\u6587 \U0001f600 pwned",
)
LINES = [text for text in HOSTILE if text.isprintable()]
# All of it that is on one line, as one text: what one language ends, another begins.
TOGETHER = " ".join(LINES)


def harmless(folder: Path) -> None:
    """Fail if one of the texts was run."""
    assert not list(folder.rglob("pwned*")), "something was run"


def text_fields(annotation: Any, constrained: bool = False) -> Iterator[bool]:
    """Yield for every text in an annotation whether something constrains it."""
    origin = get_origin(annotation)
    if annotation is str:
        yield constrained
    elif origin is Annotated:
        yield from text_fields(get_args(annotation)[0], constrained=True)
    elif origin is Literal:
        return
    elif origin in (Union, UnionType) or origin is not None:
        for inner in get_args(annotation):
            yield from text_fields(inner, constrained)


def records(model: type[BaseModel], seen: set[type[BaseModel]] | None = None) -> set[type[BaseModel]]:
    """Return a model and all that it is made of."""
    seen = set() if seen is None else seen
    if model not in seen:
        seen.add(model)
        for field in model.model_fields.values():
            for inner in _models(field.annotation):
                records(inner, seen)
    return seen


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


Place = tuple[str | int, ...]


def texts(data: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the places of all texts in plain data."""
    if isinstance(data, str):
        yield place
    elif isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from texts(value, (*place, key))


def kind_of(place: Place) -> str:
    """Name a place without its numbers: equal for the same field of two nodes."""
    return re.sub(r"\.\d+", "[]", ".".join(map(str, place)))


def put(data: Any, place: Place, value: str) -> str:
    """Exchange the text at a place; return the one that was there."""
    for key in place[:-1]:
        data = data[key]
    before: str = data[place[-1]]
    data[place[-1]] = value
    return before
