# SPDX-License-Identifier: BSD-3-Clause
"""The models of VNx and of the switch do what the real stack does, its pitfalls above all."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulators import mostly_on
from vnx_bench import OCTETS, PORTS, Outcome, card, greet, known, pair, parameter, payload, play, row

pytestmark = pytest.mark.parametrize("simulator", mostly_on("icarus"))
CHANCE = 1 << 16
COUNT, SIZE = 40, 150
FRAME, FCS, HEADERS = 9600, 4, 42  # bytes: the longest frame; Ethernet, IP and UDP
MAC_TAKES = FRAME - FCS
LONGEST = MAC_TAKES - HEADERS


def test_a_datagram_for_each_tlast_by_the_row_of_tdest(tmp_path: Path, simulator: str) -> None:
    """Nothing is cut to an MTU, payloads below 18 bytes grow to that, frames of up to 9,600 bytes pass."""
    sizes = [18, 63, 64, 65, 85, 86, 87, 1472, LONGEST, 1, 17]
    seen = play([*pair(), *(f"send 0 3 {size} {size % 200}" for size in sizes), "rest"], tmp_path, simulator)
    assert seen.at(1) == [payload(size, size % 200).ljust(18, b"\0") for size in sizes]
    user = 0xC0A8000A_C0A80005 << 32 | PORTS[1] << 16 | PORTS[0]
    assert {(packet.row, packet.user) for packet in seen.packets} == {(1, user)}
    assert not any(state["error"] for state in seen.cards)
    probes = {probe: seen.probes[0, probe] for probe in range(12)}
    assert probes == dict.fromkeys(range(12), 0) | {9: 11, 10: 11, 6: 11, 7: 11}
    assert [seen.probes[1, probe] for probe in (0, 1, 8, 11)] == [11] * 4


def test_a_frame_that_is_too_long_is_truncated(tmp_path: Path, simulator: str) -> None:
    """The stack sends up to 256 beats; the MAC at the other end takes 9,600 bytes, FCS included."""
    sizes = [LONGEST, LONGEST + 1, 16384, 100]
    seen = play([*pair(), *(f"send 0 3 {size} 7" for size in sizes), "rest"], tmp_path, simulator)
    wanted = [payload(min(size, MAC_TAKES - HEADERS), 7) for size in sizes]
    assert seen.at(1) == wanted
    assert not any(state["error"] for state in seen.cards)


def test_rows(tmp_path: Path, simulator: str) -> None:
    """TDEST counts on the first beat only; the first row that matches wins, valid or not."""
    script = [*pair(), row(0, 4, 1, valid=0), row(0, 5, 1, port=0x9999)]
    script += [
        row(1, 2, 0),
        row(1, 0, 0, valid=0),
        "turn 0 4",
        "send 0 3 200 1",
        "send 0 4 200 2",
        "send 0 5 200 3",
    ]
    seen = play([*script, "rest"], tmp_path, simulator)
    assert [(packet.row, packet.data) for packet in seen.packets] == [(0, payload(200, 1))]
    assert seen.switch["frames"] == 2  # to a port that nobody has: found out on receive
    assert seen.cards[0]["faults"] == 0


@pytest.mark.parametrize(
    ("beats", "fault"),
    [("16 2 1 FFFFFFFFFFFFFFFF", 0), ("3 257 1 FFFFFFFFFFFFFFFF", 1), ("3 2 1 FFFFFFFFFFFFFF0F", 2)],
    ids=["row beyond the table", "over 256 beats", "TKEEP with a hole"],
)
def test_what_no_core_may_do_is_reported(beats: str, fault: int, tmp_path: Path, simulator: str) -> None:
    seen = play([*pair(), f"beats 0 {beats}", "wait 5000"], tmp_path, simulator)
    assert seen.cards[0]["faults"] == 1 << fault
    assert seen.cards[0]["error"] == 1
    assert seen.cards[0]["ready"] == (fault != 1), "a packet of over 256 beats stalls forever, and only that"
    assert seen.cards[1]["error"] == 0


def test_missing_tlast(tmp_path: Path, simulator: str) -> None:
    """Nothing of it leaves, and what follows belongs to it."""
    script = [*pair(), "beats 0 3 2 0 FFFFFFFFFFFFFFFF", "wait 20000"]
    alone = play(script, tmp_path, simulator)
    assert (alone.packets, alone.cards[0]["faults"]) == ((), 1 << 4)
    joined = play([*script, "send 0 3 64 9", "rest"], tmp_path, simulator)
    assert [len(data) for data in joined.at(1)] == [192]


def test_a_core_that_does_not_take_loses_beats_and_not_packets(tmp_path: Path, simulator: str) -> None:
    """256 beats wait in the networklayer and 512 in the cmac; behind a lost last beat two packets are one."""
    packets = [f"send 0 3 512 {k}" for k in range(110)]
    script = [
        *pair(),
        "take 1 0",
        *packets,
        "rest",
        "take 1 1",
        "rest",
        "send 0 3 512 110",
        "send 0 3 512 111",
        "rest",
    ]
    seen = play(script, tmp_path, simulator)
    right = [payload(512, k) for k in range(112)]
    got = seen.at(1)
    whole = len(got) - 2
    assert abs(whole - (256 // 8 + 512 // 9)) <= 1
    assert got[:whole] == right[:whole]
    assert got[-1] == right[-1]
    assert got[-2].endswith(right[110])
    assert got[-2].startswith(right[whole][:22])
    assert len(got[-2]) > 512 + 42
    assert seen.cards[1]["overflow"] == 112 * 9 - sum(_beats(data) for data in got)
    assert not any(state["error"] for state in seen.cards)


def _beats(data: bytes) -> int:
    return -(-(42 + len(data)) // 64)


def test_a_missing_beat_fuses_shortens_or_swallows(tmp_path: Path, simulator: str) -> None:
    """Two datagrams of 512 bytes are delivered as one of 1024, 42 bytes of headers inside."""
    packets = [f"send 0 3 512 {k}" for k in range(60)]
    seen = play([*pair(), *parameter(beat=CHANCE // 3), *packets, "rest"], tmp_path, simulator)
    right = [payload(512, k) for k in range(60)]
    got = seen.at(1)
    fused = [data for data in got if len(data) == 1024]
    assert fused
    for data in fused:
        assert data[512:] in right
        assert data[470:512][12:14] == b"\x08\x00", "the Ethernet header of the second"
        assert any(whole.startswith(data[:470]) for whole in right)
    short = [data for data in got if len(data) == 448]
    assert short
    assert all(data not in right for data in short)
    assert len(got) + len(fused) < 60, "without its first beat a packet is gone"
    assert seen.switch["beats"] > 10


def test_arp(tmp_path: Path, simulator: str) -> None:
    """A packet to an unknown address is lost and asks for it; only replies are learnt; a scan finds all."""
    script = [
        card(0),
        card(1),
        row(0, 3, 1),
        row(1, 1, 0),
        "send 0 3 64 1",
        "wait 3000",
        "send 0 3 64 2",
        "rest",
    ]
    seen = play(script, tmp_path, simulator)
    assert seen.at(1) == [payload(64, 2)]
    assert seen.arp == {(0, OCTETS[1]): "000a35029d0a"}
    assert seen.cards[0]["unresolved"] == 1
    scan = play([card(0), card(1), card(2), "scan 0", "wait 5000"], tmp_path, simulator)
    assert set(scan.arp) == {(0, 10), (0, 11)}
    assert scan.probes[0, 3] == 256


def test_a_gateway_outside_the_subnet_and_masks_other_than_24(tmp_path: Path, simulator: str) -> None:
    """The next hop compares with the gateway, and the table is looked up by the last octet alone."""
    script = [*pair(), card(0, gateway="C0A80101"), "send 0 3 64 1", "rest"]
    seen = play(script, tmp_path, simulator)
    assert (seen.packets, seen.cards[0]["unresolved"]) == ((), 1)
    wide = [card(0, mask="FFFF0000"), card(1, ip="C0A8050A"), known(0, 1), row(1, 1, 0)]
    wide += [f"row 0 3 C0A8050A {PORTS[1]:X} {PORTS[0]:X} 1", "send 0 3 64 1", "rest"]
    assert play(wide, tmp_path, simulator).at(1) == [payload(64, 1)]


@pytest.mark.sweep
def test_a_stalled_core_blocks_arp(tmp_path: Path, simulator: str) -> None:
    fill = ["take 1 0", *(f"send 0 3 1472 {k}" for k in range(25)), "wait 8000"]
    ask = [card(2), row(2, 0, 1), "send 2 0 64 1", "wait 5000"]
    seen = play([*pair(), *fill, *ask], tmp_path, simulator)
    assert (2, OCTETS[1]) not in seen.arp
    again = play([*pair(), *fill, *ask, "take 1 1", "wait 9000"], tmp_path, simulator)
    assert (2, OCTETS[1]) in again.arp


@pytest.mark.parametrize(
    ("size", "sender", "receiver", "each_ns"),
    [
        pytest.param(1472, 2, 0, 25 * 5.0, id="its clock"),
        pytest.param(1472, 1, 0, 1538 * 0.08, id="the wire"),
        pytest.param(64, 0, 1, 3 * 4.0, id="small"),
        pytest.param(8192, 1, 0, 8258 * 0.08, id="jumbo", marks=pytest.mark.sweep),
    ],
)
def test_pace(size: int, sender: int, receiver: int, each_ns: float, tmp_path: Path, simulator: str) -> None:
    """1 + ceil((42 + P) / 64) cycles a packet, or P + 66 bytes at 100 Gb/s, whichever takes longer."""
    count = 8 if size > 2000 else 24
    packets = [f"send {sender} 3 {size} {k}" for k in range(count)]
    seen = play([*pair(sender, receiver), *packets, "rest"], tmp_path, simulator)
    times = [packet.time_ns for packet in seen.packets]
    assert len(times) == count
    assert (times[-1] - times[4]) / (count - 5) == pytest.approx(each_ns, rel=0.02)


def _faulty(tmp_path: Path, simulator: str, **parameters: int) -> tuple[Outcome, list[bytes]]:
    packets = [f"send 0 3 {SIZE} {k}" for k in range(COUNT)]
    seen = play([*pair(), *greet(1, 1), *parameter(**parameters), *packets, "rest"], tmp_path, simulator)
    return seen, [payload(SIZE, k) for k in range(COUNT)]


def test_loss_bursts_and_direction(tmp_path: Path, simulator: str) -> None:
    seen, right = _faulty(tmp_path, simulator, loss=CHANCE // 5)
    assert seen.at(1) == [data for data in right if data in seen.at(1)]
    assert len(seen.at(1)) == COUNT - seen.switch["lost"]
    assert 2 <= seen.switch["lost"] <= 18
    assert _faulty(tmp_path, simulator, loss=CHANCE // 5)[0] == seen
    assert _faulty(tmp_path, simulator, loss=CHANCE // 5, seed=7)[0].at(1) != seen.at(1)
    assert _faulty(tmp_path, simulator, loss=CHANCE // 5, toward=0b101)[0].at(1) == right
    burst, _ = _faulty(tmp_path, simulator, burst=CHANCE // 10, burst_length=12)
    gaps = [right.index(b) - right.index(a) for a, b in zip(burst.at(1), burst.at(1)[1:], strict=False)]
    assert max(gaps) > 2
    assert min(gaps) == 1


def test_duplicates_reordering_truncation_and_corruption(tmp_path: Path, simulator: str) -> None:
    twice, right = _faulty(tmp_path, simulator, duplicate=CHANCE // 5)
    assert len(twice.at(1)) == COUNT + twice.switch["duplicated"] > COUNT + 1
    assert set(twice.at(1)) == set(right)
    mixed, _ = _faulty(tmp_path, simulator, reorder=CHANCE // 5)
    assert mixed.at(1) != right
    assert sorted(mixed.at(1)) == sorted(right)
    cut, _ = _faulty(tmp_path, simulator, truncate=CHANCE // 5)
    short = [data for data in cut.at(1) if len(data) < SIZE]
    assert short
    assert all(any(whole.startswith(data) for whole in right) for data in short)
    wrong, _ = _faulty(tmp_path, simulator, corrupt=CHANCE // 5)
    assert wrong.switch["corrupted"] > 1
    assert any(len(data) == SIZE and data not in right for data in wrong.at(1)), "a bad FCS is delivered"


def test_faults_spare_arp_unless_asked(tmp_path: Path, simulator: str) -> None:
    script = [card(0), card(1), *parameter(loss=CHANCE - 1), "scan 0", "wait 9000"]
    assert (0, OCTETS[1]) in play(script, tmp_path, simulator).arp
    assert not play([*script[:-2], *parameter(arp=1), *script[-2:]], tmp_path, simulator).arp


@pytest.mark.sweep
def test_fan_in_overflows_the_switch(tmp_path: Path, simulator: str) -> None:
    """Two senders at 100 Gb/s each towards one port: 128 KiB wait, the rest is lost as whole packets."""
    script = [*pair(0, 1), card(2), row(2, 3, 1), row(1, 2, 2), known(2, 1)]
    script += greet(1, 1)
    script += [f"send {one} 3 8192 {k}" for k in range(20) for one in (0, 2)]
    seen = play([*script, "rest", "rest"], tmp_path, simulator)
    assert len(seen.at(1)) == 40 - seen.switch["congested"] < 40
    assert {len(data) for data in seen.at(1)} == {8192}


def test_cable_latency_and_reset(tmp_path: Path, simulator: str) -> None:
    near = play([*pair(), "send 0 3 18 1", "rest"], tmp_path, simulator).packets[0].time_ns
    far = (
        play([*pair(), *parameter(latency=3000), "send 0 3 18 1", "rest"], tmp_path, simulator)
        .packets[0]
        .time_ns
    )
    assert far - near == pytest.approx(3000, abs=12)
    out = play(
        [*pair(), "link 1 0", "send 0 3 64 1", "rest", "link 1 1", "send 0 3 64 2", "rest"],
        tmp_path,
        simulator,
    )
    assert out.at(1) == [payload(64, 2)]
    cut = [*pair(), "send 0 3 16384 1", "wait 2600", "reset 0", "wait 2000", "send 0 3 64 2", "rest"]
    seen = play(cut, tmp_path, simulator)
    assert seen.switch["broken"] == 1
    assert seen.at(1) == [payload(64, 2)]
