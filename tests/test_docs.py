# SPDX-License-Identifier: BSD-3-Clause
"""The pages: links lead somewhere, commands are understood and run, no option or field is left out."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from fake_network import chain, partition, plan_of, spec
from pydantic import BaseModel
from test_file_format import ROOT, tracked

from shellgen.cli import main
from shellgen.cli.arguments import Shown, parse
from shellgen.cli.entry import parser
from shellgen.links import Link, link_registry
from shellgen.model import ClusterSpec
from shellgen.model.hooks import UserFile
from shellgen.platforms import Platform, platform_registry
from shellgen.resources import data_dir
from tools import report_page

PAGES = tuple(path for path in tracked() if path.suffix == ".md")
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
# A line that a reader would type, in a block or indented; what follows a "#" is said to the reader.
LINE = re.compile(r"^ *(?:- |- run: )?(shellgen [^#\n]*)", re.MULTILINE)
INDENTED = re.compile(r"^ {4}(shellgen [^#\n]*)", re.MULTILINE)
SPAN = re.compile(r"`(shellgen\s[^`]*)`")
# AMD's documents, answer records, and Arm's.
CITED = re.compile(r"\b(?:PG|UG|AM|DS|AR )\d{3,5}\b")
# Their own tests run these.
LONG = (
    *("simulate", "rehearse", "waves", "stitch", "split", "make", "demo", "build"),
    *("run", "status", "program", "drain", "stop", "serve"),  # need servers
    "install",  # needs boards
)


def sections(page: str) -> dict[str, str]:
    """Split docs/<page> at its second-level headings."""
    _, *parts = re.split(r"^## ", (DOCS / page).read_text(), flags=re.MULTILINE)
    return {part.partition("\n")[0].strip(" `"): part for part in parts}


def slugs(text: str) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    heads = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def typed(text: str) -> list[str]:
    """Return the shellgen commands of a page, with a plain word for each ``<what a user fills in>``."""
    joined = re.sub(r"\\\n *", " ", text)
    blocks, prose = "\n".join(block for _, block in FENCE.findall(joined)), FENCE.sub("", joined)
    found = [*LINE.findall(blocks), *INDENTED.findall(prose), *SPAN.findall(prose)]
    lines = (re.sub(r"<[\w ]+>", "word", re.split(r" [|>;]|\\\|", line)[0]) for line in found)
    return [line.strip() for line in lines if "COMMAND" not in line and "..." not in line]


def commands() -> dict[str, argparse.ArgumentParser]:
    return dict(next(a.choices for a in parser()._actions if isinstance(a.choices, dict)))


def options(command: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {word: act for word, act in command._option_string_actions.items() if word not in ("-h", "--help")}


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 90


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for pair in LINK.findall(FENCE.sub("", text)):
        target, _, anchor = "".join(pair).partition("#")
        if target.startswith("https://"):
            continue
        found = page.parent / target if target else page
        assert found.exists(), f"{target} is not there"
        assert ROOT in (found.resolve(), *found.resolve().parents), f"{target} leaves the repository"
        assert not anchor or anchor in slugs(found.read_text()), f"{target} has no heading #{anchor}"


def test_every_page_is_reached_from_the_readme() -> None:
    seen, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in seen:
            continue
        seen.add(page)
        targets = ("".join(pair).partition("#")[0] for pair in LINK.findall(page.read_text()))
        near = ((page.parent / target).resolve() for target in targets if target.endswith(".md"))
        ahead += [path for path in near if path.is_file()]
    assert {path.resolve() for path in PAGES if DOCS in path.parents} <= seen


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_are_understood(page: Path) -> None:
    for line in typed(page.read_text()):
        words = shlex.split(line)[1:]
        if words[0] in commands() and len(words) == 1:
            continue  # the command's name
        try:
            parse(parser(), words)
        except Shown:
            pass
        except Exception as error:
            raise AssertionError(f"`{line}` is refused: {error}") from error


def test_there_are_commands_to_be_understood() -> None:
    assert len([line for page in PAGES for line in typed(page.read_text())]) > 40
    page = "```sh\nshellgen map \\\n   out  # all\n```\nshellgen says `shellgen list\nlinks`."
    assert typed(page) == ["shellgen map  out", "shellgen list\nlinks"]


def test_the_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run the commands of docs/commands.md, in its order, as a user with the files that they name."""
    digits = data_dir("examples") / "digits"
    shutil.copy(digits / "digits.onnx", tmp_path / "model.onnx")
    shutil.copy(digits / "folding_2.json", tmp_path / "folding.json")
    (tmp_path / "floorplan.json").write_text('{"MVAU_0": {"device_id": 0}, "MVAU_1": {"device_id": 0}}\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    assert main(["reference", "model.onnx", "folding.json", "-o", "build"]) == 0
    ran = set()
    for line in typed((DOCS / "commands.md").read_text()):
        words = shlex.split(line)[1:]
        if len(words) > 1 and words[0] not in LONG and (*words,) not in ran and "--help" not in words:
            ran.add((*words,))
            assert main(words) == 0, f"{line}: {capsys.readouterr().err}"
    assert {words[0] for words in ran} == {*commands()} - {*LONG}


@pytest.mark.parametrize("name", commands())
def test_every_option_is_on_the_page(name: str) -> None:
    common = {"--json", "--quiet"}
    page = sections("commands.md")
    assert common <= {*re.findall(r"`(--?[\w-]+)`", page["Every command"])}
    known = options(commands()[name])
    told = {*re.findall(r"`(--?[\w-]+)`", "\n".join(re.findall(r"^\|[^|]*\|", page[name], re.MULTILINE)))}
    assert told == {*known} - common
    for action in commands()[name]._actions:
        for choice in action.choices or ():
            assert re.search(rf"\b{choice}\b", page[name]), f"{name}: {choice}"
    assert f"`{name}`" in (DOCS / "commands.md").read_text().partition("## ")[0]


def fields(model: type[BaseModel]) -> set[str]:
    """Return the names of all fields of a file, as they are written there."""
    if model is UserFile:  # in cluster.toml it is a text, the file's name
        return set()
    found = set()
    for name, field in model.model_fields.items():
        found.add(field.alias or name)
        kinds = [field.annotation, *getattr(field.annotation, "__args__", ())]
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                found |= fields(kind)
    return found


def test_every_field_of_cluster_toml_is_on_a_page() -> None:
    text = (DOCS / "cluster-toml.md").read_text()
    blocks = "\n".join(block for _, block in FENCE.findall(text))
    told = {
        *re.findall(
            r"\w+", " ".join(re.findall(r"`[^`\n]+`", FENCE.sub("", text)) + re.findall(r"\w+ =", blocks))
        )
    }
    assert len(fields(ClusterSpec)) > 25
    assert fields(ClusterSpec) <= told


@pytest.mark.parametrize("kind", platform_registry().values(), ids=lambda kind: kind.kind)
def test_every_option_of_a_platform_is_on_its_page(kind: Platform) -> None:
    text = (DOCS / f"{kind.kind}.md").read_text()
    assert f"[node.options.{kind.kind}]" in text
    assert {
        name
        for name in fields(kind.Options)
        if not re.search(rf"^(?:{name} = |\[node[.\w]*\.{name}\])", text, re.M)
    } == set()


def test_every_default_of_an_option_is_on_a_page() -> None:
    """On a line that names the option, as ``option = ...`` or as the first cell of a table."""
    lines = [line for path in DOCS.glob("*.md") for line in path.read_text().splitlines()]
    kinds: list[Link | Platform] = [*link_registry().values(), *platform_registry().values()]
    assert not [
        f"{kind.kind}: {name} is {shown}"
        for kind in kinds
        for name, field in kind.Options.model_fields.items()
        for shown in [json.dumps(field.default, default=str)]
        if isinstance(field.default, str | int)
        and not any(
            re.search(rf"^(?:{name} = |\|[^|]*`{name}`)", line) and re.search(rf"(?<!\w){shown}(?!\w)", line)
            for line in lines
        )
    ]


def test_what_can_be_chosen_is_on_a_page() -> None:
    first = re.compile(r"^\|([^|]*)\|", re.MULTILINE)
    for page, known in (
        ("boards.md", {path.stem for path in data_dir("boards").glob("*.toml")}),
        ("links.md", {*link_registry()}),
    ):
        cells = " ".join(first.findall((DOCS / page).read_text()))
        assert {*re.findall(r"`([\w-]+)`", cells)} == known, page
    for kind in platform_registry():
        assert (DOCS / f"{kind}.md").exists(), kind


CARD: dict[str, object] = {"name": "card0", "board": "u55c", "platform": "coyote", "partitions": [0]}
# Nodes of clusters whose first node has all files of a listing.
LISTED: dict[str, list[list[dict[str, object]]]] = {
    "zynq": [[{"name": "card0", "board": "zedboard", "partitions": [0]}]],
    "vitis": [[{"name": "card0", "board": "u280", "partitions": [0]}]],
    "coyote": [
        [{**CARD, "options": {"coyote": {"regions": 2}}}],
        [CARD, {**CARD, "name": "card1", "partitions": [1]}],
    ],
}


@pytest.mark.parametrize("kind", LISTED)
def test_files_that_a_page_lists_are_generated(kind: str) -> None:
    """All files of a node's project but its core, in a listing for each version of the platform."""
    listings = [
        block.replace("<node>", "card0")
        for _, block in FENCE.findall((DOCS / f"{kind}.md").read_text())
        if block.startswith("<node>/")
    ]
    for nodes, listing in zip(LISTED[kind], listings, strict=True):
        network = chain(*(partition(name) for name in "ab"[: len(nodes)]))
        plan = plan_of(network, spec(nodes))
        made = {one.path for one in platform_registry()[kind].artifacts(plan, plan.nodes[0], ())}
        told = re.findall(r"^(card0/(?!rtl/|card0_core)\S+)", listing, re.M)
        assert {*told} - made == set(), "listed, and not generated"
        rest = {path for path in made - {*told} if not path.endswith(".xdc")}
        assert rest == set(), "generated, and not listed"


def test_every_document_that_is_cited_has_its_title() -> None:
    told = {*CITED.findall((DOCS / "references.md").read_text())}
    cited = {
        name
        for path in tracked()
        if path.suffix in {".py", ".sv", ".toml", ".md", ".j2", ".h", ".c"}
        for name in CITED.findall(path.read_text())
    }
    assert len(cited) > 15
    assert cited <= told, "docs/references.md lists every document that is cited"


EXAMPLES = {
    "board": "zedboard",
    "link": "vnx_udp",
    "platform": "zynq",
    "block": "axis_fifo",
    "model": "tcp_link",
    "unit": "networklayer",
    "kind": "zynq",
}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/quality.md", "docs/design.md"])
def test_files_that_are_named_exist(page: str) -> None:
    """With a built-in board, link, platform or block in place of the reader's."""
    roots = (
        "vivado_check",
        "boards",
        "docs",
        "ip",
        "shellgen",
        "sim",
        "templates",
        "tests",
        "tools",
        "benchmarks",
    )
    spans = re.findall(r"`([^`\s]+)`", FENCE.sub("", (ROOT / page).read_text()))
    named = [span for span in spans if span.partition("/")[0] in roots and "/" in span]
    assert len(named) > 10
    for name in named:
        path = re.sub(r"<(\w+)>", lambda found: EXAMPLES[found[1]], name)
        assert list(ROOT.glob(path.rstrip("/"))), f"{page}: {name}"


def test_make_targets_exist() -> None:
    """Every target that pages, markers and messages name exists; and `make help` lists all."""
    makefile = (ROOT / "Makefile").read_text()
    targets = {*re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE)}
    listed = {*re.findall(r"^([a-z][\w-]*):.*## ", makefile, re.MULTILINE)}
    assert targets == listed
    named = {
        (path.name, name)
        for path in tracked()
        if path.suffix in {".md", ".py", ".toml", ".yaml", ".yml", ".sh", ".j2"}
        for name in re.findall(r"(?:`|^)make ([a-z][\w-]+)", path.read_text(), re.MULTILINE)
    }
    assert len(named) > 10
    assert not {pair for pair in named if pair[1] not in targets}


def test_the_report_is_described_field_by_field() -> None:
    """docs/report.md is what the records say: `make docs` writes it."""
    text = report_page.page()
    assert text == report_page.PAGE.read_text()
    assert not [line for line in text.splitlines() if line.endswith("|  |")], "a field without a meaning"
