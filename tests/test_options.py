# SPDX-License-Identifier: BSD-3-Clause
"""Options, platforms and docks: what cluster.toml asks of a kind reaches that kind, or is refused by it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import pytest
from fake_network import chain, partition, spec
from pydantic import Field
from wide_platform import Wide, wide_board

from shellgen.errors import PlanError
from shellgen.links import Site, link_registry
from shellgen.links.tcp_dma import TcpDma
from shellgen.model import Attachment, Board, Dock, Plan
from shellgen.model.base import Frozen
from shellgen.plan import make_plan
from shellgen.platforms import platform_registry
from shellgen.read import read_board


class UdpOptions(Frozen):
    """Options of a link over Ethernet."""

    address: str
    mtu: Annotated[int, Field(ge=64, le=9000)] = 1500
    port: int = 1


class Udp(TcpDma):
    """A link that has options, on a dock of its own; it notes what it was asked for."""

    kind: ClassVar[str] = "udp"
    dock: ClassVar[str] = "mac"
    Options: ClassVar[type[Frozen]] = UdpOptions

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Keep the options of each end."""
        asked = {"ends": [one.model_dump(mode="json") for one in site.options]}
        made = super().attach(site)
        return tuple(one.model_copy(update={"name": "udp", "detail": asked}) for one in made)


class Ether(Wide):
    """A platform with an Ethernet MAC, of which there is one port."""

    kind: ClassVar[str] = "ether"

    def docks(self, board: Board) -> dict[str, Dock]:
        """Return two docks."""
        dma = Dock(bits=board.facts(self.kind, self.Facts).model_dump()["bits"])
        return {"dma": dma, "mac": Dock(slots=2, bits=64)}


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(link_registry(), "udp", Udp())
    for platform in (Wide(), Ether()):
        monkeypatch.setitem(platform_registry(), platform.kind, platform)


def board() -> Board:
    """A ZedBoard on all three platforms, the first of which has no MAC."""
    plain, wide = read_board("zedboard"), wide_board("zedboard")
    tables = {**plain.platform, "wide": wide.platform["wide"], "ether": wide.platform["wide"]}
    return plain.model_copy(update={"platform": tables, "name": "card"})


def planned(streams: int = 1, /, **more: object) -> Plan:
    """Plan two nodes on one kind of board; ``a`` and ``b`` are what is said of them."""
    words = (("UINT4", 2, 16),) * streams
    network = chain(partition("first", words[:1], words), partition("second", words, words[:1]), edges=False)
    nodes = [
        {"name": name, "board": "card", "partitions": [index], **dict(more.pop(name, {}))}  # type: ignore[call-overload]
        for index, name in enumerate(("a", "b"))
    ]
    links = more.pop("link", None) or [
        {"from": f"first.m_axis_{k}", "to": f"second.s_axis_{k}"} for k in range(streams)
    ]
    cluster = spec(nodes, link=links, **more)
    return make_plan(cluster, network, {node.name: board() for node in cluster.node})


ETHER = {"platform": "ether"}
UDP = {"from": "0", "to": "1", "kind": "udp"}


def test_the_more_specific_table_wins_field_by_field() -> None:
    plan = planned(
        links={"udp": {"address": "10.0.0.1", "mtu": 4000, "port": 5}},
        a={**ETHER, "options": {"udp": {"address": "10.0.0.2", "port": 6}}},
        b=ETHER,
        link=[{**UDP, "options": {"port": 7}}],
    )
    asked = [one.detail["ends"] for node in plan.nodes for one in node.attachments if one.link == "udp"]
    assert asked == [
        [{"address": "10.0.0.2", "mtu": 4000, "port": 7}],
        [{"address": "10.0.0.1", "mtu": 4000, "port": 7}],
    ]
    assert plan.nodes[0].link_options == {"udp": {"address": "10.0.0.2", "mtu": 4000, "port": 6}}
    assert Plan.model_validate_json(plan.to_json()) == plan


def test_options_of_a_platform_are_no_part_of_the_build() -> None:
    plain, other = (
        planned(a={"platform": "zynq", "options": options}, b={"platform": "zynq"})
        for options in ({}, {"zynq": {"ila": 1024}})
    )
    assert other.nodes[0].options["ila"] == 1024
    assert plain.nodes[0].options["ila"] == 0
    assert plain.nodes[0].build_id == other.nodes[0].build_id


@pytest.mark.parametrize(("kind", "same"), [("tcp_dma", True), ("udp", False)])
def test_options_of_a_link_are_a_part_only_where_it_ends(kind: str, same: bool) -> None:
    one, other = (
        planned(links={"udp": {"address": address}}, a=ETHER, b=ETHER, link=[{**UDP, "kind": kind}])
        for address in ("10.0.0.1", "10.0.0.2")
    )
    assert [(a.build_id == b.build_id) for a, b in zip(one.nodes, other.nodes, strict=True)] == [same] * 2


