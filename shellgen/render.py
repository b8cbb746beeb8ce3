# SPDX-License-Identifier: BSD-3-Clause
"""The one Jinja environment. Templates get answers, not questions: decisions come before rendering."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen import quote
from shellgen.resources import homes

if TYPE_CHECKING:
    from jinja2 import Environment

# Free text of every language; a template that emits a `Line` names one of them.
FILTERS = (
    *("tcl_quote", "c_quote", "comment", "verilog_quote", "rdl_quote", "html_quote", "html_broken"),
    *("xml_quote", "toml_quote", "python_quote", "shell_quote"),
)


def hex_literal(value: int, bits: int) -> str:
    """Write a sized Verilog hexadecimal literal."""
    assert 0 <= value < 1 << bits
    return f"{bits}'h{value:0{(bits + 3) // 4}x}"


def flag(value: bool) -> str:
    """Write a truth value as a number of C or Verilog."""
    return "1" if value else "0"


def bit_range(bits: int, low: int = 0) -> str:
    """Write the range of a Verilog vector of ``bits``, from bit ``low`` on."""
    return f"[{low + bits - 1}:{low}]"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment: an undefined name is an error, block lines vanish, values are not escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - most commands render nothing

    from shellgen.cache.templates import compiled  # noqa: PLC0415

    env = Environment(
        loader=FileSystemLoader([home / "templates" for home in homes()]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,  # a template stays as it is while a command runs
        autoescape=False,  # noqa: S701 - the output is Verilog, Tcl and C, never HTML
        bytecode_cache=compiled((Path(__file__), Path(quote.__file__))),
    )
    for name in FILTERS:
        env.filters[name] = getattr(quote, name)
    env.filters["hex_literal"] = hex_literal
    env.filters["bit_range"] = bit_range
    env.filters["flag"] = flag
    return env


def render(template: str, **context: object) -> str:
    """Render ``templates/<template>`` with these answers."""
    return environment().get_template(template).render(**context)


def macro_and_text(
    template: str, macro: str, arguments: Iterable[object], **context: object
) -> tuple[list[str], str]:
    """Read a template once; return what its macro makes of each argument, and its text.

    A template without that macro makes nothing of them.
    """
    module = environment().get_template(template).make_module(context)
    call = getattr(module, macro, lambda _: "")
    return [call(argument) for argument in arguments], str(module)
