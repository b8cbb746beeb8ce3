# SPDX-License-Identifier: BSD-3-Clause
"""The vendor build of a node as its platform defines it: commands, requirements and products."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, PositiveInt

from shellgen.model.base import Frozen
from shellgen.model.names import FilePath, Line, Name, Word


class Setting(Frozen):
    """A setting of a build that no plan contains, such as the folder of external sources on this machine.

    Attributes:
        name: The user gives it as ``--set <name>=<value>``; a folder also by the environment variable.
        about: What it is, in a few words.
        words: What it adds to the command; ``{}`` stands for the value. Without a value they are left out.
        default: Value where the user gives none.
        required: The stage cannot run without a value.
        folder: It is a folder of this machine: it must be there, and where it lies is no input.
        neutral: What comes of the stage is the same whatever the value, as with a number of jobs.
        number: It is a whole number from 1.
    """

    name: Name
    about: Line
    words: Annotated[tuple[Line, ...], Field(min_length=1)]
    default: Line = ""
    required: bool = False
    folder: bool = False
    neutral: bool = False
    number: bool = False


class OtherProducts(Frozen):
    """Products of a stage that replace the usual ones if a setting requires it.

    Attributes:
        setting: Name of the setting.
        word: One of the words of its value.
        products: As those of the stage.
    """

    setting: Name
    word: Line
    products: tuple[FilePath, ...]


class Stage(Frozen):
    """One command of a node's build, run once what comes before it has succeeded.

    A stage is done when it ended with exit code 0, its products are there, and neither command nor inputs
    have changed since. A stage that is run again must therefore survive what an earlier run left.

    Attributes:
        name: A word for the table and for ``build.json``.
        command: Program and arguments; it reads nothing from the terminal and ends by itself.
        folder: Where it runs, below the node's folder.
        products: Files that it makes, below the node's folder. A stage whose files lie elsewhere has none and
            is run whenever a later one is.
        others: What it makes instead with some settings.
        inputs: Generated files of the node on which it depends, as patterns in which ``*`` also stands for
            ``/``; what earlier stages make is an input anyway.
        tools: Programs that must be on PATH.
        memory: Bytes that it is expected to take at its peak.
        settings: What else must be known.
        logs: Logs of the tools besides what they print, as patterns below the node's folder. Messages are
            counted in these too, so they must not repeat what is printed.
        alone: Name of a setting: a folder in which only one stage of any build may work at once.
    """

    name: Word
    command: Annotated[tuple[Line, ...], Field(min_length=1)]
    folder: FilePath
    products: tuple[FilePath, ...] = ()
    others: tuple[OtherProducts, ...] = ()
    inputs: Annotated[tuple[Line, ...], Field(min_length=1)] = ("*",)
    tools: tuple[Line, ...] = ()
    memory: PositiveInt
    settings: tuple[Setting, ...] = ()
    logs: tuple[Line, ...] = ()
    alone: Name | None = None

    def for_values(self, values: Mapping[str, str]) -> Stage:
        """Return the stage with the products that it has for these settings."""
        found = (one for one in self.others if one.word in values.get(one.setting, "").split())
        products = next((one.products for one in found), self.products)
        return self.model_copy(update={"products": products, "others": ()})
