# SPDX-License-Identifier: BSD-3-Clause
"""Atomic writes that survive a kill at any time: locks, changes to folders, single files."""
