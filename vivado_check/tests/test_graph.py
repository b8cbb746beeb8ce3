# SPDX-License-Identifier: BSD-3-Clause
"""Connections down to the pins of IP, whatever hierarchies they pass."""

from __future__ import annotations

from small_design import Block, SmallIp, clock, memory, reset

from vivado_check.ip.facts import AXIMM, CLOCK, IpPort

SOURCE = SmallIp(
    "test:ip:source:1.0",
    (clock("clk", "master", FREQ_HZ="100"), reset("rst_n", "master"), memory("M", "master")),
    (IpPort("word", "out", 7, 0),),
)
SINK = SmallIp(
    "test:ip:sink:1.0",
    (clock("aclk", ASSOCIATED_BUSIF="S:T"), clock("bclk", ASSOCIATED_BUSIF="u"), memory("S", "slave")),
    (IpPort("word", "in", 7, 0),),
)
WATCH = SmallIp("test:ip:watch:1.0", (memory("LOOK", "monitor"),))
BUFFER = SmallIp("xilinx.com:ip:util_ds_buf:2.2", (), (IpPort("BUFG_I", "in"), IpPort("BUFG_O", "out")))


def block() -> Block:
    made = Block(SOURCE, SINK, WATCH, BUFFER)
    made.cell("/source", "source")
    return made


def nested() -> Block:
    """A sink two hierarchies down."""
    made = block()
    for path in ("/a", "/a/b"):
        made.hier(path)
        made.pin(path, "clk", "I", "clk")
        made.bus_pin(path, "S", "Slave", "xilinx.com:interface:aximm_rtl:1.0")
    made.cell("/a/b/sink", "sink")
    made.wire("/a/b/clk", "/a/b/sink/aclk", hier="/a/b")
    made.bus("/a/b/S", "/a/b/sink/S", hier="/a/b")
    made.wire("/source/clk", "/a/clk")
    made.bus("/source/M", "/a/S")
    made.wire("/a/clk", "/a/b/clk", hier="/a")
    made.bus("/a/S", "/a/b/S", hier="/a")
    return made


def test_nets_pass_through_hierarchies() -> None:
    graph = nested().graph
    assert graph.driver("/a/b/sink/aclk") == "/source/clk"
    assert graph.loads("/source/clk") == ("/a/b/sink/aclk",)
    assert graph.peer("/source/M") == "/a/b/sink/S"
    assert graph.peer("/a/b/sink/S") == "/source/M"
    assert graph.source_of_clock("/a/b/sink/aclk") == "/source/clk"


def test_a_pin_of_a_hierarchy_asked_for_itself() -> None:
    graph = nested().graph
    assert graph.driver("/a/clk") == "/source/clk"
    assert graph.port("/a/clk") is None
    assert not graph.is_end("/a/clk")


def test_a_missing_net_in_between_cuts_the_way() -> None:
    made = nested()
    made.design.nets = {key: net for key, net in made.design.nets.items() if net.hier != "/a"}
    assert made.graph.driver("/a/b/sink/aclk") is None
    assert not made.graph.may_be_driven("/a/b/sink/aclk")
    assert made.graph.loads("/source/clk") == ()


def test_ports_of_the_design_are_seen_from_inside() -> None:
    made = block()
    made.cell("/sink", "sink")
    made.pin("/", "clk_in", "I", "clk", FREQ_HZ="5")
    made.pin("/", "word", "O", bits=8)
    made.bus_pin("/", "S", "Slave", "xilinx.com:interface:aximm_rtl:1.0", PROTOCOL="AXI4LITE")
    made.wire("/clk_in", "/sink/aclk")
    made.wire("/source/word", "/word")
    made.bus("/S", "/sink/S")
    graph = made.graph
    assert graph.driver("/sink/aclk") == "/clk_in"
    signal = graph.signal("/clk_in")
    assert signal
    assert (signal.vlnv, signal.mode, signal.params["FREQ_HZ"]) == (CLOCK, "master", "5")
    word = graph.port("/word")
    assert word
    assert (word.direction, word.bits) == ("in", 8)
    port = graph.interface("/S")
    assert port
    assert (port.mode, port.vlnv, port.params["PROTOCOL"]) == ("master", AXIMM, "AXI4LITE")
    assert graph.peer("/sink/S") == "/S"


