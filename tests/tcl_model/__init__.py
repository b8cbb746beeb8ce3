# SPDX-License-Identifier: BSD-3-Clause
"""A model of the part of Vivado that our scripts use, driven by a real Tcl interpreter.

It knows the IP (`catalogue`, `ps`), what may be connected and addressed (`design`, `rules`), and what a
project run leaves on disk (`project`). It knows no templates and no plan, so it can move into shellgen.
"""

from .interpreter import Outcome, run_script
from .project import ModelError
from .vivado import Vivado

__all__ = ["ModelError", "Outcome", "Vivado", "run_script"]
