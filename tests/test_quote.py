# SPDX-License-Identifier: BSD-3-Clause
"""Nothing that is read becomes code: a text is refused with a sentence, or arrives as the text that it is."""

from __future__ import annotations

import ast
import dataclasses
import html
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from coyote_project import vfpga
from coyote_sim import elaborate
from fake_network import chain, lite, one_each, partition, plan_of
from hostile import HOSTILE, LINES, TOGETHER, Place, harmless, kind_of, put, records, text_fields, texts
from peakrdl_html import HTMLExporter
from rdl_text import check_plain
from report_page import ATTRIBUTES, TAGS, Page
from systemrdl.compiler import RDLCompiler
from vivado_session import Vivado, run_script
from waiting import PATIENCE
from zynq_project import with_facts, write_project

import tools.blocks.pages
import tools.blocks.pages_header
from shellgen.disk.output import write
from shellgen.emit.core import core_name
from shellgen.emit.whole import emit
from shellgen.errors import InputError
from shellgen.model import Board, ClusterSpec, DspLayer, Golden, MissingModule, Plan, Step, Unit
from shellgen.model.memory_map import MemoryMap
from shellgen.model.source import PackagedIp
from shellgen.model.usage import Estimate
from shellgen.platforms import platform_registry
from shellgen.quote import html_broken, rdl_quote
from shellgen.report.page import report_page
from shellgen.simulate.tools import find_verilator
from tools.blocks.block_bench import closure
from vivado_check.formats.xml import parse_xml

pytestmark = pytest.mark.xdist_group("quote")
BROWSER = ("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run")
OFFLINE = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
# What Vivado itself takes offence at; test_tcl_that_stops has them.
STOPS = {
    "nodes[].board.board_connections[]": "no board files for the carrier",
}


@pytest.mark.parametrize("model", [Plan, ClusterSpec, Board, MemoryMap])
def test_every_text_has_a_grammar(model: type[Plan]) -> None:
    """A new field of plain `str` fails here: `shellgen.model.names` has the types to choose from."""
    free = [
        f"{record.__name__}.{name}"
        for record in records(model)
        for name, field in record.model_fields.items()
        if not all(text_fields(field.annotation, constrained=bool(field.metadata)))
    ]
    assert not free, f"texts without a grammar: {', '.join(free)}"


def test_a_text_without_a_grammar_is_seen() -> None:
    assert list(text_fields(dict[str, tuple[str, ...]])) == [False, False]
    assert list(text_fields(str | None, constrained=True)) == [True]


def made(count: int) -> tuple[Plan, Mapping[str, bytes]]:
    """A plan with a text in every field that can hold one."""
    network = chain(*(partition(f"p{index}", slaves=(lite(0), lite(1))) for index in range(count)))
    plan = plan_of(network, one_each(network, "kv260_som"))
    update = {
        "part": "xck26-sfvc784-2lv-c",
        "black_box": "a.v is encrypted",
        "packaged": PackagedIp(vlnv="a:b:c:1.0", created="2024"),
        "missing": (MissingModule(module="lacking", file="a.v", line=1, certain=False),),
        "dsp_layers": (DspLayer(layer="layer", dsp="DSP48E2"),),
        "uram_weights": ("layer",),
        "takes": Estimate(lut=1, ff=1, bram18=0, uram=0, dsp=0, source="FINN's estimates"),
    }
    sources = [part.sources[0].model_copy(update={"fixes": ("a reason",)}) for part in plan.partitions]
    parts = [
        part.model_copy(update=update | {"sources": (source,)})
        for part, source in zip(plan.partitions, sources, strict=True)
    ]
    nodes = []
    for node in plan.nodes:
        board = with_facts(node.board, ps_config={"PSU__USE__IRQ0": "1"})
        nodes.append(node.model_copy(update={"board": board}))
    golden = Golden(frames=0, note="golden not run", vectors=())
    counts = (("PROBES", 12), ("SOCKETS", 16), ("ARP_ENTRIES", 256))
    unit = Unit(name="beside", block="networklayer", addr_bits=13, ip="a:{b}", counts=counts)
    first = nodes[0].attachments[0].model_copy(update={"units": (unit,)})
    nodes[0] = nodes[0].model_copy(update={"attachments": (first, *nodes[0].attachments[1:])})
    steps = (
        Step(op="barrier", about="all boards are there"),
        Step(op="until", node=nodes[0].name, unit="beside", reason=0x14, about="it is up"),
    )
    changed = {"partitions": tuple(parts), "nodes": tuple(nodes), "golden": golden, "bring_up": steps}
    changed["boundaries"] = tuple(one.model_copy(update={"tensor": "t"}) for one in plan.boundaries)
    return plan.model_copy(update=changed), network.files


