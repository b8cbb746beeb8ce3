# SPDX-License-Identifier: BSD-3-Clause
"""Rules on packages: one mistake each in the script that packages a kernel."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from vitis_project import write_cards
from vivado_session import Vivado, run_script, texts

pytestmark = pytest.mark.xdist_group("vitis")

# What is replaced in package.tcl (None: in the kernel's top), by what, what is said.
MISTAKES = {
    "no clock": (
        "ipx::associate_bus_interfaces -busif $name -clock ap_clk $core",
        "",
        "kernel-interfaces:  s_axi_control: it has no clock",
    ),
    "no reset": (
        "ipx::associate_bus_interfaces -clock ap_clk -reset ap_rst_n $core",
        "",
        "kernel-interfaces:  ap_clk: it has no reset",
    ),
    "not saved": ("ipx::save_core $core", "", "it was changed after it was saved, or never saved"),
    "changed afterwards": (
        "ipx::save_core $core",
        "ipx::save_core $core\nset_property core_revision 2 $core",
        "it was changed after it was saved",
    ),
    "memory of no type": ("set_property type mif $file", "", "package-memory:  src/partition/memblock.dat"),
    "loose pin": (None, "", "kernel-interfaces:  extra: it is part of no interface"),
}


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cards(tmp_path_factory.mktemp("cards"), "u250", "u250")


def said(card: Path, folder: Path, old: str | None, new: str) -> str:
    shutil.copytree(card, folder / "card0")
    file = folder / "card0" / "vitis" / ("package.tcl" if old else "card0_kernel.v")
    text = file.read_text()
    old = old or "module card0_kernel ("
    assert old in text
    file.write_text(
        text.replace(old, new or ("" if file.suffix == ".tcl" else f"{old}\n    input wire extra,"))
    )
    vivado = Vivado("2022.2")
    run_script(vivado, folder / "card0" / "vitis" / "package.tcl")
    return texts(vivado.said())


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said(name: str, card: Path, tmp_path: Path) -> None:
    old, new, expected = MISTAKES[name]
    found = said(card, tmp_path, old, new)
    assert expected in found, found


def test_what_is_right_is_not(card: Path, tmp_path: Path) -> None:
    assert said(card, tmp_path, "exit 0", "exit 0") == ""
