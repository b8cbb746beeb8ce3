# SPDX-License-Identifier: BSD-3-Clause
"""Processes that the kernel confines: Landlock, seccomp, namespaces and resource limits.

Nothing but the standard library is imported in this package. `host` is the process in which scripts run: a
Python without the environment of the caller that has loaded Tcl's library, forks for every script, and gives
up all rights before the first line is evaluated. `worker` runs a function in a process that may only read.
"""
