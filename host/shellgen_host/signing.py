# SPDX-License-Identifier: BSD-3-Clause
"""Files for nodes, signed with the operator's Ed25519 key. Signing needs the package cryptography."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen_host.errors import InputError

PRIVATE, PUBLIC = "sign.key", "sign.pem"  # of the operator; in the folder of each node
BITSTREAM, WEIGHTS = 1, 2
_DOMAIN = b"shellgen file v1"


@dataclass(frozen=True)
class SignedFile:
    """A file that a node takes.

    Attributes:
        kind: `BITSTREAM` or `WEIGHTS`.
        build_id: Of the core that it is for.
        content: Its bytes.
        signature: 64 bytes.
    """

    kind: int
    build_id: int
    content: bytes
    signature: bytes

    @property
    def hash(self) -> bytes:
        """SHA-256 of the content."""
        return hashlib.sha256(self.content).digest()

    def fields(self) -> dict[str, Any]:
        """Return the fields of STORE."""
        return {
            "kind": self.kind,
            "size": len(self.content),
            "build_id": self.build_id,
            "hash": self.hash,
            "signature": self.signature,
        }


class Signer:
    """The operator's key.

    Args:
        folder: That ``shellgen host keys`` made for the operator.

    Raises:
        InputError: It has no such key, or the package cryptography is missing.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / PRIVATE
        try:
            from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - an extra
                Ed25519PrivateKey,
            )
            from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
                load_pem_private_key,
            )
        except ImportError:
            text = f"{path}: the package cryptography, which signs, is not installed"
            raise InputError(f"{text}; run pip install 'shellgen-host[keys]'") from None
        try:
            key = load_pem_private_key(path.read_bytes(), None)
        except OSError as error:
            text = f"{path}: {error.strerror}; make keys with `shellgen host keys OUT`"
            raise InputError(f"{text}, and copy them to the nodes") from None
        except (ValueError, TypeError):
            raise InputError(f"{path}: it is no key; make keys with `shellgen host keys OUT`") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise InputError(f"{path}: it is no Ed25519 key; make keys with `shellgen host keys OUT`")
        self._key = key

    def sign(self, kind: int, build_id: int, content: bytes) -> SignedFile:
        """Return a file with a signature.

        Args:
            kind: `BITSTREAM` or `WEIGHTS`.
            build_id: Of the core that it is for.
            content: Bytes of the file.
        """
        digest = hashlib.sha256(content).digest()
        text = _DOMAIN + struct.pack("<IIQQ32s", kind, 0, len(content), build_id, digest)
        return SignedFile(kind, build_id, content, self._key.sign(text))
