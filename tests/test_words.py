# SPDX-License-Identifier: BSD-3-Clause
"""Plain English: no word of tests/words.toml in text that people read; terms link to the glossary."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_file_format import GENERATED, ROOT, tracked

LIST = tomllib.loads((ROOT / "tests" / "words.toml").read_text())
WORDS: dict[str, str] = LIST["words"]
# A phrase may go on in the next line of a comment.
PHRASES = "|".join(WORDS).replace(" ", r"(?:[\s#/]+)")
BANNED = re.compile(rf"(?<![\w/.-])(?:{PHRASES})(?![\w/]|\.\w)", re.IGNORECASE)
IN_LOWER_CASE = re.compile(BANNED.pattern)  # five times as fast as one that ignores case
OPENING = re.compile(rf"(?:{'|'.join(LIST['openings'])})\b", re.IGNORECASE)
QUOTED = re.compile(rf"[\"']\s*{OPENING.pattern}", re.IGNORECASE)
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
ARGUMENT = re.compile(r"^ {8,}\w+:(?= )", re.MULTILINE)  # of a docstring: the name of an argument
CODE = re.compile(r"``[^`]+``|`[^`]+`")
COMMENTS = {
    ".sv": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL),
    ".v": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL),
    ".j2": re.compile(r"\{#.*?#\}|//[^\n]*|/\*(?=[\s*]).*?\*/|(?:^|\s)#[ :][^\n]*", re.DOTALL | re.MULTILINE),
    ".toml": re.compile(r"(?:^|\s)# [^\n]*", re.MULTILINE),
}
DOCS = sorted((ROOT / "docs").glob("*.md"))
TERMS = (
    *("partition", "boundary", "link", "dock", "attachment", "claim", "unit", "window", "slot", "transfer"),
    *("frame", "beat", "word", "monolith", "golden", "relay"),
)
# Pages on which a word has its everyday meaning or that of another tool.
OTHER_MEANING = {
    "check.md": {"link", "unit", "word"},  # of a file system; of v++; of text
    "coyote.md": {"word"},  # 32 bits of a command
    "finn-builds.md": {"window"},  # of a convolution
    "split.md": {"unit", "window"},  # of a matrix; of a convolution
    "references.md": {"link", "word"},  # of Ethernet; of a memory
    "vitis.md": {"link"},  # a stage of v++
    "waves.md": {"window"},  # of time
    "zynq.md": {"word"},  # 32 bits of memory
}

Text = tuple[int, str]


def blank(match: re.Match[str]) -> str:
    """Replace a match by spaces, so that positions stay."""
    return re.sub(r"[^\n]", " ", match[0])


def markdown(text: str) -> str:
    """Return the prose of a page: no code, no addresses of links, no names in HTML."""
    bare = re.sub(
        r"\]\([^)\s]+\)|<[^>\n]+>|^ {4}\S[^\n]*$", blank, FENCE.sub(blank, text), flags=re.MULTILINE
    )
    return CODE.sub(blank, bare)


def python(text: str) -> Iterator[Text]:
    """Yield comments, docstrings and all other strings of more than one word."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, ARGUMENT.sub(blank, node.value)


def prose(path: Path) -> Iterator[Text]:
    """Yield what people read in a file, each piece with its line."""
    text = path.read_text()
    if path.suffix == ".md":
        yield 1, markdown(text)
    elif path.suffix == ".py":
        for line, piece in python(text):
            yield line, CODE.sub(blank, piece)
    elif path.suffix in COMMENTS:
        for match in COMMENTS[path.suffix].finditer(text):
            yield text.count("\n", 0, match.start()) + 1, CODE.sub(blank, match[0])


