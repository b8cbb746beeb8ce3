# SPDX-License-Identifier: BSD-3-Clause
"""`make fuzz`: files of the kinds that shellgen reads, damaged at random, and what the commands say."""
