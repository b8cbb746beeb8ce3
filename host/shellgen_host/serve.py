# SPDX-License-Identifier: BSD-3-Clause
"""A cluster as a server of the Open Inference Protocol, version 2, over HTTP. Needs aiohttp."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from aiohttp import web

from shellgen_host.cluster import Cluster
from shellgen_host.errors import HostError, InputError, LostError, printable
from shellgen_host.metrics import Metrics
from shellgen_host.tensors import Request, RequestError, Spec, answer, read_request

MOST_BYTES = 64 << 20  # of a request
_MOST_AT_ONCE, _MOST_WAITING = 8, 64
_BODY_SECONDS = 60.0  # for the bytes of a request to come
_HEADER = "Inference-Header-Content-Length"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class _BusyError(Exception):
    """More requests than this server holds."""


class _LargeError(Exception):
    """A request with more bytes than this server takes."""

    def __init__(self) -> None:
        super().__init__(f"the request has more than {MOST_BYTES:,} bytes; send fewer frames in each")


_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (RequestError, 400),
    (InputError, 400),
    (web.RequestPayloadError, 400),  # such as one that is not compressed as it says
    (TimeoutError, 408),
    (_LargeError, 413),
    (_BusyError, 503),
    (LostError, 503),
    (HostError, 500),
)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """The server.

    Args:
        cluster: Runs the frames.
        name: Of the model, as clients name it.

    Raises:
        InputError: The name is no name.
    """

    def __init__(self, cluster: Cluster, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise InputError(f"--name: {name!r} is no name; give letters, digits, '.', '_' and '-'")
        self._cluster, self._name = cluster, name
        self._inputs, self._outputs = cluster.signature()
        self.metrics = Metrics(cluster)
        self._room = asyncio.Semaphore(_MOST_AT_ONCE)
        self._waiting = 0

    def application(self) -> web.Application:
        """Return it for aiohttp."""
        found = web.Application(client_max_size=MOST_BYTES, middlewares=[self._guard])
        model = f"/v2/models/{self._name}"
        routes: list[tuple[str, Handler]] = [
            ("/v2", self._about),
            ("/v2/health/live", self._live),
            ("/v2/health/ready", self._ready),
            ("/metrics", self._metrics),
        ]
        for base in (model, f"{model}/versions/1"):
            routes += [(base, self._about_model), (f"{base}/ready", self._ready)]
            found.router.add_post(f"{base}/infer", self._infer)
        for path, handler in routes:
            found.router.add_get(path, handler)
        return found

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Keep pages of other sites out, and give all errors the protocol's form."""
        if "Origin" in request.headers:
            return _refusal(403, "requests of web pages are not taken")
        try:
            return await handler(request)
        except web.HTTPNotFound:
            here = f"this server has the model {self._name}, at /v2/models/{self._name}"
            return _refusal(404, f"{printable(request.path)}: no such path; {here}")
        except web.HTTPException as error:
            return _refusal(error.status, error.reason or "refused")
        except ConnectionError:
            return _refusal(400, "the client is gone")
        except Exception as error:  # ours: the other requests go on
            print(f"serve: {error!r}; please report it", file=sys.stderr, flush=True)  # noqa: T201
            return _refusal(500, "the server failed; its log says more")

    async def _about(self, _: web.Request) -> web.Response:
        try:
            release = version("shellgen-host")
        except PackageNotFoundError:
            release = "unknown"
        return web.json_response(
            {"name": "shellgen", "version": release, "extensions": ["binary_tensor_data"]}
        )

    async def _about_model(self, _: web.Request) -> web.Response:
        ends = {"inputs": self._inputs, "outputs": self._outputs}
        found: dict[str, Any] = {"name": self._name, "versions": ["1"], "platform": "shellgen_cluster"}
        return web.json_response(
            found | {key: [one.document() for one in some] for key, some in ends.items()}
        )

    async def _live(self, _: web.Request) -> web.Response:
        return web.json_response({"live": True})

    async def _ready(self, _: web.Request) -> web.Response:
        ready = all(self._cluster.connected().values())
        return web.json_response({"ready": ready}, status=200 if ready else 503)

    async def _metrics(self, _: web.Request) -> web.Response:
        return web.Response(body=self.metrics.text(), headers={"Content-Type": "text/plain; version=0.0.4"})

    async def _infer(self, request: web.Request) -> web.StreamResponse:
        try:
            found = await self._judged(request)
        except tuple(kind for kind, _ in _STATUS) as error:
            status = next(status for kind, status in _STATUS if isinstance(error, kind))
            found = _refusal(status, str(error) or f"the request did not come within {_BODY_SECONDS:g} s")
            if not request.content.is_eof():
                found.force_close()  # the rest of the body is not read
        self.metrics.requests.labels(str(found.status)).inc()
        return found

    async def _judged(self, request: web.Request) -> web.Response:
        """Bound the requests whose bodies are held, and the time that one may take to come."""
        if (request.content_length or 0) > MOST_BYTES:
            raise _LargeError
        if self._waiting >= _MOST_WAITING:
            raise _BusyError("too many requests wait; try again later")
        self._waiting += 1
        try:
            await self._room.acquire()
        finally:
            self._waiting -= 1
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                body = await _whole(request)
            began = time.monotonic()
            length = request.headers.get(_HEADER)
            if length is not None and not re.fullmatch(r"[0-9]{1,12}", length):
                raise RequestError(f"{_HEADER}: it is no whole number")
            wanted = read_request(body, None if length is None else int(length), self._inputs)
            found = await self._run(wanted)
            self.metrics.seconds.observe(time.monotonic() - began)
            return found
        finally:
            self._room.release()

    async def _run(self, request: Request) -> web.Response:
        count = len(next(iter(request.inputs.values())))
        frames = ({name: values[at] for name, values in request.inputs.items()} for at in range(count))
        rows = []
        names = [spec.name for spec in self._outputs]
        async for result in self._cluster.stream_async(frames):
            rows.append(result if isinstance(result, dict) else {names[0]: result})
        self.metrics.frames.inc(count)
        outputs = {name: np.stack([row[name] for row in rows]) for name in names}
        body, length = answer(self._name, request, outputs)
        kind = "application/json" if length is None else "application/octet-stream"
        headers = {} if length is None else {_HEADER: str(length)}
        return web.Response(body=body, content_type=kind, headers=headers)


