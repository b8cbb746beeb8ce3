# SPDX-License-Identifier: BSD-3-Clause
"""Keys of a cluster: who may control a node, who may send frames, and the refusals for everybody else."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from host_attacks import CONTROL, little_memory
from host_pair import Running, files, golden, out, started  # noqa: F401 - fixtures

from shellgen.cli import main
from shellgen.rehearse.processes import NodeFiles
from shellgen_host import Cluster, HostError, Hosts, InputError, RefusedError, protocol
from shellgen_host.edges import hello
from shellgen_host.hosts import read_hosts
from shellgen_host.keys import make_keys
from shellgen_host.security import OPERATOR, Tls, Tokens, load
from shellgen_host.wire import Connection, Message, connect, read

pytestmark = pytest.mark.xdist_group("rehearse")

NAMES = MappingProxyType({"one": "one.node.shellgen", "two": "two.node.shellgen"})
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    make_keys(folder, "pair", NAMES)
    return folder


@pytest.fixture(scope="module")
def keyed(
    out: Path,  # noqa: F811
    files: dict[str, NodeFiles],  # noqa: F811
    keys: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Running]:
    """Nodes with certificates, whose frames are plain."""
    folder = tmp_path_factory.mktemp("keyed")
    with started(out, files, folder, lambda name: ("--keys", str(keys / name))) as running:
        yield running


def with_keys(running: Running, tls: Tls) -> Hosts:
    found = Hosts(running.hosts)
    found.tls = tls
    return found


def test_a_cluster_with_keys(keyed: Running, keys: Path) -> None:
    x, y = golden(keyed.out)
    with Cluster(keyed.out, with_keys(keyed, load(keys / "operator", False))) as cluster:
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
        assert cluster.epochs == 1


def test_status_of_a_cluster_with_keys(
    keyed: Running, keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = tmp_path / "hosts.toml"
    tables = "\n".join(
        f'[[node]]\nname = "{name}"\naddress = "{at[0]}:{at[1]}"\n' for name, at in keyed.hosts.items()
    )
    hosts.write_text(f'keys = "{keys / "operator"}"\n{tables}')
    words = ["status", str(keyed.out), "--hosts", str(hosts)]
    assert main(words) == 0
    assert capsys.readouterr().out.count("  waits for ") == 2
    hosts.write_text(tables)
    assert main(words) == 1
    assert "waits for" not in capsys.readouterr().out


def test_frames_by_tls(out: Path, files: dict[str, NodeFiles], keys: Path, tmp_path: Path) -> None:  # noqa: F811
    """Between nodes and to the client; a plain connection is refused."""
    x, y = golden(out)

    def options(name: str) -> tuple[str, ...]:
        return ("--keys", str(keys / name), "--data", "tls")

    with started(out, files, tmp_path, options) as running:
        with Cluster(out, with_keys(running, load(keys / "operator", True))) as cluster:
            assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
            assert cluster.epochs == 1
            assert cluster.state()["two"]["copied"] == 0
        notes: list[str] = []
        plain = with_keys(running, load(keys / "operator", False))
        with (
            Cluster(out, plain, patience=1, note=notes.append) as cluster,
            pytest.raises(HostError),
        ):
            cluster.predict(x)
        assert any("this node takes frames by TLS only" in note for note in notes)


def test_a_node_that_would_send_frames_in_clear(keyed: Running, keys: Path) -> None:
    """Its own data connections take TLS as well: without the flag of its WELCOME nobody would notice."""
    encrypted = with_keys(keyed, load(keys / "operator", True))
    with (
        pytest.raises(InputError, match=r'data: is "tls", but node (one|two) was started without --data tls'),
        Cluster(keyed.out, encrypted, patience=30) as cluster,
    ):
        cluster.state()


def control(running: Running, context: ssl.SSLContext | None, node: str = "two") -> Message:
    """Return the WELCOME of a control connection."""

    async def ask() -> Message:
        tls = (context, NAMES[node]) if context else None
        connection = await connect(running.hosts[node], Message(protocol.HELLO, values=CONTROL), tls)
        connection.close()
        return connection.welcome

    return asyncio.run(ask())


def reissued(keys: Path, name: str, folder: Path, begin: datetime, end: datetime) -> Path:
    """Return a folder with a certificate of this cluster for another time."""
    authority = serialization.load_pem_private_key((keys / "ca.key").read_bytes(), None)
    assert isinstance(authority, ec.EllipticCurvePrivateKey)
    old = x509.load_pem_x509_certificate((keys / name / "cert.pem").read_bytes())
    key = old.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    found = x509.CertificateBuilder().subject_name(old.subject).issuer_name(old.issuer).public_key(key)
    found = found.serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(end)
    for each in old.extensions:
        found = found.add_extension(each.value, each.critical)
    folder.mkdir()
    for copied in ("ca.pem", "key.pem"):
        (folder / copied).write_bytes((keys / name / copied).read_bytes())
    raw = found.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    (folder / "cert.pem").write_bytes(raw)
    return folder


@contextmanager
def unnoticed(running: Running, keys: Path) -> Iterator[Cluster]:
    """A client gets its frames before and after what happens inside, in one epoch, and it costs no memory."""
    x, y = golden(running.out)
    hosts = with_keys(running, load(keys / "operator", False))
    with Cluster(running.out, hosts) as cluster:
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
        with little_memory(*(node.pid for node in running.nodes.values())):
            yield cluster
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
        assert cluster.epochs == 1


def not_admitted(keyed: Running, keys: Path, tmp_path: Path) -> None:
    """Without TLS or certificate; with a node's, of another authority, at another time; with TLS 1.2."""
    with pytest.raises(RefusedError, match="role: this node is controlled by TLS with the operator's certif"):
        control(keyed, None)
    with pytest.raises(RefusedError, match="role: this node is controlled by TLS with the operator's certif"):
        control(keyed, load(keys / "one", False).context)
    now = datetime.now(UTC)
    expired = reissued(keys, "operator", tmp_path / "expired", now - 3 * DAY, now - DAY)
    early = reissued(keys, "operator", tmp_path / "early", now + DAY, now + 3 * DAY)
    for folder in (expired, early):
        with pytest.raises(RefusedError, match=r"set the clocks of both machines|does not accept our certif"):
            control(keyed, load(folder, False).context)
    nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    nobody.load_verify_locations(keys / "ca.pem")
    with pytest.raises((RefusedError, OSError)):
        control(keyed, nobody)
    stranger = trustme.CA()
    forged = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    forged.load_verify_locations(keys / "ca.pem")
    stranger.issue_cert(OPERATOR).configure_cert(forged)
    with pytest.raises(RefusedError, match=r"does not accept our certificate .*give the keys of one cluster"):
        control(keyed, forged)
    other = load(keys / "operator", False).context
    with pytest.raises(RefusedError, match="its certificate is not that of this node in this cluster"):
        asyncio.run(connect(keyed.hosts["two"], Message(protocol.HELLO), (other, NAMES["one"])))
    older = load(keys / "operator", False).context
    older.minimum_version = older.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises((RefusedError, OSError)):
        control(keyed, older)


