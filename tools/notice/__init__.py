# SPDX-License-Identifier: BSD-3-Clause
"""NOTICE: where data came from that was mined from public projects."""
