# SPDX-License-Identifier: BSD-3-Clause
"""Writing so that a kill at any moment leaves the old or the new: locks, changes to folders, single files."""
