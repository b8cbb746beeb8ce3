# SPDX-License-Identifier: BSD-3-Clause
"""Choices, sentences and files of `shellgen split`, without FINN."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from split_networks import LARGE, network

from shellgen.costs import finn_fifo
from shellgen.errors import InputError
from shellgen.links.vnx_udp import VnxUdp
from shellgen.model.folding import SplitNetwork
from shellgen.platforms.vitis.facts import VitisFacts
from shellgen.read import read_board
from shellgen.resources import data_dir
from shellgen.split import Desk, Split, Stock, Wanted, read_limits, rows, sentences, split
from shellgen.split.costs import counted
from shellgen.split.files import folding_of, split_files
from shellgen.split.mock import node_names, vector_files
from shellgen.split.task import RESOURCES

sys.path.insert(0, str(data_dir("examples") / "residual"))


def desk(net: SplitNetwork, boards: dict[str, int], **wanted: Any) -> Desk:
    stock = [Stock(name, read_board(name), count) for name, count in boards.items()]
    networks = {one.board.part: net.model_copy(update={"part": one.board.part}) for one in stock}
    return Desk.of(stock, networks, Wanted(**wanted))


def fits(found: Split) -> None:
    """No board takes more than its limits, shell included, and the plan keeps the promised period."""
    limits = {"lut": 0.7, "bram18": 0.8, "dsp": 0.8}
    for row, part in zip(rows(found), found.found.parts, strict=True):
        assert all((row.shares[name] or 0) <= limit for name, limit in limits.items())
        assert len(part.layers) == row.count
    assert found.estimate.limit.seconds == pytest.approx(found.found.seconds, rel=1e-6)
    assert all(row.cycles == part.cycles for row, part in zip(rows(found), found.found.parts, strict=True))


def test_two_boards_are_faster_than_one() -> None:
    one, two = (split(desk(LARGE, {"zedboard": count})) for count in (1, 2))
    fits(one)
    fits(two)
    assert len(two.found.parts) == 2
    assert two.found.seconds < one.found.seconds
    assert "a second zedboard would give" in " ".join(sentences(one))
    (limit,) = [line for line in sentences(one) if "is the slowest" in line]
    assert re.search(r"could halve .* with .*; short of .* \(\d+ % taken, at most \d+ %\)", limit)


def test_rate_that_is_enough_takes_fewer_boards() -> None:
    best = split(desk(LARGE, {"zedboard": 3}))
    easy = split(desk(LARGE, {"zedboard": 3}, fps=best.estimate.frames_per_second / 50))
    fits(easy)
    assert len(easy.found.parts) == 1
    assert easy.estimate.frames_per_second >= best.estimate.frames_per_second / 50
    takes = dict(zip(RESOURCES, easy.found.parts[0].takes, strict=True))
    assert takes["dsp"] < best.found.parts[0].takes[RESOURCES.index("dsp")]


def test_fifos_where_layers_would_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for the next vector of a matrix unit, which `stitch` builds; without it, layers wait."""
    found = split(desk(LARGE, {"zedboard": 2}))
    folding = folding_of(found)
    deep = {layer: depth for part in found.placed for (layer, _), depth in part.depths.items()}
    assert deep
    widths = {layer.name: layer.limits["SIMD"] for layer in LARGE.layers if "SIMD" in layer.limits}
    for layer, depth in deep.items():
        told = folding[layer]
        assert isinstance(told, dict)
        assert told["inFIFODepths"] == [depth]
        assert depth * int(str(told["SIMD"])) == widths[layer]
    layer, depth = next(iter(deep.items()))
    for asked, written in (([4, 7], [depth, 7]), ([depth + 1], [depth + 1])):
        own: Any = {name: dict(of) for name, of in folding.items() if isinstance(of, dict)}
        own[layer]["inFIFODepths"] = asked
        kept = folding_of(split(desk(LARGE, {"zedboard": 2}, folding=own)))[layer]
        assert isinstance(kept, dict)
        assert kept["inFIFODepths"] == written
    monkeypatch.setattr("shellgen.split.pace._KEEPS_VECTORS", ())
    without = split(desk(LARGE, {"zedboard": 2}))
    assert without.found == found.found
    assert without.estimate.limit.seconds > 1.5 * found.estimate.limit.seconds
    assert "layers that wait for one another" in without.estimate.sentences()[0]
    assert max(row.cycles for row in rows(without)) > max(part.cycles for part in found.found.parts)
    totals = [[sum(column) for column in zip(*one.takes, strict=True)] for one in (found, without)]
    more = [a - b for a, b in zip(*totals, strict=True)]
    assert any(one > 0 for one in more)
    assert all(one >= 0 for one in more)


