# SPDX-License-Identifier: BSD-3-Clause
"""The schema of one record as an editor shows it: described fields, and no null, which TOML cannot write."""

from __future__ import annotations

import inspect
import re
from typing import Any, TypeAlias

from pydantic import BaseModel

Schema: TypeAlias = dict[str, Any]

_FIELD = re.compile(r"^(\w+): (.+(?:\n {4,}.+)*)", re.MULTILINE)


def record_schema(record: type[BaseModel]) -> tuple[Schema, Schema]:
    """Return the schema of a record, and the schemas of the records inside it by name."""
    schema = record.model_json_schema(by_alias=True)
    named = schema.pop("$defs", {})
    for one in (schema, *named.values()):
        _describe(one)
    return _plain(schema), {name: _plain(one) for name, one in named.items()}


def _describe(schema: Schema) -> None:
    """Move what a docstring says about its attributes to the fields."""
    text = inspect.cleandoc(schema.get("description", "")).replace("``", "`")
    about, _, attributes = text.partition("Attributes:")
    after = attributes.split("\n\n", 1)
    schema.pop("title", None)
    properties = schema.get("properties", {})
    for name, said in _FIELD.findall(inspect.cleandoc("\n" + after[0])):
        field = properties.get(name, properties.get(name.rstrip("_")))
        if field is not None:
            field["description"] = " ".join(said.split())
    parts = [about, *after[1:]]
    if about := "\n\n".join(" ".join(part.split()) for part in parts if part.strip()):
        schema["description"] = about


def _plain(schema: Any) -> Any:
    """Return a schema without null and without the titles that pydantic makes of the names of fields."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    # A default of null or of a table cannot be written, or says nothing.
    kept = {
        key: one for key, one in schema.items() if key != "default" or (one and not isinstance(one, dict))
    }
    if isinstance(kept.get("title"), str):
        del kept["title"]
    some = [one for one in kept.get("anyOf", ()) if one != {"type": "null"}]
    if len(some) == 1:
        del kept["anyOf"]
        kept |= some[0] if "description" not in kept else {**some[0], "description": kept["description"]}
    elif some:
        kept["anyOf"] = some
    return {key: _plain(one) for key, one in kept.items()}
