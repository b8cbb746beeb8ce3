# SPDX-License-Identifier: BSD-3-Clause
"""Time limits of the bench follow from the plan: no wait has a literal number of cycles."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, one_each, partition, plan_of, spec
from sim_module import sim_module

from shellgen.emit.bench_limits import answer_cycles
from shellgen.emit.crossing import near_timeout
from shellgen.emit.whole import emit
from shellgen.model import ClusterSpec, Network
from shellgen.resources import data_dir
from shellgen.simulate.cluster import FORCED

records: Any = sim_module("bench_records")
budget: Any = sim_module("bench_budget")
SIM = {path.stem: path for path in data_dir("sim").rglob("*.py")}
LEAST = 64  # fewer cycles are a few edges of a clock, which no plan changes
WAITS = {"ClockCycles": 1, "rest": 0, "hold": 0, "block": 0}  # and which argument says how long
# Constants that waits may have, since no plan changes what they are about.
FREE = {
    "accl_directed.py": {
        "BEFORE": "cycles in which a put is not late yet; the watchdog is set to a multiple of it",
        "LOOKS": "looks; the time from one to the next follows from the first frame",
    },
    "accl_session.py": {"LOOKS": "as above"},
    "bench_bring_up.py": {"LOOK_CYCLES": "from look to look"},
    "bench_host.py": {"LOOK_CYCLES": "from look to look"},
    "bench_node_reset.py": {"LOOK_CYCLES": "from look to look"},
    "bench_registers.py": {"PIECE": "a step through a list, not a time"},
    "bench_run.py": {"STEP_CYCLES": "from look to look; the test says for how many cycles it waits"},
    "bench_rest.py": {"MOST_LOOKS": "looks; each lasts as long as the plan says a quiet stream may pause"},
    "vnx_far_frames.py": {
        "LEAST_LOOK": "answers and flags; how long a partition takes is waited for by `look`"
    },
    "vnx_far_receiver.py": {
        "CYCLES": "for which a packet waits for leave, as long as the directed test wants",
    },
}


def constants(tree: ast.Module) -> dict[str, int]:
    """Return the whole numbers that a module names, or takes from another by a name in capitals."""
    found: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = (
                    zip(target.elts, node.value.elts, strict=False)
                    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                    else [(target, node.value)]
                )
                for name, value in pairs:
                    number = value.value if isinstance(value, ast.Constant) else None
                    if isinstance(name, ast.Name) and isinstance(number, int):
                        found[name.id] = number
        elif isinstance(node, ast.ImportFrom) and node.module in SIM:
            names = {alias.name: alias.asname or alias.name for alias in node.names if alias.name.isupper()}
            own = constants(ast.parse(SIM[node.module].read_text())) if names else {}
            found |= {names[name]: value for name, value in own.items() if name in names}
    return found


def bare(text: str) -> Iterator[str]:
    """Name the waits of a source whose length is a number, or a constant's name."""
    tree = ast.parse(text)
    known = constants(tree)
    lengths = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            lengths += node.args[WAITS[called] :][:1] if called in WAITS else []
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            looks = any(
                isinstance(one, (ast.Await, ast.Yield)) for part in node.body for one in ast.walk(part)
            )
            lengths += node.iter.args if looks and getattr(node.iter.func, "id", "") == "range" else []
    for length in lengths:
        if isinstance(length, ast.Constant) and isinstance(length.value, int) and length.value >= LEAST:
            yield str(length.value)
        elif isinstance(length, ast.Name) and known.get(length.id, 0) >= LEAST:
            yield length.id


def test_no_wait_is_a_number() -> None:
    """A wait comes from bench.json, from the run so far, or from a constant that no plan changes."""
    found = {path.name: set(bare(path.read_text())) for path in SIM.values()}
    used = {name: constant for name, constant in found.items() if constant}
    assert used == {name: set(reasons) for name, reasons in FREE.items()}


@pytest.mark.parametrize(
    "planted",
    [
        "await ClockCycles(dut.aclk, 20_000)",
        "MOST = 5000\nasync def f():\n    await ClockCycles(dut.aclk, MOST)",
        "async def f():\n    for _ in range(300):\n        await looks()",
        "LOOKS, LOOK = 8, 2000\nscript.rest(LOOK)",
        "from bench_rest import QUIET\nscript.rest(QUIET)",
    ],
)
def test_a_wait_that_is_a_number_is_seen(planted: str) -> None:
    assert list(bare(planted))


def emitted(network: Network, cluster: ClusterSpec) -> dict[str, str]:
    """Return the texts that are emitted for a cluster, by path."""
    made = emit(plan_of(network, cluster), network.files)
    return {one.path: one.content.decode(errors="replace") for one in made}


