# SPDX-License-Identifier: BSD-3-Clause
"""Common behaviour of all model classes: immutable, closed, strict about types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from shellgen.errors import InputError, Problem, nearest

# What a JSON document holds. A record says more: this is for documents that are not ours, and for printing.
Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | float | bool | None"
# The new values of some fields, as pydantic declares them.
_Update: TypeAlias = Mapping[str, Any]
# What pydantic expects, by its type of error, in words of TOML; braces: its context.
_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "a table",
    "float_type": "a number",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "at least {ge}",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "less_than": "a number below {lt}",
    "less_than_equal": "at most {le}",
    "list_type": "a list",
    "literal_error": "{expected}",
    "model_type": "a table",
    "multiple_of": "a multiple of {multiple_of}",
    "string_type": "text in quotes",
    "tuple_type": "a list",
}

MadeT = TypeVar("MadeT")


class Frozen(BaseModel):
    """An immutable record that accepts no unknown field and converts no type silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    @classmethod
    def from_data(
        cls, data: object, where: str | Path, at: str = "", remedies: Mapping[str, str] | None = None
    ) -> Self:
        """Build from plain data (TOML or JSON), reporting every bad field at once.

        Args:
            data: What ``tomllib`` or ``json`` returned.
            where: The file it came from, for messages.
            at: The table of that file that it is; empty: the whole.
            remedies: What to do about a field that is wrong, by its name without indices, where more can be
                said than that it is not known: ``{"node.vivado": "..."}``.

        Raises:
            InputError: With one problem per field that does not fit.
        """
        try:
            return cls.model_validate_json(json.dumps(data, default=str))
        except ValidationError as error:
            raise refused(error, where, at, remedies or {}, cls) from None

    def model_copy(self, *, update: _Update | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields replaced, and without what the original has cached of its fields."""
        copy = super().model_copy(update=update, deep=deep)
        for name in copy.__dict__.keys() - type(self).model_fields.keys():
            del copy.__dict__[name]
        return copy

    def kept(self, name: str, make: Callable[[], MadeT]) -> MadeT:
        """Return what is made of the fields, the same object each time; a copy makes its own.

        Args:
            name: Of what is made; always made alike.
            make: Makes it.
        """
        key = f"kept {name}"  # no field has a space
        if key not in self.__dict__:
            self.__dict__[key] = make()
        found: MadeT = self.__dict__[key]
        return found

    def to_json(self) -> str:
        """Return readable JSON with a stable order of fields, ending in a newline."""
        return self.model_dump_json(indent=1) + "\n"


class NoOptions(Frozen):
    """A table that must be empty."""


def refused(
    error: ValidationError,
    where: str | Path,
    at: str = "",
    remedies: Mapping[str, str] | None = None,
    record: type[BaseModel] | None = None,
) -> InputError:
    """Return what a record did not take as a problem for each field."""
    known = remedies or {}
    return InputError(*(_problem(str(where), at, detail, known, record) for detail in error.errors()))


def _fields(record: type[BaseModel], path: Sequence[object]) -> list[str]:
    """Return the names of the fields at a place inside a record."""
    records = [record]
    for part in path:
        inner = [
            one.model_fields[part] for one in records if isinstance(part, str) and part in one.model_fields
        ]
        if inner:  # otherwise an index, or a key of a table of records
            records = [found for field in inner for found in _records(field.annotation)]
    return [field.alias or name for one in records for name, field in one.model_fields.items()]


def _records(kind: object) -> list[type[BaseModel]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [found for inner in get_args(kind) for found in _records(inner)]


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:100]} ... {text[-60:]}"


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _problem(
    where: str, at: str, detail: object, remedies: Mapping[str, str], record: type[BaseModel] | None
) -> Problem:
    assert isinstance(detail, dict)
    field = at
    for part in detail["loc"]:
        if part == "[key]":  # the key itself is wrong, and stands before this
            continue
        field += f"[{part}]" if isinstance(part, int) else f".{part}" if field else str(part)
    kind = detail["type"]
    known = remedies.get(re.sub(r"\[\d+\]", "", field))
    if kind == "extra_forbidden":
        near = nearest(str(detail["loc"][-1]), _fields(record, detail["loc"][:-1])) if record else ""
        remedy = known or (
            f"Did you mean {near}? Correct its spelling" if near else "Remove it or correct its spelling"
        )
        return Problem(f"{where}: {field}", "this field is not known", remedy)
    if kind == "missing":
        return Problem(f"{where}: {field}", "this field is missing", "Add it")
    message = str(detail["msg"]).removeprefix("Value error, ")
    if not detail["loc"]:  # a rule between fields
        return Problem(f"{where}: {field}" if field else where, message, "Correct the file")
    if kind == "value_error" and isinstance(detail["input"], dict):  # such a rule in a table, named already
        return Problem(f"{where}: {field}", message, known or "Correct this table")
    if kind in _EXPECTED:
        limits = {key: _whole(value) for key, value in detail.get("ctx", {}).items()}
        message = "expected " + _EXPECTED[kind].format(**limits)
        message = message if where.endswith(".toml") else message.replace("a table", "an object")
    found = f"got {_brief(detail['input'])}; {message}"
    return Problem(f"{where}: {field}", found, known or "Correct this field")
