# SPDX-License-Identifier: BSD-3-Clause
"""``python -m vivado_check``, and the command ``vivado-check``."""

import sys

from .search_path import prefer_installed

prefer_installed()

from .cli import main  # noqa: E402 - after the search path

if __name__ == "__main__":
    sys.exit(main())
