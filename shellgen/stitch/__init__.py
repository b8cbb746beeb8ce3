# SPDX-License-Identifier: BSD-3-Clause
"""FINN partitions without Vivado: FINN generates the RTL of each layer, shellgen connects the layers.

FINN runs in its own virtual environment (`ensure_finn_env`) and runs in a subprocess; this package
never imports it.
"""

from shellgen.stitch.build import PARENT, FoldableLayer, build_files, list_layers, stitch_model
from shellgen.stitch.config import StitchConfig, load_config
from shellgen.stitch.environment import check_finn_env, default_folder, ensure_finn_env
from shellgen.stitch.kept import code, is_whole
from shellgen.stitch.survey import survey_layers

__all__ = [
    "PARENT",
    "FoldableLayer",
    "StitchConfig",
    "build_files",
    "check_finn_env",
    "code",
    "default_folder",
    "ensure_finn_env",
    "is_whole",
    "list_layers",
    "load_config",
    "stitch_model",
    "survey_layers",
]
