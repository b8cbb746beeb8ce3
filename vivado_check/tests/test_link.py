# SPDX-License-Identifier: BSD-3-Clause
"""Configuration files of v++ --link, judged by the descriptions of the kernels alone."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from vivado_check.cli import main

READER = """<root><kernel name="reader"><ports>
<port name="s_axi_control" mode="slave" range="0x1000" dataWidth="32" portType="addressable" base="0x0"/>
<port name="m_axi_gmem" mode="master" range="0xFFFFFFFF" dataWidth="512" portType="addressable" base="0x0"/>
<port name="out" mode="write_only" dataWidth="512" portType="stream"/>
</ports><args>
<arg name="data" addressQualifier="1" id="0" port="m_axi_gmem" size="0x8" offset="0x10"/>
<arg name="size" addressQualifier="0" id="1" port="s_axi_control" size="0x4" offset="0x1c"/>
</args></kernel></root>"""
ADDER = """<root><kernel name="adder"><ports>
<port name="in" mode="read_only" dataWidth="64" portType="stream"/>
<port name="sum" mode="write_only" dataWidth="512" portType="stream"/>
</ports><args/></kernel></root>"""
RIGHT = """platform=xilinx_u280_gen3x16_xdma_1_202211_1
kernel_frequency=0:300|1:500

[connectivity]
nk=reader:1:reader_0
nk=adder:2          # adder_1 and adder_2
slr=adder_1:SLR2
sp=reader_0.data:HBM[0:3]
sp=reader_0.m_axi_gmem:DDR[1]
stream_connect=reader_0.out:adder_1.in:64
sc=adder_1.sum:adder_2.in

