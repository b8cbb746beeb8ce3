# SPDX-License-Identifier: BSD-3-Clause
"""Surroundings of a session that no script states: installed board files, a run that fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Packager:
    """Differences between releases of the packager.

    Attributes:
        infers_maps: Whether an AXI-Lite slave gets a memory map by itself.
        leaves_out: Types of files that it does not take along.
        blind_to: Interfaces that it does not find.
        writes: Whether it leaves component.xml; likewise package_xo its file.
    """

    infers_maps: bool = True
    leaves_out: tuple[str, ...] = ()
    blind_to: frozenset[str] = frozenset()
    writes: bool = True
    writes_xo: bool = True


@dataclass(frozen=True)
class Scenario:
    """The world around a session.

    Attributes:
        board_parts: Board files that are installed (``vendor:board:part0:version``), None for all that a
            script may ask for; likewise boards (``vendor:board:version``), which not every release lists.
        connections: What ``board_connections`` takes (``vendor:board:connector:version``), None for all.
        user_ip: IP that repositories hold besides what is found in their folders, with SUPPORTS_MODREF
            (None: a release that has no such property).
        slack: Worst slacks that implementation reaches, in ns.
        failing_run: Run that fails, or empty.
        environment: What the script finds in ``env``, besides what the sandbox gives.
        log: Messages that a run reports, by run: ``(identity, text)``, critical warnings unless a rule of the
            run's own process makes them errors.
        silent_runs: Runs that leave no log.
        reports: Identities of the critical warnings that a command reports when it is first called.
        stops: Whether a command fails when a message of its own has become an error, which no document
            promises.
        derives: Parameters that validation changes, whether set by the script or not.
        packager: How the packager behaves.
    """

    board_parts: tuple[str, ...] | None = None
    boards: tuple[str, ...] | None = None
    connections: tuple[str, ...] | None = None
    user_ip: Mapping[str, str | None] = field(default_factory=dict)
    slack: Mapping[str, str] = field(default_factory=lambda: {"WNS": "0.312", "WHS": "0.021"})
    failing_run: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    log: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    silent_runs: frozenset[str] = frozenset()
    reports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stops: bool = True
    derives: Mapping[str, str] = field(default_factory=dict)
    packager: Packager = Packager()


@dataclass
class MessageRules:
    """Rules and counters of messages of one process.

    Attributes:
        severity: New severity by identity.
        counts: How often each was reported.
        told: Commands that have reported theirs already.
    """

    severity: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    told: set[str] = field(default_factory=set)