@pytest.fixture(scope="module")
def taken() -> dict[str, list[str]]:
    """The texts that each field of a plan takes; what it does not take, it refuses in a sentence."""
    data = json.loads(made(1)[0].to_json())
    found = {}
    for kind, place in {kind_of(place): place for place in texts(data)}.items():
        found[kind] = [text for text in HOSTILE if takes(data, place, text)]
        assert set(found[kind]) <= set(LINES), f"{kind} takes more than a line"
    return {kind: accepted for kind, accepted in found.items() if accepted}


@pytest.fixture(scope="module")
def hostile(taken: dict[str, list[str]]) -> Plan:
    """A plan in which every field that takes free text has some.

    Neighbours get other texts, so that what one opens the other does not close.
    """
    data = json.loads(made(2)[0].to_json())
    places = list(texts(data))
    for number, (kind, accepted) in enumerate(sorted(taken.items())):
        if kind in STOPS:
            continue
        text = TOGETHER if number % 2 else accepted[number % len(accepted)]
        for place in places:
            if kind_of(place) == kind:
                put(data, place, text)
    return Plan.from_data(data, "plan.json")


def takes(data: object, place: Place, text: str) -> bool:
    before = put(data, place, text)
    try:
        for node in Plan.from_data(data, "plan.json").nodes:
            platform = platform_registry()[node.platform]
            node.board.facts(node.platform, platform.Facts)
            platform.Options.from_data(node.options, f"node {node.name}", "options")
    except InputError as error:
        for problem in error.problems:
            assert str(problem).isprintable()
            boards = ("boards/kv260_som.toml: ", "boards/u55c.toml: ")
            assert str(problem).startswith(("plan.json: ", "node ", *boards))
        return False
    finally:
        put(data, place, before)
    return True


