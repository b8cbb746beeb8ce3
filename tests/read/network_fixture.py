# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the tests of whole builds: reasons of a refusal, and sources of an accepted build."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.errors import InputError
from shellgen.model import Network, StreamSpec
from shellgen.read import read_network


def problems_of(build: Path, streams: tuple[StreamSpec, ...] = ()) -> list[str]:
    """Return why a build is refused; without ONNX its streams would have to be given as well."""
    with pytest.raises(InputError) as caught:
        read_network(build, streams)
    return [str(problem) for problem in caught.value.problems if not problem.paste]


def texts(network: Network) -> dict[str, str]:
    """Return the text of every source by file name, in compilation order."""
    return {
        entry.name: network.files[entry.sha256].decode()
        for partition in network.partitions
        for entry in partition.sources
    }
