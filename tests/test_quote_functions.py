# SPDX-License-Identifier: BSD-3-Clause
"""Quoting of one text for each language, and folders whose names a shell, Tcl or make would misread."""

from __future__ import annotations

import ast
import html
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import bad_input
import pytest
from hostile import HOSTILE, LINES, harmless
from vivado_session import Vivado, run_script

from shellgen import quote
from shellgen.cli import main
from shellgen.errors import Problem, printable


@pytest.mark.parametrize("texts_", [HOSTILE[:14], HOSTILE[14:]])
def test_a_text_arrives_as_it_is(texts_: tuple[str, ...], tmp_path: Path) -> None:
    """Each quoting function against the language itself."""
    for text in texts_:
        assert ast.literal_eval(quote.python_quote(text)) == text
        assert html.unescape(quote.html_quote(text)) == text
        assert tomllib.loads(f"a = {quote.toml_quote(text)}") == {"a": text}
        assert quote.comment(text).isascii()
        assert quote.comment(text).isprintable()
        if text.isprintable():
            quoted = quote.xml_quote(text)
            assert ElementTree.fromstring(f"<a b='{quoted}'>{quoted}</a>").get("b") == text  # noqa: S314
    lines = [
        "proc say {text} {puts -nonewline $text\\0}",
        "fconfigure stdout -encoding utf-8 -translation lf",
    ]
    lines += [f"say {quote.tcl_quote(text)}" for text in texts_]
    lines += [f"foreach text {{ {quote.tcl_quote(text)} }} {{say $text}}" for text in texts_]
    (tmp_path / "a.tcl").write_text("\n".join(lines), encoding="ascii")
    said = subprocess.run(["tclsh", "a.tcl"], cwd=tmp_path, capture_output=True, check=True).stdout
    # Tcl 8.6 keeps a character beyond 16 bits as its two halves.
    plain = said.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16")
    assert plain == "\0".join([*texts_, *texts_, ""])
    shown = [text for text in texts_ if "\0" not in text]
    words = " ".join(map(quote.shell_quote, shown))
    command = ["sh", "-c", f"printf '%s\\000' {words}"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    assert said.decode().split("\0")[:-1] == shown
    harmless(tmp_path)


def test_a_verilog_string_is_one(tmp_path: Path) -> None:
    shown = "".join(f'$write("%0s\\n", {quote.verilog_quote(text)});\n' for text in LINES)
    comments = "".join(f"// {quote.comment(text)}\n/* {quote.comment(text)} */\n" for text in HOSTILE)
    (tmp_path / "a.v").write_text(f"{comments}module a;\ninitial begin\n{shown}end\nendmodule\n")
    subprocess.run(["iverilog", "-g2012", "-o", tmp_path / "a", tmp_path / "a.v"], check=True)
    said = subprocess.run(["vvp", "-n", tmp_path / "a"], capture_output=True, check=True).stdout
    assert said.decode().splitlines() == LINES


def test_a_message_is_one_line_of_what_can_be_shown() -> None:
    for text in HOSTILE:
        said = str(Problem(text, text, text))
        assert said.isprintable()
        assert printable(text) == text or not text.isprintable()


def test_folders_and_files_of_such_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A build, its sources and vectors lie where a shell, Tcl or make would stumble."""
    odd = "a b;[exec touch pwned] $x 'q' \"d\" {e #f \u00e9"
    system = bad_input.copy_system(tmp_path / odd)
    monkeypatch.chdir(system.root)
    (system.root / "build").rename(system.root / odd)
    (system.root / "input.npy").rename(system.root / f"{odd}.npy")
    part = system.root / odd / "partition_0"
    renamed = {path.name: f"{odd}{path.suffix}" for path in (part / "ip/src").glob("ref_mvau.sv")}
    for name, other in renamed.items():
        (part / "ip/src" / name).rename(part / "ip/src" / other)
        listed = part / "all_verilog_srcs.txt"
        listed.write_text(listed.read_text().replace(name, other))
    assert renamed
    cluster = (system.root / "cluster.toml").read_text()
    cluster = cluster.replace('"build/', quote.toml_quote(f"{odd}/")[:-1])
    cluster = cluster.replace('"input.npy"', quote.toml_quote(f"{odd}.npy"))
    (system.root / "cluster.toml").write_text(cluster, encoding="utf-8")
    code = main(["generate", "cluster.toml", "-o", f"out {odd}"])
    assert code == 0, capsys.readouterr().err
    for node in ("zed0", "zed1"):
        script = system.root / f"out {odd}" / node / "vivado/build.tcl"
        outcome = run_script(Vivado("2022.2"), script, "project")
        assert outcome.code == 0, outcome.error
    harmless(tmp_path)
