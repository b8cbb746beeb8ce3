# SPDX-License-Identifier: BSD-3-Clause
"""The program of a node in a card that runs Coyote: weights and frames through a real core."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from accl_cluster import reference
from cluster_bench import GOLDEN_FRAMES, Chain, generate_fake
from coyote_host import compile_program, generate_coyote, verilated
from coyote_sim import STAND_IN
from fake_network import chain, partition, spec
from host_board import HostBoard, Said
from memory_partition import WORDS, memories
from waiting import PATIENCE

from shellgen.api import weights

pytestmark = pytest.mark.xdist_group("coyote_host")
SWEEP = pytest.mark.sweep

# 75 bytes from the host, 120 to it.
CARD = Chain(
    widths=(200, 6, 60),
    activations="UINT3",
    folds=((3, 25, 3), (10, 6, 10)),
    cuts=(0, 1),
    nodes=(("card", "u55c", (0, 1)),),
    writeable=(1,),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coyote_host")
    generate_coyote(CARD, folder)
    weights(folder / "cluster.toml", folder / "weights")
    compile_program(folder / "out", "card", folder)
    return folder


def run(made: Path, folder: Path, *runs: list[object], **lost: int) -> list[Said]:
    board = HostBoard(made / "out", "card", lost=lost, library=made / "run_card", program="coyote_program")
    return board.run(folder, *runs)


def test_the_map_tells_of_host_streams(made: Path) -> None:
    (node,) = json.loads((made / "out" / "memory_map.json").read_text())["nodes"]
    assert (node["bus"], node["vfpga"]) == ("coyote", {"version": "v2", "region": 0})
    assert node["channels"] == [
        {"stream": 0, "direction": "in", "dest": 0, "max_bytes": 1 << 27},
        {"stream": 1, "direction": "out", "dest": 0, "max_bytes": 1 << 27},
    ]
    assert [(one["frame_bytes"], one["memory_bytes"]) for one in node["streams"]] == [(75, 128), (120, 128)]
    header = (made / "out" / "card" / "memory_map.h").read_text()
    assert "shellgen_card_channels[2] = {\n    {0, 0, 134217728},\n    {1, 0, 134217728},\n};" in header


def test_weights_and_frames(made: Path, tmp_path: Path) -> None:
    """One program after the other on one card, which nobody resets."""
    given: list[object] = ["--input", made / "in.npy", "--golden", made / "out.npy"]
    bad = np.load(made / "out.npy")
    bad[2, 7] += 1
    np.save(tmp_path / "bad.npy", bad)
    np.save(tmp_path / "shape.npy", np.zeros((4, 35), np.uint8))
    folder = made / "weights" / "card"
    said = run(
        made,
        tmp_path / "run",
        ["--load", folder, *given, "--output", tmp_path / "y.npy"],
        ["TERMINAL=1", "--check", folder, *given, "--batch", 2],
        ["COYOTE_NO_HUGE_PAGES=1", "--input", made / "in.npy", "--golden", tmp_path / "bad.npy"],
        ["--input", tmp_path / "shape.npy"],
    )
    assert [one.code for one in said] == [0, 0, 1, 2], said
    assert re.fullmatch(
        r"card: 1 memory, \d+ registers written and read back, \S+ s\n"
        r"card: 5 frames in \S+ s, \d+ frames/s\ncard: as in the golden frames\n",
        said[0].out,
    )
    found, wanted = np.load(tmp_path / "y.npy"), np.load(made / "out.npy")
    assert np.array_equal(found.reshape(GOLDEN_FRAMES, -1), wanted.reshape(GOLDEN_FRAMES, -1))
    assert "registers read, and all as in the files" in said[1].out
    loads, moves = r"card: \d of 1 memories read back, \d+ s", r"card: \d of 5 frames, \d+ s"
    line = r"\r\x1b\[K"
    assert re.fullmatch(f"({line}{loads})+{line}({line}{moves})+{line}", said[1].err), said[1]
    assert "card: no huge pages (there is none), so ordinary ones, which are slower" in said[2].err
    assert "StreamingDataflowPartition_1_to_host differs from" in said[2].err
    assert "a frame has 35 elements, and the stream takes 200" in said[3].err


@SWEEP
def test_what_comes_to_no_end(made: Path, tmp_path: Path) -> None:
    """A completion that Coyote withholds, missing memory, a user who interrupts."""
    given: list[object] = ["--input", made / "in.npy", "--golden", made / "out.npy"]
    said = run(
        made,
        tmp_path / "run",
        ["COYOTE_WITHHOLD=1", *given, "--timeout", 3],
        ["COYOTE_NO_PAGES=1", *given],
        ["COYOTE_NO_DRIVER=1", *given],
        ["SIGNAL=4", *given, "--batch", 1],
        given,
    )
    assert [one.code for one in said] == [2, 2, 2, 130, 0], said
    texts = [
        "nothing moved for 3 s; if the network is only slow, give --timeout more; m_host_0: 0 of 1",
        "no memory of 8192 bytes for stream StreamingDataflowPartition_1_to_host: ERROR: IOCTL",
        "device 0, vFPGA 0: ERROR: cThread instance could not be obtained, vfid: 0; is Coyote's driver",
        "run_card: interrupted\n",
        "",
    ]
    for one, text in zip(said, texts, strict=True):
        assert text in one.err, one
    assert said[0].err.endswith("a transfer still waits in Coyote: reload the shell of Coyote\n")


@SWEEP
def test_a_core_of_another_build(made: Path, tmp_path: Path) -> None:
    """Nothing is written before it has shown the build id of the map."""
    other = tmp_path / "out"
    for path in (made / "out" / "card" / "memory_map.h", *(made / "out" / "host").iterdir()):
        (other / path.relative_to(made / "out")).parent.mkdir(parents=True, exist_ok=True)
        (other / path.relative_to(made / "out")).write_bytes(path.read_bytes())
    header = other / "card" / "memory_map.h"
    header.write_text(re.sub(r"(CARD_BUILD_ID UINT64_C\(0x)[0-9a-f]{4}", r"\g<1>0123", header.read_text()))
    program = compile_program(other, "card", tmp_path)
    board = HostBoard(made / "out", "card", library=program, program="coyote_program")
    (said,) = board.run(tmp_path / "run", ["--load", made / "weights" / "card"])
    assert said.code == 2
    assert "memory_map.h is for 0123" in said.err
    assert json.loads((tmp_path / "run" / "accesses.json").read_text()) == [{"r": 3, "w": 0}]


@SWEEP
@pytest.mark.parametrize(
    ("lost", "options", "told"),
    [
        (1, (), "no result of a frame of zeros within 3 s: are all cards brought up?"),
        (4, ("--batch", 1), "the core saw framing errors, flags 0x1"),
        (11, ("--batch", 5), "nothing moved for 3 s"),
    ],
    ids=["of the zeros", "of a transfer among others", "of the last transfer"],
)
def test_a_beat_that_is_lost(
    made: Path, tmp_path: Path, lost: int, options: tuple[object, ...], told: str
) -> None:
    """The core waits for it, and Coyote for frames; both come to an end, and the next run is right."""
    given: list[object] = ["--input", made / "in.npy", "--golden", made / "out.npy"]
    said = run(made, tmp_path / "run", [*given, *options, "--timeout", 3], given, s_host_0=lost)
    assert [one.code for one in said] == [2, 0], said
    assert told in said[0].err


def test_the_command_line(made: Path, tmp_path: Path) -> None:
    """Every error that can be found before the card is opened is reported then, in one line."""
    cases: list[tuple[list[object], int, str]] = [
        (["--help"], 0, "Exit code: 0; 1 if a golden frame differs; 2 on an error."),
        ([], 2, "nothing is asked for; --help tells what it does"),
        (["--bring-up"], 2, "--bring-up: no such option, or it needs a value; --help tells all"),
        (["x"], 2, "x: options begin with --; --help tells all"),
        (["--nix", "1"], 2, "--nix: no such option; --help tells all"),
        (["--batch", "0"], 2, "--batch 0: give a number from 1 to 4294967295"),
        (["--vfpga", "15"], 2, "--vfpga 15: give a number from 0 to 14"),
        (["--timeout", "soon"], 2, "--timeout soon: give some seconds"),
        (["--input", "s_host_1=x.npy"], 2, "s_host_1=x.npy: No such file or directory"),
        (["--input", tmp_path / "x.npy"], 2, "x.npy: No such file or directory"),
        (["--output", tmp_path / "no" / "y.npy"], 2, "no: No such file or directory"),
        (["-h"], 0, "usage: run_card [options]"),
        (["--partial"], 2, "--partial does nothing without --load or --check; --help tells all"),
        (["--batch", "3"], 2, "--batch does nothing without frames to run; --help tells all"),
        (["--load", "x", "--check", "y"], 2, "--check: one --load or one --check is enough"),
        (["--load", "x"], 2, "device 0, vFPGA 0: stub: COYOTE_SHELL is no socket"),
    ]
    for arguments, code, text in cases:
        command = [str(made / "run_card"), *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == code, result
        assert text in result.stdout + result.stderr, result
        assert code == 0 or len(result.stderr.splitlines()) == 1, result
        assert all(len(line) <= 80 for line in result.stdout.splitlines()), result.stdout


def two_streams(folder: Path, version: str) -> list[object]:
    """Generate a card that forwards two streams, and return the arguments of the program."""
    word = ("UINT4", 2, 16)
    node = {"name": "card", "board": "u55c", "platform": "coyote", "partitions": [0]}
    cluster = spec([{**node, "options": {"coyote": {"version": version}}}])
    generate_fake(chain(partition("pair", (word, word), (word, word))), cluster, folder / "out")
    given: list[object] = []
    for stream in range(2):
        path = folder / f"x{stream}.npy"
        np.save(path, np.random.default_rng(stream).integers(0, 16, (GOLDEN_FRAMES, 16)))
        given += ["--input", f"s_host_{stream}={path}", "--golden", f"m_host_{stream}={path}"]
    return given


@SWEEP
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_each_stream_has_a_number_of_its_own(version: str, tmp_path: Path) -> None:
    """Also of a transfer to the host in Coyote v1, whose own function forgets the number."""
    given = two_streams(tmp_path, version)
    program = compile_program(tmp_path / "out", "card", tmp_path, version)
    board = HostBoard(tmp_path / "out", "card", library=program, program="coyote_program")
    said = board.run(
        tmp_path / "run",
        [*given, "--batch", 2],
        ["COYOTE_AVX=1", "COYOTE_STALE=3", *given],
        ["COYOTE_NO_HUGE_PAGES=1", *given, "--device", 1],
    )
    assert [one.code for one in said] == [0, 0, 2], said
    texts = {"v1": "device 1, vFPGA 0: Coyote v1 knows one card, number 0", "v2": "ERROR: cThread instance"}
    assert texts[version] in said[2].err


HOOK = r"""
#include "shellgen_hook.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int shellgen_hook_begin(struct shellgen_hook *hook, char *text, size_t size)
{
    if (std::getenv("HOOK_FAILS")) {
        std::snprintf(text, size, "the other cards do not answer");
        return -1;
    }
    std::printf("begin %s %u %u\n", hook->node, hook->device, hook->vfpga);
    hook->give(hook, "communicator", 0x1c8);
    return 0;
}