def test_who_may_not_control(keyed: Running, keys: Path, tmp_path: Path) -> None:
    """A client that has the cluster notices none of them; afterwards the operator may."""
    with unnoticed(keyed, keys):
        not_admitted(keyed, keys, tmp_path)
    assert control(keyed, load(keys / "operator", False).context).values["build_id"]


def test_a_node_of_another_cluster(keyed: Running, tmp_path: Path) -> None:
    """The client says so, at once, and names the node."""
    make_keys(tmp_path / "other", "other", NAMES)
    hosts = with_keys(keyed, load(tmp_path / "other" / "operator", False))
    with pytest.raises(RefusedError, match=r"node (one|two) at .*: its certificate is not that of this node"):
        Cluster(keyed.out, hosts)
    make_keys(tmp_path / "past", "pair", NAMES, 0)
    hosts = with_keys(keyed, load(tmp_path / "past" / "operator", False))
    with pytest.raises(RefusedError, match="certificate"):
        Cluster(keyed.out, hosts)


def test_tokens(keyed: Running, keys: Path) -> None:
    """Each is good once, for one boundary, direction and epoch; without a key there is no epoch."""
    address, edge, result = keyed.hosts["two"], keyed.cut, keyed.map.outputs[0]
    tls = load(keys / "operator", False)
    tokens = Tokens(bytes(32), tls)

    async def begin(connection: Connection, epoch: int) -> None:
        tokens.begin(epoch)
        values = {"key": tokens.key}
        connection.send(Message(protocol.EPOCH, epoch=epoch, frame=7, values=values))
        answer = await read(connection.reader)
        assert (answer.type, answer.epoch, answer.values["key"]) == (protocol.EPOCH, epoch, bytes(32))

    async def source(token: bytes) -> None:
        found = await connect(address, hello(edge, protocol.ROLE_SOURCE, tokens.epoch, 0, token))
        assert found.welcome.frame == 7
        found.close()

    async def refused(token: bytes) -> None:
        with pytest.raises(RefusedError, match="token: it is not the token of this node"):
            await source(token)

    async def story() -> None:
        first = Message(protocol.HELLO, values=CONTROL)
        connection = await connect(address, first, tls=(tls.context, NAMES["two"]))
        epoch = connection.welcome.epoch + 1
        connection.send(Message(protocol.EPOCH, epoch=epoch))
        answer = await read(connection.reader)
        assert "key: this node needs one" in answer.fault
        await begin(connection, epoch)
        one, two = tokens.of(protocol.ROLE_SOURCE, edge.number), tokens.of(protocol.ROLE_SOURCE, edge.number)
        await refused(bytes(32))
        await source(one)
        await refused(one)
        await source(two)
        await refused(one)
        await refused(tokens.of(protocol.ROLE_SINK, edge.number))
        await refused(tokens.of(protocol.ROLE_SOURCE, result.number))
        later = tokens.of(protocol.ROLE_SOURCE, edge.number)
        await begin(connection, epoch + 1)
        await refused(later)
        await source(tokens.of(protocol.ROLE_SOURCE, edge.number))
        connection.close()

    asyncio.run(story())


