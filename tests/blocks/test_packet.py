# SPDX-License-Identifier: BSD-3-Clause
"""packet.json: what reads packets has its numbers from there, and the fields are where they can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.resources import data_dir
from tools.blocks.block_bench import TOOLS
from tools.blocks.packet import BEAT_BYTES, MARK, Packet, packet, python, sources, values, written

SOURCES = sources()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_what_was_written_is_as_the_file_says(path: Path) -> None:
    """`make registers` would change nothing; it would, after any change of the file."""
    text, made = path.read_text(), packet()
    assert SOURCES[path](text, made) == text, "run `make registers`"
    moved = [field.model_copy(update={"byte": field.byte + 1, "value": 7}) for field in made.header]
    kinds = [kind.model_copy(update={"value": kind.value + 1}) for kind in made.kinds]
    ack = [field.model_copy(update={"byte": field.byte + 1}) for field in made.ack]
    other = made.model_copy(update={"header": tuple(moved), "kinds": tuple(kinds), "ack": tuple(ack)})
    assert SOURCES[path](text, other) != text


def test_fields_have_their_own_bits() -> None:
    made = packet()
    taken: list[int] = []
    for field in made.fields:
        taken += range(field.bit, field.bit + field.bits) if field not in made.ack else ()
        assert field.bits % 8 == 0 or field.bit // 8 == (field.bit + field.bits - 1) // 8
        assert field.value is None or field.value < 1 << field.bits
    assert len(set(taken)) == len(taken)
    assert taken == sorted(taken)
    assert max(field.bit + field.bits for field in made.header) <= 8 * made.header_bytes
    for half in (made.hello, made.ack):
        assert min(field.bit for field in half) >= 8 * made.header_bytes
        assert max(field.bit + field.bits for field in half) <= 8 * BEAT_BYTES
    for numbers, size in (
        ([kind.value for kind in made.kinds], 4),
        ([field.refuse for field in made.fields if field.refuse is not None], 5),
    ):
        assert len(set(numbers)) == len(numbers)
        assert max(numbers) < 1 << size
    assert {kind.name for kind in made.kinds if kind.value >= made.first_reply} == {
        "welcome",
        "ack",
        "refuse",
        "restart",
    }


def test_a_source_gets_what_it_names() -> None:
    text = f"x\n    // {MARK}---\n    old\n\nassign y = x[BIT_SEQ +: BITS_SEQ]; // BIT_LINK\n"
    made: Packet = packet()
    assert written(text, made).split("\n")[2:5] == [
        "    localparam int BIT_SEQ = 96;",
        "    localparam int BITS_SEQ = 32;",
        "",
    ]
    for broken in (text.replace(MARK, ""), text + text):
        with pytest.raises(ValueError, match="one line"):
            written(broken, made)
    scope: dict[str, object] = {}
    exec("\n".join(python(made, "")), scope)  # noqa: S102 - it is ours
    assert (scope["MAGIC"], scope["RESTART"]) == (0x4753, 11)
    assert scope["FIELDS"]["seq"] == (96, 32)  # type: ignore[index]
    assert len(values(made)) == len(set(values(made).values()))


def test_nobody_has_numbers_of_its_own() -> None:
    """The magic number is in packet.json and in the files written from it, and nowhere else."""
    benches = (TOOLS / "bench").glob("*.sv")
    programs = (data_dir("templates") / "host").glob("*.py")
    for path in (*data_dir("ip").rglob("vnx_*/*.sv"), *benches, *programs):
        if "4753" in path.read_text():
            assert path in SOURCES
