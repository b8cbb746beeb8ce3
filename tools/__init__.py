# SPDX-License-Identifier: BSD-3-Clause
"""Tools of the project itself; none of them is installed with shellgen."""
