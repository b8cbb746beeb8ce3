# SPDX-License-Identifier: BSD-3-Clause
"""User logic of Coyote v2 in models of Coyote's interfaces: two compilers elaborate it, and it runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pyslang
import pytest
from coyote_project import write_vfpga
from coyote_sim import applications, build_shell, elaborate, forgotten, hdl
from waiting import PATIENCE

pytestmark = pytest.mark.xdist_group("coyote")

SHAPES: dict[str, dict[str, Any]] = {
    "one": {},
    "many": {"rx": 3, "tx": 2, "partitions": 2},
    "sends": {"rx": 0, "tx": 2},
    "takes": {"rx": 2, "tx": 0, "coyote": {"rdma": True}},
    "third": {"coyote": {"regions": 4, "region": 3, "rdma": True}},
}


def slang(node: Path, folder: Path) -> list[str]:
    """Return what slang says of the card of a node that is more than a matter of taste."""
    words = hdl(node, folder, applications(node))
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    words = [word.replace("--top-module", "--top") for word in words]
    command = ["slang", "--single-unit", "--allow-use-before-declare", *words]
    assert driver.parseCommandLine(" ".join(command), pyslang.driver.CommandLineOptions())
    assert driver.processOptions()
    assert driver.parseAllSources()
    compilation = driver.createCompilation()
    return [str(one.code) for one in compilation.getAllDiagnostics() if one.isError()]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_port_is_there_and_every_interface_driven(shape: str, tmp_path: Path) -> None:
    node = write_vfpga(tmp_path / "out", **SHAPES[shape])
    assert elaborate(node, tmp_path) == ""
    assert slang(node, tmp_path) == []
    assert [forgotten(one) for one in applications(node).values()] == [[]] * len(applications(node))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (".s_host_0_tid(", ".s_host_0_user(", "s_host_0_user"),
        ("axi_ctrl.wstrb", "axi_ctrl.strobe", "strobe"),
        ("axis_host_send[0].tlast", "axis_host_sent[0].tlast", "axis_host_sent"),
        ("    .s_axil_rready(axi_ctrl.rready),\n", "", "PINMISSING"),
        ("axi_ctrl.awaddr[15:0]", "axi_ctrl.awaddr[11:0]", "WIDTHEXPAND"),
    ],
)
def test_a_mistake_is_seen(old: str, new: str, told: str, tmp_path: Path) -> None:
    node = write_vfpga(tmp_path / "out")
    top = node / "coyote" / "hw" / "src" / "vfpga_top.svh"
    assert old in top.read_text()
    top.write_text(top.read_text().replace(old, new))
    assert told in elaborate(node, tmp_path)


@pytest.mark.parametrize(
    ("old", "told"),
    [
        ("always_comb sq_rd.tie_off_m();", "sq_rd"),
        ("always_comb rq_wr.tie_off_s();", "rq_wr"),
        ("assign axis_host_recv[1].tready = 1'b1;", "axis_host_recv[1]"),
        ("always_comb axis_rrsp_send[i].tie_off_m();", "axis_rrsp_send[0]"),
    ],
)
def test_an_interface_that_nobody_drives_is_seen(old: str, told: str, tmp_path: Path) -> None:
    (one,) = applications(write_vfpga(tmp_path / "out", tx=2, coyote={"rdma": True})).values()
    assert old in one.top.read_text()
    one.top.write_text(one.top.read_text().replace(old, ""))
    assert forgotten(one) == [told]


PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "shell.hpp"

typedef unsigned long long word;

enum { CONTROL = 6, HOLD = 4, SLAVE = 1024 };  // indices: a register has 4 bytes in the core, 8 at the host

static word read(unsigned region, unsigned index) { return Shell::get().csr_read(region, index); }

int main(int count, char **words) {
    Shell &card = Shell::get();
    unsigned own = atoi(words[1]), frames = 40;
    if (count > 2) card.stall(atoi(words[2]));
    for (unsigned region = 0; region < REGIONS; region++) {
        word id = read(region, 0);
        printf("%u: %llx %u", region, id, card.response());
        card.csr_write(region, 7, 0xdeadbeef00000000ull + region);
        word kept = read(region, 7);
        printf(" %llx %u", kept, card.response());
        read(region, 8191);
        printf(" %u\n", card.response());
    }
    for (unsigned dest = 0; dest < STREAMS; dest++) {
        std::vector<uint8_t> sent(64 * frames), got(64 * frames, 0xee);
        for (unsigned frame = 0; frame < frames; frame++)
            for (unsigned byte = 0; byte < 8; byte++) sent[64 * frame + byte] = rand();
        card.start_read(own, dest, 5, sent.data(), 64);
        card.start_write(own, dest, 5, got.data(), 64);
        while (card.done_writes(own, 5) < 1) {
        }
        for (unsigned frame = 1; frame < frames; frame++) {
            card.start_read(own, dest, 5, &sent[64 * frame], 64);
            card.start_write(own, dest, 5, &got[64 * frame], 64);
        }
        while (card.done_writes(own, 5) < frames) {
        }
        printf("stream %u: %s, %u reads\n", dest, sent == got ? "equal" : "differs", card.done_reads(own, 5));
        card.clear(own, 5);
    }
    card.csr_write(own, CONTROL, HOLD);
    word id = read(own, 0);
    printf("held: %llx %u", id, card.response());
    read(own, SLAVE);
    printf(", slave %u", card.response());
    card.csr_write(own, CONTROL, 0);
    while (read(own, CONTROL)) {
    }
    printf(", released\n");
    printf("elsewhere %u, '%s'\n", card.elsewhere(), card.error().c_str());
    return 0;
}
"""


@pytest.mark.sweep
@pytest.mark.parametrize("region", [0, 3])
def test_a_card_with_the_core_in_one_of_its_vfpgas(region: int, tmp_path: Path) -> None:
    """Registers by their index, wherever the window is; frames are exact; every access is answered."""
    shape = {"regions": region + 1, "region": region}
    node = write_vfpga(tmp_path / "out", rx=2, tx=2, coyote=shape)
    (tmp_path / "program.cpp").write_text(PROGRAM)
    program = build_shell(node, tmp_path, [tmp_path / "program.cpp"])
    for stall in ("0", "100"):
        command = [str(program), str(region), stall]
        said = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=PATIENCE
        ).stdout
        idle = [f"{one}: 0 3 0 3 3" for one in range(region)]
        assert said.splitlines() == [
            *idle,
            f"{region}: 5348474e 0 {region:x} 0 3",
            "stream 0: equal, 40 reads",
            "stream 1: equal, 40 reads",
            "held: 5348474e 0, slave 2, released",
            "elsewhere 0, ''",
        ]


def test_what_the_stand_in_says_of_the_shell(tmp_path: Path) -> None:
    """The other vFPGAs hold the idle application, all in the same shell."""
    node = write_vfpga(tmp_path / "out", rx=2, tx=1, coyote={"regions": 3, "region": 1})
    found = applications(node)
    assert {region: one.top.parent.name for region, one in found.items()} == {0: "idle", 1: "src", 2: "idle"}
    assert {(one.streams, one.rdma) for one in found.values()} == {(2, False)}
    assert re.search(r"axis_host_send\[1\]\.tie_off_m", found[1].top.read_text())
