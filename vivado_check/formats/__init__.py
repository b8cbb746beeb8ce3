# SPDX-License-Identifier: BSD-3-Clause
"""Bytes of a foreign file to plain data: one place for each format bounds size, type and shape.

Whatever the bytes are, the answer is data within these bounds or an `InputError`. What the data mean is
up to the caller.
"""
