# SPDX-License-Identifier: BSD-3-Clause
"""Share of mistakes in generated scripts that `shellgen check` finds: single ones, drawn at random."""
