# SPDX-License-Identifier: BSD-3-Clause
"""The same task as an integer program for HiGHS, a second opinion on the cuts of `split`.

Boards are placed in a row. A variable says whether a layer has a folding on the board of a place; a
layer is never in front of those that it reads. That lets branches side by side go onto boards of their own,
which the search does not: with ``in_order`` partitions are ranges of layers in network order, as there.
A board with regions has a slot for each, and the regions come in every order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import permutations
from math import isfinite
from typing import Any

import highspy

from shellgen.split.task import RESOURCES, SLACK, Choice, Found, Part, Task, measured

_Mode = tuple[int, int, tuple[int, ...]]  # kind of board, replicas, regions in network order


@dataclass
class Program:
    """A period, and the integer program for it."""

    task: Task
    seconds: float
    in_order: bool = True
    exact: bool = True
    _solver: Any = field(default_factory=highspy.Highs)

    def __post_init__(self) -> None:
        self._solver.silent()
        self._solver.setOptionValue("mip_feasibility_tolerance", 1e-9)
        self._solver.setOptionValue("mip_rel_gap", 0.0)

    @cached_property
    def _modes(self) -> list[_Mode]:
        return [
            (number, replicas, order)
            for number, kind in enumerate(self.task.kinds)
            for replicas in range(1, min(self.task.replicas, kind.count) + 1)
            for order in permutations(range(len(kind.rooms)))
        ]

    @cached_property
    def _places(self) -> range:
        return range(min(sum(kind.count for kind in self.task.kinds), len(self.task.layers)))

    def is_possible(self) -> bool:
        return self.best() is not None

    def best(self, *, all_boards: bool = False) -> Found | None:
        """Return the split with the fewest boards, of these the fewest replicas, then the least traffic."""
        solver = self._solver
        solver.clearModel()
        if not self._build(all_boards=all_boards):
            return None
        heavy = 1 + sum(hop.bytes * len(self._places) for hop in self.task.hops)
        boards = sum(
            variable * (mode[1] * len(self._places) * 2 + mode[1] - 1) * heavy
            for (_, mode), variable in self._board.items()
        )
        inner = [
            (hop, variable)
            for (hop, _), variable in self._crosses.items()
            if hop.producer >= 0 and hop.consumer < len(self.task.layers)
        ]
        solver.minimize(boards + sum(variable * hop.bytes for hop, variable in inner))
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return measured(self.task, tuple(self._parts()))

    def _build(self, *, all_boards: bool) -> bool:
        """State the program; False if a layer has no folding that is fast enough."""
        task, solver = self.task, self._solver
        self._board = {(p, mode): solver.addBinary() for p in self._places for mode in self._modes}
        self._has: dict[tuple[int, int, _Mode], list[tuple[Choice, int, Any]]] = {}
        for at in range(len(task.layers)):
            for p in self._places:
                for mode in self._modes:
                    kind = task.kinds[mode[0]]
                    limit = self.seconds * (1 + SLACK) * mode[1]
                    fast = [one for one in kind.choices[at] if kind.seconds(one) <= limit]
                    self._has[at, p, mode] = [
                        (one, slot, solver.addBinary()) for one in fast for slot in range(len(mode[2]))
                    ]
        if not all(any(self._has[at, 0, mode] for mode in self._modes) for at in range(len(task.layers))):
            return False
        for number, kind in enumerate(task.kinds):
            used = [var * mode[1] for (_, mode), var in self._board.items() if mode[0] == number]
            if all_boards:
                solver.addConstr(sum(used) == kind.count)
            else:
                solver.addConstr(sum(used) <= kind.count)
        for p in self._places:
            solver.addConstr(sum(self._board[p, mode] for mode in self._modes) <= 1)
        self._layers()
        self._streams()
        return True

    def _at(self, layer: int, place: int, slot: int | None = None) -> Any:
        """Tell whether a layer is on the board of a place, in its slots up to one."""
        return sum(
            var
            for mode in self._modes
            for _, own, var in self._has[layer, place, mode]
            if slot is None or own <= slot
        )

    def _layers(self) -> None:
        """Each layer is somewhere, and what is on a board fits."""
        task, solver = self.task, self._solver
        layers = range(len(task.layers))
        for at in layers:
            solver.addConstr(sum(self._at(at, p) for p in self._places) == 1)
        for (p, mode), board in self._board.items():
            for at in layers:
                if own := self._has[at, p, mode]:
                    solver.addConstr(sum(var for _, _, var in own) <= board)
            for slot, region in enumerate(mode[2]):
                for index, _ in enumerate(RESOURCES):
                    taken = [
                        var * one.takes[index]
                        for at in layers
                        for one, where, var in self._has[at, p, mode]
                        if one.takes[index] and where == slot
                    ]
                    if taken:
                        solver.addConstr(sum(taken) <= task.kinds[mode[0]].rooms[region][index])

    def _streams(self) -> None:
        """Words of neighbours fit, no stream goes back, and no link has too much to carry."""
        task, solver = self.task, self._solver
        count = len(task.layers)
        pairs = {(hop.producer, hop.consumer) for hop in task.hops}
        if self.in_order:
            pairs |= {(at, at + 1) for at in range(count - 1)}
        for before, after in sorted(pairs):
            if before >= 0 and after < count:
                slots = max(len(mode[2]) for mode in self._modes)
                for p in self._places:
                    for slot in range(slots):
                        ends = [
                            self._at(layer, p, slot) + sum(self._at(layer, q) for q in range(p))
                            for layer in (before, after)
                        ]
                        solver.addConstr(ends[1] <= ends[0])
        self._crosses: dict[tuple[Any, tuple[int, str]], Any] = {}
        for hop in task.hops:
            self._join(hop)
        for p in self._places:
            for way in ("into", "out_of"):
                rates = {mode: getattr(task.kinds[mode[0]], way) * mode[1] for mode in self._modes}
                if not all(isfinite(rate) for rate in rates.values()):
                    whole = sum(hop.bytes for hop in task.hops)
                    rates = {mode: min(rate, 2 * whole / self.seconds) for mode, rate in rates.items()}
                carried = sum(
                    var * hop.bytes
                    for (hop, (place, does)), var in self._crosses.items()
                    if (place, does) == (p, way)
                )
                may = [
                    var * (rates[mode] * self.seconds * (1 + SLACK))
                    for (q, mode), var in self._board.items()
                    if q == p
                ]
                solver.addConstr(carried <= sum(may))

    def _join(self, hop: Any) -> None:
        solver, count = self._solver, len(self.task.layers)
        for p in self._places:
            made = self._at(hop.producer, p) if hop.producer >= 0 else None
            taken = self._at(hop.consumer, p) if hop.consumer < count else None
            for way, own, other in (("into", taken, made), ("out_of", made, taken)):
                if own is not None:
                    crosses = solver.addVariable(0, 1)
                    self._crosses[hop, (p, way)] = crosses
                    solver.addConstr(crosses >= (own - other if other is not None else own))
            if made is None or taken is None:
                continue
            for mode in self._modes:
                for before, slot, var in self._has[hop.producer, p, mode]:
                    wrong = [
                        other
                        for after, own, other in self._has[hop.consumer, p, mode]
                        if own == slot and not hop.joins(before, after)
                    ]
                    if wrong:
                        solver.addConstr(var + sum(wrong) <= 1)

    def _parts(self) -> list[Part]:
        values, found = self._solver.val, []
        for (p, mode), board in self._board.items():
            if values(board) < 0.5:
                continue
            chosen = {
                at: (one, slot)
                for at in range(len(self.task.layers))
                for one, slot, var in self._has[at, p, mode]
                if values(var) > 0.5
            }
            if chosen:
                slots = [slot for _, slot in chosen.values()]
                regions = tuple((mode[2][slot], slots.count(slot)) for slot in dict.fromkeys(slots))
                divided = bool(self.task.kinds[mode[0]].regions)
                choices = tuple(one for one, _ in chosen.values())
                found.append(Part(mode[0], tuple(chosen), choices, mode[1], regions if divided else ()))
        return found


sideways = partial(Program, in_order=False)
