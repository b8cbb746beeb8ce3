# SPDX-License-Identifier: BSD-3-Clause
"""The live picture of a rehearsal: what the page gets, what a browser shows, and who is kept out."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_pair import out  # noqa: F401 - fixture
from waiting import PATIENCE

from shellgen.cli import main
from shellgen.rehearse import web
from shellgen.rehearse.golden import Vectors
from shellgen.rehearse.live_page import live_page
from shellgen.rehearse.rings import slots
from shellgen.rehearse.web import Page, Watch
from shellgen.simulate.description import read_generated
from shellgen_host.cluster_map import read_map

pytestmark = pytest.mark.xdist_group("rehearse")


@pytest.fixture
def page(out: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:  # noqa: F811
    """A run in which the second board is gone and the first has a full ring."""
    monkeypatch.setattr(web, "_SPAN", 1000.0)  # a browser takes its time to start
    cluster = read_map(out)
    given = Vectors(
        {one.name: np.arange(4).reshape(1, *one.layout.shape) for one in cluster.inputs},
        {one.name: np.zeros((1, *one.layout.shape), np.int64) for one in cluster.outputs},
        1,
    )
    watch = Watch(cluster, given, 100, lambda name: name == "one", {"one": 32, "two": 1024})
    with Page(live_page(read_generated(out, edited=False)[1]), watch, 0) as found:
        for made in (0, 40):
            counters = {"received": made + 5, "made": made, "waiting": 5, "unsent": 32}
            watch.state({"one": counters, "two": dict.fromkeys(counters, 0)})
            time.sleep(0.01)
        watch.note("<b>node two</b> broke")
        watch.result(6, np.array([3, -1, 9], "<i8").tobytes())
        yield found


def get(page: Page, path: str, host: str | None = None) -> tuple[int, str]:
    request = urllib.request.Request(f"{page.address}{path}", headers={"Host": host} if host else {})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as found:  # noqa: S310 - its own server
            return found.status, found.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_rings_are_as_long_as_the_server_makes_them() -> None:
    """The same sizes as in node_unit/unit.cpp."""
    assert [slots(size) for size in (2, 256, 512, 12_544, 4_000_000_000)] == [1024, 1024, 512, 32, 32]


def test_state(page: Page) -> None:
    status, text = get(page, "state.json")
    found: dict[str, Any] = json.loads(text)
    assert status == 200
    assert (found["done"], found["count"], found["frame"], found["verdict"]) == (7, 100, 6, "")
    assert (found["nodes"]["one"]["alive"], found["nodes"]["two"]["alive"]) == (True, False)
    assert found["nodes"]["one"]["out"] > 0
    assert found["nodes"]["two"]["out"] == 0
    shown = [(one["side"], one["rows"], one["low"], one["high"]) for one in found["pictures"]]
    assert shown == [("in", [[0, 1, 2, 3]], 0, 3), ("out", [[3, -1, 9]], -1, 9)]
    assert get(page, "other")[0] == get(page, "../etc/passwd")[0] == 404
    assert get(page, "state.json", "elsewhere.example")[0] == 403
    assert get(page, "state.json", f"localhost:{page.port}")[0] == 200
    assert main(["rehearse", "out", "--web", "65536"]) == 2


@pytest.mark.parametrize(("width", "scheme"), [(400, 1), (1400, 0)])
def test_a_browser(page: Page, tmp_path: Path, width: int, scheme: int) -> None:
    """Narrow and light, wide and dark: the script finds its parts, and notes are text."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},900", "--dump-dom"]
    flags += [f"--blink-settings=preferredColorScheme={scheme}", "--virtual-time-budget=3000"]
    shown = subprocess.run(
        ["chromium", *flags, page.address], check=True, capture_output=True, text=True, timeout=PATIENCE
    ).stdout
    assert '<span id="done">7 of 100 frames, ' in shown
    dead = re.findall(r'<g role="img" aria-label="([^"]*)" class="dead">', shown)
    assert dead
    assert all(one.startswith(("two", "StreamingDataflowPartition_1")) for one in dead)
    widths = re.findall(r'<path class="wire [^"]*" stroke-width="([\d.]+)"', shown)
    assert set(widths) == {"1.5", "9.0"}  # what the dead board sends or takes is still
    assert '<span class="level full"><i style="width: 100%;"></i></span>' in shown
    assert "&lt;b&gt;node two&lt;/b&gt; broke" in shown
    assert shown.count("<canvas") == 2
    assert "output global_out: -1 to 9, largest at 2" in shown


def test_a_run(out: Path, capfd: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    """The page is there while frames run, and gets the verdict at the end."""
    seen: list[dict[str, Any]] = []
    over = threading.Event()
    texts: list[str] = []

    def look() -> None:
        while not over.wait(0.05):
            texts.append(capfd.readouterr().err)
            found = re.search(r"live picture: (http://127\.0\.0\.1:\d+/)", "".join(texts))
            if not found:
                continue
            try:
                with urllib.request.urlopen(f"{found[1]}state.json", timeout=5) as answer:  # noqa: S310
                    seen.append(json.loads(answer.read()))
            except OSError:
                continue

    thread = threading.Thread(target=look)
    thread.start()
    try:
        assert main(["rehearse", str(out), "--frames", "200", "--web", "--quiet"]) == 0
    finally:
        over.set()
        thread.join()
    assert seen
    assert seen[-1]["verdict"] == "PASS"
    assert seen[-1]["done"] == 200