def test_fifos_are_counted_in_the_memory_that_they_are_built_in() -> None:
    """`stitch` builds FINN's FIFO, which has up to 256 words in LUTs and more in block RAM."""
    takes = []
    for words in (2, 256, 257):
        net = network(64, 64)
        deep = [stream.model_copy(update={"words": words}) for stream in net.streams]
        layer = counted(net.model_copy(update={"streams": tuple(deep)})).layers[0]
        folding = {"SIMD": 1, "PE": 1, "ram_style": "distributed"}
        takes += [one.takes for one in layer.foldings if one.attributes == folding]
    assert [one.bram18 for one in takes] == [0, 0, 1]
    assert takes[1].lut - takes[0].lut == finn_fifo(16, 256).lut - finn_fifo(16, 2).lut > 60


def test_different_boards_in_any_order() -> None:
    found = split(desk(LARGE, {"zedboard": 1, "zc706": 1}))
    fits(found)
    other = split(desk(LARGE, {"zc706": 1, "zedboard": 1}))
    assert other.found.seconds == pytest.approx(found.found.seconds)
    assert found.found.seconds <= split(desk(LARGE, {"zc706": 1})).found.seconds


def test_a_folding_is_kept_and_only_cut() -> None:
    given = {
        "MVAU_rtl_0": {"SIMD": 8, "PE": 8, "mem_mode": "internal_decoupled"},
        "MVAU_1": {"SIMD": 4, "PE": 4},
    }
    wanted = {"folding": given, "goal": "least-traffic"}
    found = split(desk(LARGE, {"zedboard": 2}, **wanted))
    chosen = {
        found.task.layers[at]: LARGE.layers[at].foldings[one.number].attributes
        for part in found.found.parts
        for at, one in zip(part.layers, part.choices, strict=True)
    }
    assert chosen["MVAU_0"] == {"SIMD": 8, "PE": 8, "ram_style": "block"}
    assert chosen["MVAU_2"] == {"SIMD": 1, "PE": 1, "ram_style": "block"}
    written = folding_of(found)
    assert written["MVAU_0"] == given["MVAU_rtl_0"]
    # 512 values of 4 bits are the fewest bytes between any two layers.
    assert found.found.traffic == min(
        stream.frame_bytes for stream in LARGE.streams if stream.producer and stream.consumer
    )


@pytest.mark.parametrize("boards", [2, 3, 4, 5])
def test_boards_that_no_cut_can_use_take_frames_in_turn(boards: int) -> None:
    """With a folding that is kept, the slowest layer is the limit, until more boards have it."""
    given: dict[str, dict[str, Any]] = {"MVAU_0": {"SIMD": 8, "PE": 8}, "MVAU_1": {"SIMD": 16, "PE": 32}}
    given |= {"MVAU_2": {"SIMD": 8, "PE": 4}}
    wanted: dict[str, Any] = {"folding": given, "limits": read_limits(["bram=0.5"], ["zedboard"], "x")}
    found = split(desk(LARGE, {"zedboard": boards}, **wanted))
    fits(found)
    assert found.found.parts[0].layers[0] == 0
    copies = [part.replicas for part in found.found.parts]
    assert copies == {2: [1, 1], 3: [2, 1], 4: [3, 1], 5: [4, 1]}[boards]
    assert found.found.seconds == pytest.approx(4096 / copies[0] / 100e6)
    text = split_files(found, "net.onnx", "net")[2].content.decode()
    nodes = tomllib.loads(text)["node"]
    assert [node.get("replicas", 1) for node in nodes] == copies
    assert sum(row.replicas for row in rows(found)) == boards
    assert split(desk(LARGE, {"zedboard": boards}, **wanted, replicas=1)).found.seconds == pytest.approx(
        4096 / 100e6
    )


