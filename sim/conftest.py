# SPDX-License-Identifier: BSD-3-Clause
"""The bench runs inside a simulator: pytest, in a folder above, must not take it for tests of its own."""

collect_ignore_glob = ["*"]
