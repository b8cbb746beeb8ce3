# SPDX-License-Identifier: BSD-3-Clause
"""Templates of links, also from other packages: an error names the template file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from shellgen.errors import PluginError, Problem


@contextmanager
def told_by_file(template: str) -> Iterator[None]:
    """Convert a Jinja error in ``templates/<template>`` to an error of the plug-in.

    Raises:
        PluginError: The template is missing or malformed, or uses an undefined name.
    """
    try:
        yield
    except Exception as error:
        from jinja2 import TemplateError  # noqa: PLC0415 - most commands render nothing

        if not isinstance(error, TemplateError):
            raise
        said = f"{type(error).__name__}: {error.message or error}"
        remedy = "Correct the template, or tell the authors of the link"
        raise PluginError(Problem(f"templates/{template}", said, remedy)) from error
