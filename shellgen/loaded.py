# SPDX-License-Identifier: BSD-3-Clause
"""A plan and what belongs to it: from the cache, if everything that decides it is as it was, or a new one.

Reading a build and planning takes most of the time of a command, and commands follow each other: ``plan``,
``generate``, ``estimate``. An edit of any file that was read, of the names in a folder that was searched, of
shellgen itself or of the packages beside it makes another plan.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from shellgen.cache.folders import digest
from shellgen.cache.heard import heard, say_again
from shellgen.cache.loads import Kept, find, keep
from shellgen.cache.own import has_plugins, own, surroundings
from shellgen.model import Artifact, Board, Plan
from shellgen.model.base import Frozen
from shellgen.progress import step
from vivado_check.formats.files import StrPath
from vivado_check.formats.looks import NOTHING_SEEN, recording

if TYPE_CHECKING:
    from shellgen.read.cluster import Cluster

_DIGEST = "sha256 of plan.json"
RecordT = TypeVar("RecordT", bound=Frozen)


@dataclass(frozen=True)
class Loaded:
    """A plan and what belongs to it.

    Attributes:
        plan: The plan.
        advice: What is legal and should be known: a sentence each.
        host_models: Operators of the model that no board executes, as ONNX by file name.
        files: Content of every file that the plan refers to, by sha256; empty if only the plan was asked for.
    """

    plan: Plan
    advice: list[str]
    host_models: dict[str, bytes]
    files: dict[str, bytes]


def loaded(cluster: StrPath | Cluster, *, overfull: bool = False, files: bool = True) -> Loaded:
    """Return the plan of a cluster.toml; errors are those of `shellgen.api.load`.

    Args:
        cluster: Path of cluster.toml, or its text.
        overfull: Boards may have fewer resources than their part takes, as with ``fit = "warn"``.
        files: Whether the files are needed.
    """
    # The text of a cluster is in no file, and a package with links or platforms of its own may read anything.
    if not isinstance(cluster, str | os.PathLike) or has_plugins():
        return _made(cluster, overfull=overfull)
    key = _key(cluster, overfull=overfull)
    if (kept := find(key, files=files)) and (found := _restored(kept)):
        step("planning", "as before")
        return found
    with recording() as looks, heard() as said:
        made = _made(cluster, overfull=overfull, own=partitions_key())
    record = looks.record()
    if record is not None:
        models = {_sha256(content): content for content in made.host_models.values()}
        told = _Told(
            advice=tuple(made.advice),
            said=tuple(said),
            boards=tuple(node.board.where for node in made.plan.nodes),
            host_models={name: _sha256(content) for name, content in made.host_models.items()},
        )
        content = made.plan.to_json().encode()
        made.plan.kept(_DIGEST, lambda: _sha256(content))
        keep(key, record, Kept(content, made.files | models, told.model_dump_json()))
    return made


def of_plan(plan: Plan, name: str, record: type[RecordT], make: Callable[[], RecordT]) -> RecordT:
    """Return what follows from a plan alone, from the cache if it was made before.

    Args:
        plan: The plan.
        name: Of what follows, with all else that decides it.
        record: Its type.
        make: Makes it.
    """
    if has_plugins():
        return make()
    key = digest([name, _plan_digest(plan), *own()])
    if kept := find(key, files=False):
        with suppress(ValueError):
            return record.model_validate_json(kept.told)
    made = make()
    keep(key, NOTHING_SEEN, Kept(b"", {}, made.model_dump_json()))
    return made


def artifacts_of(plan: Plan, make: Callable[[], tuple[Artifact, ...]]) -> tuple[Artifact, ...]:
    """Return the files of a plan, from the cache if they were made before; they follow from the plan alone.

    Args:
        plan: The plan.
        make: Makes them.
    """
    if has_plugins():
        return make()
    key = digest(["artifacts", _plan_digest(plan), *own()])
    if kept := find(key):
        with suppress(ValueError, KeyError):
            known = _Artifacts.model_validate_json(kept.told).files
            return tuple(Artifact(path, kept.files[sha256], fixes) for path, sha256, fixes in known)
    made = make()
    contents = {one.sha256: one.content for one in made}
    known = tuple((one.path, one.sha256, one.fixes) for one in made)
    keep(key, NOTHING_SEEN, Kept(b"", contents, _Artifacts(files=known).model_dump_json()))
    return made


def _plan_digest(plan: Plan) -> str:
    return plan.kept(_DIGEST, lambda: _sha256(plan.to_json().encode()))


def _made(cluster: StrPath | Cluster, *, overfull: bool, own: str = "") -> Loaded:
    from shellgen.system import advice, load  # noqa: PLC0415 - a plan that is kept needs no package that reads

    plan, network, files = load(cluster, overfull=overfull, own=own)
    return Loaded(plan, advice(plan, network), dict(network.host_models), files)


def _restored(kept: Kept) -> Loaded | None:
    """Return what was kept, and say again what was said; None if this shellgen cannot read it."""
    try:
        plan = Plan.model_validate_json(kept.plan)
        told = _Told.model_validate_json(kept.told)
        boards: dict[tuple[str, str], Board] = {}  # nodes with equal boards share one
        nodes = []
        for node, where in zip(plan.nodes, told.boards, strict=True):
            board = boards.setdefault((node.board.model_dump_json(), where), node.board.read_from(where))
            nodes.append(node.model_copy(update={"board": board}))
        files = dict(kept.files)
        models = {name: files[sha256] for name, sha256 in told.host_models.items()} if files else {}
    except (ValueError, KeyError):
        return None
    say_again(told.said)
    plan = plan.model_copy(update={"nodes": tuple(nodes)})
    plan.kept(_DIGEST, lambda: _sha256(kept.plan))
    return Loaded(plan, list(told.advice), models, files)


class _Told(Frozen):
    """Advice, warnings with their loggers, and where boards were read: all beside plan and files."""

    advice: tuple[str, ...]
    said: tuple[tuple[str, str], ...]
    boards: tuple[str, ...]
    host_models: dict[str, str]


class _Artifacts(Frozen):
    """Path, sha256 and fixes of each artifact."""

    files: tuple[tuple[str, str, tuple[str, ...]], ...]


def partitions_key() -> str:
    """Return what decides how a partition is read: paths may begin in the current folder."""
    return digest([str(Path.cwd()), *own()])


def _key(cluster: StrPath, *, overfull: bool) -> str:
    """Return a digest of all that decides a plan and is in no file that is looked at while it is made."""
    return digest([str(cluster), str(overfull), *surroundings(), *own()])


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
