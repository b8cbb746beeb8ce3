# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen init`: a first cluster.toml from a FINN build."""

from shellgen.init.placement import import_floorplan
from shellgen.init.start import Started, start_cluster

__all__ = ["Started", "import_floorplan", "start_cluster"]
