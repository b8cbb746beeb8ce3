# SPDX-License-Identifier: BSD-3-Clause
"""report.html and pictures: nothing overlaps, nothing is loaded, text stays text, and links lead to rows."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import subprocess
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from report_page import ATTRIBUTES, TAGS, Page
from report_plans import HOSTILE, PLANS
from small_report import report_of, streams, verdict
from waiting import PATIENCE

from shellgen.cli import main
from shellgen.cli.estimate import estimate_table
from shellgen.disk.output import write
from shellgen.errors import InputError
from shellgen.estimate import columns, estimate
from shellgen.model import Artifact, Plan
from shellgen.model.bench_findings import Findings
from shellgen.model.bench_report import FailedVerdict, ProofState, RunReport
from shellgen.model.usage import Estimate
from shellgen.report import page as page_module
from shellgen.report import tables as tables_module
from shellgen.report.cards import scene
from shellgen.report.draw import draw
from shellgen.report.loads import Loads
from shellgen.report.page import report_page
from shellgen.report.picture import Picture, bands, overflows, picture, sheets
from shellgen.report.ran import ran
from shellgen.report.summary import summary
from shellgen.report.timeline import FRAMES, MOST_STAGES, WIDTH, scaling, timeline
from shellgen.report.write import GITHUB, Summary, write_ran


@cache
def plan_of(name: str) -> Plan:
    return PLANS[name]()


@cache
def html_of(name: str) -> str:
    return report_page(plan_of(name))


def pictures(plan: Plan) -> list[Picture]:
    seen = scene(plan, Loads(plan, estimate(plan)))
    return [picture(seen, per_band) for per_band in bands(seen)]


@pytest.mark.parametrize("name", PLANS)
def test_no_text_overlaps_or_leaves_its_box(name: str) -> None:
    for drawn in pictures(plan_of(name)):
        assert overflows(drawn) == []
        cut = [text.text for part in drawn.parts for text in part.texts if "..." in text.text]
        assert bool(cut) == (name == "hostile"), "a label is as wide as its text"
        boards = [part for part in drawn.parts if part.style.startswith("board")]
        behind = [part for part in drawn.parts if part.style.startswith("behind")]  # replicas in a stack
        assert len(boards) + len(behind) == len(plan_of(name).nodes)
        assert bool(behind) == (name == "replicas")
        links = sum(one.link is not None for one in plan_of(name).boundaries)
        assert len(drawn.lines) == (links if not behind else 4)  # host, in, out, host


@pytest.mark.parametrize("name", PLANS)
def test_paper_cuts_no_card(name: str) -> None:
    """Pieces hold every part once, each whole, and are no longer than a page of A4 between its margins."""
    for drawn in pictures(plan_of(name)):
        pieces = sheets(drawn)
        assert [part for piece in pieces for part in piece.parts] == sorted(
            drawn.parts, key=lambda part: next(n for n, one in enumerate(pieces) if part in one.parts)
        )
        assert sum(piece.height for piece in pieces) == pytest.approx(drawn.height)
        for piece in pieces:
            assert all(piece.top <= part.rect.y for part in piece.parts)
            assert all(part.rect.bottom <= piece.top + piece.height for part in piece.parts)
        if drawn.width > 1000:
            assert all(piece.height <= 277 / 190 * piece.width for piece in pieces)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["one board", "64 boards", "replicas"])
def test_chromium_prints_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(html_of(name), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={tmp_path / 'page.pdf'}"]
    command = ["chromium", *flags, (tmp_path / "page.html").as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    pages = (tmp_path / "page.pdf").read_bytes().count(b"/Type /Page\n")
    assert pages >= len(sheets(pictures(plan_of(name))[min(1, len(pictures(plan_of(name))) - 1)]))


def test_an_overlap_is_seen() -> None:
    drawn = pictures(plan_of("two boards"))[0]
    first = drawn.parts[0]
    longer = replace(first.texts[0], text="W" * 60)
    assert overflows(replace(drawn, parts=[replace(first, texts=(longer,)), *drawn.parts[1:]]))
    assert overflows(replace(drawn, parts=[*drawn.parts, first]))
    assert overflows(replace(drawn, width=100))


@pytest.mark.parametrize("name", PLANS)
def test_the_page_loads_nothing_and_all_its_links_lead_on(name: str) -> None:
    text = html_of(name)
    page = Page(text)
    assert set(page.tags) <= TAGS
    policy = next(value for value in page.values("content") if "default-src" in value)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert not {name for _, name, _ in page.attributes} - ATTRIBUTES
    assert "@import" not in style[1]
    assert set(re.findall(r"url\((.)", text)) == {"#"}
    ids = Counter(page.values("id"))
    assert not [one for one, count in ids.items() if count > 1]
    targets = [*page.values("href"), *re.findall(r"url\((#[\w-]+)\)", text)]
    targets += [f"#{one}" for value in page.values("aria-labelledby") for one in value.split()]
    assert {target.removeprefix("#") for target in targets} <= set(ids)
    assert len(text.encode()) < 1_000_000
    assert text == report_page(plan_of(name))


def test_every_part_of_the_estimate_links_to_its_row() -> None:
    """Names of `shellgen.estimate` that loads.py does not know would show as an unknown load."""
    for name in ("two boards", "loop", "residual"):
        plan = plan_of(name)
        found = estimate(plan)
        loads = Loads(plan, found)
        assert set(loads.item_of(plan)) == {server.name for server in found.servers}
        assert all(row.link for row in tables_module.estimated(plan, found, loads).rows)
        assert all(loads.boundary(one.name).server for one in plan.boundaries)


def test_text_of_the_user_stays_text() -> None:
    page = Page(html_of("hostile"))
    assert page.tags["script"] == page.tags["b"] == 0
    assert HOSTILE in "".join(page.texts).replace("\n", "")
    root = ElementTree.fromstring(draw(plan_of("hostile")))  # noqa: S314 - our own
    assert not [one for one in root.iter() if "script" in one.tag]


def test_loads_say_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cycles unknown" in html_of("no cycles")  # before the estimate is stubbed
    plan = plan_of("two boards")
    found = estimate(plan)
    limit, *others = found.servers
    loads = Loads(plan, found)
    assert loads.of_server(limit).words == "100 %, the limit"
    for seconds, words, level in (
        (limit.seconds, "100 %, at the limit", "high"),
        (limit.seconds * 0.9, "90 %, near the limit", "high"),
        (limit.seconds * 0.5, "50 % load", "low"),
        (limit.seconds * 0.001, "under 1 % load", "low"),
        (math.nan, "load unknown", "unknown"),
        (math.inf, "load unknown", "unknown"),
    ):
        load = loads.of_server(replace(others[0], seconds=seconds))
        assert (load.words, load.level) == (words, level)
    for seconds in (0.0, math.nan, math.inf):  # an estimate without a limit
        none = replace(found, servers=(replace(limit, seconds=seconds), *others))
        monkeypatch.setattr(page_module, "estimate", lambda _, none=none: none)
        monkeypatch.setattr(type(none), "sentences", lambda _: [])
        assert "load unknown" in report_page(plan)


def test_bars_show_what_is_too_much() -> None:
    plan = plan_of("two boards")
    takes = (Estimate(lut=40_000, bram18=100, source="a report"), Estimate(lut=67_000, source="a report"))
    parts = tuple(
        one.model_copy(update={"takes": take}) for one, take in zip(plan.partitions, takes, strict=True)
    )
    near, over = tables_module.resources(plan.model_copy(update={"partitions": parts}))
    lut = [use.bars[0] for use in (near, over)]
    assert [("above 70 %" in bar.words, "too much" in bar.words) for bar in lut] == [
        (True, False),
        (False, True),
    ]
    assert all(bar.over for bar in lut)
    for bar in (*near.bars, *over.bars):
        assert sum(width for _, width, _ in bar.pieces) <= tables_module.BAR + 1
        assert bar.limit <= tables_module.BAR
    assert next(bar for bar in near.bars if bar.resource == "BRAM18").words.startswith("104 of 280: 37 %")
    assert "StreamingDataflowPartition_1 67,000" in lut[1].parts


def test_a_column_more_is_on_the_page_and_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """One list of columns serves both."""
    more = (*columns.PARTS, columns.PartColumn("node", lambda part, _: f"board {part.node}"))
    monkeypatch.setattr(columns, "PARTS", more)
    monkeypatch.setattr(tables_module, "PARTS", more)
    plan = plan_of("two boards")
    found = estimate(plan)
    table = tables_module.estimated(plan, found, Loads(plan, found))
    assert [name for name, _ in table.columns][-1] == "node"
    assert {row.cells[-1] for row in table.rows} <= {f"board {node.name}" for node in plan.nodes}
    assert len(table.rows) == len(found.servers)
    first, *lines = estimate_table(found)
    assert first.split()[-1] == "node"
    assert "board n0" in "\n".join(lines) or "board zed0" in "\n".join(lines)


def test_colours_have_contrast() -> None:
    """WCAG 2.2: text 4.5 to 1, lines 3 to 1, on each ground that they stand on."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for theme in ("light", "dark"):
        found = dict(re.findall(r"--([\w-]+): #([0-9a-f]{6})", draw(plan_of("one board"), theme)))
        for ground in ("page", "card", "stage"):
            for name in ("ink", "faint", "limit", "high", "low", "unknown", "good", "card-edge"):
                low, high = sorted((luminance(found[ground]), luminance(found[name])))
                ratio = (high + 0.05) / (low + 0.05)
                assert ratio >= (3 if name == "card-edge" else 4.5), f"{theme}: {name} on {ground}"


