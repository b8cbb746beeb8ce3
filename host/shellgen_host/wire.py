# SPDX-License-Identifier: BSD-3-Clause
"""Messages of the protocol on asyncio streams."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from typing import Any

from shellgen_host import protocol
from shellgen_host.crc32c import Bytes, crc32c
from shellgen_host.errors import HostError, RefusedError, printable
from shellgen_host.security import refusal

_BYTES = {"text", "token", "key", "hash", "signature", "data", "bitstream", "weights"}


class WireError(HostError):
    """A message that the protocol does not permit, or that was altered on its way."""


@dataclass(frozen=True)
class Message:
    """A message: its type, fields of the header, and the fields behind it or the frame.

    Attributes:
        type: One of `shellgen_host.protocol.TYPES`.
        edge: Number of the boundary.
        epoch: Of the sender.
        frame: Number of a frame.
        flags: Bits.
        values: Fields behind the header, by name.
        payload: The frame of a FRAME.
    """

    type: int
    edge: int = 0
    epoch: int = 0
    frame: int = 0
    flags: int = 0
    values: dict[str, Any] = field(default_factory=dict)
    payload: bytes = b""

    @property
    def fault(self) -> str:
        """The text of a FAULT."""
        text: bytes = self.values["text"][: self.values["length"]]
        return printable(text.decode("ascii", "replace"))


def greeting(role: int, build_id: int, token: bytes) -> Message:
    """Return the HELLO of a connection without frames."""
    values = {"low": protocol.VERSION, "high": protocol.VERSION, "role": role}
    return Message(protocol.HELLO, values=values | {"build_id": build_id, "token": token})


def seal(message: Message) -> bytes:
    """Return the bytes of a message."""
    body: Bytes = message.payload
    if message.type in protocol.FIELDS:
        layout, names = protocol.FIELDS[message.type]
        body = layout.pack(*(message.values.get(name, b"" if name in _BYTES else 0) for name in names))
    head = (protocol.MAGIC, protocol.VERSION, message.type, message.flags, message.edge, message.epoch)
    raw = protocol.HEADER.pack(*head, message.frame, len(body), 0) + bytes(body)
    crc = crc32c(raw)
    return raw[: protocol.HEADER_BYTES - 4] + crc.to_bytes(4, "little") + raw[protocol.HEADER_BYTES :]


def sealed_frame(edge: int, epoch: int, frame: int, payload: bytes) -> bytes:
    """Return the bytes of a FRAME."""
    return seal(Message(protocol.FRAME, edge=edge, epoch=epoch, frame=frame, payload=payload))


async def read(reader: asyncio.StreamReader, frame_bytes: int = -1) -> Message:
    """Return the next message.

    Args:
        reader: Of the connection.
        frame_bytes: Bytes of a FRAME; where they are negative, none is permitted.

    Raises:
        WireError: It is not permitted here, or was altered.
        EOFError: The connection has ended (asyncio.IncompleteReadError).
    """
    head = await reader.readexactly(protocol.HEADER_BYTES)
    found = dict(zip(protocol.HEADER_FIELDS, protocol.HEADER.unpack(head), strict=True))
    kind = found["type"]
    if found["magic"] != protocol.MAGIC:
        raise WireError("the other side does not speak the protocol of shellgen")
    if found["version"] != protocol.VERSION:
        raise WireError(f"the other side speaks version {found['version']}; this one is {protocol.VERSION}")
    layout, names = protocol.FIELDS.get(kind, (None, ()))
    wanted = layout.size if layout else frame_bytes if kind == protocol.FRAME else 0
    if kind not in protocol.TYPES or found["bytes"] != wanted:
        raise WireError(f"a message of type {kind} with {found['bytes']} bytes is not permitted here")
    body = await reader.readexactly(wanted) if wanted else b""
    if crc32c(head[:-4] + bytes(4) + body) != found["crc"]:
        raise WireError("the checksum of a message is wrong")
    values = dict(zip(names, layout.unpack(body), strict=True)) if layout else {}
    payload = b"" if layout else body
    return Message(kind, found["edge"], found["epoch"], found["frame"], found["flags"], values, payload)


@dataclass
class Connection:
    """A connection whose HELLO was accepted.

    Attributes:
        reader: Of its socket.
        writer: Of its socket.
        welcome: The answer.
    """

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    welcome: Message

    def send(self, message: Message) -> None:
        """Queue a message."""
        self.writer.write(seal(message))

    def close(self) -> None:
        """Close it, whatever is under way."""
        self.writer.transport.abort()


async def connect(
    address: tuple[str, int],
    hello: Message,
    tls: tuple[ssl.SSLContext, str] | None = None,
    seconds: float = 5.0,
) -> Connection:
    """Return a connection.

    Args:
        address: Host and port.
        hello: The first message.
        tls: Encrypts with it: context, and the name that the node's certificate must have.
        seconds: For all of it.

    Raises:
        RefusedError: The node refuses the HELLO.
        WireError: It answers with something else.
        OSError: It is not reached, or says nothing.
    """

    async def greet() -> Connection:
        context, name = tls or (None, None)
        reader, writer = await asyncio.open_connection(
            *address, limit=1 << 20, ssl=context, server_hostname=name
        )
        try:
            writer.write(seal(hello))
            answer = await read(reader)
        except BaseException:
            writer.transport.abort()
            raise
        if answer.type == protocol.WELCOME:
            return Connection(reader, writer, answer)
        writer.transport.abort()
        if answer.type == protocol.FAULT:
            raise RefusedError(answer.fault, answer.values["code"])
        raise WireError(f"it answered HELLO with {protocol.TYPES[answer.type]}")

    try:
        async with asyncio.timeout(seconds):
            return await greet()
    except ssl.SSLError as error:
        if text := refusal(error):
            raise RefusedError(text, protocol.FAULT_TOKEN) from None
        raise ConnectionResetError(f"TLS ended: {error.reason or error}") from None
    except TimeoutError:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    except asyncio.IncompleteReadError:
        raise ConnectionResetError("it closed the connection without an answer") from None
