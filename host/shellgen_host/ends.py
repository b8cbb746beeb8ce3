# SPDX-License-Identifier: BSD-3-Clause
"""Operators of the model before the first board and behind the last one, executed by onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen_host.errors import InputError
from shellgen_host.tensors import Spec

Values = npt.NDArray[Any]
BEFORE, AFTER = "host_before.onnx", "host_after.onnx"
_RAW = "give integers of the boundaries instead (raw=True; from a shell --raw)"


class HostModel:
    """One of the two files.

    Args:
        path: The file.

    Raises:
        InputError: onnxruntime is not installed, or refuses the file.
    """

    def __init__(self, path: Path) -> None:
        try:
            onnxruntime = import_module("onnxruntime")
        except ImportError:
            text = f"{path}: values of the model pass through it, and onnxruntime is not installed"
            raise InputError(f"{text}; run pip install onnxruntime, or {_RAW}") from None
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors only
        try:
            self._session = onnxruntime.InferenceSession(
                path.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its own errors have no common base
            raise InputError(f"{path}: onnxruntime refuses it: {_line(error)}; {_RAW}") from None
        self.path = path
        self._inputs = self._session.get_inputs()
        self.inputs = [one.name for one in self._inputs]
        self.outputs = [one.name for one in self._session.get_outputs()]
        both = (*self._inputs, *self._session.get_outputs())
        self.specs = {one.name: _spec(one) for one in both}

    def run(self, frame: Mapping[str, Values]) -> dict[str, Values]:
        """Return the outputs for one frame, each without the dimension of frames.

        Args:
            frame: Values by input, of any shape with as many elements as the model's: a caller's arrays are
                of exactly its shape, and those of a boundary may have other dimensions of one.

        Raises:
            InputError: An input is missing, has another number of elements, or NaN among them.
        """
        given = {}
        for one in self._inputs:
            if one.name not in frame:
                raise InputError(f"{self.path}: there is no {one.name!r}; give {', '.join(self.inputs)}")
            shape = [size if isinstance(size, int) and size > 0 else 1 for size in one.shape]
            values = np.asarray(frame[one.name])
            if values.dtype.kind not in "biuf" or values.size != int(np.prod(shape)):
                wanted = ", ".join(str(size) for size in shape[1:])
                found = f"{one.name}: its array is {values.dtype} {(1, *values.shape)}"
                raise InputError(f"{found}; give numbers of shape (frames, {wanted})")
            if values.dtype.kind == "f" and np.isnan(values).any():
                raise InputError(f"{one.name}: it has values that are no numbers (NaN); give numbers")
            given[one.name] = values.reshape(shape).astype(np.float32)
        results = self._session.run(self.outputs, given)
        return {name: np.asarray(found)[0] for name, found in zip(self.outputs, results, strict=True)}


def _spec(one: Any) -> Spec:
    """Return a tensor of a model as clients see it, without the first dimension."""
    kinds = {"int64": "INT64", "int32": "INT32", "double": "FP64", "bool": "BOOL"}
    kind = kinds.get(one.type.removeprefix("tensor(").removesuffix(")"), "FP32")
    shape = tuple(size if isinstance(size, int) and size > 0 else 1 for size in one.shape)
    return Spec(one.name, kind, shape[1:])


class Ends:
    """Both ends of the model in a generated folder; each is loaded when it is first used.

    Args:
        out: Folder that ``shellgen generate`` wrote.
        inputs: Tensors that enter the first board.
        outputs: Tensors that leave the last one.
    """

    def __init__(self, out: str | Path, inputs: list[str], outputs: list[str]) -> None:
        self._before = _Lazy(Path(out) / BEFORE)
        self._after = _Lazy(Path(out) / AFTER)
        self._inputs, self._outputs = inputs, outputs

    @property
    def there(self) -> bool:
        """Whether the model has something to do before or behind the boards."""
        return self._before.there or self._after.there

    @property
    def inputs(self) -> list[str]:
        """Inputs of the model; one may enter a board directly."""
        model = self._before.model
        if model is None:
            return self._inputs
        made = self._inputs if len(model.outputs) == len(self._inputs) == 1 else model.outputs
        return [*model.inputs, *(name for name in self._inputs if name not in (*made, *model.inputs))]

    @property
    def outputs(self) -> list[str]:
        """Outputs of the model; one may leave a board directly."""
        model = self._after.model
        if model is None:
            return self._outputs
        single = len(self._outputs) == len(model.inputs) == 1
        return [
            *model.outputs,
            *(name for name in self._outputs if not single and name not in model.inputs),
        ]

    def signature(
        self, entering: Mapping[str, tuple[int, ...]], leaving: Mapping[str, tuple[int, ...]]
    ) -> tuple[list[Spec], list[Spec]]:
        """Return name, type and shape of the model's inputs and outputs.

        Args:
            entering: Shape of a frame, by tensor that enters the first board.
            leaving: The same of those that leave the last one.
        """
        ends = ((self._before, self.inputs, entering), (self._after, self.outputs, leaving))
        known: list[list[Spec]] = []
        for end, names, shapes in ends:
            specs = end.model.specs if end.model else {}
            known.append([specs.get(name) or Spec(name, "INT64", shapes[name]) for name in names])
        return known[0], known[1]

    def enter(self, frame: Values | Mapping[str, Values]) -> Values | Mapping[str, Values]:
        """Return what enters the boards for one frame of the model."""
        model = self._before.model
        if model is None:
            return frame
        given = dict(frame) if isinstance(frame, Mapping) else {model.inputs[0]: frame}
        if len(model.inputs) > 1 and not isinstance(frame, Mapping):
            raise InputError(
                f"there are {len(model.inputs)} inputs; give a dictionary with {_names(model.inputs)}"
            )
        found = model.run(given)
        # An input of the model may enter a board directly.
        return _renamed(given | found, list(found), self._inputs, model.path)

    def leave(self, results: Mapping[str, Values]) -> dict[str, Values]:
        """Return the outputs of the model for the results of the boards, each without dimension of frames."""
        model = self._after.model
        if model is None:
            return dict(results)
        found = model.run(_renamed(results, self._outputs, model.inputs, model.path))
        passed = {name: values for name, values in results.items() if name not in model.inputs}
        single = len(results) == len(model.inputs) == 1
        return found if single else found | passed


class _Lazy:
    """A model that may not be there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._model: HostModel | None = None

    @property
    def there(self) -> bool:
        """Whether there is a file."""
        return self._path.is_file()

    @property
    def model(self) -> HostModel | None:
        """The model; None if there is no file."""
        if self._model is None and self.there:
            self._model = HostModel(self._path)
        return self._model


def _renamed(
    values: Mapping[str, Values], named: list[str], wanted: list[str], path: Path
) -> dict[str, Values]:
    """Return values by the names that the other side has for them; one on each side needs no name."""
    if len(named) == len(wanted) == 1:
        return {wanted[0]: values[named[0]]}
    if missing := [name for name in wanted if name not in values]:
        raise InputError(f"{path}: it does not give or take {missing[0]!r}; generate the folder again")
    return {name: values[name] for name in wanted}


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _names(names: list[str]) -> str:
    return ", ".join(names)
