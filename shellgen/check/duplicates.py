# SPDX-License-Identifier: BSD-3-Clause
"""One message for each mistake: a comparison's message is merged into the one that gives the reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vivado_check.report import Message, Verdict


def without_repeats(messages: Iterable[Message], comparing: str) -> list[Message]:
    """Return messages without those of a comparing rule about a subject that another rule reports.

    The remaining message gets expectation and remedy of the comparison, which names the exact pin or value.

    Args:
        messages: Of all rules.
        comparing: Name of the rule.
    """
    found = list(messages)
    others: dict[str, int] = {}
    for index, message in enumerate(found):
        if message.rule != comparing and message.verdict is not Verdict.NOT_MODELLED:
            before = others.get(_subject(message))
            if before is None or (message.vivado and not found[before].vivado):
                others[_subject(message)] = index
    repeated = {message for message in found if message.rule == comparing and _subject(message) in others}
    for message in repeated:
        index = others[_subject(message)]
        found[index] = _joined(found[index], message)
    return [message for message in found if message not in repeated]


def first_of(messages: Iterable[Message], repeating: str) -> list[Message]:
    """Return messages without those of a repeating rule on what another rule has failed for already.

    Args:
        messages: Of all rules.
        repeating: Name of a rule that judges the scripts once more, as they run under other conditions.
    """
    found = list(messages)
    wrong = {_subject(one) for one in found if one.rule != repeating and one.verdict.stops(strict=False)}
    return [one for one in found if one.rule != repeating or _subject(one) not in wrong]


def _subject(message: Message) -> str:
    """Return the pin, parameter or segment that a message is about."""
    where = message.where.partition(" in ")[0].replace(": CONFIG.", " ").lower()
    return where.removesuffix(".value_src")


def _joined(told: Message, planned: Message) -> Message:
    if told.expected.startswith(planned.expected):
        return told
    expected = f"{told.expected}; by the plan {planned.expected}" if told.expected else planned.expected
    return replace(told, expected=expected, remedy=planned.remedy or told.remedy)
