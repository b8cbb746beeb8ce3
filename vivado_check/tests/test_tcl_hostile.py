# SPDX-License-Identifier: BSD-3-Clause
"""Scripts that do what no check may let them do are stopped, at a line, and leave nothing behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vivado_check.apart import apart
from vivado_check.record.session import Session
from vivado_check.recording import Recording
from vivado_check.report import Verdict
from vivado_check.run import Options, check
from vivado_check.tcl import memory
from vivado_check.tcl.interpreter import Outcome, run_script
from vivado_check.tcl.lines import Limits
from vivado_check.tcl.sandbox import Sandbox

SMALL = Limits(seconds=0.5, silence=3, memory=256 << 20, calls=1000, printed=10_000)


def run(folder: Path, text: str, limits: Limits = SMALL) -> tuple[Session, Outcome]:
    script = folder / "script.tcl"
    script.write_text(text)
    before = sorted(folder.parent.rglob("*"))
    with Sandbox(folder) as box:
        session = Session(Recording("2022.2", folder), box)
        outcome = run_script(script, session, limits=limits)
    assert sorted(folder.parent.rglob("*")) == before
    return session, outcome


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder beside a secret, with links to it."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("puts SECRET\n")
    made = tmp_path / "mine"
    made.mkdir()
    (made / "link").symlink_to(tmp_path / "secret" / "key")
    (made / "linked").symlink_to(tmp_path / "secret")
    os.mkfifo(made / "pipe")
    return made


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("proc f {} {\n    while 1 {incr x}\n}\ncatch f\n", 2, "did not come to its end"),
        ("\nvwait never\n", 2, "did not come to its end|has waited"),
        ("while 1 {get_projects}\n", 1, "more than 1000 commands"),
        ("while 1 {puts [string repeat x 100]}\n", 1, "has printed more"),
        ("set x y\nget_projects\nwhile 1 {append x $x$x$x$x}\n", 2, "more memory"),
        ("interp create a\n\na eval {while 1 {}}\n", 3, "of its own"),
        ("get_projects\nset a [string repeat x 400000000]\n", 2, "more memory"),
    ],
)
def test_what_has_no_end_is_stopped(text: str, line: int, said: str, folder: Path) -> None:
    session, outcome = run(folder, text)
    assert outcome.stopped
    message = session.recording.messages[-1]
    assert (message.rule, message.verdict) == ("sandbox", Verdict.NOT_MODELLED)
    assert any(part in message.found for part in said.split("|")), message.found
    assert message.origin.line == line


def test_names_and_numbers_without_end(folder: Path) -> None:
    """A path that took half a minute, and a number with more digits than Python reads."""
    _, outcome = run(folder, "catch {open [string repeat a/ 100000]x w} m\nputs [string length $m]\n")
    assert outcome.code == 0
    assert int(outcome.printed[0]) < 500_000
    script = folder / "script.tcl"
    cell = "create_bd_design d\ncreate_bd_cell -type ip -vlnv xilinx.com:ip:axi_gpio g\n"
    digits = "9" * 6000
    address = f"assign_bd_address -offset {digits} -range 4K [get_bd_addr_segs g/S_AXI/Reg]\n"
    script.write_text(
        f"{cell}catch {{set_property CONFIG.C_GPIO_WIDTH {digits} [get_bd_cells g]}}\n{address}"
    )
    done = apart(lambda _: {"codes": len(check(script, Options()).messages)}, [folder], lambda *_: None)
    assert done.answer["codes"] > 0


def test_files_without_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_FILES", 50)
    _, outcome = run(folder, "while 1 {close [open x[incr n] w]}\n")
    assert outcome.stopped
    monkeypatch.setattr(memory, "MOST_BYTES", 10_000)
    text = "set s [string repeat x 3000]\nwhile 1 {set f [open x[incr n] w]\nputs $f $s\nclose $f}\n"
    session, outcome = run(folder, text)
    assert outcome.stopped
    assert "were written" in session.recording.messages[-1].found
    assert session.recording.messages[-1].origin.line == 4  # the bytes leave the channel when it is closed
    monkeypatch.setattr(memory, "MOST_BYTES", 64 << 20)
    monkeypatch.setattr(memory, "LARGEST", 2 << 20)
    text = "set f [open big w]\nset s [string repeat x 100000]\nwhile 1 {puts $f $s}\n"
    session, outcome = run(folder, text)
    assert outcome.stopped
    assert "a file of more than 2 MB" in session.recording.messages[-1].found


OUTSIDE = {
    "absolute": "open {secret}/key",
    "relative": "open ../secret/key",
    "source": "source ../secret/key",
    "link": "open link",
    "through a link": "source linked/key",
    "copied": "file copy linked mine",
    "folder": "cd ../secret",
    "system": "open /proc/self/environ",
    "sizes": "file size ../secret/key",
    "added": "open ../secret/key a",
    "program": "exec touch {secret}/made",
    "copied by a program": "exec cp {secret}/key mine",
    "removed as a shell would": "exec rm -rf *",
    "in the background": "exec sleep 9 &",
    "pipe": "open |cat",
    "pipe with spaces": 'open "| cat" r+',
    "socket": "socket localhost 80",
    "library": "load ./x.so",
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_outside_is_read_or_run(name: str, folder: Path) -> None:
    text = OUTSIDE[name].format(secret=folder.parent / "secret")
    session, outcome = run(folder, f"\n{text}\n")
    assert outcome.code == 1
    (message,) = session.recording.messages
    # Vivado would do it, so it is no error of the script.
    assert (message.rule, message.verdict, message.origin.line) == ("sandbox", Verdict.NOT_MODELLED, 2)
    assert "outside" in message.found or "not executed" in message.found
    session, outcome = run(folder, f"catch {{{text}}}\nputs on\n")
    assert outcome.printed == ["on"]
    (message,) = session.recording.messages
    assert message.verdict is Verdict.NOT_MODELLED


@pytest.mark.parametrize(
    "text",
    [
        "interp expose {} exec\nexec ls",
        "interp invokehidden {} exec ls",
        "interp invokehidden {} open /etc/hostname",
        "interp create a\na eval {exec ls}",
        "interp create a\na eval {source ../secret/key}",
        "interp create a\ninterp invokehidden a source ../secret/key",
        "interp limit {} time -seconds {}",
        "puts [glob linked/*]",
        "puts [glob ../secret/*]",
        "package require nothing",
        "open pipe",
        "puts file5 x",
        "front::exchange {a b}\nputs [front::exchange {a b}] x y z w",
        "file link new ../secret/key",
    ],
)
def test_no_way_around(text: str, folder: Path) -> None:
    _, outcome = run(folder, text + "\nputs SECRET\n")
    assert outcome.code == 1
    assert not outcome.printed


def test_tricks_that_only_hurt_the_script(folder: Path) -> None:
    text = """\
