# SPDX-License-Identifier: BSD-3-Clause
"""Fixes of FINN's RTL that standards and simulators require; none of them changes the hardware's behaviour.

One list for whatever reads or writes such RTL: `shellgen.read` fixes every build, `shellgen.stitch` what it
packages. Because nothing changes in hardware, Vivado gets the same files. A change of behaviour has no place
here. A text that lacks the passage is left alone: other versions of FINN have other faults.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

_LEAF_LOADS = re.compile(
    r"[ \t]*typedef int unsigned  leaf_load_t\[.*?endfunction : init_leaf_loads\n", re.DOTALL
)
_PAD_CONSTANTS = re.compile(
    r"\t\ttypedef logic \[SIMD-1:0\]\[ELEM_WIDTH-1:0\]  fold_t;\n"
    r"|\t\tlocalparam int unsigned  NUM_PHASES = .*\n"
    r"|\t\tlocalparam int unsigned  FOLDS_PER_TOKEN = (?:.*\n)+?.*endfunction : INIT_CNT_WRAP\n"
    r"|\t\ttypedef fold_t  pad_folds_t(?:.*\n)+?.*endfunction\n"
)
_PAD_PIECES = 4
_RANK = re.compile(r"(int unsigned  (?:\w+_SHAPE|DIMS|COEFS|ig_dims_t))\[(?:NDIMS|D)\]")
_MOST_RANK = 8
_SHORTREAL_BITS = """\
\t// The bits of a shortreal in its normal range; rounds to the nearest, to even in the middle.
\tfunction automatic bit [31:0] shortreal_bits(input real value);
`ifdef VERILATOR
\t\tautomatic bit [63:0]  d = $realtobits(value);
\t\tautomatic bit [30:0]  m = { 8'(d[62:52] - 11'd896), d[51:29] };
\t\treturn  d[62:0] == 0? { d[63], 31'd0 } : { d[63], m + 31'(d[28] && (|d[27:0] || d[29])) };
`else
\t\treturn  $shortrealtobits(shortreal'(value));
`endif
\tendfunction : shortreal_bits
"""
_WATCHDOG = re.compile(r"([ \t]*if\(1\) begin : blkRecoveryWatch\n.*?end : blkRecoveryWatch\n)", re.DOTALL)


def _hoist_constant_function(text: str) -> str:
    match = _LEAF_LOADS.search(text)
    before = "\tlocalparam int unsigned  L = $clog2(N);"
    if match is None or before not in text:
        return text
    without = text[: match.start()] + text[match.end() :]
    return without.replace(before, match[0] + before, 1)


def _pack_struct(text: str) -> str:
    return re.sub(r"typedef struct (?=\{[^}]*\}\s*abits_t)", "typedef struct packed ", text)


def _pack_captures(text: str) -> str:
    return text.replace("typedef struct {", "typedef struct packed {")


def _name_of_parameter(text: str) -> str:
    return text.replace("FIFO_CORE '%s'\", FIFO_CORE)", "FIFO_CORE '%s'\", fifo_core)")


def _give_argument(text: str) -> str:
    return text.replace(
        'FEED_STAGES exceeds SRL capacity.")', 'FEED_STAGES exceeds SRL capacity.", FEED_STAGES)'
    )


def _pack_pattern(text: str) -> str:
    return text.replace(
        "logic [$clog2(SIMD)-1:0]  rotidx_vec_t[SIMD-1:0];",
        "logic [SIMD-1:0][$clog2(SIMD)-1:0]  rotidx_vec_t;",
    )


def _fix_rank(text: str) -> str:
    """Give the arrays of sizes in ``where`` and ``input_gen`` eight places, of which the first are used."""
    text = _RANK.sub(rf"\1[{_MOST_RANK}]", text)
    return re.sub(r"(automatic ig_dims_t  [cd]);", r"\1 = '{ default: 1 };", text)


def _fill_rank(text: str) -> str:
    def fill(match: re.Match[str]) -> str:
        sizes = [size.strip() for size in match[2].split(",")]
        return f"{match[1]}'{{ {', '.join(sizes + ['1'] * (_MOST_RANK - len(sizes)))} }}"

    return re.sub(r"(_SHAPE\()'\{([\d ,]*)\}", fill, text)


def _hoist_padding_functions(text: str) -> str:
    """Move what the two functions of ``pad1d`` need, and themselves, in front of the generate block."""
    blocks = [match[0] for match in _PAD_CONSTANTS.finditer(text)]
    before = "\tif(PAD_LEFT_TOKENS + PAD_RIGHT_TOKENS == 0) begin : genTrivial"
    if len(blocks) != _PAD_PIECES or before not in text:
        return text
    for block in blocks:
        text = text.replace(block, "", 1)
    blocks[-1] = blocks[-1].replace(
        "fold_t  pad_folds_t[2**(1 + CNT_WIDTH)];", "fold_t [2**(1 + CNT_WIDTH)-1:0]  pad_folds_t;"
    )
    return text.replace(before, "".join(blocks) + "\n" + before, 1)


def _real_bits(text: str) -> str:
    """Let Verilator, which has no ``shortreal``, round a ``real`` by itself; others see the original call."""
    text = text.replace("typedef struct {", "typedef struct packed {")
    text = text.replace("params_t  params_mat_t[PE][CF];", "params_t [PE-1:0][CF-1:0]  params_mat_t;")
    text = text.replace("sm[0+:25-MUL_WIDTHS.s] != 0", "(sm & ((25'd1 << (25-MUL_WIDTHS.s)) - 25'd1)) != 0")
    return text.replace("$shortrealtobits(", "shortreal_bits(").replace(
        "`default_nettype none\n", "`default_nettype none\n" + _SHORTREAL_BITS, 1
    )


def _no_watchdog(text: str) -> str:
    return _WATCHDOG.sub(r"`ifndef VERILATOR\n\1`endif\n", text, count=1)


@dataclass(frozen=True)
class Fix:
    """A change to the files of one name.

    Attributes:
        name: Pattern of the whole file name.
        change: Text to text.
        reason: What is wrong, and why the hardware stays the same.
    """

    name: str
    change: Callable[[str], str]
    reason: str


FIXES = (
    Fix(
        r"add_multi\.sv",
        _hoist_constant_function,
        "a constant function is declared in a generate block (IEEE 1800-2017 13.4.3); only its place changes",
    ),
    Fix(
        r"fifo\.sv",
        _pack_struct,
        "Verilator evaluates no constant function over an unpacked struct; packed, its members stay",
    ),
    Fix(
        r"axilite\.sv|memstream\.sv",
        _pack_captures,
        "Verilator declares an unpacked struct once per module that shares it; packed, its members stay",
    ),
    Fix(
        r".*StreamingFIFO.*\.v",
        _name_of_parameter,
        "the message of a branch that is never taken names a parameter that does not exist",
    ),
    Fix(
        r"skid\.sv",
        _give_argument,
        "the message of a branch that is never taken lacks its argument",
    ),
    Fix(
        r"inner_shuffle\.sv",
        _pack_pattern,
        "Verilator casts no unpacked array to a vector; packed, its elements keep their places",
    ),
    Fix(
        r"where\.sv|input_gen\.sv",
        _fix_rank,
        "Verilator sizes an array of parameters before an instance sets its length; unused places are added",
    ),
    Fix(
        r".*HWWhere.*_core\.sv",
        _fill_rank,
        "the sizes that an instance sets have the unused places that where.sv has",
    ),
    Fix(
        r"pad1d\.sv",
        _hoist_padding_functions,
        "constant functions are declared in a generate block, and Verilator takes no arrays of arrays there",
    ),
    Fix(
        r"requant\.sv",
        _real_bits,
        "Verilator has no shortreal, no unpacked struct in a constant function and no part select of no bits",
    ),
    Fix(
        r"mvu\.sv",
        _no_watchdog,
        "a delay that only simulated DSP primitives need is hidden from Verilator; Vivado sees it as before",
    ),
)


def fixed(name: str, text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of a source file with its fixes, and their reasons.

    Args:
        name: File name, without folder.
        text: Its content.
    """
    reasons = []
    plain = text.replace("\r\n", "\n")  # a build that has been on Windows has the same faults
    for fix in _fixes_of(name):
        new = fix.change(plain)
        if new != plain:
            reasons.append(fix.reason)
        plain = new
    if not reasons:
        return text, ()
    return plain.replace("\n", "\r\n") if "\r\n" in text else plain, tuple(reasons)


@lru_cache(maxsize=256)  # each partition has files of the same names
def _fixes_of(name: str) -> tuple[Fix, ...]:
    return tuple(fix for fix in FIXES if re.fullmatch(fix.name, name))
