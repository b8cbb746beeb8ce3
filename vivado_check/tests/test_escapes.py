# SPDX-License-Identifier: BSD-3-Clause
"""Attempts to get out: by a script, by Tcl without our commands, and by code that has the whole process."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from script_escapes import MARK, attempt, escapes, scene, state
from waiting import PATIENCE, until

from vivado_check.confine import host, kernel, start, syscalls, worker
from vivado_check.syntax import process
from vivado_check.tcl.interpreter import lacking
from vivado_check.tcl.interpreter import process as tcl_process
from vivado_check.tcl.lines import Limits

Attempts = dict[str, Callable[[], object]]


ESCAPES = escapes()


@pytest.mark.parametrize("name", ESCAPES)
def test_a_script(name: str, tmp_path: Path) -> None:
    made = scene(tmp_path)
    text = ESCAPES[name].replace("{home}", str(tmp_path / "home")).replace("{out}", str(tmp_path))
    attempt(made, text)
    assert not (tmp_path / "made").exists()


def test_there_are_enough() -> None:
    assert len(ESCAPES) > 60


DRIVER = """
namespace eval front {{}}
proc front::main {{}} {{
    foreach script {{{scripts}}} {{
        lappend found [catch $script said] $said
    }}
    puts [list {{*}}$found]
    flush stdout
}}
"""
TCL_ALONE = (
    "open {out}/secret.tcl",
    "open {out}/made w",
    "open /proc/self/mem",
    "open |cat",
    "exec cat /etc/passwd",
    "socket 127.0.0.1 22",
    "socket -server x 0",
    "file delete -force {out}/home",
    "file rename {out}/secret.tcl {out}/made",
    "file copy {out}/secret.tcl {out}/made",
    "file mkdir {out}/made",
    "file link {out}/made {out}/secret.tcl",
    "file attributes {out}/secret.tcl -permissions 0777",
    "source {out}/secret.tcl",
    "glob {out}/*",
    "cd {out}",
    "load {out}/x.so",
    "file tempfile x",
)


def test_tcl_without_our_commands(tmp_path: Path) -> None:
    """An interpreter that is not safe has every command of Tcl, and gets nowhere with any."""
    scene(tmp_path)
    scripts = " ".join(f"{{{one}}}" for one in TCL_ALONE).replace("{out}", str(tmp_path))
    driver = tmp_path / "driver.tcl"
    driver.write_text(DRIVER.format(scripts=scripts))
    before = state(tmp_path)
    try:
        script = start.run(driver, {"seconds": 10, "memory": 1 << 30})
        script.channel.settimeout(PATIENCE)
        said = b""
        while not said.endswith(b"\n"):
            said += script.channel.recv(1 << 16)
        assert script.wait() == 0
        script.end()
    finally:
        start.stop()
    assert state(tmp_path) == before
    assert said.count(b"1 ") >= len(TCL_ALONE) - 1, said
    assert MARK.encode() not in said


def tried(confine: Callable[[], object], attempts: Attempts) -> dict[str, str]:
    """Try each in a confined process of its own and return what came of it: empty if it went through."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        found = {}
        try:
            confine()
            for name, one in attempts.items():
                try:
                    one()
                    found[name] = ""
                except (OSError, ValueError) as error:
                    found[name] = str(error)
            os.write(writer, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read()
    assert os.waitpid(pid, 0)[1] == 0
    return dict(json.loads(said))


def call(number: str, *words: int) -> Callable[[], None]:
    """Return a bare system call."""

    def one() -> None:
        machine = syscalls.machine()
        assert machine
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syscall(machine.numbers[number], *(ctypes.c_long(word) for word in words)) < 0:
            raise OSError(ctypes.get_errno(), number)

    return one


def everything(out: Path) -> Attempts:
    """Return what neither kind of process may do."""
    return {
        "read outside": (out / "secret.tcl").read_text,
        "read the system": lambda: Path("/etc/passwd").read_text(),
        "write outside": lambda: (out / "made").write_text(""),
        "append": lambda: (out / "home" / ".bashrc").open("a"),
        "truncate": lambda: os.truncate(out / "secret.tcl", 0),
        "delete": (out / "secret.tcl").unlink,
        "rename": lambda: (out / "secret.tcl").rename(out / "made"),
        "link": lambda: (out / "made").hardlink_to(out / "secret.tcl"),
        "symbolic link": lambda: (out / "made").symlink_to(out / "secret.tcl"),
        "folder": (out / "made").mkdir,
        "pipe": lambda: os.mkfifo(out / "made"),
        "mode": lambda: (out / "secret.tcl").chmod(0o777),
        "owner": lambda: os.chown(out / "secret.tcl", 1, 1),
        "time": lambda: os.utime(out / "secret.tcl", (0, 0)),
        "list": lambda: list(out.iterdir()),
        "network": socket.socket,
        "server": lambda: socket.socket(socket.AF_UNIX),
        "memory of another process": call("process_vm_readv", os.getpid(), 0, 0, 0, 0, 0),
        "trace": call("ptrace", 16, os.getpid(), 0, 0),
        "mount": call("mount", 0, 0, 0, 0, 0),
        "namespace": call("unshare", 0x10000000),
        "root": call("chroot", 0),
        "ring": call("io_uring_setup", 1, 0),
        "kernel program": call("bpf", 0, 0, 0),
        "keys": call("keyctl", 0, 0, 0, 0, 0),
    }


def bare(number: int, *words: int | bytes) -> Callable[[], None]:
    """Return a system call by its number, which is the same on all machines."""

    def one() -> None:
        given = [ctypes.c_char_p(word) if isinstance(word, bytes) else ctypes.c_long(word) for word in words]
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syscall(ctypes.c_long(number), *given) < 0:
            raise OSError(ctypes.get_errno(), str(number))

    return one


def own_users() -> None:
    """Start a process in a namespace of users, in which it would be their root."""
    machine = syscalls.machine()
    assert machine
    libc = ctypes.CDLL(None, use_errno=True)
    pid = libc.syscall(ctypes.c_long(machine.numbers["clone"]), ctypes.c_long(0x10000000 | 17), 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "clone")
    os.waitpid(pid, 0)


def to_others(out: Path) -> Attempts:
    """Return what is done to files without opening them, to other processes and to the machine."""
    secret, parent = bytes(out / "secret.tcl"), os.getpid()
    same = os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)  # if one gets through, nothing changes
    return {
        "mode by a newer call": bare(452, -100, secret, 0o777, 0),
        "attribute by a newer call": bare(463, -100, secret, 0, b"user.a", bytes(16), 16),
        "flags by a newer call": bare(469, -100, secret, bytes(24), 24, 0),
        "a process by a newer call": bare(435, bytes(88), 88),
        "a call of next year": bare(999),
        "attribute": lambda: os.removexattr(out / "secret.tcl", "user.a"),
        "processors": lambda: os.sched_setaffinity(parent, same[0]),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, parent, same[1]),
        "limits": lambda: resource.prlimit(parent, resource.RLIMIT_CORE),
        "users": own_users,
        "host name": lambda: socket.sethostname(socket.gethostname()),
        "shared memory": call("shmget", 0, 4096, 0o600),
        "messages": call("msgget", 0, 0o600),
        "semaphores": call("semget", 0, 1, 0o600),
        "typing": lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"),
        "flags": lambda: fcntl.ioctl(0, 0x40086602, bytes(8)),
    }


