# SPDX-License-Identifier: BSD-3-Clause
"""Programs of the host on simulated boards: a node's core is the top, and around it are DMAs and memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster_bench import bench_of
from waiting import PATIENCE

from shellgen.resources import data_dir
from shellgen.simulate import Model, ModelSpec, Simulator, build_model, run_model

MODULES = Path(__file__).with_name("simulate_modules")


@dataclass(frozen=True)
class Said:
    """Result of a program: exit code and output."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class HostBoard:
    """One node of a generated cluster.

    Attributes:
        out: The generated folder.
        node: Its name.
        lost: Ports and beats that get lost on their way from memory.
        offset: Bytes by which buffers are misplaced.
        marked: First and last frame that the core says to be marked, if any.
        library: libshellgen_host, or the program of a card under Coyote.
        simulator: Of the core.
        program: What runs the node's program: on a board with DMAs, or on a card with movers or under Coyote.
        timeout_s: Seconds that all runs may take.
    """

    out: Path
    node: str
    lost: dict[str, int] = field(default_factory=dict)
    offset: int = 0
    marked: tuple[int, int] | None = None
    library: Path | None = None
    simulator: Simulator = "icarus"
    program: str = "host_program"
    timeout_s: float = PATIENCE

    def model(self) -> Model:
        """Build the core alone, which replicas may share."""
        bench, plan = bench_of(self.out), json.loads((self.out / "plan.json").read_text())
        (core,) = {one["copy_of"] or one["name"] for one in plan["nodes"] if one["name"] == self.node}
        ours = [name for name in bench["sources"]["ours"] if name.startswith(f"{core}/")]
        shared = [name for name in bench["sources"]["ours"] if "/rtl/" in name and name not in ours]
        named = {Path(name).name for name in ours}
        return build_model(
            ModelSpec(
                [
                    self.out / name
                    for name in (*ours, *(name for name in shared if Path(name).name not in named))
                ],
                f"{core}_core",
                third_party=[self.out / name for name in bench["sources"]["partition"]],
                data_files=[self.out / name for name in bench["data"]],
                include_dirs=[self.out / name for name in bench["sources"]["include_dirs"]],
            ),
            self.simulator,
        )

    def run(
        self,
        folder: Path,
        *runs: list[Any],
        loads: Sequence[tuple[Path, dict[str, Any]] | int] = (),
        moves: Sequence[tuple[list[Path | None], dict[str, Any]]] = (),
    ) -> list[Said]:
        """Run the node's program once for each list of arguments, without a reset between.

        Args:
            folder: To run in.
            runs: Arguments of each.
            loads: Folders and options for the library to load, which comes before. A number is written to
                CONTROL; its value is then read and printed, and the end of the reset is awaited.
            moves: Input, output and golden file, and options, for the library to run.
        """
        folder.mkdir(parents=True, exist_ok=True)
        asked = {"out": str(self.out), "node": self.node, "lost": self.lost, "offset": self.offset}
        asked["marked"] = self.marked
        asked["library"] = str(self.library) if self.library else None
        asked["loads"] = [each if isinstance(each, int) else [str(each[0]), each[1]] for each in loads]
        asked["moves"] = [[[str(path) if path else None for path in paths], more] for paths, more in moves]
        asked["runs"] = [[str(argument) for argument in run] for run in runs]
        (folder / "program.json").write_text(json.dumps(asked))
        run_model(
            self.model(),
            self.program,
            [MODULES, MODULES.parent, data_dir("sim")],
            folder,
            timeout_s=self.timeout_s,
        )
        return [Said(**each) for each in json.loads((folder / "said.json").read_text())]
