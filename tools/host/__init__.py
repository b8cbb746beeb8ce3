# SPDX-License-Identifier: BSD-3-Clause
"""Tools for the programs of host/."""
