# SPDX-License-Identifier: BSD-3-Clause
"""The one Jinja environment. Templates get answers, not questions: decisions come before rendering."""

from __future__ import annotations

from functools import lru_cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shellgen.resources import data_dir


def tcl_quote(value: object) -> str:
    """Quote a value as one Tcl word, whatever characters it has, in a braced block too."""
    text = str(value)
    if text and all(char.isalnum() or char in "_./:*-+" for char in text):
        return text
    return '"' + "".join("\\" + char if char in '"\\$[]{}' else char for char in text) + '"'


def hex_literal(value: int, bits: int) -> str:
    """Write a sized Verilog hexadecimal literal."""
    assert 0 <= value < 1 << bits
    return f"{bits}'h{value:0{(bits + 3) // 4}x}"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment: an undefined name is an error, block lines vanish, values are not escaped."""
    env = Environment(
        loader=FileSystemLoader(data_dir("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is Verilog, Tcl and C, never HTML
    )
    env.filters["tcl_quote"] = tcl_quote
    env.filters["hex_literal"] = hex_literal
    return env


def render(template: str, **context: object) -> str:
    """Render ``templates/<template>`` with these answers."""
    return environment().get_template(template).render(**context)
