# SPDX-License-Identifier: BSD-3-Clause
"""Many mutants in one source: which of them is there is chosen when the simulation begins.

A model that holds all of them is built once, and a mutant costs one short run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from tools.bench_mutants.sites import Edit, Mutant
from tools.bench_mutants.verilog import Kind, Source, walk

CHOICE = "mutant.txt"  # in the run folder: the number of the mutant, 0 for none
PACKAGE = f"""// Which mutant this run has.
package bench_mutant;
    function automatic int choose();
        integer file;
        integer found;
        integer number;
        file = $fopen("{CHOICE}", "r");
        if (file == 0) $fatal(1, "there is no {CHOICE}");
        found = $fscanf(file, "%d", number);
        $fclose(file);
        if (found != 1) $fatal(1, "{CHOICE} holds no number");
        choose = number;
    endfunction
    int sel = choose();
endpackage
"""
_SEL = "bench_mutant::sel"


def alone(text: str, mutant: Mutant) -> str:
    """Return a source with one mutant of a constant."""
    for edit in sorted(mutant.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def together(source: Source, mutants: Mapping[int, Mutant]) -> str:
    """Return a source with all these mutants, each there when its number is chosen."""
    choices: dict[tuple[int, int], list[tuple[int, Edit]]] = defaultdict(list)
    for number, mutant in mutants.items():
        for edit in mutant.edits:
            choices[edit.start, edit.end].append((number, edit))
    spans = sorted(choices, key=lambda span: (span[0], -span[1]))
    before = _wires(source, choices)
    return _render(source.text, 0, len(source.text), spans, choices, before)


def _wires(source: Source, choices: Mapping[tuple[int, int], list[tuple[int, Edit]]]) -> dict[int, list[str]]:
    """Return what is declared before an instance, by its offset: a wire for each output that is changed."""
    found: dict[int, list[str]] = defaultdict(list)
    instances = [node for node in walk(source.root) if node.kind == Kind.HierarchyInstantiation]
    for (start, end), those in choices.items():
        if any(edit.output for _, edit in those):
            node = next(
                one
                for one in instances
                if one.sourceRange.start.offset <= start and end <= one.sourceRange.end.offset
            )
            net = source.text[start:end]
            width = source.width(net)
            span = f"[{int(width) - 1}:0]" if width.isdecimal() else width
            value = _chosen(f"mut_{start}", those)
            found[node.sourceRange.start.offset].append(f"wire {span} mut_{start}; assign {net} = {value};\n")
    return found


def _chosen(value: str, those: Iterable[tuple[int, Edit]]) -> str:
    chain = "".join(f"({_SEL} == {number}) ? ({edit.text}) : " for number, edit in those)
    return f"({chain}({value}))"


def _render(
    text: str,
    start: int,
    end: int,
    spans: list[tuple[int, int]],
    choices: Mapping[tuple[int, int], list[tuple[int, Edit]]],
    before: Mapping[int, list[str]],
) -> str:
    """Write a part of the text with all that is chosen inside of it."""
    parts: list[str] = []
    at = start
    inside = [span for span in spans if start <= span[0] and span[1] <= end]
    while inside:
        first, last = inside[0]
        rest = [span for span in inside[1:] if span[1] <= last]
        parts.append(_plain(text, at, first, before))
        those = choices[first, last]
        if those[0][1].output:
            parts.append(f"mut_{first}")
        else:
            parts.append(_chosen(_render(text, first, last, rest, choices, {}), those))
        at = last
        inside = [span for span in inside[1:] if span[0] >= last]
    parts.append(_plain(text, at, end, before))
    return "".join(parts)


def _plain(text: str, start: int, end: int, before: Mapping[int, list[str]]) -> str:
    """Return a part of the text with what belongs before the instances in it."""
    parts = []
    at = start
    for offset in sorted(offset for offset in before if start <= offset < end):
        parts += [text[at:offset], *before[offset]]
        at = offset
    return "".join([*parts, text[at:end]])
