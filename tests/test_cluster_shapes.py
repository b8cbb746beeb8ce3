# SPDX-License-Identifier: BSD-3-Clause
"""Frames and words of every size on every platform: what is slow, long or many is not taken for a fault."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import bench_of, generate_fake, report_text, run
from fake_network import chain, partition, spec

from shellgen.model import Partition

Stream = tuple[str, int, int]  # data type, elements per word, elements per frame

SLOW_BITS = 3
# Image and 64 KiB in short words, and 3,000 bytes one by one that the first partition forwards slowly.
NARROW: tuple[Stream, ...] = (
    ("UINT8", 1, 1),
    ("UINT8", 2, 1 << 16),
    ("UINT8", 3, 224 * 224 * 3),
    ("UINT8", 1, 3000),
)
NARROW_SLOW = 3
PLATFORMS: dict[str, tuple[dict[str, Any], int]] = {
    "zynq": ({"board": "zcu104"}, 2),
    "vitis": ({"board": "u280"}, 2),
    "coyote": ({"board": "u55c", "platform": "coyote"}, 1),
}
SHORT: tuple[Stream, ...] = (("UINT8", 2, 3000), ("UINT8", 1, 1), ("UINT8", 3, 3000))
WIDE = {"zynq": 16, "vitis": 64, "coyote": 64}  # bytes of the platform's links
WIDE_SLOW = 2  # of these streams
LEAD = 100  # words of the first stream that come ahead of the frame's input, as padding does


def shapes(wide: int) -> tuple[Stream, ...]:
    """Return the sizes in fewer words: short ones for frames of some packets, wide ones for large frames."""
    return (*SHORT, ("UINT8", wide, 1 << 16), ("UINT8", wide, 224 * 224 * 3))


def slowed(made: tuple[Partition, bytes], stream: int, bits: int) -> tuple[Partition, bytes]:
    """Let a stream of a partition forward a word in every 2**bits cycles."""
    part, data = made
    into, out = f"s_axis_{stream}", f"m_axis_{stream}"
    text = data.decode()
    for line in (f"assign {out}_tvalid = {into}_tvalid", f"assign {into}_tready = {out}_tready"):
        assert line in text
        text = text.replace(line, f"{line} && pause == 0")
    count = f"reg [{bits - 1}:0] pause;\nalways @(posedge ap_clk)\n  if (!ap_rst_n) pause <= 0;\n"
    count += f"  else if (pause != 0 || ({into}_tvalid && {out}_tready)) pause <= pause + 1'b1;\n"
    text = text.replace("endmodule", f"{count}endmodule")
    source = part.sources[0].model_copy(update={"sha256": hashlib.sha256(text.encode()).hexdigest()})
    return part.model_copy(update={"sources": (source,)}), text.encode()


def cards(
    folder: Path,
    node: dict[str, Any],
    count: int,
    streams: tuple[Stream, ...],
    *,
    slow: int | None = None,
    loop: bool = False,
    lead: int = 0,
) -> Path:
    """Generate a chain of boards with these streams, one of which is slow on the first board; or a loop."""
    (kind, word, elements), *rest = streams
    taken: tuple[Stream, ...] = ((kind, word, elements - lead * word), *rest)
    parts = [partition("p0", taken, streams, lead=lead)]
    parts += [partition(f"p{k}", streams, streams) for k in range(1, count)]
    if slow is not None:
        parts[0] = slowed(parts[0], slow, SLOW_BITS)
    network = chain(*parts, streams=len(streams))
    nodes: list[dict[str, Any]] = [{"name": f"n{k}", "partitions": [k], **node} for k in range(count)]
    more: dict[str, Any] = {"host": {"through": "n0"}} if loop else {}
    return generate_fake(network, spec(nodes, **more), folder / "out")


def passes(out: Path, simulator: str = "verilator", **options: Any) -> dict[str, Any]:
    """Simulate as a user does who sets no limit; all must be right."""
    report = run(out, simulator, idle_limit=None, **options)
    assert report["passed"], report_text(report)
    return report


@pytest.mark.recorded
@pytest.mark.parametrize(
    "platform",
    [name if name == "zynq" else pytest.param(name, marks=pytest.mark.sweep) for name in PLATFORMS],
)
def test_frames_of_a_byte_and_of_some_packets(platform: str, tmp_path: Path) -> None:
    """Links drain and hosts wait for a slow stream, for as long as that takes."""
    node, count = PLATFORMS[platform]
    out = cards(tmp_path, node, count, SHORT, slow=WIDE_SLOW, lead=LEAD)
    sizes = {boundary["frame_bytes"] for boundary in bench_of(out)["boundaries"]}
    assert sizes == {1, 3000, 3000 - 2 * LEAD}
    assert passes(out, frames=2, walk="none")["tests"] >= 5


@pytest.mark.sweep
@pytest.mark.parametrize("platform", PLATFORMS)
def test_frames_of_a_byte_and_of_an_image(platform: str, tmp_path: Path) -> None:
    """Packets cross, and buffers fill at any pace."""
    node, count = PLATFORMS[platform]
    out = cards(tmp_path, node, count, shapes(WIDE[platform]), slow=WIDE_SLOW, lead=LEAD)
    sizes = {boundary["frame_bytes"] for boundary in bench_of(out)["boundaries"]}
    assert sizes == {1, 1 << 16, 150_528, 3000, 3000 - 2 * LEAD}
    # Other tests cover memories; the directed tests of links need these frames.
    assert passes(out, frames=2, walk="sample" if platform == "vitis" else "none")["tests"] >= 5


@pytest.mark.sweep
@pytest.mark.parametrize("platform", PLATFORMS)
def test_image_in_short_words(platform: str, tmp_path: Path) -> None:
    """Frames of 50,176 words; the directed tests of links see them too."""
    node, count = PLATFORMS[platform]
    out = cards(tmp_path, node, count, NARROW, slow=NARROW_SLOW)
    sizes = {boundary["frame_bytes"] for boundary in bench_of(out)["boundaries"]}
    assert sizes == {1, 1 << 16, 150_528, 3000}
    assert passes(out, frames=2, walk="sample")["tests"] >= 5


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("board", "simulator"), [("zedboard", "verilator"), ("zedboard", "icarus"), ("u280", "verilator")]
)
def test_eight_boards_in_a_loop(board: str, simulator: str, tmp_path: Path) -> None:
    """Events that are rare in a small cluster are frequent here: counters wrap in each of them."""
    out = cards(tmp_path, {"board": board}, 8, (("UINT8", 1, 1),), loop=True)
    report = passes(out, simulator, frames=2, walk="none", reset_node="n7")
    for by in ("control", "pin"):
        assert "note" not in report[f"reset_{by}"], "a frame of one word is caught"


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("platform", PLATFORMS)
def test_short_words_on_every_seed(platform: str, seed: int, simulator: str, tmp_path: Path) -> None:
    node, count = PLATFORMS[platform]
    streams = tuple(("UINT8", words, 2048 - 2048 % words) for words in (1, 2, 3))
    passes(cards(tmp_path, node, count, streams), simulator, seed=seed, walk="full", frames=6)