def failed_report() -> RunReport:
    wrong = verdict("boundary", "a_to_b", "a_to_b", wrong=2, detail="frame 3: got <b>1</b> | `2`\n# 3")
    more: dict[str, Any] = {
        "producer": None,
        "consumer": None,
        "datatype": "UINT4",
        "link": None,
        "runs": ("full_rate",),
    }
    return report_of(
        Findings(golden="none", full_rate=streams(wrong), crash="it ended"),
        passed=False,
        line="boundaries FAIL",
        proofs=(
            ProofState(name="control", state="OK"),
            ProofState(name="golden", state="not run"),
            ProofState(name="boundaries", state="FAIL", note="1 of 3", required=True),
        ),
        differences=(FailedVerdict(**vars(wrong) | more),),
        conclusion="it lies in a",
    )


def test_a_run_adds_proofs_and_the_wrong_word(tmp_path: Path) -> None:
    plan, report = plan_of("two boards"), failed_report()
    write((Artifact.text("plan.json", plan.to_json()),), tmp_path)
    text = write_ran(tmp_path, report).read_text()
    page = Page(text)
    told = "".join(page.texts)
    for part in ("icarus: FAIL", "1 of 3", "It follows: it lies in a.", "got <b>1</b> | `2`", "it ended"):
        assert part in told
    assert "shellgen simulate out --seed 1 --waves" in told
    assert page.tags["b"] == 0
    assert "#run" in page.values("href")
    golden = ProofState(name="golden", state="OK", required=True)
    passed = report_page(plan, ran(report_of(Findings(full_rate=streams()), proofs=(golden,))))
    assert "icarus: PASS" in passed
    assert "1,000,000 frames/s at 100 MHz in simulation" in passed


