# SPDX-License-Identifier: BSD-3-Clause
"""action.yml and ci/gitlab.yml: linted; every shell line runs, with odd inputs and stubs of its programs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import check_jsonschema
import pytest
import yaml
from click.testing import CliRunner

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
SPEC, JOBS = yaml.safe_load_all((ROOT / "ci" / "gitlab.yml").read_text())
JOB = JOBS["shells"]
RUNS = [step for step in ACTION["runs"]["steps"] if "run" in step]
# Each leaves its words, and the name that it was called by before them.
STUB = '#!/bin/sh\n[ "${0##*/}" != sudo ] || exec "$@"\nprintf "%s\\0" "${0##*/}" "$@" "\n" >> "$SAID"\n'
ODD = (
    "my cluster.toml",
    "it's",
    'say "x"',
    "$HOME",
    "`touch made`",
    "$(touch made)",
    "a; touch made",
    "*",
    "a\\b",
    "-x",
    "",
    "k\u00fcche",
)
FILES = ("action.yml", "ci/gitlab.yml")


def said(lines: list[tuple[str, dict[str, str]]], shell: list[str], folder: Path) -> list[list[str]]:
    """Run lines in a folder with files; return the words of each program that they called."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for name in ("sudo", "apt-get", "pip", "shellgen"):
        (programs / name).write_text(STUB)
        (programs / name).chmod(0o755)
    work = folder / "work"
    work.mkdir()
    (work / "a.txt").touch()
    given = {"PATH": f"{programs}:/usr/bin:/bin", "SAID": str(folder / "said"), "HOME": "/home"}
    for line, own in lines:
        subprocess.run([*shell, line], cwd=work, env=given | own, check=True)
    assert [path.name for path in work.iterdir()] == ["a.txt"], "a value was run"
    calls = (folder / "said").read_text().removesuffix("\0\n\0").split("\0\n\0")
    return [call.split("\0") for call in calls]


def filled(text: str, inputs: dict[str, str]) -> str:
    """Put inputs where the service does."""
    return re.sub(r"\$(?:\{\{|\[\[) inputs\.([\w-]+) (?:\}\}|\]\])", lambda found: inputs[found[1]], text)


def github(folder: Path, inputs: dict[str, str]) -> list[list[str]]:
    """Run all steps as a runner does: bash -e with the step's variables."""
    own = {name: str(one["default"]) for name, one in ACTION["inputs"].items()} | inputs
    around = {"GITHUB_ACTION_PATH": "/my actions/shellgen"}
    lines = [
        (filled(step["run"], own), around | {k: filled(v, own) for k, v in step.get("env", {}).items()})
        for step in RUNS
    ]
    return said(lines, ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"], folder)


def gitlab(folder: Path, inputs: dict[str, str]) -> list[list[str]]:
    """Run the job as a runner does: before_script and script in one shell, after_script in another."""
    own = {name: str(one["default"]) for name, one in SPEC["spec"]["inputs"].items()} | inputs
    variables = {name: filled(value, own) for name, value in JOB["variables"].items()}
    parts = ([*JOB["before_script"], *JOB["script"]], JOB["after_script"])
    lines = [(filled("\n".join(part), own), variables) for part in parts]
    return said(lines, ["bash", "-eo", "pipefail", "-c"], folder)


def wanted(install: str, cluster: str, out: str, options: list[str]) -> list[list[str]]:
    """Return the words of the programs after those of apt-get."""
    return [
        ["pip", "install", install],
        ["shellgen", "generate", cluster, "-o", out, "--check"],
        ["shellgen", "simulate", out, "--waves", "--junit", "junit.xml", *options],
        ["shellgen", "cache", "clear", "--only", "models", "--idle-days", "30"],
    ]


@pytest.mark.parametrize("value", ODD)
def test_a_value_stays_one_word(tmp_path: Path, value: str) -> None:
    """Whatever a cluster, a folder or a wheel is called; options are words between blanks, as they are."""
    inputs = {"cluster": value, "out": f"{value}.out", "options": f"--labels  {value} *"}
    words = ["--labels", *value.split(), "*"]
    update, install, *found = github(tmp_path / "github", inputs)
    assert found == wanted("/my actions/shellgen[sim]", value, f"{value}.out", words)
    assert gitlab(tmp_path / "gitlab", inputs | {"install": f"{value}[sim]"})[2:] == wanted(
        f"{value}[sim]", value, f"{value}.out", words
    )
    assert update == ["apt-get", "update", "-q"]
    assert install[:4] == ["apt-get", "install", "-y", "-q"]


def test_the_defaults(tmp_path: Path) -> None:
    found = github(tmp_path / "github", {})
    assert found[2:] == wanted("/my actions/shellgen[sim]", "cluster.toml", "out", [])
    assert gitlab(tmp_path / "gitlab", {})[2:] == wanted("./vendor/shellgen[sim]", "cluster.toml", "out", [])
    assert found[:2] == gitlab(tmp_path / "again", {})[:2]


def lint(*words: str) -> subprocess.CompletedProcess[str]:
    program, *rest = words
    command = [str(Path(sys.executable).with_name(program)), *rest]
    around = os.environ | {"NO_COLOR": "1"}
    return subprocess.run(command, cwd=ROOT, env=around, capture_output=True, text=True, check=False)


def schema(name: str, text: str, folder: Path) -> tuple[int, str]:
    """Validate against the schema that the service publishes, as check-jsonschema has it."""
    path = folder / "it.yml"
    path.write_text(text)
    done = CliRunner().invoke(check_jsonschema.main, ["--builtin-schema", f"vendor.{name}", str(path)])
    return done.exit_code, done.output


def test_the_services_would_take_them(tmp_path: Path) -> None:
    action = (ROOT / "action.yml").read_text()
    job = (ROOT / "ci" / "gitlab.yml").read_text().split("---\n")[1]
    for name, text, damage in (
        ("github-actions", action, ("using: composite", "using: compose")),
        ("gitlab-ci", job, ("when: always", "when: sometimes")),
    ):
        assert schema(name, text, tmp_path)[0] == 0, schema(name, text, tmp_path)[1]
        assert schema(name, text.replace(*damage), tmp_path)[0] == 1
    flow = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    assert schema("github-workflows", flow, tmp_path)[0] == 0
    for block in re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "ci.md").read_text(), re.DOTALL):
        kind = "github-workflows" if "jobs:" in block else "gitlab-ci"
        assert schema(kind, block, tmp_path)[0] == 0, block


def test_an_attacker_finds_nothing(tmp_path: Path) -> None:
    """zizmor: no input in a shell line, no permission that is not needed."""
    words = ("zizmor", "--offline", "--no-progress", "--config", ".github/zizmor.yml")
    done = lint(*words, "action.yml", ".github")
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = (ROOT / "action.yml").read_text().replace('"$CLUSTER"', "${{ inputs.cluster }}")
    (tmp_path / "action.yml").write_text(wrong)
    assert "template-injection" in lint(*words, str(tmp_path / "action.yml")).stdout
