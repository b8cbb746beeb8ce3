# SPDX-License-Identifier: BSD-3-Clause
"""A TOML file to plain data, with every failure as a message."""

from __future__ import annotations

import tomllib
from pathlib import Path

from shellgen.errors import InputError, Problem


def read_toml(path: Path, where: str) -> dict[str, object]:
    """Read a TOML file.

    Args:
        path: The file.
        where: Its name in messages.

    Raises:
        InputError: It is missing, not readable, not UTF-8 or not TOML (with the line).
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(Problem(where, "there is no such file", "Check the path")) from None
    except OSError as error:
        raise InputError(Problem(where, f"cannot be read: {error.strerror}", "Check the path")) from None
    except UnicodeDecodeError:
        raise InputError(Problem(where, "is not a text in UTF-8", "Save it as UTF-8")) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(Problem(where, f"is not TOML: {error}", "Correct that line")) from None
