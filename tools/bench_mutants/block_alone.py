# SPDX-License-Identifier: BSD-3-Clause
"""A block with the parameters that a core gives it, without the core: its pins may do anything."""

from __future__ import annotations

from collections.abc import Mapping

from pyslang import ast

from tools.bench_mutants.elaborated import compiled
from tools.bench_mutants.verilog import Kind, Node, read, walk

TOP = "bench_mutant_block"


def block_tops(texts: Mapping[str, str], file: str, top: str) -> list[str]:
    """Return a top module for each set of parameters with which a design has the blocks of a file.

    Args:
        texts: All sources of the design, by file.
        file: With the blocks.
        top: Module of the design.
    """
    names = {
        node.header.name.valueText
        for node in walk(read(texts[file]).root)
        if node.kind == Kind.ModuleDeclaration
    }
    compilation, _ = compiled(texts, top)
    found: dict[str, None] = {}

    def visit(symbol: Node) -> None:
        if isinstance(symbol, ast.InstanceSymbol) and symbol.definition.name in names:
            found.setdefault(_top(symbol))

    compilation.getRoot().visit(visit)
    return list(found)


def _top(instance: Node) -> str:
    body = instance.body
    parameters = [
        f".{one.name}({one.value})"
        for one in body.parameters
        if isinstance(one, ast.ParameterSymbol) and not one.isLocalParam
    ]
    ports = [
        (one.name, one.direction == ast.ArgumentDirection.In, one.type.bitWidth) for one in body.portList
    ]
    pins = ",\n".join(
        f"    {'input' if enters else 'output'} wire {f'[{bits - 1}:0] ' if bits > 1 else ''}{name}"
        for name, enters, bits in ports
    )
    links = ", ".join(f".{name}({name})" for name, _, _ in ports)
    return (
        f"module {TOP} (\n{pins}\n);\n"
        f"    {instance.definition.name} #({', '.join(parameters)}) u_block ({links});\nendmodule\n"
    )