[clock]
freqHz=250000000:adder_1.ap_clk,adder_2
"""
# What is put for what, the verdict and the place of the message.
MISTAKES = {
    "another section": ("[connectivity]\n", "[vivado]\n", "error", "nk"),
    "a name too many": ("nk=adder:2 ", "nk=adder:2:a.b.c ", "error", "adder"),
    "no number": ("nk=adder:2 ", "nk=adder:two ", "error", "adder"),
    "a name twice": ("nk=adder:2 ", "nk=adder:2:reader_0.adder_2 ", "error", "reader_0"),
    "no such unit": ("adder_1.in", "adder_3.in", "error", "adder_3"),
    "no such stream": ("reader_0.out", "reader_0.outp", "error", "reader_0.outp"),
    "backwards": ("reader_0.out:adder_1.in:64", "adder_1.in:reader_0.out:64", "error", "adder_1.in"),
    "connected twice": ("sc=adder_1.sum:adder_2.in", "sc=adder_1.sum:adder_1.in", "error", "adder_1.in"),
    "itself": ("sc=adder_1.sum:adder_2.in", "sc=adder_2.sum:adder_2.in", "error", "adder_2.sum:adder_2.in"),
    "no depth": (":64", ":deep", "error", "reader_0.out:adder_1.in:deep"),
    "one end": ("adder_1.sum:adder_2.in", "adder_1.sum", "error", "adder_1.sum"),
    "an input that is open": ("sc=adder_1.sum:adder_2.in", "", "finding", "adder_2.in"),
    "no such SLR": ("adder_1:SLR2", "adder_1:SLR3", "error", "adder_1"),
    "no SLR": ("adder_1:SLR2", "adder_1:2", "error", "adder_1"),
    "placed twice": ("slr=adder_1:SLR2\n", "slr=adder_1:SLR2\nslr=adder_1:SLR1\n", "error", "adder_1"),
    "no such argument": ("reader_0.data", "reader_0.dat", "error", "reader_0.dat"),
    "a register in memory": ("reader_0.data", "reader_0.size", "error", "reader_0.size"),
    "no such bank": ("DDR[1]", "DDR[2]", "error", "DDR[2]"),
    "banks backwards": ("HBM[0:3]", "HBM[3:0]", "error", "HBM[3:0]"),
    "no bank": ("reader_0.m_axi_gmem:DDR[1]", "reader_0.m_axi_gmem", "error", "reader_0.m_axi_gmem"),
    "MHz for Hz": ("250000000:adder_1.ap_clk,adder_2", "250MHz:adder_1", "error", "freqHz"),
    "a clock of nothing": (",adder_2\n", ",adder_9\n", "error", "adder_9"),
    "a rate in words": ("0:300|1:500", "fast", "error", "kernel_frequency"),
}


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """A folder with one description as a file and one inside a .xo."""
    (tmp_path / "reader").mkdir()
    (tmp_path / "reader" / "kernel.xml").write_text(READER)
    with zipfile.ZipFile(tmp_path / "adder.xo", "w") as archive:
        archive.writestr("ip_repo/other.xml", "<a/>")
        archive.writestr("adder/kernel.xml", ADDER)
    return tmp_path


def checked(
    folder: Path, text: str, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[int, dict[str, list[str]]]:
    """Return the exit code, and the places of the messages by verdict."""
    path = folder / "link.cfg"
    path.write_text(text)
    code = main([str(path), "--learn", str(folder), "--json", *more])
    found: dict[str, list[str]] = {}
    for message in json.loads(capsys.readouterr().out).get("checked", {}).get("link.cfg", []):
        found.setdefault(message["verdict"], []).append(message["where"])
    return code, found


def test_a_right_file(described: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An output that nothing takes may be meant so; all else is known to be right."""
    assert checked(described, RIGHT, capsys) == (0, {"not modelled": ["adder_2.sum"]})


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake(case: str, described: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new, verdict, where = MISTAKES[case]
    assert RIGHT.count(old) == 1
    code, found = checked(described, RIGHT.replace(old, new), capsys)
    assert where in found.get(verdict, []), found
    assert code == 1


def test_kernels_that_nobody_describes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Kernels that are known by name are judged; any other is not modelled."""
    (tmp_path / "kernel.xml").write_text(ADDER)
    text = """[connectivity]
nk=networklayer:1:networklayer_0
nk=cmac_0:1:cmac_0
stream_connect=cmac_0.M_AXIS:networklayer_0.S_AXIS_eth2nl
stream_connect=mine_1.out:networklayer_0.S_AXIS_sk2nl
"""
    assert checked(tmp_path, text, capsys) == (0, {"not modelled": ["mine_1"]})
    wrong = text.replace("S_AXIS_eth2nl", "M_AXIS_nl2eth")
    assert checked(tmp_path, wrong, capsys) == (
        1,
        {"error": ["networklayer_0.M_AXIS_nl2eth"], "not modelled": ["mine_1"]},
    )


def test_a_kernel_that_stays_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kernel.xml").write_text(ADDER)
    assert checked(tmp_path, "[connectivity]\nnk=adder:0\n", capsys) == (0, {})


def test_nothing_known_is_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kernel.xml").write_text(READER)
    text = "[connectivity]\nstream_connect=a_1.x:b_1.y\nsp=a_1.z:DDR[0]\n"
    assert checked(tmp_path, text, capsys)[0] == 3


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("kernel.xml", b"<root>", RIGHT),
        ("kernel.xml", b"<root/>", RIGHT),
        ("kernel.xml", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', RIGHT),
        ("k.xo", b"PK\x03\x04 nothing", RIGHT),
        ("kernel.xml", READER.encode(), "# nothing\n"),
        ("kernel.xml", READER.encode(), "[connectivity]\nnk=adder:$COUNT$\n"),
        ("kernel.xml", READER.encode(), "[connectivity]\nslr=adder_{{ i }}:SLR0\n"),
        ("kernel.xml", READER.encode(), "[Runtime]\nert=false\n"),
    ],
)
def test_bad_input(
    name: str, content: bytes, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    path = tmp_path / "link.cfg"
    path.write_text(text)
    assert main([str(path), "--learn", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("vivado-check: error: ")
    assert len(said.splitlines()) == 1
