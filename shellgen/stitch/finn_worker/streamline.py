# SPDX-License-Identifier: BSD-3-Clause
"""From a QONNX export to the MatMul, Im2Col and MultiThreshold that FINN makes layers of.

The steps are FINN's own, composed here: each until it changes nothing, all until the whole graph is stable.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
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

from .channels_last import put_channels_last
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
from .problems import FoundProblems, stop_if
from .sequences import slice_gathers
from .signals import widen_signals
from .steps import tell

_ROUNDS = 20  # of a list of steps; more means that two of them undo each other
_WIDEST = 16  # bits of an activation; FINN's own limit is 8, and 2^16 thresholds still take a second
_CHANGES = 400  # of one step in one round
_LINEAR = (
    ConvertSubToAdd,
    ConvertDivToMul,
    BatchNormToAffine,
    ConvertSignToThres,
    reorder.MoveMulPastFork,
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


def streamline(model: Any, where: str, said: list[str]) -> Any:
    """Return the model with scales and biases inside thresholds, or behind the last layer.

    Args:
        model: QONNX; Quant nodes, or annotated types.
        where: What messages call the model.
        said: Receives what the user should know.

    Raises:
        FoundProblems: A step of FINN that stops on this model.
    """
    warnings.simplefilter("ignore")  # qonnx tells of every tensor whose layout it assumes
    fix_export(model, where)
    model = _step(cleanup_model, model, where, "cleanup_model")
    average_whole_images(model)
    sum_windows(model)
    accepted = default_filter_function_generator(max_multithreshold_bit_width=_WIDEST)
    model = _apply(ConvertQONNXtoFINN(accepted), model, where)
    model = _in_two_dimensions(model, where)
    model = slice_gathers(_tidy(model, where, (InferShapes, FoldConstants, RemoveStaticGraphInputs)))
    model = _settle(model, _LINEAR, where, "1 of 3")
    said += widen_groups(model)
    fit_windows(model)
    model = _apply(LowerConvsToMatMul(), model, where)
    put_channels_last(model)
    model = _tidy(model, where)
    model = _settle(model, (*_SHAPES, *_LINEAR), where, "2 of 3")
    model = _settle(model, (InferGlobalAccPoolLayer, *_SHAPES, *_LINEAR), where, "3 of 3")
    for step in (absorb.AbsorbScalarMulAddIntoTopK(), RoundAndClipThresholds(), RemoveUnusedTensors()):
        model = _apply(step, model, where)
    return _tidy(model, where)


def _in_two_dimensions(model: Any, where: str) -> Any:
    """Give signals, as of audio and radio, a second dimension of one.

    Raises:
        FoundProblems: Operators on signals that nothing here knows.
    """
    flat = [node for node in model.graph.node if is_one_dimensional(node)]
    if not flat:
        return model
    stop_if(widen_signals(model, where))
    return _apply(Change3DTo4DTensors(), model, where)


def _settle(model: Any, steps: Iterable[type], where: str, part: str) -> Any:
    steps = list(steps)
    for turn in range(1, _ROUNDS + 1):
        before = model.model.SerializeToString(deterministic=True)
        for index, step in enumerate(steps, 1):
            tell("FINN streamlines", f"part {part}, round {turn}, step {index} of {len(steps)}")
            model = _apply(step(), model, where)
        model = _tidy(model, where)
        if model.model.SerializeToString(deterministic=True) == before:
            break
    return model


def _tidy(model: Any, where: str, first: Iterable[type] = ()) -> Any:
    steps = (*first, RemoveIdentityOps, GiveUniqueNodeNames, GiveReadableTensorNames)
    for step in (*steps, InferShapes, InferDataTypes, InferDataLayouts):
        model = _apply(step(), model, where)
    return model


def _apply(step: Any, model: Any, where: str) -> Any:
    """Apply a step until it changes nothing; some say that they did and did not."""

    def run(model: Any) -> Any:
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

    return _step(run, model, where, type(step).__name__)


def _step(run: Any, model: Any, where: str, name: str) -> Any:
    try:
        return run(model)
    except FoundProblems:
        raise
    except Exception as error:  # FINN's steps stop with whatever they happen to meet
        stop_if([explain(error, where, name)])
