# SPDX-License-Identifier: BSD-3-Clause
"""Emitted files of Zynq boards, one by one, against recorded files.

A change of structure must change nothing here. Where a file is to change, record it again in the same commit
and say why in its message: ``python tests/test_zynq_recorded.py --record``, with the project on
``PYTHONPATH``.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from external_cluster import write_build
from fake_network import chain, lite, partition, plan_of, spec
from zynq_project import WIDE, WORD, with_files

from shellgen.api import load
from shellgen.emit.whole import emit
from shellgen.model import Network, Plan

RECORD = Path(__file__).parent / "zynq_recorded"
DIGESTS = RECORD / "sha256.json"
# The build id is a hash over all that was decided, so it moves with every new field of a plan.
BUILD_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")
# Not compared: inputs and blocks, which are copied as they lie there; programs of the host that are the same
# for every plan; memory maps, which carry a schema version of their own; bench, plan and manifest.
LEFT_OUT = re.compile(
    r"[^/]+/(partition|rtl)/.*|host/shellgen_.*|([^/]+/)?memory_map\..*|bench/.*|(plan|manifest)\.json"
)
# Whole texts of one cluster as <path>.recorded, so that a comparison that fails shows lines.
SHOWN = "options"
SHOWN_FILE = re.compile(r"pynq1/(pynq1_core\.v|vivado/[a-z]+\.(tcl|xdc))")


def external(folder: Path) -> tuple[Plan, dict[str, bytes]]:
    """Weights that memory sends; ZedBoard to ZCU104."""
    plan, _, files = load(write_build(folder, verify=False))
    return plan, files


def options(folder: Path) -> tuple[Plan, dict[str, bytes]]:  # noqa: ARG001 - as the others
    """Three boards of PS7 and PSU, each with other settings for Vivado; streams of several widths."""
    first, files = with_files(partition("first", (WORD, WIDE), (WIDE, WORD), (lite(0),)), double_clock=True)
    others = [partition("second", (WIDE,), (WORD,), (lite(1),)), partition("third", (WORD,), ())]
    network = chain((first, b""), *others)
    network = Network(network.partitions, network.edges, network.files | files, "build")
    vivado: list[dict[str, object]] = [
        {"strategy": "performance", "ila": 2048, "interrupts": "direct", "memory_port": "HP2"},
        {"strategy": "area", "compress": False, "interrupts": "none", "memory_port": "HPC1"},
        {"accept": ["BD 41-1356", "BD 41-967"]},
    ]
    boards = zip(("pynq1", "kv260", "pynq2"), ("pynq-z1", "kv260_som", "pynq-z2"), vivado, strict=True)
    nodes = [
        {
            "name": name,
            "board": board,
            "partitions": [index],
            "options": {"zynq": settings},
            "clock_mhz": 125.0,
        }
        for index, (name, board, settings) in enumerate(boards)
    ]
    return plan_of(network, spec(nodes)), network.files


def bridged(folder: Path) -> tuple[Plan, dict[str, bytes]]:  # noqa: ARG001 - as the others
    """Two partitions on a node, memories behind a bridge, FINN's padding; Ultra96 and ZCU104."""
    large = tuple(lite(index, addr_bits=12) for index in range(10))
    parts = [
        partition("odd", (("UINT3", 3, 27),), (("INT5", 2, 18),), large),
        partition("wide", (("INT5", 2, 18),), (("INT2", 6, 12),), (lite(10),)),
        partition("last", (("INT2", 6, 12),), (("INT21", 1, 5),)),
    ]
    network = chain(*parts)
    reserved = [{"offset": 0, "bytes": 4096}]
    nodes: list[dict[str, object]] = [
        {
            "name": "ultra",
            "board": "ultra96-v2",
            "partitions": [0, 1],
            "lite": {"access": "bridge", "reserved": reserved, "window": 65536},
        },
        {"name": "zcu", "board": "zcu104", "partitions": [2]},
    ]
    return plan_of(network, spec(nodes, packing="finn")), network.files


CLUSTERS: tuple[Callable[[Path], tuple[Plan, dict[str, bytes]]], ...] = (external, options, bridged)


def emitted(make: Callable[[Path], tuple[Plan, dict[str, bytes]]], folder: Path) -> dict[str, str]:
    """Return the files that are compared, by path, with the build id taken out."""
    found = {}
    for artifact in emit(*make(folder)):
        if not LEFT_OUT.fullmatch(artifact.path):
            found[artifact.path] = BUILD_ID.sub("<build id>", artifact.content.decode("latin-1"))
    return found


def digests(texts: dict[str, str]) -> dict[str, str]:
    return {
        path: hashlib.sha256(text.encode("latin-1")).hexdigest()[:16] for path, text in sorted(texts.items())
    }


@pytest.mark.parametrize("make", CLUSTERS, ids=lambda make: make.__name__)
def test_as_recorded(make: Callable[[Path], tuple[Plan, dict[str, bytes]]], tmp_path: Path) -> None:
    texts = emitted(make, tmp_path)
    recorded = json.loads(DIGESTS.read_text())[make.__name__]
    found = digests(texts)
    differ = sorted(path for path in found.keys() | recorded.keys() if found.get(path) != recorded.get(path))
    lines: list[str] = []
    for path in differ:
        text = RECORD / f"{path}.recorded"
        if make.__name__ == SHOWN and text.is_file():
            before, after = text.read_text().splitlines(), texts.get(path, "").splitlines()
            lines += difflib.unified_diff(before, after, path, path, n=1, lineterm="")
    assert not differ, "\n".join(["these differ from what was recorded:", *differ, *lines[:200]])


def test_the_record_covers_what_it_is_for() -> None:
    """Every file of a project, for both families; a record of nothing would agree with anything."""
    recorded = json.loads(DIGESTS.read_text())
    endings = {path.rpartition("/")[2].rpartition(".")[2] for files in recorded.values() for path in files}
    assert endings == {"v", "tcl", "xml", "json", "xdc", "dtso", "bin", "py"}
    assert sum(path.endswith("_core.v") for files in recorded.values() for path in files) == 7
    shown = {str(path.relative_to(RECORD)).removesuffix(".recorded") for path in RECORD.rglob("*.recorded")}
    assert shown == {path for path in recorded[SHOWN] if SHOWN_FILE.fullmatch(path)}
    assert len(shown) == 6


def _record() -> None:
    known = {}
    for make in CLUSTERS:
        with tempfile.TemporaryDirectory() as folder:
            texts = emitted(make, Path(folder))
        known[make.__name__] = digests(texts)
        for path, text in texts.items():
            if make.__name__ == SHOWN and SHOWN_FILE.fullmatch(path):
                shown = RECORD / f"{path}.recorded"
                shown.parent.mkdir(parents=True, exist_ok=True)
                shown.write_text(text)
    DIGESTS.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--record"]:
        sys.exit("usage: test_zynq_recorded.py --record")
    _record()
