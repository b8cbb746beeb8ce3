# SPDX-License-Identifier: BSD-3-Clause
"""crc32c: packets of whole beats against a CRC that takes a bit at a time, and RFC 3720's examples."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_crc32c(simulator: str) -> None:
    result = run_bench("crc32c", simulator)
    assert result.comparisons == 300, result.text
