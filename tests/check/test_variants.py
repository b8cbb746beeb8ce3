# SPDX-License-Identifier: BSD-3-Clause
"""Legal rewritings of our scripts: none may be refused. Each is one of `make variants`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.mutants.clusters import zynq
from tools.variants.run import rewritten
from tools.variants.variant import VARIANTS, Texts, statements

pytestmark = pytest.mark.xdist_group("mutants")


def test_there_are_enough_each_with_a_source() -> None:
    assert len(VARIANTS) >= 50
    assert all(variant.source for variant in VARIANTS.values())
    assert sum(variant.ours for variant in VARIANTS.values()) >= 30


def test_each_changes_the_scripts(tmp_path: Path) -> None:
    out = zynq(tmp_path / "out")
    made = {name: rewritten(variant, out / variant.node) for name, variant in VARIANTS.items()}
    assert all(made.values()), [name for name, texts in made.items() if not texts]
    alike = [str(texts) for texts in made.values()]
    assert len(set(alike)) == len(alike)


def test_what_is_looked_for_must_be_there() -> None:
    texts = Texts({"vivado/bd.tcl": "alpha\n"})
    with pytest.raises(ValueError, match="has no 'beta'"):
        texts.swap("beta", "gamma")
    with pytest.raises(ValueError, match="has nothing like"):
        texts.sub("beta", "gamma")


def test_a_section_is_cut_into_statements() -> None:
    assert statements("a\n# of b\nb {\n  c\n}\n\n") == ["a\n", "# of b\nb {\n  c\n}\n"]
