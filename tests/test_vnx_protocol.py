# SPDX-License-Identifier: BSD-3-Clause
"""The sessions of docs/vnx.md as a model: spin finds nothing wrong with it, and finds what is spoilt."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from test_file_format import ROOT

MODEL = ROOT / "tests" / "vnx" / "protocol.pml"
SMALL = {"ANYTIME": 1, "FRAMES": 2, "EPOCHS": 3}
QUEUES = {"EPOCHS": 8, "STRANGE": 3}
CLEAN = "errors: 0"

# A rule, what stands there in the mutant, and what the search must say.
UNSAFE = {
    "an old session is taken again": (
        "rx == rx_epoch + 1 ->",
        "(rx == rx_epoch + 1 || rx == rx_epoch) ->",
        "o_seen",
    ),
    "a new session while packets of the old one wait": (
        "        :: !WAITS ->\n            rx_epoch++",
        "        :: true ->\n            rx_epoch++",
        "o_next",
    ),
    "the rest of a cut frame is not filled": (":: o_mid -> o_fill = true", ":: o_mid -> skip", "o_next"),
    "a reset clears rx_epoch": ("r_open = false; r_tx = 0;", "rx_epoch = 0; r_open = false;", "o_seen"),
    "a reset does not end the session": ("r_open = false; r_tx = 0; cand_on", "cand_on", "o_seen"),
    "a packet behind a gap is taken as the next one": (
        "ahead = ahead | SLOT(seq); kept[(seq) % SLOTS] = content;",
        "ahead = ahead | SLOT(expected); kept[expected % SLOTS] = content;",
        "c%2|o_next",
    ),
    "a packet is taken twice": (
        ":: seq >= expected && !(ahead & SLOT(seq)) ->",
        ":: seq + SLOTS > expected && !(ahead & SLOT(seq)) ->",
        "full.waiting|o_next|o_seen|%2|seq",
    ),
    "what was kept stays in the next session": (
        "r_mine = true; drop_ahead(); start_turns();",
        "r_mine = true; start_turns();",
        "o_next|o_seen|%2",
    ),
    "an old ACK gives slots back": (":: acked <= seq && seq <= high ->", ":: seq <= high ->", "made|limit"),
    "an old reply lowers the limit": (
        "if :: lim > limit -> limit = lim :: else",
        "limit = lim; if :: true",
        "limit",
    ),
    "the limit is not kept": ("high < made && high < limit", "high < made", "limit"),
    "a limit of one too many": ("-> limit = lim ::", "-> limit = lim + 1 ::", "limit"),
    "a new session under the old tx_epoch": (
        "-> tx_epoch++; s_on = true",
        "-> s_on = true; tx_epoch = (tx_epoch -> tx_epoch : 1)",
        "o_next|o_seen|%2",
    ),
    "what is lost is not named": ("report(s_base + acked, ", "report(s_base + made, ", "reported"),
    "one half of the session suffices": (
        ":: r_open && tx == r_tx && rx == rx_epoch -> r_mine",
        ":: r_open && rx == rx_epoch -> r_mine",
        "o_next|o_seen|%2",
    ),
}
STUCK = {
    "RESTART is not sent": (":: else -> send_restart(tx, rx)\n", ":: else -> skip\n"),
    "RESTART is not looked at": ("&& rx == s_rx -> begin_anew()\n", "&& rx == s_rx -> skip\n"),
    "PROBE is not answered": ("arrived(at); r_news = false; send_ack()", "arrived(at); r_news = false"),
    "PROBE is no transmission": ("if :: r_mine -> arrived(at); r_news", "if :: r_mine -> r_news"),
    "PROBE opens no session": (
        "look_at_session(tx, rx);\n    if :: r_mine -> arrived",
        "r_mine = (r_open && tx == r_tx && rx == rx_epoch);\n    if :: r_mine -> arrived",
    ),
    "nothing is sent again": ("s_open && !s_probe && ANY_LOST && can", "false && ANY_LOST && can"),
    "a transmission is remembered only once": (
        "last_turn[(seq) % SLOTS] = turn; turn++",
        "last_turn[(seq) % SLOTS] = TURNS; turn++",
    ),
    "no session while a frame is cut": (
        "        :: !WAITS ->\n            rx_epoch++",
        "        :: !WAITS && !o_mid ->\n            rx_epoch++",
    ),
}


def search(folder: Path, text: str, sizes: dict[str, int], live: bool = False) -> str:
    """Return what a search of all states says: safety, or with ``live`` that property, with weak fairness."""
    (folder / "model.pml").write_text(text)
    chosen = [f"-D{name}={value}" for name, value in sizes.items()]
    mode = ["-DNFAIR=3"] if live else ["-DSAFETY"]
    for command in (
        ["spin", "-a", *chosen, "model.pml"],
        ["cc", "-O1", "-w", "-DMEMLIM=8000", *mode, "-o", "pan", "pan.c"],
        ["./pan", "-m1000000", *(["-a", "-f"] if live else [])],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert not re.search("max search depth too small|out of memory|pan: reached", done.stdout), done.stdout
    return done.stdout


def mutant(old: str, new: str) -> str:
    text = MODEL.read_text()
    assert text.count(old) == 1, old
    return text.replace(old, new)


def test_nothing_is_delivered_out_of_order_twice_or_unnamed(tmp_path: Path) -> None:
    assert CLEAN in search(tmp_path, MODEL.read_text(), SMALL)


@pytest.mark.sweep
def test_all_frames_get_through_when_faults_end(tmp_path: Path) -> None:
    assert CLEAN in search(tmp_path, MODEL.read_text(), {"FRAMES": 1, "FAULTS": 1, **QUEUES}, live=True)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "sizes",
    [
        {"FRAMES": 3, "EPOCHS": 3, "RELOADS": 1},
        {"FRAMES": 4, "EPOCHS": 4, "SLOTS": 3},
        {"FRAMES": 3, "EPOCHS": 3, "PIECES": 3, "SLOTS": 2},
        {"FRAMES": 5, "EPOCHS": 3, "PIECES": 1, "SLOTS": 4},
    ],
    ids=str,
)
def test_safe_at_more_sizes(tmp_path: Path, sizes: dict[str, int]) -> None:
    assert CLEAN in search(tmp_path, MODEL.read_text(), {"ANYTIME": 1, **sizes})


@pytest.mark.sweep
@pytest.mark.parametrize(
    "sizes",
    [
        {"FRAMES": 2, "FAULTS": 2},
        {"FRAMES": 2, "FAULTS": 2, "NO_RESETS": 1},
        {"FRAMES": 1, "FAULTS": 3, "NO_RESETS": 1},
        {"FRAMES": 2, "FAULTS": 1, "PIECES": 3},
    ],
    ids=str,
)
def test_live_at_more_sizes(tmp_path: Path, sizes: dict[str, int]) -> None:
    """NO_RESETS asserts besides that nothing is lost then."""
    assert CLEAN in search(tmp_path, MODEL.read_text(), {**sizes, **QUEUES}, live=True)


@pytest.mark.sweep
@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_rule_is_found(tmp_path: Path, name: str) -> None:
    old, new, property_ = UNSAFE[name]
    said = search(tmp_path, mutant(old, new), SMALL)
    failed = re.search(r"assertion violated (.*) \(at depth", said)
    assert failed, said
    assert re.search(property_, failed[1]), failed[1]


@pytest.mark.sweep
def test_an_ack_that_names_packets_in_order_is_found(tmp_path: Path) -> None:
    """To the sender, the slot of a packet that waits for its reader means its successor, which never came."""
    text = mutant(
        "r_tx, rx_epoch, ahead, r_turn)", "r_tx, rx_epoch, (WAITS -> SLOT(expected - 1) : 0), r_turn)"
    )
    said = search(tmp_path, text, {"FRAMES": 2, "FAULTS": 1, **QUEUES}, live=True)
    assert "assertion violated" in said, said


@pytest.mark.sweep
@pytest.mark.parametrize("name", STUCK)
def test_a_rule_that_gets_stuck_is_found(tmp_path: Path, name: str) -> None:
    said = search(tmp_path, mutant(*STUCK[name]), {"FRAMES": 2, "FAULTS": 1, **QUEUES}, live=True)
    assert "acceptance cycle (at depth" in said, said