def test_boards_are_filled_one_after_the_other() -> None:
    wanted = {"folding": {}, "goal": "occupancy"}
    found = split(desk(LARGE, {"zedboard": 4}, **wanted, limits=read_limits(["bram=0.5"], ["zedboard"], "x")))
    first = rows(found)[0]
    assert len(found.found.parts) > 1
    assert all((row.shares["bram18"] or 0) <= 0.5 for row in rows(found))
    # One layer more would not have fitted.
    kind = found.task.kinds[0]
    bram = RESOURCES.index("bram18")
    after = kind.choices[first.count][0].takes[bram]
    assert found.found.parts[0].takes[bram] + after > kind.room[bram]


def test_regions_of_a_card_are_filled_one_by_one() -> None:
    """Each partition is in an SLR of its own, which holds it with the shell that sits there."""
    limits = read_limits(["lut=0.75,bram=0.65"], ["u280"], "x")
    net = network(256, 512, 512, 512, 512, 512, 512, vectors=16)
    found = split(desk(net, {"u280": 1}, limits=limits))
    (part,) = found.found.parts
    told = rows(found)
    assert len(part.regions) == len(told) == 3
    assert {row.region for row in told} == {"SLR0", "SLR1", "SLR2"}
    assert all((row.shares["lut"] or 0) <= 0.25 and (row.shares["bram18"] or 0) <= 0.35 for row in told)
    sizes = [region.lut for region in read_board("u280").facts("vitis", VitisFacts).slrs]
    assert sorted(space.has[0] for space in found.spaces) == sorted(sizes)
    # The core is at the UDP stacks, memory controllers are where the memory is.
    first, middle, last = (space.shell[0] for space in desk(net, {"u280": 2}).around[0].spaces)
    assert last > middle + 30_000
    assert (first > 10_000, middle) == (True, 0)
    files = {file.path: file.content.decode() for file in split_files(found, "net.onnx", "net")}
    record = json.loads(files["split.json"])
    assert record["stitch"]["slr"] == [region for region, _ in part.regions]
    assert record["stitch"]["cut_before"] == [row.first for row in told[1:]]
    assert [board["slr"] for board in record["boards"]] == record["stitch"]["slr"]
    (node,) = tomllib.loads(files["cluster.toml"])["node"]
    assert node["partitions"] == [0, 1, 2]
    assert [part.slr for part in found.plan.partitions] == record["stitch"]["slr"]
    whole = split(desk(LARGE, {"zedboard": 1}))
    assert "slr" not in split_files(whole, "net.onnx", "net")[0].content.decode()


def test_weights_lie_in_ultraram_where_block_ram_is_short() -> None:
    """Only then: somebody must load them. A board without UltraRAM is refused as before."""
    net = network(1024, 1024, 1024, vectors=64)
    roomy = split(desk(net, {"zcu104": 1}))
    assert not roomy.desk.wanted.ultra
    assert "ultra" not in json.dumps(folding_of(roomy))
    short = read_limits(["bram=0.95,lut=0.9"], ["zcu104", "zedboard"], "x")
    found = split(desk(net, {"zcu104": 1}, limits=short))
    chosen: dict[str, Any] = json.loads(json.dumps(folding_of(found)))
    names = [name for name, one in chosen.items() if one.get("ram_style") == "ultra"]
    assert names == ["MVAU_0", "MVAU_1"]
    assert chosen["MVAU_0"]["runtime_writeable_weights"] == 1
    (row,) = rows(found)
    assert 0 < (row.shares["uram"] or 0) <= 0.8
    assert "the weights of MVAU_0, MVAU_1 are in UltraRAM, which the host loads" in " ".join(sentences(found))
    assert found.estimate.frames_per_second > 1.1 * 300  # what fits a tenth of the LUTs and a few block RAMs
    with pytest.raises(InputError, match="--boards"):
        split(desk(net, {"zedboard": 1}, limits=short))


