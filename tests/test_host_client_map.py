# SPDX-License-Identifier: BSD-3-Clause
"""memory_map.json as the client reads it: boundaries that it feeds or reads, dealt and copied ones too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from shellgen_host import Cluster, InputError
from shellgen_host.cluster_map import Turn, Turns, read_map

EXAMPLE = Path(__file__).parents[1] / "docs" / "example" / "out"


def test_the_map_of_the_example() -> None:
    found = read_map(EXAMPLE)
    assert [(edge.node, edge.tensor) for edge in (*found.inputs, *found.outputs)] == [
        ("zed0", "global_in"),
        ("zed1", "global_out"),
    ]
    assert list(found.between.values()) == [("zed0", "zed1")]


def dealt_map(folder: Path, **changed: object) -> Path:
    """Write the map of the example with a second board beside the first: it takes every third frame."""
    whole = json.loads((EXAMPLE / "memory_map.json").read_text())
    first = whole["nodes"][0]
    name = next(stream["boundary"] for stream in first["streams"] if stream["host"])
    second = json.loads(json.dumps(first).replace(name, f"{name}_copy_1")) | {"name": "beside"}
    for node, places in ((first, [0, 1]), (second, [2])):
        for stream in node["streams"]:
            if stream["host"]:
                stream["deal"] = {"stream": name, "places": places, "period": 3}
    for stream in second["streams"]:
        stream.update(changed)
    whole["nodes"].append(second)
    (folder / "memory_map.json").write_text(json.dumps(whole))
    return folder


def test_frames_that_are_dealt(tmp_path: Path) -> None:
    """The user gives one input; each board gets its own frames of it, counted from the first of an epoch."""
    found = read_map(dealt_map(tmp_path))
    assert [edge.tensor for edge in found.inputs] == ["global_in"]
    first, second = found.sources
    assert (first.node, second.node) == ("zed0", "beside")
    assert first.stream == second.stream == first.name
    assert [first.frame_of(index) for index in range(5)] == [0, 1, 3, 4, 6]
    assert [second.frame_of(index) for index in range(3)] == [2, 5, 8]
    with pytest.raises(InputError, match="carry one stream, but pack it differently; generate"):
        read_map(dealt_map(tmp_path, frame_bytes=9))


def test_frames_that_are_sent_to_two_boards(tmp_path: Path) -> None:
    """The user gives one input, and both boards get every frame of it, if the bytes are the same."""
    dealt_map(tmp_path)
    path = tmp_path / "memory_map.json"
    whole = json.loads(path.read_text())
    streams = [
        one for node in (whole["nodes"][0], whole["nodes"][-1]) for one in node["streams"] if one["host"]
    ]
    for stream in streams:
        stream["deal"] = None
    layout = streams[-1]["layout"]
    layout |= {"per_word": 1, "word_bits": layout["bits"]}
    path.write_text(json.dumps(whole))
    found = read_map(tmp_path)
    (given,) = found.inputs
    first, second = found.sources
    assert (first.node, second.node) == ("zed0", "beside")
    assert first.stream == second.stream == given.name
    assert [edge.frame_of(7) for edge in found.sources] == [7, 7]
    layout["word_bits"] += 1
    path.write_text(json.dumps(whole))
    with pytest.raises(InputError, match=r"carry one tensor, but pack it differently; give their .*packing"):
        read_map(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory; give the folder that shellgen generate wrote"),
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "schema_version is None"),
        ('{"schema_version": "other"}', "schema_version is 'other', and this package reads"),
        ("no nodes", "it is damaged"),
        (
            "a card",
            "alveo: shellgen-node serves boards with AXI DMAs, cards behind XRT or with Coyote; use",
        ),
        (
            "the host in the network of cards",
            "one (a_to_b): shellgen-node serves cards with a network of their own only towards each",
        ),
        (
            "a fork to a card and elsewhere",
            "zed (a_to_b): shellgen-node serves cards with a network of their own only towards each",
        ),
    ],
)
def test_a_map_that_is_wrong(tmp_path: Path, content: str | None, said: str) -> None:
    stream = {"index": 0, "boundary": "a_to_b", "host": False, "program": None}
    linked = {"name": "one", "bus": "coyote", "movers": [], "channels": [], "streams": [stream]}
    cases = {
        "no nodes": [{"name": 3}],
        "a card": [{"name": "alveo", "bus": "other"}],
        "the host in the network of cards": [{**linked, "bus": "xrt", "streams": [{**stream, "host": True}]}],
        "a fork to a card and elsewhere": [
            {
                **linked,
                "name": "zed",
                "bus": "devmem",
                "streams": [{**stream, "program": {"port": 5}, "copies": [{}]}],
            }
        ],
    }
    if nodes := cases.get(content or ""):
        whole = json.loads((EXAMPLE / "memory_map.json").read_text())
        content = json.dumps({**whole, "nodes": nodes})
    if content is not None:
        (tmp_path / "memory_map.json").write_text(content)
    with pytest.raises(InputError) as error:
        Cluster(tmp_path, tmp_path / "hosts.toml")
    assert said in str(error.value)


def test_replicas_that_are_waited_for() -> None:
    """Gathered by numbers, or joined by hardware: none of them may be away."""
    assert not Turns(("a", "b")).follows([True, False], {"b"})
    assert Turns(("a", "b")).follows([True, False], {"c"})
    found = replace(read_map(EXAMPLE), shares={"zed0": Turn((0,), 2), "zed1": Turn((1,), 2)})
    assert found.works({"zed1"})
    assert not replace(found, joined=frozenset(found.between)).works({"zed1"})


def test_results_that_several_take(tmp_path: Path) -> None:
    """Two other boards and the client take one stream of a board."""
    whole = json.loads((EXAMPLE / "memory_map.json").read_text())
    (sent,) = [one for one in whole["nodes"][0]["streams"] if one["direction"] == "tx"]
    (taken,) = [one for one in whole["nodes"][1]["streams"] if one["direction"] == "rx"]
    third = {**whole["nodes"][1], "name": "third", "streams": [{**taken, "boundary": "other"}]}
    whole["nodes"].append(third)
    sent["copies"] = [
        {"boundary": "other", "host": False, "tensor": None, "deal": None},
        {"boundary": "seen", "host": True, "tensor": "middle", "deal": None},
    ]
    (tmp_path / "memory_map.json").write_text(json.dumps(whole))
    found = read_map(tmp_path)
    assert found.between == {sent["boundary"]: ("zed0", "zed1"), "other": ("zed0", "third")}
    (edge,) = [one for one in found.sinks if one.node == "zed0"]
    assert (edge.name, edge.tensor, edge.contract) == ("seen", "middle", int(sent["contract"], 16))
