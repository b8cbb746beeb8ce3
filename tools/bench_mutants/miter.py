# SPDX-License-Identifier: BSD-3-Clause
"""A core and its mutant in one graph that has twice only what may differ.

At first every latch is there once, for both. A latch whose next value is not the same gate on both sides gets
a twin, and so on: *ring* n has twins for all that a difference could reach in n cycles. If no other latch and
no pin ever differs, core and mutant behave alike: until the first difference, all that is there once is the
same. The last ring has twins of all that could ever differ; there a difference is one of the pins.

Flops and memories begin with zeros, as AMD's devices load them if nothing else is said (UG901), and a reset
comes first, in which differences are not looked at. So the proof has two parts: which latches differ when it
is over (`first_reset`), and that from there on nothing else ever does (`Ring.bad`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tools.bench_mutants.aig import FALSE, TRUE, Graph, Netlist
from tools.bench_mutants.axi_pins import Channel, channels, counts, long_reset, rules

RESET_CYCLES = 4  # what holds after a short reset holds after a longer one


@dataclass(frozen=True)
class Ring:
    """Possible spread of a difference.

    Attributes:
        number: Counted from 0.
        follows: Next value of each latch that is there for the mutant only, by variable.
        bad: Something else differs.
        pins: What differs at the pins, by name.
        last: Twins are all that could ever differ.
        apart: That the next value of a twin differs, by the place of its latch in the mutant.
    """

    number: int
    follows: dict[int, int]
    bad: int
    pins: dict[str, int]
    last: bool
    apart: dict[int, int]


class Miter:
    """Core and mutant.

    Attributes:
        graph: All of it.
        channels: Of its pins.
        pins: Literals of the core's pins by name; of outputs, the core's own.
        laws: What neighbours keep to, each with the pin, as a variable, by which it does.
        over: The first reset is.
        clockwork: Latches, as variables, that follow the reset.
    """

    def __init__(
        self,
        net: Netlist,
        mutant: Netlist,
        low: Collection[str],
        high: Collection[str],
        *,
        lawless: bool = False,
    ) -> None:
        """Join a core and its mutant.

        Args:
            net: The core.
            mutant: The same, or another graph: pins and latches of the same name belong together.
            low: Inputs that are 0 on both sides.
            high: Inputs that are 1 in the mutant and 0 in the core.
            lawless: It is a block of a core: its pins may do anything, and all count from the beginning.
        """
        self.graph = graph = Graph()
        self._net, self._mutant = net, mutant
        self._began = graph.new_latch()
        graph.follows[self._began >> 1] = TRUE
        free = [name for name in net.inputs if name not in low and name not in high]
        self.pins = {name: graph.new_input(name) for name in free}
        self._resets = [_first(reset) for reset in net.resets]
        gold = [FALSE, *(self.pins.get(name, FALSE) for name in net.inputs)]
        self._states: list[int] = []
        for reset in self._resets:
            latch = graph.new_latch()
            self._states.append(latch)
            gold.append(graph.mux(self._began, latch, reset))
        _compute(graph, net, gold, None)
        self._gold = gold
        for latch, follows in zip(self._states, net.follows, strict=True):
            graph.follows[latch >> 1] = _value(gold, follows)
        self.pins |= {name: _value(gold, literal) for name, literal in net.outputs.items()}
        self.channels: list[Channel] = []
        self._counts = dict.fromkeys(net.outputs, TRUE)
        self.over = TRUE
        self.laws: list[tuple[int, int]] = []
        self.clockwork = frozenset({self._began >> 1})
        if not lawless:
            self._neighbours(free)
        self._pairs = self._paired()
        self._base = self._mutant_values(low, high)
        self._restart(frozenset())

    def _neighbours(self, free: list[str]) -> None:
        """Say what neighbours keep to, when the first reset is over, and what counts of the pins."""
        graph = self.graph
        self.channels, loose = channels(free, list(self._net.outputs))
        reset = self.pins["aresetn"]
        inner = {
            name.rsplit(".", 1)[0] + ".": literal
            for name, literal in self.pins.items()
            if name.endswith(".ap_rst_n")
        }
        resets = {**inner, "": reset}
        self._counts = dict.fromkeys(loose, TRUE)
        for channel in self.channels:
            self._counts |= counts(graph, channel, self.pins, resets)
        first = len(graph.pairs)
        lasts, self.over = long_reset(graph, reset, RESET_CYCLES)
        self.clockwork |= {variable for variable in graph.follows if variable >= first}
        ours = rules(graph, self.channels, self.pins, resets)
        self.laws = [(pin, literal) for pin, literal in ((reset >> 1, lasts), *ours) if literal != TRUE]

    def _paired(self) -> list[int | None]:
        """Return for each latch of the mutant which one of the core it is."""
        net, mutant = self._net, self._mutant
        if mutant is net:
            return list(range(len(net.latches)))
        names = {name: place for place, latch in enumerate(net.latches) for name in latch}
        pairs: list[int | None] = []
        taken: set[int] = set()
        for latch, reset in zip(mutant.latches, mutant.resets, strict=True):
            those = {names[name] for name in latch if name in names} - taken
            pair = next((place for place in sorted(those) if net.resets[place] == reset), None)
            taken |= set() if pair is None else {pair}
            pairs.append(pair)
        return pairs

    def _mutant_values(self, low: Collection[str], high: Collection[str]) -> list[int]:
        """Return the inputs and latches of the mutant, with every latch of the core that it has, too."""
        graph, mutant = self.graph, self._mutant
        values = [FALSE]
        for name in mutant.inputs:
            known = TRUE if name in high else FALSE if name in low else None
            if known is None and (mutant is self._net or not name.startswith("undriven")):
                known = self.pins.get(name)
            values.append(graph.new_input(name) if known is None else known)
        self._alone: dict[int, int] = {}
        for place, pair in enumerate(self._pairs):
            if pair is None:
                self._alone[place] = graph.new_latch()
                values.append(graph.mux(self._began, self._alone[place], _first(mutant.resets[place])))
            else:
                values.append(self._gold[1 + len(self._net.inputs) + pair])
        return values

    def _restart(self, twins: Collection[int]) -> None:
        """Compute the mutant with twins for these of its latches, by place, and for no others."""
        mutant = self._mutant
        self._twins = dict(self._alone)
        self._gate = list(self._base)
        for place in twins:
            self._add_twin(place)
        if mutant is self._net:
            inputs = len(mutant.inputs) + len(mutant.latches) + 1
            changed = {place for place in range(inputs) if self._gate[place] != self._gold[place]}
            self._gate += self._gold[inputs:]
            _compute(self.graph, mutant, self._gate, changed)
        else:
            _compute(self.graph, mutant, self._gate, None)

    def _add_twin(self, place: int) -> int:
        pair = self._pairs[place]
        assert pair is not None
        self._twins[place] = self.graph.new_latch()
        where = 1 + len(self._mutant.inputs) + place
        self._gate[where] = self.graph.mux(self._began, self._twins[place], self._resets[pair])
        return where

    def rings(self, unsettled: Collection[int] | None = None) -> Iterator[Ring]:
        """Yield one ring after the other, at last the one in which twins are all that could ever differ.

        Args:
            unsettled: Latches, by place, that may differ when the first reset is over: these have twins from
                the beginning, which then may hold anything. Twins of other latches begin to differ after the
                reset. Without this argument, all do what they do from the first cycle on.
        """
        self._restart(unsettled or ())
        number = 0
        while True:
            differ = [
                place
                for place, pair in enumerate(self._pairs)
                if pair is not None
                and place not in self._twins
                and _value(self._gate, self._mutant.follows[place])
                != self.graph.follows[self._states[pair] >> 1]
            ]
            yield self._ring(number, differ, unsettled)
            if not differ:
                return
            _compute(self.graph, self._mutant, self._gate, {self._add_twin(place) for place in differ})
            number += 1

    def _ring(self, number: int, differ: list[int], unsettled: Collection[int] | None) -> Ring:
        graph = self.graph
        ours: dict[int, int] = {}
        apart: dict[int, int] = {}
        for place, twin in self._twins.items():
            pair = self._pairs[place]
            follows = _value(self._gate, self._mutant.follows[place])
            if pair is not None:
                original = graph.follows[self._states[pair] >> 1]
                apart[place] = graph.xor(follows, original)
                if unsettled is not None:
                    before = graph.new_input("unsettled") if place in unsettled else original
                    follows = graph.mux(self.over, follows, before)
            ours[twin >> 1] = follows
        states = []
        for place in differ:
            pair = self._pairs[place]
            assert pair is not None
            follows = _value(self._gate, self._mutant.follows[place])
            states.append(graph.xor(follows, graph.follows[self._states[pair] >> 1]))
        pins = {}
        for name, literal in self._net.outputs.items():
            other = _value(self._gate, self._mutant.outputs[name])
            differs = graph.xor(other, _value(self._gold, literal))
            pins[name] = graph.every([self.over, self._counts[name], differs])
        pins = {name: literal for name, literal in pins.items() if literal != FALSE}
        bad = graph.some([*pins.values(), graph.conj(self.over, graph.some(states))])
        return Ring(number, ours, bad, pins, not differ, apart)


def _first(reset: int | None) -> int:
    """Return what a flop begins with: zero, if nothing is said."""
    return TRUE if reset else FALSE


def _value(values: list[int], literal: int) -> int:
    return values[literal >> 1] ^ (literal & 1)


def _compute(graph: Graph, net: Netlist, values: list[int], changed: set[int] | None) -> None:
    """Compute the gates: all of them and append them, or those that depend on variables that have changed."""
    conj = graph.conj
    if changed is None:
        for one, two in net.gates:
            values.append(conj(values[one >> 1] ^ (one & 1), values[two >> 1] ^ (two & 1)))
        return
    marks = bytearray(len(values))
    for variable in changed:
        marks[variable] = 1
    first = len(net.inputs) + len(net.latches) + 1
    for variable, (one, two) in enumerate(net.gates, first):
        if marks[one >> 1] or marks[two >> 1]:
            new = conj(values[one >> 1] ^ (one & 1), values[two >> 1] ^ (two & 1))
            if new != values[variable]:
                values[variable] = new
                marks[variable] = 1
