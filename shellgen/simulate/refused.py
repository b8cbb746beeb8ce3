# SPDX-License-Identifier: BSD-3-Clause
"""A generated file that a simulator refuses is a fault of the generator, never of its user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from shellgen.errors import InternalError, RefusedSourceError

REPORT = (
    "Please report it to shellgen, or to the authors of the link or platform if it is another package's; "
    "the folder is kept, attach that file"
)


@contextmanager
def refused_is_ours(edited: bool) -> Iterator[None]:
    """Turn the refusal of a generated source into an internal error.

    Args:
        edited: The files may differ from the generated ones: then the error is the user's.

    Raises:
        InternalError: A simulator refuses a file that is as it was generated.
    """
    try:
        yield
    except RefusedSourceError as error:
        if edited:
            raise
        raise InternalError(*(replace(one, remedy=REPORT) for one in error.problems)) from error
