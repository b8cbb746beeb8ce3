# SPDX-License-Identifier: BSD-3-Clause
"""Conditions between the fields of a memory_map.json. Standard library only, Python 3.8 or later."""

from shellgen_fields import MOST, U64, need, unique

# What the programs look for by name, in the blocks that have it.
NEEDED = {
    "shell_status": {
        **dict.fromkeys(("MAGIC", "BUILD_ID_HIGH", "BUILD_ID_LOW", "ERRORS", "FRAMES", "FLAGS"), ()),
        "CONTROL": ("RESET", "CLEAR", "HOLD"),
        "FRAMES_PER_TRANSFER": (),
    },
    "axil_bridge": {
        **dict.fromkeys(("ADDRESS", "DATA", "ERROR_ADDRESS"), ()),
        "LEVEL": ("POSTED",),
        "ERROR": ("KEPT",),
    },
    "vnx_sender": {"STATE": ("OPEN",), **dict.fromkeys(("FRAMES", "PACKETS", "RESENT", "LOST_FRAMES"), ())},
    "vnx_receiver": {
        "STATE": ("SESSION",),
        **dict.fromkeys(("FRAMES", "PACKETS", "DUPLICATES", "CUT_FRAMES"), ()),
    },
    "networklayer": dict.fromkeys(("MAC_HIGH", "MAC_LOW", "IP_ADDRESS"), ()),
    "cmac": {"STAT_RX_STATUS": ("STATUS",), "RSFEC_ENABLE": ()},
}


def registers_agree(value, place):
    """Check the registers of a block, and that it has those which the programs use."""
    unique(value["registers"], f"{place}.registers")
    for register in value["registers"]:
        where = f"{place}.registers, {register['name']}"
        last = ((register["count"] or 1) - 1) * (register["stride"] or 0) + register["offset"]
        need(bool(register["count"]) == bool(register["stride"]), where, "count and stride go together")
        need(last + 4 <= value["size"], where, f"its offset {last:#x} is beyond the {value['size']:#x} bytes")
        unique(register["fields"], f"{where}.fields")
    wanted = NEEDED.get(value["block"], {})
    found = {one["name"]: {part["name"] for part in one["fields"]} for one in value["registers"]}
    for name, parts in wanted.items():
        need(name in found, place, f"it has no register {name}")
        for part in parts:
            need(part in found[name], f"{place}, {name}", f"it has no field {part}")
    if value["block"] == "shell_status":
        magic = next(one for one in value["registers"] if one["name"] == "MAGIC")
        need(magic["value"] is not None, f"{place}, MAGIC", "it has no value")


def field_fits(value, place):
    """Check a part of a register."""
    need(value["low"] + value["width"] <= 32, place, "it leaves the register's 32 bits")


def window_fits(value, place):
    """Check a window of addresses."""
    need(value["base"] + value["size"] <= U64 + 1, place, "it ends beyond 64 bits")


def block_fits(value, place):
    """Check a block or unit."""
    window_fits(value, place)
    registers_agree(value, place)


def layout_agrees(value, place):
    """Check how frames are packed."""
    elements = 1
    for size in value["shape"]:
        elements *= size
    need(
        elements == value["elements"], place, f"elements is {value['elements']}, and its shape has {elements}"
    )
    need(value["elements"] % value["per_word"] == 0, place, "per_word does not divide elements")
    need(
        value["per_word"] * value["bits"] <= value["word_bits"],
        place,
        "its elements need more than word_bits",
    )
    low, high, bits = value["low"], value["high"], value["bits"]
    need(low <= high, place, "low is above high")
    fits = (low, high) == (-1, 1) and bits == 1
    if value["signed"]:
        fits = fits or (-(1 << bits - 1) <= low and high < 1 << bits - 1)
    need(fits or (low >= 0 and high < 1 << bits), place, f"{low} to {high} do not fit {bits} bits")


