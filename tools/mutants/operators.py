# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes that people make, on lines and words: nothing here knows what any of them means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .text import Script, Word

# The lines that are replaced, and what by.
Change = tuple[range, tuple[str, ...]]
Operator = Callable[[Script], Iterator[Change]]

FILE = re.compile(r"[\w./-]+\.(sv|v|vh|svh|dat|tcl|xml|xdc|cfg|bit|hwh|xsa|xo|bd|log|rpt)$")
CLOCK = re.compile(r"clk|clock", re.IGNORECASE)
WIDTH = re.compile(r"width|bytes|bits|size", re.IGNORECASE)
SETTING = re.compile(r"\bset\b|set_|CONFIG\.|\w\??=|\bset\(", re.IGNORECASE)
OPPOSITES = {
    "true": "false",
    "TRUE": "FALSE",
    "0": "1",
    "==": "!=",
    "eq": "ne",
    "<": ">",
    "&&": "||",
    "ACTIVE_LOW": "ACTIVE_HIGH",
    "Master": "Slave",
    "master": "slave",
    "slave": "master",
    "read_only": "write_only",
    "in": "out",
    "Enable": "Disable",
    "if": "if !",
    "ifeq": "ifneq",
}
OPPOSITES |= {there: back for back, there in OPPOSITES.items() if " " not in there}
NEAR = 14  # lines between two that somebody could mix up
SIBLINGS = 3


def put(script: Script, word: Word, text: str) -> Change:
    """Replace a word."""
    line = script.lines[word.line]
    new = line[: word.start] + text + line[word.start + len(word.text) :]
    return range(word.line, word.line + 1), (new,)


# ---- whole lines ----------------------------------------------------------------------------------------
def dropped_line(script: Script) -> Iterator[Change]:
    """Forget a statement."""
    for lines in script.statements:
        if _removable(script, lines) and not SETTING.search(script.lines[lines.start]):
            yield lines, ()


def dropped_setting(script: Script) -> Iterator[Change]:
    """Forget a statement that sets something."""
    for lines in script.statements:
        if _removable(script, lines) and SETTING.search(script.lines[lines.start]):
            yield lines, ()


def _removable(script: Script, lines: range) -> bool:
    last = script.lines[lines[-1]].rstrip()
    if script.suffix == "json":
        return last.endswith(",")
    return script.suffix != "xml" or last.endswith("/>")


def twice(script: Script) -> Iterator[Change]:
    """Say a thing twice."""
    for lines in script.statements:
        if _removable(script, lines):
            kept = tuple(script.lines[k] for k in lines)
            yield lines, kept + kept


def order(script: Script) -> Iterator[Change]:
    """Say two things in the wrong order."""
    following = {lines.start: lines for lines in script.statements}
    for first in script.statements:
        second = following.get(first.stop)
        if second and _indent(script, first) == _indent(script, second) and _removable(script, second):
            new = tuple(script.lines[k] for k in (*second, *first))
            if new != tuple(script.lines[k] for k in (*first, *second)):
                yield range(first.start, second.stop), new


def _indent(script: Script, lines: range) -> int:
    line = script.lines[lines.start]
    return len(line) - len(line.lstrip())


# ---- words of one line ----------------------------------------------------------------------------------
def dropped_word(script: Script) -> Iterator[Change]:
    """Forget a word of several."""
    for k in script.told:
        words = list(re.finditer(r"\S+", script.lines[k]))
        for word in words[1:]:
            if not re.search(r"[{}\[\]\\\"();<>]", word[0]) and len(words) > 2:
                line = script.lines[k]
                yield range(k, k + 1), ((line[: word.start()] + line[word.end() :].lstrip(" ")).rstrip(),)


