# SPDX-License-Identifier: BSD-3-Clause
"""Order of the folders that Python imports from: installed modules come before those of the caller.

A command runs this before it imports anything else, so it needs no module but two that Python has loaded.
"""

import os
import sys


def prefer_installed() -> None:
    """Move folders of PYTHONPATH and the current folder behind all others, unless this package is in them.

    A numpy.py or json.py in such a folder would be executed in place of the module.
    """
    own = os.path.realpath(__file__).rsplit(os.sep, 2)[0]
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    callers = {os.path.realpath(folder) for folder in (*folders, "")} - {own}

    def is_callers(folder: str) -> bool:
        return os.path.realpath(folder) in callers

    sys.path.sort(key=is_callers)  # which leaves equals in their order
