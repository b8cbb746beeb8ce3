# SPDX-License-Identifier: BSD-3-Clause
"""``v++ --link`` without Vitis: kernels by their descriptions, compute units, streams, memory, clocks, SLRs.

A configuration file is judged against kernel.xml of each kernel, so no plan is needed. Source: UG1393, v++
linking options and RTL kernel XML file.
"""
