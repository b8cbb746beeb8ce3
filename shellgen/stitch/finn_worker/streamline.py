# SPDX-License-Identifier: BSD-3-Clause
"""From a QONNX export to the MatMul, Im2Col and MultiThreshold that FINN makes layers of.

The steps are FINN's own, composed here: each until it changes nothing, all until the whole graph is stable.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from finn.transformation.fpgadataflow.convert_to_hw.global_acc_pool import InferGlobalAccPoolLayer
from finn.transformation.qonnx.convert_qonnx_to_finn import ConvertQONNXtoFINN
from finn.transformation.qonnx.quant_act_to_multithreshold import default_filter_function_generator
from finn.transformation.streamline import absorb, collapse_repeated, remove, reorder
from finn.transformation.streamline.round_thresholds import RoundAndClipThresholds
from finn.transformation.streamline.sign_to_thres import ConvertSignToThres
from qonnx.transformation.batchnorm_to_affine import BatchNormToAffine
from qonnx.transformation.change_3d_tensors_to_4d import Change3DTo4DTensors
from qonnx.transformation.fold_constants import FoldConstants
from qonnx.transformation.general import (
    ConvertDivToMul,
    ConvertSubToAdd,
    GiveReadableTensorNames,
    GiveUniqueNodeNames,
    RemoveStaticGraphInputs,
    RemoveUnusedTensors,
)
from qonnx.transformation.infer_data_layouts import InferDataLayouts
from qonnx.transformation.infer_datatypes import InferDataTypes
from qonnx.transformation.infer_shapes import InferShapes
from qonnx.transformation.lower_convs_to_matmul import LowerConvsToMatMul
from qonnx.transformation.remove import RemoveIdentityOps
from qonnx.util.cleanup import cleanup_model

from .activations import absorb_functions
from .channels_last import put_channels_last
from .compare import mark_thresholds, marked
from .constants import widen_constants
from .explain import explain
from .export import (
    average_whole_images,
    fit_windows,
    fix_export,
    is_one_dimensional,
    sum_windows,
    widen_groups,
)
from .joins import MoveAddPastJoin, MoveMulPastJoin, MoveTransposePastJoin
from .operators import check_shapes
from .problems import FoundProblems, stop_if
from .sequences import slice_gathers
from .signals import widen_signals
from .steps import tell
from .ties import settle_ties
from .windows import fix_windows

_ROUNDS = 20  # of a list of steps; more means that two of them undo each other
_WIDEST = 16  # bits of an activation; FINN's own limit is 8, and 2^16 thresholds still take a second
_CHANGES = 400  # of one step in one round
_LINEAR = (
    ConvertSubToAdd,
    ConvertDivToMul,
    BatchNormToAffine,
    ConvertSignToThres,
    absorb.AbsorbSignBiasIntoMultiThreshold,  # before a fork parts the two
    reorder.MoveMulPastFork,
    reorder.MoveAddPastFork,
    reorder.MoveMulPastMaxPool,
    absorb.AbsorbSignBiasIntoMultiThreshold,
    reorder.MoveScalarLinearPastInvariants,
    reorder.MoveAddPastMul,
    reorder.MoveScalarAddPastMatMul,
    reorder.MoveAddPastConv,
    reorder.MoveScalarMulPastMatMul,
    reorder.MoveScalarMulPastConv,
    reorder.MoveMulPastDWConv,
    reorder.MoveAddPastMul,
    collapse_repeated.CollapseRepeatedAdd,
    collapse_repeated.CollapseRepeatedMul,
    reorder.MoveMulPastMaxPool,
    absorb.AbsorbAddIntoMultiThreshold,
    absorb.FactorOutMulSignMagnitude,
    absorb.AbsorbMulIntoMultiThreshold,
    absorb.Absorb1BitMulIntoMatMul,
    absorb.Absorb1BitMulIntoConv,
    # Skip edges.
    reorder.MoveLinearPastEltwiseAdd,
    reorder.MoveChannelwiseLinearPastFork,
    MoveMulPastJoin,
    MoveAddPastJoin,
    reorder.MoveMulPastJoinMul,
    reorder.MoveScalarLinearPastSplit,
    reorder.MoveMulPastJoinConcat,
    reorder.MoveAddPastJoinConcat,
)
_SHAPES = (
    reorder.MoveScalesPastIm2Col,
    reorder.MoveTransposePastFork,
    reorder.MoveTransposePastJoinConcat,
    reorder.MoveTransposePastEltwise,
    MoveTransposePastJoin,
    collapse_repeated.CollapseRepeatedTranspose,
    absorb.AbsorbConsecutiveTransposes,
    remove.RemoveIdentityTranspose,
    remove.RemoveIdentityReshape,
    absorb.AbsorbTransposeIntoMultiThreshold,
)
# What an export has and a network that was streamlined before has not.
_EXPORTED = {"Quant", "BipolarQuant", "Trunc", "Conv", "Gemm", "BatchNormalization", "MaxPool", "Relu"}


def needs_streamlining(model: Any) -> bool:
    """Tell an export from a network that has been streamlined."""
    return any(node.op_type in _EXPORTED for node in model.graph.node)


class Stopped(Exception):  # noqa: N818 - not an error: it carries a model
    """Streamlining ends at a step, by wish of the caller."""

    def __init__(self, model: Any) -> None:
        self.model = model
        super().__init__()


@dataclass
class Trail:
    """The steps that changed a model, in order.

    Attributes:
        steps: Their names.
        end: Number of steps after which to raise `Stopped`; None for all.
    """

    steps: list[str] = field(default_factory=list)
    end: int | None = None

    def add(self, name: str, model: Any) -> None:
        """Note a step, and stop behind the last one.

        Raises:
            Stopped: It was the last.
        """
        self.steps.append(name)
        if len(self.steps) == self.end:
            raise Stopped(model)


def streamline(model: Any, where: str, said: list[str], trail: Trail, ties: dict[str, int]) -> Any:
    """Return the model with scales and biases inside thresholds, or behind the last layer.

    Args:
        model: QONNX; Quant nodes, or annotated types. It is changed in place.
        where: What messages call the model.
        said: Receives what the user should know.
        trail: Receives the steps.
        ties: Quantisers that round half to even, as `ties.even_ties` returns them.

    Raises:
        FoundProblems: A step of FINN that stops on this model.
    """
    warnings.simplefilter("ignore")  # qonnx tells of every tensor whose layout it assumes
    work = _Work(model, where, trail)
    work.edit(fix_export, where)
    work.run("cleanup_model", cleanup_model)
    work.edit(check_shapes, where)
    work.edit(fix_windows, where)
    work.apply(RemoveIdentityOps())
    work.edit(average_whole_images)
    work.edit(sum_windows)
    accepted = default_filter_function_generator(max_multithreshold_bit_width=_WIDEST)
    marks = marked(work.model)
    work.apply(ConvertQONNXtoFINN(accepted), lambda model: mark_thresholds(model, marks))
    work.edit(absorb_functions)
    work.edit(widen_constants)
    work.put_in_two_dimensions()
    work.tidy((InferShapes, FoldConstants, RemoveStaticGraphInputs))
    work.run("slice_gathers", slice_gathers)
    work.settle(_LINEAR, "1 of 3")
    said += work.edit(widen_groups)
    work.edit(fit_windows)
    work.apply(LowerConvsToMatMul())
    work.edit(put_channels_last)
    work.tidy()
    work.settle((*_SHAPES, *_LINEAR), "2 of 3")
    work.settle((InferGlobalAccPoolLayer, *_SHAPES, *_LINEAR), "3 of 3")
    work.apply(absorb.AbsorbScalarMulAddIntoTopK())
    work.edit(settle_ties, ties)
    for step in (RoundAndClipThresholds(), RemoveUnusedTensors()):
        work.apply(step)
    work.tidy()
    return work.model


@dataclass
class _Work:
    """A model on its way through the steps."""

    model: Any
    where: str
    trail: Trail
    text: bytes = b""  # the model as it is

    def run(self, name: str, step: Callable[[Any], Any], finish: Callable[[Any], Any] | None = None) -> None:
        """Do a step of any kind, which returns the model."""
        before = self.text
        try:
            self.model = step(self.model)
        except FoundProblems:
            raise
        except Exception as error:  # FINN's steps stop with whatever they happen to meet
            stop_if([explain(error, self.where, name)])
        if finish:
            finish(self.model)
        self.text = self.model.model.SerializeToString(deterministic=True)
        if self.text != before:
            self.trail.add(name, self.model)

    def edit(self, change: Callable[..., Any], *arguments: Any) -> Any:
        """Do a step that changes the model in place; returns what it returns."""
        found: list[Any] = []

        def step(model: Any) -> Any:
            found.append(change(model, *arguments))
            return model

        self.run(change.__name__, step)
        return found[0]

    def apply(self, step: Any, finish: Callable[[Any], Any] | None = None) -> None:
        """Apply a step of FINN or qonnx until it changes nothing; some say that they did and did not."""

        def settle(model: Any) -> Any:
            changed = True
            before = b""
            for _ in range(_CHANGES):
                model, changed = step.apply(model)
                now = model.model.SerializeToString(deterministic=True) if changed else before
                if now == before:
                    break
                before = now
            if before:
                model.cleanup()
            return model

        self.run(type(step).__name__, settle, finish)

    def settle(self, steps: Iterable[type], part: str) -> None:
        """Apply steps in turn until none of them changes anything."""
        steps = list(steps)
        for turn in range(1, _ROUNDS + 1):
            before = self.text
            for index, step in enumerate(steps, 1):
                tell("FINN streamlines", f"part {part}, round {turn}, step {index} of {len(steps)}")
                self.apply(step())
            self.tidy()
            if self.text == before:
                break

    def tidy(self, first: Iterable[type] = ()) -> None:
        """Remove what does nothing, and infer names, shapes, types and layouts."""
        steps = (*first, RemoveIdentityOps, GiveUniqueNodeNames, GiveReadableTensorNames)
        for step in (*steps, InferShapes, InferDataTypes, InferDataLayouts):
            self.apply(step())

    def put_in_two_dimensions(self) -> None:
        """Give signals, as of audio and radio, a second dimension of one.

        Raises:
            FoundProblems: Operators on signals that nothing here knows.
        """
        if any(map(is_one_dimensional, self.model.graph.node)):
            stop_if(self.edit(widen_signals, self.where))
            self.apply(Change3DTo4DTensors())
