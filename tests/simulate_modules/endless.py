# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import Timer


@cocotb.test()
async def never_ends(dut: Any) -> None:
    del dut
    while True:
        await Timer(1, "us")
