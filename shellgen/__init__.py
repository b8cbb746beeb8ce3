# SPDX-License-Identifier: BSD-3-Clause
"""shellgen: board shells for FINN networks that are spread over several FPGAs.

The functions of `shellgen.api` under short names. Each is imported when it is first used, so that
``import shellgen`` takes no time:

    >>> import shellgen
    >>> shellgen.plan(cluster).name
    'pair'

``shellgen.plan``, ``estimate``, ``simulate``, ``check`` and ``split`` are packages as well, which can be
called.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

# As type checkers know it: typing takes a third of the time until Ctrl-C ends a command in order.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from shellgen.api import (
        CheckOptions,
        Cluster,
        SimulateOptions,
        SplitOptions,
        check,
        estimate,
        generate,
        plan,
        simulate,
        split,
        weights,
    )
    from shellgen.errors import ShellgenError

__all__ = [
    "CheckOptions",
    "Cluster",
    "ShellgenError",
    "SimulateOptions",
    "SplitOptions",
    "__version__",
    "check",
    "estimate",
    "generate",
    "plan",
    "simulate",
    "split",
    "weights",
]

__version__ = "0.1.0"
if sys.version_info < (3, 11):  # noqa: UP036 - run from a clone; pip refuses before it installs anything
    found = ".".join(map(str, sys.version_info[:2]))
    raise ImportError(f"shellgen needs Python 3.11 or later, and this is Python {found}")

_PACKAGES = ("check", "estimate", "plan", "simulate", "split")


class _Function(ModuleType):
    """A package that is called as the function of its name in `shellgen.api`."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._function()(*args, **options)

    @property
    def __signature__(self) -> Any:
        from inspect import signature  # noqa: PLC0415 - for help and editors only

        return signature(self._function())

    def _function(self) -> Any:
        return getattr(import_module("shellgen.api"), self.__name__.rpartition(".")[2])


class _Shellgen(ModuleType):
    """This package; Python sets each package inside it as an attribute when that is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _PACKAGES and type(value) is ModuleType:
            value.__class__ = _Function
        super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("shellgen.errors" if name == "ShellgenError" else "shellgen.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _Shellgen
