# SPDX-License-Identifier: BSD-3-Clause
"""Render the documentation into a folder, or as one version of a site with several, into a branch."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import shellgen
from tools.blocks.pages import pages
from tools.site import CONFIG, ROOT, stage

# Programs of the environment that this Python is of.
_BESIDE = Path(sys.executable).parent
# Material announces its successor at every build.
_QUIET = {"NO_MKDOCS_2_WARNING": "1"}
# What only a site with versions has: the selector reads versions.json, which is not there in a single folder.
# mike has no option for --strict.
_VERSIONED = "extra: {version: {provider: mike}}\nstrict: true\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Render; return an exit code, which is not 0 if a link is dead."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("out/site"), help="folder to write")
    parser.add_argument("--branch", help="commit to this branch by mike, instead of writing a folder")
    parser.add_argument("--version", default=shellgen.__version__, help="name of the version in the branch")
    parser.add_argument("--alias", default="latest", help="second name, moved to this version")
    parser.add_argument("--repository", type=Path, default=ROOT, help="where the branch is")
    given = parser.parse_args(argv)
    if given.branch and given.branch == _checked_out(given.repository):
        parser.error(
            f"--branch: {given.branch} is checked out, and its files would be replaced; name another"
        )
    with tempfile.TemporaryDirectory() as name:
        config = _staged(Path(name), versioned=bool(given.branch))
        # The same pages give the same bytes; shellgen.api is read from this repository.
        around = (
            os.environ
            | {"SOURCE_DATE_EPOCH": "0", "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'host'}"}
            | _QUIET
        )
        if not given.branch:
            words = ["mkdocs", "build", "--strict", "--quiet", "--site-dir", str(given.out.resolve())]
            return _run([*words, "--config-file", str(config)], ROOT, around)
        # A link between two folders, as mike makes by default, is lost on most servers.
        deploy = ["--update-aliases", "--alias-type", "redirect", given.version, given.alias]
        where = ["--config-file", str(config), "--branch", given.branch]
        # mike starts the mkdocs on PATH.
        around["PATH"] = f"{_BESIDE}{os.pathsep}{around['PATH']}"
        return _run(["mike", "deploy", *where, *deploy], given.repository, around) or _run(
            ["mike", "set-default", *where, given.alias], given.repository, around
        )


def _staged(folder: Path, *, versioned: bool) -> Path:
    """Write what MkDocs reads; return its configuration."""
    for path, content in stage(pages()).items():
        (folder / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / path).write_bytes(content)
    shutil.copyfile(CONFIG.with_name("site.css"), folder / "docs" / "site.css")
    config = folder / CONFIG.name
    config.write_text(CONFIG.read_text() + (_VERSIONED if versioned else ""))
    return config


def _checked_out(repository: Path) -> str:
    """Return the branch whose files the repository shows."""
    words = ["git", "symbolic-ref", "--short", "--quiet", "HEAD"]
    return subprocess.run(words, cwd=repository, capture_output=True, text=True, check=False).stdout.strip()


def _run(words: Sequence[str], folder: Path, around: dict[str, str]) -> int:
    program, *rest = words
    return subprocess.run([_BESIDE / program, *rest], cwd=folder, env=around, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