int shellgen_hook_barrier(struct shellgen_hook *, char *, size_t)
{
    std::printf("barrier\n");
    return 0;
}

void shellgen_hook_end(struct shellgen_hook *)
{
    std::printf("end\n");
}
"""


@SWEEP
def test_a_file_of_the_user_in_the_program(made: Path, tmp_path: Path) -> None:
    """By CMake, as users compile it; this node has no steps, so what it gives is ignored."""
    (tmp_path / "hook.cpp").write_text(HOOK)
    build = ["-B", tmp_path / "build", f"-DCYT_DIR={STAND_IN}", f"-DSHELLGEN_HOOK={tmp_path / 'hook.cpp'}"]
    for command in (["-S", made / "out" / "host", *build], ["--build", tmp_path / "build"]):
        ran = subprocess.run(["cmake", *map(str, command)], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert "warning" not in ran.stderr
    board = HostBoard(made / "out", "card", library=tmp_path / "build" / "run_card", program="coyote_program")
    given: list[object] = ["--input", made / "in.npy", "--golden", made / "out.npy"]
    right, wrong = board.run(tmp_path / "run", given, ["HOOK_FAILS=1", *given])
    assert right.code == 0
    assert right.out.startswith("begin card 0 0\n")
    assert right.out.endswith("card: as in the golden frames\nend\n")
    assert (wrong.code, wrong.err) == (2, "run_card: the other cards do not answer\n")


@SWEEP
@pytest.mark.parametrize(
    ("folder", "told"),
    [("nowhere", "has neither Coyote v1 nor v2"), ("v1", "is Coyote v1, for which there is no node")],
)
def test_what_cmake_refuses(made: Path, tmp_path: Path, folder: str, told: str) -> None:
    command = ["cmake", "-S", made / "out" / "host", "-B", tmp_path, f"-DCYT_DIR={STAND_IN / folder}"]
    ran = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert told in " ".join(ran.stderr.split())


@SWEEP
def test_three_hundred_memories_behind_the_bridge(tmp_path: Path) -> None:
    """All are written and read back by a write of ADDRESS and one access to DATA for each word."""
    count = 300
    network = chain(memories("many", count))
    node = {"name": "card", "board": "u55c", "platform": "coyote", "partitions": [0]}
    out = generate_fake(network, spec([{**node, "lite": {"access": "bridge"}}]), tmp_path / "out")
    (entry,) = json.loads((out / "memory_map.json").read_text())["nodes"]
    assert [region["access"] for region in entry["regions"]] == ["bridge"] * count
    values = np.random.default_rng(0).integers(0, 1 << 32, (count, WORDS))
    (tmp_path / "weights").mkdir()
    for region in entry["regions"]:
        at = int(region["interface"].removeprefix("s_axilite_"))
        lines = "".join(f"{value:08x}\n" for value in values[at])
        (tmp_path / "weights" / region["dat"]).write_text(lines)
    program = compile_program(out, "card", tmp_path)
    board = HostBoard(out, "card", library=program, program="coyote_program", timeout_s=PATIENCE)
    folder = tmp_path / "weights"
    path = folder / entry["regions"][7]["dat"]
    lines = path.read_text().splitlines()
    other = "\n".join([*lines[:2], f"{int(lines[2], 16) ^ 1 << 9:08x}", lines[3]])
    (tmp_path / "other").mkdir()
    for each in folder.iterdir():
        (tmp_path / "other" / each.name).write_text(other if each == path else each.read_text())
    loaded, checked = board.run(tmp_path / "run", ["--load", folder], ["--check", tmp_path / "other"])
    assert (loaded.code, checked.code) == (0, 2), (loaded, checked)
    assert loaded.out.startswith("card: 300 memories, 1200 registers written and read back, ")
    assert re.search(r"layer MVAU_rtl_\d+: word 2 bit 9 is [01], not [01]", checked.err)
    made = json.loads((tmp_path / "run" / "accesses.json").read_text())[0]
    assert made["w"] == 1 + 2 * count + count * WORDS, "an error is cleared; ADDRESS and DATA"
    assert count * WORDS < made["r"] < count * WORDS + 40, "build id, DATA, and LEVEL until all is done"


@SWEEP
def test_a_node_that_sends_over_accl(tmp_path: Path) -> None:
    """Its program does the steps, by phases or with a barrier of the user's, and ends when all has left."""
    out = reference(tmp_path, [(0, 1), (2, 3)])
    (tmp_path / "hook.cpp").write_text(HOOK)
    plain = compile_program(out, "n0", tmp_path / "plain", "v1")
    hooked = compile_program(out, "n0", tmp_path / "hooked", "v1", hook=tmp_path / "hook.cpp")
    up: list[object] = ["--bring-up", "--set", "arithmetic=0x290"]
    given: list[object] = ["--input", tmp_path / "in.npy"]
    told: list[object] = [*up, "--set", "communicator=0x1c8"]
    runs = [up, told, [*told[:-1], "communicator=x"], [*told, "--phase", 1], [*told, "--phase", 2], given]
    board = HostBoard(out, "n0", library=plain, program="coyote_program")
    said = board.run(tmp_path / "run", *runs)
    assert [one.code for one in said] == [2, 2, 2, 0, 0, 0], said
    assert "there are 2 phases, and other nodes must keep up" in said[1].err
    assert "--set communicator=x: give it as NAME=VALUE, with a number" in said[2].err
    assert [one.out for one in said[3:5]] == ["n0: 6 steps done\n", "n0: 1 step done\n"]
    assert said[5].out.startswith(f"n0: {GOLDEN_FRAMES} frames in ")
    assert not said[5].err
    check_puts(tmp_path / "run")
    board = HostBoard(out, "n0", library=hooked, program="coyote_program")
    (said_at_once,) = board.run(tmp_path / "hook", [*up, *given])
    assert said_at_once.code == 0, said_at_once
    assert said_at_once.out.startswith("begin n0 0 0\nbarrier\nn0: 7 steps done\n")
    assert said_at_once.out.endswith("frames/s\nend\n")
    check_puts(tmp_path / "hook")


def check_puts(folder: Path) -> None:
    """Each frame is a put by the addresses that were given."""
    made = json.loads((folder / "puts.json").read_text())
    assert len(made["commands"]) == GOLDEN_FRAMES
    for command in made["commands"]:
        assert command == [3, 16, 0x1C8, 1, 0, 0, 0x290, 0, 3, 0, 0, 0, 0, 0, 0]
    assert made["beats"] == GOLDEN_FRAMES


@SWEEP
def test_the_program_on_the_whole_user_logic(tmp_path: Path) -> None:
    """Through Coyote's control crossbar and host streams as they are modelled, into vfpga_top.svh."""
    given = two_streams(tmp_path, "v2")
    program = verilated(tmp_path / "out", "card", tmp_path / "bin")
    for more in ((), ("--batch", "2")):
        command = [str(program), *map(str, given), *more]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.endswith("card: as in the golden frames\n")
