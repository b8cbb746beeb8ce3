# SPDX-License-Identifier: BSD-3-Clause
"""Tcl scripts and constraints of the user that become part of a node's vendor project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from shellgen.model.base import Frozen
from shellgen.model.names import Digest, FileName
from shellgen.model.plain import JsonObject

FOLDER = "user"  # below the folder of the node
Moment = Literal["block_design", "synthesis", "bitstream"]


class UserFile(Frozen):
    """A file that cluster.toml names; it is copied into the output.

    Attributes:
        file: Its name, without folders.
        sha256: Of its bytes.
    """

    file: FileName
    sha256: Digest

    @property
    def path(self) -> str:
        """Relative to the folder of the node."""
        return f"{FOLDER}/{self.file}"


class TclHooks(Frozen):
    """Scripts by the moment at which they are sourced, in the given order.

    Attributes:
        block_design: The block design is connected and has its addresses; it is not validated yet.
        synthesis: In the run that synthesises the design, before its first command.
        bitstream: In the run that implements the design, before the bitstream is written.

    A platform refuses scripts for a moment that its flow does not have.
    """

    block_design: tuple[UserFile, ...] = ()
    synthesis: tuple[UserFile, ...] = ()
    bitstream: tuple[UserFile, ...] = ()


class HookOptions(Frozen):
    """Options of a platform that takes the user's scripts and constraints.

    Attributes:
        tcl: Scripts, by moment.
        constraints: XDC files of the project, for synthesis and implementation.
    """

    tcl: TclHooks = TclHooks()
    constraints: tuple[UserFile, ...] = ()

    def at(self, moment: Moment) -> tuple[UserFile, ...]:
        """Return the scripts of a moment."""
        scripts: tuple[UserFile, ...] = getattr(self.tcl, moment)
        return scripts

    @model_serializer(mode="wrap")
    def _without_hooks(self, handler: SerializerFunctionWrapHandler) -> JsonObject:
        """Leave both fields out where no file is named, so that plans without hooks stay as they are."""
        found = handler(self)
        absent = {"tcl"} if self.tcl == TclHooks() else set()
        absent |= set() if self.constraints else {"constraints"}
        return {name: value for name, value in found.items() if name not in absent}


def user_files(options: JsonObject) -> Iterator[UserFile]:
    """Yield the files that a node's options name, each once, in the order of their moments."""
    known = {name: options[name] for name in ("tcl", "constraints") if name in options}
    hooks = HookOptions.from_data(known, "plan.json", "options")
    tcl = hooks.tcl
    yield from dict.fromkeys((*tcl.block_design, *tcl.synthesis, *tcl.bitstream, *hooks.constraints))
