# SPDX-License-Identifier: BSD-3-Clause
"""Runs the host's own bring-up program on two cards whose registers are sim/links/vnx_udp/vnx_registers.sv.

``asked.json`` in the run folder has the maps; what became of each case is left in ``found.json``.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import cocotb
from axil import LiteMaster
from cocotb.clock import Clock
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles

ASKED: dict[str, Any] = json.loads(Path("asked.json").read_text())
sys.path.insert(0, ASKED["host"])
program = importlib.import_module("shellgen_bring_up")
xrt: Any = importlib.import_module("shellgen_xrt")
xrt.LIBRARY = Path(ASKED["library"])
XRT_MAP: dict[str, Any] = json.loads(Path(ASKED["xrt"]).read_text())
READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32))
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint32)
PORTS = {"networklayer_0": "s_axil_nl", "cmac_0": "s_axil_cmac"}
IP = (0xC0A8000A, 0xC0A8000B)
MAC = (0x0253C0A8000A, 0x0253C0A8000B)
CASES: list[Callable[[Cards], Coroutine[Any, Any, None]]] = []


def case(function: Callable[[Cards], Coroutine[Any, Any, None]]) -> None:
    """Run it, in the order of the file."""
    CASES.append(function)


class Patience:
    """Ten looks at a register."""

    def start(self) -> None:
        self.left = 10

    def again(self) -> bool:
        self.left -= 1
        return self.left > 0

    def lapsed(self) -> bool:
        return True

    def __str__(self) -> str:
        return "within 10 looks"


class Bus:
    """The host's view of a card: the units are simulated, of the core only its identity."""

    def __init__(self, entry: dict[str, Any], lites: dict[str, LiteMaster]) -> None:
        (status,) = (block for block in entry["blocks"] if block["name"] == "status")
        at = {one["name"]: status["base"] + one["offset"] for one in status["registers"]}
        fixed = {one["name"]: one["value"] for one in status["registers"]}
        build = int(entry["build_id"], 16)
        self._words = {
            at["MAGIC"]: fixed["MAGIC"],
            at["BUILD_ID_HIGH"]: build >> 32,
            at["BUILD_ID_LOW"]: build & 0xFFFFFFFF,
        }
        self._units = [
            (unit["base"], unit["size"], resume(lites[unit["name"]].read), resume(lites[unit["name"]].write))
            for unit in entry["units"]
        ]

    def _unit(self, address: int) -> tuple[int, Any, Any]:
        return next(
            (address - base, r, w) for base, size, r, w in self._units if base <= address < base + size
        )

    def read(self, address: int) -> int:
        if address in self._words:
            return int(self._words[address])
        offset, read, _ = self._unit(address)
        return int(read(offset))

    def write(self, address: int, value: int) -> None:
        offset, _, write = self._unit(address)
        write(offset, value)


