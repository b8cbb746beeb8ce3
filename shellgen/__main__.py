# SPDX-License-Identifier: BSD-3-Clause
"""``python -m shellgen``."""

import sys

from shellgen.cli import main

sys.exit(main())
