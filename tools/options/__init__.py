# SPDX-License-Identifier: BSD-3-Clause
"""Every option of every platform through `generate` and `check`: what we write ourselves is never refused."""
