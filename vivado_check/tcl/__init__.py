# SPDX-License-Identifier: BSD-3-Clause
"""Scripts in a real Tcl interpreter, in a sandbox."""
