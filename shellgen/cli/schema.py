# SPDX-License-Identifier: BSD-3-Clause
"""Command ``schema``."""

from __future__ import annotations

import argparse
import json

from shellgen.cli.command import AddCommand, Answer

_FILES = ("board", "cluster")


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("schema", _schema, "Print the JSON Schema of cluster.toml or of a board file.")
    sub.add_argument("file", choices=_FILES, metavar="{" + ",".join(_FILES) + "}")


def _schema(args: argparse.Namespace) -> Answer:
    from shellgen.schema import SCHEMAS

    schema = SCHEMAS[args.file]()
    return Answer(json.dumps(schema, indent=1), {"schema": schema})
