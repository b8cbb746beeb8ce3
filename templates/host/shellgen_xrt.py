# SPDX-License-Identifier: BSD-3-Clause
"""A card behind XRT as a bus: the registers of its core and of the kernels beside it. Python 3.8.

Registers go through ``libshellgen_xrt.so``, which is compiled on the host from shellgen_xrt.cpp (its first
lines say how): pyxrt starts kernels and moves buffers, and has no way to registers of a kernel that nobody
starts.
"""

import ctypes
from pathlib import Path

from shellgen_bus import BusError, HostError

LIBRARY = Path(__file__).parent / "libshellgen_xrt.so"
COMMAND = (
    "g++ -std=c++17 -O2 -shared -fPIC -I$XILINX_XRT/include {0}/shellgen_xrt.cpp -o {0}/libshellgen_xrt.so "
    "-L$XILINX_XRT/lib -lxrt_coreutil"
)
_TEXT_BYTES = 1024
HOST_BANK = "HOST[0]"


def library(path=None):
    """Load the library; raise HostError, which tells how to make it."""
    path = path or LIBRARY
    try:
        found = ctypes.CDLL(str(path))
    except OSError as error:
        folder = Path(__file__).parent
        if Path(path).exists():
            raise HostError(f"{path}: {error}; source XRT's setup.sh first") from None
        raise HostError(f"{path}: it is not there; make it by: {COMMAND.format(folder)}") from None
    text = (ctypes.c_char_p, ctypes.c_size_t)
    found.shellgen_xrt_open.restype = ctypes.c_void_p
    found.shellgen_xrt_open.argtypes = (ctypes.c_char_p, ctypes.c_char_p, *text)
    found.shellgen_xrt_ip.argtypes = (ctypes.c_void_p, ctypes.c_char_p, *text)
    value = ctypes.POINTER(ctypes.c_uint32)
    found.shellgen_xrt_read.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, value, *text)
    found.shellgen_xrt_write.argtypes = (
        *(ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_uint32),
        *text,
    )
    found.shellgen_xrt_take.argtypes = (
        *(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)),
        *text,
    )
    found.shellgen_xrt_give.argtypes = (ctypes.c_void_p, ctypes.c_int)
    found.shellgen_xrt_give.restype = None
    found.shellgen_xrt_close.argtypes = (ctypes.c_void_p,)
    found.shellgen_xrt_close.restype = None
    return found


class XrtBus:
    """All that has registers on a card; a kernel is opened with the first access to it.

    XRT lets one process at a time open a kernel: `close` it, or end, before another program runs.

    Args:
        entry: Of the node in the map.
        device: Number of the card, or its PCIe address, as ``xbutil examine`` shows them.
        xclbin: File that is loaded, unless the card has it already.
        made: The library, if it is not the one beside this file.
    """

    def __init__(self, entry, device, xclbin, made=None):
        self._name, self._library = entry["name"], made or library()
        core = (entry["base"], entry["span"], entry["ip"])
        places = [core, *((unit["base"], unit["size"], unit["ip"]) for unit in entry["units"])]
        self._places = [(first, first + size, ip) for first, size, ip in places if ip]
        self._opened, self._rings = {}, entry["rings"]
        if not Path(xclbin).is_file():
            raise HostError(f"{self._name}: {xclbin}: there is no such file")
        self._card, told = self._call("open", str(device).encode(), str(xclbin).encode())
        if not self._card:
            raise HostError(f"{self._name}: device {device}, {xclbin}: {told}")

    def _call(self, name, *arguments):
        text = ctypes.create_string_buffer(_TEXT_BYTES)
        result = getattr(self._library, f"shellgen_xrt_{name}")(*arguments, text, _TEXT_BYTES)
        return result, " ".join(text.value.decode(errors="replace").split())

    def _find(self, address):
        """Return the number of the kernel that has an address, and the offset in it."""
        for first, end, ip in self._places:
            if first <= address < end:
                if ip not in self._opened:
                    self._opened[ip], told = self._call("ip", self._card, ip.encode())
                    if self._opened[ip] < 0:
                        del self._opened[ip]
                        raise HostError(f"{self._name}: {ip}: {told}")
                return self._opened[ip], address - first
        raise BusError(address, "nothing: no kernel has it")

    def read(self, address):
        ip, offset = self._find(address)
        value = ctypes.c_uint32(0)
        result, told = self._call("read", self._card, ip, offset, ctypes.byref(value))
        if result:
            raise BusError(address, told)
        return value.value

    def write(self, address, value):
        ip, offset = self._find(address)
        result, told = self._call("write", self._card, ip, offset, value)
        if result:
            raise BusError(address, told)

    def take(self, bank, size):
        """Return bytes of a bank of the card, for its core alone; see `Taken`."""
        address = ctypes.c_uint64(0)
        number, told = self._call("take", self._card, bank.encode(), size, ctypes.byref(address))
        if number < 0:
            raise HostError(f"{self._name}: no {size} bytes of {bank}: {told}{self._remedy(bank)}")
        return Taken(
            address.value, lambda: self._card and self._library.shellgen_xrt_give(self._card, number)
        )

    def _remedy(self, bank):
        """Say how memory of the host is set aside for a card: 4 MiB at least, and a power of two."""
        if bank != HOST_BANK:
            return ""
        needed = sum(ring["bytes"] + ring["align"] for ring in self._rings if ring["bank"] == bank)
        mega = max(4, 1 << ((needed - 1) >> 20).bit_length())
        return f"; before it is loaded: sudo xbutil configure --host-mem -d <bdf> --size {mega}M enable"

    def close(self):
        """Give the kernels and all memory back, for other processes."""
        if self._card:
            self._library.shellgen_xrt_close(self._card)
            self._card = None


class Taken:
    """Memory of a card that the host never looks at.

    Attributes:
        address: Where it begins, for the card.
        free: Gives it back.
    """

    def __init__(self, address, free):
        self.address, self.free = address, free
