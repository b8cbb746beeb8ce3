# SPDX-License-Identifier: BSD-3-Clause
"""Signals to a client: none is lost, and none is obeyed half."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import weakref
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shellgen_host
from shellgen_host.batch import RECORD
from shellgen_host.calls import Calls

# A cluster whose frames never end, and in which SIGTERM comes in the callback of a weak reference.
ENDLESS = """
import os, signal, sys, time, weakref
from types import SimpleNamespace
from shellgen_host import batch

class Cluster:
    epochs, map = 1, SimpleNamespace(outputs=[])
    def __init__(self, *_, **__): pass
    def __enter__(self): return self
    def __exit__(self, *_): self.close()
    def state(self): return {}
    def close(self): print("closed", file=sys.stderr, flush=True)
    def answers(self, _):
        one = type("One", (), {})()
        seen = weakref.ref(one, lambda _: (os.kill(os.getpid(), signal.SIGTERM), time.sleep(0.05)))
        del one
        while True:
            yield {}
            time.sleep(0.01)

batch.Cluster = Cluster
sys.exit(batch.main())
"""


def test_sigterm_in_a_callback_ends_a_client(tmp_path: Path) -> None:
    """It closes its session, and what it has written are whole records."""
    np.savez(tmp_path / "inputs.npz")
    words = [sys.executable, "-c", ENDLESS, ".", "hosts.toml", str(tmp_path / "inputs.npz"), "--count", "9"]
    path = {"PYTHONPATH": str(Path(shellgen_host.__file__).parents[1])}
    ran = subprocess.run(words, env=path, capture_output=True, timeout=20, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"closed\n")
    data, kinds = ran.stdout, ""
    while data:
        kind, _, size = RECORD.unpack_from(data)
        whole = RECORD.size + size
        assert len(data) >= whole
        kinds, data = kinds + kind.decode(), data[whole:]
    assert set(kinds) <= set("RS")


@pytest.fixture
def calls() -> Any:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True, name="loop")
    thread.start()
    yield Calls(loop)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_no_task_ends_in_the_thread_of_its_caller(calls: Calls) -> None:
    where: list[str] = []
    watched = []

    async def work(number: int) -> int:
        task = asyncio.current_task()
        watched.append(weakref.ref(task, lambda _: where.append(threading.current_thread().name)))
        del task
        await asyncio.sleep(0)
        return number

    futures = [calls.begin(work(number)) for number in range(50)]
    assert [future.result(5) for future in futures] == [*range(50)]
    futures.clear()
    assert calls.begin(work(0)).result(5) == 0
    assert len(where) >= 50
    assert set(where) == {"loop"}


def test_an_error_comes_back_and_a_cancelled_call_ends(calls: Calls) -> None:
    ended = threading.Event()

    async def fail() -> None:
        raise KeyError("this")

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with pytest.raises(KeyError, match="this"):
        calls.begin(fail()).result(5)
    future: Future[None] = calls.begin(wait())
    calls.begin(asyncio.sleep(0)).result(5)
    assert future.cancel()
    assert ended.wait(5)
    with pytest.raises(CancelledError):
        future.result(5)
