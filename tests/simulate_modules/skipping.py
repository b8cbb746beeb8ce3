# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import cocotb


@cocotb.test(skip=True)
async def skipped(dut: Any) -> None:
    del dut
