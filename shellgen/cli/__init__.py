# SPDX-License-Identifier: BSD-3-Clause
"""The command line. It has no logic: each command calls one function and prints the result."""

import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - pip can ignore that, and a checkout has no pip
    found = ".".join(map(str, sys.version_info[:3]))
    print(
        f"shellgen: error: Python {found}: shellgen needs Python 3.11 or later. "
        "Install one, and make a virtual environment with it.",
        file=sys.stderr,
    )
    raise SystemExit(2)

try:  # imports take a tenth of a second, and much longer on a slow disk
    from vivado_check.search_path import prefer_installed

    prefer_installed()
    # Else the first model that is imported looks for plugins of pydantic in every package that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Else each thread of numpy's BLAS spins for 2^26 cycles when it starts, without work, before it sleeps.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    from shellgen.cli.entry import main
except KeyboardInterrupt:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would end Python's own end
    print("shellgen: interrupted", file=sys.stderr)
    raise SystemExit(130) from None

__all__ = ["main"]