def described(network: Network, cluster: ClusterSpec) -> Any:
    """Return bench.json of a cluster, as the bench reads it."""
    return records.build(records.Bench, json.loads(emitted(network, cluster)["bench/bench.json"]))


def large(elements: int, per_word: int, board: str = "zedboard", platform: str = "", nodes: int = 2) -> Any:
    """Return bench.json of a chain whose frames have ``elements`` in words of ``per_word``."""
    shape = (("UINT8", per_word, elements),)
    network = chain(*(partition(f"p{k}", shape, shape) for k in range(nodes)))
    more = {"platform": platform} if platform else {}
    return described(
        network, spec([{"name": f"n{k}", "board": board, "partitions": [k], **more} for k in range(nodes)])
    )


@pytest.mark.parametrize("frames", [1, 3, 18])
@pytest.mark.parametrize(
    ("elements", "per_word", "board"),
    [(1, 1, "zedboard"), (1 << 20, 1, "pynq-z2"), (150_528, 3, "zedboard"), (1 << 16, 2, "u280")],
)
def test_draining_has_time_for_a_transfer_of_each_link(
    elements: int, per_word: int, board: str, frames: int
) -> None:
    bench = large(elements, per_word, board)
    # By the plan's own words: a link moves its beats one by one, and none is wider than a word or 64 bytes.
    widest = 64 if board == "u280" else max(4, 1 << (per_word - 1).bit_length())
    needed = frames * -(-elements // widest)
    assert all(one.link_beats >= -(-elements // widest) for one in bench.boundaries if one.link)
    assert budget.drain_cycles(bench, {}, frames) > 2 * needed
    assert budget.drain_cycles(bench, {}, frames + 1) > budget.drain_cycles(bench, {}, frames)


def test_what_a_link_was_told_is_waited_for() -> None:
    bench = large(64, 1)
    told = {"tcp_dma_latency": 65_535}
    assert budget.drain_cycles(bench, told, 1) - budget.drain_cycles(bench, {}, 1) >= 3 * 65_535
    assert budget.silence(bench, told) >= 65_535 > budget.silence(bench, {})
    card = large(8190, 1, "u55c", "coyote", nodes=1)
    paused = {"coyote_stream_pause": 4095}
    assert budget.drain_cycles(card, paused, 2) > 2 * 128 * 4095


def test_pauses_are_parameters() -> None:
    """Delays of a model are parameters, so that the limits can follow."""
    for board, platform, nodes in (("zedboard", "", 2), ("u280", "", 2), ("u55c", "coyote", 1)):
        bench = large(64, 1, board, platform, nodes)
        assert all(link.pauses for link in bench.links), board


@pytest.mark.parametrize("compute", [None, 25.0])
def test_a_bus_is_given_more_time_than_its_tree_takes(compute: float | None) -> None:
    network = chain(partition("a"), partition("b"))
    more = {} if compute is None else {"compute_mhz": compute}
    nodes = [{"name": f"n{k}", "board": "zcu104", "partitions": [k], **more} for k in range(2)]
    plan = plan_of(network, spec(nodes))
    for node in plan.nodes:
        assert answer_cycles(node) > 2 * near_timeout(node)
    assert budget.answer_cycles(described(network, spec(nodes))) == max(map(answer_cycles, plan.nodes))


def test_a_receiver_is_told_when_it_must_acknowledge() -> None:
    """The directed test and the core have ACK_CYCLES from one place, whatever the block does by default."""
    shape = (("UINT8", 1, 3000),)
    network = chain(partition("p0", shape, shape), partition("p1", shape, shape))
    made = emitted(network, one_each(network, "u280"))
    ends = json.loads(made["bench/vnx_udp.json"])["ends"]
    told = {one["node"]: one["ack_cycles"] for one in ends if one["ack_cycles"]}
    assert told
    for node, cycles in told.items():
        core = next(text for path, text in made.items() if path.startswith(f"{node}/") and "core" in path)
        assert re.findall(r"\.ACK_CYCLES\((\d+)\)", core) == [str(cycles)]
    assert all(one["frame_cycles"] >= 3000 for one in ends)


def test_what_is_forced_is_in_the_model_once_for_each_instance() -> None:
    """Verilator forces only the first instance of a module that it keeps apart."""
    template = (Path(__file__).parents[1] / "templates" / "bench" / "meters.sv.j2").read_text()
    counters = set(re.findall(r"force .*\.(u_\w+)\.count_q", template))
    status = (data_dir("ip") / "shell_status" / "shell_status.sv").read_text()
    instances = dict(re.findall(r"(\w+) #\([^;]*?\) (u_\w+) \(", status))
    modules = {module for module, name in re.findall(r"(\w+) #\(.*\) (u_\w+) \(", status) if name in counters}
    assert counters
    assert instances
    assert modules == set(FORCED)
