# SPDX-License-Identifier: BSD-3-Clause
"""A folder may be called as its user likes, also by several words of Tcl: what is right stays right."""

from __future__ import annotations

from pathlib import Path

import pytest
from coyote_project import vfpga
from vitis_project import cards

from shellgen.check.run import Options, check
from shellgen.disk.output import write
from shellgen.emit.whole import emit
from vivado_check.report import Verdict

NAMES = ("my shell", 'it"s $1 {x')


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["vitis", "coyote"])
def test_packaged_cores(kind: str, name: str, tmp_path: Path) -> None:
    plan, network = cards("u280") if kind == "vitis" else vfpga("u280")
    write(emit(plan, network.files), tmp_path / name)
    checked = check(tmp_path / name, Options())
    bad = [one for one in checked.messages if one.verdict is not Verdict.NOT_MODELLED]
    assert bad == []
    (recording,) = checked.recordings.values()
    (package,) = recording.packages
    assert package.checked  # it was packaged to the end
