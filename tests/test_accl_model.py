# SPDX-License-Identifier: BSD-3-Clause
"""The models of ACCL's engine and of the network do what the real ones do, seen from a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from accl_boards import ALL, BOARDS, COMMUNICATOR, INT32, beats, payload, play, put, words
from simulators import mostly_on

pytestmark = pytest.mark.parametrize("simulator", mostly_on("icarus"))
PACK_SEQ_NUMBER_ERROR, COLLECTIVE_NOT_IMPLEMENTED = 1 << 21, 1 << 14
NOP = 255
AP_CTRL, SCENARIO = 0x2000, 0x2010
RETCODE = 0x1FFC


def test_a_put_is_cut_and_its_stream_is_tdest(tmp_path: Path, simulator: str) -> None:
    """In pieces, messages and packets; a header is part of a packet and does not arrive."""
    ids = (0, 1, 9, 200, 246)
    script = [line for k, one in enumerate(ids) for line in put(0, 1 + k % 2, one, 100 if k == 2 else 3, k)]
    whole = play([*script, "rest"], tmp_path, simulator, buffer=4096)
    assert whole.clean
    assert [whole.at(1 + k % 2, one) for k, one in enumerate(ids)] == [
        payload(100 if k == 2 else 3, k) for k in range(len(ids))
    ]
    assert whole.sizes(1) == [192, 4032, 64, 2304, 192]
    assert whole.status == ((0, 0),) * len(ids)
    one = [*put(0, 1, 7, 20, 1), "rest"]
    assert play(one, tmp_path, simulator).sizes(1) == [1024, 256], "1024 bytes, as ACCL's driver has it"
    assert play(one, tmp_path, simulator, segment=640).sizes(1) == [640, 384, 256]
    assert play(one, tmp_path, simulator, packet=256).sizes(1) == [192, 256, 256, 256, 64, 192, 64]
    assert play(one, tmp_path, simulator, segment=64).sizes(1) == [64] * 20


def test_data_before_the_command_are_two_beats_and_a_fault(tmp_path: Path, simulator: str) -> None:
    """The third beat waits without end: the command is behind it."""
    early = [beats(0, 2, 1), words(0, 1, 5, 32), "status 0", "rest"]
    seen = play(early, tmp_path, simulator)
    assert (seen.at(1, 5), seen.boards[0]["faults"], seen.boards[0]["left"]) == (payload(2, 1), 1, 0)
    stuck = play([beats(0, 3, 1), words(0, 1, 5, 48), "status 0", "rest"], tmp_path, simulator)
    assert (stuck.at(1, 5), stuck.boards[0]["left"], stuck.boards[0]["puts"]) == (b"", 3, 0)


def test_a_put_that_waits_for_data_holds_up_the_host(tmp_path: Path, simulator: str) -> None:
    """The host's call is done when the put is."""
    call = [f"write 0 {SCENARIO:X} {NOP:X}", f"write 0 {AP_CTRL:X} 1"]
    look = f"read 0 {AP_CTRL:X}"
    script = [
        words(0, 1, 5, 64),
        *call,
        "pause 0 2000",
        look,
        beats(0, 4, 1),
        "status 0",
        "pause 0 500",
        look,
    ]
    seen = play([*script, look, "rest"], tmp_path, simulator)
    assert [value for _, _, value in seen.reads] == [0x1, 0xE, 0x4], "started; done, idle, ready; idle"
    assert seen.at(1, 5) == payload(4, 1)


@pytest.mark.sweep
def test_the_host_comes_first_between_puts(tmp_path: Path, simulator: str) -> None:
    busy = [line for k in range(20) for line in put(0, 1, 5, 2, k)]
    alone, shared = (play([*busy, "rest"], tmp_path, simulator, host=host) for host in (0, 20))
    assert alone.packets[-1].data == shared.packets[-1].data == payload(2, 19)
    assert alone.clean
    assert shared.clean
    assert shared.status_ns[-1] > alone.status_ns[-1]


def test_two_senders_take_turns(tmp_path: Path, simulator: str) -> None:
    """Packets of both are mixed, those of each stay in order; beats of one packet are together."""
    script = [*put(0, 1, 5, 64, 1), *put(2, 1, 8, 64, 2), *put(2, 0, 1, 2, 3), "rest"]
    seen = play(script, tmp_path, simulator, packet=576)
    assert seen.clean
    assert (seen.at(1, 5), seen.at(1, 8), seen.at(0, 1)) == (payload(64, 1), payload(64, 2), payload(2, 3))
    order = [packet.stream for packet in seen.packets if packet.board == 1]
    assert order.count(5) == order.count(8) == 8
    assert order != sorted(order)
    assert seen.network["turns"] > 6


