# SPDX-License-Identifier: BSD-3-Clause
"""The expression language of IP-XACT, as Vivado writes it."""

from __future__ import annotations

import pytest

from vivado_check.ip.expression import (
    DEEPEST,
    Atom,
    ExpressionError,
    UnknownError,
    compact,
    evaluate,
    parse,
    references,
)

VALUES = {
    ("m", "W"): "64",
    ("m", "SG"): "0",
    ("m", "KIND"): "axi4lite",
    ("p", "On"): "true",
    ("p", "HIGH"): "0x1FFFFFFF",
}


def value(text: str) -> Atom:
    return evaluate(text, lambda kind, name: VALUES.get((kind, name)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(spirit:decode(id('MODELPARAM_VALUE.W')) - 1)", 63),
        ("(spirit:decode(id(PARAM_VALUE.HIGH))+0x00000001)", 0x20000000),
        ("((8 * spirit:decode(id('MODELPARAM_VALUE.W'))) - 1)", 511),
        ("spirit:decode(id(pow(2,spirit:decode(id('MODELPARAM_VALUE.W')))))", 1 << 64),
        ("m:W div 8", 8),
        ("(31 - 1)/4", 7),
        ("floor(m:W div 24)", 2),
        ("spirit:ceil(spirit:log(2, 33))", 6),
        ("m:SG = 1", False),
        ("m:SG==0 && p:On = true()()", True),
        ("not m:SG and m:W > 32", True),
        ("m:KIND != 'AXI4LITE'", False),
        ("\"IBUFDS\" = 'ibufds'", True),
        ("(m:SG = 1) ? 32 : (m:W * 2)", 128),
        ('substring("STANDARDFREQUENCY", 9, 9)', "FREQUENCY"),
        ("concat(m:KIND, '-', m:W)", "axi4lite-64"),
        ("contains('AXI4LITE', 'LITE')", True),
        ("-2 + 1 << 3 ** 1", -8),
        ("m:SG = 1 and m:nobody = 3", False),
        ("m:nobody = 3 or m:SG = 0", True),
        ("agree(m:W, 64)", "64"),
    ],
)
def test_values(text: str, expected: Atom) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "m:nobody",
        "m:nobody = 3 or m:SG = 1",
        "agree(m:W, 65)",
        "unknown",
        "1 div 0",
        "pow(2, 100000)",
        "'a' + 1",
    ],
)
def test_what_is_not_known_is_not_guessed(text: str) -> None:
    with pytest.raises(UnknownError):
        value(text)


@pytest.mark.parametrize("text", ["$kOwn", "m:W m:W", "(m:W", "nobody(1)", "m:W +", "1 ; 2", "", "pow(1)"])
def test_another_language_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)
    with pytest.raises(UnknownError):
        value(text)


def test_depth_and_length_are_bounded() -> None:
    for text in (
        "(" * (DEEPEST + 2) + "1" + ")" * (DEEPEST + 2),
        "-" * 19_000 + "1",
        "not " * 4_000 + "1",
        "1 " * 100_000,
    ):
        with pytest.raises(ExpressionError):
            parse(text)


def test_references_and_the_compact_form() -> None:
    text = "spirit:decode(id('MODELPARAM_VALUE.A')) + id(PARAM_VALUE.B)"
    assert compact(text) == "m:A + p:B"
    assert references(text) == {("m", "A"), ("p", "B")}
