# SPDX-License-Identifier: BSD-3-Clause
"""What runs inside the FINN environment. Imports finn and qonnx, and nothing of shellgen."""
