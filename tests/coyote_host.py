# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of cards that run Coyote."""

from __future__ import annotations

from pathlib import Path

from cluster_bench import Chain

from shellgen.api import generate


def generate_coyote(chain: Chain, folder: Path, options: str = "", more: str = "") -> Path:
    """Generate a cluster whose nodes are all on platform coyote, with a table of options each."""
    path = chain.write_inputs(folder)
    text = path.read_text()
    for name, _, _ in chain.nodes:
        text = text.replace(f'name = "{name}"\n', f'name = "{name}"\nplatform = "coyote"\n{options}')
    path.write_text(text + more)
    generate(path, folder / "out")
    return folder / "out"