def test_the_summary_is_markdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step, file = tmp_path / "step.md", tmp_path / "summary.md"
    step.write_text("before\n")
    monkeypatch.setenv(GITHUB, str(step))
    made = Summary(file, tmp_path / "out")
    assert "did not finish" in file.read_text()
    made.close([failed_report()])
    text = file.read_text()
    assert step.read_text() == "before\n" + text
    assert "## shellgen: icarus: FAIL" in text
    rows = [line for line in text.splitlines() if line.startswith("| a\\_to\\_b ")]
    assert len(rows) == 1
    assert "got &lt;b&gt;1&lt;/b&gt; \\| \\`2\\`" in rows[0]
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 8
    monkeypatch.setenv(GITHUB, str(tmp_path / "missing" / "step.md"))
    Summary(None, tmp_path / "out").close([failed_report()])
    monkeypatch.delenv(GITHUB)
    assert "no result" in summary((), tmp_path, "a: b. c.")
    with pytest.raises(InputError, match="cannot be written"):
        Summary(tmp_path, tmp_path / "out")
    with pytest.raises(InputError, match="--junit as well"):
        Summary(file, tmp_path / "out", file)
    write((Artifact.text("plan.json", "{}"),), tmp_path / "out")
    with pytest.raises(InputError, match="generated file"):
        Summary(tmp_path / "out/plan.json", tmp_path / "out")


