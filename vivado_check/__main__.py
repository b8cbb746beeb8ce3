# SPDX-License-Identifier: BSD-3-Clause
"""``python -m vivado_check``."""

import sys

from .cli import main

sys.exit(main())
