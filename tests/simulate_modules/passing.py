# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles


@cocotb.test()
async def counts(dut: Any) -> None:
    await ClockCycles(dut.aclk, 10)
    first = int(dut.value.value)
    await ClockCycles(dut.aclk, 5)
    Path("environment.json").write_text(json.dumps(dict(os.environ)))
    Path("seen.txt").write_text(f"{first} {int(dut.value.value)} {random.random()} {os.environ.get('EXTRA')}")