def test_a_token_is_replayed(keyed: Running, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was recorded opens no second connection, and the client that it was of notices nothing."""
    seen: list[tuple[int, int, bytes]] = []
    made = Tokens.of

    def recorded(tokens: Tokens, role: int, edge: int) -> bytes:
        found = made(tokens, role, edge)
        seen.append((role, tokens.epoch, found))
        return found

    monkeypatch.setattr(Tokens, "of", recorded)
    with unnoticed(keyed, keys):
        for role, edge, node in (
            (protocol.ROLE_SINK, keyed.map.outputs[0], "two"),
            (protocol.ROLE_SOURCE, keyed.map.inputs[0], "one"),
        ):
            used = [(epoch, token) for one, epoch, token in seen if one == role]
            assert used
            for epoch, token in used:
                with pytest.raises(RefusedError, match="token: it is not the token of this node"):
                    asyncio.run(connect(keyed.hosts[node], hello(edge, role, epoch, 0, token)))


def test_the_command(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    """`shellgen host keys`, and hosts.toml that names the operator's."""
    made = tmp_path / "keys"
    assert main(["host", "keys", str(out), "-o", str(made), "--days", "30", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["folders"] == ["operator", "one", "two"]
    for secret in (made / "ca.key", *made.glob("*/key.pem")):
        assert secret.stat().st_mode & 0o777 == 0o600, secret
    assert main(["host", "keys", str(out), "-o", str(made)]) == 2
    assert "keys are there already. Give another folder, or remove it." in capsys.readouterr().err
    assert main(["host", "keys", str(out), "--days", "0"]) == 2
    assert "--days: got '0'; give days from 1 to 36500" in capsys.readouterr().err
    hosts = tmp_path / "hosts.toml"
    text = '[[node]]\nname = "one"\naddress = "a:1"\n'
    hosts.write_text(f'keys = "keys/operator"\ndata = "tls"\n{text}')
    found = read_hosts(hosts, ["one"])
    assert found.tls is not None
    assert found.tls.data
    cases = {
        'keys = "nowhere"\n': "nowhere/ca.pem is missing; make keys with `shellgen host keys OUT`",
        'keys = "keys"\n': f"cert.pem is missing; give the operator's folder there, {made / 'operator'}",
        "keys = 5\n": "keys: 5 is no folder; give that of the operator's certificate",
        'data = "tls"\n': "data: tls needs certificates; give the folder of the operator's as keys",
        'data = "secret"\n': 'data: \'secret\' is unknown; write "plain" or "tls"',
    }
    for line, said in cases.items():
        hosts.write_text(line + text)
        with pytest.raises(InputError) as error:
            read_hosts(hosts, ["one"])
        assert said in str(error.value)
    (made / "operator" / "key.pem").write_text("no key")
    hosts.write_text(f'keys = "keys/operator"\n{text}')
    with pytest.raises(
        InputError, match=r"keys: the certificate in .*operator cannot be used: .*; make keys again"
    ):
        read_hosts(hosts, ["one"])
    with pytest.raises(InputError, match="a/b: a node of this name can have no certificate; rename it"):
        make_keys(tmp_path / "more", "c", ["a/b"])
