# SPDX-License-Identifier: BSD-3-Clause
"""The user's side: a cluster as an object with ``predict``."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from shellgen_host.calls import Calls
from shellgen_host.cluster_map import ClusterMap, Edge, read_map
from shellgen_host.ends import Ends
from shellgen_host.errors import InputError, LostError
from shellgen_host.figures import Latency, Throughput, check_seconds
from shellgen_host.hosts import Hosts
from shellgen_host.operate import Operator
from shellgen_host.orders import load_all
from shellgen_host.session import Session
from shellgen_host.shapes import Frames, Values, alone, by_edge, each, empty, fit, only, split, unpacked
from shellgen_host.tensors import Spec

T = TypeVar("T")


class Cluster:
    """A running cluster.

    Args:
        out: Folder that ``shellgen generate`` wrote; ``memory_map.json`` is read, and the host's ONNX models.
        hosts: ``hosts.toml``, or addresses that were read from one.
        window: Frames under way at most; a caller that gives in more waits.
        patience: Seconds that a node may be away before its frames are given up, and seconds without any
            result before the nodes are reset.
        note: Gets one line for everything that broke and was repaired.
        first: Number of the first frame, for a client that goes on where another one ended.
        limit: Seconds without any result while nodes are drained or load files; None: as long as they do.
        lasts: Go on after a node was away for longer than `patience`: only frames of that time are given up.

    Raises:
        HostError: A file is wrong, or a node refuses or is not reached.
    """

    def __init__(  # noqa: PLR0913 - options of a client
        self,
        out: str | Path,
        hosts: str | Path | Hosts,
        *,
        window: int = 100,
        patience: float = 30.0,
        note: Callable[[str], None] = lambda _: None,
        first: int = 0,
        limit: float | None = None,
        lasts: bool = False,
    ) -> None:
        if not isinstance(window, int) or window < 1:
            raise InputError(f"window: {window!r} is no number of frames under way; give 1 or more")
        check_seconds("patience", patience)
        if limit is not None:
            check_seconds("limit", limit)
        self.map: ClusterMap = read_map(out)
        if not self.map.inputs or not self.map.outputs:
            raise InputError(f"{out}: the cluster has no boundary of the host at one of its ends")
        self._window = window
        self._ends = Ends(
            out, [edge.tensor for edge in self.map.inputs], [edge.tensor for edge in self.map.outputs]
        )
        self._operator = Operator(out, hosts)
        self._note = note
        self._shapes: dict[bool, Any] = {}  # of inputs, by raw
        addresses = self._operator.hosts
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._calls = Calls(self._loop)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="shellgen_host")
        self._thread.start()
        try:
            session = Session(self.map, addresses, window, patience, note, first, limit, lasts=lasts)
            self._session: Session = self._wait(session.start())
        except BaseException:
            self._stop()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session; frames without a result are given up, and other calls raise InputError."""
        if not self._closed:
            self._wait(self._session.close())
            self._closed = True
            self._stop()

    def predict(self, x: Frames, *, raw: bool = False) -> Values | dict[str, Values]:
        """Return the results of some frames, in their order.

        Args:
            x: Values as the model has them, (frames, *shape); with several inputs a dictionary by tensor.
                What the model does before the first board and behind the last one is done here.
            raw: ``x`` and the results are whole numbers as they cross the first and the last boundary.

        Returns:
            (frames, *shape); with several outputs a dictionary by tensor.

        Raises:
            InputError: Wrong shape or value; or the model's ends need onnxruntime, which is not installed.
            LostError: A frame has no result.
        """
        self.fit(x, raw=raw)
        if raw or not self._ends.there:
            packed, count = self._pack(x)
            inputs = ({name: rows[at] for name, rows in packed.items()} for at in range(count))
            return self._unpack(list(self._run(inputs)))
        found = list(self.stream(split(x)))
        rows = [one if isinstance(one, dict) else {"": one} for one in found]
        if not rows:
            return only(empty(self.signature()[1]))
        joined = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
        return joined.get("", joined)

    def fit(self, x: Frames, *, raw: bool = False, single: bool = False) -> None:
        """Refuse arrays of another shape than the inputs have; a name that is unknown is not looked at.

        Args:
            x: As for `predict`, or with ``single`` one frame as for `stream`.
            raw: As for `predict`.
            single: Whether it is one frame.

        Raises:
            InputError: No array of numbers, or one of another shape.
        """
        if raw not in self._shapes:
            edges = [(key, edge.layout) for edge in self.map.inputs for key in (edge.tensor, edge.name)]
            model = {} if raw else {spec.name: [spec.shape] for spec in self.signature()[0]}
            rest = {key: one.given_shapes if raw else [one.inner_shape] for key, one in edges}
            self._shapes[raw] = {**model, **rest, **model}
        fit(x, self._shapes[raw], single=single)

    def classify(
        self, x: Frames, top: int = 1, labels: Sequence[str] | None = None
    ) -> list[list[tuple[str | int, float]]]:
        """Return for each frame the classes with the largest values, the largest first, and these values.

        Args:
            x: As for `predict`.
            top: Classes for each frame.
            labels: Name of each class; without them the classes are numbers.

        Raises:
            InputError: As `predict`; or the model has several outputs, or other classes than ``labels``.
        """
        found = self.predict(x)
        if isinstance(found, dict):
            raise InputError(f"classify: there are {len(found)} outputs; use predict")
        rows = found.reshape(len(found), -1)
        classes = rows.shape[1]
        if labels is not None and len(labels) != classes:
            raise InputError(
                f"classify: there are {len(labels)} labels and {classes} classes; correct the labels"
            )
        if not isinstance(top, int | np.integer) or not 1 <= top <= classes:
            raise InputError(f"classify: top is {top!r}; give 1 to {classes}")
        best = np.argsort(-rows, axis=1, kind="stable")[:, :top]
        return [
            [(labels[at] if labels is not None else int(at), float(row[at])) for at in order]
            for row, order in zip(rows, best, strict=True)
        ]

    def stream(self, frames: Iterable[Frames], *, raw: bool = False) -> Iterator[Values | dict[str, Values]]:
        """Yield the result of each frame, in their order, while further frames are under way.

        Args:
            frames: Each as for `predict`, but without the first dimension. No more are taken than the window
                permits, so a slow cluster slows the caller.
            raw: As for `predict`.
        """
        if not isinstance(frames, Iterable):
            raise InputError("frames: give a list, an array or a generator of frames")
        for answer in self._run(self._packed(frames, raw=raw)):
            yield self._result(answer, raw=raw)

    async def stream_async(
        self, frames: Iterable[Frames] | AsyncIterable[Frames], *, raw: bool = False
    ) -> AsyncIterator[Values | dict[str, Values]]:
        """Do the same as `stream` in the caller's event loop, which runs while results are awaited."""
        under_way: deque[asyncio.Future[dict[str, bytes]]] = deque()
        async for frame in each(frames):
            (packed,) = self._packed([frame], raw=raw)
            under_way.append(asyncio.wrap_future(self._begun(self._answer(packed))))
            while under_way and (under_way[0].done() or len(under_way) >= self._window):
                yield self._result(await under_way.popleft(), raw=raw)
        while under_way:
            yield self._result(await under_way.popleft(), raw=raw)

    def answers(
        self, frames: Iterable[Mapping[str, Values]], *, raw: bool = True
    ) -> Iterator[dict[str, Values] | LostError]:
        """Yield for each frame, in their order, its results, or why it has none.

        Args:
            frames: Each a dictionary without the dimension of frames: by tensor or boundary, or with
                ``raw=False`` by input of the model.
            raw: Frames and results are whole numbers at the boundaries, and results are by boundary. With
                False both are as the model has them, and results are by output of the model.
        """
        for future in self._futures(self._packed(frames, raw=raw)):
            try:
                answer = future.result()
            except LostError as error:
                yield error
            else:
                found = {edge: unpacked(edge.layout, [answer[edge.name]])[0] for edge in self.map.outputs}
                if raw:
                    yield {edge.name: values for edge, values in found.items()}
                else:
                    yield self._ends.leave({edge.tensor: values for edge, values in found.items()})

    def throughput_test(self, seconds: float, seed: int = 1) -> Throughput:
        """Run random frames for a time.

        Args:
            seconds: How long frames are given in.
            seed: Of the frames.

        Raises:
            InputError: ``seconds`` is no time.
        """
        check_seconds("throughput_test", seconds)
        packed = {one.name: self._rows(one, one.layout.random(64, seed)) for one in self.map.inputs}
        began = time.monotonic()

        def frames() -> Iterator[dict[str, bytes]]:
            count = 0
            while not count or time.monotonic() - began < seconds:
                yield {name: rows[count % 64] for name, rows in packed.items()}
                count += 1

        count = sum(1 for _ in self._run(frames()))
        took = time.monotonic() - began
        return Throughput(count, took, count / took)

    def program(
        self,
        bitstreams: str | Path | None = None,
        weights: str | Path | None = None,
        nodes: Iterable[str] = (),
    ) -> list[str]:
        """Load bitstreams, weights or both, while frames may be under way: it costs time, never a frame.

        Args:
            bitstreams: Folder with ``NODE.bit`` or ``NODE.bin``.
            weights: Folder that ``shellgen weights`` wrote.
            nodes: Some of the nodes; none: all.

        Returns:
            The nodes that have loaded something.

        Raises:
            HostError: A file is wrong, nodes have no keys, or one refuses.
        """
        loads = self._operator.loads(bitstreams, weights, nodes)
        self._wait(load_all(self.map, self._operator.hosts, loads, self._note))
        return list(loads)

    def load_weights(self, weights: str | Path, nodes: Iterable[str] = ()) -> list[str]:
        """Load weights, and keep the bitstreams; see `program`."""
        return self.program(None, weights, nodes)

    def latency(self) -> Latency:
        """Return how long results have taken so far.

        Raises:
            InputError: There is none yet.
        """
        taken = list(self._session.tickets.seconds)
        if not taken:
            raise InputError("latency: there is no result yet; run frames first")
        self._wait(self._session.refresh())
        nodes = {
            name: control.state["inside_ns"] / control.state["made"] / 1e9
            for name, control in self._session.controls.items()
            if control.state.get("made")
        }
        return Latency.of(taken, nodes)

    def names(self, *, raw: bool = False) -> tuple[list[str], list[str]]:
        """Return the names of inputs and outputs: of the model, or with ``raw`` of the boundaries.

        Raises:
            InputError: The model's ends need onnxruntime, which is not installed.
        """
        if raw:
            return [edge.name for edge in self.map.inputs], [edge.name for edge in self.map.outputs]
        return self._ends.inputs, self._ends.outputs

    def signature(self) -> tuple[list[Spec], list[Spec]]:
        """Return name, type and shape of the model's inputs and outputs.

        Raises:
            InputError: The model's ends need onnxruntime, which is not installed.
        """
        shapes = [
            {edge.tensor: edge.layout.inner_shape for edge in edges}
            for edges in (self.map.inputs, self.map.outputs)
        ]
        return self._ends.signature(*shapes)

    def connected(self) -> dict[str, bool]:
        """Return for each node whether the client has a connection to it."""
        return {name: control.connection is not None for name, control in self._session.controls.items()}

    @property
    def epochs(self) -> int:
        """Number of epochs so far: 1, and one more for each recovery from the loss of a node."""
        return self._session.epochs

    def state(self) -> dict[str, dict[str, int]]:
        """Return the counters that each node has reported last, at most a second ago."""
        return {name: dict(control.state) for name, control in self._session.controls.items()}

    def _begun(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._closed:
            work.close()
            raise InputError("the cluster is closed; open it again by Cluster(out, hosts)")
        return self._calls.begin(work)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._begun(work).result()

    def _stop(self) -> None:
        self._calls.stop()
        self._thread.join()
        self._loop.close()

    def _run(self, frames: Iterable[dict[str, bytes]]) -> Iterator[dict[str, bytes]]:
        for future in self._futures(frames):
            yield future.result()

    def _futures(self, frames: Iterable[dict[str, bytes]]) -> Iterator[Future[dict[str, bytes]]]:
        under_way: deque[Future[dict[str, bytes]]] = deque()
        for frame in frames:
            under_way.append(self._begun(self._answer(frame)))
            while under_way and (under_way[0].done() or len(under_way) >= self._window):
                yield under_way.popleft()
        while under_way:
            yield under_way.popleft()

    async def _answer(self, frame: dict[str, bytes]) -> dict[str, bytes]:
        ticket = await self._session.submit(frame)
        return await ticket.answer

    def _packed(self, frames: Iterable[Frames], *, raw: bool) -> Iterator[dict[str, bytes]]:
        for number, frame in enumerate(frames):
            self.fit(frame, raw=raw, single=True)
            rows, _ = self._pack(alone(frame if raw else self._ends.enter(frame)), number)
            yield {name: row[0] for name, row in rows.items()}

    def _result(self, answer: Mapping[str, bytes], *, raw: bool) -> Values | dict[str, Values]:
        found = {edge.tensor: unpacked(edge.layout, [answer[edge.name]])[0] for edge in self.map.outputs}
        return only(found if raw else self._ends.leave(found))

    def _pack(self, x: Frames, first: int = 0) -> tuple[dict[str, list[bytes]], int]:
        given = by_edge(x, self.map.inputs)
        packed = {edge.name: self._rows(edge, given[edge.name], first) for edge in self.map.inputs}
        counts = {len(rows) for rows in packed.values()}
        if len(counts) != 1:
            raise InputError(f"the inputs have different numbers of frames: {sorted(counts)}")
        return packed, counts.pop()

    def _rows(self, edge: Edge, values: Values, first: int = 0) -> list[bytes]:
        return [row.tobytes() for row in edge.layout.pack(edge.layout.frames(values, first))]

    def _unpack(self, answers: list[dict[str, bytes]]) -> Values | dict[str, Values]:
        found = {
            edge.tensor: unpacked(edge.layout, [answer[edge.name] for answer in answers])
            for edge in self.map.outputs
        }
        return only(found)
