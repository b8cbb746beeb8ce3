# SPDX-License-Identifier: BSD-3-Clause
"""Files of golden vectors: which stream they are for, in which order, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_network import chain, one_each, partition, plan_of
from golden_sums import sums

from shellgen.errors import InputError, PlanError, ShellgenError
from shellgen.golden import given_frames
from shellgen.model import ClusterSpec
from shellgen.read.vectors import Vectors, read_vectors

SPEC: dict[str, Any] = {"build": "b", "node": [{"name": "n", "board": "zedboard", "partitions": [0]}]}


@pytest.mark.parametrize(
    ("verify", "wanted"),
    [
        (
            {"input": "a.npy"},
            "verify.input: the host has 2 input streams, and one file of vectors. Give a file for each: a"
            ' table [verify.input] with "add.s_axis_0" = "<file>.npy"; "add.s_axis_1" = "<file>.npy"',
        ),
        ({"input": ["a.npy"] * 3}, "verify.input: the host has 2 input streams, and 3 files of vectors"),
        ({"input": {"add.s_axis_0": "a.npy"}}, "verify.input: no file for add.s_axis_1"),
        (
            {"input": {"add.s_axis_7": "a.npy"}},
            "verify.input[add.s_axis_7]: the host has no input stream add.s_axis_7",
        ),
        (
            {"input": {"add.s_axis_0": "a.npy", "host_to_add_s_axis_0": "a.npy"}},
            "verify.input[host_to_add_s_axis_0]: host_to_add_s_axis_0 has two files",
        ),
        ({"input": ["a.npy", "short.npy"]}, "short.npy: verify.input[1]: 4 input frames and 3 input frames"),
        (
            {"input": ["a.npy", "verify_x_FAIL.npy"]},
            "FINN wrote this file because the outputs in it were wrong",
        ),
    ],
)
def test_files_that_fit_no_stream_are_refused(
    verify: dict[str, Any], wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan, _ = sums()
    np.save("a.npy", np.zeros((4, 16)))
    np.save("short.npy", np.zeros((3, 16)))
    np.save("verify_x_FAIL.npy", np.zeros((4, 16)))
    spec = ClusterSpec.from_data(SPEC | {"verify": verify}, "cluster.toml").verify
    assert spec
    with pytest.raises(ShellgenError) as error:
        given_frames(plan, read_vectors(tmp_path, spec), "cluster.toml")
    assert wanted in str(error.value)


@pytest.mark.parametrize("value", [7, [], {}, [1], {"a": 2}])
def test_what_names_no_files_is_refused(value: Any) -> None:
    with pytest.raises(
        InputError, match="expected a file, a list of files, or a table of ports and their files"
    ):
        ClusterSpec.from_data(SPEC | {"verify": {"input": value}}, "cluster.toml")


@pytest.mark.parametrize(
    ("shape", "frame", "refused"),
    [
        ((3, 6, 5, 4), (1, 6, 5, 4), ""),
        ((3, 1, 6, 5, 4), (1, 6, 5, 4), ""),
        ((3, 120), (1, 6, 5, 4), ""),
        ((3, 30, 4), (1, 6, 5, 4), ""),
        ((3, 6, 5, 2, 2), (1, 6, 5, 4), ""),
        ((6, 5, 4), (1, 6, 5, 4), ""),
        ((1, 6, 5, 4), (1, 6, 5, 4), ""),
        ((3, 4, 6, 5), (1, 6, 5, 4), "Channels come last in a stream: save x.transpose(0, 2, 3, 1)"),
        ((3, 4, 30), (1, 30, 4), "Channels come last in a stream: save x.transpose(0, 2, 1)"),
        ((3, 5, 6, 4), (1, 6, 5, 4), "Give the dimensions in the order of the stream"),
        ((3, 28, 28), (1, 784), ""),
        ((3, 1, 28, 28), (1, 28, 28, 1), ""),
    ],
)
def test_the_order_of_dimensions_counts(shape: tuple[int, ...], frame: tuple[int, ...], refused: str) -> None:
    elements = int(np.prod(frame))
    made, content = partition("a", (("UINT4", 1, elements),), (("UINT4", 1, elements),))
    streams = tuple(
        port.model_copy(update={"normal_shape": frame, "folded_shape": (*frame, 1)}) for port in made.streams
    )
    network = chain((made.model_copy(update={"streams": streams}), content))
    plan = plan_of(network, one_each(network))
    values = np.arange(int(np.prod(shape))).reshape(shape) % 16
    given = [Vectors("input", 0, "verify.input", "x.npy", values)]
    if refused:
        with pytest.raises(PlanError) as error:
            given_frames(plan, given, "cluster.toml")
        assert refused in str(error.value)
    else:
        (found,) = given_frames(plan, given, "cluster.toml").values()
        assert np.array_equal(found.reshape(-1), values.reshape(-1))
        assert found.shape[1] == elements
