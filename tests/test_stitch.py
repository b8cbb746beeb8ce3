# SPDX-License-Identifier: BSD-3-Clause
"""The stitcher without FINN: its inputs, its environment, its packaging; FINN is played by small scripts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from killed import each_kill, killed_at

from shellgen.cli import main
from shellgen.errors import InputError, ToolMissingError
from shellgen.progress import listening
from shellgen.stitch import default_folder, ensure_finn_env, environment, installer, load_config, stitch_model
from shellgen.stitch.worker import run_worker

DIGITS = Path(__file__).parents[1] / "examples" / "digits"


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


# --- inputs -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "where", "found"),
    [
        (None, "", "there is no such file"),
        ("{", "", "is not JSON"),
        ('{"part": "xczu7ev-ffvc1156-2-e", "clk_ns": 5, "fold": {}}', ": fold", "not known"),
        ('{"clk_ns": 5}', ": part", "missing"),
        ('{"part": "xc7z020clg484-1", "clk_ns": 0}', ": clk_ns", "above 0"),
        ('{"part": "ep4ce22f17c6", "clk_ns": 5}', ": part", "expected a Xilinx part such as xc7z020clg484-1"),
        (
            '{"part": "xczu7ev-ffvc1156-2-e", "clk_ns": 5, "cut_before": "MVAU_1"}',
            ": cut_before",
            "got 'MVAU_1'",
        ),
        (
            '{"part": "xczu7ev-ffvc1156-2-e", "clk_ns": 5, "folding": {"MVAU_0": {"PE": 1.5}}}',
            ": folding.MVAU_0.PE",
            "got 1.5",
        ),
    ],
)
def test_bad_configuration(tmp_path: Path, text: str | None, where: str, found: str) -> None:
    path = tmp_path / "folding.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError) as error:
        load_config(path)
    assert error.value.problems[0].where.startswith(f"{path}{where}")
    assert found in error.value.problems[0].found


@pytest.mark.parametrize(
    ("model", "vectors", "missing"),
    [("no.onnx", None, "no.onnx"), ("digits.onnx", "no.npy", "no.npy")],
)
def test_missing_files(tmp_path: Path, model: str, vectors: str | None, missing: str) -> None:
    given = tmp_path / vectors if vectors else None
    with pytest.raises(InputError, match=f"{missing}: there is no such") as error:
        stitch_model(DIGITS / model, DIGITS / "folding_2.json", tmp_path / "out", given)
    assert len(error.value.problems) == 1
    assert not (tmp_path / "out").exists()


def test_output_folder_with_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("chapter")
    with pytest.raises(InputError, match="something else in it"):
        stitch_model(DIGITS / "digits.onnx", DIGITS / "folding_2.json", tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "chapter"
    with pytest.raises(InputError, match="is a file"):
        stitch_model(DIGITS / "digits.onnx", DIGITS / "folding_2.json", tmp_path / "thesis.tex")


@pytest.mark.parametrize("beside", [False, True])
def test_a_folding_file_of_finns_own(tmp_path: Path, beside: bool) -> None:
    theirs = {"Defaults": {"mem_mode": ["internal_decoupled", ["MVAU"]]}, "MVAU_0": {"inFIFODepths": [2, 2]}}
    (tmp_path / "auto_folding_config.json").write_text(json.dumps(theirs))
    path = tmp_path / "auto_folding_config.json"
    if beside:
        path = tmp_path / "folding.json"
        path.write_text(json.dumps({"part": "xc7z020clg484-1", "folding": "auto_folding_config.json"}))
    given = {} if beside else {"part": ["xc7z020clg484-1", "xczu3eg-sbva484-1-e"]}
    config = load_config(path, given | {"cut_before": ["MVAU_1"]})
    assert config.folding == theirs
    assert len(config.parts) == 2 - beside
    assert config.cut_before == ("MVAU_1",)
    if not beside:
        with pytest.raises(InputError, match="part: this field is missing"):
            load_config(path)


# --- environment --------------------------------------------------------------------------------------------
def test_where_the_environment_belongs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHELLGEN_FINN_ENV", raising=False)
    monkeypatch.delenv("SHELLGEN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert default_folder() == tmp_path / "cache" / "shellgen" / environment.FOLDER
    executable(tmp_path / ".finn-venv" / "bin" / "python", "#!/bin/sh\n")
    assert default_folder() == tmp_path / "cache" / "shellgen" / environment.FOLDER, "it would be run"
    monkeypatch.setenv("SHELLGEN_FINN_ENV", "elsewhere/finn")
    assert default_folder() == Path("elsewhere/finn")


def fake_environment(folder: Path) -> Path:
    (folder / "lib/python3.11/site-packages/finn/finn-rtllib").mkdir(parents=True)
    return executable(folder / "bin" / "python", "#!/bin/sh\n")


@pytest.mark.usefixtures("pip_only")
def test_nothing_of_the_current_folder_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python looks for modules there first, by default."""
    for name in ("venv", "pip", "sys", "ensurepip"):
        (tmp_path / f"{name}.py").write_text(f"open('{name} ran', 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ".")
    commands: list[list[str]] = []
    monkeypatch.setattr(environment, "_run", lambda command, *_: commands.append(command))
    ensure_finn_env(tmp_path / "env")
    for _, *options in commands:
        module = options.index("-m") + 2
        subprocess.run([sys.executable, *options[:module], "--help"], check=True, capture_output=True)
    assert [options[options.index("-m") + 1] for options in commands] == ["venv", "pip"]
    assert not list(tmp_path.glob("* ran"))


def test_an_environment_of_the_user_is_taken_as_it_is(tmp_path: Path) -> None:
    python = fake_environment(tmp_path / "mine")
    assert ensure_finn_env(tmp_path / "mine") == python


def test_an_environment_with_another_finn_is_refused(tmp_path: Path) -> None:
    fake_environment(tmp_path / "mine")
    site = tmp_path / "mine/lib/python3.11/site-packages"
    (site / "finn_plus-1.3.0.dist-info").mkdir()
    with pytest.raises(ToolMissingError, match=r"it has finn-plus 1\.3\.0, and shellgen needs 1\.6"):
        ensure_finn_env(tmp_path / "mine")
    (site / "finn_plus-1.3.0.dist-info").rename(site / "finn_plus-1.6.1.dist-info")
    assert ensure_finn_env(tmp_path / "mine").is_file()


def test_a_folder_of_the_user_is_never_cleared(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("keep")
    with pytest.raises(ToolMissingError, match="it is not an environment"):
        ensure_finn_env(tmp_path / "mine")
    assert (tmp_path / "mine" / "notes").read_text() == "keep"


def test_no_python_that_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_PYTHONS", ((3, 99),))
    with pytest.raises(ToolMissingError, match=r"needs Python 3\.11 to 3\.14"):
        ensure_finn_env(tmp_path / "env")


def test_the_demo_says_first_that_finn_has_no_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environment, "_PYTHONS", ((3, 99),))
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path / "env"))
    assert main(["demo", "-o", str(tmp_path / "out")]) == 2
    told = capsys.readouterr()
    assert "or add --reference" in told.err
    assert "held-out" not in told.out
    assert not (tmp_path / "out").exists()
    assert main(["demo", "--example", "residual", "-o", str(tmp_path / "out")]) == 2
    assert "--reference" not in capsys.readouterr().err


