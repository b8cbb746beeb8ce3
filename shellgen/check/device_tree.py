# SPDX-License-Identifier: BSD-3-Clause
"""Sources of device trees, as far as overlays have it (Devicetree Specification, 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|<[^>]*>|[{};=,:]|[^\s{};=,:"<>][^\s{};=:"<>]*', re.DOTALL
)
_HEAD = re.compile(r"/\w[\w-]*/")


class DeviceTreeError(Exception):
    """A text that dtc would not take; the message says why, `line` where."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


@dataclass(frozen=True)
class Property:
    """A property: the words of each of its values, without their brackets."""

    name: str
    values: tuple[str, ...]
    line: int

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the cells of all its values, one after the other."""
        return tuple(word for value in self.values for word in value.split())

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """Return the cells as numbers, None if one is none."""
        try:
            return tuple(int(word, 0) for word in self.cells)
        except ValueError:
            return None


@dataclass
class TreeNode:
    """A node.

    Attributes:
        name: With its unit address; ``&label`` of a node that is extended.
    """

    name: str
    label: str
    line: int
    properties: dict[str, Property] = field(default_factory=dict)
    nodes: list[TreeNode] = field(default_factory=list)

    @property
    def unit(self) -> str:
        """Return the unit address, empty if there is none."""
        return self.name.partition("@")[2]

    def below(self) -> Iterator[tuple[TreeNode, TreeNode]]:
        """Yield every node below with the one that it is in."""
        for node in self.nodes:
            yield self, node
            yield from node.below()


def read_tree(text: str) -> TreeNode:
    """Return a root that holds what the text has at its top.

    Raises:
        DeviceTreeError: It is no such text.
    """
    tokens = [
        (found[0], text.count("\n", 0, found.start()) + 1)
        for found in _TOKEN.finditer(text)
        if not found[0].startswith(("/*", "//"))
    ]
    root, at = TreeNode("", "", 1), 0
    open_: list[TreeNode] = []
    here = root
    while at < len(tokens):
        word, line = tokens[at]
        if word == "}":
            if not open_:
                raise DeviceTreeError("a bracket closes nothing", line)
            here, at = open_.pop(), _semicolon(tokens, at + 1)
            continue
        at = _statement(tokens, at, here)
        if tokens[at - 1][0] == "{":
            open_.append(here)
            here = here.nodes[-1]
    if open_:
        raise DeviceTreeError(f"{here.name} is not closed", here.line)
    return root


def _semicolon(tokens: list[tuple[str, int]], at: int) -> int:
    if at >= len(tokens) or tokens[at][0] != ";":
        raise DeviceTreeError("a semicolon is missing", tokens[min(at, len(tokens)) - 1][1])
    return at + 1


def _statement(tokens: list[tuple[str, int]], at: int, here: TreeNode) -> int:
    """Read a property, or the head of a node; return what follows."""
    name, line = tokens[at]
    label, at = "", at + 1
    if at + 1 < len(tokens) and tokens[at][0] == ":":
        label, (name, line), at = name, tokens[at + 1], at + 2
    if at < len(tokens) and tokens[at][0] == "{":
        here.nodes.append(TreeNode(name, label, line))
        return at + 1
    values = []
    if at < len(tokens) and tokens[at][0] == "=":
        at += 1
        while at < len(tokens) and tokens[at][0] != ";":
            if tokens[at][0] in "{}=":
                raise DeviceTreeError(f"a semicolon is missing behind {name}", line)
            values += [tokens[at][0].strip('<>"')] if tokens[at][0] != "," else []
            at += 1
    if not _HEAD.fullmatch(name):
        if name in here.properties:
            raise DeviceTreeError(f"{name} is there twice", line)
        here.properties[name] = Property(name, tuple(values), line)
    return _semicolon(tokens, at)
