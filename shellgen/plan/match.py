# SPDX-License-Identifier: BSD-3-Clause
"""Check that the two ends of every stream carry the same elements."""

from __future__ import annotations

from shellgen.errors import PlanError, Problem
from shellgen.model import StreamPort
from shellgen.model.stream_block import is_described, unknown_stream
from shellgen.plan.draft import Draft, Route


def match_elements(draft: Draft) -> Draft:
    """Compare the ends of every stream element by element.

    FINN pads inside each word, so ends with equal TDATA widths may still differ.

    Raises:
        PlanError: Unknown shapes; ends that differ in data type or element count; byte-padded packing
            between different foldings.

    Source: docs/finn-builds.md, words of a stream.
    """
    problems = [problem for route in draft.routes for problem in _unknown_shapes(draft, route)]
    if problems:
        raise PlanError(*problems)
    problems = [problem for route in draft.routes for problem in _mismatch(draft, route)]
    if problems:
        raise PlanError(*problems)
    return draft


def _unknown_shapes(draft: Draft, route: Route) -> list[Problem]:
    problems = []
    for end in (route.producer, route.consumer):
        if end is None:
            continue
        port = draft.port(end)
        if not is_described(port):
            problems.append(unknown_stream(draft.where, end.partition, port))
        elif port.payload_bits > port.tdata_bits:
            found = (
                f"{port.elements_per_word} elements of {port.datatype} are {port.payload_bits} bits, "
                f"TDATA has {port.tdata_bits}"
            )
            remedy = "Correct the [[stream]] entry, or rebuild so that ONNX and stitched IP agree"
            problems.append(Problem(f"{draft.where}: stream {end}", found, remedy))
    return problems


def _mismatch(draft: Draft, route: Route) -> list[Problem]:
    """Compare the two ends element by element."""
    if route.producer is None or route.consumer is None:
        return []
    made, taken = draft.port(route.producer), draft.port(route.consumer)
    where = route.where
    problems = []
    if made.element != taken.element:
        found = f"{route.producer} sends {made.datatype}, {route.consumer} takes {taken.datatype}"
        remedy = "Both ends of a cut carry the same element type; check that both come from one build"
        problems.append(Problem(where, found, remedy))
    if made.elements_per_frame != taken.elements_per_frame:
        found = (
            f"{route.producer} sends {made.elements_per_frame} elements a frame, "
            f"{route.consumer} takes {taken.elements_per_frame}"
        )
        problems.append(Problem(where, found, "Both ends of a cut carry the same elements"))
    if not problems and draft.packing(route) == "finn" and _wire_bits_differ(made, taken):
        found = (
            f"packing 'finn' pads each word, and the ends fold differently "
            f"({made.elements_per_word} and {taken.elements_per_word} elements a word)"
        )
        problems.append(Problem(where, found, "Use packing 'dense', or give both ends the same PE and SIMD"))
    return problems


def _wire_bits_differ(made: StreamPort, taken: StreamPort) -> bool:
    padded = made.payload_bits != made.tdata_bits or taken.payload_bits != taken.tdata_bits
    return padded and made.elements_per_word != taken.elements_per_word
