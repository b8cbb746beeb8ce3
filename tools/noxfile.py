# SPDX-License-Identifier: BSD-3-Clause
"""The package as a user installs it, on each Python that pyproject.toml names: `make pythons`."""

from __future__ import annotations

from pathlib import Path

import nox

ROOT = Path(__file__).parents[1]
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
# nox says which of them the machine does not have, and goes on.
nox.options.error_on_missing_interpreters = False


@nox.session(python=nox.project.python_versions(PROJECT))
def installed(session: nox.Session) -> None:
    """The wheel in an environment of its own: a tutorial, and a cluster from model to proofs."""
    session.chdir(ROOT)
    session.install(".[sim,host]")
    session.run("python", "-m", "tools.tutorials", "finn-build")
    session.run("shellgen", "demo", "--reference", "--quiet", "-o", f"{session.create_tmp()}/demo")