def docstrings(text: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            said = ast.get_docstring(node)
            if said:
                yield getattr(node, "lineno", 1), said


def complaints(path: Path) -> list[str]:
    """Return every banned word of a file and every docstring that opens with a banned word."""
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    result = []
    text = path.read_text()
    # Parsing takes ten times as long as searching: only files that may have a complaint are parsed.
    for line, piece in prose(path) if IN_LOWER_CASE.search(text.lower()) else ():
        for match in BANNED.finditer(piece):
            if match[0].isupper():  # the name of a register or a parameter
                continue
            at = line + piece.count("\n", 0, match.start())
            result.append(f"{name}:{at}: {' '.join(match[0].split())!r}: {instead(match[0])}")
    if path.suffix == ".py" and QUOTED.search(text):
        for line, said in docstrings(text):
            if OPENING.match(said):
                result.append(f"{name}:{line}: docstring opens with a riddle: {said.splitlines()[0]!r}")
    return result


def instead(word: str) -> str:
    line = " ".join(re.split(r"[\s#/]+", word))
    return next(say for key, say in WORDS.items() if re.fullmatch(key, line, re.IGNORECASE))


def read_by_people() -> list[Path]:
    return [
        path
        for path in tracked()
        if GENERATED not in path.parents
        and path.suffix in {".md", ".py", *COMMENTS}
        and path.name not in {Path(__file__).name, "words.toml"}  # the words themselves
    ]


def test_no_banned_word() -> None:
    result = [line for path in read_by_people() for line in complaints(path)]
    assert not result, "\n".join(result)


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("a.py", '"""What a drill does."""\nx = 1  # a knob\n', 3),
        ("a.py", 'raise ValueError(f"{x} was told twice")\nwalk = os.walk("walk")\n', 1),
        ("a.sv", "// the saboteur\nmodule walk;\n/* stands\nstill */\nendmodule\n", 2),
        ("a.md", "`--walk` and a [page](drill.md)\n```\nwalk\n```\nso it is made again\n", 1),
    ],
)
def test_the_list_is_applied(tmp_path: Path, name: str, text: str, count: int) -> None:
    (tmp_path / name).write_text(text)
    assert len(complaints(tmp_path / name)) == count


def first_use(text: str, term: str) -> tuple[int, bool] | None:
    """Return where the prose of a page first uses a term, and whether that is a link to the glossary."""
    plural = "(?:ies|y)" if term.endswith("y") else "(?:es|s)?" if not term.endswith("ch") else "(?:es)?"
    stem = term.removesuffix("y") if term.endswith("y") else term
    page = re.sub(r"^#[^\n]*$", blank, CODE.sub(blank, FENCE.sub(blank, text)), flags=re.MULTILINE)
    page = re.sub(r"\[[^\]]*\]\((?!glossary\.md#)[^)\s]*\)|<[^>\n]+>", blank, page)
    match = re.search(rf"(?<![\w-]){stem}{plural}(?![\w-])", page, re.IGNORECASE)
    if match is None:
        return None
    linked = re.match(rf"[^\]\n]*\]\(glossary\.md#{term}\)", page[match.start() :])
    return match.start(), linked is not None


def test_terms_link_to_the_glossary_at_first_use() -> None:
    heads = {
        head.lower() for head in re.findall(r"^### (.*)$", (ROOT / "docs/glossary.md").read_text(), re.M)
    }
    assert {*TERMS, "end", "reference partition"} <= heads
    result = []
    for page in DOCS:
        if page.name == "glossary.md":
            continue
        text = page.read_text()
        for term in TERMS:
            use = None if term in OTHER_MEANING.get(page.name, ()) else first_use(text, term)
            if use and not use[1]:
                line = text.count("\n", 0, use[0]) + 1
                result.append(f"docs/{page.name}:{line}: first use of {term!r} does not link to the glossary")
    assert not result, "\n".join(result)


def test_a_first_use_is_found() -> None:
    assert first_use("# Frames\nA `frame`, [frames](x.md), [frames](glossary.md#frame), frame", "frame") == (
        37,
        True,
    )
    assert first_use("[a frame](glossary.md#frame)", "frame") == (3, True)
    assert first_use("boundaries", "boundary") == (0, False)
    assert first_use("framework", "frame") is None