@pytest.mark.sweep
def test_a_core_that_takes_nothing_stops_all_that_send_to_it(tmp_path: Path, simulator: str) -> None:
    """And what they would send to others; nothing is lost, and it goes on when beats are taken."""
    script = ["take 1 0", *put(0, 1, 5, 320, 1), *put(2, 1, 8, 320, 2), *put(2, 0, 1, 2, 3)]
    blocked = play([*script, "wait 9000"], tmp_path, simulator)
    assert not blocked.packets
    assert not blocked.status
    freed = play([*script, "wait 9000", "take 1 1", "rest"], tmp_path, simulator)
    assert freed.clean
    assert (freed.at(1, 5), freed.at(1, 8), freed.at(0, 1)) == (
        payload(320, 1),
        payload(320, 2),
        payload(2, 3),
    )


EARLY = [words(0, 1, 5, 64), beats(0, 4, 1), words(0, 1, 5, 64)]
# What a fault may be, and its number; the default run shows one of each number.
SHOWN = ("before the status", "a beat too many", "scenario", "communicator", "TKEEP")
BAD = {
    "before the status": (["listen 0 0", *EARLY, "wait 3000"], 1),
    "before all data": ([words(0, 1, 5, 64), words(0, 1, 5, 64), "wait 3000"], 1),
    "a beat too many": ([words(0, 1, 5, 64), beats(0, 5, 1, 3), "rest"], 0),
    "scenario": ([words(0, 1, 5, 64, changed={0: 4}), "rest"], 2),
    "no whole beats": ([words(0, 1, 5, 65), beats(0, 5, 1), "rest"], 2),
    "stream id": ([words(0, 1, 247, 64), "rest"], 2),
    "function": ([words(0, 1, 5, 64, changed={4: 1}), "rest"], 2),
    "compression": ([words(0, 1, 5, 64, changed={7: 1}), "rest"], 2),
    "host flags": ([words(0, 1, 5, 64, changed={8: 0x103}), "rest"], 2),
    "address": ([words(0, 1, 5, 64, changed={14: 1}), "rest"], 2),
    "TLAST of a command": ([words(0, 1, 5, 64, last=13), "rest"], 2),
    "rank": ([words(0, BOARDS, 5, 64), "rest"], 3),
    "communicator": ([words(0, 1, 5, 64, changed={2: COMMUNICATOR - 4}), "wait 3000"], 3),
    "types": ([words(0, 1, 5, 64, changed={6: INT32 - 36}), "wait 3000"], 3),
    "not set up": (["write 0 1FF4 0", *put(0, 1, 5, 4, 1), "rest"], 3),
    "TLAST": ([words(0, 1, 5, 64), beats(0, 4, 1, 2), "rest"], 4),
    "TKEEP": ([words(0, 1, 5, 64), beats(0, 4, 1, keep="0" + ALL[1:]), "rest"], 4),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SHOWN else [pytest.mark.sweep]) for name in BAD]
)
def test_what_no_core_may_do_is_told(name: str, tmp_path: Path, simulator: str) -> None:
    script, fault = BAD[name]
    seen = play(script, tmp_path, simulator)
    assert seen.boards[0]["faults"] == 1 << fault
    assert seen.boards[0]["error"] == 1
    assert [line.split(":")[0] for line in seen.errors] == ["board 0"]
    assert [board["error"] for board in seen.boards[1:]] == [0, 0]


@pytest.mark.sweep
def test_wrong_addresses_give_a_wrong_put(tmp_path: Path, simulator: str) -> None:
    """As in hardware: what lies there is taken for the communicator, or for the bytes of an element."""
    halves = [words(0, 1, 5, 64, changed={6: INT32 - 144}), beats(0, 4, 1), "rest"]
    seen = play(halves, tmp_path, simulator)
    assert seen.at(1, 5) == payload(4, 1)[:128], "int32 is not half a word"
    nowhere = play([words(0, 1, 5, 64, changed={2: 0}), beats(0, 4, 1), "wait 3000"], tmp_path, simulator)
    assert (nowhere.at(1, 5), nowhere.status) == (b"", ())


@pytest.mark.sweep
def test_what_the_driver_has_written_counts(tmp_path: Path, simulator: str) -> None:
    """Fewer receive buffers: all addresses move. Buffers of size 0: no data are taken, without an error."""
    group = 8 + 4 * 28
    types = group + 8 + 24 * BOARDS + 144
    entry = group + 8 + 24  # of rank 1
    values = {0: 4, group: BOARDS, entry + 16: 1, entry + 20: 128, types: 4}
    script = [f"write 0 {at:X} {value:X}" for at, value in values.items()]
    script += [words(0, 1, 5, 64, changed={2: group, 6: types}), beats(0, 4, 1), "status 0", "read 0 0"]
    seen = play([*script, "rest"], tmp_path, simulator)
    assert seen.clean
    assert seen.sizes(1) == [128, 128]
    assert seen.reads == ((0, 0, 4),)
    none = play(["write 0 4 0", words(0, 1, 5, 64), "status 0", "rest"], tmp_path, simulator)
    assert (none.status, none.clean) == (((0, 0),), True)


