# SPDX-License-Identifier: BSD-3-Clause
"""Verilator's lint of a design, without a bench around it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from shellgen.simulate.findings import Finding, read_findings
from shellgen.simulate.tools import find_verilator


def lint(top: str, sources: Sequence[Path], folders: Sequence[Path]) -> tuple[Finding, ...]:
    """Return everything that Verilator has to say of a design below its top, packages first.

    It goes as far as the C++, since combinational loops show only then.

    Args:
        top: Module at the top.
        sources: Verilog and SystemVerilog.
        folders: Where headers are looked for.

    Raises:
        ToolMissingError: Verilator or its C++ compiler is missing.
    """
    tool = find_verilator()
    with TemporaryDirectory(prefix="shellgen_lint_") as folder:
        report, arguments = Path(folder, "findings.sarif"), Path(folder, "arguments.f")
        words = [
            *("--cc", "-Wall", "-Wno-fatal", "--no-timing", "--quiet-stats"),
            *("--diagnostics-sarif-output", str(report), "--Mdir", folder, "--top-module", top),
            *("--preproc-token-limit", "1000000000"),
            *(f"-I{path}" for path in folders),
            *map(str, sources),
        ]
        arguments.write_text("".join(f'"{word}"\n' for word in words))
        command = [str(tool.binary), "-f", str(arguments)]
        run = subprocess.run(command, capture_output=True, text=True, check=False, env=tool.environment())
        return read_findings(report, run.stdout + run.stderr)
