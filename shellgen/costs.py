# SPDX-License-Identifier: BSD-3-Clause
"""Resource estimates of the blocks of ``ip/``, by their parameters.

Formulas through the figures that Yosys finds (``ip/*/costs.toml``, and widths between those) for blocks as
a core has them, with constant and open ports; `tests/test_fit.py` compares them with these figures, and
`tests/test_fit_cores.py` their sum with what Yosys finds for whole cores. Vivado packs better.
"""

from __future__ import annotations

from math import gcd

from shellgen.model import Usage

# Words by bits of a block RAM of 18 kbit (UG473, UG573).
_SHAPES = ((512, 36), (1024, 18), (2048, 9), (4096, 4), (8192, 2), (16384, 1))
_LUTRAM_DEPTH = 64  # up to which axis_fifo takes LUTs
_FINN_LUTRAM_DEPTH = 256  # likewise FINN's FIFO
_ONE_REGISTER = 64  # ratio up to which axis_width_down takes one beat of registers behind its shifter
_BEAT_BYTES = 64  # of VNx
_GROUP_OF_8, _GROUP_OF_4 = 8, 32  # bits of a part up to which axis_width_narrow_fast has so many at a place
_ONE_LUT = 4  # inputs of a multiplexer that are a LUT for each bit
_URAM_BITS, _URAM_WORDS = 72, 4096  # of an UltraRAM (UG573)
# Beats of a stream's FIFO between two clocks (ip/axis_fifo_cdc): a LUT for each bit; full rate from 16 on.
CROSSING_BEATS = 32
TAG_BITS, TAGS = 35, 64  # of the streams of tags (ip/axis_frame_tag) and of their FIFOs, two tags a frame


