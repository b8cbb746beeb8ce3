# SPDX-License-Identifier: BSD-3-Clause
"""registers.json: the sources of the blocks say the same; a file that cannot be is refused with its field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from written_pages import GROUP, written_pages

from shellgen.errors import InputError
from shellgen.registers import block_registers, read_registers
from tools.blocks.registers import blocks, constants, sources, written


def test_the_blocks_with_registers_are_known() -> None:
    links = ("vnx_port", "vnx_receiver", "vnx_sender")
    known = ("accl_port", "axil_bridge", "ddr_ring_port", "shell_status", "shell_turns")
    assert blocks() == (*known, *links)


@pytest.mark.parametrize("name", blocks())
def test_the_source_is_as_the_file_says(name: str) -> None:
    """`make registers` would change nothing; it would, after any change of the file."""
    texts, block = [path.read_text() for path in sources(name)], block_registers(name)
    assert written(texts, block) == texts, "run `make registers`"
    for number, register in enumerate(block.registers):
        other = register.model_copy(update={"offset": register.offset + 0x80, "text": "Another"})
        changed = (*block.registers[:number], other, *block.registers[number + 1 :])
        assert written(texts, block.model_copy(update={"registers": changed})) != texts


@pytest.mark.parametrize("name", blocks())
def test_every_constant_is_used(name: str) -> None:
    """A number that the logic does not take from the file would be a number of its own."""
    text = "".join(path.read_text() for path in sources(name))
    lines = constants(block_registers(name))
    names = [line.split(" = ")[0].split()[-1] for line in lines]
    assert names
    assert [one for one in names if text.count(one) < 2] == []


FILE: dict[str, Any] = {
    "schema_version": "shellgen-registers-1",
    "block": "thing",
    "address_bits": 6,
    "registers": [
        {"name": "ID", "offset": 0, "access": "r", "value": 7, "text": "Number"},
        {
            "name": "MODE",
            "offset": 4,
            "access": "rw",
            "width": 8,
            "text": "How",
            "fields": [
                {"name": "FAST", "low": 0, "access": "rw", "reset": 1, "text": "Fast"},
                {"name": "WAYS", "low": 4, "width": 4, "access": "rw", "text": "Ways"},
            ],
        },
        {
            "name": "COUNT",
            "offset": 16,
            "access": "rc",
            "text": "Frames",
            "repeat": {"stride": 8, "count": ["N"], "most": 6},
        },
    ],
}


def read(folder: Path, **changes: Any) -> None:
    """Read the file with some values replaced: by ``registers__1__offset`` and the like."""
    data = json.loads(json.dumps(FILE))
    for path, value in changes.items():
        *places, last = [int(part) if part.isdigit() else part for part in path.split("__")]
        inner = data
        for place in places:
            inner = inner[place]
        inner[last] = value
    (folder / "thing").mkdir(exist_ok=True)
    file = folder / "thing" / "registers.json"
    file.write_text(json.dumps(data))
    assert read_registers(file).block == "thing"


@pytest.mark.parametrize(
    ("change", "where", "found"),
    [
        ({"schema_version": "2"}, "thing/registers.json: schema_version", "shellgen-registers-1"),
        ({"block": "other"}, "thing/registers.json: block", "got other, in the folder of block thing"),
        ({"about": "x"}, "thing/registers.json: about", "this field is not known"),
        ({"registers__0__offset": 2}, "registers[0]", "register ID: offset 0x2 is not a multiple of 4"),
        ({"registers__0__offset": "0"}, "registers[0].offset", "got '0'"),
        ({"registers__0__access": "x"}, "registers[0].access", "got 'x'"),
        ({"registers__0__value": 1 << 32}, "registers[0].value", "a number below"),
        ({"registers__0__access": "rw"}, "registers[0]", 'a fixed value goes with access "r"'),
        ({"registers__1__name": "ID"}, "thing/registers.json", "block thing: the name ID appears twice"),
        ({"registers__1__offset": 0}, "thing/registers.json", "registers ID and MODE are both at 0x0"),
        ({"registers__1__offset": 24}, "thing/registers.json", "registers MODE and COUNT are both at 0x18"),
        ({"registers__1__offset": 60}, "thing/registers.json", "not ascending"),
        ({"registers__1__width": 6}, "registers[1]", "field WAYS overlaps the one before or leaves"),
        ({"registers__1__fields__1__low": 0}, "registers[1]", "field WAYS overlaps the one before"),
        ({"registers__1__fields__1__low": 30}, "registers[1].fields[1]", "bits 30 to 33 of 32"),
        ({"registers__1__fields__1__name": "FAST"}, "registers[1]", "the name FAST appears twice"),
        ({"registers__1__fields__0__name": "type"}, "registers[1]", "the name type is a word of SystemRDL"),
        ({"registers__0__name": "this"}, "thing/registers.json", "the name this is a word of SystemRDL"),
        ({"registers__1__fields__0__reset": 2}, "registers[1].fields[0]", "0x2 has more than its 1 bits"),
        ({"registers__1__name": "a b"}, "registers[1].name", "a Verilog identifier"),
        ({"registers__1__text": "a\nb"}, "registers[1].text", "one line"),
        ({"registers__2__repeat__most": 7}, "thing/registers.json", "COUNT: 0x40 needs more than 6 address"),
        ({"registers__2__repeat__stride": 6}, "registers[2]", "its stride is not a multiple of 4"),
        ({"registers__2__repeat__count": []}, "registers[2].repeat.count", "at least 1"),
        ({"registers": []}, "thing/registers.json: registers", "at least 1"),
    ],
)
def test_a_file_that_cannot_be_is_refused(
    tmp_path: Path, change: dict[str, Any], where: str, found: str
) -> None:
    read(tmp_path)
    with pytest.raises(InputError) as error:
        read(tmp_path, **change)
    (problem,) = error.value.problems
    assert where in str(problem)
    assert found in str(problem)


def test_a_file_that_is_missing_or_no_json(tmp_path: Path) -> None:
    path = tmp_path / "thing" / "registers.json"
    path.parent.mkdir()
    for text, found in ((None, "there is no such file"), ("{", "is not JSON")):
        if text:
            path.write_text(text)
        with pytest.raises(InputError, match=found):
            read_registers(path)


@GROUP
def test_pages_show_the_registers() -> None:
    """Each with its parts and reset values, and not a second time as the comment has them."""
    page = written_pages()["blocks/shell_status.html"]
    table = page[page.index('id="registers"') : page.index("<h2>Timing")]
    for cells in (
        ("0x014 + 0x20*j", "ERRORS", "r/w1c"),
        ("", "[2] HOLD", "rw"),
        ("0x114 + 0x20*k", "FRAMES_PER_TRANSFER", "rw"),
    ):
        row = "<tr><td><code>{}</code></td><td><code>{}</code></td><td>{}</td>".format(*cells)
        assert row in table
    assert page.count("r/w1c") == 1
