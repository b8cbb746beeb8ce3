# SPDX-License-Identifier: BSD-3-Clause
"""Our own RTL for layers that FINN has as Vitis HLS only.

FINN generates C++ for these, which nothing but Vitis turns into Verilog. The blocks of ``ip/layers`` compute
the same; a wrapper gives them FINN's port names. What is ours is called so: modules begin with ``shellgen_``.
"""

from shellgen.stitch.own_layers.files import add_own_rtl
from shellgen.stitch.own_layers.kinds import KINDS, refusal
from shellgen.stitch.own_layers.layer import Layer, Port, from_description
from shellgen.stitch.own_layers.wrapper import OwnRtl, make_rtl

__all__ = ["KINDS", "Layer", "OwnRtl", "Port", "add_own_rtl", "from_description", "make_rtl", "refusal"]
