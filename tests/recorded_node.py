# SPDX-License-Identifier: BSD-3-Clause
"""A ZedBoard's node on disk, and a session that adds all of its files, by hand."""

from __future__ import annotations

import re
from pathlib import Path

from small_design import SmallCatalogue
from zynq_project import node_plan, write_project

from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.model import Plan
from vivado_check.design import Cell, Design, Setting
from vivado_check.recording import File, Package, Project, Recording
from vivado_check.report import Message, Origin

HERE = Origin("n0/vivado/bd.tcl", 7)


class Node:
    """The node, and what was recorded of it; change either, and have it judged."""

    def __init__(self, out: Path) -> None:
        plan, network = node_plan("zedboard", "1rx_1tx")
        self.plan: Plan = plan
        self.folder = write_project(plan, network, out).parent
        self.node = self.folder / "n0"
        self.project = Project("n0", self.node / "vivado", "xc7z020clg484-1", HERE)
        for path in sorted(self.node.rglob("*")):
            if path.suffix in (".v", ".sv", ".vh", ".dat"):
                file = File(path, str(path), "sources_1", HERE)
                if path.suffix == ".dat":
                    file.properties["file_type"] = Setting("Memory Initialization Files", HERE)
                self.project.files.append(file)
        self.packages: list[Package] = []
        self.messages: list[Message] = []
        self.ended: int | None = None
        self.design = Design("top", HERE)
        self.design.cells["/core_0"] = Cell("/core_0", "module", HERE, reference="n0_core")

    def file(self, name: str) -> File:
        return next(file for file in self.project.files if file.path.name == name)

    def edit(self, name: str, pattern: str, new: str) -> None:
        path = self.file(name).path
        text, count = re.subn(pattern, new, path.read_text(), count=1, flags=re.DOTALL)
        assert count, f"{name} has no {pattern}"
        path.write_text(text)

    def judged(self, *names: str, plan: bool = True, hdl: bool = False) -> list[Message]:
        all_rules()
        recording = Recording(
            "2022.2",
            self.folder,
            projects=[self.project],
            designs={"top": self.design},
            packages=self.packages,
            messages=self.messages,
            ended=self.ended,
        )
        given = self.plan if plan else None
        context = Context(recording, SmallCatalogue(), self.folder, self.design, "n0", given, None, hdl)
        return [message for name in names for message in RULES[name].judge(context)]
