# SPDX-License-Identifier: BSD-3-Clause
"""A client's session: orders to nodes, and how long it waits for them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from shellgen_host import Hosts, protocol
from shellgen_host.cluster_map import read_map
from shellgen_host.edges import BrokenError, HeldError
from shellgen_host.errors import LostError, RefusedError
from shellgen_host.hosts import exchanged
from shellgen_host.session import Control, Session

EXAMPLE = Path(__file__).parent.parent / "docs" / "example" / "out"


def test_cores_that_hardware_joins_are_held_first() -> None:
    """Each is released when all are held; a node that no hardware joins begins with that."""
    said: list[tuple[str, int]] = []

    class Recorded(Session):
        async def _order(self, number: int, control: Control, flags: int) -> str:
            said.append((control.node, flags))
            await asyncio.sleep(0.01 * (3 - number))
            return f"{control.node} cannot be held" if control.node == wrong and flags else ""

    found = replace(
        read_map(EXAMPLE),
        nodes={"zed": 1, "card0": 2, "card1": 3},
        between={"a": ("zed", "card0"), "b": ("card0", "card1")},
        joined=frozenset({"b"}),
    )
    hold = protocol.FLAG_HOLD
    wrong = ""
    assert asyncio.run(Recorded(found, Hosts(), 1, 1.0, print)._order_all()) == []
    assert said == [("card0", hold), ("card1", hold), ("zed", 0), ("card0", 0), ("card1", 0)]
    said.clear()
    wrong = "card1"
    assert asyncio.run(Recorded(found, Hosts(), 1, 1.0, print)._order_all()) == ["card1 cannot be held"]
    assert said == [("card0", hold), ("card1", hold)]


def test_a_refusal_ends_the_other_connections() -> None:
    """One that was left alone would speak of a closed event loop on stderr."""
    ended: list[str] = []

    class Refused(Session):
        async def _connect(self, control: Control) -> None:
            if control.node == "zed0":
                await asyncio.sleep(0.01)
                raise RefusedError("build_id: another build", protocol.FAULT_CONTRACT)
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(control.node)

    async def story() -> None:
        found = read_map(EXAMPLE)
        hosts = Hosts(dict.fromkeys(found.nodes, ("127.0.0.1", 5000)))
        session = Refused(found, hosts, 1, 5.0, lambda _: None)
        with pytest.raises(RefusedError, match=r"node zed0 at .* refuses: build_id: another build"):
            await session._begin_epoch()
        assert ended == [name for name in session.controls if name != "zed0"]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("held", "limit", "error", "said"),
    [
        (True, 0.05, HeldError, "no result came for 0.05 s, and zed1 may take no frames, drained or loading"),
        (True, None, TimeoutError, ""),
        (False, 0.05, BrokenError, "no result came for 0.1 s; no node holds a frame"),
    ],
)
def test_a_wait_for_drained_nodes(held: bool, limit: float | None, error: type[Exception], said: str) -> None:
    """The patience is not for them: only `run` gives up, by a limit of its own."""

    async def story() -> None:
        session = Session(read_map(EXAMPLE), Hosts(), 1, 0.1, lambda _: None, limit=limit)
        session.controls["zed1"].holds = held
        await session.submit({})
        async with asyncio.timeout(0.4):
            await session._watch_progress()

    with pytest.raises(error) as found:
        asyncio.run(story())
    assert said in str(found.value)


@pytest.mark.parametrize("lasts", [True, False])
def test_a_node_that_comes_back_too_late(lasts: bool) -> None:
    """Frames of that time are given up; the session of a server takes those that follow."""
    noted: list[str] = []
    away = True

    class Away(Session):
        async def _begin_epoch(self) -> None:
            nonlocal away
            if self.epochs and away:
                away = False
                raise LostError("node zed1 was not reached")
            self.epochs += 1

        async def _serve(self) -> None:
            ticket = await self.tickets.wait_for(self.tickets.oldest)
            if self.epochs == 1:
                raise BrokenError("node zed1 broke")
            for edge in self._cluster.outputs:
                await self.tickets.put(edge.name, ticket.number, b"result")
            await asyncio.sleep(60)

    async def story() -> None:
        session = Away(read_map(EXAMPLE), Hosts(), 1, 0.1, noted.append, lasts=lasts)
        await session.start()
        ticket = await session.submit({})
        with pytest.raises(LostError, match="node zed1 was not reached"):
            await ticket.answer
        if lasts:
            async with asyncio.timeout(5):
                assert await (await session.submit({})).answer
        else:
            with pytest.raises(LostError, match="node zed1 was not reached"):
                await session.submit({})
        await session.close()

    asyncio.run(story())
    assert noted == ["node zed1 broke", *["node zed1 was not reached"] * lasts]


def test_addresses_that_are_exchanged() -> None:
    said = "build_id: node {} has another build"
    assert exchanged("zed0", ["zed0", "zed1"], said.format("zed1")) == (
        ", and zed1 answers there; exchange their addresses in hosts.toml"
    )
    for name in ("zed0", "other"):
        assert not exchanged("zed0", ["zed0", "zed1"], said.format(name))
    assert not exchanged("zed0", ["zed0", "zed1"], "token: it is not the token of this node")
