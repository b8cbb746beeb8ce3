# SPDX-License-Identifier: BSD-3-Clause
"""docs/ci.md and our own workflow: YAML that CI takes, and what it runs, runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_wheel import SMALL

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "ci.md").read_text()
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
SPEC, GITLAB = yaml.safe_load_all((ROOT / "ci" / "gitlab.yml").read_text())
JOB = GITLAB["shells"]
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


def uses(name: str) -> dict[str, Any]:
    """Return the step that uses an action of GitHub's."""
    (found,) = (step for step in STEPS if step.get("uses", "").startswith(f"actions/{name}@"))
    return found


def artefacts() -> dict[str, list[str]]:
    """Return what each of the files keeps of a run, with the names of inputs left out."""
    kept = JOB["artifacts"]
    both = {
        "github": uses("upload-artifact")["with"]["path"].split("\n")[:-1],
        "gitlab": [*kept["paths"], kept["reports"]["junit"]],
    }
    inputs = re.compile(r"\$(?:\{\{|\[\[) inputs\.(\w+) (?:\}\}|\]\])")
    return {name: [inputs.sub(r"<\1>", path) for path in paths] for name, paths in both.items()}


def test_both_files_do_the_same() -> None:
    ours = [step["run"] for step in STEPS if "shellgen " in step.get("run", "")]
    assert ours == [*JOB["script"], *JOB["after_script"]]
    assert len(ours) == 3
    assert sorted(artefacts()["github"]) == sorted(artefacts()["gitlab"])
    given = ACTION["inputs"]
    for name in ("cluster", "out", "options"):
        assert given[name] == SPEC["spec"]["inputs"][name]
        assert JOB["variables"][name.upper()] == f"$[[ inputs.{name} ]]"
        steps = [step for step in STEPS if f"${name.upper()}" in step.get("run", "")]
        assert steps
        assert all(step["env"][name.upper()] == f"${{{{ inputs.{name} }}}}" for step in steps)
    assert JOB["variables"]["SHELLGEN_CACHE"].endswith(JOB["cache"]["paths"][0])
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(given), "an input that nothing uses"
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "ci" / "gitlab.yml").read_text()))
    assert used == set(SPEC["spec"]["inputs"])


def test_the_page_uses_them() -> None:
    github, gitlab = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL))
    # What YAML 1.1 makes of `on`.
    assert set(github) == {"name", True, "jobs"}
    assert github["jobs"]["prove"]["steps"][-1] == {"uses": "./vendor/shellgen"}
    (include,) = gitlab["include"]
    assert (ROOT / include["file"][1:]).is_file()
    assert set(include["inputs"]) < set(SPEC["spec"]["inputs"])
    for name in {*ACTION["inputs"], *SPEC["spec"]["inputs"]}:
        assert f"`{name}`" in TEXT


@pytest.mark.sweep
@pytest.mark.xdist_group("wheel")
def test_the_commands_run_and_leave_what_is_kept(tmp_path: Path) -> None:
    """In bash, with Icarus, which builds in a second; the run fails, so that there are waves to keep."""
    SMALL.write_inputs(tmp_path)
    (tmp_path / "cluster.toml").rename(tmp_path / "my cluster.toml")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    given = {"CLUSTER": "my cluster.toml", "OUT": "my out", "OPTIONS": "--simulator icarus --edited"}
    around = os.environ | given | {"PATH": path, "SHELLGEN_CACHE": str(tmp_path / "cache")}
    summary = tmp_path / "summary.md"
    around["GITHUB_STEP_SUMMARY"] = str(summary)

    def bash(line: str) -> int:
        return subprocess.run(["bash", "-ec", line], cwd=tmp_path, env=around, check=False).returncode

    generate, simulate = JOB["script"]
    assert bash(generate) == 0
    memory = next((tmp_path / "my out" / "two" / "partition").glob("*MVAU*.dat"))
    first, *rest = memory.read_text().split()
    memory.write_text("\n".join([f"{int(first, 16) ^ 1:x}", *rest]) + "\n")
    assert bash(simulate) == 1
    assert "FAIL" in summary.read_text()
    assert [bash(line) for line in JOB["after_script"]] == [0]
    assert list((tmp_path / "cache" / "icarus").iterdir())
    for pattern in artefacts()["github"]:
        assert list(tmp_path.glob(pattern.replace("<out>", "my out"))), f"nothing is {pattern}"
    sample = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert sample
    space: dict[str, Any] = {"__file__": str(tmp_path / "test_shells.py")}
    (tmp_path / "my cluster.toml").rename(tmp_path / "cluster.toml")
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
