# SPDX-License-Identifier: BSD-3-Clause
"""Facts of IP: what Vivado's own files say of parameters, pins, interfaces and addresses."""
