# SPDX-License-Identifier: BSD-3-Clause
"""Streams between compute units: each joins an output to an input, once (UG1393, stream_connect)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..report import Message, Verdict
from .config import Option
from .kernels import Kernel, Stream
from .units import Units

if TYPE_CHECKING:
    from .judge import Link

_AI_ENGINE = "ai_engine_0"  # the graph of a Versal device, which no nk makes (UG1393)


class StreamJudge:
    """Judges the connections of streams of one configuration."""

    def __init__(self, link: Link, units: Units) -> None:
        self._link, self._units = link, units
        self._used: Counter[str] = Counter()

    def messages(self) -> Iterator[Message]:
        """Yield what is wrong with the connections, and which streams have none."""
        for option in self._link.of("stream_connect"):
            yield from self._connected(option)
        for option in self._link.of("chipscope"):
            unit = option.value.replace(" ", "").replace(":", ".").partition(".")[0]
            yield from self._link.unit(self._units, option, unit)
        yield from self._open()

    def _connected(self, option: Option) -> Iterator[Message]:
        ends = option.value.replace(" ", "").split(":")
        if len(ends) not in (2, 3):
            yield self._link.said(
                option, option.value, f"it has {len(ends)} parts", "output:input or output:input:depth"
            )
            return
        if len(ends) == 3 and ends[2] and not ends[2].isdecimal():
            yield self._link.said(option, option.value, f"its depth is {ends[2]}", "a number of words")
        streams = []
        for place, end in enumerate(ends[:2]):
            streams.append(self._stream(end))
            yield from self._end(option, end, place)
        if ends[0].partition(".")[0] == ends[1].partition(".")[0]:
            yield self._link.said(option, option.value, "the unit drives itself", "two units")
        widths = [one.bits for one in streams if one is not None and one.bits]
        if self._link.ours and len(set(widths)) == 2:
            found = f"{widths[0]} bits meet {widths[1]}"
            yield self._link.message(
                Verdict.FINDING,
                option.origin,
                option.value,
                found,
                "one width: v++ converts, and repacks frames",
            )

    def _kernel(self, end: str) -> Kernel | None:
        return self._link.kernels.get(self._units.kernels.get(end.partition(".")[0], ""))

    def _stream(self, end: str) -> Stream | None:
        kernel = self._kernel(end)
        return kernel.streams.get(end.partition(".")[2]) if kernel else None

    def _end(self, option: Option, end: str, place: int) -> Iterator[Message]:
        unit, _, port = end.partition(".")
        if unit == _AI_ENGINE:
            yield self._link.message(Verdict.NOT_MODELLED, option.origin, end, "the graph is not read", "")
            return
        kernel, stream = self._kernel(end), self._stream(end)
        if unit not in self._units.kernels:
            yield from self._link.unit(self._units, option, unit)
        elif kernel is None:
            found = f"there is no description of the kernel {self._units.kernels[unit]}"
            yield self._link.message(Verdict.NOT_MODELLED, option.origin, end, found, "")
        elif stream is None:
            known = ", ".join(kernel.streams) or "none: it has no streams"
            yield self._link.said(option, end, f"{kernel.name} has no stream {port}", known)
        elif stream.leaves == bool(place):
            side = "enters the kernel" if place == 0 else "leaves the kernel"
            yield self._link.said(option, end, f"this stream {side}", "an output first, then an input")
        self._used[end] += 1
        if self._used[end] == 2:
            yield self._link.said(option, end, "it is connected twice", "once: a stream has two ends")

    def _open(self) -> Iterator[Message]:
        """Yield streams of linked kernels without a connection: a unit may wait there indefinitely."""
        for made in self._units.made:
            kernel = self._link.kernels.get(made.kernel)
            for unit in made.names if kernel is not None and kernel.name in self._link.linked else ():
                for port, stream in kernel.streams.items() if kernel is not None else ():
                    if not self._used[f"{unit}.{port}"]:
                        yield self._link.message(
                            self._severity(stream),
                            made.option.origin,
                            f"{unit}.{port}",
                            "it is not connected",
                            "a stream_connect for each stream",
                        )

    def _severity(self, stream: Stream) -> Verdict:
        if self._link.ours:
            return Verdict.ERROR
        return Verdict.NOT_MODELLED if stream.leaves else Verdict.FINDING
