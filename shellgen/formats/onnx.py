# SPDX-License-Identifier: BSD-3-Clause
"""An ONNX model whose texts are printable, and whose tensors hold what their shape and type say."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, numpy_helper

from shellgen.errors import InputError, Problem
from vivado_check.formats.data import legible
from vivado_check.formats.files import file_bytes, open_file
from vivado_check.formats.looks import is_file, size_of

PRODUCER = "shellgen"  # of the models that shellgen writes
_POINTER = "git-lfs may have left a pointer file in its place"
_DEEPEST = 32
# Field of the values and values per element, where they are not in raw_data (onnx.proto).
_FIELDS: dict[int, tuple[str, int]] = {
    TensorProto.FLOAT: ("float_data", 1),
    TensorProto.DOUBLE: ("double_data", 1),
    TensorProto.INT64: ("int64_data", 1),
    TensorProto.UINT32: ("uint64_data", 1),
    TensorProto.UINT64: ("uint64_data", 1),
    **dict.fromkeys(
        (
            TensorProto.INT32,
            TensorProto.INT16,
            TensorProto.INT8,
            TensorProto.UINT16,
            TensorProto.UINT8,
            TensorProto.BOOL,
            TensorProto.FLOAT16,
        ),
        ("int32_data", 1),
    ),
}


def is_ours(path: Path) -> bool:
    """Return whether shellgen made a model: a folder with it may be replaced, one of FINN's may not."""
    try:
        return is_file(path) and load_onnx(path).producer_name == PRODUCER
    except InputError:
        return False


def load_onnx(path: Path, remedy: str = "Name a model that FINN saved") -> onnx.ModelProto:
    """Read a model; its external data is left where it is.

    Raises:
        InputError: The file cannot be read, is not ONNX, has no node, or has a string that is not UTF-8.
    """
    try:
        model = onnx.load_model_from_string(file_bytes(path))
    except OSError as error:
        raise InputError(Problem(str(path), f"cannot be read: {error.strerror}", "Check the path")) from None
    except Exception as error:  # protobuf's DecodeError, which the onnx package does not name
        found = f"is not an ONNX model ({str(error) or type(error).__name__:.200})"
        raise InputError(Problem(str(path), found, f"{remedy}; {_POINTER}")) from None
    if not model.graph.node:
        raise InputError(Problem(str(path), "is not an ONNX model, or has no nodes", f"{remedy}; {_POINTER}"))
    problems = [Problem(str(path), found, "Save the model again") for found in _odd_texts(model)]
    if problems:
        raise InputError(*problems[:20])
    return model


def _odd_texts(model: onnx.ModelProto) -> Iterable[str]:
    """Find texts that are no UTF-8, which protobuf hands out as bytes, or that hide something on a screen."""
    pending: list[tuple[str, Any, int]] = [("", model, 0)]
    while pending:
        place, message, depth = pending.pop()
        if depth > _DEEPEST:
            yield f"its graphs are nested more than {_DEEPEST} deep"
            return
        for field, value in message.ListFields():
            kind = field.type
            if kind not in (field.TYPE_MESSAGE, field.TYPE_STRING):
                continue
            name = f"{place}.{field.name}" if place else field.name
            values = value if hasattr(value, "extend") else (value,)
            if kind == field.TYPE_MESSAGE:
                pending.extend((name, inner, depth + 1) for inner in values)
            else:
                try:
                    odd = [
                        one
                        for one in values
                        if not isinstance(one, str) or not (one.isprintable() or legible(one))
                    ]
                except UnicodeDecodeError:  # protobuf in Python raises where that in C hands out bytes
                    odd = [b"..."]
                yield from (f"{name} is {one!r:.80}, no text that can be shown" for one in odd)


def tensor_values(tensor: TensorProto, path: Path) -> npt.NDArray[Any]:
    """Return the values of a tensor in its shape.

    Args:
        tensor: Of a model.
        path: The model's file: external data lies beside it.

    Raises:
        InputError: It is of no type of numbers that we know, its data is more or less than its shape says, or
            lies in a file that is not there or not beside the model.
    """
    where = f"{path}: tensor {tensor.name}"
    kind = _kind(tensor, where)
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape) or len(shape) > 32 or prod(shape) > 1 << 40:
        raise InputError(Problem(where, f"its shape is {list(shape)!s:.80}", "Save the model again"))
    wanted = prod(shape) * kind.itemsize
    if tensor.data_location == TensorProto.EXTERNAL:
        return _external(tensor, path, where, wanted).view(kind.newbyteorder("<")).astype(kind).reshape(shape)
    if tensor.HasField("raw_data"):
        found, unit = len(tensor.raw_data), "bytes"
    else:
        found, unit = len(getattr(tensor, _FIELDS[tensor.data_type][0])), "values"
        wanted = prod(shape)
    if found != wanted:
        text = f"its shape {list(shape)} takes {wanted} {unit}, and it has {found}"
        raise InputError(Problem(where, text, "Save the model again"))
    try:
        values: npt.NDArray[Any] = numpy_helper.to_array(tensor)
    except (ValueError, OverflowError, TypeError):  # a value beyond its own type
        raise InputError(Problem(where, "its values are not of its type", "Save the model again")) from None
    return values


def _kind(tensor: TensorProto, where: str) -> np.dtype[Any]:
    if tensor.data_type not in _FIELDS:
        known = TensorProto.DataType.values()
        name = TensorProto.DataType.Name(tensor.data_type) if tensor.data_type in known else tensor.data_type
        raise InputError(Problem(where, f"its data type is {name}, which is not read", "Save it as FLOAT"))
    kind: np.dtype[Any] = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type))
    return kind


def _external(tensor: TensorProto, path: Path, where: str, wanted: int) -> npt.NDArray[np.uint8]:
    """Read the data from the file beside the model; never from another folder, whatever the model says."""
    told = {entry.key: entry.value for entry in tensor.external_data}
    name = told.get("location", "")
    file = PurePosixPath(name)
    if not file.parts or file.is_absolute() or ".." in file.parts:
        found = f"its values lie in {name!r}, which is not beside the model"
        raise InputError(Problem(where, found, "Save the model again, with its data beside it"))
    beside = path.parent / file
    remedy = f"Copy {name} beside the model, as it was saved"
    try:
        inside = beside.resolve().is_relative_to(path.parent.resolve())
        size = size_of(beside) if inside and is_file(beside) else -1
        offset = _number(told.get("offset", "0"))
        length = _number(told.get("length", str(wanted)))
        if size < 0:
            raise OSError
        if offset is None or length != wanted or offset + wanted > size:
            found = f"{name} has {size} bytes, and not {wanted} from {told.get('offset', '0')!r:.40} on"
            raise InputError(Problem(where, found, remedy))
        with open_file(beside) as opened:
            opened.seek(offset)
            return np.frombuffer(opened.read(wanted), np.uint8)
    except (OSError, ValueError, RuntimeError):  # a name of too many characters, links in a circle
        text = f"the values of {tensor.name} lie in {name}, which cannot be read"
        raise InputError(Problem(str(path), text, remedy)) from None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
