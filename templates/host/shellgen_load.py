#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Load weights and thresholds into a shellgen core, and prove that they arrived.

Needs nothing but Python 3.8 and the files beside it, so that it runs on the board as it is:

    python3 shellgen_load.py memory_map.json --node zed0 --weights weights/

Nothing is written before the core has shown the build id that the map was made for. Every word is written
with its registers ascending, and read back; the first bit that differs is named by layer, word and bit.
After a reload FINN needs one frame whose result is dropped: give the function that sends one.

Source: docs/finn-builds.md of shellgen (order of writes and reads, dummy frame).
"""

import importlib
import sys
from pathlib import Path

from shellgen_bus import BusError, DeviceBus, HostError, Parser, WindowBus
from shellgen_core import find_node, read_map
from shellgen_files import read_weights
from shellgen_memory import Node, load
from shellgen_open import add_options, open_bus, ways

__all__ = [
    "BusError",
    "DeviceBus",
    "HostError",
    "Node",
    "WindowBus",
    "load",
    "main",
    "read_map",
    "read_weights",
]


def main(arguments=None):
    """Load one node, or compare it; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except HostError as error:
        print(f"shellgen_load: {error}", file=sys.stderr)
    except OSError as error:
        print(f"shellgen_load: {error.filename or options.map}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("shellgen_load: interrupted; what was under way may be written in part", file=sys.stderr)
        return 130
    return 2


def _parser():
    parser = Parser(description="Load weights into a shellgen core and read them back.")
    parser.add_argument("map", help="memory_map.json of the cluster or of the node")
    parser.add_argument("--node", required=True, help="name of the node that this runs on")
    parser.add_argument(
        "--weights", required=True, help="folder with <region>.dat, or FINN's runtime_weights"
    )
    parser.add_argument(
        "--check", action="store_true", help="compare only, and leave the memories as they are"
    )
    parser.add_argument("--partial", action="store_true", help="not every memory needs a file")
    add_options(parser)
    parser.add_argument(
        "--library", metavar="FILE", help="libshellgen_host.so, which makes the accesses faster"
    )
    parser.add_argument("--run-frame", metavar="MODULE:FUNCTION", help="sends the frame FINN needs")
    return parser


def _run(options):
    found = read_map(options.map)
    # All that can be wrong with files and names is said before the device is opened.
    entry = find_node(found, options.node)
    place = ways([entry], options)[options.node]
    contents = {}
    if not options.library:
        contents = read_weights(Node(found, options.node, None), options.weights, options.partial)
    run_frame = _function(options.run_frame) if options.run_frame and not options.check else None
    if options.library:
        from shellgen_library import load as by_library  # noqa: PLC0415 - others do without ctypes

        count, registers = by_library(options.library, options, entry, *place)
    else:
        node = Node(found, options.node, open_bus(entry, *place))
        (node.compare if options.check else node.load)(contents)
        count, registers = len(contents), sum(len(values) for values in contents.values())
    told = f"{entry['name']}: {count} {'memory' if count == 1 else 'memories'}, {registers} registers"
    if options.check:
        print(f"{told} read, and all as in the files")
        return 0
    print(f"{told} written and read back")
    if run_frame:
        run_frame()
    else:
        print("Send one frame and drop its result before you trust an output: FINN needs it after a load.")
    return 0


def _function(name):
    """Import what --run-frame names, before anything is written."""
    module, _, function = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise HostError(f"--run-frame {name}: {error}; give it as MODULE:FUNCTION") from None


if __name__ == "__main__":
    sys.exit(main())