class Cards:
    """Both cards, and the program that brings them up."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.lites = [
            {unit: LiteMaster(dut, f"{port}_{k}", dut.aclk) for unit, port in PORTS.items()} for k in range(2)
        ]

    async def reset(self) -> None:
        dut = self.dut
        dut.aresetn.value = 0
        dut.cable.value = 1
        for name in ("port_fec", "lose", "stranger", "arp_at", "probe_beats", "probe_packets", "probe_bytes"):
            getattr(dut, name).value = 0
        await ClockCycles(dut.aclk, 4)
        dut.aresetn.value = 1
        await ClockCycles(dut.aclk, 2)

    async def up(self, map_name: str = "plain") -> str:
        """Run the program; return what it complained of."""
        maps = ASKED["maps"][map_name]
        found = []

        def run() -> None:
            buses = {
                entry["name"]: Bus(entry, lites)
                for entry, lites in zip(maps["nodes"], self.lites, strict=True)
            }
            try:
                program.bring_up(maps, buses, patience=Patience())
            except program.HostError as error:
                found.append(str(error))

        await bridge(run)()
        await ClockCycles(self.dut.aclk, 4)
        return "".join(found)

    def word(self, signal: str, index: int, bits: int) -> int:
        return int(getattr(self.dut, signal).value) >> bits * index & (1 << bits) - 1


@cocotb.test()
async def all_cases(dut: Any) -> None:
    Clock(dut.aclk, 10, "ns").start()
    for lite in PORTS.values():
        for k in range(2):
            for name in ("awvalid", "wvalid", "bready", "arvalid", "rready", "awprot", "arprot"):
                getattr(dut, f"{lite}_{k}_{name}").value = 0
    cards = Cards(dut)
    found = {}
    for one in CASES:
        await cards.reset()
        try:
            await one(cards)
        except AssertionError as error:
            found[one.__name__] = str(error) or "an assertion failed"
        else:
            found[one.__name__] = ""
    Path("found.json").write_text(json.dumps(found))


@case
async def registers_lie_where_the_map_has_them(cards: Cards) -> None:
    """Every register that can be written holds what it is given and disturbs no other; the rest reads 0."""
    for entry in ASKED["maps"]["plain"]["nodes"][0]["units"]:
        lite, size = cards.lites[0][entry["name"]], entry["size"]
        known = {}
        for register in entry["registers"]:
            for index in range(register["count"] or 1):
                if index in (0, 1, (register["count"] or 1) - 1):
                    known[register["offset"] + index * (register["stride"] or 0)] = register
        for offset, register in known.items():
            if register["value"] is not None or (register["reset"] is not None and not register["count"]):
                wanted = register["value"] if register["value"] is not None else register["reset"]
                assert int(await lite.read(offset)) == wanted, f"{register['name']} after reset"
        skipped = ("ARP_DISCOVERY", "ARP_VALID", "RESET", "CONF_TX", "CONF_RX", "GT_RESET")
        kept = {at: one for at, one in known.items() if "w" in one["access"] and one["name"] not in skipped}
        kept = {at: one for at, one in kept.items() if one["access"] != "w"}
        for at in kept:
            await lite.write(at, 0xA5A50000 + at)
        for at, register in kept.items():
            # The upper word of a MAC address has 16 bits.
            bits = 16 if register["name"] == "ARP_MAC" and at & 4 else register["width"]
            wanted = (0xA5A50000 + at) & (1 << bits) - 1
            assert int(await lite.read(at)) == wanted, f"{register['name']} at {at:#x}"
        for at in (0x30, size - 4 if entry["name"] == "cmac_0" else 0xFFC):
            assert int(await lite.read(at)) == 0


@case
async def pitfall_every_connection_is_whole(cards: Cards) -> None:
    assert await cards.up() == ""
    for k in range(2):
        assert cards.word("ip", k, 32) == IP[k]
        assert cards.word("gateway", k, 32) == 0xC0A80001
        assert cards.word("their_ip", 4 * k, 32) == IP[1 - k]
        assert cards.word("their_port", 4 * k, 16) == 50_000
        assert cards.word("my_port", 4 * k, 16) == 50_000
        assert cards.word("valid", 4 * k, 1) == 1
    assert int(cards.dut.scans.value) == 2


@case
async def pitfall_old_entries_of_the_arp_table(cards: Cards) -> None:
    """Also of those above 63, which VNx's own driver leaves; the discovery asks for invalid entries only."""
    layer = cards.lites[0]["networklayer_0"]
    for index in range(64):
        await layer.write(0x1100 + 4 * index, 0x01010101)
    await layer.write(0x1800 + 8 * 11, 0x12345678)
    assert await cards.up() == ""
    for at, wanted in ((11, 1), (0, 0), (63, 0), (64, 0), (255, 0)):
        cards.dut.arp_at.value = at
        await ClockCycles(cards.dut.aclk, 1)
        assert int(cards.dut.arp_valid.value) & 1 == wanted, f"entry {at}"
        if wanted:
            assert cards.word("arp_mac", 0, 48) == MAC[1]