def test_a_clock_belongs_to_the_interfaces_that_it_names() -> None:
    made = block()
    made.cell("/sink", "sink")
    made.bus_pin("/", "S", "Slave", "xilinx.com:interface:aximm_rtl:1.0")
    made.pin("/", "clk_in", "I", "clk", ASSOCIATED_BUSIF="X:S")
    graph = made.graph
    assert [graph.clock_of(f"/sink/{name}") for name in "STU"] == ["/sink/aclk", "/sink/aclk", "/sink/bclk"]
    assert graph.clock_of("/S") == "/clk_in"
    assert graph.clock_of("/source/M") is None


def test_a_monitor_is_no_peer() -> None:
    made = block()
    made.cell("/sink", "sink")
    made.cell("/watch", "watch")
    made.cell("/stranger", "test:ip:unknown:1.0")
    made.bus("/source/M", "/sink/S")
    made.bus("/source/M", "/watch/LOOK")
    assert made.graph.peer("/source/M") == "/sink/S"
    assert made.graph.peer("/watch/LOOK") is None
    made.bus("/source/M", "/stranger/LOOK_TOO")
    assert made.graph.peer("/source/M") == "/sink/S"


def test_what_is_not_known_may_drive() -> None:
    made = block()
    made.cell("/sink", "sink")
    made.cell("/box", "test.bd", "container")
    made.cell("/stranger", "test:ip:unknown:1.0")
    made.wire("/box/clk", "/sink/aclk")
    made.wire("/stranger/clk", "/sink/bclk")
    graph = made.graph
    assert graph.resolved("/box") is None
    assert [graph.driver(f"/sink/{name}") for name in ("aclk", "bclk")] == [None, None]
    assert graph.may_be_driven("/sink/aclk")
    assert graph.may_be_driven("/sink/bclk")


def test_a_buffer_only_passes_a_clock_on() -> None:
    made = block()
    made.cell("/sink", "sink")
    made.cell("/buffer", "util_ds_buf")
    made.wire("/source/clk", "/buffer/BUFG_I")
    made.wire("/buffer/BUFG_O", "/sink/aclk")
    assert made.graph.driver("/sink/aclk") == "/buffer/BUFG_O"
    assert made.graph.source_of_clock("/sink/aclk") == "/source/clk"


def test_a_ring_of_buffers_ends() -> None:
    made = block()
    for name in ("one", "two"):
        made.cell(f"/{name}", "util_ds_buf")
    made.wire("/one/BUFG_O", "/two/BUFG_I")
    made.wire("/two/BUFG_O", "/one/BUFG_I")
    assert made.graph.source_of_clock("/one/BUFG_I") in ("/one/BUFG_O", "/two/BUFG_O")


def test_a_large_design_is_one_pass() -> None:
    """A clock with 3,000 loads in 300 hierarchies: seconds, if every search started over."""
    made = block()
    for index in range(300):
        made.hier(f"/h{index}")
        made.wire("/source/clk", f"/h{index}/clk") if index == 0 else None
        for pin in range(10):
            made.cell(f"/h{index}/c{pin}", "sink")
    net = next(iter(made.design.nets.values()))
    for index in range(300):
        net.members[f"/h{index}/clk"] = made.next()
        inner = type(net)("clk", f"/h{index}", {f"/h{index}/clk": made.next()})
        inner.members.update({f"/h{index}/c{pin}/aclk": made.next() for pin in range(10)})
        made.design.nets[f"/h{index}", "clk"] = inner
    graph = made.graph
    assert len(graph.loads("/source/clk")) == 3_000
    sinks = [f"/h{index}/c{pin}/aclk" for index in range(300) for pin in range(10)]
    assert {graph.driver(sink) for sink in sinks} == {"/source/clk"}


def test_a_port_whose_direction_nobody_knows() -> None:
    """As make_bd_pins_external leaves it for an IP without facts."""
    made = block()
    made.cell("/sink", "sink")
    made.pin("/", "clk_0", "", "")
    made.wire("/clk_0", "/sink/aclk")
    assert made.graph.port("/clk_0") is None
    assert made.graph.may_be_driven("/sink/aclk")