needs_all = pytest.mark.skipif(
    not sys.platform.startswith("linux") or kernel.landlock_version() < 1 or syscalls.machine() is None,
    reason="this kernel has no Landlock or no system call filter, which a check says",
)


@needs_all
def test_code_in_the_process_of_a_script(tmp_path: Path) -> None:
    """Code that has taken over the process can compute, and nothing else."""
    scene(tmp_path)
    parent = os.getpid()
    attempts = everything(tmp_path) | {
        "start a process": os.fork,
        "run a program": call("execve", 0, 0, 0),
        "signal": lambda: os.kill(parent, 0),
        "open by number": lambda: os.open("/proc/self/mem", os.O_RDWR),
        "own descriptors": lambda: os.open("/dev/fd/0", os.O_RDONLY),
        "code in memory": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC),
        "file in memory": lambda: os.memfd_create("x"),
        "status": Path("/").stat,
        "working folder": lambda: os.chdir("/"),
        "type into a terminal": lambda: os.ttyname(0),
        "priority of limits": call("prlimit64", 0, 7, 0, 0),
    }
    before = state(tmp_path)
    found = tried(host.confine, attempts)
    assert state(tmp_path) == before
    assert not [name for name, said in found.items() if not said]


@needs_all
@pytest.mark.parametrize("kind", ["script", "reader", "parser"])
def test_what_reaches_others(kind: str, tmp_path: Path) -> None:
    """The kernel refuses each by a rule, not since an argument is wrong."""
    made = scene(tmp_path)
    bounds = worker.Bounds(seconds=10, wall=20)
    confine = {
        "script": host.confine,
        "reader": lambda: worker.confine([made], bounds, made),
        "parser": worker.confine_parser,
    }[kind]
    before = state(tmp_path)
    found = tried(confine, to_others(tmp_path))
    assert state(tmp_path) == before
    refused = tuple(f"[Errno {number}]" for number in (errno.EPERM, errno.ENOSYS, errno.EACCES))
    assert not {name: said for name, said in found.items() if not said.startswith(refused)}


