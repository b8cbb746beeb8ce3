# SPDX-License-Identifier: BSD-3-Clause
"""Run the tutorials: `python -m tools.tutorials --record finn-build` writes their outputs into the pages."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.tutorials import PAGES, run_page


def main(argv: Sequence[str] | None = None) -> int:
    """Run the pages; return 1 if an output is stale and not recorded."""
    parser = argparse.ArgumentParser(prog="python -m tools.tutorials", description=__doc__)
    text = f"default: all of {', '.join(PAGES)}"
    parser.add_argument("names", nargs="*", choices=[*PAGES, []], metavar="PAGE", help=text)
    parser.add_argument("--record", action="store_true", help="write the outputs into the pages")
    parser.add_argument("--sweep", action="store_true", help="also run what takes minutes")
    args = parser.parse_args(argv)
    code = 0
    for name in args.names or PAGES:
        page = PAGES[name]
        with tempfile.TemporaryDirectory() as folder:
            stale, text = run_page(page, Path(folder), sweep=args.sweep)
        for one in stale:
            print(f"{name}: {one.typed}{one.found}")
        if stale and args.record:
            page.write_text(text)
        code |= bool(stale) and not args.record
    return code


if __name__ == "__main__":
    sys.exit(main())