GIVEN = {"udp": {"address": "x"}}
GOOD = {"links": GIVEN, "a": ETHER, "b": ETHER, "link": [UDP]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"links": {"udp": {"address": "x", "mtu": 9}}},
            "links.udp.mtu: got 9; expected at least 64",
        ),
        (
            {"links": {"udp": {"adress": "x"}}},
            "links.udp.adress: this field is not known. Did you mean address? udp takes: address, mtu, port",
        ),
        (
            {"links": {}},
            "links.udp.address: this field is missing. Add it",
        ),
        (
            {"links": {**GIVEN, "zynq": {}}},
            "links.zynq: there is no link 'zynq'. It is a platform: its options go into [node.options.zynq]",
        ),
        (
            {"links": {**GIVEN, "upd": {}}},
            "links.upd: there is no link 'upd'.",
        ),
        (
            {"link": [{**UDP, "options": {"mtu": "big"}}]},
            "link[0].options.mtu: got 'big'",
        ),
        (
            {"link": [{**UDP, "kind": "tcp_dma", "options": {"mtu": 1}}]},
            "link[0].options.mtu: this field is not known. tcp_dma takes no options: remove it",
        ),
        (
            {"a": {**ETHER, "options": {"zynq": {"ila": 0}}}},
            "node[0].options.zynq: node a has no part in 'zynq': its platform is ether. Remove "
            "them; this node takes options of: ether, tcp_dma, udp",
        ),
        (
            {"b": {**ETHER, "options": {"ether": {"x": 1}}}},
            "node[1].options.ether.x: this field is not known. ether takes no options",
        ),
        (
            {"b": {**ETHER, "options": {"udp": {"mut": 1}}}},
            "node[1].options.udp.mut: this field is not known. Did you mean mtu? udp takes: address, mtu",
        ),
        (
            {"b": {"platform": "coyote"}},
            "node[1].platform: got 'coyote', and boards/zedboard.toml has no [platform.coyote]. "
            "Choose from: zynq, wide, ether",
        ),
        (
            {"b": {"platform": "zynq"}},
            "link[0].kind: link kind 'udp' is not carried by card: it needs dock 'mac', and "
            "platform ether offers dma, mac; platform zynq offers dma, udp (by a program), tcp (by a "
            "program). The boards share: tcp_dma; "
            'or choose platform = "ether" for b',
        ),
        (
            {"link": [{"from": "0", "to": "1"}]},
            "link[0].kind: card share 2 link kinds (tcp_dma, udp): platform ether offers dma, mac."
            " State the kind",
        ),
        (
            {"link": [{**UDP, "kind": "pigeon"}]},
            "link[0].kind: link kind 'pigeon' is not known.",
        ),
    ],
)
def test_what_is_refused(change: dict[str, object], said: str) -> None:
    planned(**GOOD)
    with pytest.raises(PlanError) as caught:
        planned(**(GOOD | change))
    problems = [str(problem) for problem in caught.value.problems]
    assert len(problems) == 1, problems
    assert f"cluster.toml: {said}" in problems[0]


def test_a_dock_that_is_used_up_names_the_streams() -> None:
    links = [{"from": f"first.m_axis_{k}", "to": f"second.s_axis_{k}", "kind": "udp"} for k in range(3)]
    with pytest.raises(PlanError) as caught:
        planned(3, **(GOOD | {"link": links}))
    names = ", ".join(f"first_m_axis_{k}_to_second_s_axis_{k}" for k in range(3))
    found = "3 streams take 3 slots of dock 'mac', and platform ether has 2 on card"
    assert str(caught.value.problems[0]).startswith(
        f"cluster.toml: node[0]: {found}: {names}. Put neighbouring"
    )
    assert str(caught.value.problems[1]).startswith(f"cluster.toml: node[1]: {found}: {names}. ")


def test_a_stream_inside_a_board_has_no_options() -> None:
    network = chain(partition("first"), partition("second"))
    cluster = spec(
        [{"name": "a", "board": "zedboard", "partitions": [0, 1]}],
        link=[{"from": "0", "to": "1", "options": {"mtu": 1}}],
    )
    with pytest.raises(
        PlanError, match=r"link\[0\].options: both ends are on node a, so that no link carries"
    ):
        make_plan(cluster, network, {"a": read_board("zedboard")})


class Shared(TcpDma):
    """A link on the DMAs' dock with a pin that is not theirs."""

    kind: ClassVar[str] = "shared"
    change: ClassVar[dict[str, Any]] = {}

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Change the last pin."""
        (made,) = super().attach(site)
        pin = made.pins[-1].model_copy(update=self.change)
        return (made.model_copy(update={"pins": (*made.pins[:-1], pin)}),)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"role": "lane"}, "its role is 'lane', and what goes in is 'mm2s'"),
        ({"stream": 7}, "it serves 0 streams, and mm2s serves one"),
        ({"tdata_bits": 64}, "it has 64 bits, and the beats of its stream 32"),
        ({"tdest_bits": 4}, "mm2s has TKEEP and TLAST, and nothing else"),
        ({"tlast": False}, "mm2s has TKEEP and TLAST, and nothing else"),
    ],
)
def test_a_zynq_gives_each_pin_of_its_dock_a_channel(
    change: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Node b receives two streams over such a link; a stream beyond a DMA is reported before Vivado runs."""
    monkeypatch.setitem(link_registry(), "shared", Shared())
    links = [{"from": f"first.m_axis_{k}", "to": f"second.s_axis_{k}", "kind": "shared"} for k in range(2)]
    zynq = {"platform": "zynq"}
    assert len(planned(2, a=zynq, b=zynq, link=links).nodes[1].rx) == 2
    monkeypatch.setattr(Shared, "change", change)
    with pytest.raises(PlanError) as caught:
        planned(2, a={"platform": "zynq"}, b=zynq, link=links)
    told = [str(problem) for problem in caught.value.problems]
    assert any(
        "node b: link shared: its pin s_axis_1 breaks the contract" in text and said in text for text in told
    ), told
