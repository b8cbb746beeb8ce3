# SPDX-License-Identifier: BSD-3-Clause
"""Makes the keys of a cluster: a certificate authority, and certificates of the operator and of each node.

Needs the package cryptography.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from shellgen_host.errors import InputError
from shellgen_host.security import NODE_SUFFIX, OPERATOR
from shellgen_host.signing import PRIVATE, PUBLIC

DAYS = 730
_EARLIER = timedelta(days=1)  # a board's clock may be behind
_NAME = re.compile(r"[A-Za-z0-9_-]{1,48}")


def make_keys(folder: Path, cluster: str, nodes: Iterable[str], days: int = DAYS) -> list[Path]:
    """Write the keys of a cluster; return the folders, the operator's first.

    Args:
        folder: For one folder per certificate, and ``ca.key``; must not have keys.
        cluster: Name for the certificates.
        nodes: Names of the nodes.
        days: How long the certificates are valid.

    Raises:
        InputError: The folder has keys, or a name fits no certificate.
    """
    names = list(nodes)
    for name in names:
        if not _NAME.fullmatch(name) or name == "operator":
            raise InputError(f"{name}: a node of this name can have no certificate; rename it")
    if (folder / "ca.key").exists():
        raise InputError(f"{folder / 'ca.key'}: keys are there already; give another folder, or remove it")
    begin = datetime.now(UTC) - _EARLIER
    end = begin + _EARLIER + timedelta(days=days)

    def name_of(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])

    def builder(subject: str, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        found = x509.CertificateBuilder().subject_name(name_of(subject)).issuer_name(name_of(f"{cluster} CA"))
        found = found.public_key(public).serial_number(x509.random_serial_number())
        return found.not_valid_before(begin).not_valid_after(end)

    def private(key: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey) -> bytes:
        plain = serialization.NoEncryption()
        return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)

    authority = ec.generate_private_key(ec.SECP256R1())
    own = x509.SubjectKeyIdentifier.from_public_key(authority.public_key())
    usage = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement"), False
    ) | {"encipher_only": False, "decipher_only": False}
    signs = x509.KeyUsage(digital_signature=False, key_cert_sign=True, crl_sign=True, **usage)
    shakes = x509.KeyUsage(digital_signature=True, key_cert_sign=False, crl_sign=False, **usage)
    root = builder(f"{cluster} CA", authority.public_key())
    root = root.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    root = root.add_extension(signs, critical=True).add_extension(own, critical=False)
    ca = root.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "ca.key", private(authority))
    (folder / "ca.pem").write_bytes(ca)
    signs_files = ed25519.Ed25519PrivateKey.generate()
    public = signs_files.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    made = []
    both = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    issued = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own)
    for name in ("operator", *names):
        key = ec.generate_private_key(ec.SECP256R1())
        host = OPERATOR if name == "operator" else name + NODE_SUFFIX
        one = builder(f"{cluster} {name}", key.public_key())
        one = one.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        one = one.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        one = one.add_extension(shakes, critical=True).add_extension(issued, critical=False)
        purposes = both[1:] if name == "operator" else both
        one = one.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        place = folder / name
        place.mkdir(exist_ok=True)
        _write(place / "key.pem", private(key))
        (place / "cert.pem").write_bytes(
            one.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        (place / "ca.pem").write_bytes(ca)
        if name == "operator":
            _write(place / PRIVATE, private(signs_files))
        else:
            (place / PUBLIC).write_bytes(public)
        made.append(place)
    return made


def _write(path: Path, data: bytes) -> None:
    """Write a secret, which only its owner may ever read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
