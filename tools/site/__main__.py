# SPDX-License-Identifier: BSD-3-Clause
"""Render the documentation into a folder: `make site`, or `python -m tools.site -o out/site`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.blocks.pages import pages
from tools.site import CONFIG, ROOT, stage

# Material announces its successor at every build.
_QUIET = {"NO_MKDOCS_2_WARNING": "1"}


def main(argv: Sequence[str] | None = None) -> int:
    """Render; return the exit code of MkDocs, which is not 0 if a link is dead."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("out/site"), help="folder to write")
    out = parser.parse_args(argv).out.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, content in stage(pages()).items():
            (folder / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "docs" / path).write_bytes(content)
        shutil.copyfile(CONFIG, folder / CONFIG.name)
        shutil.copyfile(CONFIG.with_name("site.css"), folder / "docs" / "site.css")
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
        # The same pages give the same bytes; shellgen.api is read from this repository.
        around = os.environ | {"SOURCE_DATE_EPOCH": "0", "PYTHONPATH": str(ROOT)} | _QUIET
        return subprocess.run(command, cwd=folder, env=around, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
