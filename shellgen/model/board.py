# SPDX-License-Identifier: BSD-3-Clause
"""A board as data: one TOML file each in ``boards/``."""

from __future__ import annotations

from typing import Self, TypeVar

from pydantic import Field, NonNegativeInt, PositiveInt, PrivateAttr, field_validator

from shellgen.errors import InputError
from shellgen.model.base import Frozen
from shellgen.model.names import Line, Pattern, Word
from shellgen.model.plain import JsonObject

FactsT = TypeVar("FactsT", bound=Frozen)


class Resources(Frozen):
    """Resources of the whole device."""

    lut: PositiveInt
    ff: PositiveInt
    bram18: PositiveInt
    uram: NonNegativeInt
    dsp: PositiveInt


class Board(Frozen):
    """A card that a node can be.

    Attributes:
        name: The word used in cluster.toml and the file's stem.
        title: As the vendor writes it.
        platform: What each platform that can build it must know of it, by the platform's kind; read by the
            platform alone.
        part: Xilinx part.
        board_parts: Vivado board_part patterns, best first; ``*`` stands for the file version.
        board_connections: Vivado board_connections property (carrier of a SOM) as patterns, best first:
            ``<connector> <vendor>:<carrier>:<connector>:*``, once for each connector; ``*`` stands for the
            newest version that is installed.
        clock_hz: Default clock of the core.
        most_clock_hz: Most of a global clock at the device's speed grade, by its data sheet; None if it is
            not known. It is in no plan, whose clocks are possible.
        resources: Of the device.
        sources: Where each group of facts comes from.
    """

    name: Word
    title: Line
    platform: dict[Word, JsonObject]
    part: Word
    board_parts: tuple[Pattern, ...]
    board_connections: tuple[Line, ...] = ()
    clock_hz: PositiveInt
    most_clock_hz: PositiveInt | None = Field(default=None, exclude=True)
    resources: Resources
    sources: dict[Line, Line]

    @field_validator("platform")
    @classmethod
    def _on_something(cls, value: dict[Word, JsonObject]) -> dict[Word, JsonObject]:
        if not value:
            raise ValueError("expected a table for each platform that can build the board")
        return value

    # No field: the same board is the same plan wherever its file lies.
    _origin: str = PrivateAttr("")
    _remedy: str = PrivateAttr("")

    @property
    def where(self) -> str:
        """Its file, for messages."""
        return self._origin or f"boards/{self.name}.toml"

    def read_from(self, where: str, remedy: str = "") -> Self:
        """Return the same board with the name that messages give its file, and a remedy for it."""
        board = self.model_copy()
        board._origin, board._remedy = where, remedy
        return board

    def facts(self, kind: str, model: type[FactsT]) -> FactsT:
        """Return what one of its platforms must know of it.

        Raises:
            InputError: With one problem for each field that the platform's record does not take.
        """
        return self.kept(f"facts {kind} {id(model)}", lambda: self._facts(kind, model))

    def _facts(self, kind: str, model: type[FactsT]) -> FactsT:
        try:
            return model.from_data(self.platform[kind], self.where, f"platform.{kind}")
        except InputError as error:
            raise error.advising(self._remedy) if self._remedy else error from None

    def on(self, kind: str, facts: Frozen) -> Self:
        """Return the same board for one of its platforms, with all that this platform knows of it.

        Nodes with equal boards share one, so that its facts are read once.
        """
        boards = self.kept(f"boards on {kind}", list[tuple[Frozen, Self]])
        known = next((board for of, board in boards if of is facts), None)
        if known is None:
            known = self.model_copy(update={"platform": {kind: facts.model_dump(mode="json")}})
            boards.append((facts, known))
        return known

    def __eq__(self, other: object) -> bool:
        """Compare what the files say, not where they lie."""
        return isinstance(other, Board) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        """Agree with the comparison."""
        return hash(self.name)
