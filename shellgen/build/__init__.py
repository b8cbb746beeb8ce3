# SPDX-License-Identifier: BSD-3-Clause
"""Runs the vendor builds of all nodes of an output folder: `shellgen build`."""
