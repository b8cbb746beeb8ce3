# SPDX-License-Identifier: BSD-3-Clause
"""Module headers: names, directions and widths of the ports, in SystemVerilog or as Vivado writes wrappers.

The smallest reader that serves FINN's generated tops: ports declared in the header, or named there and
declared after it; widths that are constant expressions of parameters with defaults. What is beyond it goes to
pyverilog, which takes a second to start, and 17 for a wrapper with a thousand slaves.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Literal

from shellgen.read.pins import Pin
from shellgen.read.verilog import Verilog

_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_DIRECTIONS = {"input", "output", "inout"}
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


def read_header(text: str, module: str) -> tuple[Pin, ...]:
    """Return the ports of a module; empty if the text does not define it.

    Raises:
        ValueError: A width is not a constant expression.
    """
    source = Verilog(text)
    if module not in source.spans:
        return ()
    words = list(source.body(module))
    while "import" in words[: words.index(";")]:
        del words[words.index("import") : words.index(";") + 1]
    at = next(index for index, word in enumerate(words) if word in {"(", ";", "#"})
    parameters: dict[str, int] = {}
    if words[at] == "#":
        end = _closing(words, at + 1)
        parameters = _parameters(words[at + 2 : end], {})
        at = end + 1
    if words[at] != "(":
        return ()
    end = _closing(words, at)
    header = words[at + 1 : end]
    if _DIRECTIONS & set(header):
        return _ports(header, parameters)
    return _declared([part[-1] for part in _split(header)], words[end + 1 :], parameters)


def constant(text: str, parameters: dict[str, int]) -> int:
    """Evaluate a constant expression: numbers, parameters, ``+ - * / % ** << >>`` and ``$clog2``.

    Raises:
        ValueError: It is anything else.
    """
    plain = re.sub(r"([0-9]*)'[sS]?([bodhBODH])\s*([0-9a-fA-F_]+)", _number, text)
    plain = plain.replace("$clog2", "clog2").replace("/", "//")
    try:
        return _evaluate(ast.parse(plain.strip(), mode="eval").body, parameters)
    except (SyntaxError, KeyError, ZeroDivisionError):
        raise ValueError(f"the expression {text.strip()!r} is not constant") from None


def _number(match: re.Match[str]) -> str:
    return str(int(match[3].replace("_", ""), _BASES[match[2].lower()]))


def _evaluate(node: ast.expr, parameters: dict[str, int]) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return parameters[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, parameters)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _evaluate(node.left, parameters), _evaluate(node.right, parameters)
        return _OPERATIONS[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "clog2":
        return (_evaluate(node.args[0], parameters) - 1).bit_length()
    raise SyntaxError


def _closing(words: list[str], opening: int) -> int:
    depth = 0
    for index in range(opening, len(words)):
        depth += {"(": 1, ")": -1}.get(words[index], 0)
        if depth == 0:
            return index
    raise ValueError("its header has no end")


def _split(words: list[str]) -> list[list[str]]:
    """Split at the commas of the outermost level."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(word, 0)
        if word == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _parameters(words: list[str], known: dict[str, int]) -> dict[str, int]:
    found = dict(known)
    for part in _split(words):
        if "=" not in part:
            continue
        at = part.index("=")
        try:
            found[part[at - 1]] = constant(" ".join(part[at + 1 :]), found)
        except ValueError:
            continue  # a string, a type or a ternary; only a width that needs it is an error
    return found


def _ports(words: list[str], parameters: dict[str, int]) -> tuple[Pin, ...]:
    pins = []
    direction: Literal["in", "out"] = "in"
    bits = 1
    for part in _split(words):
        if part[0] in _DIRECTIONS:
            direction = "in" if part[0] == "input" else "out"
            bits = _width(part, parameters)
        pins.append(Pin(part[part.index("=") - 1] if "=" in part else part[-1], direction, bits))
    return tuple(pins)


def _declared(names: list[str], words: list[str], parameters: dict[str, int]) -> tuple[Pin, ...]:
    """Look up ports that the header only names; those of functions and tasks are not among them.

    Raises:
        ValueError: One is not declared, or its width is not constant.
    """
    pins: dict[str, Pin] = {}
    inside = False
    at = 0
    while at < len(words):
        if words[at] in {"parameter", "localparam"} and not inside:
            end = words.index(";", at)
            parameters = _parameters(words[at:end], parameters)
            at = end
        elif words[at] in {"function", "task"}:
            inside = True
        elif words[at] in {"endfunction", "endtask"}:
            inside = False
        elif words[at] in _DIRECTIONS and not inside:
            end = words.index(";", at)
            pins |= {pin.name: pin for pin in _ports(words[at:end], parameters)}
            at = end
        at += 1
    missing = next((name for name in names if name not in pins), None)
    if missing:
        raise ValueError(f"its port {missing} is not declared")
    return tuple(pins[name] for name in names)


def _width(part: list[str], parameters: dict[str, int]) -> int:
    """Multiply the packed dimensions that stand before the name."""
    text = " ".join(part)
    bits = 1
    for left, right in re.findall(r"\[([^\[\]:]+):([^\[\]:]+)\]", text):
        bits *= abs(constant(left, parameters) - constant(right, parameters)) + 1
    return bits