def frame_rx(bits: int, last_bytes: int, many: bool = True) -> Usage:
    """Return the cost of axis_frame_rx; more where many frames of a transfer do not end with a beat."""
    if not many:
        return Usage(lut=bits + 32, ff=2 * bits + 21)
    if places := _places(bits, last_bytes):
        return Usage(lut=60 + bits * (9 + 14 * places) // 10, ff=bits * 8 // 3 + 65)
    return Usage(lut=bits + 60, ff=2 * bits + 38)


def frame_tx(bits: int, last_bytes: int, many: bool = True) -> Usage:
    """Return the cost of axis_frame_tx; more where frames do not end with a beat, or many of a transfer."""
    if not many:
        return Usage(lut=bits + 18, ff=2 * bits + 25)
    if places := _places(bits, last_bytes):
        return Usage(lut=60 + bits * (3 * places - 1) // 2, ff=3 * bits + 37)
    return Usage(lut=bits + 40, ff=2 * bits + 25)


def _places(bits: int, last_bytes: int) -> int:
    """Return the steps of a shifter to where a frame may begin in a beat; 0: always at the first byte."""
    return (bits // 8 // gcd(bits // 8, last_bytes) - 1).bit_length()


def run_rx(bits: int) -> Usage:
    """Return the cost of axis_run_rx."""
    return Usage(lut=bits + 65, ff=2 * bits + 43)


def run_tx(bits: int) -> Usage:
    """Return the cost of axis_run_tx."""
    return Usage(lut=bits + 48, ff=2 * bits + 33)


def swallow() -> Usage:
    """Return the cost of axis_swallow."""
    return Usage(lut=5, ff=2)


def thread_id(bits: int) -> Usage:
    """Return the cost of axis_tid."""
    return Usage(lut=5, ff=2 * bits + 1)


def width(bits_in: int, bits_out: int, fast: bool = False) -> Usage:
    """Return the cost of axis_width with framing and a slice on the narrow side, or of the fast converter."""
    if fast:
        return _narrow_fast(bits_in, bits_out)
    if bits_in == bits_out:
        return Usage(lut=bits_in + 4, ff=2 * bits_in + 4)
    return _widen(bits_in, bits_out) if bits_in < bits_out else _narrow(bits_in, bits_out)


def _widen(narrow: int, wide: int) -> Usage:
    """Return the cost of axis_width to a wider word: of any ratio it shifts what comes to its place."""
    unit = gcd(narrow, wide)
    places, units = wide // unit, narrow // unit
    if units == 1:
        return Usage(lut=narrow + 11, ff=wide + narrow + places.bit_length() + 8)
    lut = 4 + narrow * (19 + 4 * units) // 10 + 7 * places // units
    return Usage(lut=lut, ff=wide + 3 * narrow - unit + places // units + 13)


def _narrow(wide: int, narrow: int) -> Usage:
    """Return the cost of axis_width to a narrower word, by multiplexers of 4:1."""
    unit = gcd(narrow, wide)
    if narrow != unit:
        return Usage(lut=wide * 2 // 5 + 3 * narrow + 12, ff=wide + 3 * narrow - unit + 14)
    ratio = wide // narrow
    steps = ((2, 1), (4, 3), (8, 5))
    lut = next((narrow * each + 5 for most, each in steps if ratio <= most), wide * 5 // 12 + 9)
    more = narrow if ratio > _ONE_REGISTER else 0
    return Usage(lut=lut, ff=wide + narrow + more + ratio.bit_length() + 3)


def _narrow_fast(wide: int, narrow: int) -> Usage:
    """Return the cost of axis_width_narrow_fast, which has registers at each place of its chain."""
    group = 8 if narrow <= _GROUP_OF_8 else 4 if narrow <= _GROUP_OF_4 else 2
    places = -(-wide // narrow // group)
    chosen = 3 if group > _ONE_LUT else 1
    lut = (places * (chosen + 1)) * narrow + 40
    return Usage(lut=lut, ff=2 * (places + 1) * narrow + 5 * places + 40)


def fifo(bits: int, depth: int) -> Usage:
    """Return the cost of axis_fifo, which chooses its memory by the depth."""
    pointers = (max(depth, 2) - 1).bit_length()
    if depth <= _LUTRAM_DEPTH:
        lut = bits * -(-depth // 32) * 2 // 3
        return Usage(lut=lut + 11, ff=bits + 4 * pointers + 4)
    blocks, compared = _blocks(bits, depth), 0 if depth & (depth - 1) == 0 else 2 * pointers
    stacked = bits if depth >= _SHAPES[-1][0] else 0  # a multiplexer behind block RAMs on top of one another
    return Usage(lut=12 + compared + stacked, ff=4 * pointers + 4, bram18=blocks)


def finn_fifo(bits: int, depth: int) -> Usage:
    """Return the cost of FINN's FIFO (finn-rtllib/fifo), as `stitch` has it built."""
    if depth <= _LUTRAM_DEPTH or depth > _FINN_LUTRAM_DEPTH:
        return fifo(bits, depth)
    return Usage(lut=bits * -(-depth // 64) * 4 // 3 + 30, ff=bits + 30)


def ddr_fifo(bits: int, addr_bits: int, burst: int = 16, stage: int | None = None) -> Usage:
    """Return the cost of axis_ddr_fifo, whose two FIFOs on the chip hold two bursts at least."""
    stage = stage or (max(128, 2 * burst) if burst > 64 else 128)
    blocks = 2 * _blocks(bits, stage)
    return Usage(lut=bits + 3 * addr_bits + 110, ff=4 * addr_bits + 105, bram18=blocks)


def ddr_ring_port(rings: int) -> Usage:
    """Return the cost of ddr_ring_port."""
    return Usage(lut=140 + 95 * rings, ff=170 + 140 * rings)


def ring_requests(rings: int) -> Usage:
    """Return the cost of ring_requests; one ring needs no turns."""
    return Usage(lut=78 * rings if rings > 1 else 25, ff=110 + 24 * rings)


def _blocks(bits: int, depth: int) -> int:
    """Return the block RAMs of 18 kbit that hold so many words."""
    return min(-(-bits // wide) * -(-depth // deep) for deep, wide in _SHAPES)


def tree(ports: tuple[int, ...], addr_bits: int) -> Usage:
    """Return the cost of an AXI-Lite tree: its root, and a node for each number of ports."""
    lut = 30 + addr_bits // 2 + sum(map(_node, ports))
    return Usage(lut=lut, ff=105 + 2 * addr_bits + sum(count + 10 for count in ports))


def _node(count: int) -> int:
    """Return the LUTs of axil_node, for the most part a multiplexer of 32 bits."""
    if count == 1:
        return 18
    return 66 + 5 * count if count <= _ONE_LUT else 35 + 21 * count


def reset(ends: int) -> Usage:
    """Return the cost of shell_reset."""
    return Usage(lut=14 + ends // 2, ff=12)


def bridge() -> Usage:
    """Return the cost of axil_bridge."""
    return Usage(lut=280, ff=310)


def slot() -> Usage:
    """Return the cost of axil_slot."""
    return Usage(lut=52, ff=5)


def lite_cdc(addr_bits: int, data_bits: int = 32) -> Usage:
    """Return the cost of axil_cdc."""
    return Usage(lut=33 + addr_bits, ff=2 * addr_bits + data_bits * 17 // 4 + 34)


def fifo_cdc(bits: int, depth: int) -> Usage:
    """Return the cost of axis_fifo_cdc whose levels nobody reads."""
    pointers = depth.bit_length() - 1
    control = Usage(lut=3 * pointers + 4, ff=9 * pointers + 24)
    if depth <= _LUTRAM_DEPTH:
        return control + Usage(lut=bits * -(-depth // 32) * 7 // 10, ff=bits)
    blocks = _blocks(bits, depth)
    return control + Usage(lut=blocks, bram18=blocks)


def status(streams_in: int, streams_out: int, single: int = 0) -> Usage:
    """Return the cost of shell_status.

    Args:
        streams_in: Streams that arrive.
        streams_out: Streams that leave.
        single: Those of both whose transfers are one frame, so that it has no register for their number.
    """
    streams = max(streams_in, 1) + max(streams_out, 1)
    none = single >= streams  # nor the register of all
    lut = 145 + 60 * streams + streams**2 // 4 - 50 * none
    return Usage(lut=lut, ff=181 + 187 * streams - 16 * single - 13 * none)


def mark() -> Usage:
    """Return what shell_status takes for each stream whose frames may be marked as wrong."""
    return Usage(lut=55, ff=111)


def turns(places: int) -> Usage:
    """Return the cost of shell_turns."""
    return Usage(lut=30 + 28 * places, ff=36 + 32 * places)


def arbiter(ways: int, bits: int, registered: bool = False) -> Usage:
    """Return the cost of axis_arbiter; with registers of two beats (CUT 0) or of one (CUT 4, in LUTs)."""
    return Usage(lut=bits * (ways + 2) // 3 + 12 * ways + 20, ff=(2 if registered else 1) * bits + 20)


def demux(ways: int, bits: int, registered: bool = True) -> Usage:
    """Return the cost of axis_demux; without registers it is little more than wires."""
    lut, ff = (bits, 2 * bits) if registered else (0, 0)
    return Usage(lut=lut + 3 * ways + 10, ff=ff + 20)


def packets(slots: int, packet_beats: int, bits: int = 512, *, ultra: bool = False) -> Usage:
    """Return the memories that hold packets, each in a power of two of beats."""
    words = slots << (packet_beats - 1).bit_length()
    return Usage(uram=_ultras(bits, words)) if ultra else Usage(bram18=_blocks(bits, words))


def _ultras(bits: int, depth: int) -> int:
    """Return the UltraRAMs that hold so many words."""
    return -(-bits // _URAM_BITS) * -(-depth // _URAM_WORDS)


def vnx_sender(slots: int, packet_beats: int, ultra: bool = False) -> Usage:
    """Return the cost of vnx_sender, with its packets in UltraRAM or in block RAM."""
    return Usage(lut=1760 + 5 * slots, ff=2270 + 9 * slots // 4) + packets(slots, packet_beats, ultra=ultra)


def vnx_receiver(slots: int, packet_beats: int, frame_bytes: int, ultra: bool = False) -> Usage:
    """Return the cost of vnx_receiver; frames of one beat take 450 LUT less."""
    lut = 1500 + 27 * slots // 4 - (450 if frame_bytes <= _BEAT_BYTES else 0)
    return Usage(lut=lut, ff=3250 + 2 * slots) + packets(slots, packet_beats, ultra=ultra)


def vnx_seal(packet_beats: int) -> Usage:
    """Return the cost of vnx_seal, which holds two packets."""
    return Usage(lut=1400, ff=1550) + packets(2, packet_beats, 592)


def vnx_check() -> Usage:
    """Return the cost of vnx_check."""
    return Usage(lut=2010, ff=900)


def vnx_port() -> Usage:
    """Return the cost of vnx_port."""
    return Usage(lut=180, ff=195)


def frame_fifo(bits: int, depth: int, ultra: bool) -> Usage:
    """Return the cost of axis_frame_fifo for whole frames, with two registers behind its memory."""
    pointers = (depth - 1).bit_length()
    control = Usage(lut=45, ff=4 * pointers + 20 + 2 * bits)
    if ultra:
        return control + Usage(uram=_ultras(bits + 2, depth))
    if depth <= _LUTRAM_DEPTH:
        return control + Usage(lut=bits * -(-depth // 32) * 7 // 10)
    return control + Usage(bram18=_blocks(bits + 2, depth))


def tags(frames: int) -> int:
    """Return the depth of a FIFO of tags beside one that holds so many frames."""
    return TAGS + 2 * frames


def frame_tag() -> Usage:
    """Return the cost of axis_frame_tag."""
    return Usage(lut=85, ff=115)


def frame_label() -> Usage:
    """Return the cost of axis_frame_label."""
    return Usage(lut=50, ff=45)


def frame_match(ways: int, one: bool = False) -> Usage:
    """Return the cost of axis_frame_match; where each frame is at one input, with ``one``."""
    return Usage(lut=(91 * ways + 283) if one else (75 * ways + 269), ff=93 * ways + 338)


def tag_deal(ways: int) -> Usage:
    """Return the cost of axis_tag_deal."""
    return Usage(lut=41 * ways + 14, ff=38 * ways + 44)


def broadcast(ways: int, bits: int) -> Usage:
    """Return the cost of axis_broadcast with a register slice."""
    return Usage(lut=bits + 3 * ways, ff=2 * bits + ways + 5)


def accl_command(ways: int) -> Usage:
    """Return the cost of accl_command."""
    return Usage(lut=150 + 37 * ways, ff=113 + ways)


def accl_gate(bits: int) -> Usage:
    """Return the cost of accl_gate."""
    return Usage(lut=bits + 25, ff=2 * bits + 20)


def accl_port(sending: int, receiving: int) -> Usage:
    """Return the cost of accl_port."""
    return Usage(lut=310 + 12 * (sending + receiving), ff=366 + 25 * sending + 10 * receiving)


def accl_demux(ways: int, bits: int) -> Usage:
    """Return the cost of accl_demux."""
    return Usage(lut=bits + 7 * ways + 10, ff=2 * bits + 2 * ways + 6)


def accl_frames(bits: int) -> Usage:
    """Return the cost of accl_frames."""
    return Usage(lut=30, ff=bits + 25)


def accl_number(bits: int) -> Usage:
    """Return the cost of accl_number."""
    return Usage(lut=bits + 85, ff=82)


def accl_told(bits: int) -> Usage:
    """Return the cost of accl_told."""
    return Usage(lut=58, ff=bits + 158)


def layer_dot(products: int, rows: int, data_bits: int, weight_bits: int, out_bits: int) -> Usage:
    """Return the cost of layer_dot: multipliers, adders and accumulators in LUTs."""
    each = (12 * data_bits * weight_bits + 10 * (data_bits + weight_bits)) / 10
    lut = 1.1 * (products * each + 2 * rows * out_bits + 40)
    return Usage(lut=int(lut) + 1, ff=int(products * (data_bits + weight_bits) + rows * out_bits * 2) + 120)
