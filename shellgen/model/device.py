# SPDX-License-Identifier: BSD-3-Clause
"""Xilinx parts by what RTL can tell apart: the die, and the generation of its DSP slices."""

from __future__ import annotations

import re

# Metadata of an ONNX in which `shellgen stitch` records the part that it built for; FINN records none.
PART = "shellgen_part"
DSP_SLICES = ("DSP48E1", "DSP48E2", "DSP58")  # oldest first

# What RTL can instantiate, and the first devices that have it; Vivado makes the older of newer slices (UG974,
# UG1344), and no other way round.
DSP_PRIMITIVES = {
    "DSP48E1": DSP_SLICES[0],
    "DSP48E2": DSP_SLICES[1],
    "DSP58": DSP_SLICES[2],
    "DSP58CPLX": DSP_SLICES[2],
    "DSPCPLX": DSP_SLICES[2],
    "DSPFP32": DSP_SLICES[2],
}

# The generation decides which DSP primitive FINN's RTL layers instantiate (their parameter VERSION).
_GENERATIONS = (
    (re.compile(r"x[acq]7"), DSP_SLICES[0]),
    (re.compile(r"x[acq]r?(k|v|zu|au|su|u\d)"), DSP_SLICES[1]),
    (re.compile(r"x[acq](v[cephmr]|2v[ec])\d"), DSP_SLICES[2]),
)


def dsp_of(part: str) -> str | None:
    """Return the DSP slice of a part: DSP48E1 (7 series), DSP48E2 (UltraScale and +), DSP58 (Versal).

    Source: UG479, UG579, AM004.
    """
    # Versal parts begin like UltraScale's Virtex but for a letter, so the last expression wins.
    found = [name for pattern, name in _GENERATIONS if pattern.match(part.lower())]
    return found[-1] if found else None


def die_of(part: str) -> str:
    """Return the device without package, speed and temperature: ``xc7z020`` of ``xc7z020clg400-1``."""
    word = part.lower().partition("-")[0]
    match = re.fullmatch(r"(x[acq]7[a-z]+\d+t?)[a-z]+\d+", word)  # 7 series: the package follows at once
    return match[1] if match else word
