# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen.late`: a dataclass that is made with its first object is what the standard library makes."""

from __future__ import annotations

import copy
import dataclasses
import sys
import threading
from dataclasses import field
from typing import Any

import pytest

from shellgen.late import dataclass


def classes() -> list[type[Any]]:
    """Make an outer, a derived and a changeable class."""

    @dataclass(frozen=True)
    class Outer:
        one: int
        more: list[int] = field(default_factory=list)

    @dataclass(frozen=True)
    class Inner(Outer):
        text: str = "none"

    @dataclass
    class Loose:
        one: int
        more: list[int] = field(default_factory=list)
        hidden: int = field(default=1, repr=False, compare=False)

    return [Outer, Inner, Loose]


def check(outer: Any, inner: Any, loose: Any) -> None:
    """Check what such classes do."""
    made = inner(1, text="some")
    assert repr(made) == f"{inner.__qualname__}(one=1, more=[], text='some')"
    assert made == copy.copy(made) == dataclasses.replace(inner(2, text="some"), one=1) != inner(1)
    assert made.more is not inner(1).more
    assert [entry.name for entry in dataclasses.fields(inner)] == ["one", "more", "text"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.one = 2
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'one'"):
        inner()
    assert outer(1) == outer(1) != made
    assert hash(outer(1, ())) == hash(outer(1, ()))
    changed = loose(1, hidden=3)
    changed.one = 2
    assert (changed, repr(changed)) == (loose(2), f"{loose.__qualname__}(one=2, more=[])")
    with pytest.raises(TypeError, match="unhashable"):
        hash(changed)


def test_one_thread() -> None:
    check(*classes())


def test_beside_other_threads() -> None:
    """Threads that make first objects at once wait for one another."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    end = threading.Event()
    waiting = threading.Thread(target=end.wait)
    waiting.start()
    try:
        check(*classes())
        for _ in range(20):
            outer, inner, loose = classes()
            faults: list[BaseException] = []

            def make(kinds: tuple[Any, ...], faults: list[BaseException] = faults) -> None:
                try:
                    assert [kind(1).one for kind in kinds] == [1, 1, 1]
                except BaseException as error:
                    faults.append(error)

            orders = [(outer, inner, loose), (inner, outer, loose), (loose, inner, outer)] * 3
            threads = [threading.Thread(target=make, args=(order,)) for order in orders]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
            assert not faults
    finally:
        sys.setswitchinterval(interval)
        end.set()
        waiting.join()
