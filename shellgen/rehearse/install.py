# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen install`: shellgen-node as a service on each board, by one connection of ssh."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import InputError, Problem, SimulationError, ToolMissingError, one
from shellgen.progress import step
from shellgen.rehearse.live import stated
from shellgen.resources import data_dir
from shellgen_host.cluster_map import HOST, ClusterMap, read_map
from shellgen_host.errors import HostError
from shellgen_host.hosts import Hosts, read_hosts, spelled
from vivado_check.formats.files import file_bytes

SCRIPT = "install.sh"
SERVICE = ("70-shellgen.rules", "programming.conf", "shellgen-node@.service")
KEYS = ("ca.pem", "cert.pem", "key.pem", "sign.pem")
_ELF = b"\x7fELF"
# The folder is new and the login's own: nobody else reads the keys on their way.
_REMOTE = 'set -e; umask 077; d=$(mktemp -d); trap \'rm -rf "$d"\' EXIT; tar -xf - -C "$d"; {run}'
_REMEDY = "Log in by ssh yourself, and see what it says; docs/host-node.md has the steps by hand"


@dataclass(frozen=True)
class Login:
    """Login on the boards.

    Attributes:
        user: Name on the boards.
        sudo: Whether that user runs the installation by ``sudo -n``.
    """

    user: str = "root"
    sudo: bool = False


def install(  # noqa: PLR0913 - what an installation consists of
    out: Path, hosts: Path, program: Path, options: str, login: Login, nodes: Sequence[str] = ()
) -> tuple[str, ...]:
    """Install shellgen-node on boards and start it; return a line for each node.

    Args:
        out: Folder that ``shellgen generate`` wrote.
        hosts: ``hosts.toml``, with the operator's keys; those of the nodes are beside them.
        program: shellgen-node, compiled for the boards.
        options: More words for its command line, the same on all boards.
        login: How ssh reaches them.
        nodes: Some of the nodes; none: all.

    Raises:
        InputError: A file is missing or wrong, or there is no such node.
        ToolMissingError: There is no ssh.
        SimulationError: A board is not reached, or the installation fails there.
    """
    try:
        cluster = read_map(out)
        found = read_hosts(hosts, cluster.nodes)
    except HostError as error:
        raise stated(error, "install") from None
    if found.tls is None:
        remedy = f'Run shellgen host keys {out}, and write keys = "keys/operator" at the top of the file'
        raise one(InputError, f"{hosts}: keys", "the service runs with keys only, and there are none", remedy)
    boards = [name for name in cluster.nodes if name != HOST]  # whose server runs on a machine like this one
    if unknown := [name for name in nodes if name not in boards]:
        known = f"Name one of {', '.join(boards)}"
        raise one(InputError, "--node", f"the cluster has no node {unknown[0]}", known)
    if not shutil.which("ssh"):
        raise one(ToolMissingError, "install", "there is no ssh", "Run apt-get install openssh-client")
    chosen = [name for name in boards if not nodes or name in nodes]
    # All of them first: a file that is missing must leave no board half done.
    sent = {name: _archive(dict(_files(name, out, cluster, found, program, options))) for name in chosen}
    lines = []
    for name in chosen:
        target = f"{login.user}@{found[name][0]}"
        step(f"node {name}: {target}")
        _send(name, target, sent[name], login)
        lines.append(f"{name}: shellgen-node runs on {target}, and listens at {spelled(found[name])}")
    return tuple(lines)


def command_line(name: str, cluster: ClusterMap, hosts: Hosts, options: str) -> list[str]:
    """Return the words that follow ``--keys FOLDER`` on the command line of a node."""
    words = ["--listen", spelled(hosts[name])]
    if hosts.tls and hosts.tls.data:
        words += ["--data", "tls"]
    for boundary, (sends, takes) in sorted(cluster.between.items()):
        if sends == name and boundary not in cluster.joined:
            words += ["--connect", f"{boundary}={spelled(hosts[takes])}"]
    return [*words, *options.split()]


def _files(  # noqa: PLR0913 - what an installation consists of
    name: str, out: Path, cluster: ClusterMap, hosts: Hosts, program: Path, options: str
) -> Iterator[tuple[str, bytes]]:
    """Yield the files for a board by name."""
    binary = file_bytes(program)
    if not binary.startswith(_ELF):
        remedy = "Give shellgen-node, as cmake --preset armhf or aarch64 in host/node compiles it"
        raise one(InputError, str(program), "this is no program", remedy)
    yield "shellgen-node", binary
    for file in (SCRIPT, *SERVICE):
        yield file, (data_dir("host") / "systemd" / file).read_bytes()
    whole = file_bytes(out / "memory_map.json")
    yield "memory_map.json", whole
    words = command_line(name, cluster, hosts, options)
    yield "node.env", f"OPTIONS={' '.join(words)}\n".encode()
    assert hosts.tls
    for key in KEYS:
        yield f"keys/{key}", file_bytes(hosts.tls.folder.parent / name / key)
    for weights in _external(whole, name):
        yield f"weights/{weights}", file_bytes(out / weights)


def _external(memory_map: bytes, name: str) -> list[str]:
    """Return the files of external weights that the map names for a node."""
    (node,) = (node for node in json.loads(memory_map)["nodes"] if node["name"] == name)
    return sorted({stream["weights"] for stream in node["streams"] if stream.get("weights")})


def _archive(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o700 if name in (SCRIPT, "shellgen-node") else 0o600
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def _send(name: str, target: str, archive: bytes, login: Login) -> None:
    run = f'{"sudo -n " if login.sudo else ""}sh "$d"/{SCRIPT} {shlex.quote(name)}'
    command = ["ssh", target, _REMOTE.replace("{run}", run)]
    ran = subprocess.run(command, input=archive, capture_output=True, check=False)
    if ran.returncode:
        said = [line.strip() for line in ran.stderr.decode(errors="replace").splitlines() if line.strip()]
        found = f"{target}: {said[-1].rstrip('.') if said else f'ssh ended with exit code {ran.returncode}'}"
        raise SimulationError(Problem(f"node {name}", found, _REMEDY))
