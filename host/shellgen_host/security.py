# SPDX-License-Identifier: BSD-3-Clause
"""The client's side of security: TLS with the operator's certificate, and tokens of data connections."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from shellgen_host import protocol
from shellgen_host.errors import InputError

NODE_SUFFIX = ".node.shellgen"  # a node's certificate is for its name and this
OPERATOR = "operator.control.shellgen"
_NUMBER_BYTES = 8
_CLOCK = ("not yet valid", "has expired", "certificate expired", "CERTIFICATE_EXPIRED")
_NO_TLS = ("WRONG_VERSION_NUMBER", "wrong version number", "RECORD_LAYER_FAILURE", "record layer failure")
_CERTIFICATE = ("certificate", "CERTIFICATE", "unknown ca", "UNKNOWN_CA", "bad_certificate")


@dataclass(frozen=True)
class Tls:
    """Keys of the client for nodes that speak TLS.

    Attributes:
        context: With the operator's certificate.
        data: Whether frames go by TLS, too.
        folder: Where the keys are.
    """

    context: ssl.SSLContext
    data: bool
    folder: Path


def load(folder: Path, data: bool, where: str = "keys") -> Tls:
    """Return what ``shellgen host keys`` made for the operator.

    Args:
        folder: With ``ca.pem``, ``cert.pem`` and ``key.pem``.
        data: Whether frames go by TLS, too.
        where: What errors name: file and field.

    Raises:
        InputError: A file is missing, or not what it must be.
    """
    for name in ("ca.pem", "cert.pem", "key.pem"):
        if not (folder / name).is_file():
            remedy = "make keys with `shellgen host keys OUT`"
            if (folder / "operator" / name).is_file():
                remedy = f"give the operator's folder there, {folder / 'operator'}"
            raise InputError(f"{where}: {folder / name} is missing; {remedy}")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        context.load_verify_locations(folder / "ca.pem")
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    except (ssl.SSLError, OSError) as error:
        raise InputError(
            f"{where}: the certificate in {folder} cannot be used: {error}; make keys again"
        ) from None
    return Tls(context, data, folder)


def refusal(error: ssl.SSLError) -> str | None:
    """Return what is wrong with a certificate, or that one side has none, with a remedy; else None."""
    text = getattr(error, "verify_message", None) or error.reason or str(error)
    if any(part in text for part in _CLOCK):
        return f"a certificate is not valid now ({text}); set the clocks of both machines, or make keys again"
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not that of this node in this cluster ({text}); give the keys of one cluster"
        )
    if any(part in text for part in _CERTIFICATE):
        return f"it does not accept our certificate ({text}); give the keys of one cluster"
    if any(part in text for part in _NO_TLS):
        return "it does not speak TLS; start shellgen-node with --keys, or remove keys from hosts.toml"
    return None


@dataclass
class Tokens:
    """The tokens of the data connections of one epoch.

    Attributes:
        fixed: The token that all nodes were started with, where there is no key.
        tls: How to reach nodes by TLS; None if connections are plain.
        epoch: The epoch.
        key: Secret that the nodes got on their control connections; zeros if they have none.
    """

    fixed: bytes
    tls: Tls | None = None
    epoch: int = 0
    key: bytes = bytes(32)
    _used: dict[tuple[int, int], int] = field(default_factory=dict)

    def control(self, node: str) -> tuple[ssl.SSLContext, str] | None:
        """Return what `connect` encrypts a control connection with."""
        return (self.tls.context, node + NODE_SUFFIX) if self.tls else None

    def data(self, node: str) -> tuple[ssl.SSLContext, str] | None:
        """Return what `connect` encrypts a connection of frames with."""
        return self.control(node) if self.tls and self.tls.data else None

    def check(self, node: str, flags: int) -> None:
        """Make sure that a node encrypts frames where they are to be encrypted.

        Args:
            node: Its name.
            flags: Of its WELCOME on a control connection.

        Raises:
            InputError: It was started for plain ones.
        """
        if self.tls and self.tls.data and not flags & protocol.FLAG_TLS:
            raise InputError(
                f'hosts.toml: data: is "tls", but node {node} was started without --data tls and sends '
                "frames to other nodes in clear; start it with that option, or remove data"
            )

    def begin(self, epoch: int) -> None:
        """Begin an epoch, with a new key if connections of control are secret."""
        self.epoch, self.key = epoch, secrets.token_bytes(32) if self.tls else bytes(32)
        self._used.clear()

    def of(self, role: int, edge: int) -> bytes:
        """Return the token of the next connection of a boundary; each is accepted once."""
        if self.key == bytes(32):
            return self.fixed
        number = self._used[role, edge] = self._used.get((role, edge), 0) + 1
        raw = number.to_bytes(_NUMBER_BYTES, "little")
        text = (
            role.to_bytes(1, "little") + edge.to_bytes(4, "little") + self.epoch.to_bytes(4, "little") + raw
        )
        return raw + hmac.new(self.key, text, hashlib.sha256).digest()[: 32 - _NUMBER_BYTES]