def misspelt(script: Script) -> Iterator[Change]:
    """Mistype a name: two letters change places, one is missing."""
    for word in script.words:
        letters = [k for k in range(len(word.text) - 1) if word.text[k : k + 2].isalpha()]
        if len(letters) < 3 or FILE.match(word.text):
            continue
        at = letters[len(letters) // 2]
        a, b = word.text[at], word.text[at + 1]
        if a != b:
            yield put(script, word, word.text[:at] + b + a + word.text[at + 2 :])
        yield put(script, word, word.text[:at] + word.text[at + 1 :])


def sibling(script: Script) -> Iterator[Change]:
    """Take the name of a thing for that of its neighbour."""
    names = sorted({word.text for word in script.words if _named(word.text)})
    near: dict[str, list[str]] = {}
    for word in script.words:
        if _named(word.text):
            if word.text not in near:
                near[word.text] = _nearest(word.text, names)
            for other in near[word.text]:
                yield put(script, word, other)


def _named(text: str) -> bool:
    return len(text) > 3 and not FILE.match(text) and bool(re.search(r"[A-Za-z]", text)) and text[:2] != "0x"


def _nearest(text: str, names: list[str]) -> list[str]:
    shape = (text.count("/"), text.count("."))
    near = [
        (_alike(text, name), name)
        for name in names
        if name[0] == text[0] and name != text and (name.count("/"), name.count(".")) == shape
    ]
    return [name for alike, name in sorted(near, key=lambda pair: (-pair[0], pair[1])) if alike > 0.6][
        :SIBLINGS
    ]


def _alike(a: str, b: str) -> float:
    """Return how much of the longer is the same at the beginning and the end."""
    first = _common(a, b)
    return (first + _common(a[first:][::-1], b[first:][::-1])) / max(len(a), len(b))


def _common(a: str, b: str) -> int:
    """Return how many first letters are the same."""
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def index(script: Script) -> Iterator[Change]:
    """Take the next of several that are numbered, or the one before."""
    for word in script.words:
        found = re.search(r"(?<=[A-Za-z_\[])\d{1,2}(?=\D*$)", word.text)
        if found and not FILE.match(word.text):
            for number in (int(found[0]) + 1, int(found[0]) - 1):
                if number >= 0:
                    digits = f"{number:0{len(found[0])}}"
                    yield put(script, word, word.text[: found.start()] + digits + word.text[found.end() :])


def crossed(script: Script) -> Iterator[Change]:
    """Exchange a word with that at the same place of a statement nearby."""
    cut = re.compile(r"([:= ])" if script.suffix == "cfg" else "( )")
    words = {k: cut.split(script.lines[k]) for k in script.live}
    for k in script.live:
        for other in range(k + 1, k + NEAR + 1):
            if other in words and len(words[k]) == len(words[other]):
                yield from _exchanged(script, (k, other), (words[k], words[other]))


def _exchanged(script: Script, at: tuple[int, int], words: tuple[list[str], list[str]]) -> Iterator[Change]:
    """Yield the exchanges of single words of two lines that differ in two or three places."""
    apart = [i for i, pair in enumerate(zip(*words, strict=True)) if pair[0] != pair[1]]
    if not 1 < len(apart) <= 3 or not all(words[0][i] and words[1][i] for i in apart):
        return
    for i in apart:
        left, right = list(words[0]), list(words[1])
        left[i], right[i] = right[i], left[i]
        between = script.lines[at[0] + 1 : at[1]]
        yield range(at[0], at[1] + 1), ("".join(left), *between, "".join(right))


def moved(script: Script) -> Iterator[Change]:
    """Put an item into the list next door: two items of one word each change places."""
    items = [
        k
        for k in script.live
        if re.match(r"\s+[\w./:]+( \\)?$", script.lines[k]) and "." not in script.lines[k]
    ]
    for k in items:
        for other in items:
            if k < other <= k + 2 * NEAR and _indent(script, range(k, k + 1)) == _indent(
                script, range(other, other + 1)
            ):
                apart = [line for line in script.lines[k + 1 : other] if line.strip().startswith("}")]
                if apart:
                    between = script.lines[k + 1 : other]
                    yield range(k, other + 1), (script.lines[other], *between, script.lines[k])


# ---- values ---------------------------------------------------------------------------------------------
def value(script: Script) -> Iterator[Change]:
    """Twice, half, one more or less of a number."""
    yield from _numbers(script, widths=False)


def width(script: Script) -> Iterator[Change]:
    """The same of a number where a width or size is spoken of."""
    yield from _numbers(script, widths=True)


def _numbers(script: Script, *, widths: bool) -> Iterator[Change]:
    for word in script.words:
        if not re.fullmatch(r"\d+", word.text) or bool(WIDTH.search(script.lines[word.line])) != widths:
            continue
        number = int(word.text)
        wrong = {2 * number, number // 2, number + 1, number - 1} - {number, -1}
        for one in sorted(wrong) if number > 1 else ():
            yield put(script, word, str(one))


def address(script: Script) -> Iterator[Change]:
    """Move, halve, double or exchange an address or a range."""
    seen = sorted({word.text for word in script.words if _hex(word.text)})
    for word in script.words:
        if not _hex(word.text):
            continue
        number, digits = int(word.text, 16), len(word.text) - 2
        for wrong in (2 * number, number // 2, number + 0x1000, number ^ 0x10000):
            if wrong not in (number, 0):
                yield put(script, word, f"0x{wrong:0{digits}X}")
        for other in seen[:SIBLINGS]:
            if int(other, 16) != number:
                yield put(script, word, other)


def _hex(text: str) -> bool:
    return bool(re.fullmatch(r"0x[0-9A-Fa-f]+", text))


def choice(script: Script) -> Iterator[Change]:
    """Another word in capitals or mixed letters for a setting's value."""
    last = [word for word in script.words if SETTING.search(script.lines[word.line])]
    values = sorted({word.text for word in last if _choice(word.text)})
    for word in last:
        if _choice(word.text):
            near = [name for name in values if name != word.text]
            near.sort(key=lambda name, own=word.text: -_alike(own, name))  # type: ignore[misc]
            for other in near[:2]:
                yield put(script, word, other)


def _choice(text: str) -> bool:
    return bool(re.fullmatch(r"[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)*|xilinx[.:\w]+|xc\w[\w-]+", text))


def polarity(script: Script) -> Iterator[Change]:
    """Say the opposite."""
    for k in script.told:
        for word in re.finditer(r"[\w.]+|==|!=|<|>|&&|\|\|", script.lines[k]):
            if word[0] in OPPOSITES and (script.suffix != "xml" or word[0].isalpha()):
                yield put(script, Word(k, word.start(), word[0]), OPPOSITES[word[0]])


def clock(script: Script) -> Iterator[Change]:
    """Take another clock."""
    names = sorted({word.text for word in script.words if CLOCK.search(word.text) and _named(word.text)})
    for word in script.words:
        if CLOCK.search(word.text) and _named(word.text):
            near = [n for n in names if n != word.text and n.count("/") == word.text.count("/")]
            near.sort(key=lambda name, own=word.text: -_alike(own, name))  # type: ignore[misc]
            for other in near[:SIBLINGS]:
                yield put(script, word, other)


# ---- files ----------------------------------------------------------------------------------------------
def file(script: Script) -> Iterator[Change]:
    """Name a file wrongly: misspelt, another's, with another ending."""
    files = [word for word in script.words if FILE.match(word.text)]
    names = sorted({word.text for word in files})
    for word in files:
        stem, _, ending = word.text.rpartition(".")
        yield put(script, word, f"{stem[:-1]}{'x' if stem[-1:] != 'x' else 'y'}.{ending}")
        yield put(script, word, f"{stem}.{'v' if ending != 'v' else 'sv'}")
        others = [name for name in names if name != word.text and name.endswith(f".{ending}")]
        for other in others[:1] + others[-1:]:
            yield put(script, word, other)


def dropped_file(script: Script) -> Iterator[Change]:
    """Leave a file out of a list."""
    for k in script.live:
        if re.match(r"\s+(\[file join \S+ )?[\w./$()]+\.\w+\]? ?\\?$", script.lines[k]):
            yield range(k, k + 1), ()


OPERATORS: dict[str, Operator] = {
    "dropped line": dropped_line,
    "dropped setting": dropped_setting,
    "dropped word": dropped_word,
    "dropped file": dropped_file,
    "said twice": twice,
    "order": order,
    "crossed": crossed,
    "moved": moved,
    "misspelt": misspelt,
    "sibling": sibling,
    "index": index,
    "value": value,
    "width": width,
    "choice": choice,
    "address": address,
    "polarity": polarity,
    "clock": clock,
    "file": file,
}
