# SPDX-License-Identifier: BSD-3-Clause
"""docs/ci.md and our own workflow: YAML that CI takes, and what it runs, runs."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
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
            assert main([*words, "--simulator", "icarus", "--edited", "--quiet"]) == 1
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


def test_our_own_workflow_runs_what_ci_runs() -> None:
    root = Path(__file__).parents[1]
    flow = yaml.safe_load((root / ".github/workflows/test.yml").read_text())
    (job,) = flow["jobs"].values()
    *setup, command = [step["run"] for step in job["steps"] if "run" in step]
    assert command == ".ci/run"
    assert os.access(root / command, os.X_OK)
    assert all(line.startswith("sudo apt-get ") for line in setup)
    assert "exec make test" in (root / command).read_text()
    versions = [
        step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")
    ]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert versions == [project["requires-python"].removeprefix(">=")]


def test_the_hooks_run_what_is_there() -> None:
    root = Path(__file__).parents[1]
    (repo,) = yaml.safe_load((root / ".pre-commit-config.yaml").read_text())["repos"]
    assert len(repo["hooks"]) == 5
    makefile = (root / "Makefile").read_text().replace("$(BIN)", ".venv/bin")
    for hook in repo["hooks"]:
        words = hook["entry"].split()
        files = [word for word in words[1:] if word.endswith(".py")]
        assert all((root / name).exists() for name in files)
        assert files or hook["entry"] in makefile, f"{hook['id']} is not what `make lint` runs"
        assert not hook.get("files") or any(
            re.search(hook["files"], path.relative_to(root).as_posix())
            for path in (root / "ip").rglob("*.sv")
        )