def test_the_commands_write_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, est, svg = tmp_path / "out", tmp_path / "est", tmp_path / "c.svg"
    plan = plan_of("six boards")
    write((Artifact.text("plan.json", plan.to_json()),), out)
    assert main(["estimate", str(out), "-o", str(est)]) == 0
    assert capsys.readouterr().out.endswith(f"report: {est}/report.html\n")
    assert (est / "report.html").read_text() == html_of("six boards")
    assert {path.name for path in est.iterdir()} >= {"estimate.json", "plan.json", "manifest.json"}
    assert main(["draw", str(out), "-o", str(svg), "--theme", "dark"]) == 0
    assert svg.read_text() == draw(plan, "dark")
    assert main(["draw", str(out), "-o", str(svg)]) == 2
    assert main(["draw", str(out), "--columns", "0"]) == 2
    assert main(["draw", str(out), "-o", str(svg.with_suffix(".png"))]) == 2
    assert "c.png would be SVG under the name of another format. Name it .svg" in capsys.readouterr().err
    assert not svg.with_suffix(".png").exists()
    assert main(["draw", str(out)]) == 0
    assert capsys.readouterr().out == draw(plan)


MEASURE = """
const wrong = [];
for (const svg of document.querySelectorAll("svg.cluster")) {
  if (getComputedStyle(svg).display === "none") continue;
  const texts = [];
  for (const part of svg.querySelectorAll(":scope > a, :scope > g[role]")) {
    const box = part.querySelector("rect").getBBox();
    for (const text of part.querySelectorAll("text")) {
      const one = text.getBBox();
      const right = box.x + box.width, bottom = box.y + box.height + 1;
      if (one.x < box.x || one.x + one.width > right || one.y < box.y - 1 || one.y + one.height > bottom)
        wrong.push("leaves: " + text.textContent);
      texts.push([one, text.textContent]);
    }
  }
  texts.forEach(([a, first], i) => texts.slice(i + 1).forEach(([b, second]) => {
    if (a.x < b.x + b.width && b.x < a.x + a.width && a.y + 3 < b.y + b.height && b.y + 3 < a.y + a.height)
      wrong.push("overlap: " + first + " and " + second);
  }));
  wrong.push("measured " + texts.length);
}
if (document.documentElement.scrollWidth > window.innerWidth) wrong.push("the page is wider than the window");
for (const table of document.querySelectorAll("table"))
  if (table.scrollWidth > table.parentElement.clientWidth) wrong.push("cut: " + table.innerText.slice(0, 80));
parent.postMessage(wrong.join("\\n"), "*");
"""


# Chromium's window is 500 pixels wide at least, so the page is in a frame.
FRAME = """<!DOCTYPE html><body style="margin: 0">
<iframe src="page.html" width="{width}" height="900" style="border: 0"></iframe>
<script>onmessage = (sent) => {{ document.title = sent.data; }};</script></body>"""


@pytest.mark.sweep
@pytest.mark.parametrize("width", [360, 1280, 2560])
@pytest.mark.parametrize("name", PLANS)
def test_a_browser_shows_no_overlap(name: str, width: int, tmp_path: Path) -> None:
    layer = "StreamingDataflowPartition_1_ConvolutionInputGenerator_rtl_0"
    rows = replace(scaling(plan_of(name)), title=f"Branch {layer} to {layer}", anchor="row-0")
    text = re.sub(r"<meta http-equiv[^>]*>", "", report_page(plan_of(name), curves=(rows,)))
    text = text.replace("</body>", f"<script>{MEASURE}</script></body>")
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    (tmp_path / "frame.html").write_text(FRAME.format(width=width), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", "--window-size=2600,900", "--dump-dom"]
    command = ["chromium", *flags, (tmp_path / "frame.html").as_uri()]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    title = re.search(r"<title>(.*?)</title>", shown.stdout, re.DOTALL)
    assert title
    assert re.fullmatch(r"(measured [1-9]\d*\n?)+", title[1].strip())


@pytest.mark.parametrize("name", PLANS)
def test_frames_and_boards_are_bars(name: str) -> None:
    """Each stage's frames follow one another, and no bar leaves its row."""
    first, more = timeline(plan_of(name)), scaling(plan_of(name))
    assert 0 < len(first.rows) <= MOST_STAGES
    for row in first.rows:
        assert len(row.pieces) == FRAMES
        starts = [left for left, _, _ in row.pieces]
        assert starts == sorted(starts)
        assert all(0 <= left <= WIDTH and left + width <= WIDTH + 1 for left, width, _ in row.pieces)
        assert row.remark.startswith("waits for ")
    rates = [row.pieces[0][1] for row in more.rows]
    assert rates == sorted(rates)
    assert rates or "Frames go round" in more.about
    text = html_of(name)
    assert text.count('<svg class="use wide"') == len(first.rows) + len(more.rows)