@case
async def pitfall_half_a_mac_address(cards: Cards) -> None:
    assert await cards.up() == ""
    assert [cards.word("mac", k, 48) for k in range(2)] == list(MAC)
    assert await cards.up("macs") == ""
    assert [cards.word("mac", k, 48) for k in range(2)] == [0xF2345678900A, 0xA2345678900A]


@case
async def pitfall_all_cards_wake_up_with_one_address(cards: Cards) -> None:
    """Cards wake up with one address: a discovery before the barrier would find oneself."""
    maps = ASKED["maps"]["plain"]
    buses = {}

    def phase(number: int, nodes: list[int]) -> Callable[[], str]:
        def run() -> str:
            for k in nodes:
                buses[maps["nodes"][k]["name"]] = Bus(maps["nodes"][k], cards.lites[k])
            own = {maps["nodes"][k]["name"]: buses[maps["nodes"][k]["name"]] for k in nodes}
            try:
                program.bring_up(maps, own, number, patience=Patience())
            except program.HostError as error:
                return str(error)
            return ""

        return run

    assert await bridge(phase(1, [0]))() == ""
    assert int(cards.dut.scans.value) == 0
    assert cards.word("ip", 1, 32) == 0xC0A80005, "the other card still has the address of all"
    assert await bridge(phase(1, [1]))() == ""
    assert await bridge(phase(2, [0]))() == ""
    assert await bridge(phase(2, [1]))() == ""


@case
async def pitfall_mask_and_gateway(cards: Cards) -> None:
    await cards.lites[0]["networklayer_0"].write(0x20, 0)
    await cards.lites[0]["networklayer_0"].write(0x1C, 0)
    assert await cards.up() == ""
    assert [cards.word("ip_mask", k, 32) for k in range(2)] == [0xFFFFFF00] * 2
    assert [cards.word("gateway", k, 32) for k in range(2)] == [0xC0A80001] * 2


@case
async def pitfall_only_replies_are_learnt(cards: Cards) -> None:
    cards.dut.lose.value = 5
    assert await cards.up() == ""
    assert int(cards.dut.scans.value) > 6


@case
async def a_card_that_never_answers_is_named(cards: Cards) -> None:
    cards.dut.lose.value = 255
    said = await cards.up()
    assert said.startswith("n0: networklayer_0.ARP_VALID_2 at 0x100001108: read 0x00000000"), said
    assert said.endswith("in the bits 0x01000000 within 10 looks: n1, 192.168.0.11 has answered"), said


@case
async def another_device_with_the_address_of_a_card_is_seen(cards: Cards) -> None:
    """Cards that nobody has set up wake up with one address, and so may anything else be set."""
    cards.dut.stranger.value = 1
    said = await cards.up()
    assert (
        "the MAC address is that of n1, 192.168.0.11: 02:53:c0:a8:00:0b, and nobody else has its IP" in said
    )


@case
async def pitfall_a_link_stays_down_silently(cards: Cards) -> None:
    cards.dut.cable.value = 0
    said = await cards.up()
    assert said.startswith("n0: cmac_0.STAT_RX_STATUS at 0x200000204: read 0x00000040, wanted 0x00000001"), (
        said
    )
    assert "the link is up: cable, port of the switch, and RS-FEC alike at both ends" in said
    assert said.endswith("cmac_0.STAT_RX_STATUS reads 0x00000040: nothing useful is received"), said
    assert int(cards.dut.scans.value) == 0


@case
async def pitfall_rs_fec_of_the_other_end(cards: Cards) -> None:
    cards.dut.port_fec.value = 1
    assert "the link is up" in await cards.up()
    assert await cards.up("fec") == ""
    assert int(cards.dut.rsfec.value) == 3
    said = await cards.up()
    assert "RS-FEC is off; load the xclbin again where an earlier run has switched it on" in said, said


@case
async def pitfall_the_first_status_is_stale(cards: Cards) -> None:
    """It tells of a link that was up."""
    cards.dut.cable.value = 0
    mac = cards.lites[0]["cmac_0"]
    assert int(await mac.read(0x204)) & 1 == 1
    assert int(await mac.read(0x204)) & 1 == 0
    await cards.reset()
    cards.dut.cable.value = 0
    assert "cmac_0.STAT_RX_STATUS" in await cards.up()


