# SPDX-License-Identifier: BSD-3-Clause
"""Plan to artifacts. A report takes the memory map from here without loading cores and bench."""