proc unknown {args} {return mine}
rename puts say
proc puts {args} {say "changed [lindex $args end]"}
puts [nonsense]
trace add execution say enter {apply {{args} {incr ::said}}}
puts two
say $::said
interp alias {} get_projects {} get_runs
rename get_files {}
say [catch {get_files}]
after 1000000
say [file exists ../secret],[file isdirectory /etc],[pwd]
"""
    _, outcome = run(folder, text)
    assert outcome.printed == ["changed mine", "changed two", "1", "0", f"0,0,{folder}"]


def test_words_that_are_no_text(folder: Path) -> None:
    session, outcome = run(folder, "get_files a\\0b \\ud800\nputs a\\0b\nexit 300\n")
    assert outcome.code is not None
    assert len(session.recording.calls) == 1


def test_what_a_script_wrote_it_reads(folder: Path) -> None:
    (folder / "real.txt").write_text("real\n")
    text = """\
file mkdir a/b
set f [open a/b/c.txt w]
puts $f {puts [file exists [file dirname [info script]]/real.txt]; expr 5}
close $f
set f [open real.txt a]
puts $f more
close $f
file copy a/b/c.txt d.tcl
file rename a/b/c.txt a/e.txt
puts [lsort [glob -nocomplain a/* a/b/* *.t* {{x,real}.txt}]]
puts [source d.tcl]
set f [open real.txt]
puts [read -nonewline $f]
close $f
file delete real.txt
puts [file exists real.txt][file isfile a/e.txt][file isdirectory a/b]
file delete -force a
puts [file exists a/e.txt][catch {file delete nothing}]
file mkdir /elsewhere/x
set f [open /elsewhere/x/y w+]
puts -nonewline $f 12345
close $f
cd /elsewhere
puts [file size x/y][pwd][glob -tails -directory x *]
file stat x/y found
puts $found(size)$found(type)
puts [file normalize ../a/./b],[file join a /b],[file tail a/b]
"""
    _, outcome = run(folder, text)
    assert outcome.code == 0, outcome.error
    assert outcome.printed == [
        "a/b a/e.txt d.tcl real.txt script.tcl",
        "1",
        "5",
        "real\nmore",
        "011",
        "00",
        "5/elsewherey",
        "5file",
        "/a/b,/b,b",
    ]
    assert (folder / "real.txt").read_text() == "real\n"
