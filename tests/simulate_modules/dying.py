# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
from typing import Any

import cocotb


@cocotb.test()
async def dies(dut: Any) -> None:
    del dut
    os._exit(0)
