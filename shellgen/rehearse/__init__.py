# SPDX-License-Identifier: BSD-3-Clause
"""A cluster rehearsed live: one shellgen-node per node on this machine, each with its core in a simulator."""