def stream_agrees(value, place):
    """Check that a frame holds its words."""
    layout = value["layout"]
    bits = layout["elements"] // layout["per_word"] * layout["word_bits"]
    wanted = -(-bits // 8)
    need(value["frame_bytes"] >= wanted, place, f"frame_bytes is {value['frame_bytes']}, and it has {wanted}")
    need(value["memory_bytes"] >= value["frame_bytes"], place, "memory_bytes is less than frame_bytes")
    names = [value["boundary"], *(one["boundary"] for one in value["copies"])]
    need(len(names) == len(set(names)), place, "two of its consumers have one name")
    need(value["direction"] == "tx" or not value["copies"], place, "it has copies, and enters the core")


def turns_agree(value, place):
    """Check that each turn is one of a replica."""
    most = max(value["pattern"], default=0)  # without a pattern frames come by their numbers
    need(most < len(value["nodes"]), place, "its pattern has more replicas than nodes")
    need(len(value["streams"]) == len(value["nodes"]), place, "it has not a stream for each of its nodes")


def memory_fits(value, place):
    """Check the words of a memory."""
    need(value["words"] * value["lanes"] <= MOST, place, "it has more words than anything can address")


def step_is_whole(value, place):
    """Check a step of the bring-up."""
    if value["op"] == "barrier":
        return
    for name in ("node", "place", "address", "value"):
        need(value[name] is not None, place, f"it has no {name}")
    need(value["again"] == 0 or value["op"] == "until", place, "a write repeats no steps")


def bring_up_agrees(value, place):
    """Check what steps say of one another."""
    for at, step in enumerate(value["steps"]):
        where = f"{place}.steps[{at}]"
        need(step["again"] <= at, where, f"it repeats {step['again']} steps, and {at} are before it")
        need(
            step["node"] is None or step["node"] in value["nodes"],
            where,
            f"{step['node']} is no node of these",
        )
        if isinstance(step["value"], str):
            need(step["value"] in value["values"], where, f"{step['value']} is not one of the values")


def dma_agrees(value, place):
    """Check a DMA."""
    window_fits(value, place)
    ways = value["channels"]
    need(ways["mm2s"] or ways["s2mm"], place, "it has no channel")
    need(not value["cyclic"] or (ways["mm2s"] and not ways["s2mm"]), place, "a cyclic one only reads")


def node_agrees(value, place):
    """Check what the parts of a node say of one another."""
    status = [one for one in value["blocks"] if one["name"] == "status"]
    need(status and status[0]["block"] == "shell_status", place, "it has no block status of shell_status")
    bridge = [one for one in value["blocks"] if one["name"] == "bridge"]
    need(not bridge or bridge[0]["block"] == "axil_bridge", place, "its bridge is no axil_bridge")
    unique((*value["blocks"], *value["units"]), f"{place}.blocks and units")
    unique(value["regions"], f"{place}.regions")
    need(value["base"] + value["span"] <= U64 + 1, place, "it ends beyond 64 bits")
    for block in (one for one in value["blocks"] if value["bus"] != "coyote" or one["block"]):
        fits = (
            value["base"] <= block["base"] and block["base"] + block["size"] <= value["base"] + value["span"]
        )
        need(fits, f"{place}, {block['name']}", "it is not in the window of the core")
    for at, stream in enumerate(value["streams"]):
        need(stream["index"] == at, f"{place}.streams[{at}]", f"its index is {stream['index']}")
    unique([{"name": one["boundary"]} for one in value["streams"]], f"{place}.streams")
    registers = {one["name"]: one for one in status[0]["registers"]}
    for name in ("FRAMES", "FLAGS", "FRAMES_PER_TRANSFER") if value["streams"] else ():
        have = registers[name]["count"] or 1
        need(have >= len(value["streams"]), f"{place}, status, {name}", f"there are {have} for all streams")
    for turns in value["turns"]:
        need(
            max(turns["streams"]) < len(value["streams"]),
            f"{place}.turns",
            "they have a stream that is not there",
        )
    _moved(value, place)
    for region in value["regions"]:
        need(region["access"] != "bridge" or bridge, f"{place}, {region['name']}", "there is no bridge")
        last = region["interface"].rpartition("_")[2]
        need(last.isascii() and last.isdigit(), f"{place}, {region['name']}", "its interface has no number")
        memory = region["memory"]
        if memory:
            slot = value["slot_bytes"] if region["access"] == "direct" else 4
            size = memory["words"] * memory["lanes"] * slot
            need(
                size <= region["size"], f"{place}, {region['name']}", f"its {size} bytes of words do not fit"
            )


def _moved(value, place):
    """Check that all streams have one mover at most, and that it goes their way."""
    ends = []
    for dma in value["dma"]:
        for way, direction in (("mm2s", "rx"), ("s2mm", "tx")):
            if dma["channels"][way]:
                ends.append((dma["name"], dma["channels"][way]["stream"], direction))
    for mover in value["movers"]:
        direction = "tx" if mover["arguments"]["number"] is None else "rx"
        ends.append((mover["name"], mover["stream"], direction))
    for channel in value["channels"]:
        ends.append(
            (f"channel {channel['dest']}", channel["stream"], "rx" if channel["direction"] == "in" else "tx")
        )
    taken = set()
    for name, stream, direction in ends:
        where = f"{place}, {name}"
        need(stream < len(value["streams"]), where, f"there is no stream {stream}")
        need(value["streams"][stream]["direction"] == direction, where, f"stream {stream} goes the other way")
        need(stream not in taken, where, f"stream {stream} is moved twice")
        taken.add(stream)
    # The streams of a network share the ports of their link.
    unique([{"name": value["streams"][at]["port"]} for at in sorted(taken)], f"{place}.streams")


def nodes_agree(value, place):
    """Check what the nodes say of one another."""
    unique(value["nodes"], f"{place}nodes")
    for at, node in enumerate(value["nodes"]):
        known = [one["name"] for one in value["nodes"]]
        for region in node["regions"]:
            need(region["node"] in known, f"nodes[{at}], {region['name']}", "its node is not in the map")
    names = {node["name"] for node in value["nodes"]}
    for at, step in enumerate((value.get("bring_up") or {"steps": ()})["steps"]):
        need(
            step["node"] is None or step["node"] in names,
            f"bring_up.steps[{at}]",
            "its node is not in the map",
        )
