# SPDX-License-Identifier: BSD-3-Clause
"""How many mistakes in our scripts `shellgen check` sees: single ones, drawn blindly, and scored."""
