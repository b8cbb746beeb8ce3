# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the Python client that nobody means, each answered by a sentence; and its figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from host_pair import Running, files, golden, out, running  # noqa: F401 - fixtures
from test_host_client import layout

from shellgen_host import Cluster, HostError, InputError, Latency, Operator
from shellgen_host.figures import check_seconds
from shellgen_host.shapes import empty, only, unpacked
from shellgen_host.tensors import Spec

pytestmark = pytest.mark.xdist_group("rehearse")


@pytest.mark.parametrize("count", [1, 2, 3, 99, 100, 101, 250])
def test_the_99th_percentile(count: int) -> None:
    """99 of 100 frames take no longer, and it is never below the median."""
    found = Latency.of(map(float, range(count, 0, -1)), {})
    assert found.percentile_99 >= found.median
    assert found.percentile_99 == np.percentile(range(1, count + 1), 99, method="inverted_cdf")


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), "1", None, True])
def test_what_is_no_time(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"^patience: .* is no time; give seconds up to 86400$"):
        check_seconds("patience", wrong)


@pytest.mark.parametrize("kind", [Cluster, Operator])
def test_arguments_of_another_type(kind: Any, tmp_path: Any) -> None:
    with pytest.raises(InputError, match=r"^out: 3 is no folder; give the one that shellgen generate wrote$"):
        kind(3, "hosts.toml")
    with pytest.raises(InputError, match=r"memory_map\.json: No such file"):
        kind(tmp_path, 3)


def test_no_frames() -> None:
    """As many outputs as with frames, of the same shapes."""
    assert unpacked(layout("UINT4", 4, 0, 15, 4, 4, 16), []).shape == (0, 4)
    two = only(empty([Spec("a", "FP32", (3, 2)), Spec("b", "INT64", ())]))
    assert isinstance(two, dict)
    assert {name: (one.shape, one.dtype) for name, one in two.items()} == {
        "a": ((0, 3, 2), np.dtype("f4")),
        "b": ((0,), np.dtype("i8")),
    }
    one = only(empty([Spec("a", "FP32", (3, 2))]))
    assert isinstance(one, np.ndarray)


def test_a_client_that_is_closed(running: Running) -> None:  # noqa: F811
    """All its calls say so, and none waits."""
    x, _ = golden(running.out)
    with pytest.raises(InputError, match=r"hosts: 3 is no file; give hosts.toml"):
        Cluster(running.out, 3)  # type: ignore[arg-type]
    with Cluster(running.out, running.hosts) as cluster:
        assert np.asarray(cluster.predict(x[:0])).shape == (0, 3)
        assert np.asarray(cluster.predict(x[:0], raw=True)).shape == (0, 3)
        cluster.predict(x[:2])
        with pytest.raises(InputError, match=r"^frames: give a list, an array or a generator of frames$"):
            next(cluster.stream(5))  # type: ignore[arg-type]
    cluster.close()
    calls: list[Callable[[], Any]] = [
        lambda: cluster.predict(x),
        lambda: next(cluster.stream(x)),
        lambda: next(cluster.answers([{"global_in": x[0]}])),
        lambda: cluster.throughput_test(1),
        cluster.latency,
    ]
    for call in calls:
        with pytest.raises(
            HostError, match=r"^the cluster is closed; open it again by Cluster\(out, hosts\)$"
        ):
            call()