def test_addresses_that_only_the_user_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ZedBoard in front of a card has an address, which is in cluster.toml."""
    found = split(desk(network(16, 32, 16), {"u50": 1, "zedboard": 1}, goal="least-traffic"))
    assert {row.board for row in rows(found)} == {"u50", "zedboard"}
    *_, cluster = split_files(found, "net.onnx", "net")
    nodes = {node["board"]: node for node in tomllib.loads(cluster.content.decode())["node"]}
    (name,) = (row.node for row in rows(found) if row.board == "zedboard")
    address = f"192.168.0.2{name.removeprefix('zedboard')}"
    assert nodes["zedboard"]["options"] == {"vnx_udp": {"ip": [address]}}
    assert "options" not in nodes["u50"]
    assert f"{name} needs options.vnx_udp.ip, which only you know" in " ".join(sentences(found))
    monkeypatch.setattr(VnxUdp, "stand_ins", {})
    said = (
        r"--boards: zedboard and u50 need options\.vnx_udp\.ip of a node .* Name boards of one of these kinds"
    )
    with pytest.raises(InputError, match=said):
        desk(LARGE, {"zedboard": 1, "u50": 1})


def test_a_slow_link_between_kinds_of_boards_keeps_none_from_being_used_alone() -> None:
    """A program between a ZedBoard and a card takes 2,000 packets/s; the card without it is far faster."""
    found = split(desk(network(16, 32, 16), {"zedboard": 1, "u280": 1}))
    assert [row.board for row in rows(found)] == ["u280"]
    assert found.estimate.frames_per_second > 1e7


@pytest.mark.parametrize("names", [("zedboard", "u50"), ("u50", "zedboard")])
def test_rates_are_those_of_the_boards_at_both_ends(names: tuple[str, str]) -> None:
    """The slow link is only between the two kinds, in both directions: one packet takes 0.5 ms."""
    one = desk(network(16, 32, 16), dict.fromkeys(names, 1), goal="least-traffic")
    links, card = one.first.links, names.index("u50")
    assert links is not None
    board, host = 1 - card, 2
    assert links.into[host][card].bytes > 1000 * links.into[board][card].bytes
    assert links.out_of[card][host].bytes > 1000 * links.out_of[card][board].bytes
    found = split(one)
    assert found.found.seconds == pytest.approx(1 / 2000)
    assert found.estimate.frames_per_second == pytest.approx(2000)


def test_a_layer_that_no_region_can_take() -> None:
    limits = read_limits(["lut=0.9999"], ["u280"], "x")
    with pytest.raises(InputError, match=r"layer MVAU_0 fits no board .* where SLR\d of a u280 has"):
        split(desk(LARGE, {"u280": 1}, limits=limits))


def test_vectors_of_several_ends_have_files_of_their_own() -> None:
    """A tensor of the host that two layers read is one file."""
    net = network(16, 32, 16)
    first, last = net.streams[0], net.streams[-1]
    heads = (last, last.model_copy(update={"output": 1}))
    more = net.model_copy(update={"streams": (first, *net.streams, *heads[1:])})
    outputs = ["build/output_0.npy", "build/output_1.npy"]
    assert vector_files(net) == [("input", ["build/input.npy"]), ("output", ["build/output.npy"])]
    assert vector_files(more) == [("input", ["build/input.npy"]), ("output", outputs)]


def test_names_of_nodes() -> None:
    """A number behind the name of a board must not read as another board: u280 and 0 are not u2800."""
    boards = [read_board(name, Path()) for name in ("zedboard", "pynq-z2", "u280")]
    assert node_names(boards) == ["zedboard0", "pynq_z2_1", "u280_2"]
