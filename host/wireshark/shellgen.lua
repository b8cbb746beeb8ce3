-- SPDX-License-Identifier: BSD-3-Clause
-- From host/protocol.toml by `make protocol`. Do not edit.
-- Wireshark shows the messages of shellgen-node with it: copy it into the folder "Personal Lua Plugins" that
-- Help > About Wireshark > Folders names, or start tshark -X lua_script:shellgen.lua. Any TCP connection that
-- begins with the magic is taken; docs/host-protocol.md describes the fields.

local proto = Proto("shellgen", "shellgen host protocol")
proto.prefs.checksum = Pref.bool("Verify CRC-32C", true, "Slow for connections with many long frames")

local HEADER_BYTES, MAGIC, VERSION = 32, 0x48474853, 4

local TYPE_AT = 5
local VERSION_AT = 4
local FRAME_AT = 16
local BYTES_AT = 24
local CRC_AT = 28
local FRAME = 3

local types = { [1] = "HELLO", [2] = "WELCOME", [3] = "FRAME", [4] = "ACK", [5] = "FAULT", [6] = "PING", [7] = "BYE", [8] = "EPOCH", [9] = "STORE", [10] = "PIECE", [11] = "LOAD", [12] = "ORDER" }
local roles = { [0] = "SOURCE", [1] = "SINK", [2] = "CONTROL", [3] = "ORDERS" }
local faults = { [1] = "MALFORMED", [2] = "VERSION", [3] = "EDGE", [4] = "CONTRACT", [5] = "FRAME_BYTES", [6] = "BUILD_ID", [7] = "EPOCH", [8] = "TOKEN", [9] = "BUSY", [10] = "CHECKSUM", [11] = "ORDER", [12] = "CREDITS", [13] = "CORE", [14] = "STORE", [15] = "LOADED" }

local header_fields = {
    ["magic"] = ProtoField.uint32("shellgen.magic", "magic", base.HEX),
    ["version"] = ProtoField.uint8("shellgen.version", "version", base.DEC),
    ["type"] = ProtoField.uint8("shellgen.type", "type", base.DEC, types),
    ["flags"] = ProtoField.uint16("shellgen.flags", "flags", base.HEX),
    ["edge"] = ProtoField.uint32("shellgen.edge", "edge", base.HEX),
    ["epoch"] = ProtoField.uint32("shellgen.epoch", "epoch", base.DEC),
    ["frame"] = ProtoField.uint64("shellgen.frame", "frame", base.DEC),
    ["bytes"] = ProtoField.uint32("shellgen.bytes", "bytes", base.DEC),
    ["crc"] = ProtoField.uint32("shellgen.crc", "crc", base.HEX),
}
local message_fields = {
    ["hello.low"] = ProtoField.uint8("shellgen.hello.low", "low", base.DEC),
    ["hello.high"] = ProtoField.uint8("shellgen.hello.high", "high", base.DEC),
    ["hello.role"] = ProtoField.uint8("shellgen.hello.role", "role", base.DEC, roles),
    ["hello.spare"] = ProtoField.uint8("shellgen.hello.spare", "spare", base.DEC),
    ["hello.frame_bytes"] = ProtoField.uint32("shellgen.hello.frame_bytes", "frame_bytes", base.DEC),
    ["hello.contract"] = ProtoField.uint64("shellgen.hello.contract", "contract", base.HEX),
    ["hello.build_id"] = ProtoField.uint64("shellgen.hello.build_id", "build_id", base.HEX),
    ["hello.token"] = ProtoField.bytes("shellgen.hello.token", "token"),
    ["welcome.credits"] = ProtoField.uint32("shellgen.welcome.credits", "credits", base.DEC),
    ["welcome.spare"] = ProtoField.uint32("shellgen.welcome.spare", "spare", base.DEC),
    ["welcome.build_id"] = ProtoField.uint64("shellgen.welcome.build_id", "build_id", base.HEX),
    ["ack.credits"] = ProtoField.uint32("shellgen.ack.credits", "credits", base.DEC),
    ["ack.spare"] = ProtoField.uint32("shellgen.ack.spare", "spare", base.DEC),
    ["fault.code"] = ProtoField.uint32("shellgen.fault.code", "code", base.DEC, faults),
    ["fault.length"] = ProtoField.uint32("shellgen.fault.length", "length", base.DEC),
    ["fault.text"] = ProtoField.string("shellgen.fault.text", "text"),
    ["ping.received"] = ProtoField.uint64("shellgen.ping.received", "received", base.DEC),
    ["ping.made"] = ProtoField.uint64("shellgen.ping.made", "made", base.DEC),
    ["ping.waiting"] = ProtoField.uint32("shellgen.ping.waiting", "waiting", base.DEC),
    ["ping.unsent"] = ProtoField.uint32("shellgen.ping.unsent", "unsent", base.DEC),
    ["ping.inside_ns"] = ProtoField.uint64("shellgen.ping.inside_ns", "inside_ns", base.DEC),
    ["ping.copied"] = ProtoField.uint64("shellgen.ping.copied", "copied", base.DEC),
    ["epoch.key"] = ProtoField.bytes("shellgen.epoch.key", "key"),
    ["epoch.out"] = ProtoField.bytes("shellgen.epoch.out", "out"),
    ["epoch.number"] = ProtoField.uint32("shellgen.epoch.number", "number", base.DEC),
    ["epoch.spare"] = ProtoField.uint32("shellgen.epoch.spare", "spare", base.DEC),
    ["store.kind"] = ProtoField.uint32("shellgen.store.kind", "kind", base.DEC),
    ["store.spare"] = ProtoField.uint32("shellgen.store.spare", "spare", base.DEC),
    ["store.size"] = ProtoField.uint64("shellgen.store.size", "size", base.DEC),
    ["store.build_id"] = ProtoField.uint64("shellgen.store.build_id", "build_id", base.HEX),
    ["store.hash"] = ProtoField.bytes("shellgen.store.hash", "hash"),
    ["store.signature"] = ProtoField.bytes("shellgen.store.signature", "signature"),
    ["piece.length"] = ProtoField.uint32("shellgen.piece.length", "length", base.DEC),
    ["piece.spare"] = ProtoField.uint32("shellgen.piece.spare", "spare", base.DEC),
    ["piece.data"] = ProtoField.bytes("shellgen.piece.data", "data"),
    ["load.bitstream"] = ProtoField.bytes("shellgen.load.bitstream", "bitstream"),
    ["load.weights"] = ProtoField.bytes("shellgen.load.weights", "weights"),
    ["order.what"] = ProtoField.uint32("shellgen.order.what", "what", base.DEC),
    ["order.spare"] = ProtoField.uint32("shellgen.order.spare", "spare", base.DEC),
}
local payload_field = ProtoField.bytes("shellgen.payload", "payload")

