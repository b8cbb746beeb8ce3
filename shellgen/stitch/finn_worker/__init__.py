# SPDX-License-Identifier: BSD-3-Clause
"""Code that runs inside the FINN environment. It imports finn and qonnx, and nothing from shellgen."""
