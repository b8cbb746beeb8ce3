# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import signal
from typing import Any

import cocotb


@cocotb.test()
async def is_killed(dut: Any) -> None:
    del dut
    os.kill(os.getpid(), signal.SIGKILL)
