# SPDX-License-Identifier: BSD-3-Clause
"""crc32c: packets against a CRC that takes a bit at a time, a basis of all beats, RFC 3720's examples."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_crc32c(simulator: str) -> None:
    result = run_bench("crc32c", simulator)
    assert result.comparisons == 3 * 60 + 14 + 4 + 2 * 64, result.text


@pytest.mark.sweep
def test_crc32c_at_full_width() -> None:
    result = run_bench("crc32c", "icarus", "tb_crc32c_wide")
    assert result.comparisons == 4 + 2 * 512, result.text
