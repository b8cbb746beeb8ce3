# SPDX-License-Identifier: BSD-3-Clause
"""Files with the registers of memories: those of `shellgen weights`, and FINN's own. Python 3.8 or later."""

import re
from pathlib import Path

from shellgen_bus import HostError, parse_json, printable


def read_weights(node, folder, partial=False):
    """Return the registers of every region of a node that has a file in a folder.

    A file holds one 32-bit register per line, in hex, for all words of its memory. The folder is what
    `shellgen weights` writes, or that of one node in it; or FINN's own ``runtime_weights``, with
    ``<partition>_<interface>_<layer>.dat`` in which FINN numbers all partitions, its DMAs included.

    Args:
        node: A `shellgen_memory.Node`.
        folder: Where they lie.
        partial: Not every memory of the node needs a file.

    Raises:
        HostError: No file at all or not all of them, two that may be meant, one that is not hex, of the wrong
            length or packed for another folding.
    """
    folder = Path(folder)
    own = folder / node.name if (folder / node.name).is_dir() else folder
    chosen = {region.name: own / region.dat for region in node.regions if (own / region.dat).is_file()}
    chosen.update(_finn_files([region for region in node.regions if region.name not in chosen], node, own))
    for path in chosen.values():
        takers = [name for name in chosen if chosen[name] == path]
        if len(takers) > 1:
            raise HostError(f"{path}: it may be {' or '.join(takers)}; rename it to one of them")
    if node.regions and not chosen:
        names = ", ".join(region.dat for region in node.regions)
        text = f"{folder}: it has none of {names}"
        others = ", ".join(sorted(path.name for path in own.glob("*.dat")))
        raise HostError(f"{text}, and the names of {others} do not tell their layers" if others else text)
    lacking = [region.dat for region in node.regions if region.name not in chosen]
    if lacking and not partial:
        text = f"{own}: it has {len(chosen)} of {len(node.regions)} files; {', '.join(lacking)}"
        raise HostError(
            f"{text} {'is' if len(lacking) == 1 else 'are'} missing; --partial loads what is there"
        )
    regions = {region.name: region for region in node.regions}
    return {name: _read_registers(regions[name], path) for name, path in chosen.items()}


def _finn_files(regions, node, folder):
    """Return FINN's own file for each of these regions that has one, by name, or else by order."""
    finn = []  # (partition, interface, layer, path)
    for path in folder.glob("*.dat"):
        match = re.match(r"(\d{1,9})_(\d{1,9})_(.+)\.dat$", path.name)
        if match and path.is_file():
            finn.append((int(match.group(1)), int(match.group(2)), match.group(3), path))
    if not finn or not regions:
        return {}
    named = {region: _by_name(region, finn) for region in regions}
    if any(len(paths) != 1 for paths in named.values()):
        ordered = _by_order(regions, node, sorted(finn))
        if ordered:
            return ordered
    for region, paths in named.items():
        if len(paths) > 1:
            names = ", ".join(sorted(path.name for path in paths))
            text = f"{folder}: {names} may all be layer {region.layer}; rename one to {region.dat}"
            raise HostError(text)
    return {region.name: paths[0] for region, paths in named.items() if paths}


def _by_name(region, finn):
    """Return the files whose name tells the region: by its layer, or else by its partition."""
    names = (region.layer, f"{region.partition}_{region.layer}")
    same = [entry for entry in finn if entry[1] == region.index]
    exact = [path for _, _, name, path in same if name in names]
    return exact or [path for _, _, name, path in same if name.startswith(region.partition + "_")]


def _by_order(regions, node, finn):
    """Return the files of a driver whose partitions are not those of this build.

    FINN counts the layers of each partition from 0 again, so names mean little then. The order of all
    layers is the same, and counts if each has exactly one file of its operator and its length.
    """
    every = sorted(node.every, key=lambda region: (_natural(region.partition), region.index))
    fits = len(every) == len(finn) and all(
        _operator(entry[2]).endswith(_operator(region.layer)) and _count(entry[3]) == region.registers
        for region, entry in zip(every, finn)
    )
    wanted = {region.name for region in regions}
    return (
        {region.name: entry[3] for region, entry in zip(every, finn) if region.name in wanted} if fits else {}
    )


def _natural(name):
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _operator(name):
    """Return a node's name without its number."""
    return re.sub(r"_?\d+$", "", name)


def _count(path):
    return sum(1 for line in path.read_text(encoding="ascii", errors="replace").splitlines() if line.strip())


def _read_registers(region, path):
    text = path.read_text(encoding="ascii", errors="replace")
    comment, _, rest = text.partition("\n")
    if comment.startswith("//"):
        text = rest
        _check_folding(region, path, comment)
    try:
        registers = [int(line, 16) for line in text.split()]
    except ValueError:
        raise HostError(f"{path}: a line is not a hexadecimal number") from None
    if any(register >> 32 for register in registers):
        raise HostError(f"{path}: a line has more than 32 bits")
    if len(registers) != region.registers:
        words, lanes = region.memory["words"], region.memory["lanes"]
        wanted = f"layer {region.layer} has {region.registers} ({words} words of {lanes} registers)"
        raise HostError(f"{path}: {len(registers)} registers, and {wanted}")
    _check_bits(region, path, registers)
    return registers


def _check_bits(region, path, registers):
    """Compare registers with the width of a word: bits above it are zeros, or the sign of a number.

    The memory has no flops for them, so nobody would notice bytes in another order.
    """
    bits, lanes = region.memory["word_bits"], region.memory["lanes"]
    rooms = [min(32, max(0, bits - 32 * lane)) for lane in range(lanes)]
    for at, register in enumerate(registers):
        room = rooms[at % lanes]
        if register >> room not in (0, (1 << 32 - room) - 1):
            found = (
                f"{path}: register {at} is {register:08x}, and a word of layer {region.layer} has {bits} bits"
            )
            raise HostError(f"{found}; pack the weights of this very build with `shellgen weights`")


def _check_folding(region, path, comment):
    """Compare how a file says that it was packed with how the memory is: equal lengths prove nothing."""
    try:
        packed = parse_json(comment[comment.index("{") :])
    except ValueError:
        return
    if not isinstance(packed, dict):
        return
    differing = [key for key in sorted(packed) if packed[key] != region.memory.get(key, packed[key])]
    if differing:
        was = printable(", ".join(f"{key} {packed[key]}" for key in differing))
        now = ", ".join(f"{key} {region.memory[key]}" for key in differing)
        raise HostError(
            f"{path}: packed for {was}, and layer {region.layer} has {now}; "
            "pack the weights of this very build with `shellgen weights`"
        )
