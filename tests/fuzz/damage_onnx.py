# SPDX-License-Identifier: BSD-3-Clause
"""Damage to an ONNX file at some field of some message, found by protobuf's own reflection."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import onnx
from google.protobuf.descriptor import FieldDescriptor

from fuzz.values import FLOATS, INTEGERS, TEXTS

_MARK = "SHELLGENFUZZMARK"
_NOT_TEXT = (b"\xff\xfe", b"\xc3(", b"\xed\xa0\x80", b"caf\xe9", b"\x80" * 5)


def damage_onnx(rng: Random, content: bytes) -> bytes:
    """Change one field, with an eye on what is rarer than it matters: tensors and attributes."""
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except Exception:  # an earlier step has damaged it
        return content[: rng.randrange(len(content) + 1)]
    tensors, attributes = list(model.graph.initializer), [a for n in model.graph.node for a in n.attribute]
    choice = rng.randrange(10)
    if choice < 2 and tensors:
        _tensor(rng, rng.choice(tensors))
    elif choice < 5 and attributes:
        _attribute(rng, rng.choice(attributes))
    else:
        fields = list(_fields(model))
        if not fields:  # of an empty file, which an earlier step has left
            return content + bytes(rng.randrange(256) for _ in range(8))
        _field(rng, *rng.choice(fields))
    made: bytes = model.SerializeToString()
    filler = rng.choice(_NOT_TEXT).ljust(len(_MARK), b"\xff")
    return made.replace(_MARK.encode(), filler)


def _fields(message: Any) -> Iterator[tuple[Any, Any]]:
    for field, value in message.ListFields():
        yield message, field
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if _repeated(message, field) else (value,):
                yield from _fields(inner)


def _repeated(message: Any, field: Any) -> bool:
    return hasattr(getattr(message, field.name), "extend")


def _scalar(rng: Random, field: Any) -> Any:
    limits = {
        FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
        FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
        FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    }
    if field.type in limits:
        low, high = limits[field.type]
        return rng.choice([value for value in INTEGERS if low <= value <= high])
    if field.type == FieldDescriptor.TYPE_ENUM:
        return rng.choice([value.number for value in field.enum_type.values])
    if field.type == FieldDescriptor.TYPE_BYTES:
        return rng.choice((b"", b"\xff", *(text.encode("utf-8", "surrogatepass") for text in TEXTS)))
    if field.type == FieldDescriptor.TYPE_STRING:
        return rng.choice((_MARK, *(text for text in TEXTS if "\ud800" not in text)))
    return rng.choice(FLOATS)


def _field(rng: Random, message: Any, field: Any) -> None:
    if not _repeated(message, field):
        if field.type == FieldDescriptor.TYPE_MESSAGE or rng.random() < 0.2:
            message.ClearField(field.name)
        else:
            setattr(message, field.name, _scalar(rng, field))
        return
    values = getattr(message, field.name)
    at = rng.randrange(len(values))
    match rng.randrange(4):
        case 0:
            del values[at]
        case 1:
            values.extend([values[at]] * rng.choice((1, 1, 3, 300)))
        case 2 if field.type != FieldDescriptor.TYPE_MESSAGE:
            values[at] = _scalar(rng, field)
        case _:
            kept = list(values)
            rng.shuffle(kept)
            del values[:]
            values.extend(kept)


def _tensor(rng: Random, tensor: Any) -> None:
    match rng.randrange(8):
        case 0:
            tensor.data_type = rng.choice((0, 2, 6, 7, 8, 9, 10, 11, 14, 16, 17, 21, 23, 99, 2**31 - 1, -1))
        case 1 if tensor.dims:
            tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice([v for v in INTEGERS if abs(v) < 2**63])
        case 2:
            tensor.raw_data = rng.choice(
                (b"", tensor.raw_data[:-1], tensor.raw_data * 2, tensor.raw_data + b"\0")
            )
        case 3:
            tensor.ClearField("raw_data")
            tensor.float_data.extend([1.0] * rng.choice((1, 7)))
        case 4:
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.ClearField("raw_data")
            for key, values in (
                (
                    "location",
                    ("../outside/keep.txt", "/etc/hostname", "", "nothing.bin", "cluster.toml", "\0", "."),
                ),
                ("offset", ("0", "-1", "x", "9" * 30)),
                ("length", ("8", "-8", "9" * 18, "")),
            ):
                tensor.external_data.add(key=key, value=rng.choice(values))
        case 5:
            tensor.raw_data = b"\xff" * len(tensor.raw_data)  # not a number, for floats
        case 6:
            tensor.name = rng.choice((_MARK, "", "global_in"))
        case _:
            tensor.dims.extend(rng.choice(((1,), (0,), (2**40,), (1,) * 40)))


def _attribute(rng: Random, attribute: Any) -> None:
    match rng.randrange(5):
        case 0:
            attribute.type = rng.choice((0, 1, 2, 3, 4, 6, 7, 8))
        case 1:
            name = attribute.name
            attribute.Clear()
            attribute.name = name
            value = rng.choice(
                (1, 0, -1, 0.5, "x", "", [1, 2], [-1], ["a"], b"\xff\xfe", [2**62] * 3, [1] * 1000)
            )
            attribute.CopyFrom(onnx.helper.make_attribute(name, value))
        case 2:
            attribute.i = rng.choice([value for value in INTEGERS if abs(value) < 2**63])
        case 3:
            attribute.ints.extend([rng.choice((0, -1, 1, 2**40))])
        case _:
            attribute.s = rng.choice((b"\xff", *(text.encode("utf-8", "surrogatepass") for text in TEXTS)))
