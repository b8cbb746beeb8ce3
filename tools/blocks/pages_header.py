# SPDX-License-Identifier: BSD-3-Clause
"""Read what a block's page tells from its source: the header comment, the parameters, the ports, the rules.

The form of a header comment::

    // <block> - what it is, one line.
    //
    // Paragraphs. A list or a table is indented by two spaces.
    //
    // Throughput  ...          the four facts; further lines (Storage, Reset) may stand beside them;
    // Latency     ...          a fact goes on under itself
    // Paths       ...
    // Resources   ...
    //
    // Parameters: NAME  what it is, and the consequence; or none
    // Checked by: test_<block>.py

A block with a line that starts with "Simulation only" needs no facts. A part that lacks is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FACTS = ("Throughput", "Latency", "Paths", "Resources")
SIMULATION_ONLY = "Simulation only"
CASE = r"[A-Z0-9_<>=,* |]+: "  # "0, 3: ", "IN_W > OUT_W: ": what a fact says of one kind

__all__ = ["FACTS", "Block", "Fact", "HeaderError", "Paragraph", "Parameter", "Port", "read_block"]


class HeaderError(ValueError):
    """A source lacks a part that its page needs; the message names file and part."""


@dataclass(frozen=True)
class Paragraph:
    """Consecutive lines of a header: prose, or indented lines that keep their layout."""

    text: str
    indented: bool


@dataclass(frozen=True)
class Fact:
    """One labelled line: "Latency", "2 cycles". Cases ("0: ...", "IN_W > OUT_W: ...") are lines of it."""

    label: str
    text: str


@dataclass(frozen=True)
class Parameter:
    """A parameter as declared, with what the header says of it.

    Attributes:
        name: Identifier.
        kind: Declared type, ``int``, ``logic [63:0]``; empty when untyped.
        default: Expression as written.
        meaning: From the header.
    """

    name: str
    kind: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Port:
    """A port as declared.

    Attributes:
        name: Identifier.
        direction: ``in`` or ``out``.
        width: The packed range as written, ``[DATA_W-1:0]``; empty for one bit.
        meaning: The comment behind it.
    """

    name: str
    direction: str
    width: str
    meaning: str


@dataclass(frozen=True)
class Block:
    """All that a source says about its block.

    Attributes:
        locals: ``localparam`` declarations of the parameter list, (kind, name, value), in order.
        rules: Names of the missing modules that illegal parameters ask for: the rules in words.
    """

    name: str
    title: str
    body: tuple[Paragraph, ...]
    notes: tuple[Paragraph, ...]
    facts: tuple[Fact, ...]
    parameters: tuple[Parameter, ...]
    locals: tuple[tuple[str, str, str], ...]
    ports: tuple[Port, ...]
    rules: tuple[str, ...]
    checked_by: str
    simulation_only: bool


def read_block(path: Path) -> Block:
    """Read the source of a block.

    Raises:
        HeaderError: A part lacks, or header and declaration name different parameters.
    """

    def need(condition: object, part: str) -> None:
        if not condition:
            raise HeaderError(f"{path.parent.name}/{path.name}: the header lacks {part}")

    text = path.read_text(encoding="ascii")
    lines = _comment(text)
    title = re.fullmatch(rf"{path.stem} - (\S.*)", lines[0]) if lines else None
    need(title, f"its first line, '{path.stem} - what it is'")
    assert title
    # A title may go on to the end of its paragraph.
    end = lines.index("") if "" in lines else len(lines)
    headline = " ".join([title[1], *lines[1:end]])
    body, facts, notes, tail = _sections(lines[end:])
    # What stands at the margin between Parameters and Checked by is a note.
    loose = [line for line in tail if line and not line.startswith((" ", "Parameters:", "Checked by:"))]
    tail = [line for line in tail if line not in loose]
    notes += (Paragraph(" ".join(loose), False),) if loose else ()
    simulation_only = any(p.text.startswith(SIMULATION_ONLY) for p in (*body, *notes))
    bare = "Parameters: none" in tail
    meanings, checked_by = _tail([line for line in tail if line != "Parameters: none"])
    if not simulation_only:
        need(body, "a paragraph that says what the block does")
        for label in FACTS:
            need(any(fact.label == label and fact.text for fact in facts), label)
    need(meanings or bare, "Parameters")
    need(checked_by, "Checked by")
    parameters, local = _parameters(text, path.stem)
    declared = {name for _, name, _ in parameters}
    for name in sorted(declared - set(meanings)):
        need(False, f"parameter {name}")
    for name in sorted(set(meanings) - declared):
        raise HeaderError(f"{path.parent.name}/{path.name}: the header names a parameter {name} that is none")
    ports = _ports(text, path.stem)
    need(ports, "ports")
    return Block(
        name=path.stem,
        title=headline,
        body=body,
        notes=notes,
        facts=facts,
        parameters=tuple(Parameter(name, kind, value, meanings[name]) for kind, name, value in parameters),
        locals=tuple(local),
        ports=ports,
        rules=tuple(dict.fromkeys(re.findall(r"^\s*(\w+) +parameter_error\b", text, re.MULTILINE))),
        checked_by=checked_by,
        simulation_only=simulation_only,
    )


def _comment(text: str) -> list[str]:
    """Return the first comment block after the licence line, without its slashes."""
    lines = []
    for line in text.splitlines()[1:]:
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" ").rstrip())
    while lines and not lines[0]:
        del lines[0]
    return lines


def _sections(
    lines: list[str],
) -> tuple[tuple[Paragraph, ...], tuple[Fact, ...], tuple[Paragraph, ...], list[str]]:
    """Split into paragraphs before the facts, the facts, paragraphs after them, and the rest."""
    before: list[Paragraph] = []
    after: list[Paragraph] = []
    facts: list[Fact] = []
    at = 0
    open_fact = False
    while at < len(lines) and not lines[at].startswith(("Parameters:", "Checked by:")):
        line = lines[at]
        at += 1
        label = re.fullmatch(r"([A-Z][a-z]+)  +(\S.*)", line)
        paragraphs = after if facts else before
        if not line:
            open_fact = False
            paragraphs.append(Paragraph("", False))
        elif label:
            facts.append(Fact(label[1], _continue("", label[2])))
            open_fact = True
        elif open_fact and line.startswith("  "):
            facts[-1] = Fact(facts[-1].label, _continue(facts[-1].text, line.strip()))
        else:
            indented = line.startswith("  ")
            if paragraphs and paragraphs[-1].text and paragraphs[-1].indented == indented:
                glue = "\n" if indented else " "
                paragraphs[-1] = Paragraph(paragraphs[-1].text + glue + line, indented)
            else:
                paragraphs.append(Paragraph(line, indented))
    return tuple(p for p in before if p.text), tuple(facts), tuple(p for p in after if p.text), lines[at:]


def _continue(text: str, line: str) -> str:
    """Add a line to a fact. A case opens a line of its own, also one that stands beside another."""
    for part in re.split(rf" {{3,}}|; (?={CASE})", line):
        if re.match(CASE, part):
            text = text.rstrip(";")
            text += f"\n{part}" if text else part
        else:
            text += f" {part}" if text else part
    return text


def _tail(lines: list[str]) -> tuple[dict[str, str], str]:
    """Return what Parameters says, by name, and what Checked by says."""
    entries: list[tuple[str, str]] = []
    checked_by: list[str] = []
    indent = len("Parameters: ")
    for line in lines:
        if line.startswith("Checked by:"):
            checked_by = [line.removeprefix("Checked by:").strip()]
        elif checked_by:
            checked_by.append(line.strip())
        elif line.strip():
            rest = line.removeprefix("Parameters:").strip()
            at = len(line) - len(rest)
            entry = re.fullmatch(r"([A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*)  +(\S.*)", rest)
            single = re.fullmatch(r"([A-Z][A-Z0-9_]*) +(\S.*)", rest) if at == indent else None
            found = entry if at == indent and entry else single
            if found:
                entries.append((found[1], found[2]))
            elif entries:
                entries[-1] = (entries[-1][0], f"{entries[-1][1]} {rest}")
    meanings = {name: text for names, text in entries for name in names.split(", ")}
    return meanings, " ".join(checked_by).strip()


def _header(text: str, module: str) -> tuple[str, str]:
    """Return the insides of the parameter list and of the port list of a module, without comments."""
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    start = re.search(rf"^module\s+{module}\b", plain, re.MULTILINE)
    if start is None:
        raise HeaderError(f"{module}.sv does not declare the module {module}")
    at = start.end()
    lists = []
    for opening in ("#", "("):
        found = re.match(r"\s*#?\s*\(", plain[at:]) if opening == "(" or "#" in plain[at : at + 3] else None
        if found is None:
            lists.append("")
            continue
        begin = at + found.end()
        depth, at = 1, begin
        while depth:
            depth += {"(": 1, ")": -1}.get(plain[at], 0)
            at += 1
        lists.append(plain[begin : at - 1])
    return lists[0], lists[1]


def _split(text: str) -> list[str]:
    """Split at the commas of the outermost level; white space becomes single blanks."""
    parts, depth = [""], 0
    for char in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [" ".join(part.split()) for part in parts if part.strip()]


def _parameters(text: str, module: str) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Return (kind, name, value) of the parameters and of the localparams of the parameter list."""
    found: dict[str, list[tuple[str, str, str]]] = {"parameter": [], "localparam": []}
    word, kind = "parameter", ""
    for part in _split(_header(text, module)[0]):
        left, _, value = part.partition("=")
        declared = re.fullmatch(r"(?:(parameter|localparam)\s*)?(.*?)\s*(\w+)\s*", left)
        assert declared, part
        if declared[1]:
            word, kind = declared[1], declared[2]
        found[word].append((kind, declared[3], value.strip()))
    return found["parameter"], found["localparam"]


def _ports(text: str, module: str) -> tuple[Port, ...]:
    behind = re.findall(r"^ *(?:input|output)\b.*?(\w+) *,? *// *(.*)$", text, re.MULTILINE)
    meanings = dict(behind)
    ports = []
    direction, width = "in", ""
    for part in _split(_header(text, module)[1]):
        declared = re.fullmatch(
            r"(?:(input|output)\s+)?(?:wire|logic|reg)?\s*((?:\[[^\]]*\]\s*)*)(\w+)", part
        )
        if declared is None:
            raise HeaderError(f"{module}.sv: the port {part!r} has no known form")
        if declared[1]:
            direction, width = declared[1].removesuffix("put"), declared[2].strip()
        ports.append(Port(declared[3], direction, width, meanings.get(declared[3], "")))
    return tuple(ports)
