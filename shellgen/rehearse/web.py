# SPDX-License-Identifier: BSD-3-Clause
"""The live picture of a rehearsal: one page on loopback, and the state that it asks for."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen.errors import InputError, one
from shellgen.rehearse.golden import Vectors
from shellgen_host.cluster_map import ClusterMap

_SPAN = 2.0  # seconds over which rates are taken
_NOTES = 6
_MOST_VALUES = 4096  # of a picture of a frame
_LOOK_SECONDS = 0.3  # in which a page asks for the end


class Watch:
    """Part of a run that the page shows.

    Args:
        cluster: The cluster.
        vectors: Its golden frames.
        count: Frames of the run.
        alive: Tells whether the process of a node runs.
        rings: Frames that the rings of each node hold.
    """

    def __init__(
        self,
        cluster: ClusterMap,
        vectors: Vectors,
        count: int,
        alive: Callable[[str], bool],
        rings: Mapping[str, int],
    ) -> None:
        self._cluster, self._vectors, self._count, self._alive = cluster, vectors, count, alive
        self._rings = rings
        self._lock = threading.Lock()
        self._states: dict[str, dict[str, int]] = {}
        self._notes: deque[str] = deque(maxlen=_NOTES)
        self._done, self._last, self._verdict = 0, (-1, b""), ""
        self._samples: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])
        self._counted: deque[tuple[float, dict[str, dict[str, int]]]] = deque()

    def result(self, number: int, body: bytes) -> None:
        """Take the result of a frame."""
        with self._lock:
            self._done = number + 1
            self._last = number, body
            now = time.monotonic()
            if now - self._samples[-1][0] > _SPAN / 20:
                self._samples.append((now, self._done))
            while len(self._samples) > 2 and now - self._samples[0][0] > _SPAN:
                self._samples.popleft()

    def state(self, states: Mapping[str, Mapping[str, int]]) -> None:
        """Take the counters of nodes."""
        with self._lock:
            self._states = {name: dict(state) for name, state in states.items()}
            now = time.monotonic()
            self._counted.append((now, self._states))
            while len(self._counted) > 2 and now - self._counted[0][0] > _SPAN:
                self._counted.popleft()

    def note(self, text: str) -> None:
        """Take a note on what broke."""
        with self._lock:
            self._notes.append(text)

    def end(self, verdict: str) -> None:
        """Take the verdict."""
        with self._lock:
            self._verdict = verdict

    def snapshot(self) -> dict[str, Any]:
        """Return it as JSON."""
        with self._lock:
            first, now = self._samples[0], (time.monotonic(), self._done)
            rate = (now[1] - first[1]) / max(now[0] - first[0], 1e-3)
            number, body = self._last
            nodes = {
                name: {
                    "alive": self._alive(name),
                    "ring": self._rings[name],
                    "in": self._speed(name, "received"),
                    "out": self._speed(name, "made"),
                    **{key: self._states.get(name, {}).get(key, 0) for key in _SHOWN},
                }
                for name in self._cluster.nodes
            }
            return {
                "done": self._done,
                "count": self._count,
                "rate": round(rate, 1),
                "verdict": self._verdict,
                "nodes": nodes,
                "notes": list(self._notes),
                "frame": number,
                "pictures": self._pictures(number, body) if number >= 0 else [],
            }

    def _speed(self, name: str, key: str) -> float:
        """Return frames/s of a node; 0 where its counters have begun again, or are old."""
        if len(self._counted) < 2 or time.monotonic() - self._counted[-1][0] > _SPAN:
            return 0.0
        (then, first), (now, last) = self._counted[0], self._counted[-1]
        moved = last.get(name, {}).get(key, 0) - first.get(name, {}).get(key, 0)
        return round(max(moved, 0) / max(now - then, 1e-3), 1)

    def _pictures(self, number: int, body: bytes) -> list[dict[str, Any]]:
        """Return inputs and outputs of a frame."""
        found = [
            _shown("in", edge.tensor, self._vectors.inputs[edge.name][number % self._vectors.count])
            for edge in self._cluster.inputs
        ]
        values, at = np.frombuffer(body, "<i8"), 0
        for edge in self._cluster.outputs:
            shape = self._vectors.outputs[edge.name][0].shape
            size = int(np.prod(shape))
            found.append(_shown("out", edge.tensor, values[at : at + size].reshape(shape)))
            at += size
        return found


_SHOWN = ("received", "made", "waiting", "unsent")


def _shown(side: str, name: str, values: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return values as rows of a picture; one row is a row of bars."""
    inside = [size for size in values.shape if size != 1]
    if len(inside) == 3 and inside[2] <= inside[0]:  # channels last
        values = values.reshape(inside)[..., 0]
    flat = values.reshape(-1)[:_MOST_VALUES]
    edge = round(flat.size**0.5)
    if len(inside) >= 2:
        width = inside[1] if len(inside) == 3 else inside[-1]
    else:
        width = edge if edge * edge == flat.size and edge >= 8 else flat.size
    rows = flat[: flat.size // width * width].reshape(-1, width)
    low, high = int(rows.min()), int(rows.max())
    return {"side": side, "name": name, "rows": rows.tolist(), "low": low, "high": high}


class Page:
    """The server of the page, as a context. It answers browsers on this machine only.

    Args:
        text: HTML.
        watch: What is shown.
        port: Of 127.0.0.1; 0: any free one.

    Raises:
        InputError: The port is taken.
    """

    def __init__(self, text: str, watch: Watch, port: int) -> None:
        self._text, self.watch = text.encode(), watch
        self._asked_for_end = threading.Event()
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        except OSError as error:
            found = f"port {port} cannot be had: {error.strerror}"
            raise one(InputError, "rehearse: --web", found, "Give another one, or 0 for any") from None
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, name="page")

    @property
    def address(self) -> str:
        """Address to open in a browser."""
        return f"http://127.0.0.1:{self.port}/"

    def __enter__(self) -> Page:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        if kind is None:
            self._asked_for_end.wait(_LOOK_SECONDS * 3)  # an open page shows the verdict
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, path: str, host: str) -> tuple[int, str, bytes]:
        # A page of another site may name this address, but not have its name.
        if host not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
            return 403, "text/plain", b"not for other sites\n"
        if path == "/":
            return 200, "text/html; charset=utf-8", self._text
        if path == "/state.json":
            found = self.watch.snapshot()
            if found["verdict"]:
                self._asked_for_end.set()
            return 200, "application/json", json.dumps(found).encode()
        return 404, "text/plain", b"there is only /\n"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        page = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 10

            def do_GET(self) -> None:
                status, kind, body = page._answer(self.path, self.headers.get("Host", ""))
                self.send_response(status)
                for name, value in (("Content-Type", kind), ("Content-Length", str(len(body)))):
                    self.send_header(name, value)
                for name, value in _HEADERS:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        return Handler


_HEADERS: Sequence[tuple[str, str]] = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)
