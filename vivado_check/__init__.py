# SPDX-License-Identifier: BSD-3-Clause
"""Checks of Vivado's Tcl scripts without Vivado: scripts run against a record, facts of IP and rules.

Four parts, apart: `tcl/` runs a script in a real Tcl interpreter, in a sandbox; `record/` writes down what
it asks for and knows no IP; `ip/` holds facts of IP, mined from what Vivado wrote; `rules/` judges.
`api.py` has the names that other programs and rules of other packages use.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
