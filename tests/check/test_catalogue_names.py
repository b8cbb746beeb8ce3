# SPDX-License-Identifier: BSD-3-Clause
"""Unknown names, versions and parts; and unseen ones that may exist."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_design import Block, SmallCatalogue

from shellgen.check.rules.base import RULES, Context, all_rules
from tools.ip_facts.names import seen, table, text
from vivado_check.design import Setting
from vivado_check.ip.names import misspelt, of_release, versions
from vivado_check.recording import Project, Recording
from vivado_check.report import Origin, Verdict

all_rules()  # fills RULES


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("xilinx.com:ip:axi_dmma:7.1", "xilinx.com:ip:axi_dma:7.1"),
        ("xilinx.com:ip:axi_dmaa:7.1", "xilinx.com:ip:axi_dma:7.1"),
        ("xilinx.com:ip:smartconect", "xilinx.com:ip:smartconnect"),
        ("xilinx.com:ip:AXI_GPIO:2.0", "xilinx.com:ip:axi_gpio:2.0"),
        ("xilinx.com:pi:axi_gpio:2.0", "xilinx.com:ip:axi_gpio:2.0"),
        ("xlinx.com:ip:axi_gpio:2.0", "xilinx.com:ip:axi_gpio:2.0"),
        ("xilinx.com:ip:axi_gpio2:2.0", ""),
        ("xilinx.com:ip:axi_gpoi:1.0", ""),
        ("xilinx.com:ip:my_gpio:2.0", ""),
        ("xilinx.com:hls:axi_gpio:2.0", ""),
        ("xilinx.com:ip:axi_gpio:2.0", ""),
    ],
)
def test_a_slip(written: str, meant: str) -> None:
    assert misspelt(written) == meant


def test_versions_of_a_release() -> None:
    known = [one.vlnv.rpartition(":")[2] for one in versions("xilinx.com:ip:zynq_ultra_ps_e")]
    assert known == sorted(known)
    assert {"3.3", "3.5"} <= set(known)
    assert [one.vlnv for one in of_release("xilinx.com:ip:axi_dma", "2020.1")] == [
        "xilinx.com:ip:axi_dma:7.1"
    ]
    assert versions("who.com:ip:axi_dma") == of_release("xilinx.com:ip:axi_dma", "2031.1") == ()


def test_names_of_no_facts_are_known(tmp_path: Path) -> None:
    """Only the release of the file is mined, and nothing that its repository packages."""
    checkout = tmp_path / "one+two"
    (checkout / "own").mkdir(parents=True)
    (checkout / "own/component.xml").write_text("<spirit:name>mine</spirit:name>")
    heads = {"b.bd": '"tool_version": "2019.1.3"', "a.bd": '"tool_version": "2024.1"', "c.tcl": "# 2020.1"}
    for name, head in heads.items():
        (checkout / name).write_text(f'{head} "xilinx.com:ip:axi_dma:7.1" "xilinx.com:ip:mine:1.0"')
    listed = table(seen([checkout]))
    assert listed == {"ip:axi_dma": {"7.1": ["2019.1", "2024.1", "one/two: b.bd", "one/two: a.bd"]}}
    assert text(listed).endswith('"one/two: a.bd"]\n}\n}\n')


def test_a_release_that_nobody_stated_says_nothing_of_versions() -> None:
    made = Block()
    made.cell("/u", "xilinx.com:ip:zynq_ultra_ps_e:3.5")
    made.cell("/f", "xilinx.com:ip:axis_data_fifo:1.1")
    context = made.context()
    judge = RULES["unknown-vlnv"].judge
    assert [one.verdict for one in judge(context)] == [Verdict.ERROR, Verdict.FINDING]
    context.recording.stated = False
    assert list(judge(context)) == []


def test_an_ip_of_a_repository_may_be_called_as_it_likes() -> None:
    made = Block()
    made.cell("/d", "xilinx.com:ip:axi_dmma:7.1")
    context = made.context()
    assert len(list(RULES["misspelt-ip"].judge(context))) == 1
    context.recording.repositories["xilinx.com:ip:axi_dmma:7.1"] = Path("component.xml")
    assert list(RULES["misspelt-ip"].judge(context)) == []


@pytest.mark.parametrize(
    ("part", "near"),
    [
        ("xc7z020clg400-1", None),
        ("XC7Z020CLG484-1", None),
        ("xc7z045ffg900-2", None),
        ("xc7z020iclg484-1L", None),
        ("xc7a35tcsg324-1", None),
        ("xczu9eg-ffvb1156-2-e", None),
        ("xc7z020-1clg484", None),
        ("", None),
        ("xc7z020clg40-1", "xc7z020clg400-1"),
        ("xc7z02clg400-1", "xc7z020clg400-1"),
        ("xc7z020clg400-4", "xc7z020clg400-"),
        ("xc7a100tffg484-1", "xc7a100tfgg484-1"),
    ],
)
def test_a_part_that_there_is_not(part: str, near: str | None) -> None:
    project = Project("one", Path(), part, Origin("a.tcl", 1))
    context = Context(Recording("2022.2", Path(), projects=[project]), SmallCatalogue(), Path())
    found = list(RULES["part-unknown"].judge(context))
    assert [one.vivado for one in found] == ([] if near is None else ["Coretcl 2-106"])
    assert all(near in one.expected for one in found if near)
    later = replace(project, properties={"part": Setting(part, Origin("a.tcl", 2))})
    context.recording.projects[:] = [later]
    assert [(one.origin.line, one.vivado) for one in RULES["part-unknown"].judge(context)] == [
        (2, "") for _ in found
    ]
