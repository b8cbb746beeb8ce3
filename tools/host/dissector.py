# SPDX-License-Identifier: BSD-3-Clause
"""The dissector for Wireshark of what host/protocol.toml defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.host.protocol import Field, Table

HEAD = """\
-- SPDX-License-Identifier: BSD-3-Clause
-- {generated}
-- Wireshark shows the messages of shellgen-node with it: copy it into the folder "Personal Lua Plugins" that
-- Help > About Wireshark > Folders names, or start tshark -X lua_script:shellgen.lua. Any TCP connection that
-- begins with the magic is taken; docs/host-protocol.md describes the fields.

local proto = Proto("shellgen", "shellgen host protocol")
proto.prefs.checksum = Pref.bool("Verify CRC-32C", true, "Slow for connections with many long frames")

local HEADER_BYTES, MAGIC, VERSION = {header_bytes}, {magic:#010x}, {version}
"""

TAIL = """\

proto.fields = {}
for _, group in ipairs({ header_fields, message_fields, { payload_field } }) do
    for _, field in pairs(group) do
        table.insert(proto.fields, field)
    end
end
local wrong_crc = ProtoExpert.new(
    "shellgen.crc.wrong", "The checksum is wrong", expert.group.CHECKSUM, expert.severity.ERROR)
local wrong_length = ProtoExpert.new(
    "shellgen.bytes.wrong", "The type has another length", expert.group.MALFORMED, expert.severity.ERROR)
local other_version = ProtoExpert.new(
    "shellgen.version.other", "Another version of the protocol", expert.group.PROTOCOL, expert.severity.WARN)
proto.experts = { wrong_crc, wrong_length, other_version }

-- CRC-32C (RFC 3720) of a message with its field crc as 0.
local crc_table = {}
for value = 0, 255 do
    local crc = value
    for _ = 1, 8 do
        crc = bit.bxor(bit.rshift(crc, 1), bit.band(crc, 1) == 1 and 0x82f63b78 or 0)
    end
    crc_table[value] = crc
end

local function crc32c(bytes)
    local crc = -1
    for at = 0, bytes:len() - 1 do
        local byte = (at >= CRC_AT and at < CRC_AT + 4) and 0 or bytes:get_index(at)
        crc = bit.bxor(bit.rshift(crc, 8), crc_table[bit.band(bit.bxor(crc, byte), 255)])
    end
    return bit.tobit(bit.bnot(crc))
end

local function add(tree, fields, buffer, offset, layout)
    for _, one in ipairs(layout) do
        local range = buffer(offset + one[2], one[3])
        if one[4] then
            tree:add(fields[one[1]], range)
        else
            tree:add_le(fields[one[1]], range)
        end
    end
end

-- A length beyond this is no message: nothing waits for its bytes.
local MOST_BYTES = 256 * 1024 * 1024

local function dissect_one(buffer, pinfo, root)
    local kind, bytes = buffer(TYPE_AT, 1):uint(), buffer(BYTES_AT, 4):le_uint()
    local name = types[kind] or ("type " .. kind)
    local frame = tostring(buffer(FRAME_AT, 8):le_uint64())
    local tree = root:add(proto, buffer(), "shellgen " .. name .. ", frame " .. frame)
    add(tree, header_fields, buffer, 0, header_layout)
    if buffer(VERSION_AT, 1):uint() ~= VERSION then
        tree:add_proto_expert_info(other_version)
    end
    local layout = layouts[kind]
    if kind == FRAME then
        if bytes > 0 then
            tree:add(payload_field, buffer(HEADER_BYTES, bytes))
        end
    elseif bytes ~= (sizes[kind] or -1) then
        tree:add_proto_expert_info(wrong_length)
    elseif layout then
        add(tree, message_fields, buffer, HEADER_BYTES, layout)
    end
    if proto.prefs.checksum and bit.tobit(buffer(CRC_AT, 4):le_uint()) ~= crc32c(buffer:bytes()) then
        tree:add_proto_expert_info(wrong_crc)
    end
    pinfo.cols.protocol = "shellgen"
    pinfo.cols.info:append(" " .. name .. "(" .. frame .. ")")
    return buffer:len()
end

function proto.dissector(buffer, pinfo, root)
    pinfo.cols.info = ""
    local offset, size = 0, buffer:len()
    -- By hand: dissect_tcp_pdus does not wait for the rest of a message where heuristics found the dissector.
    while offset < size do
        local rest = size - offset
        local bytes = rest >= HEADER_BYTES and buffer(offset + BYTES_AT, 4):le_uint() or 0
        if bytes > MOST_BYTES then
            local tree = root:add(proto, buffer(offset), "shellgen, not a message")
            add(tree, header_fields, buffer, offset, header_layout)
            tree:add_proto_expert_info(wrong_length)
            return size
        end
        if rest < HEADER_BYTES + bytes then
            pinfo.desegment_offset = offset
            local more = HEADER_BYTES + bytes - rest
            pinfo.desegment_len = rest < HEADER_BYTES and DESEGMENT_ONE_MORE_SEGMENT or more
            return size
        end
        dissect_one(buffer(offset, HEADER_BYTES + bytes):tvb(), pinfo, root)
        offset = offset + HEADER_BYTES + bytes
    end
    return size
end

proto:register_heuristic("tcp", function(buffer, pinfo, root)
    if buffer:len() < 4 or buffer(0, 4):le_uint() ~= MAGIC then
        return false
    end
    proto.dissector(buffer, pinfo, root)
    pinfo.conversation = proto
    return true
end)
"""

_NAMED = {"type": "types", "role": "roles", "code": "faults"}


def lua(table: Table, generated: str) -> str:
    """Return shellgen.lua.

    Args:
        table: The protocol.
        generated: Says where it comes from.
    """
    magic = int.from_bytes(table.magic, "little")
    lines = [
        HEAD.format(generated=generated, header_bytes=table.header_bytes, magic=magic, version=table.version)
    ]
    at = {field.name: field.offset for field in table.header}
    lines += [
        f"local {name.upper()}_AT = {at[name]}" for name in ("type", "version", "frame", "bytes", "crc")
    ]
    lines += [f"local FRAME = {next(one.number for one in table.messages if one.name == 'FRAME')}", ""]
    named = {"types": [(one.name, one.number) for one in table.messages]}
    named |= {"roles": [(name, number) for name, number, _ in table.roles]}
    named |= {"faults": [(name, number) for name, number, _ in table.faults]}
    for name, values in named.items():
        entries = ", ".join(f'[{number}] = "{one}"' for one, number in values)
        lines += [f"local {name} = {{ {entries} }}"]
    lines += ["", "local header_fields = {", *(_field("", field) for field in table.header), "}"]
    bodies = [(one.name.lower(), one.fields) for one in table.messages if one.fields]
    lines += [
        "local message_fields = {",
        *(_field(f"{name}.", field) for name, all_ in bodies for field in all_),
        "}",
    ]
    lines += ['local payload_field = ProtoField.bytes("shellgen.payload", "payload")', ""]
    lines += ["-- Name, first byte, bytes, and whether it is no number.", "local header_layout = {"]
    lines += [*(_place("", field) for field in table.header), "}", "local layouts = {"]
    for one in table.messages:
        if one.fields:
            inner = [f"    {_place(f'{one.name.lower()}.', field)}" for field in one.fields]
            lines += [f"    [{one.number}] = {{ -- {one.name}", *inner, "    },"]
    lines += ["}", "local sizes = {"]
    lines += [f"    [{one.number}] = {one.size}," for one in table.messages if one.name != "FRAME"]
    return "\n".join([*lines, "}", TAIL])


def _field(prefix: str, field: Field) -> str:
    name = prefix + field.name
    if field.kind.startswith("bytes"):
        kind, more = ("string", "") if field.name == "text" else ("bytes", "")
    else:
        names = _NAMED.get(field.name)
        base = "HEX" if field.name in ("magic", "edge", "crc", "contract", "build_id", "flags") else "DEC"
        kind, more = f"uint{8 * field.size}", f", base.{base}" + (f", {names}" if names else "")
    return f'    ["{name}"] = ProtoField.{kind}("shellgen.{name}", "{field.name}"{more}),'


def _place(prefix: str, field: Field) -> str:
    raw = "true" if field.kind.startswith("bytes") else "false"
    return f'    {{ "{prefix}{field.name}", {field.offset}, {field.size}, {raw} }},'
