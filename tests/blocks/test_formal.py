# SPDX-License-Identifier: BSD-3-Clause
"""The proofs are those of the sources as they are now, and the machinery refutes what is wrong.

All proofs run in `make formal`; here their record is compared with the sources, a few are run, and mutants of
blocks are refuted: a proof that cannot fail proves nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shellgen.resources import rtl_blocks
from tools.blocks.block_bench import block_file, closure, mutant
from tools.blocks.formal import Proof, digest, proofs, prove, recorded, sources
from tools.blocks.formal_certificate import check_invariant
from tools.blocks.formal_engines import SCRIPTS
from tools.blocks.formal_paths import compare_paths

# Proof, text of a block, what stands there in the mutant, and the properties of which one must fall.
SLICE = ("axis_register", "full, 8 bit")
SLOT = ("axil_slot", "64 address bits")
MUTANTS = [
    (SLICE, "axis_register", "if (m_free) data_q <= ready_q", "data_q <= ready_q", "order|stable_data"),
    (
        SLICE,
        "axis_register",
        "valid_q <= skid_valid_q || s_fire;",
        "valid_q <= s_fire;",
        "order|progress_out",
    ),
    (
        ("axis_register", "forward, 8 bit"),
        "axis_register",
        "if (m_free) valid_q <= s_axis_tvalid && up_q;",
        "valid_q <= s_axis_tvalid && up_q;",
        "stable_valid",
    ),
    (("axis_fifo", "srl, 3 deep"), "axis_fifo", "TAP_W'(DEPTH - 2)", "TAP_W'(DEPTH - 1)", "order|level"),
    (
        ("axis_frame_fifo", "drop, LUTRAM"),
        "axis_frame_fifo",
        "!(beat && partial_q)",
        "!beat",
        "order|pulses|levels|room",
    ),
    (("axis_width", "3 to 4, 3 to 3 beats"), "axis_width", "in_last ? '0 : count_q", "count_q", "last|order"),
    (
        ("axis_frame_rx", "8 bit, 3 beats, up to 2 frames"),
        "axis_frame_rx",
        "final_beat && !closed;\n\n",
        "final_beat;\n\n",
        "pulse|order|origin|level|progress",
    ),
    (
        ("axis_frame_rx", "16 bit, 2 beats, up to 3 frames of 3 bytes"),
        "axis_frame_rx",
        "final_beat ? '0 : ends;",
        "ends;",
        "order|origin|pulse",
    ),
    (
        ("axis_frame_tx", "24 bit, 1 byte last"),
        "axis_frame_tx",
        "last && !spare ? '0 : ends",
        "ends",
        "order",
    ),
    (
        ("axis_frame_tx", "draining"),
        "axis_frame_tx",
        "(drain ? open_q : s_axis_tvalid && full)",
        "(!drain && s_axis_tvalid && full)",
        "progress_out",
    ),
    (SLOT, "axil_slot", "m_axil_wvalid  = !w_q &&", "m_axil_wvalid  =", "nobody_w|once_w"),
    (
        ("axil_node", "two slaves and a branch, registered"),
        "axil_node",
        "if (tree_start) answer[ANSWER_W-1 -: 2] <= 2'b00;",
        "",
        "first|hang|branch|astray",
    ),
    (
        ("axil_root", "any tree"),
        "axil_root",
        "wait_q  <= start_q ? far : up_wait;",
        "wait_q  <= up_wait;",
        "says|only|once|stays|far",
    ),
    (SLOT, "axil_slot", "if (!r_q) r_void_q", "if (s_axil_arvalid) r_void_q", "answer_r|hold_r|stray_r"),
    (SLOT, "axil_slot", "w_q && !w_void_q && s_axil_bready", "!w_void_q && s_axil_bready", "stray_b"),
    *(
        pytest.param(*each, marks=pytest.mark.sweep)
        for each in (
            (
                ("accl_gate", "2 beats"),
                "accl_gate",
                "(dead && chosen && !full_q)",
                "(dead && grant && !full_q)",
                "progress_out",
            ),
            (
                ("accl_command", "with a gate, 1 beat"),
                "accl_gate",
                "request       = s_axis_tvalid && !dead;",
                "request       = !dead;",
                "waits",
            ),
            (
                ("accl_command", "with a gate, 1 beat"),
                "accl_command",
                "grant         = chosen_q & {N{data_q}};",
                "grant         = chosen_q & {N{data_q || command_q}};",
                "orphan|frame_over",
            ),
            (
                ("accl_command", "with 2 gates, 1 and 2 beats"),
                "accl_command",
                "data_q    <= out || (data_q && !sent);",
                "data_q    <= out;",
                "ended",
            ),
            (("accl_command", "2 ends"), "accl_command", "{chosen_q, 1'b0})", "chosen_q)", "turn"),
            (
                ("axis_deal", "2 replicas, pattern of 3"),
                "axis_deal",
                ".next(fire && s_axis_tlast)",
                ".next(fire)",
                "order|origin",
            ),
            (
                ("axis_gather", "2 replicas, pattern of 3, cut 4"),
                "axis_gather",
                ".next(moves && last)",
                ".next(moves)",
                "order|origin|progress_in",
            ),
            (
                ("axis_tag_deal", "2 replicas"),
                "axis_tag_deal",
                "mine ? s_tag_tdata : {1'b0, MARK, least_q}",
                "mine ? s_tag_tdata : {1'b0, MARK, s_tag_tdata[31:0]}",
                "least",
            ),
            (
                ("axis_tag_deal", "2 replicas"),
                "axis_tag_deal",
                ".next(take && ends)",
                ".next(take && !ends)",
                "own|grammar|kept|lively",
            ),
            (
                ("axis_frame_match", "2 inputs of 2 words, each frame at one"),
                "axis_frame_match",
                "able & (~able + 1'b1)",
                "able",
                "one|in_step",
            ),
            (
                ("axis_ddr_fifo", "bursts, a ring of 2"),
                "axis_ddr_fifo",
                "if (m_axi_bvalid != ar_start) stored_q",
                "if (aw_start != ar_start) stored_q",
                "address_read|rest",
            ),
            (
                ("axis_ddr_fifo", "bursts, a ring of 2"),
                "axis_ddr_fifo",
                "some_q && room_q;",
                "some_q;",
                "room",
            ),
            (
                ("axis_concat", "2 inputs of 1 and 2 words, cut 0"),
                "axis_concat",
                "if (next == ID_W'(i)) load",
                "if (turn_q == ID_W'(i)) load",
                "order|origin|frame_end",
            ),
            (
                ("axis_concat", "2 inputs of 3 and 1 words, 3 pixels, cut 4"),
                "axis_concat",
                "(PIXELS - 2)",
                "(PIXELS - 1)",
                "frame",
            ),
            (
                ("axis_add", "2 inputs, signed and unsigned"),
                "axis_add",
                "{ANY && b[B-1], b}",
                "{1'b0, b}",
                "order",
            ),
            (
                ("axis_add", "2 inputs, 2 unsigned elements"),
                "axis_add",
                "if (run) valid_q <=",
                "valid_q <=",
                "stable_valid|order|origin",
            ),
        )
    ),
]
FULL_READY = """assign s_axis_tready = ready_q;
            assign m_axis_tdata  = data_q;
            assign m_axis_tvalid = valid_q;
        end

        if (CUT == FORWARD)"""


# Cycles of a bounded proof, where 40 give no answer: of vnx_seal not in ten minutes, with a latency of 8; of
# axis_ddr_fifo not in eight minutes, and within 32 it is full and empty again.
SHALLOW = {"vnx_seal": 20, "axis_ddr_fifo": 32}


def find(block: str, name: str) -> Proof:
    return next(proof for proof in proofs(block) if proof.name == name)


def spoilt(proof: Proof, folder: Path, block: str, old: str, new: str) -> list[Path]:
    """Return the files of a proof with a mutant of a block."""
    copy = mutant(block, old, new, folder)
    return [copy if file == block_file(block) else file for file in sources(proof)]


def test_the_record_is_of_the_present_sources() -> None:
    stated = {(proof.block, proof.name): proof for proof in proofs()}
    kept = {(block, name): entry for block, entries in recorded().items() for name, entry in entries.items()}
    gone = sorted(key for key in kept if key not in stated)
    stale = sorted(key for key in stated if key in kept and kept[key]["digest"] != digest(stated[key]))
    wrong = {"no longer stated": gone, "proved of other sources": stale}
    assert kept
    assert not any(wrong.values()), f"run make formal: {wrong}"


def test_every_proof_is_recorded() -> None:
    missing = [(p.block, p.name) for p in proofs() if p.name not in recorded().get(p.block, {})]
    assert not missing, f"run make formal: {missing}"


def test_results_are_what_the_engines_give() -> None:
    expected = {"": "paths", "induction": "induction", "pdr": "induction"}
    for proof in proofs():
        entry = recorded()[proof.block][proof.name]
        assert entry["result"] == expected.get(proof.engine, f"bounded {proof.depth}"), (
            proof.block,
            proof.name,
        )
        assert not proof.engine.startswith("bmc") or proof.depth >= SHALLOW.get(proof.block, 40)


def test_every_stream_block_is_proved() -> None:
    blocks = rtl_blocks()
    port = r"^\s*(?:input|output)\s.*\b([sm])_axis_tvalid\b"
    streams = {
        b for b in blocks if {*re.findall(port, block_file(b).read_text(), re.MULTILINE)} == {"s", "m"}
    }
    proved = {proof.block for proof in proofs() if proof.engine}
    # Parts of a block that have no use of their own are proved inside it.
    inside = {file.stem for block in proved for file in closure(block) if "; part of " in file.read_text()}
    assert "axis_fifo" in streams
    assert not streams - proved - inside


@pytest.mark.parametrize(
    ("block", "name"), [("axis_register", "full, 8 bit"), ("axis_width", "1 to 4, 4 to 1 beats")]
)
def test_proof(block: str, name: str) -> None:
    outcome = prove(find(block, name))
    assert outcome.passed, outcome.result + outcome.detail
    assert {"order", "origin", "stable_data", "progress_in", "progress_out", "paths"} <= set(
        outcome.properties
    )


@pytest.mark.parametrize(("key", "block", "old", "new", "falls"), MUTANTS)
def test_mutant_is_refuted(
    key: tuple[str, str], block: str, old: str, new: str, falls: str, tmp_path: Path
) -> None:
    proof = find(*key)
    outcome = prove(proof, spoilt(proof, tmp_path, block, old, new))
    assert not outcome.passed
    assert re.match(rf"refuted: .*({falls})", outcome.result), outcome.result + outcome.detail
    assert outcome.detail.splitlines()[0].split()[0] == "cycle"


def test_no_access_through_the_bridge_hangs() -> None:
    outcome = prove(find("axil_bridge", "no access hangs"))
    assert outcome.passed, outcome.result + outcome.detail
    assert {"hang_w", "hang_r", "order", "lost", "late_b", "late_r", "hold_b", "hold_r"} <= set(
        outcome.properties
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("turn_q    <= take_read;", "turn_q    <= 1'b0;"),  # writes starve
        ("if (m_axil_wready) w_q <= 1'b0;", "if (m_axil_wready && aw_q) w_q <= 1'b0;"),
        ("quiet_q <= level == '0 && !post;", "quiet_q <= !post_valid && !post;"),  # a read passes a write
    ],
)
def test_mutant_of_the_bridge_is_not_proved(old: str, new: str, tmp_path: Path) -> None:
    """Lemmas fail before the hang does, which is too far from reset for the base case."""
    proof = find("axil_bridge", "no access hangs")
    outcome = prove(proof, spoilt(proof, tmp_path, "axil_bridge", old, new))
    assert not outcome.passed
    assert re.match("refuted: |not proved: holds for 2 cycles, but no induction", outcome.result)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("|| !empty_q;", "|| some_q;"),  # beats pass those that are still being written
        ("ring_q ? m_axi_rdata : front_data", "front_data"),
        ("ar_left_q == '0;", "ar_left_q == USED_W'(1);"),
        ("taken_q <= STAGE_W'(STAGE - BURST);", "taken_q <= STAGE_W'(STAGE);"),  # one is lost
        ("m_axi_wready && owing : rear_ready", "m_axi_wready : rear_ready"),
        ("aresetn && !clear;", "aresetn && !drop_q;"),  # what is on its way back comes in later
    ],
)
def test_mutant_of_the_order_of_a_ring_is_not_proved(old: str, new: str, tmp_path: Path) -> None:
    """A lemma fails in a few cycles, or in the step: order itself is lost only when the ring is in use."""
    proof = find("axis_ddr_fifo", "order, a ring of 2")
    files = spoilt(proof, tmp_path, "axis_ddr_fifo", old, new)
    outcome = prove(proof, files)
    assert not outcome.passed
    assert re.match("refuted: |not proved: holds for 4 cycles, but no induction", outcome.result)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("aw_start || aw_valid_q || !empty_q;", "1'b1;"),  # half a burst stays, once the ring was in use
        ("some_q  <= stored_q != '0;", "some_q  <= stored_q > USED_W'(1);"),  # the last burst is not read
    ],
)
def test_mutant_of_the_progress_of_a_ring_is_refuted(old: str, new: str, tmp_path: Path) -> None:
    proof = find("axis_ddr_fifo", "progress, a ring of 2")
    outcome = prove(proof, spoilt(proof, tmp_path, "axis_ddr_fifo", old, new))
    assert not outcome.passed
    assert re.match("refuted: .*progress_out", outcome.result), outcome.result + outcome.detail


def test_combinational_path_is_found(tmp_path: Path) -> None:
    proof = find(*SLICE)
    leaky = FULL_READY.replace("ready_q;", "ready_q || m_axis_tready;", 1)
    outcome = prove(proof, spoilt(proof, tmp_path, "axis_register", FULL_READY, leaky))
    assert outcome.result == "refuted: paths"
    assert outcome.detail == "m_axis_tready -> s_axis_tready: not listed"


def test_paths_are_compared_both_ways() -> None:
    found = {("m_axis_tready", "s_axis_tready"), ("s_axil_araddr", "m_axil_araddr")}
    assert compare_paths(found, ["m_axis_* -> s_axis_*", "s_axil_* -> m_axil_*"]) == []
    assert compare_paths(found, ["m_axis_tready -> s_axis_tready"]) == [
        "s_axil_araddr -> m_axil_araddr: not listed"
    ]
    assert compare_paths(set(), ["a -> b"]) == ["a -> b: no such path"]


@pytest.mark.parametrize(
    ("following", "excluded", "holds"),
    [
        ("4", "1 1\n", True),  # the latch keeps its 0, and the fault is its 1
        ("2", "1 1\n", False),  # it takes the input: not kept by a step
        ("4", "", False),  # does not exclude the fault
        ("4", "1 1\n0 1\n", False),  # does not hold at first
    ],
)
def test_invariant_is_checked(following: str, excluded: str, holds: bool, tmp_path: Path) -> None:
    circuit, invariant = tmp_path / "circuit.aig", tmp_path / "invariant.pla"
    circuit.write_bytes(f"aig 2 1 1 1 0\n{following}\n4\n".encode())
    invariant.write_text(excluded)
    if holds:
        assert check_invariant(circuit, invariant, SCRIPTS / "yices-smt2", 10) == 1
    else:
        with pytest.raises(RuntimeError, match="invariant"):
            check_invariant(circuit, invariant, SCRIPTS / "yices-smt2", 10)
