# SPDX-License-Identifier: BSD-3-Clause
"""shellgen: board shells for FINN networks that are spread over several FPGAs."""

__all__ = ["__version__"]

__version__ = "0.1.0"
