# SPDX-License-Identifier: BSD-3-Clause
"""A link and a platform as another package brings them; `tests/test_foreign.py` installs it."""
