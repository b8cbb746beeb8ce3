# SPDX-License-Identifier: BSD-3-Clause
"""Numbers and layouts of the protocol. From host/protocol.toml by `make protocol`. Do not edit."""

import struct

MAGIC = 0x48474853
VERSION = 4
HEADER_BYTES = 32
MOST_BYTES = 4104  # of a message without frame

HEADER = struct.Struct("<IBBHIIQII")
HEADER_FIELDS = ("magic", "version", "type", "flags", "edge", "epoch", "frame", "bytes", "crc")

HELLO = 1
WELCOME = 2
FRAME = 3
ACK = 4
FAULT = 5
PING = 6
BYE = 7
EPOCH = 8
STORE = 9
PIECE = 10
LOAD = 11
ORDER = 12
TYPES = {
    HELLO: "HELLO",
    WELCOME: "WELCOME",
    FRAME: "FRAME",
    ACK: "ACK",
    FAULT: "FAULT",
    PING: "PING",
    BYE: "BYE",
    EPOCH: "EPOCH",
    STORE: "STORE",
    PIECE: "PIECE",
    LOAD: "LOAD",
    ORDER: "ORDER",
}

# Of each type: layout and names of what follows the header; a frame has its own size.
FIELDS = {
    HELLO: (
        struct.Struct("<BBBBIQQ32s"),
        ("low", "high", "role", "spare", "frame_bytes", "contract", "build_id", "token"),
    ),
    WELCOME: (
        struct.Struct("<IIQ"),
        ("credits", "spare", "build_id"),
    ),
    ACK: (
        struct.Struct("<II"),
        ("credits", "spare"),
    ),
    FAULT: (
        struct.Struct("<II184s"),
        ("code", "length", "text"),
    ),
    PING: (
        struct.Struct("<QQIIQQ"),
        ("received", "made", "waiting", "unsent", "inside_ns", "copied"),
    ),
    EPOCH: (
        struct.Struct("<32s64sII"),
        ("key", "out", "number", "spare"),
    ),
    STORE: (
        struct.Struct("<IIQQ32s64s"),
        ("kind", "spare", "size", "build_id", "hash", "signature"),
    ),
    PIECE: (
        struct.Struct("<II4096s"),
        ("length", "spare", "data"),
    ),
    LOAD: (
        struct.Struct("<32s32s"),
        ("bitstream", "weights"),
    ),
    ORDER: (
        struct.Struct("<II"),
        ("what", "spare"),
    ),
}

FLAG_ANSWER = 1
FLAG_HOLDS = 2
FLAG_EMPTY = 4
FLAG_HOLD = 8
FLAG_TLS = 16

ROLE_SOURCE = 0
ROLE_SINK = 1
ROLE_CONTROL = 2
ROLE_ORDERS = 3

FAULTS = {
    1: "MALFORMED",
    2: "VERSION",
    3: "EDGE",
    4: "CONTRACT",
    5: "FRAME_BYTES",
    6: "BUILD_ID",
    7: "EPOCH",
    8: "TOKEN",
    9: "BUSY",
    10: "CHECKSUM",
    11: "ORDER",
    12: "CREDITS",
    13: "CORE",
    14: "STORE",
    15: "LOADED",
}
FAULT_MALFORMED = 1
FAULT_VERSION = 2
FAULT_EDGE = 3
FAULT_CONTRACT = 4
FAULT_FRAME_BYTES = 5
FAULT_BUILD_ID = 6
FAULT_EPOCH = 7
FAULT_TOKEN = 8
FAULT_BUSY = 9
FAULT_CHECKSUM = 10
FAULT_ORDER = 11
FAULT_CREDITS = 12
FAULT_CORE = 13
FAULT_STORE = 14
FAULT_LOADED = 15
