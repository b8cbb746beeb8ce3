# SPDX-License-Identifier: BSD-3-Clause
"""Templates write answers; Python computes them."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, nodes

ROOT = Path(__file__).parents[1]
TEMPLATES = sorted([*(ROOT / "templates").rglob("*.j2"), *(ROOT / "tools").rglob("*.j2")])
# The rest computes until it is rendered from records: a name leaves this set and none joins it.
COMPUTING = {
    *(f"templates/bench/{name}" for name in ("bench_top.sv.j2", "mono_lite.sv.j2", "monolith.sv.j2")),
}


def computed(text: str) -> list[int]:
    """Lines of a template that compute; ``"0x%x" % number`` writes one, and a length is a fact."""
    numbers = nodes.Add | nodes.Sub | nodes.Mul | nodes.Div | nodes.FloorDiv | nodes.Mod | nodes.Pow
    found = []
    for node in Environment(autoescape=True).parse(text).find_all((nodes.BinExpr, nodes.Filter)):
        writes = isinstance(node, nodes.Mod) and isinstance(node.left, nodes.Const)
        counts = isinstance(node, nodes.Filter) and node.name in {"int", "sum", "round", "abs", "max", "min"}
        if counts or (isinstance(node, numbers) and not writes):
            found.append(node.lineno)
    return found


def test_templates_get_answers() -> None:
    """Values are computed in Python, with a name, a type and a test."""
    found = {str(path.relative_to(ROOT)): computed(path.read_text()) for path in TEMPLATES}
    assert {name for name, lines in found.items() if lines} == COMPUTING, found


def test_a_template_that_computes_is_seen() -> None:
    assert computed('{{ "%x" % a }} {{ names|length }}\n{{ bits - 1 }}\n{{ flag|int }}') == [2, 3]
