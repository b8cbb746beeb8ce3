# SPDX-License-Identifier: BSD-3-Clause
"""Constant expressions of Verilog, as far as widths of ports and values of parameters need them."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping

_SIZED = re.compile(r"(?:\d+\s*)?'s?([bodhBODH])\s*([0-9a-fA-F_]+)")
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.Pow: operator.pow,
}
_LONGEST, _LARGEST, _SHIFT = 400, 1 << 64, 64


def value_of(text: str, values: Mapping[str, int]) -> int | None:
    """Return the value of an expression, None if it is beyond this reader.

    Args:
        text: Such as ``8 * BYTES - 1``; a number may be written as in Tcl, too (``0x10``).
        values: Of the names in it.
    """
    if len(text) > _LONGEST:
        return None
    plain = _SIZED.sub(lambda found: str(int(found[2].replace("_", ""), _BASES[found[1].lower()])), text)
    try:
        tree = ast.parse(plain.strip().strip('"').replace("$clog2", "clog2"), mode="eval")
        return _value(tree.body, values)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, values: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int() as number):
            found = int(number)
        case ast.Name(id=name) if name in values:
            found = values[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            found = -_value(inner, values)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            found = _binary(sign, _value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id="clog2"), args=[inner]):
            found = max(_value(inner, values) - 1, 0).bit_length()
        case _:
            raise ValueError("not a constant that is understood")
    if abs(found) > _LARGEST:
        raise ValueError("too large")
    return found


def _binary(sign: ast.operator, left: int, right: int) -> int:
    if isinstance(sign, ast.LShift | ast.RShift | ast.Pow) and not 0 <= right <= _SHIFT:
        raise ValueError("too large")
    return _BINARY[type(sign)](left, right)
