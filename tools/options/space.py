# SPDX-License-Identifier: BSD-3-Clause
"""The option space of a platform, read from its own records: a new option is in it without a change here."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types

from shellgen.links import link_registry
from shellgen.model import Board
from shellgen.model.base import Frozen
from shellgen.model.hooks import HookOptions
from shellgen.platforms import platform_registry
from shellgen.read.board import read_boards

Value = Any
_WIDEST = 8  # numbers that are tried one by one; of a wider range its ends and the default
_PLAIN: dict[Any, tuple[Value, ...]] = {type(None): (None,), bool: (False, True)}
# Texts and numbers that no type tells. A field that is missing here fails the sweep with its name.
SAMPLES: dict[str, tuple[Value, ...]] = {
    "vnx_udp.subnet": ("192.168.0.0/24", "10.1.2.0/24"),
    "vnx_udp.gateway": ("192.168.0.254",),
    "vnx_udp.ip": ((), ("192.168.0.17",)),
    "vnx_udp.mac": ((), ("02:00:00:00:00:07",)),
    "vnx_udp.host": ("192.168.0.9",),
    "vnx_udp.window": (4, 256),
    "coyote.configs": (1, 2),
    "coyote.config": (0, 1),
    "vitis.slr": (-1, 0, 1),
}


class UnknownTypeError(Exception):
    """An option whose values cannot be derived."""


def platform_options(kind: str, board: Board) -> dict[str, tuple[Value, ...]]:
    """Return the values to try of each option of a platform, its default first."""
    platform = platform_registry()[kind]
    own = {"vitis.memory": _memories(board), "vitis.target": _target(board)} if kind == "vitis" else {}
    return _options(kind, platform.Options, own)


def link_options(kind: str) -> dict[str, tuple[Value, ...]]:
    """Return the same of a link between boards."""
    return _options(kind, link_registry()[kind].Options, {})


def boards_of(kind: str) -> tuple[str, ...]:
    """Return the boards that a platform builds."""
    return tuple(board.name for board in read_boards() if kind in board.platform)


def _options(
    kind: str, record: type[Frozen], own: Mapping[str, tuple[Value, ...]]
) -> dict[str, tuple[Value, ...]]:
    found = {}
    for name, field in record.model_fields.items():
        if name in HookOptions.model_fields:  # files of the user: tests/test_hooks.py
            continue
        key = f"{kind}.{name}"
        default = field.get_default(call_default_factory=True)
        told = own.get(key) or SAMPLES.get(key) or _values(key, field.annotation, _limits(field.metadata))
        found[name] = tuple(dict.fromkeys((default, *told)))
    return found


def _target(board: Board) -> tuple[Value, ...]:
    """Return the card's own platform: that of another card is a mistake, which check tells of."""
    return (None, str(board.platform["vitis"]["target"]))


def _memories(board: Board) -> tuple[Value, ...]:
    """Return a first, a last and several banks of a card."""
    banks: Mapping[str, int] = board.platform["vitis"]["banks"]  # type: ignore[assignment]
    names = tuple(f"{kind}[{index}]" for kind, count in banks.items() for index in range(count))
    return (names[:1], names[-1:], names[:2]) if len(names) > 1 else (names,)


def _limits(metadata: Sequence[Any]) -> tuple[int | None, int | None]:
    low = high = None
    for one in metadata:
        for part in [*getattr(one, "metadata", ()), one]:
            if isinstance(part, annotated_types.Ge):
                low = int(part.ge)  # type: ignore[call-overload]
            elif isinstance(part, annotated_types.Gt):
                low = int(part.gt) + 1  # type: ignore[call-overload]
            elif isinstance(part, annotated_types.Le):
                high = int(part.le)  # type: ignore[call-overload]
            elif isinstance(part, annotated_types.Lt):
                high = int(part.lt) - 1  # type: ignore[call-overload]
    return low, high


def _values(key: str, kind: Any, limits: tuple[int | None, int | None]) -> tuple[Value, ...]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        low, high = _limits(arguments[1:])
        merged = (low if low is not None else limits[0], high if high is not None else limits[1])
        return _values(key, arguments[0], merged)
    if origin is Literal:
        return tuple(arguments)
    if origin in (Union, types.UnionType):
        return tuple(value for one in arguments for value in _values(key, one, limits))
    if kind in _PLAIN:
        return _PLAIN[kind]
    if origin is tuple:
        each = _values(key, arguments[0], limits)
        return ((), *((value,) for value in each), each)
    if kind is int and limits[0] is not None:
        low, high = limits[0], limits[1] if limits[1] is not None else limits[0] + 1
        return tuple(range(low, high + 1)) if high - low < _WIDEST else (low, high)
    raise UnknownTypeError(f"tools/options/space.py: add values of {key} to SAMPLES")
