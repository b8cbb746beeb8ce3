# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a cluster, and report.html with every table behind it."""

REPORT = "report.html"
