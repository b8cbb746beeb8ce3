# SPDX-License-Identifier: BSD-3-Clause
"""A module without tests."""
