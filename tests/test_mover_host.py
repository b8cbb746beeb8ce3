# SPDX-License-Identifier: BSD-3-Clause
"""The runner of an Alveo card, over a stub of XRT: from .npy through a real core to .npy."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cluster_bench import GOLDEN_FRAMES, Chain
from host_board import HostBoard

pytestmark = pytest.mark.xdist_group("mover_host")
SWEEP = pytest.mark.sweep

# 75 bytes from the host, 120 to it.
CARD = Chain(
    widths=(200, 6, 60),
    activations="UINT3",
    folds=((3, 25, 3), (10, 6, 10)),
    cuts=(0, 1),
    nodes=(("card", "u280", (0, 1)),),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mover_host")
    CARD.generate(folder)
    (folder / "card.xclbin").write_bytes(b"")
    return folder


def board(made: Path, **lost: int) -> HostBoard:
    return HostBoard(made / "out", "card", lost=lost, program="mover_program")


def test_the_map_tells_where_frames_lie(made: Path) -> None:
    (node,) = json.loads((made / "out" / "memory_map.json").read_text())["nodes"]
    assert [(one["frame_bytes"], one["memory_bytes"]) for one in node["streams"]] == [(75, 128), (120, 128)]
    assert node["movers"] == [
        {
            "name": "krnl_mm2s_0", "ip": "krnl_mm2s:{krnl_mm2s_0}", "stream": 0, "max_bytes": (1 << 31) - 64,
            "arguments": {"buffer": 0, "size": 2, "number": 3, "most_number": 15},
        },
        {
            "name": "krnl_s2mm_0", "ip": "krnl_s2mm:{krnl_s2mm_0}", "stream": 1, "max_bytes": (1 << 31) - 64,
            "arguments": {"buffer": 0, "size": 2, "number": None, "most_number": None},
        },
    ]  # fmt: skip
    header = (made / "out" / "memory_map.h").read_text()
    assert "STREAM_0_FRAME_BYTES 75\n" in header
    assert "STREAM_0_MEMORY_BYTES 128 " in header


def test_frames_through_a_card(made: Path, tmp_path: Path) -> None:
    """One after the other without a reset of the card; and what cannot be run."""
    given = ["--input", made / "in.npy", "--golden", made / "out.npy", "--xclbin", made / "card.xclbin"]
    runs = [
        [*given, "--output", tmp_path / "y.npy"],
        [*given, "--batch", 1, "--device", "0000:65:00.1"],
        [*given, "--frames", 4, "--batch", 2],
        [*given, "--frames", 3, "--batch", 2],
        [*given, "--device", 7],
        [*given[:4], "--bitstream", "zed.bit"],
    ]
    said = board(made).run(tmp_path / "run", *runs)
    assert [one.code for one in said] == [0, 0, 0, 2, 2, 2], said
    assert said[0].out.splitlines()[1:] == ["card: as in the golden frames"]
    found, wanted = np.load(tmp_path / "y.npy"), np.load(made / "out.npy")
    assert np.array_equal(found.reshape(GOLDEN_FRAMES, -1), wanted.reshape(GOLDEN_FRAMES, -1))
    texts = ["of 3 frames it leaves 1", "Could not open device", "--bitstream: node card is on bus xrt"]
    for one, text in zip(said[3:], texts, strict=True):
        assert text in one.err, one
        assert len(one.err.splitlines()) == 1


@pytest.mark.parametrize("stray", [pytest.param(1, marks=SWEEP), 3, pytest.param(7, marks=SWEEP)])
def test_frames_that_nobody_fetched_are_dropped(made: Path, tmp_path: Path, stray: int) -> None:
    """Some wait in the mover, some in the core, and of the last only a part has been computed."""
    given = ["--input", made / "in.npy", "--golden", made / "out.npy", "--xclbin", made / "card.xclbin"]
    (said,) = board(made, stray=stray).run(tmp_path / "run", given)
    assert said.code == 0, said


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("lost", "options", "told"),
    [
        (1, (), "no result of a frame of zeros within 0.5 s: are all cards brought up?"),
        (3, ("--batch", 1), "the core saw framing errors: host_to_"),
        (9, ("--batch", 5), "nothing moved for 0.5 s"),
        (3, ("--frames", 1), "0 of 1 frames, krnl_s2mm_0 waits"),
    ],
    ids=["zeros", "a run among others", "the last run", "before any result"],
)
def test_what_an_aborted_run_leaves_is_flushed(
    made: Path, tmp_path: Path, lost: int, options: tuple[object, ...], told: str
) -> None:
    """A beat is lost: the core waits for it, and a mover for its frames; both come to an end."""
    given = ["--input", made / "in.npy", "--golden", made / "out.npy", "--xclbin", made / "card.xclbin"]
    runs = [[*given, *options, "--timeout", 0.5], given]
    said = board(made, krnl_mm2s_0=lost).run(tmp_path / "run", *runs)
    assert [one.code for one in said] == [2, 0], said
    assert told in said[0].err, said[0]
    assert len(said[0].err.splitlines()) == 1
