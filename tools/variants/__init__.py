# SPDX-License-Identifier: BSD-3-Clause
"""Rewritings of our scripts that Vivado accepts: `shellgen check` must refuse none of them."""
