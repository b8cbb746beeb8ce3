# SPDX-License-Identifier: BSD-3-Clause
"""Every block has a page, every picture on it is what the simulation shows, and what is wrong is refused."""

from __future__ import annotations

import copy
import re
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from written_pages import GROUP, written_pages

from shellgen.resources import rtl_blocks
from tools.blocks import formal
from tools.blocks.block_bench import block_file
from tools.blocks.pages import GROUPS, drawings_file, pages
from tools.blocks.pages_header import FACTS, HeaderError, read_block
from tools.blocks.pages_sim import complete, judge
from tools.blocks.pages_status import NOT_PROVED, cost_rows, proof_rows, summary
from tools.blocks.pages_wave import Drawing, WaveError, dump, lanes, load

VOID = {"meta", "br"}
# What they drive never waits, and what drives them is drawn where it need not wait.
WITHOUT_STALL = {"axil_node", "vnx_check"}


class Page(HTMLParser):
    """Collects links and ids, and checks that tags close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert "src" not in given
        self.links += [link for link in (given.get("href"),) if link]
        self.links += [str(value)[4:-1] for value in given.values() if str(value).startswith("url(")]
        self.ids += [name for name in (given.get("id"),) if name]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def written() -> dict[str, str]:
    return written_pages()


@GROUP
def test_every_block_has_a_page_and_stands_in_one_group(written: dict[str, str]) -> None:
    assert set(written) == {"index.html", *(f"blocks/{name}.html" for name in rtl_blocks())}
    grouped = [name for members in GROUPS.values() for name in members]
    assert sorted(grouped) == list(rtl_blocks())
    for name in rtl_blocks():
        assert f'href="blocks/{name}.html"' in written["index.html"]


@GROUP
def test_pages_stand_alone_and_links_resolve(written: dict[str, str]) -> None:
    for name, text in written.items():
        page = Page(text)
        assert len(page.ids) == len(set(page.ids)), name
        assert page.links
        for link in page.links:
            if link.startswith("#"):
                assert link[1:] in page.ids, (name, link)
            else:
                parts: list[str] = []
                for part in (PurePosixPath(name).parent / link).parts:
                    parts = parts[:-1] if part == ".." else [*parts, part]
                assert "/".join(parts) in written, (name, link)
        outside = text.replace("http://www.w3.org/2000/svg", "")
        assert "http" not in outside
        assert not re.search(r"<script|@import|@font-face|Undefined", text)


@pytest.mark.sweep
@GROUP
def test_pages_are_deterministic(written: dict[str, str]) -> None:
    assert pages() == written


@pytest.mark.parametrize("name", rtl_blocks())
def test_drawings_equal_the_simulation(name: str) -> None:
    block = read_block(block_file(name))
    drawings = load(drawings_file(name))
    for drawing in drawings:
        assert judge(block, drawing) == [], drawing["title"]
    assert drawings_file(name).read_text() == dump(drawings), "not as --draw writes it"


@pytest.mark.parametrize("name", rtl_blocks())
def test_drawings_show_something(name: str) -> None:
    """At least ten cycles, a beat that passes and, in one of them, a beat that waits."""
    names = {port.name for port in read_block(block_file(name)).ports}
    handshakes = any(one.endswith("valid") and f"{one[:-5]}ready" in names for one in names)
    stalls = 0
    for drawing in load(drawings_file(name)):
        shown = {lane.name: lane for lane in lanes(drawing)}
        pairs = [
            (lane, shown.get(key.replace("valid", "ready"))) for key, lane in shown.items() if "valid" in key
        ]
        cycles = [
            (valid.char, ready.char)
            for left, right in pairs
            if right is not None
            for valid, ready in zip(left.cells(), right.cells(), strict=True)
        ]
        assert all(len(lane.raw["wave"]) * lane.period >= 10 for lane in shown.values()), drawing["title"]
        assert ("1", "1") in cycles or not handshakes, drawing["title"]
        stalls += cycles.count(("1", "0"))
    assert stalls or not handshakes or name in WITHOUT_STALL


# ---- what is wrong is refused -------------------------------------------------------------------------
def register_drawing() -> Drawing:
    return copy.deepcopy(load(drawings_file("axis_register"))[0])


def lane_of(drawing: Drawing, name: str) -> dict[str, Any]:
    return next(lane.raw for lane in lanes(drawing) if lane.name == name)


@pytest.mark.parametrize(
    ("lane", "key", "old", "new", "said"),
    [
        ("m_axis_tvalid", "wave", "0.1", "01.", "m_axis_tvalid: cycle 1: drawn 1, simulated 0"),
        ("m_axis_tdata", "data", ["d0", "d1"], ["d1", "d0"], "m_axis_tdata: cycle 2: drawn d1, simulated d0"),
        ("s_axis_tready", "wave", "1...0.", "1..0..", "s_axis_tready: cycle 3: drawn 0, simulated 1"),
        ("m_axis_tvalid", "wave", "....", "...", "cycles, simulated"),
        ("m_axis_tdata", "node", "..B", "...B", "a mark or a number of cycles"),
    ],
)
def test_a_wrong_drawing_fails(lane: str, key: str, old: object, new: object, said: str) -> None:
    drawing = register_drawing()
    raw = lane_of(drawing, lane)
    if isinstance(old, list):
        raw[key] = new + raw[key][len(old) :]
    else:
        assert old in raw[key]
        raw[key] = raw[key].replace(old, new, 1)
    found = judge(read_block(block_file("axis_register")), drawing)
    assert any(said in text for text in found), found


def test_a_wrong_count_of_cycles_fails() -> None:
    drawing = register_drawing()
    drawing["edge"] = ["A~>B 2 cycles"]
    assert judge(read_block(block_file("axis_register")), drawing)


@pytest.mark.parametrize(
    ("lane", "change", "said"),
    [
        ("m_axis_tready", {"wave": "0............."}, "s_axis_tvalid: does not wait after cycle 3"),
        ("s_axis_tdata", {"wave": "x34x..........", "data": ["d0", "d1"]}, "while valid"),
        ("s_axis_tdata", {"wave": "x3456", "data": ["d0", "d1", "d2", "d3"]}, "5 cycles of 1, not"),
        ("s_axis_tdata", {"format": "hex", "data": ["100", "1", "2", "3", "4"]}, "100 does not fit 8 bits"),
        ("s_axis_tdata", {"format": "hex", "data": ["g", "1", "2", "3", "4"]}, "'g' is no hex label"),
        ("s_axis_tdata", {"data": ["d0"]}, "no label for"),
        ("s_axis_tdata", {"name": "s_axis_data"}, "axis_register has no port s_axis_data"),
        ("m_axis_tready", {"wave": "1..|.........."}, "no use of, '|'"),
    ],
)
def test_an_illegal_drawing_is_refused(lane: str, change: dict[str, Any], said: str) -> None:
    drawing = register_drawing()
    lane_of(drawing, lane).update(change)
    with pytest.raises(WaveError, match=re.escape(said)):
        judge(read_block(block_file("axis_register")), drawing)


def test_a_block_that_does_not_stop_as_drawn_is_refused() -> None:
    block = read_block(block_file("axis_checker"))
    drawing = load(drawings_file("axis_checker"))[0]
    for change in ({"cycle": 7}, {"message": "tdata is X"}):
        with pytest.raises(WaveError, match="does not stop so"):
            judge(block, {**drawing, "stops": {**drawing["stops"], **change}})


def test_inputs_that_do_not_wait_are_held_when_drawn_anew() -> None:
    drawing = register_drawing()
    lane_of(drawing, "s_axis_tvalid")["wave"] = "01....0......."
    lane_of(drawing, "s_axis_tdata").update(
        {"wave": "x34567x.......", "data": ["d0", "d1", "d2", "d3", "d4"]}
    )
    assert complete(read_block(block_file("axis_register")), drawing) == register_drawing()


# ---- headers ------------------------------------------------------------------------------------------
def header_without(folder: Path, pattern: str, replacement: str = "") -> Path:
    text = block_file("axis_frame_tx").read_text()
    changed = re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)
    assert changed != text
    path = folder / "axis_frame_tx/axis_frame_tx.sv"
    path.parent.mkdir()
    path.write_text(changed)
    return path


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        *((rf"^// {label} .*\n", label) for label in FACTS),
        (r"^// axis_frame_tx - .*\n", "its first line"),
        (r"(?<=expects\.\n)(//.*\n)+?(?=//\n// Throughput)", "a paragraph"),
        (r"^// Parameters:.*\n//  .*\n", "Parameters"),
        (r"^//             LAST_BYTES .*\n", "parameter LAST_BYTES"),
        (r"^// Checked by:.*\n", "Checked by"),
    ],
)
def test_a_header_that_lacks_a_part_is_refused(tmp_path: Path, pattern: str, part: str) -> None:
    path = header_without(tmp_path, pattern)
    with pytest.raises(HeaderError, match=rf"^axis_frame_tx/axis_frame_tx\.sv: the header lacks {part}"):
        read_block(path)


def test_a_header_that_names_a_parameter_too_many_is_refused(tmp_path: Path) -> None:
    path = header_without(tmp_path, r"^    parameter int LAST_BYTES.*\n")
    with pytest.raises(HeaderError, match="a parameter LAST_BYTES that is none"):
        read_block(path)


# ---- costs and proofs ---------------------------------------------------------------------------------
SET = """[[set]]
name = "8 bit"
parameters = { DATA_W = 8 }
tie = { s_axis_tlast = 0 }
open = ["level"]
frontend = "slang"
lut = 30
ff = 40
bram = 0.5
uram = 0
levels = 2
latency = -1
rate = 1.0
peer = "someone's"
peer_lut = 31
peer_ff = 39
"""


def test_costs(tmp_path: Path) -> None:
    file = tmp_path / "costs.toml"
    assert cost_rows(file) == []
    file.write_text(SET)
    (row,) = cost_rows(file)
    assert (row.lut.verdict, row.ff.verdict, row.latency) == ("within", "over", None)
    assert row.short == "30 LUT, 40 FF, 0.5 BRAM"
    assert row.settings == "DATA_W=8, s_axis_tlast tied to 0, level open"
    file.write_text(SET.replace("levels = 2\n", ""))
    with pytest.raises(ValueError, match=r"costs\.toml: set '8 bit': levels: Field required"):
        cost_rows(file)


def test_a_proof_counts_for_its_own_sources_only() -> None:
    first = formal.proofs("axis_register")[0]
    entry = {"result": "induction, invariant of 3 clauses", "properties": ["order"], "digest": "0"}
    stale = proof_rows("axis_register", {"axis_register": {first.name: entry}})
    assert {row.result for row in stale} == {NOT_PROVED}
    assert summary(stale) == NOT_PROVED
    entry["digest"] = formal.digest(first)
    rows = proof_rows("axis_register", {"axis_register": {first.name: entry}})
    assert (rows[0].result, rows[0].verdict) == ("induction, invariant of 3 clauses", "within")
    assert summary(rows) == f"1 proved, {len(rows) - 1} {NOT_PROVED}"
    entry["result"] = "bounded 40"
    rows = proof_rows("axis_register", {"axis_register": {first.name: entry}})
    assert (rows[0].result, rows[0].verdict) == ("bounded 40 cycles", "bounded")
