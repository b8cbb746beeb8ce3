# SPDX-License-Identifier: BSD-3-Clause
"""Memory maps that shellgen-node refuses: nothing that they say reaches beyond a buffer or a window."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from host_pair import files, out  # noqa: F401 - fixtures

from shellgen.rehearse.processes import NodeFiles

pytestmark = pytest.mark.xdist_group("rehearse")

# Where in the node's entry, what stands there, and what is said.
TERMS = {"link": 7, "packet_beats": 23, "packing": 0, "role": 0, "element": 0, "shape": 0, "slots": 32}
PROGRAM = {"address": "127.0.0.1", "port": 50000, "peer": "127.0.0.2", "peer_port": 50000, "reorder": 3}
PROGRAM |= {"terms": TERMS}
CASES: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("streams", 0, "frame_bytes"), -1, "frame_bytes: -1 is not a whole number up to 4294967295"),
    (("streams", 0, "frame_bytes"), 1e300, "frame_bytes: 1e+300 is not a whole number"),
    (("streams", 0, "frame_bytes"), 2.5, "frame_bytes: 2.5 is not a whole number"),
    (("streams", 0, "frame_bytes"), "\x1b[2J", "frame_bytes: string is not a whole number"),
    (("streams", 0, "frame_bytes"), 1 << 32, "frame_bytes: 4294967296 is not a whole number"),
    (("streams", 0, "index"), 1, "index: stream 0 has another number"),
    (("streams", 0, "boundary"), "\x1b[2J\x9b\u202e", "weights: those of stream ?[2J????? were not known"),
    (("streams", 0, "program"), {"link": "x"}, "it is no memory map: "),
    (("streams", 0, "program"), PROGRAM | {"peer": "127.0.0.1x"}, "is no IPv4 address"),
    (("streams", 0, "program"), PROGRAM | {"port": 65536}, "port: 65536 is not a whole number up to 65535"),
    (
        ("streams", 0, "program"),
        PROGRAM | {"terms": TERMS | {"packet_beats": 1}},
        "packet_beats: 1 of the pro",
    ),
    (("streams", 0, "program"), PROGRAM | {"terms": TERMS | {"slots": 48}}, "slots: 48 of the program at "),
    (("span",), 0, "span: the window of the registers ends beyond 64 bits"),
    (("span",), 8, "lies outside of the window of the node"),
    (("dma",), [], "dma: there is none"),
    (("dma", 0, "size"), 64, "has no room for its registers"),
    (("dma", 0, "base"), (1 << 64) - 8, "has no room for its registers"),
    (("dma", 0, "align"), 3, "align: 3 of "),
    (("dma", 0, "address_bits"), 128, "has neither 32 nor up to 64"),
    (("dma", 0, "max_bytes"), 1, "frame_bytes: a frame of "),
    (("dma", 0, "memory"), [], "reaches none"),
    (("dma", 0, "memory"), [{"base": 2, "size": (1 << 64) - 1}], "is empty or ends beyond 64 bits"),
    (("dma", 0, "channels", "mm2s", "stream"), 7, "serves stream 7, which does not go that way"),
]


@pytest.mark.parametrize(("place", "value", "said"), CASES, ids=lambda one: str(one)[:30])
def test_a_map_that_contradicts_itself(
    out: Path,  # noqa: F811
    files: dict[str, NodeFiles],  # noqa: F811
    tmp_path: Path,
    place: tuple[str | int, ...],
    value: Any,
    said: str,
) -> None:
    """One sentence of printable ASCII, exit code 2."""
    whole = json.loads((out / "memory_map.json").read_text())
    node = next(one for one in whole["nodes"] if one["name"] == "two")
    if place[-1] == "boundary":  # a text that ends up in a message
        node["streams"][0]["role"] = "weights"
    entry: Any = node
    for key in place[:-1]:
        entry = entry[key]
    entry[place[-1]] = value
    path = tmp_path / "map.json"
    path.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
    words = [files["two"].program, "--map", path, "--node", "two", "--listen", "127.0.0.1:0"]
    ran = subprocess.run(
        [*map(str, words), "--model", str(files["two"].core[1])],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )
    text = ran.stderr.decode("ascii")
    assert ran.returncode == 2, text
    assert said in text
    assert text.count("\n") == 1
    assert text.rstrip("\n").isprintable()


def test_brackets(files: dict[str, NodeFiles], tmp_path: Path) -> None:  # noqa: F811
    """A hundred thousand of them, and numbers beyond all bounds."""
    path = tmp_path / "map.json"
    for text in ("[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"schema_version": 1e999}', "{", "\x00", ""):
        path.write_text(text)
        words = [files["two"].program, "--map", path, "--node", "two", "--listen", "127.0.0.1:0"]
        ran = subprocess.run(
            [*map(str, words), "--model", "x"], capture_output=True, text=True, check=False, timeout=60
        )
        assert ran.returncode == 2
        assert "it is no memory map: " in ran.stderr
        assert ran.stderr.count("\n") == 1