@pytest.fixture(scope="module")
def out(hostile: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "out"
    write(emit(hostile, made(2)[1]), folder)
    return folder


def test_every_field_of_free_text_is_tried(taken: dict[str, list[str]]) -> None:
    """A new field of a plan belongs into `made`; what makes a name or a path of it takes nothing hostile."""
    lines = {
        name
        for record in records(Plan)
        for name, field in record.model_fields.items()
        if "_line" in repr(field.metadata) + repr(field.annotation)
    }
    tried = {part.removesuffix("[]") for kind in taken for part in kind.split(".")}
    # test_what_is_lost_is_named has the first; keys of the others are fields of a record that the kind has.
    assert lines - tried <= {"lost_weights", "options", "link_options", "detail"}
    ends = {kind.rpartition(".")[2].removesuffix("[]") for kind in taken if ".sources." not in kind}
    assert not ends & {"name", "top", "clock", "sha256", "board_parts", "build_id", "platform", "file"}


def test_tcl(hostile: Plan, out: Path) -> None:
    for node in hostile.nodes:
        vivado = Vivado("2022.2")
        outcome = run_script(vivado, out / node.name / "vivado" / "build.tcl", "project")
        assert outcome.code == 0, outcome.error
        harmless(out)
    edam = json.loads((out / node.name / "vivado" / f"{node.name}.eda.json").read_text())
    assert edam["flow_options"]["part"] == node.board.part


def test_coyote(tmp_path: Path) -> None:
    """Its scripts, user logic and Makefile; CMakeLists.txt has words and numbers alone."""
    plan, network = vfpga(partitions=2, coyote={"regions": 2})
    data = json.loads(plan.to_json())
    for kind, place in {kind_of(place): place for place in texts(data)}.items():
        if ".detail." not in kind and takes(data, place, TOGETHER):
            for other in [other for other in texts(data) if kind_of(other) == kind]:
                put(data, other, TOGETHER)
    node = write_project(Plan.from_data(data, "plan.json"), network, tmp_path / "out")
    outcome = run_script(Vivado("2022.2"), node / "coyote" / "package.tcl")
    assert outcome.code == 0, outcome.error
    assert elaborate(node, tmp_path) == ""
    command = ["make", "-n", "-C", str(node / "coyote"), "ip"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    cmake = (node / "coyote" / "hw" / "CMakeLists.txt").read_text().splitlines()[1:]
    assert not [line for line in cmake if "pwned" in line]
    harmless(tmp_path)


@pytest.mark.parametrize("kind", STOPS)
def test_tcl_that_stops(kind: str, tmp_path: Path) -> None:
    plan, files = made(1)
    data = json.loads(plan.to_json())
    for place in [place for place in texts(data) if kind_of(place) == kind]:
        put(data, place, TOGETHER)
    write(emit(Plan.from_data(data, "plan.json"), files), tmp_path / "out")
    vivado = Vivado("2024.2")
    outcome = run_script(vivado, tmp_path / "out/n0/vivado/build.tcl", "project")
    said = [f"{one.where} {one.found}" for one in vivado.said()]
    assert STOPS[kind] in "\n".join([outcome.error, *said])
    harmless(tmp_path)


def test_what_is_lost_is_named(tmp_path: Path) -> None:
    plan, files = made(1)
    parts = tuple(part.model_copy(update={"lost_weights": (TOGETHER,)}) for part in plan.partitions)
    write(emit(plan.model_copy(update={"partitions": parts}), files), tmp_path / "out")
    outcome = run_script(Vivado("2022.2"), tmp_path / "out/n0/vivado/build.tcl", "project")
    assert f"the weights of {TOGETHER} are lost" in (outcome.error or "")
    harmless(tmp_path)


def test_report(hostile: Plan) -> None:
    page = Page(report_page(hostile))
    assert set(page.tags) <= TAGS
    assert not {name for _, name, _ in page.attributes} - ATTRIBUTES
    assert "pwned" in "".join(page.texts)


def test_verilog(hostile: Plan, out: Path) -> None:
    tool = find_verilator()
    for node in hostile.nodes:
        folder = out / node.name
        sources = [*(folder / "partition").glob("*.v"), *(folder / "rtl").glob("*.sv"), *folder.glob("*.v")]
        command = [str(tool.binary), "--lint-only", "--top-module", core_name(node)]
        ran = subprocess.run(
            [*command, *map(str, sources)],
            capture_output=True,
            text=True,
            env=tool.environment(),
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_c(hostile: Plan, out: Path, tmp_path: Path) -> None:
    layers = [window.memory.layer for node in hostile.nodes for window in node.memories if window.memory]
    prints = "".join(
        f"for (int i = 0; i < SHELLGEN_{node.name.upper()}_REGIONS; i++)"
        f" say(shellgen_{node.name}_regions[i].layer);"
        for node in hostile.nodes
    )
    say = "static void say(const char *text) { fwrite(text, 1, strlen(text) + 1, stdout); }"
    includes = "".join(f"#include {name}\n" for name in ("<stdio.h>", "<string.h>", '"memory_map.h"'))
    program = f"{includes}{say}\nint main(void) {{ {prints} }}\n"
    (tmp_path / "use.c").write_text(program)
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-trigraphs", "-Wno-unused-const-variable"]
    made = [str(tmp_path / "use.c"), f"-I{out}", "-o", str(tmp_path / "use")]
    built = subprocess.run([*command, *made], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    said = subprocess.run([str(tmp_path / "use")], capture_output=True, check=True).stdout
    assert said.decode().split("\0")[:-1] == layers


def test_every_file_is_of_its_language(out: Path, tmp_path: Path) -> None:
    """Files that no test above knows: what a template is added for is looked at here from the first day."""
    headers, scripts = [], []
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        match path.suffix:
            case ".json":
                json.loads(path.read_text(encoding="utf-8"))
            case ".py":
                ast.parse(path.read_text(encoding="utf-8"))
            case ".xml":
                parse_xml(path.read_bytes())
            case ".h" | ".c":
                headers.append(path)
            case ".tcl" | ".xdc":
                scripts.append(path)
    for path in headers:
        folders = [f"-I{folder}" for folder in (path.parent, out)]
        command = ["gcc", "-std=c11", "-fsyntax-only", "-trigraphs", "-x", "c", *folders, str(path)]
        checked = subprocess.run(command, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
    (tmp_path / "complete.tcl").write_text(
        "foreach path $argv {if {![info complete [read [open $path]]]} {error $path}}\n"
    )
    subprocess.run(["tclsh", tmp_path / "complete.tcl", *scripts], check=True)
    assert headers
    assert scripts


_MARKUP = [
    "2**40 bytes",
    "*a*",
    "a * b * c",
    "_a_ __b__ x_y_z __init__",
    "# one",
    "- two",
    "+ two",
    "1. three",
    "12) four",
    "~~gone~~",
    "$x$ \\(y\\)",
    "&lt;b&gt; &amp;",
    "[b]x[/b] [a](b)",
    "`c`",
    "    code",
    "a\n=====",
    "!!! note",
    "=== x",
    "a {: #b } c {#d}",
    "http://a.b/c_d_",
    "term\n: text",
    "*[HTML]: x",
    "| a | b |",
    "---",
    "> q",
    "[^1]: foot",
    "a  \nb",
]


@pytest.mark.parametrize("text", _MARKUP)
def test_rdl_has_no_markup(text: str, tmp_path: Path) -> None:
    """Descriptions reach Markdown in PeakRDL-html, and other tools as they are."""
    words = f"addrmap a {{ desc = {rdl_quote(text)}; reg {{ field {{}} b; }} c; }};"
    (tmp_path / "a.rdl").write_text(words)
    compiler = RDLCompiler()
    compiler.compile_file(str(tmp_path / "a.rdl"))
    assert check_plain(compiler.elaborate().top) == 1


def test_rdl_and_its_pages(hostile: Plan, out: Path, tmp_path: Path) -> None:
    compiler = RDLCompiler()
    compiler.compile_file(str(out / "memory_map.rdl"))
    top = compiler.elaborate(top_def_name=f"{hostile.name}_cluster").top
    assert check_plain(top) > 20
    HTMLExporter().export(top, str(tmp_path / "html"))
    for path in (tmp_path / "html").rglob("*"):
        if path.is_file() and path.suffix in {".html", ".js", ".json"}:
            assert "<img src=x" not in path.read_text(errors="replace")
            assert "<script>document" not in path.read_text(errors="replace")
    browse((tmp_path / "html" / "index.html").as_uri(), tmp_path)


def browse(address: str, folder: Path) -> str:
    """Return a page as the browser has it after its scripts; ours must not be among them."""
    command = [*BROWSER, *OFFLINE, f"--user-data-dir={folder / 'profile'}", "--dump-dom", address]
    dom = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    assert "<html" in dom
    assert "pwned" not in dom.partition(">")[0] + dom.partition("<html")[2].partition(">")[0]
    return dom


def test_pages_of_the_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = tools.blocks.pages_header.read_block

    def hostile_block(path: Path) -> object:
        block = read(path)
        if block.name != "axis_fifo":
            return block
        ports = [dataclasses.replace(port, meaning=TOGETHER) for port in block.ports]
        return dataclasses.replace(block, title=TOGETHER, checked_by=TOGETHER, ports=tuple(ports))

    monkeypatch.setattr(tools.blocks.pages, "read_block", hostile_block)
    few = tuple(path.stem for path in closure("axis_fifo"))
    monkeypatch.setattr(tools.blocks.pages, "rtl_blocks", lambda: few)
    page = tmp_path / "axis_fifo.html"
    page.write_text(tools.blocks.pages.pages()["blocks/axis_fifo.html"], encoding="utf-8")
    assert "pwned" in browse(page.as_uri(), tmp_path)


def test_the_browser_would_tell(tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(f"<!DOCTYPE html><html><body>{TOGETHER}</body></html>", encoding="utf-8")
    with pytest.raises(AssertionError, match="pwned"):
        browse(page.as_uri(), tmp_path)


def test_long_words_of_a_page_may_be_broken() -> None:
    assert html_broken("StreamingDataflowPartition_0.m on n0") == (
        "Streaming<wbr>Dataflow<wbr>Partition_<wbr>0.<wbr>m on n0"
    )
    assert html_broken("short_name") == "short_name"
    assert html_broken("x" * 45) == "<wbr>".join(("x" * 20, "x" * 20, "x" * 5))
    for hostile in ("<b>" + "&" * 30, "\0" * 40, "a" * 20 + "<script>" + "_" * 25):
        assert html.unescape(html_broken(hostile).replace("<wbr>", "")) == hostile.replace("\0", "")
