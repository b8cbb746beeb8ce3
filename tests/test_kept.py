# SPDX-License-Identifier: BSD-3-Clause
"""A record keeps values that are computed from it; a copy with other fields computes them again."""

from __future__ import annotations

from shellgen.model.base import Frozen


class _Record(Frozen):
    x: int


def test_a_copy_makes_its_own() -> None:
    one = _Record(x=1)
    assert one.kept("twice", lambda: [2 * one.x]) is one.kept("twice", lambda: [0])
    other = one.model_copy(update={"x": 2})
    assert other.kept("twice", lambda: [2 * other.x]) == [4]
    assert one == _Record(x=1)
    assert hash(one) == hash(_Record(x=1))
    assert one.model_dump() == {"x": 1}
