# SPDX-License-Identifier: BSD-3-Clause
"""Options of a link or platform as text, from the record that reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from shellgen.model.base import Frozen

_MOST = 9  # values of a field that are listed
_WORDS = {"boolean": "true or false", "string": "text", "array": "list", "object": "table"}


def options_text(record: type[Frozen]) -> str:
    """List the fields of a record with their values and defaults; empty if it has none."""
    schema = record.model_json_schema()
    named = schema.get("$defs", {})
    return ", ".join(
        f"{name} ({'; '.join(_values(name in schema.get('required', ()), field, named))})"
        for name, field in schema.get("properties", {}).items()
    )


def _values(required: bool, field: Mapping[str, Any], named: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values of a field, and whether it has to be given."""
    kinds = [field, *field.get("anyOf", ())]
    kinds += [named[one["$ref"].rpartition("/")[2]] for one in kinds if "$ref" in one]
    found = [text for text in map(_kind, kinds) if text]
    yield " or ".join(dict.fromkeys(found)) or "any value"
    default = field.get("default")
    if required:
        yield "required"
    elif default is not None and not isinstance(default, list | dict):
        yield f"default {json.dumps(default)}"


def _kind(kind: Mapping[str, Any]) -> str:
    """Describe the values of one type; empty for null, and for a type that is described elsewhere."""
    if known := kind.get("enum", [kind["const"]] if "const" in kind else []):
        listed = [json.dumps(one) for one in known]
        rest = [f"{len(known) - _MOST} more"] if len(known) > _MOST else []
        return ", ".join([*listed[:_MOST], *rest])
    if kind.get("type") not in ("integer", "number"):
        return _WORDS.get(str(kind.get("type")), "")
    step = 1 if kind["type"] == "integer" else 0
    low = kind.get("minimum", kind.get("exclusiveMinimum", 0) + step if "exclusiveMinimum" in kind else None)
    high = kind.get("maximum", kind.get("exclusiveMaximum", 0) - step if "exclusiveMaximum" in kind else None)
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is None:
        return "number" if high is None else f"up to {high}"
    return f"above {low}" if "exclusiveMinimum" in kind and not step else f"from {low}"
