# SPDX-License-Identifier: BSD-3-Clause
"""Schemas of cluster.toml and of a board file, with the tables of all installed links and platforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from shellgen.links import link_registry
from shellgen.model import Board, ClusterSpec
from shellgen.platforms import platform_registry
from shellgen.schema.record import record_schema

Schema: TypeAlias = dict[str, Any]


def cluster_schema() -> Schema:
    """Return the schema of cluster.toml.

    It refuses nothing that `read_cluster` and the option records accept. Rules between fields, such as names
    that two nodes must not share, are left to `shellgen plan`.
    """
    schema, named = record_schema(ClusterSpec)
    links = {kind: _table(one.Options, named, partial=True) for kind, one in link_registry().items()}
    platforms = {kind: _table(one.Options, named) for kind, one in platform_registry().items()}
    schema["properties"]["links"] |= _tables(links)
    node = named["NodeSpec"]["properties"]
    node["options"] |= _tables(platforms | links)
    node["platform"]["enum"] = sorted(platforms)
    link = named["LinkSpec"]
    link["properties"]["kind"]["enum"] = sorted(links)
    link["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"properties": {"options": table}},
        }
        for kind, table in sorted(links.items())
    ]
    return _document("cluster.toml of shellgen", schema, named)


def board_schema() -> Schema:
    """Return the schema of a board file."""
    schema, named = record_schema(Board)
    tables = {kind: _table(one.Facts, named) for kind, one in platform_registry().items()}
    schema["properties"]["platform"] |= _tables(tables)
    return _document("board file of shellgen", schema, named)


SCHEMAS: Mapping[str, Callable[[], Schema]] = {"board": board_schema, "cluster": cluster_schema}


def _table(record: Any, named: Schema, *, partial: bool = False) -> Schema:
    """Return the schema of an option record; partial: other tables may hold its required fields."""
    table, inner = record_schema(record)
    named |= inner
    if partial:
        table.pop("required", None)
    return table


def _tables(by_kind: Mapping[str, Schema]) -> Schema:
    return {"properties": dict(sorted(by_kind.items())), "additionalProperties": False}


def _document(title: str, schema: Schema, named: Schema) -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **schema,
        "$defs": dict(sorted(named.items())),
    }
