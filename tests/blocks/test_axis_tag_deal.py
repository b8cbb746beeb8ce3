# SPDX-License-Identifier: BSD-3-Clause
"""axis_tag_deal: each replica gets the tags of its own frames, and every mark that still says something."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_tag_deal(simulator: str) -> None:
    result = run_bench("axis_tag_deal", simulator)
    assert result.comparisons > 2_000, result.text
