# SPDX-License-Identifier: BSD-3-Clause
"""Checks of an output folder: the scripts of each node by `vivado_check`, and rules about the plan.

`expected.py` hands over what the plan knows of a node; `rules/` holds the rules about the plan itself.
"""
