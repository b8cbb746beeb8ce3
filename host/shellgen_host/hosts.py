# SPDX-License-Identifier: BSD-3-Clause
"""``hosts.toml``: where each node of a cluster listens."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from shellgen_host.errors import InputError
from shellgen_host.security import Tls, load

Address = tuple[str, int]
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.%]+\]")
_FIELDS = {"name", "address"}
_REMEDY = 'write address = "HOST:PORT"'


class Hosts(dict[str, Address]):
    """Address (host, port) by node.

    Attributes:
        token: 32 bytes that every node was started with; zeros if there is none.
        tls: How to reach nodes by TLS; None if connections are plain.
        path: File that they were read from, for messages.
    """

    token: bytes = bytes(32)
    tls: Tls | None = None
    path: str = "hosts.toml"


def read_hosts(path: str | Path, nodes: Iterable[str]) -> Hosts:
    """Return the addresses of all nodes of a cluster.

    Args:
        path: ``hosts.toml``.
        nodes: Names of the nodes; each must have an address of its own.

    Raises:
        InputError: The file is missing or wrong; names line and field.
    """
    if not isinstance(path, (str, Path)):
        raise InputError(f"hosts: {path!r} is no file; give hosts.toml, or what read_hosts has returned")
    where = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise InputError(f"{where}: {error.strerror}; write one: {_form(nodes)}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: it is not TOML: {error}") from None
    lines = [
        number for number, line in enumerate(text.splitlines(), 1) if re.match(r"\s*\[\[\s*node\s*\]\]", line)
    ]
    if unknown := sorted(data.keys() - {"node", "token", "keys", "data"}):
        raise InputError(
            f"{where}: {unknown[0]}: there is no such field; a file has token, keys, data, and {_form(nodes)}"
        )
    found = Hosts()
    found.path = where
    found.token = _token(where, data.get("token"))
    found.tls = _tls(where, Path(path).parent, data)
    entries = data.get("node", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{where}: node: it is no list of tables; write [[node]]")
    known = list(nodes)
    taken: dict[Address, str] = {}
    for index, entry in enumerate(entries):
        line = f"{where}:{lines[index]}" if index < len(lines) else where
        name, address = _entry(f"{line}: node[{index}]", entry, known)
        if name in found:
            raise InputError(f"{line}: node[{index}].name: {name} is there twice; remove one of them")
        if address in taken:
            text = f"{line}: node[{index}].address: {name} and {taken[address]} have the same address"
            raise InputError(f"{text}; give each node its own port")
        found[name], taken[address] = address, name
    if missing := [name for name in known if name not in found]:
        text = f"{where}: node: there is none named {', '.join(missing)}"
        raise InputError(f"{text}; add a [[node]] with its name and address")
    return found


def spelled(address: Address) -> str:
    """Return an address as ``hosts.toml`` has it: an IPv6 address in brackets."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _entry(where: str, entry: dict[str, object], known: list[str]) -> tuple[str, Address]:
    if unknown := sorted(entry.keys() - _FIELDS):
        raise InputError(f"{where}.{unknown[0]}: there is no such field; a node has name and address")
    name, address = entry.get("name"), entry.get("address")
    if not isinstance(name, str) or name not in known:
        found = f"{where}.name: {name!r} is no node of the cluster, which has {', '.join(known)}"
        raise InputError(f"{found}; correct the name, or give the folder of its cluster")
    if address is None:
        raise InputError(f"{where}.address: it is missing; {_REMEDY}")
    if not isinstance(address, str):
        raise InputError(f"{where}.address: {address!r} is no address; {_REMEDY}")
    host, colon, port = address.rpartition(":")
    if not colon:
        raise InputError(f"{where}.address: {address!r} has no port; {_REMEDY}")
    if ":" in host and not host.startswith("["):
        remedy = 'write an IPv6 address in brackets: address = "[fd00::1]:5000"'
        raise InputError(f"{where}.address: {address!r} has colons in its host; {remedy}")
    if not _HOST.fullmatch(host):
        raise InputError(f"{where}.address: {address!r} has no host; {_REMEDY}")
    if not re.fullmatch(r"[1-9][0-9]{0,4}", port) or int(port) > 65535:
        raise InputError(f"{where}.address: {address!r} has no port from 1 to 65535; {_REMEDY}")
    return name, (host.strip("[]"), int(port))


def _tls(where: str, beside: Path, data: dict[str, Any]) -> Tls | None:
    keys, frames = data.get("keys"), data.get("data", "plain")
    if frames not in ("plain", "tls"):
        raise InputError(f'{where}: data: {frames!r} is unknown; write "plain" or "tls"')
    if keys is None:
        if frames == "tls":
            raise InputError(
                f"{where}: data: tls needs certificates; give the folder of the operator's as keys"
            )
        return None
    if not isinstance(keys, str):
        raise InputError(f"{where}: keys: {keys!r} is no folder; give that of the operator's certificate")
    return load(beside / keys, frames == "tls", f"{where}: keys")


def _form(nodes: Iterable[str]) -> str:
    """Return the table of a node."""
    name = next(iter(nodes), "node0")
    return f'for each board a [[node]] with name = "{name}" and an address, as in "192.168.0.10:5000"'


def _token(where: str, token: object) -> bytes:
    if token is None:
        return bytes(32)
    if not isinstance(token, str) or not re.fullmatch(r"[0-9a-f]{64}", token):
        raise InputError(
            f"{where}: token: it is not 64 hex digits in lower case; write what --token of shellgen-node has"
        )
    return bytes.fromhex(token)


def exchanged(node: str, nodes: Collection[str], text: str) -> str:
    """Return what to add to a refusal at the address of a node, if another one of the cluster says it."""
    found = re.search(r"build_id: node (\S+) has another build", text)
    if found is None or found[1] == node or found[1] not in nodes:
        return ""
    return f", and {found[1]} answers there; exchange their addresses in hosts.toml"
