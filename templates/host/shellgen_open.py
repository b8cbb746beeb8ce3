# SPDX-License-Identifier: BSD-3-Clause
"""Access to the registers of a node, by the bus that the map names. Python 3.8."""

import importlib
import re

from shellgen_bus import BusError, DeviceBus, HostError, WindowBus

__all__ = [
    "BusError",
    "HostError",
    "add_options",
    "close_buses",
    "driver",
    "open_bus",
    "open_buses",
    "through",
    "ways",
]
DEVMEM, XRT = "devmem", "xrt"
MEMORY = "/dev/mem"


def add_options(parser):
    """Add what says where nodes are; see `ways`."""
    parser.add_argument(
        "--device",
        action="append",
        default=[],
        metavar="[NODE=]DEVICE",
        help=f"what to map (default: {MEMORY}); of a card behind XRT, its number or PCIe address; on another "
        "bus, whatever its driver takes",
    )
    parser.add_argument(
        "--xclbin",
        action="append",
        default=[],
        metavar="[NODE=]FILE",
        help="what a card behind XRT is to run; {node} stands for the name of the node",
    )


def driver(bus):
    """Return the module of a platform that opens a bus of its own; None if there is none beside this one.

    It has ``open_bus(entry, device)``, which returns a bus (see `shellgen_bus`), and
    ``open_board(entry, options)``, which returns a board (see `shellgen_board`); ``device`` is the text of
    --device or None, ``options`` the command line of `shellgen_run`.
    """
    name = f"shellgen_bus_{bus}"
    if bus in (DEVMEM, XRT) or not re.fullmatch(r"\w+", bus):
        return None
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return None
        raise HostError(f"{name}.py needs the Python module {error.name}, which is not there") from None


def through(own, name, *given):
    """Call a function of a driver; what it lacks, or raises, is reported in one line."""
    if not hasattr(own, name):
        raise HostError(f"{own.__name__}.py has no {name}(): docs/host.md of shellgen says what it returns")
    try:
        return getattr(own, name)(*given)
    except (HostError, OSError):
        raise
    except Exception as error:
        text = "{}.py: {} raised {}: {}; tell its authors"
        raise HostError(text.format(own.__name__, name, type(error).__name__, error)) from error


def ways(entries, options):
    """Return device and xclbin of each node, by its name; nothing is opened yet.

    Args:
        entries: Of the nodes in the map.
        options: With the lists ``device`` and ``xclbin``, as `add_options` makes them.

    Raises:
        HostError: A bus that these programs do not know; a card that is missing, or given twice.
    """
    names = [entry["name"] for entry in entries]
    devices = _by_node("--device", options.device, names)
    xclbins = _by_node("--xclbin", options.xclbin, names)
    behind = [entry["name"] for entry in entries if entry["bus"] == XRT]
    found = {}
    for entry in entries:
        name, bus = entry["name"], entry["bus"]
        device, xclbin = devices.get(name), xclbins.get(name)
        own = driver(bus)
        if bus == DEVMEM or own:
            if xclbin is not None:
                way = f"bus {bus}" if own else device or MEMORY
                raise HostError(f"--xclbin: {name} hangs on no XRT; it is reached by {way}")
            found[name] = (device if own else device or MEMORY, None)
        elif bus != XRT:
            own = "import it, and give it a bus of yours"
            remedy = "shellgen-node does it" if entry.get("vfpga") else own
            raise HostError(f"{name}: its bus is {bus}, and this program knows {DEVMEM} and {XRT}; {remedy}")
        elif xclbin is None:
            text = "{}: say what the card runs: --xclbin {}=FILE; XRT opens the registers of nothing else"
            raise HostError(text.format(name, name))
        elif device is None and len(behind) > 1:
            cards = " ".join(f"--device {one}=..." for one in behind)
            raise HostError(f"{name}: say which card it is: {cards}, as xbutil examine lists them")
        else:
            found[name] = (device or "0", xclbin.replace("{node}", name))
    taken = {}
    for name in behind:
        other = taken.setdefault(found[name][0], name)
        if other != name:
            raise HostError(f"--device: {other} and {name} are both on card {found[name][0]}")
    return found


def open_bus(entry, device, xclbin):
    """Open one node, as `ways` says where it is; a card behind XRT is programmed."""
    if entry["bus"] == XRT:
        from shellgen_xrt import XrtBus  # noqa: PLC0415 - nobody else needs it

        return XrtBus(entry, device, xclbin)
    own = driver(entry["bus"])
    if own:
        return through(own, "open_bus", entry, device)
    slot = entry.get("slot_bytes", 4)
    windows = [(entry["base"], entry["span"], slot)]
    windows += [(unit["base"], unit["size"], 4) for unit in entry["units"] if not unit["ip"]]
    return WindowBus([(base, size, DeviceBus(device, base, size, slot)) for base, size, slot in windows])


def open_buses(entries, options):
    """Return a bus for each node, by its name; see `ways`."""
    found = ways(entries, options)
    return {entry["name"]: open_bus(entry, *found[entry["name"]]) for entry in entries}


def close_buses(buses):
    """Give the kernels of cards back, for other processes."""
    for bus in buses.values():
        getattr(bus, "close", lambda: None)()


def _by_node(option, texts, names):
    """Return values by node; a text without a name is for all."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            found.update((one, text) for one in names if one not in found)
        elif name not in names:
            raise HostError(f"{option} {text}: there is no node {name} here; there is {', '.join(names)}")
        elif not value:
            raise HostError(f"{option} {text}: give it as NODE=VALUE")
        else:
            found[name] = value
    return found
