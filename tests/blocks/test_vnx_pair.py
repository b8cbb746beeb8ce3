# SPDX-License-Identifier: BSD-3-Clause
"""Two cards of vnx blocks, links both ways, and a network with faults: each frame is exact or reported.

A run of 10**6 packets for each fault, alone and in bursts, belongs to the sweep.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from test_file_format import ROOT

from tools.blocks.block_bench import block_file, block_folder, closure, mutant, run_sources

BENCH = [ROOT / "tests" / "vnx" / f"{name}.sv" for name in ("tb_vnx_pair", "vnx_card", "vnx_faults")]
BLOCKS = ("vnx_sender", "vnx_receiver", "vnx_seal", "vnx_check", "axis_arbiter", "axis_demux")
FAULTS = ("lost", "doubled", "overtaken", "cut", "altered", "lacking a beat", "joined", "astray")
LINE = re.compile(r"^MEASURED (.*) faults=([\d,]+)$", re.MULTILINE)
# Of the three links: two packets and a bit in a frame, or one, or five.
SIZES = {"LINKS": 3, "PACKET_BEATS": 3, "SLOTS": 8, "FRAME_BYTES": (200, 700, 33)}
ALL = {f"fault{k}": 160 for k in range(len(FAULTS))} | {"burst": 300, "pause": 32}
# Text of a block, what stands there in the mutant, and what the bench must say.
MUTANTS = {
    "a cut frame is not filled": (
        "vnx_unpack",
        "= renew && !want_sof;",
        "= 1'b0;",
        "altered|goes on|flagged",
    ),
    "what is lost is not sent again": (
        "vnx_window",
        "again_q <= gone;",
        "again_q <= 1'b0;",
        "nothing comes",
    ),
    "a slot that is had is written": (
        "vnx_match",
        "had      = have[now_slot];",
        "had      = 1'b0;",
        "link|nothing comes",
    ),
    "a lost session goes on": (
        "vnx_window",
        "wire restart = session &&",
        "wire restart = 1'b0 &&",
        "link",
    ),
    "a slot is written that is not free": ("vnx_window", "= open_q && !taken_q;", "= open_q;", "link"),
    "a bad checksum is right": ("vnx_check", "wire ok = crc == ", "wire ok = crc == crc || crc == ", "link"),
}
# Sessions whose first number is 256 below 2**32 in place of 0, at both ends.
START = "32'hFFFFFF00"
WRAPPING = {
    "vnx_window": (
        ("seq_q    <= '0;", f"seq_q    <= {START};"),
        ("top_q    <= '0;", f"top_q    <= {START};"),
        ("base_q   <= '0;", f"base_q   <= {START};"),
        ("turn_q   <= 'd1;", f"turn_q   <= {START} + 32'd1;"),
        ("echoed_q <= '0;", f"echoed_q <= {START};"),
        ("limit_q <= more_q;", f"limit_q <= W'({START}) + more_q;"),
    ),
    "vnx_match": (
        ("early    = now_seq[BITS_SEQ-1:SLOT_W] == '0;", f"early    = now_seq - {START} < 32'(SLOTS);"),
    ),
    "vnx_session": (
        ("            expected_q <= '0;", f"            expected_q <= {START};"),
        ("            beyond_q   <= 'd1;", f"            beyond_q   <= {START} + 32'd1;"),
        ("limit_q    <= BITS_SEQ'(SLOTS);", f"limit_q    <= {START} + BITS_SEQ'(SLOTS);"),
        ("(opened ? '0 : newest_q)", f"(opened ? {START} : newest_q)"),
        ("newest_q <= '0;", f"newest_q <= {START};"),
        ("newest_q          <= '0;", f"newest_q          <= {START};"),
        ("expected_q        <= '0;", f"expected_q        <= {START};"),
        ("beyond_q          <= 'd1;", f"beyond_q          <= {START} + 32'd1;"),
        ("limit_q           <= BITS_SEQ'(SLOTS);", f"limit_q           <= {START} + BITS_SEQ'(SLOTS);"),
    ),
}
MANY = 90_000  # frames of link 0 that make 10**6 packets


@dataclass(frozen=True)
class Run:
    """Counters of a run; ``faults`` in the order of FAULTS."""

    cycles: int
    packets: int
    exact: int
    cut: int
    missing: int
    resets: int
    stalls: int
    faults: tuple[int, ...]


def lost_registers() -> list[str]:
    """Return the offsets that the bench reads, as macros."""
    table = json.loads((block_folder("vnx_sender") / "registers.json").read_text())
    offsets = {register["name"]: register["offset"] for register in table["registers"]}
    return [f"{name}={offsets[name]}" for name in ("LOST_FRAMES", "LOST_LAST")]


def run(
    tmp_path: Path,
    options: dict[str, int],
    sizes: dict[str, object] = SIZES,
    blocks: list[Path] | None = None,
    optimise: str = "-O0",
) -> tuple[str, Run | None]:
    """Run two cards; return what was printed and, if nothing was wrong, what was counted."""
    given = dict(sizes)
    lengths = given.pop("FRAME_BYTES")
    assert isinstance(lengths, tuple)
    given["FRAME_BYTES"] = "{" + ", ".join(f"32'd{length}" for length in reversed(lengths)) + "}"
    top = tmp_path / "vnx_pair.sv"
    parameters = ", ".join(f".{name}({value})" for name, value in given.items())
    top.write_text(f"module vnx_pair;\n    tb_vnx_pair #({parameters}) u_bench ();\nendmodule\n")
    files = [top, *BENCH]
    for block in BLOCKS:
        files += [file for file in closure(block) if file not in files]
    replaced = {file.name: file for file in blocks or ()}
    files = [replaced.get(file.name, file) for file in files]
    plusargs = [f"{name}={value}" for name, value in options.items()]
    result = run_sources("vnx_pair", files, "verilator", plusargs, lost_registers(), optimise)
    found = LINE.search(result.text)
    if not result.comparisons or found is None:
        return result.text, None
    counts = {name: int(value) for name, value in (part.split("=") for part in found[1].split())}
    return result.text, Run(**counts, faults=tuple(map(int, found[2].split(","))))


def good(said: tuple[str, Run | None]) -> Run:
    text, found = said
    assert found, text
    return found


@pytest.mark.sweep
def test_all_faults_at_once(tmp_path: Path) -> None:
    """Without a reset nothing is lost, whatever the network does."""
    found = good(run(tmp_path, {"frames": 150, **ALL}))
    assert min(found.faults) > 5, found
    assert found.missing == found.cut == 0, found
    assert found.exact > 300, found


@pytest.mark.sweep
def test_resets_of_either_card(tmp_path: Path) -> None:
    found = good(run(tmp_path, {"frames": 250, "resets": 2000, "fault0": 300, "fault2": 300}))
    assert found.resets > 8, found
    assert found.cut > 0, found
    assert found.missing > found.cut, found


@pytest.mark.sweep
def test_a_stream_that_stands_still_holds_up_no_other(tmp_path: Path) -> None:
    """Each of the three in turn; the bench counts what the next one delivers meanwhile."""
    assert good(run(tmp_path, {"frames": 300, "stall": 1})).stalls >= 6


def test_registers_are_there() -> None:
    assert len(lost_registers()) == 2


@pytest.mark.sweep
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(tmp_path: Path, name: str) -> None:
    """Among faults, and resets unless they would help."""
    block, old, new, said = MUTANTS[name]
    options = {"frames": 300, **ALL, "resets": 0 if "no" in said else 4000}
    text, found = run(tmp_path, options, blocks=[mutant(block, old, new, tmp_path)])
    assert found is None, f"{name}, and nothing is wrong"
    assert re.search(f"link .*({said})", text), text


@pytest.mark.sweep
@pytest.mark.parametrize("resets", [0, 3000])
def test_numbers_of_packets_wrap(tmp_path: Path, resets: int) -> None:
    blocks = []
    for name, edits in WRAPPING.items():
        text = block_file(name).read_text()
        for old, new in edits:
            assert text.count(old) == 1, f"{name} no longer has `{old}` once"
            text = text.replace(old, new)
        blocks.append(tmp_path / f"{name}.sv")
        blocks[-1].write_text(text)
    found = good(run(tmp_path, {"frames": 1000, **ALL, "resets": resets}, blocks=blocks))
    assert found.exact > 1000, found
    assert (found.missing > 0) == (resets > 0), found


@pytest.mark.sweep
@pytest.mark.parametrize("kind", range(len(FAULTS)), ids=FAULTS)
def test_a_million_packets_of_each_fault(tmp_path: Path, kind: int) -> None:
    """1 % of the packets, and bursts that make it about 5 %."""
    options = {"frames": MANY, "seed": kind, f"fault{kind}": 655, "burst": 160}
    found = good(run(tmp_path, options, optimise="-O2"))
    assert found.packets > 1_000_000, found
    assert found.faults[kind] > 10_000, found
    assert found.missing == found.cut == 0, found


@pytest.mark.sweep
@pytest.mark.parametrize("resets", [0, 20_000])
def test_a_million_packets_of_all_faults(tmp_path: Path, resets: int) -> None:
    found = good(run(tmp_path, {"frames": MANY, "resets": resets, **ALL}, optimise="-O2"))
    assert found.packets > 1_000_000, found
    assert (found.missing > 0) == (resets > 0), found


@pytest.mark.sweep
def test_a_million_packets_and_resets_alone(tmp_path: Path) -> None:
    found = good(run(tmp_path, {"frames": MANY, "resets": 4000}, optimise="-O2"))
    assert found.resets > 1000, found


@pytest.mark.sweep
@pytest.mark.parametrize(
    "sizes",
    [
        {"LINKS": 1, "PACKET_BEATS": 2, "SLOTS": 4, "FRAME_BYTES": (96,)},
        {"LINKS": 2, "PACKET_BEATS": 2, "SLOTS": 4, "FRAME_BYTES": (97, 1000)},
        {"LINKS": 2, "PACKET_BEATS": 23, "SLOTS": 32, "FRAME_BYTES": (10_000, 1440)},
        {"LINKS": 5, "PACKET_BEATS": 4, "SLOTS": 16, "FRAME_BYTES": (64, 224, 225, 448, 32)},
        {"LINKS": 16, "PACKET_BEATS": 3, "SLOTS": 4, "FRAME_BYTES": tuple(50 * i + 4 for i in range(16))},
    ],
    ids=lambda sizes: f"{sizes['LINKS']} links, {sizes['PACKET_BEATS']} beats",
)
def test_other_sizes(tmp_path: Path, sizes: dict[str, object]) -> None:
    for seed, extra in enumerate(({}, {"resets": 5000}, {"stall": 1, "pause": 0})):
        found = good(run(tmp_path, {"frames": 2000, "seed": seed, **ALL, **extra}, sizes, optimise="-O1"))
        assert found.exact > 2000, found
