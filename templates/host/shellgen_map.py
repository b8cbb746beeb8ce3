# SPDX-License-Identifier: BSD-3-Clause
"""Whether a memory_map.json is whole: every field that the programs use, before any of it is used.

A map may have been cut, edited, merged by hand or made for something else. Errors are reported with their
place in the file. Standard library only, Python 3.8 or later.
"""

from shellgen_bus import HostError
from shellgen_fields import (
    MOST,
    U32,
    FieldError,
    Record,
    each,
    either,
    identifier,
    inside,
    maybe,
    number,
    one_of,
    text,
)
from shellgen_map_rules import (
    block_fits,
    bring_up_agrees,
    dma_agrees,
    field_fits,
    layout_agrees,
    memory_fits,
    node_agrees,
    nodes_agree,
    step_is_whole,
    stream_agrees,
    turns_agree,
    window_fits,
)

BITS = 1 << 16  # of a word
MANY = 1 << 16  # of what is numbered

INTERRUPT = Record({"controller": maybe(text), "input": number(), "gic": number()})
CHANNEL = Record({"stream": number(high=MANY), "interrupt": maybe(INTERRUPT)})
REGISTER = Record(
    {
        "name": text,
        "offset": number(high=U32, of=4),
        "stride": maybe(number(4, MANY, of=4)),
        "count": maybe(number(1, MANY)),
        "width": number(1, 32),
        "access": text,
        "hw": text,
        "value": maybe(number(high=U32)),
        "reset": maybe(number(high=U32)),
        "sticky": one_of(True, False),
        "fields": each(
            Record(
                {
                    "name": text,
                    "low": number(high=31),
                    "width": number(1, 32),
                    "access": text,
                    "reset": maybe(number(high=U32)),
                    "hw": maybe(text),
                    "sticky": one_of(True, False),
                    "text": text,
                },
                field_fits,
            )
        ),
        "text": text,
    }
)
BLOCK = {
    "name": text,
    "block": maybe(text),
    "base": number(of=4),
    "size": number(4, MOST, of=4),
    "registers": each(REGISTER),
}
LAYOUT = Record(
    {
        "datatype": text,
        "shape": each(number(1, U32)),
        "elements": number(1, U32),
        "bits": number(1, BITS),
        "signed": one_of(True, False),
        "low": number(-(1 << 64)),
        "high": number(-(1 << 64)),
        "per_word": number(1, U32),
        "word_bits": number(1, U32),
    },
    layout_agrees,
)
DEAL = Record({"stream": text, "places": each(number(0, MANY)), "period": number(1, MANY)})
COPY = Record({"boundary": text, "host": one_of(True, False), "tensor": maybe(text), "deal": maybe(DEAL)})
PROGRAM = Record(
    {
        "link": text,
        "address": text,
        "peer": text,
        **dict.fromkeys(("port", "peer_port"), number(1, 65535)),
        "reorder": number(high=255),
        "terms": Record(
            {
                "link": number(high=65535),
                "packet_beats": number(2, 256),
                **dict.fromkeys(("packing", "role"), number(high=255)),
                **dict.fromkeys(("element", "shape"), number(high=U32)),
                "slots": one_of(4, 8, 16, 32, 64, 128, 256),
            }
        ),
    }
)
STREAM = Record(
    {
        "index": number(high=MANY),
        "direction": one_of("rx", "tx"),
        "boundary": text,
        "frame_bytes": number(1, U32),
        "memory_bytes": number(1, U32),
        "most_frames": number(1, U32),
        "port": text,
        "host": one_of(True, False),
        "contract": identifier,
        "layout": LAYOUT,
        "tensor": maybe(text),
        "role": one_of("data", "weights"),
        "passes": number(1, U32),
        "weights": maybe(inside),
        "deal": maybe(DEAL),
        "copies": each(COPY),
        "program": maybe(PROGRAM),
    },
    stream_agrees,
)
MEMORY = Record(
    {
        "layer": text,
        "op_type": text,
        "kind": one_of("weights", "thresholds"),
        **{name: number(1, U32) for name in ("word_bits", "element_bits", "pe", "simd", "words", "lanes")},
        **{name: number(1, U32) for name in ("row_words", "row_used", "group_rows", "group_used")},
    },
    memory_fits,
)
REGION = Record(
    {
        "name": text,
        "node": text,
        "partition": text,
        "layer": maybe(text),
        "interface": text,
        "access": one_of("direct", "bridge"),
        "base": number(of=4),
        "size": number(4, MOST, of=4),
        "dat": inside,
        "memory": maybe(MEMORY),
    },
    window_fits,
)
DMA = Record(
    {
        "name": text,
        "base": number(of=4),
        "size": number(64, MOST, of=4),
        "cyclic": one_of(True, False),
        "address_bits": number(1, 64),
        "max_bytes": number(1, U32),
        "align": number(1, U32),
        "coherent": one_of(True, False),
        "channels": Record({"mm2s": maybe(CHANNEL), "s2mm": maybe(CHANNEL)}),
        "memory": each(Record({"base": number(), "size": number(1)})),
    },
    dma_agrees,
)
MOVER = Record(
    {
        "name": text,
        "ip": text,
        "stream": number(high=MANY),
        "max_bytes": number(1, U32),
        "arguments": Record(
            {
                "buffer": number(high=MANY),
                "size": number(high=MANY),
                "number": maybe(number(high=MANY)),
                "most_number": maybe(number(high=U32)),
            }
        ),
    }
)
RING = Record(
    {
        **dict.fromkeys(("name", "boundary"), text),
        **dict.fromkeys(("bytes", "align"), number(1, MOST)),
        **dict.fromkeys(("base_low", "base_high", "arm", "idle"), number(of=4)),
        **dict.fromkeys(("write_faults", "read_faults"), number(of=4)),
        "memory": each(Record({"base": number(), "size": number(1)})),
        "mask": number(1, U32),
        "bank": maybe(text),
    }
)
NODE = Record(
    {
        "name": text,
        "board": text,
        "build_id": identifier,
        "bus": text,
        "ip": maybe(text),
        "base": number(of=8),
        "slot_bytes": one_of(4, 8),
        "span": number(8, MOST, of=8),
        "blocks": each(Record(BLOCK, block_fits)),
        "units": each(Record({**BLOCK, "ip": maybe(text)}, block_fits)),
        "aperture": maybe(Record({"base": number(), "bytes": number(4)})),
        "streams": each(STREAM),
        "turns": each(
            Record(
                {
                    "kind": one_of("deal", "gather"),
                    "nodes": each(text, 1),
                    "streams": each(number(high=MANY), 1),
                    "pattern": each(number(high=MANY)),
                },
                turns_agree,
            )
        ),
        "places": each(number(high=MANY), 1),
        "period": number(1, MANY),
        "dma": each(DMA),
        "movers": each(MOVER),
        "channels": each(
            Record(
                {
                    "stream": number(high=MANY),
                    "direction": one_of("in", "out"),
                    "dest": number(high=MANY),
                    "max_bytes": number(1, U32),
                }
            )
        ),
        "vfpga": maybe(Record({"version": one_of("v1", "v2"), "region": number(high=MANY)})),
        "interrupt_controller": maybe(
            Record(
                {
                    "name": text,
                    "base": number(),
                    "size": number(),
                    "inputs": number(high=MANY),
                    "gic": number(high=MANY),
                }
            )
        ),
        "rings": each(RING),
        "regions": each(REGION),
    },
    node_agrees,
)
STEP = Record(
    {
        "op": one_of("write", "until", "barrier"),
        "node": maybe(text),
        "unit": maybe(text),
        "place": maybe(text),
        "address": maybe(number(of=4)),
        "value": maybe(either(text, number(high=U32))),
        "mask": number(high=U32),
        "again": number(high=MANY),
        "reason": maybe(
            Record(
                {
                    "place": text,
                    "address": number(of=4),
                    "bits": each(Record({"mask": number(high=U32), "text": text})),
                }
            )
        ),
        "text": either(one_of(""), text),
    },
    step_is_whole,
)
BRING_UP = Record({"nodes": each(text), "values": each(text), "steps": each(STEP)}, bring_up_agrees)
MAP = Record({"schema_version": text, "cluster": text, "nodes": each(NODE, 1)}, nodes_agree)


def check_map(found, path):
    """Raise HostError unless a map is whole."""
    try:
        if isinstance(found, dict) and found.get("bring_up") is not None:
            BRING_UP(found["bring_up"], "bring_up")
        MAP(found, "")
    except FieldError as wrong:
        remedy = "take the one that was generated with these programs"
        raise HostError(f"{path}: it is not a whole map: {wrong}; {remedy}") from None
