# SPDX-License-Identifier: BSD-3-Clause
"""What Vivado would find after minutes, or never: scripts run against a record, facts and rules.

Four parts, apart: `tcl/` runs a script in a real Tcl interpreter, in a sandbox; `record/` writes down what
it asks for and knows no IP; `ip/` holds facts of IP, mined from what Vivado wrote; `rules/` judges.
"""
