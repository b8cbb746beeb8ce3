# SPDX-License-Identifier: BSD-3-Clause
"""Mines facts of IP from what Vivado wrote into public repositories: `python -m tools.ip_facts --help`."""
