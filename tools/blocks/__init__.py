# SPDX-License-Identifier: BSD-3-Clause
"""Tools for the blocks in ``ip/``: benches, proofs, costs, lint sets and pages."""