@case
async def pitfall_another_number_of_sockets(cards: Cards) -> None:
    said = await cards.up("sockets")
    assert "networklayer_0.NUMBER_SOCKETS" in said, said
    assert "read 0x00000004, wanted 0x00000005" in said, said
    assert said.endswith("VNx was built with MAX_SOCKETS=5, as options.sockets says"), said
    assert cards.word("ip", 0, 32) == 0xC0A80005, "nothing has been written"


@case
async def pitfall_rows_that_nobody_writes(cards: Cards) -> None:
    """A row receives whether it is valid or not: address and ports must go, too."""
    layer = cards.lites[0]["networklayer_0"]
    for at in range(0x820, 0x820 + 4 * 4 * 8, 8):
        await layer.write(at, 0xFFFF)
    assert await cards.up() == ""
    for row in range(1, 4):
        assert cards.word("their_ip", row, 32) == 0
        assert cards.word("their_port", row, 16) == cards.word("my_port", row, 16) == 0
        assert cards.word("valid", row, 1) == 0


@case
async def cards_behind_xrt_are_reached_by_the_names_of_their_kernels(cards: Cards) -> None:
    """The same program by its command line, and XRT's C++ interface between it and the registers."""
    buses = {
        entry["name"]: Bus(entry, lites) for entry, lites in zip(XRT_MAP["nodes"], cards.lites, strict=True)
    }

    def reach(path: bytes) -> tuple[Bus, int]:
        card, kernel = Path(path.decode()).parts[-2:]
        entry = XRT_MAP["nodes"][int(card)]
        bases = {unit["ip"]: unit["base"] for unit in entry["units"]} | {entry["ip"]: entry["base"]}
        name, _, instance = kernel.partition(":")
        return buses[entry["name"]], bases[f"{name}:{{{instance}}}"]

    def read(path: bytes, offset: int, value: Any) -> int:
        bus, base = reach(path)
        value[0] = bus.read(base + offset)
        return 0

    def write(path: bytes, offset: int, value: int) -> int:
        bus, base = reach(path)
        bus.write(base + offset, value)
        return 0

    kept = READ(read), WRITE(write)
    xrt.library().stand_in_connect(*kept)
    said = []

    def run() -> None:
        options = ["--device", "n0=0", "--device", "n1=1", "--xclbin", ASKED["xclbin"]]
        said.append(program.main([ASKED["xrt"], *options]))

    await bridge(run)()
    assert said == [0]
    assert [cards.word("mac", k, 48) for k in range(2)] == list(MAC)
    assert int(cards.dut.scans.value) == 2


@case
async def it_can_be_done_twice(cards: Cards) -> None:
    assert await cards.up() == ""
    assert await cards.up() == ""


@case
async def probes_and_statistics_count(cards: Cards) -> None:
    dut, layer, mac = cards.dut, cards.lites[0]["networklayer_0"], cards.lites[0]["cmac_0"]
    dut.probe_beats.value = 1 << 11 | 1 << 7
    dut.probe_bytes.value = 64 << 77 | 60 << 49
    dut.probe_packets.value = 1 << 7
    await ClockCycles(dut.aclk, 5)
    dut.probe_beats.value = 0
    await ClockCycles(dut.aclk, 2)
    assert [int(await layer.read(0x400 + 0x18 * 11 + 8 * k)) for k in range(3)] == [5, 320, 0]
    assert [int(await layer.read(0x400 + 0x18 * 7 + 8 * k)) for k in range(3)] == [5, 300, 5]
    assert int(await mac.read(0x500)) == 0
    await mac.write(0x2B0, 1)
    assert (int(await mac.read(0x500)), int(await mac.read(0x510))) == (5, 300)
    await layer.write(0x5F0, 1)
    assert int(await layer.read(0x400 + 0x18 * 11)) == 0