# Plays `python -m venv <folder>`, and makes a python whose pip runs the given commands.
_BASE = """#!/bin/sh
for folder; do :; done
mkdir -p "$folder/bin" "$folder/lib/python3.11/site-packages/finn/finn-rtllib"
printf '#!/bin/sh\\n{pip}\\n' > "$folder/bin/python"
chmod +x "$folder/bin/python"
"""


@pytest.fixture
def pip_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "uv", lambda: None)


@pytest.mark.parametrize("case", ["uv", "uv fails", "pip has an index of its own", "pip is kept offline"])
def test_uv_installs_where_it_can(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip's settings decide where packages come from; if uv fails, pip is asked, which may know a proxy."""
    log = tmp_path / "log"
    setting = {"pip has an index of its own": "global.index-url=", "pip is kept offline": ":env:.no-index="}
    answers = f"""case "$*" in
    *'-I -m pip config list') echo "{setting.get(case, "")}'1'"; exit;;
    *-version) exit;;
esac"""
    base = executable(
        tmp_path / "base",
        _BASE.format(pip=f"echo pip >> {log}; exit 0").replace("\n", f"\n{answers}\n", 1),
    )
    fake = (
        f'echo uv >> {log}; echo "$@ $UV_SYSTEM_CERTS" > {tmp_path}/arguments; exit {int(case == "uv fails")}'
    )
    executable(tmp_path / "uv", f"#!/bin/sh\n{fake}\n")
    monkeypatch.setattr(environment, "_base_python", lambda: str(base))
    monkeypatch.setattr(environment, "uv", lambda: str(tmp_path / "uv"))
    ensure_finn_env(tmp_path / "env")
    expected = {"uv": ["uv"], "uv fails": ["uv", "pip"]}
    assert log.read_text().split() == expected.get(case, ["pip"])
    if "uv" in case:
        given = (tmp_path / "arguments").read_text()
        assert f"--no-config --python {tmp_path}/env/bin/python --no-deps --require-hashes" in given
        assert given.split()[-1] == "1", "a proxy of a company signs with its own certificate"


def test_the_uv_beside_python_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That one has our version; the current folder is never looked into."""
    executable(tmp_path / "path" / "uv", "#!/bin/sh\n")
    executable(tmp_path / "uv", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "bin" / "python"))
    assert installer.uv() == str(tmp_path / "path" / "uv")
    beside = executable(tmp_path / "venv" / "bin" / "uv", "#!/bin/sh\n")
    assert installer.uv() == str(beside)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    beside.unlink()
    assert installer.uv() is None


@pytest.mark.usefixtures("pip_only")
def test_failing_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = 'echo "Collecting attrs" >\\&2; echo "ERROR: no network." >\\&2; exit 1'
    base = executable(tmp_path / "base", _BASE.format(pip=pip.replace("\\&", "&")))
    monkeypatch.setattr(environment, "_base_python", lambda: str(base))
    with pytest.raises(ToolMissingError, match=r"could not be installed: ERROR: no network\. Check"):
        ensure_finn_env(tmp_path / "env")
    # An interrupted installation is repeated.
    executable(tmp_path / "base", _BASE.format(pip="exit 0"))
    said: list[str] = []
    with listening(lambda phase, _: said.append(phase)):
        assert ensure_finn_env(tmp_path / "env") == tmp_path / "env" / "bin" / "python"
        assert len(said) == 1
        assert ensure_finn_env(tmp_path / "env").is_file()
    assert len(said) == 1, "an existing environment is kept"


@pytest.mark.usefixtures("pip_only")
def test_a_kill_in_every_phase_heals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before every call that changes the disk, and while venv and pip are at work: the next run makes it."""
    base = executable(tmp_path / "base", _BASE.format(pip="exit 0"))
    monkeypatch.setattr(environment, "_base_python", lambda: str(base))
    folder = tmp_path / "env"

    def reset() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    for _ in each_kill(reset, lambda: ensure_finn_env(folder)):
        assert ensure_finn_env(folder).is_file()
    for half in ("#!/bin/sh\nmkdir -p $4/bin; kill -9 $PPID\n", _BASE.format(pip="kill -9 $PPID")):
        reset()
        executable(tmp_path / "base", half)
        assert killed_at(10**6, lambda: ensure_finn_env(folder))
        executable(tmp_path / "base", _BASE.format(pip="exit 0"))
        assert ensure_finn_env(folder).is_file()
    # What earlier releases left of a killed installation has no mark; in our cache it is nobody else's.
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(environment.VARIABLE, raising=False)
    (tmp_path / "cache" / environment.FOLDER / "lib").mkdir(parents=True)
    assert ensure_finn_env() == tmp_path / "cache" / environment.FOLDER / "bin" / "python"


@pytest.mark.usefixtures("pip_only")
def test_a_step_that_outlives_a_kill_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the next run would clear the folder that an orphaned pip is still writing to."""
    slow = f"kill -9 $PPID; sleep 1; touch {tmp_path}/ended"
    base = executable(tmp_path / "base", _BASE.format(pip=slow))
    monkeypatch.setattr(environment, "_base_python", lambda: str(base))
    assert killed_at(10**6, lambda: ensure_finn_env(tmp_path / "env"))
    executable(tmp_path / "base", _BASE.format(pip="exit 0"))
    assert not (tmp_path / "ended").exists()
    ensure_finn_env(tmp_path / "env")
    assert (tmp_path / "ended").exists()


def test_the_lock_follows_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder for temporary files is everybody's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "thesis").mkdir()
    (tmp_path / f"shellgen-{os.getuid()}").symlink_to(tmp_path / "thesis")
    with pytest.raises(ToolMissingError, match="is not a folder of yours"):
        ensure_finn_env(tmp_path / "env")
    assert not list((tmp_path / "thesis").iterdir())


def test_every_package_is_pinned_by_its_digests() -> None:
    """pip takes the listed packages: `make finn-pins` writes the digests after a change of the list."""
    pins = environment.REQUIREMENTS.with_suffix(".in").read_text().splitlines()
    asked = {line.lower().replace("_", "-") for line in pins if not line.startswith("#")}
    entries = re.split(r"\n(?=\w)", environment.REQUIREMENTS.read_text().partition("\n")[2])
    assert {entry.split()[0] for entry in entries} == asked
    for entry in entries:
        first, *rest = entry.replace("\\\n", "").split()
        assert rest, first
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in rest)


def test_a_new_list_of_packages_renews_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = executable(tmp_path / "base", _BASE.format(pip="exit 0"))
    monkeypatch.setattr(environment, "_base_python", lambda: str(base))
    said: list[str] = []
    with listening(lambda phase, _: said.append(phase)):
        ensure_finn_env(tmp_path / "env")
        (tmp_path / "list.txt").write_text("finn-plus==9\n")
        monkeypatch.setattr(environment, "REQUIREMENTS", tmp_path / "list.txt")
        ensure_finn_env(tmp_path / "env")
    assert len(said) == 2


# --- worker -------------------------------------------------------------------------------------------------
def job(folder: Path) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    return {"work": str(folder), "name": "net.onnx"}


def test_finn_stops(tmp_path: Path) -> None:
    text = """#!/bin/sh
echo "inputDataType changing"
echo "Traceback (most recent call last):"
echo '  File "x.py", line 1, in f'
echo "AssertionError: PE must"
echo "                divide MH."
exit 1
"""
    python = executable(tmp_path / "env" / "bin" / "python", text)
    with pytest.raises(InputError) as error:
        run_worker(python, job(tmp_path / "work"))
    message = str(error.value)
    assert message.startswith("net.onnx: FINN stopped and said: AssertionError: PE must divide MH. Check")
    assert "Traceback" not in message
    assert "inputDataType" not in message


@pytest.mark.parametrize("text", ["#!/bin/sh\necho \"ModuleNotFoundError: No module named 'finn'\"\n", None])
def test_a_broken_environment(tmp_path: Path, text: str | None) -> None:
    python = tmp_path / "env" / "bin" / "python"
    if text:
        executable(python, text)
    with pytest.raises(ToolMissingError, match="FINN environment does not run") as error:
        run_worker(python, job(tmp_path / "work"))
    assert str(tmp_path / "env") in error.value.problems[0].remedy


def test_problems_of_the_worker_are_all_reported(tmp_path: Path) -> None:
    result = json.dumps({"problems": [["a", "is bad", "Fix it"], ["b", "is worse", "Drop it"]]})
    folder = tmp_path / "work"
    python = executable(tmp_path / "env/bin/python", f"#!/bin/sh\necho '{result}' > {folder}/result.json\n")
    with pytest.raises(InputError) as error:
        run_worker(python, job(folder))
    assert str(error.value) == "a: is bad. Fix it.\nb: is worse. Drop it."


def test_the_worker_says_where_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    text = f"""#!/bin/sh
printf 'FINN reads\\tnet\\nFINN streamlines\\t\\n' > /dev/fd/$6
echo '{{"notes": []}}' > {folder}/result.json
"""
    said: list[tuple[str, str]] = []
    with listening(lambda *told: said.append(told)):
        assert run_worker(executable(tmp_path / "env/bin/python", text), job(folder)) == {"notes": []}
    assert said == [("starting FINN", ""), ("FINN reads", "net"), ("FINN streamlines", "")]


def test_the_worker_imports_nothing_of_ours() -> None:
    worker = Path(environment.__file__).parent / "finn_worker"
    for path in worker.glob("*.py"):
        assert not re.search(r"^\s*(from|import) shellgen", path.read_text(), re.MULTILINE), path.name
    code = "import sys; sys.path.append(sys.argv[1]); import finn_worker.main; print(sorted(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-I", "-c", code, str(worker.parent)], capture_output=True, check=True
    )
    assert b"'finn_worker.main'" in run.stdout
    assert b"'shellgen" not in run.stdout


# --- text ---------------------------------------------------------------------------------------------------