-- Name, first byte, bytes, and whether it is no number.
local header_layout = {
    { "magic", 0, 4, false },
    { "version", 4, 1, false },
    { "type", 5, 1, false },
    { "flags", 6, 2, false },
    { "edge", 8, 4, false },
    { "epoch", 12, 4, false },
    { "frame", 16, 8, false },
    { "bytes", 24, 4, false },
    { "crc", 28, 4, false },
}
local layouts = {
    [1] = { -- HELLO
        { "hello.low", 0, 1, false },
        { "hello.high", 1, 1, false },
        { "hello.role", 2, 1, false },
        { "hello.spare", 3, 1, false },
        { "hello.frame_bytes", 4, 4, false },
        { "hello.contract", 8, 8, false },
        { "hello.build_id", 16, 8, false },
        { "hello.token", 24, 32, true },
    },
    [2] = { -- WELCOME
        { "welcome.credits", 0, 4, false },
        { "welcome.spare", 4, 4, false },
        { "welcome.build_id", 8, 8, false },
    },
    [4] = { -- ACK
        { "ack.credits", 0, 4, false },
        { "ack.spare", 4, 4, false },
    },
    [5] = { -- FAULT
        { "fault.code", 0, 4, false },
        { "fault.length", 4, 4, false },
        { "fault.text", 8, 184, true },
    },
    [6] = { -- PING
        { "ping.received", 0, 8, false },
        { "ping.made", 8, 8, false },
        { "ping.waiting", 16, 4, false },
        { "ping.unsent", 20, 4, false },
        { "ping.inside_ns", 24, 8, false },
        { "ping.copied", 32, 8, false },
    },
    [8] = { -- EPOCH
        { "epoch.key", 0, 32, true },
        { "epoch.out", 32, 64, true },
        { "epoch.number", 96, 4, false },
        { "epoch.spare", 100, 4, false },
    },
    [9] = { -- STORE
        { "store.kind", 0, 4, false },
        { "store.spare", 4, 4, false },
        { "store.size", 8, 8, false },
        { "store.build_id", 16, 8, false },
        { "store.hash", 24, 32, true },
        { "store.signature", 56, 64, true },
    },
    [10] = { -- PIECE
        { "piece.length", 0, 4, false },
        { "piece.spare", 4, 4, false },
        { "piece.data", 8, 4096, true },
    },
    [11] = { -- LOAD
        { "load.bitstream", 0, 32, true },
        { "load.weights", 32, 32, true },
    },
    [12] = { -- ORDER
        { "order.what", 0, 4, false },
        { "order.spare", 4, 4, false },
    },
}
local sizes = {
    [1] = 56,
    [2] = 16,
    [4] = 8,
    [5] = 192,
    [6] = 40,
    [7] = 0,
    [8] = 104,
    [9] = 120,
    [10] = 4104,
    [11] = 64,
    [12] = 8,
}

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