@needs_all
def test_code_in_the_process_that_parses(tmp_path: Path) -> None:
    """It is handed texts: of the user it reads nothing, and it starts no program."""
    made = scene(tmp_path)
    attempts = everything(tmp_path) | {
        "read inside": (made / "own.txt").read_text,
        "new inside": lambda: (made / "new").write_text(""),
        "program": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606 - the attempt
        "environment of another process": lambda: Path(f"/proc/{os.getppid()}/environ").read_text(),
    }
    before = state(tmp_path)
    found = tried(worker.confine_parser, attempts)
    assert state(tmp_path) == before
    assert not [name for name, said in found.items() if not said]


@needs_all
def test_verilog_is_parsed_confined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", MARK)
    process.stop()
    assert process.ask("a.v", "includes", "module m; endmodule") == []
    assert process._worker
    place = Path(f"/proc/{process._worker.process.pid}")
    assert MARK not in (place / "environ").read_text()
    states = [(one / "status").read_text() for one in (place / "task").iterdir()]
    assert sum("\nSeccomp:\t2\n" in one and "\nNoNewPrivs:\t1\n" in one for one in states) == 1


@needs_all
def test_code_in_the_process_that_reads_projects(tmp_path: Path) -> None:
    made = scene(tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    denied = everything(tmp_path) | {
        "by a link": (made / "link").read_text,
        "write inside": lambda: (made / "own.txt").write_text(""),
        "new inside": lambda: (made / "new").write_text(""),
        "environment of another process": lambda: Path(f"/proc/{os.getppid()}/environ").read_text(),
    }
    allowed: Attempts = {
        "read inside": (made / "own.txt").read_text,
        "list inside": lambda: list(made.iterdir()),
        "scratch": lambda: (scratch / "a").write_text("a"),
    }
    before = state(made)
    bounds = worker.Bounds(seconds=10, wall=20)
    found = tried(lambda: worker.confine([made], bounds, scratch), denied | allowed)
    assert state(made) == before
    assert not [name for name in denied if not found[name]]
    assert not [found[name] for name in allowed if found[name]]


def test_what_takes_too_much(tmp_path: Path) -> None:
    """A function that computes, waits or stores without end is ended, and said to be."""

    def run(function: Callable[[], object], bounds: worker.Bounds) -> list[bytes]:
        heard: list[bytes] = []
        worker.run(
            lambda say, _: say(str(function()).encode()), [tmp_path], bounds, lambda: None, heard.append
        )
        return heard

    def endless() -> None:
        while True:
            pass

    assert run(lambda: 5, worker.Bounds(seconds=10, wall=60)) == [b"5"]
    with pytest.raises(worker.StoppedError, match="1 s of processor time"):
        run(endless, worker.Bounds(seconds=1, wall=60))
    with pytest.raises(worker.StoppedError, match=r"its end in 0\.5 s"):
        run(signal.pause, worker.Bounds(seconds=10, wall=0.5))
    with pytest.raises(worker.StoppedError, match="status 1"):
        run(lambda: bytes(1 << 31), worker.Bounds(seconds=10, wall=60, memory=1 << 28))


def test_the_numbers_of_the_system_calls() -> None:
    for name in ("x86_64", "aarch64"):
        known = syscalls.machine(name)
        assert known
        assert {"read", "mmap", "exit_group", "execve", "socket"} <= set(known.numbers)
        numbers = list(known.numbers.values())
        assert len(set(numbers)) == len(numbers)
        assert len(syscalls.computing_only(known, 1)) % 8 == len(syscalls.reading_only(known)) % 8 == 0
    assert syscalls.machine("pdp11") is None


def test_what_the_kernel_lacks_is_known() -> None:
    assert set(lacking()) <= {"Landlock", "seccomp", "namespaces"}
    assert ("Landlock" in lacking()) is (kernel.landlock_version() < 1)


def test_a_script_ends_with_whoever_has_started_it() -> None:
    script = tcl_process(Limits())
    assert script.wait(0.1) is None
    os.kill(script.pid, 0)
    script.end()
    until(lambda: not Path(f"/proc/{script.pid}").exists())