async def _whole(request: web.Request) -> bytes:
    try:
        return await request.read()
    except web.HTTPRequestEntityTooLarge:  # the header had no length
        raise _LargeError from None


def _refusal(status: int, text: str) -> web.Response:
    return web.json_response({"error": text}, status=status)


async def run_server(
    cluster: Cluster, name: str, address: tuple[str, int], ready: Callable[[str], None], over: asyncio.Event
) -> None:
    """Serve until an event.

    Args:
        cluster: Runs the frames.
        name: Of the model.
        address: Host and port; port 0: any free one.
        ready: Gets the address when it listens.
        over: Ends it.

    Raises:
        InputError: The address cannot be had, or the name is no name.
    """
    # What it would log are tracebacks of requests that were cut off or damaged, which are answered.
    quiet = logging.getLogger("shellgen_host.serve.http")
    quiet.setLevel(logging.CRITICAL)
    runner = web.AppRunner(Server(cluster, name).application(), access_log=None, logger=quiet)
    await runner.setup()
    try:
        site = web.TCPSite(runner, *address)
        try:
            await site.start()
        except OSError as error:
            text = f"--listen: {address[0]}:{address[1]}: {error.strerror or error}"
            raise InputError(f"{text}; choose another port, or an address of this machine") from None
        host, port = runner.addresses[0][:2]
        ready(f"{host}:{port}")
        await over.wait()
    finally:
        await runner.cleanup()


__all__ = ["MOST_BYTES", "Server", "Spec", "run_server"]
