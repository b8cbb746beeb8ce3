# SPDX-License-Identifier: BSD-3-Clause
"""A cluster as pytest cases, one per boundary and proof, all of one run; and its cores for a cocotb test.

    from shellgen.testing import cluster_cases

    TestCluster = cluster_cases("cluster.toml")

pytest itself is the user's; nothing else in shellgen needs it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from shellgen.api import generate, load
from shellgen.errors import ShellgenError, StatedError
from shellgen.simulate.cases import Case, Outline, report_cases, unbuilt_cases
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.description import read_bench
from shellgen.simulate.tools import Simulator
from shellgen.simulate.vendor import vendor_sources
from vivado_check.formats.files import StrPath

__all__ = ["CoreFiles", "SimulateOptions", "cluster_cases", "core_files"]


@dataclass(frozen=True)
class CoreFiles:
    """Files from which a simulator builds the core of any board of a cluster.

    Attributes:
        sources: Verilog and SystemVerilog; the core of a board is module ``<board's name>_core``.
        include_dirs: Folders that are searched for headers.
        data: Files that partitions read by name at time 0, from the folder in which the simulation runs.
    """

    sources: tuple[Path, ...]
    include_dirs: tuple[Path, ...]
    data: tuple[Path, ...]


def core_files(out: StrPath) -> CoreFiles:
    """Return the files of the cores in a folder that `shellgen generate` wrote, for a bench of one's own.

    Raises:
        ShellgenError: It is no such folder, or a partition cannot be simulated.
    """
    folder = Path(out)
    bench = read_bench(folder)
    vendor = vendor_sources(folder, bench, "")
    names = [
        *bench.sources.partition,
        *(name for name in bench.sources.ours if not name.startswith("bench/")),
    ]
    return CoreFiles(
        (*vendor.models, *(folder / name for name in names)),
        tuple(folder / name for name in bench.sources.include_dirs),
        tuple(folder / name for name in bench.data),
    )


def cluster_cases(
    cluster: str | Path,
    *,
    simulator: Simulator = "verilator",
    out: str | Path | None = None,
    **options: Any,
) -> type:
    """Return a class of tests; assign it to a name that begins with ``Test``.

    The cluster is planned when pytest collects, and generated and simulated once, when the first case runs.
    A cluster that cannot be planned, built or run to the end fails as cases too, with the text of the error.

    Args:
        cluster: cluster.toml, relative to the file that calls.
        simulator: ``verilator`` or ``icarus``.
        out: Folder to generate into, relative as well; a temporary one of pytest's if None.
        options: Of `SimulateOptions`: ``frames=8``, ``stall=64``, ``weights="folder"`` ...
    """
    home = Path(sys._getframe(1).f_globals["__file__"]).parent
    path = home / cluster
    chosen = SimulateOptions(**options)
    ran: dict[str, Case] = {}
    names = [f"{group}: {name}" for group, name in _outline(path).names()]

    class Cases:
        """Cases of one cluster."""

        @pytest.mark.parametrize("case", names)
        def test(self, tmp_path_factory: pytest.TempPathFactory, case: str) -> None:
            """Say what one case came to; the first that runs simulates for all."""
            if not ran:
                folder = home / out if out else tmp_path_factory.mktemp("shellgen") / "out"
                ran.update({f"{one.group}: {one.name}": one for one in _run(path, folder, simulator, chosen)})
            found = ran.get(case)
            if found is None:
                pytest.fail("cluster.toml has changed since pytest collected; collect again", pytrace=False)
            if found.state == "skipped":
                pytest.skip(found.text)
            if found.state != "passed":
                pytest.fail(found.text, pytrace=False)

    # With pytest-xdist all of one class go to one process, or each would build a model of its own. Without it
    # the mark is unknown, which --strict-markers makes an error.
    if find_spec("xdist"):
        return pytest.mark.xdist_group(f"shellgen {path} {simulator}")(Cases)
    return Cases


def _outline(cluster: Path) -> Outline:
    try:
        boundaries = load(cluster)[0].boundaries
    except (ShellgenError, OSError):  # which the first case will say
        return Outline((), ())
    return Outline(
        tuple(boundary.name for boundary in boundaries),
        tuple(boundary.name for boundary in boundaries if boundary.consumer is None),
    )


def _run(cluster: Path, out: Path, simulator: Simulator, options: SimulateOptions) -> list[Case]:
    known = _outline(cluster)
    try:
        generate(cluster, out)
        return report_cases(known, simulate(out, simulator, options))
    except (StatedError, OSError) as error:
        return unbuilt_cases(known, str(error))
