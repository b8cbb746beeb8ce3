# SPDX-License-Identifier: BSD-3-Clause
"""What a person looks at: the picture of a cluster, and report.html with every table behind it."""
