# SPDX-License-Identifier: BSD-3-Clause
"""Faults of FINN's RTL that stop the hardware, repaired in what stitch writes.

Unlike `shellgen.hdl_fixes` these change the hardware's behaviour, so a user's own build is left as it is.
"""

from __future__ import annotations

import re

_WINDOWS = re.compile(r".*ConvolutionInputGenerator.*\.sv")


def repaired(name: str, text: str) -> str:
    """Return the text of a source file without the faults that are known in it."""
    return _room_for_address(text) if _WINDOWS.fullmatch(name) else text


def _room_for_address(text: str) -> str:
    """One bit more for the address of the next window.

    Behind the last window of a depthwise layer it is the number of words in a frame, or more. Where that is
    a power of two it turned negative, no word seemed free any more, and the generator hung before the
    last word of the frame: images of 2^n pixels whose channels come in 2^m groups.
    """
    return text.replace(
        "[$clog2(LAST_READ_ELEM+1)+1-1:0]  First_elem_next_window",
        "[$clog2(LAST_READ_ELEM+1)+2-1:0]  First_elem_next_window",
    )
