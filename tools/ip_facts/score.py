# SPDX-License-Identifier: BSD-3-Clause
"""Prediction score of the facts: each configuration is predicted from the others of its IP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vivado_check.ip.component import Component
from vivado_check.ip.document import DocumentedIp
from vivado_check.ip.learned import Seen
from vivado_check.ip.unite import unite


@dataclass
class Score:
    """Predictions of pins and interfaces: right, wrong, and none.

    Attributes:
        mistakes: The wrong ones, as ``<instance>: <name>``.
    """

    right: int = 0
    wrong: int = 0
    doubtful: int = 0
    mistakes: list[str] = field(default_factory=list)

    def __iadd__(self, other: Score) -> Score:
        self.right += other.right
        self.wrong += other.wrong
        self.doubtful += other.doubtful
        self.mistakes += other.mistakes
        return self

    def __str__(self) -> str:
        told = self.right + self.wrong
        share = 100 * self.right / told if told else 0.0
        return f"{self.right} of {told} right ({share:.2f} %), {self.doubtful} without a prediction"


def leave_one_out(components: Sequence[Component], most: int = 8) -> Score:
    """Predict up to so many configurations of one IP, each from all others."""
    total = Score()
    told = [one for one in components if one.ports or one.interfaces]
    for place in range(0, len(told), max(1, len(told) // most)):
        one = told[place]
        others = [other for other in components if other is not one]
        if others:
            total += compare(DocumentedIp(unite(others)), one)
    return total


def compare(ip: DocumentedIp, one: Component) -> Score:
    """Compare what facts say of a configuration with what it has."""
    found = ip.resolve(Seen.of(one).given)
    ports = {port.name for port in one.ports.values() if port.present.now}
    interfaces = {
        name
        for name, it in one.interfaces.items()
        if it.present.now and (not it.ports or not ports or set(it.ports.values()) & ports)
    }
    score = Score()
    for here, told in ((ports, set(found.ports)), (interfaces, set(found.interfaces))):
        for name in here | told:
            if name in found.doubtful or (name not in told and not found.complete):
                score.doubtful += 1
            elif (name in here) == (name in told):
                score.right += 1
            else:
                score.wrong += 1
                score.mistakes.append(f"{one.origin}: {name}")
    return score
