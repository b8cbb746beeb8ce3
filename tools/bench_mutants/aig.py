# SPDX-License-Identifier: BSD-3-Clause
"""And-inverter graphs: reading and writing AIGER, and building graphs in which no gate is there twice.

A literal is twice a variable, plus one if it is inverted; variable 0 is false
(Biere, The AIGER And-Inverter Graph Format, https://fmv.jku.at/aiger/).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FALSE, TRUE = 0, 1


@dataclass(frozen=True)
class Netlist:
    """Contents of a file: inputs are variables 1 to n, latches follow, then gates in the order of signals.

    Attributes:
        inputs: Names.
        latches: All names of each.
        resets: First value of each latch, or None if it may be any.
        follows: Next value of each latch, a literal.
        outputs: Literals by name.
        gates: Both operands of each gate.
    """

    inputs: tuple[str, ...]
    latches: tuple[tuple[str, ...], ...]
    resets: tuple[int | None, ...]
    follows: tuple[int, ...]
    outputs: dict[str, int]
    gates: tuple[tuple[int, int], ...]


def read_aiger(path: Path) -> Netlist:
    """Read a binary file with a name for each input, latch and output."""
    data = path.read_bytes()
    at = data.index(b"\n")
    header = data[:at].split()
    inputs, latches, outputs, gates = map(int, header[2:6])
    lines = []
    for _ in range(latches + outputs):
        end = data.index(b"\n", at + 1)
        lines.append(data[at + 1 : end].split())
        at = end
    at += 1
    follows = tuple(int(line[0]) for line in lines[:latches])
    resets = tuple(
        None if len(line) > 1 and int(line[1]) > 1 else int(line[1]) if len(line) > 1 else 0
        for line in lines[:latches]
    )
    operands = []
    for gate in range(inputs + latches + 1, inputs + latches + 1 + gates):
        value = 2 * gate
        pair = []
        for _ in range(2):
            shift = delta = 0
            while True:
                byte = data[at]
                at += 1
                delta |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            value -= delta
            pair.append(value)
        operands.append((pair[0], pair[1]))
    names: dict[str, dict[int, tuple[str, ...]]] = {"i": {}, "l": {}, "o": {}}
    for line in data[at:].decode().splitlines():
        if line == "c":
            break
        place, *rest = line.split(" ")
        names[place[0]][int(place[1:])] = tuple(rest)
    return Netlist(
        tuple(names["i"].get(number, (f"undriven {number}",))[0] for number in range(inputs)),
        tuple(names["l"].get(number, ()) for number in range(latches)),
        resets,
        follows,
        {names["o"][number][0]: int(line[0]) for number, line in enumerate(lines[latches:])},
        tuple(operands),
    )


@dataclass
class Graph:
    """A graph that grows.

    Attributes:
        pairs: Both operands of each variable that is a gate; None for inputs, latches and false.
        inputs: Names by variable.
        follows: Next value of each latch by its variable.
    """

    pairs: list[tuple[int, int] | None] = field(default_factory=lambda: [None])
    inputs: dict[int, str] = field(default_factory=dict)
    follows: dict[int, int] = field(default_factory=dict)
    _known: dict[tuple[int, int], int] = field(default_factory=dict)

    def new_input(self, name: str) -> int:
        """Return the literal of a new input."""
        self.pairs.append(None)
        self.inputs[len(self.pairs) - 1] = name
        return 2 * len(self.pairs) - 2

    def new_latch(self) -> int:
        """Return the literal of a new latch, 0 at first; ``follows`` sets its next state."""
        self.pairs.append(None)
        self.follows[len(self.pairs) - 1] = FALSE
        return 2 * len(self.pairs) - 2

    def conj(self, one: int, two: int) -> int:
        """Return the conjunction of two literals."""
        if one > two:
            one, two = two, one
        if one == FALSE or one ^ 1 == two:
            return FALSE
        if one in (TRUE, two):
            return two
        found = self._known.get((one, two))
        if found is None:
            self.pairs.append((one, two))
            found = 2 * len(self.pairs) - 2
            self._known[one, two] = found
        return found

    def disj(self, one: int, two: int) -> int:
        """Return the disjunction of two literals."""
        return self.conj(one ^ 1, two ^ 1) ^ 1

    def xor(self, one: int, two: int) -> int:
        """Return whether two literals differ."""
        return self.disj(self.conj(one, two ^ 1), self.conj(one ^ 1, two))

    def mux(self, choice: int, one: int, two: int) -> int:
        """Return the first if the choice is true, else the second."""
        return self.disj(self.conj(choice, one), self.conj(choice ^ 1, two))

    def every(self, literals: Iterable[int]) -> int:
        """Return the conjunction of all, as a balanced tree."""
        left = list(literals)
        while len(left) > 1:
            odd = left[-1:] if len(left) % 2 else []
            left = [self.conj(*pair) for pair in zip(left[::2], left[1::2], strict=False)] + odd
        return left[0] if left else TRUE

    def some(self, literals: Iterable[int]) -> int:
        """Return the disjunction of all."""
        return self.every(literal ^ 1 for literal in literals) ^ 1


def simulate(
    graph: Graph, follows: Mapping[int, int], cycles: Iterable[Mapping[int, int]], lanes: int
) -> Iterator[list[int]]:
    """Yield the values of all variables in each cycle.

    Args:
        graph: What is simulated.
        follows: Next value of each latch; they begin with 0.
        cycles: Of each cycle, the inputs by variable, an integer with a bit for each lane; others are 0.
        lanes: So many executions at once.
    """
    ones = (1 << lanes) - 1
    state = dict.fromkeys(follows, 0)
    for inputs in cycles:
        values: list[int] = []
        for variable, pair in enumerate(graph.pairs):
            if pair is None:
                values.append(state.get(variable, inputs.get(variable, 0)))
            else:
                one, two = (values[operand >> 1] ^ (ones if operand & 1 else 0) for operand in pair)
                values.append(one & two)
        yield values
        state = {
            variable: values[literal >> 1] ^ (ones if literal & 1 else 0)
            for variable, literal in follows.items()
        }


def reached(
    graph: Graph, follows: Mapping[int, int], roots: Iterable[int], depth: int | None
) -> tuple[set[int], set[int]]:
    """Return the inputs and the latches, as variables, that literals depend on.

    Args:
        graph: In which.
        follows: Next value of each latch.
        roots: Literals.
        depth: Number of cycles back; None for all.
    """
    inputs: set[int] = set()
    latches: set[int] = set()
    seen = {0}
    layer = [literal >> 1 for literal in roots]
    level = 0
    while layer:
        behind: list[int] = []
        while layer:
            variable = layer.pop()
            if variable in seen:
                continue
            seen.add(variable)
            pair = graph.pairs[variable]
            if pair is not None:
                layer += (pair[0] >> 1, pair[1] >> 1)
            elif variable not in follows:
                inputs.add(variable)
            elif depth is None or level < depth:
                latches.add(variable)
                behind.append(follows[variable] >> 1)
        layer = behind
        level += 1
    return inputs, latches


def unrolled(
    graph: Graph, follows: Mapping[int, int], fixed: Sequence[Mapping[int, int]], literals: Sequence[int]
) -> tuple[Graph, list[int]]:
    """Return a graph without latches, and in it what literals are in the last of some cycles.

    Args:
        graph: What is unrolled; its latches begin with 0.
        follows: Next value of each latch.
        fixed: For each cycle, values of inputs, as literals, by variable; all others are free.
        literals: Literals of the graph.
    """
    flat = Graph()
    inputs, latches = reached(graph, follows, literals, None)
    state = dict.fromkeys(latches, FALSE)
    values: list[int] = []
    for given in fixed:
        values = [FALSE] * len(graph.pairs)
        for variable in inputs:
            known = given.get(variable)
            values[variable] = flat.new_input(graph.inputs[variable]) if known is None else known
        for variable, literal in state.items():
            values[variable] = literal
        for variable, pair in enumerate(graph.pairs):
            if pair is not None:
                one, two = (values[operand >> 1] ^ (operand & 1) for operand in pair)
                values[variable] = flat.conj(one, two)
        state = {latch: values[follows[latch] >> 1] ^ (follows[latch] & 1) for latch in latches}
    return flat, [values[literal >> 1] ^ (literal & 1) for literal in literals]


def write_cone(
    graph: Graph, follows: Mapping[int, int], bad: int, kept: Collection[int], path: Path
) -> list[int]:
    """Write what a literal depends on, in all cycles.

    Args:
        graph: Of which a part is written.
        follows: Next value of each latch.
        bad: Literal; the output of the file.
        kept: Latches, as variables; all others become inputs.
        path: File.

    Returns:
        The variables of the graph that are the inputs of the file, in its order.
    """
    latches: list[int] = []
    inputs: list[int] = []
    gates: list[int] = []
    seen = {0}
    roots = [bad >> 1]
    while roots:
        stack = [(roots.pop(), False)]
        while stack:
            variable, done = stack.pop()
            if done:
                gates.append(variable)
                continue
            if variable in seen:
                continue
            seen.add(variable)
            pair = graph.pairs[variable]
            if pair is not None:
                stack += [(variable, True), (pair[0] >> 1, False), (pair[1] >> 1, False)]
            elif variable in kept:
                latches.append(variable)
                roots.append(follows[variable] >> 1)
            else:
                inputs.append(variable)
    number = {variable: place for place, variable in enumerate([0, *inputs, *latches, *gates])}

    def mapped(literal: int) -> int:
        return 2 * number[literal >> 1] + (literal & 1)

    count = len(inputs) + len(latches) + len(gates)
    lines = [f"aig {count} {len(inputs)} {len(latches)} 1 {len(gates)}"]
    lines += [str(mapped(follows[variable])) for variable in latches]
    lines.append(str(mapped(bad)))
    packed = bytearray()
    for variable in gates:
        pair = graph.pairs[variable]
        assert pair is not None
        high, low = sorted((mapped(pair[0]), mapped(pair[1])), reverse=True)
        for delta in (2 * number[variable] - high, high - low):
            rest = delta
            while rest > 127:
                packed.append(rest & 127 | 128)
                rest >>= 7
            packed.append(rest)
    path.write_bytes("\n".join(lines).encode() + b"\n" + packed)
    return inputs
