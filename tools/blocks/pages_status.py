# SPDX-License-Identifier: BSD-3-Clause
"""Measurements and proofs of a block, as its page shows them.

Costs are in ``ip/<block>/costs.toml`` (budgets.py), proofs in ``ip/<block>/formal.toml`` with what came of
them in ``ip/proofs.json`` (formal.py). A result counts only for the sources that it is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.blocks import formal
from tools.blocks.budgets import MOST_LEVELS, Budget, Tree, load, load_trees

NOT_PROVED = "not proved for this version"

__all__ = ["NOT_PROVED", "CostRow", "ProofRow", "cost_rows", "proof_rows", "settings", "summary"]


@dataclass(frozen=True)
class Figure:
    """A measured number beside the peer's and the goal; None where there is none to compare with."""

    ours: int
    peer: int | None
    goal: int | None

    @property
    def verdict(self) -> str:
        """Return ``over`` when the goal or the peer is better, ``within`` when neither is, else nothing."""
        limits = [limit for limit in (self.peer, self.goal) if limit is not None]
        return "" if not limits else "within" if self.ours <= min(limits) else "over"


@dataclass(frozen=True)
class CostRow:
    """A parameter set and its cost. Latency is in cycles, None without meaning; rate in beats per cycle."""

    name: str
    settings: str
    lut: Figure
    ff: Figure
    memory: str
    levels: Figure
    latency: int | None
    rate: float | None
    mhz: float | None
    peer: str

    @property
    def short(self) -> str:
        """Return the main figures in a few words."""
        memory = f", {self.memory}" if self.memory else ""
        return f"{self.lut.ours} LUT, {self.ff.ours} FF{memory}"


def cost_rows(path: Path) -> list[CostRow]:
    """Return the rows of a costs.toml, trees last; none when there is no such file.

    Raises:
        ValueError: A set is malformed; see `tools.blocks.budgets.load`.
    """
    if not path.is_file():
        return []
    return [*map(_row, load(path)), *map(_tree_row, load_trees(path))]


def settings(parameters: Mapping[str, Any], ties: Mapping[str, Any] | None = None, opens: Any = ()) -> str:
    """Return parameters, inputs that are constant and outputs left open, in one line."""
    parts = [f"{name}={value}" for name, value in parameters.items()]
    parts += [f"{name} tied to {value}" for name, value in (ties or {}).items()]
    parts += [f"{name} open" for name in opens]
    return ", ".join(parts)


@dataclass(frozen=True)
class ProofRow:
    """A proof and what came of it.

    Attributes:
        result: In words.
        verdict: ``within`` for all executions, ``bounded`` for those of some length, ``over`` for not proved.
        properties: What was proved, by the labels of the harness.
        paths: Combinational paths of the block, ``none``, or empty when they were not looked at.
    """

    name: str
    settings: str
    result: str
    verdict: str
    properties: tuple[str, ...]
    paths: str


def proof_rows(block: str, record: Mapping[str, Mapping[str, Any]] | None = None) -> list[ProofRow]:
    """Return the proofs of a block; none when there is no formal.toml.

    Args:
        block: Folder in ip/.
        record: In place of ip/proofs.json.
    """
    known = (formal.recorded() if record is None else record).get(block, {})
    rows = []
    for proof in formal.proofs(block):
        entry = known.get(proof.name)
        current = entry is not None and entry["digest"] == formal.digest(proof)
        result = entry["result"] if entry is not None and current else NOT_PROVED
        kind = result.split()[0].rstrip(",")
        words = {"bounded": f"{result} cycles", "paths": "compared with the netlist"}.get(kind, result)
        rows.append(
            ProofRow(
                name=proof.name,
                settings=settings({**proof.parameters, **proof.harness}),
                result=words,
                verdict="over" if not current else "bounded" if kind == "bounded" else "within",
                properties=tuple(entry["properties"]) if entry is not None and current else (),
                paths="" if proof.paths is None else ", ".join(proof.paths) or "none",
            )
        )
    return rows


def summary(rows: list[ProofRow]) -> str:
    """Return how many proofs hold, in a few words; empty without proofs."""
    if not rows:
        return ""
    count = {
        verdict: sum(row.verdict == verdict for row in rows) for verdict in ("within", "bounded", "over")
    }
    if count["over"] == len(rows):
        return NOT_PROVED
    words = {"within": "proved", "bounded": "bounded", "over": NOT_PROVED}
    return ", ".join(f"{count[verdict]} {word}" for verdict, word in words.items() if count[verdict])


def _tree_row(tree: Tree) -> CostRow:
    return CostRow(
        name=tree.name,
        settings="4 KiB each, as emitted",
        lut=Figure(tree.lut, None, None),
        ff=Figure(tree.ff, None, None),
        memory="",
        levels=Figure(tree.levels, None, MOST_LEVELS),
        latency=None,
        rate=None,
        mhz=tree.mhz,
        peer="",
    )


def _row(budget: Budget) -> CostRow:
    memory = [f"{budget.bram:g} BRAM"] if budget.bram else []
    memory += [f"{budget.uram} URAM"] if budget.uram else []
    chosen = settings(budget.parameters, budget.tie, budget.open)
    return CostRow(
        name=budget.name,
        settings=chosen if budget.family == "xc7" else f"{chosen}; {budget.family}",
        lut=Figure(budget.lut, budget.peer_lut, budget.goal_lut),
        ff=Figure(budget.ff, budget.peer_ff, budget.goal_ff),
        memory=", ".join(memory),
        levels=Figure(budget.levels, None, MOST_LEVELS),
        latency=budget.latency if budget.latency >= 0 else None,
        rate=budget.rate,
        mhz=budget.mhz,
        peer=budget.peer or "",
    )
