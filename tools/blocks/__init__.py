# SPDX-License-Identifier: BSD-3-Clause
"""The workshop of the blocks in ``ip/``: benches, proofs, prices, lint sets and pages."""
