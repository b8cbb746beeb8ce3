# SPDX-License-Identifier: BSD-3-Clause
"""Tensors of the Open Inference Protocol, version 2, as JSON and with its binary extension.

Source: kserve.github.io, Open Inference Protocol (V2) and its binary tensor data extension.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]
DTYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype("?"),
    **{f"UINT{8 * size}": np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
    **{f"INT{8 * size}": np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{f"FP{8 * size}": np.dtype(f"<f{size}") for size in (2, 4, 8)},
}
_MOST_DIMENSIONS, _MOST_TENSORS = 8, 64


class RequestError(Exception):
    """A request is wrong: one sentence."""


@dataclass(frozen=True)
class Spec:
    """A tensor of a model.

    Attributes:
        name: Of the tensor.
        datatype: As the protocol names it.
        shape: Of a frame.
    """

    name: str
    datatype: str
    shape: tuple[int, ...]

    def document(self) -> dict[str, Any]:
        """Return it as the protocol describes it; the first dimension is that of frames."""
        return {"name": self.name, "datatype": self.datatype, "shape": [-1, *self.shape]}


@dataclass(frozen=True)
class Request:
    """A request for inference.

    Attributes:
        id: Of the caller; empty if there is none.
        inputs: Frames by name, (frames, *shape).
        binary: Outputs that are returned as bytes, by name; None: the request says nothing of single ones.
        every: Whether outputs are bytes if nothing is said.
    """

    id: str
    inputs: dict[str, Values]
    binary: dict[str, bool] | None
    every: bool


def read_request(body: bytes, header_bytes: int | None, specs: Sequence[Spec]) -> Request:
    """Return a request.

    Args:
        body: JSON, and behind it the data of binary tensors.
        header_bytes: Length of the JSON; None: all of the body.
        specs: Inputs of the model.

    Raises:
        RequestError: It is not what the protocol permits, or does not fit the model.
    """
    if header_bytes is not None and not 0 <= header_bytes <= len(body):
        raise RequestError(f"Inference-Header-Content-Length: {header_bytes} is not within the body")
    try:
        found = json.loads(body if header_bytes is None else body[:header_bytes])
    except (ValueError, RecursionError):
        raise RequestError("the request is not JSON") from None
    if not isinstance(found, dict):
        raise RequestError("the request is no JSON object")
    raw = memoryview(b"" if header_bytes is None else body[header_bytes:])
    inputs: dict[str, Values] = {}
    at = 0
    known = {spec.name: spec for spec in specs}
    for entry in _list(found, "inputs"):
        name = _text(entry, "name")
        if name not in known:
            raise RequestError(f"inputs: there is no {name[:100]!r}; there are {', '.join(known)}")
        if name in inputs:
            raise RequestError(f"inputs: {name} is there twice")
        inputs[name], used = _tensor(entry, known[name], raw[at:])
        at += used
    if missing := [name for name in known if name not in inputs]:
        raise RequestError(f"inputs: {', '.join(missing)} is missing")
    if at != len(raw):
        raise RequestError(f"{len(raw) - at} bytes behind the last tensor belong to none")
    counts = {len(values) for values in inputs.values()}
    if len(counts) != 1:
        raise RequestError(f"inputs: they have different numbers of frames: {sorted(counts)}")
    outputs = _list(found, "outputs") if "outputs" in found else None
    every = _parameters(found).get("binary_data_output") is True
    single = None if outputs is None else {_text(one, "name"): _binary(one, every) for one in outputs}
    identity = found.get("id", "")
    if not isinstance(identity, str):
        raise RequestError("id: it is no text")
    return Request(identity, inputs, single, every)


def answer(model: str, request: Request, outputs: Mapping[str, Values]) -> tuple[bytes, int | None]:
    """Return the body of an answer, and the length of its JSON; None if there is nothing behind that.

    Args:
        model: Name.
        request: What is answered.
        outputs: Results by name, (frames, *shape).

    Raises:
        RequestError: The request wants an output that is not there.
    """
    wanted = request.binary if request.binary is not None else dict.fromkeys(outputs, request.every)
    if unknown := [name for name in wanted if name not in outputs]:
        raise RequestError(f"outputs: there is no {unknown[0][:100]!r}; there are {', '.join(outputs)}")
    entries, pieces = [], []
    for name, binary in wanted.items():
        values, datatype = plain(outputs[name])
        entry: dict[str, Any] = {"name": name, "datatype": datatype, "shape": list(values.shape)}
        if binary:
            pieces.append(values.tobytes())
            entry["parameters"] = {"binary_data_size": len(pieces[-1])}
        else:
            entry["data"] = values.reshape(-1).tolist()
        entries.append(entry)
    found = {"model_name": model, "model_version": "1", "outputs": entries}
    if request.id:
        found["id"] = request.id
    head = json.dumps(found).encode()
    return head + b"".join(pieces), len(head) if pieces else None


def plain(values: Values) -> tuple[Values, str]:
    """Return values in a type of the protocol, little-endian and row-major, and its name."""
    kind = values.dtype.newbyteorder("<")
    name = next((name for name, dtype in DTYPES.items() if dtype == kind), "FP64")
    return np.ascontiguousarray(values, DTYPES[name]), name


def _tensor(entry: dict[str, Any], spec: Spec, raw: memoryview) -> tuple[Values, int]:
    """Return an input, and the bytes of ``raw`` that it has used."""
    datatype, where = _text(entry, "datatype"), f"inputs: {spec.name}"
    if datatype not in DTYPES:
        raise RequestError(f"{where}: datatype {datatype[:100]!r} is unknown; known are {', '.join(DTYPES)}")
    shape = entry.get("shape")
    if not isinstance(shape, list) or not 1 <= len(shape) <= _MOST_DIMENSIONS:
        raise RequestError(f"{where}: shape is no list of 1 to {_MOST_DIMENSIONS} sizes")
    if not all(type(size) is int and 0 < size < 1 << 40 for size in shape):
        raise RequestError(f"{where}: a size of shape is no whole number above 0")
    if tuple(shape[1:]) != spec.shape:
        wanted = ", ".join(str(size) for size in spec.shape)
        raise RequestError(f"{where}: shape is {shape}, and the model takes [frames, {wanted}]")
    count, dtype = prod(shape), DTYPES[datatype]
    size = _parameters(entry).get("binary_data_size")
    if size is not None:
        if type(size) is not int or size != count * dtype.itemsize or size > len(raw):
            raise RequestError(
                f"{where}: binary_data_size does not fit shape {shape}, or the body is cut off"
            )
        values = np.frombuffer(raw[:size], dtype)
        return values.reshape(shape), size
    return _listed(entry.get("data"), where, dtype, count).reshape(shape), 0


def _listed(data: Any, where: str, dtype: np.dtype[Any], count: int) -> Values:
    """Return the values of a list, flat or nested, whose numbers fit the type."""
    try:
        found = np.asarray(data)
    except (ValueError, OverflowError, RecursionError):
        raise RequestError(f"{where}: data is no array of numbers") from None
    if found.dtype.kind not in "biuf" or found.size != count:
        raise RequestError(f"{where}: data has not {count} numbers")
    with np.errstate(all="ignore"):
        values = found.reshape(-1).astype(dtype)
    if dtype.kind != "f" and not np.array_equal(values, found.reshape(-1)):
        raise RequestError(f"{where}: a number of data does not fit its datatype")
    return values


def _list(found: dict[str, Any], key: str) -> list[dict[str, Any]]:
    entries = found.get(key)
    if not isinstance(entries, list) or len(entries) > _MOST_TENSORS:
        raise RequestError(f"{key}: it is no list of at most {_MOST_TENSORS} tensors")
    if not all(isinstance(entry, dict) for entry in entries):
        raise RequestError(f"{key}: a tensor is no object")
    return entries


def _text(entry: dict[str, Any], key: str) -> str:
    found = entry.get(key)
    if not isinstance(found, str):
        raise RequestError(f"{key}: it is missing, or no text")
    return found


def _parameters(entry: dict[str, Any]) -> dict[str, Any]:
    found = entry.get("parameters", {})
    if not isinstance(found, dict):
        raise RequestError("parameters: they are no object")
    if refused := [key for key in found if key.startswith("shared_memory") or key == "classification"]:
        raise RequestError(f"parameters: {refused[0]} is an extension that this server does not have")
    return found


def _binary(entry: dict[str, Any], every: bool) -> bool:
    found = _parameters(entry).get("binary_data", every)
    if not isinstance(found, bool):
        raise RequestError("binary_data: it is neither true nor false")
    return found
