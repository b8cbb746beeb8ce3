# SPDX-License-Identifier: BSD-3-Clause
"""docs/ci.md: its files are YAML that CI takes, and what they run, runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_wheel import SMALL

from shellgen.cli import main

TEXT = (Path(__file__).parents[1] / "docs" / "ci.md").read_text()
GITHUB, GITLAB = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL))


def steps() -> list[dict[str, Any]]:
    """Return the steps of the job of GitHub's file."""
    return list(GITHUB["jobs"]["prove"]["steps"])


def artefacts() -> dict[str, list[str]]:
    """Return what each of the files keeps of a run."""
    upload = next(step for step in steps() if step.get("uses", "").startswith("actions/upload-artifact@"))
    kept = GITLAB["shells"]["artifacts"]
    return {
        "github": upload["with"]["path"].split(),
        "gitlab": [*kept["paths"], kept["reports"]["junit"]],
    }


def test_both_files_do_the_same() -> None:
    ours = [step["run"] for step in steps() if step.get("run", "").startswith(("shellgen ", "pip "))]
    job = GITLAB["shells"]
    theirs = [*job["before_script"][1:], *job["script"], *job["after_script"]]
    assert ours == theirs
    assert len(ours) == 4
    assert sorted(artefacts()["github"]) == sorted(artefacts()["gitlab"])
    # What YAML 1.1 makes of `on`.
    assert set(GITHUB) == {"name", True, "jobs"}
    cached = next(step for step in steps() if step.get("uses", "").startswith("actions/cache@"))
    assert GITHUB["jobs"]["prove"]["env"]["SHELLGEN_CACHE"].endswith(cached["with"]["path"])
    assert job["variables"]["SHELLGEN_CACHE"].endswith(job["cache"]["paths"][0])


@pytest.mark.xdist_group("wheel")
def test_the_commands_run_and_leave_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With Icarus, which builds in a second, and in a run that fails: then there are waves to keep."""
    SMALL.write_inputs(tmp_path)
    (tmp_path / "vendor").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / ".shellgen-cache"))
    for command in GITLAB["shells"]["script"]:
        program, *words = shlex.split(command)
        assert program == "shellgen"
        if words[0] == "simulate":
            memory = next((tmp_path / "out" / "two" / "partition").glob("*MVAU*.dat"))
            first, *rest = memory.read_text().split()
            memory.write_text("\n".join([f"{int(first, 16) ^ 1:x}", *rest]) + "\n")
            assert main([*words, "--simulator", "icarus", "--quiet"]) == 1
        else:
            assert main([*words, "--quiet"]) == 0
    for command in GITLAB["shells"]["after_script"]:
        assert main(shlex.split(command)[1:]) == 0
    assert list((tmp_path / ".shellgen-cache" / "icarus").iterdir())
    for pattern in artefacts()["github"]:
        assert list(tmp_path.glob(pattern)), f"{pattern} is kept, and nothing has that name"
    sample = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert sample
    space: dict[str, Any] = {"__file__": str(tmp_path / "test_shells.py")}
    exec(compile(sample[1], "test_shells.py", "exec"), space)  # noqa: S102 - our own page
    (names,) = (mark.args[1] for mark in space["TestShells"].test.pytestmark if mark.name == "parametrize")
    assert "results: golden" in names
    assert any(name.startswith("boundaries: host_to_") for name in names)
