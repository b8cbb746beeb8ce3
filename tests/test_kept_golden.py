# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors that are kept: computed again for another network, and for nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import onnx
import pytest
from test_kept_partitions import answer, here, made  # noqa: F401 - fixtures
from test_loaded import CLUSTER, LINK

from shellgen import loaded, system
from shellgen.golden import kept, make_golden
from shellgen.read.finn_onnx import FinnModel

# All of a partition that the key has.
FIELDS = ("name", "junction", "copy_of", "lost_weights", "streams", "inputs", "outputs", "takes_turns")


class Counted:
    """Counts the proofs that are computed."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, *args: Any) -> Any:
        self.count += 1
        return make_golden(*args)


@pytest.fixture
def proofs(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(kept, "make_golden", counted)
    return counted


def test_another_cluster_of_the_same_network(here: Path, proofs: Counted) -> None:  # noqa: F811
    first = answer(lambda: loaded.loaded(here))
    here.write_text(CLUSTER.replace('"b"', '"c"') + LINK + "depth = 64\n")
    again = answer(lambda: loaded.loaded(here))
    assert proofs.count == 1
    assert again[0] != first[0]
    assert again == answer(lambda: system.load(here))


@pytest.mark.parametrize("edit", ["model", "another shellgen"])
def test_another_network(
    here: Path,  # noqa: F811
    proofs: Counted,
    monkeypatch: pytest.MonkeyPatch,
    edit: str,
) -> None:
    loaded.loaded(here)
    if edit == "model":
        path = here.parent / "build/partition_0.onnx"
        model = onnx.load(str(path))
        values = next(one for one in model.graph.initializer if len(one.raw_data) > 8)
        values.raw_data = values.raw_data[8:] + values.raw_data[:8]
        path.write_bytes(model.SerializeToString(deterministic=True))
    else:
        monkeypatch.setattr(loaded, "partitions_key", lambda: edit)
    again = answer(lambda: loaded.loaded(here))
    assert proofs.count == 2
    assert again == answer(lambda: system.load(here))


def test_vectors_of_the_user_are_never_kept(here: Path, proofs: Counted) -> None:  # noqa: F811
    plan, _, files = system.load(here)
    count = proofs.count
    assert plan.golden
    sent, made_ = (files[one.sha256] for one in plan.golden.vectors)
    (here.parent / "in.npy").write_bytes(sent)
    (here.parent / "out.npy").write_bytes(made_)
    here.write_text(CLUSTER + LINK + '[verify]\ninput = "in.npy"\noutput = "out.npy"\n')
    first = answer(lambda: loaded.loaded(here))
    assert "of [verify], and the model's ONNX agrees" in first[0]
    assert answer(lambda: loaded.loaded(here)) == first
    assert proofs.count == count


def test_the_key_has_all_that_is_read(here: Path) -> None:  # noqa: F811
    """A plan with nothing else gives the same proof; code that reads more must extend the key."""
    found = system.read_system(here)
    parts = [
        SimpleNamespace(**{field: getattr(one, field) for field in FIELDS}) for one in found.plan.partitions
    ]
    least: Any = SimpleNamespace(epoch=1, partitions=tuple(parts), boundaries=found.plan.boundaries)
    given: Any = (found.network.models, found.weights, {})
    assert make_golden(least, *given) == make_golden(found.plan, *given)


def test_values_in_other_files_are_not_kept(here: Path, proofs: Counted) -> None:  # noqa: F811
    found = system.read_system(here)
    models = dict(found.network.models)
    name, model = next((name, one) for name, one in models.items() if isinstance(one, FinnModel))
    initialisers = dict(model.initialisers)
    unused = onnx.TensorProto()
    unused.data_location = onnx.TensorProto.EXTERNAL
    initialisers["unused"] = unused
    models[name] = replace(model, initialisers=initialisers)
    for _ in range(2):
        kept.kept_golden(found.plan, models, found.weights, "own")
    assert proofs.count == 2
    for _ in range(2):
        kept.kept_golden(found.plan, found.network.models, found.weights, "own")
    assert proofs.count == 3


def test_a_digest_tells_models_apart(here: Path) -> None:  # noqa: F811
    models = [one for one in system.read_system(here).network.models.values() if isinstance(one, FinnModel)]
    model = models[0]
    others = [
        *models[1:],
        replace(model, nodes=model.nodes[:-1]),
        replace(model, inputs=()),
        replace(model, outputs=()),
        replace(model, tensors={}),
        replace(model, metadata={"a": "b"}),
        replace(model, initialisers={}),
    ]
    assert len({one.digest() for one in (model, *others)}) == 1 + len(others)
    assert replace(model, path=Path("elsewhere.onnx")).digest() == model.digest()