@pytest.mark.sweep
def test_parameters_of_the_firmware(tmp_path: Path, simulator: str) -> None:
    """A slow port, a slow firmware, a status that comes late or never, and one that says no."""
    two = [*put(0, 1, 5, 4, 1), *put(0, 1, 5, 4, 2), f"read 0 {RETCODE:X}", "rest"]
    plain = play(two, tmp_path, simulator)
    right = payload(4, 1) + payload(4, 2)
    for parameters, cycles in (({"slow": 128}, 15), ({"think": 500}, 1000), ({"status": 300}, 600)):
        seen = play(two, tmp_path, simulator, **parameters)
        assert seen.clean
        assert seen.at(1, 5) == right
        assert seen.status_ns[1] - plain.status_ns[1] > 0.95 * 4 * cycles
    lost = play(two, tmp_path, simulator, withhold=2)
    assert (lost.at(1, 5), lost.status, lost.boards[0]["left"]) == (right, ((0, 0),), 2)
    refused = play(two, tmp_path, simulator, refuse=2)
    assert refused.at(1, 5) == right
    assert refused.status == ((0, 0), (0, PACK_SEQ_NUMBER_ERROR))
    assert refused.reads == ((0, RETCODE, PACK_SEQ_NUMBER_ERROR),)
    denied = play(two, tmp_path, simulator, reject=2)
    assert denied.at(1, 5) == payload(4, 1)
    assert denied.status == ((0, 0), (0, COLLECTIVE_NOT_IMPLEMENTED))


@pytest.mark.sweep
def test_latency_and_pace(tmp_path: Path, simulator: str) -> None:
    """A beat per cycle of the wire, but for a header and a gap in each packet."""
    near = play([*put(0, 1, 5, 256, 1), "rest"], tmp_path, simulator, buffer=8192, segment=8192)
    far = play([*put(0, 1, 5, 256, 1), "rest"], tmp_path, simulator, buffer=8192, segment=8192, latency=2000)
    assert far.packets[0].time_ns - near.packets[0].time_ns == pytest.approx(2000, abs=20)
    times = [packet.time_ns for packet in near.packets]
    assert near.sizes(1) == [4032, 4096, 64, 4032, 4096, 64]
    assert times[4] - times[1] == pytest.approx((2 + 65 + 65) * 5.12, rel=0.02)


@pytest.mark.sweep
def test_the_own_rank_and_random_stalls(tmp_path: Path, simulator: str) -> None:
    """A put to oneself comes back; stalls on both sides change nothing."""
    script = [
        "stall 0 100 100",
        "stall 1 60 180",
        *put(0, 0, 3, 20, 4),
        *put(0, 1, 5, 40, 5),
        *put(1, 0, 6, 40, 6),
    ]
    seen = play([*script, "rest"], tmp_path, simulator)
    assert seen.clean
    assert (seen.at(0, 3), seen.at(1, 5), seen.at(0, 6)) == (payload(20, 4), payload(40, 5), payload(40, 6))


@pytest.mark.sweep
def test_reset_of_a_sender_leaves_a_torn_put_and_of_all_boards_cures_it(
    tmp_path: Path, simulator: str
) -> None:
    """Whole packets sent before arrive, the rest never; the memory is as the driver left it."""
    cut = [words(0, 1, 5, 640), beats(0, 20, 1, 39), "rest", "reset 0"]
    seen = play([*cut, *put(0, 1, 5, 2, 3), "read 0 1FF4", "rest"], tmp_path, simulator)
    assert seen.at(1, 5) == payload(20, 1)[:1024] + payload(2, 3)
    assert seen.reads == ((0, 0x1FF4, 1),)
    # A message of several packets: the next header is taken for the rest of it.
    long = [words(0, 1, 5, 640), beats(0, 20, 1, 39), "rest", "reset 0", *put(0, 1, 5, 2, 3), "rest"]
    wrong = play(long, tmp_path, simulator, packet=512, buffer=4096)
    assert wrong.at(1, 5) != payload(16, 1) + payload(2, 3)
    cured = play(
        [*long, "reset 0", "reset 1", *put(0, 1, 6, 2, 4), "rest"],
        tmp_path,
        simulator,
        packet=512,
        buffer=4096,
    )
    assert cured.at(1, 6) == payload(2, 4)
