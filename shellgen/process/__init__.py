# SPDX-License-Identifier: BSD-3-Clause
"""Child processes that never outlive their parent, however it ends."""
