# SPDX-License-Identifier: BSD-3-Clause
"""The versions of Coyote, and which one builds a node."""

from __future__ import annotations

from shellgen.model import NodePlan
from shellgen.platforms.coyote.facts import VersionName, facts_of, options_of
from shellgen.platforms.coyote.streams import ENGINE
from shellgen.platforms.coyote.v1 import V1
from shellgen.platforms.coyote.v2 import V2
from shellgen.platforms.coyote.version import Version

VERSIONS: dict[VersionName, Version] = {version.name: version for version in (V2(), V1())}


def version_name(node: NodePlan) -> VersionName:
    """Return what builds a node: as cluster.toml says, as its links need, or the newest that the card has."""
    engine = any(one.dock == ENGINE for one in node.attachments)
    return options_of(node).version or ("v1" if engine else facts_of(node).versions[0])


def version_of(node: NodePlan) -> Version:
    """Return the version of Coyote that builds a node."""
    return VERSIONS[version_name(node)]
