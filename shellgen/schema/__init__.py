# SPDX-License-Identifier: BSD-3-Clause
"""JSON Schemas of the files that users write, for the completion and the checks of their editors."""

from shellgen.schema.files import SCHEMAS

__all__ = ["SCHEMAS"]
