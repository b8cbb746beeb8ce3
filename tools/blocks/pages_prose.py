# SPDX-License-Identifier: BSD-3-Clause
"""The text of a header as HTML: identifiers are code, blocks are links, indented lines lists or tables."""

from __future__ import annotations

import re
from collections.abc import Collection

from markupsafe import Markup, escape

from tools.blocks.pages_header import Paragraph

SIGNALS = {"tdata", "tvalid", "tready", "tkeep", "tlast", "tuser", "tdest", "valid", "ready"}

__all__ = ["paragraph", "prose"]


def prose(text: str, names: Collection[str], blocks: Collection[str], here: str) -> Markup:
    """Mark up running text.

    Args:
        text: Text of the header.
        names: Ports and parameters of the block.
        blocks: Blocks that have a page beside this one.
        here: This block, which needs no link.
    """
    token = re.compile(r"`[^`]+`|\$?[A-Za-z_]\w*(?:\[[^\]\s]*(?: \+: ?\w+)?\])?")

    def replace(match: re.Match[str]) -> str:
        word = match[0]
        stem = word.partition("[")[0]
        if word.startswith("`"):
            return str(Markup("<code>{}</code>").format(word.strip("`")))
        if stem in blocks and stem != here:
            return str(Markup('<a href="{}.html"><code>{}</code></a>').format(stem, word))
        if stem in names or stem in SIGNALS or word.startswith("$") or re.fullmatch(r"\w+_\w*", stem):
            return str(Markup("<code>{}</code>").format(word))
        return str(escape(word))

    parts, at = [], 0
    for match in token.finditer(text):
        parts += [str(escape(text[at : match.start()])), replace(match)]
        at = match.end()
    return Markup("").join(map(Markup, [*parts, str(escape(text[at:]))]))


def paragraph(item: Paragraph, names: Collection[str], blocks: Collection[str], here: str) -> Markup:
    """Return a paragraph, or for indented lines a list, a table, or the lines as they stand."""
    if not item.indented:
        return Markup("<p>{}</p>").format(prose(item.text, names, blocks, here))
    lines = item.text.split("\n")
    edge = min(len(line) - len(line.lstrip()) for line in lines)
    rows: list[list[str]] = []
    for line in lines:
        if line[edge] != " ":
            rows.append(re.split(r" {2,}", line.strip()))
        elif rows:
            rows[-1][-1] += f" {line.strip()}"
    if len({len(row) for row in rows}) != 1:
        return Markup("<pre>{}</pre>").format("\n".join(line[edge:] for line in lines))
    cells = [[prose(cell, names, blocks, here) for cell in row] for row in rows]
    if len(cells[0]) == 1:
        inner = Markup("").join(Markup("<li>{}</li>").format(row[0]) for row in cells)
        return Markup("<ul>{}</ul>").format(inner)
    table = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(cell) for cell in row))
        for row in cells
    )
    return Markup('<div class="scroll"><table class="plain">{}</table></div>').format(table)
