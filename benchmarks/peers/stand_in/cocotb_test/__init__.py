# SPDX-License-Identifier: BSD-3-Clause
"""Stands where verilog-axis' tests expect the package cocotb-test, and runs them on our blocks."""
