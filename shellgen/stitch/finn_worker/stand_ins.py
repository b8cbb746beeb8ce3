# SPDX-License-Identifier: BSD-3-Clause
"""Modules that FINN imports and stitch does without: 1.2 GB of them for two functions of numpy.

FINN imports torch for ``layer_norm`` and scipy for ``softmax``, in the Python execution of one layer each.
onnxscript and sympy belong to loop rolling, whose module also defines an enumeration that others import.
Where the environment has the real module it is used.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any

import numpy as np

_ABSENT = ("onnxscript", "onnx_ir")


def stand_in(*more: str) -> None:
    """Provide the modules that this environment lacks; call it before the first import of FINN.

    Args:
        more: Other packages whose import may succeed although they are not there.
    """
    if importlib.util.find_spec("torch") is None:
        functional = _module("torch.nn.functional", layer_norm=layer_norm)
        network = _module("torch.nn", functional=functional)
        _module("torch", nn=network, from_numpy=np.asarray, Tensor=np.ndarray)
    if importlib.util.find_spec("scipy") is None:
        _module("scipy", special=_module("scipy.special", softmax=softmax))
    missing = tuple(name for name in (*_ABSENT, *more) if importlib.util.find_spec(name) is None)
    if missing:
        sys.meta_path.append(_Absent(missing))


def layer_norm(values: Any, shape: list[int], *, eps: float) -> Any:
    """Normalise over the last dimensions, without weight and bias, in float32."""
    axes = tuple(range(-len(shape), 0))
    mean = values.mean(axis=axes, keepdims=True)
    variance = values.var(axis=axes, keepdims=True)
    return ((values - mean) / np.sqrt(variance + np.float32(eps))).astype(values.dtype)


def softmax(values: Any, axis: int | None = None) -> Any:
    """Divide the exponentials by their sum."""
    powers = np.exp(values - np.max(values, axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _module(name: str, **content: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(content)
    module.__path__ = []  # a package, so that parts of it can be imported
    sys.modules[name] = module
    return module


class _Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports of these packages succeed; a class that is taken from them raises when it is called."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        del path, target
        if name.partition(".")[0] in self._names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        return _AbsentModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        del module


class _AbsentModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.islower():
            return importlib.import_module(f"{self.__name__}.{name}")

        def fail(self: Any, *arguments: Any, **named: Any) -> None:
            del arguments, named
            raise ImportError(f"{type(self).__name__} is not installed")

        self.__dict__[name] = type(f"{self.__name__}.{name}", (), {"__init__": fail})
        return self.__dict__[name]
