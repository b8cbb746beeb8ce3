# SPDX-License-Identifier: BSD-3-Clause
"""Files of vnx_stand_in.sv: packets to play to a core, and packets recorded from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from vnx_packets import BEAT, DATA, HEADER_BYTES, MAGIC, REFUSE, VERSION, checksum, fields

FULL = (1 << BEAT) - 1
_ENTRY = np.dtype([("at", ">u4"), ("dest", ">u2"), ("flags", ">u2"), ("keep", ">u8"), ("data", "V64")])
_KEPT = np.dtype([("at", "<u4"), ("dest", "<u2"), ("flags", "<u2"), ("data", "V64"), ("keep", "<u8")])
_HEADER_WORDS = 5


@dataclass(frozen=True)
class Entry:
    """One beat, or ``hold`` cycles in which the core's beats wait.

    Attributes:
        at: Cycle before which it waits, from the begin of the round.
        dest: TDEST.
        last: TLAST.
        keep: TKEEP.
        data: 64 bytes.
        hold: 0 for a beat.
    """

    at: int
    dest: int = 0
    last: bool = False
    keep: int = FULL
    data: bytes = bytes(BEAT)
    hold: int = 0


def beats(at: int, dest: int, datagram: bytes, keep: int | None = None) -> list[Entry]:
    """Return the beats of a datagram; ``keep`` is TKEEP of the last if it is not what its length says.

    TDEST holds for a packet from its first beat on (ip/axis_demux): the other beats name other rows.
    """
    count = -(-len(datagram) // BEAT)
    found = []
    for index in range(count):
        data = datagram[BEAT * index :][:BEAT]
        last = index == count - 1
        mask = keep if last and keep is not None else (1 << len(data)) - 1
        found.append(Entry(at, (dest + index) % (1 << 16), last, mask, data.ljust(BEAT, b"\0")))
    return found


def merged(scripts: Sequence[Sequence[Entry]]) -> tuple[list[Entry], int]:
    """Join what is played to the rows of a cage; what others make late makes all behind it late, too.

    Args:
        scripts: Of each row, in order; the beats of a packet have one time.

    Returns:
        What is played, and by how many cycles the last of it is late at most.
    """
    found: list[Entry] = []
    queues = [deque(script) for script in scripts]
    late, free = [0] * len(scripts), 0
    while left := [row for row, queue in enumerate(queues) if queue]:
        row = min(left, key=lambda one: queues[one][0].at + late[one])
        start = max(queues[row][0].at + late[row], free)
        late[row] = start - queues[row][0].at
        ended, free = False, start
        while not ended:
            entry = queues[row].popleft()
            found.append(replace(entry, at=start))
            ended = entry.last or entry.hold > 0
            free += entry.hold == 0
    return found, max(late, default=0)


def write_script(path: Path, entries: Iterable[Entry]) -> None:
    """Write what the model plays, in this order."""
    listed = list(entries)
    table = np.zeros(len(listed), _ENTRY)
    for row, entry in zip(table, listed, strict=True):
        row["at"], row["dest"], row["keep"] = entry.at, entry.dest, entry.keep
        row["flags"] = entry.last | (entry.hold > 0) << 1
        data = entry.hold.to_bytes(BEAT, "little") if entry.hold else entry.data
        row["data"] = np.void(data[::-1])
    path.write_bytes(table.tobytes())


@dataclass(frozen=True)
class Said:
    """A packet that a core has sent.

    Attributes:
        at: Cycle of its last beat, from the begin of the directed test.
        row: TDEST.
        datagram: The bytes that TKEEP marks.
        beats: How many.
        waits: Cycles in which one of them was not taken.
        wrong: What no packet may be; empty if nothing.
    """

    at: int
    row: int
    datagram: bytes
    beats: int
    waits: int
    wrong: str

    @property
    def fields(self) -> dict[str, int]:
        """Fields of its header."""
        return fields(self.datagram)


@dataclass(frozen=True)
class Heard:
    """All that was kept so far.

    Attributes:
        packets: Those that have ended.
        beats: All.
        ended: Beats of these packets.
        waits: Of all.
        began: Cycle in which the last round began.
        wrong: What no core may do; empty if nothing.
    """

    packets: tuple[Said, ...]
    beats: int
    ended: int
    waits: int
    began: int
    wrong: str


def read_said(path: Path, rows: int, before: Heard) -> Heard:
    """Read what the model has kept of a core with so many rows, of which a part may be known from before.

    Raises:
        ValueError: The file is not whole.
    """
    raw = path.read_bytes()
    head = np.frombuffer(raw[: 4 * _HEADER_WORDS], "<u4")
    if len(head) < _HEADER_WORDS or len(raw) != 4 * _HEADER_WORDS + 80 * int(head[1]):
        raise ValueError(f"{path}: cut short")
    count, kept, unknown, missed, began = (int(word) for word in head)
    table = np.frombuffer(raw[4 * _HEADER_WORDS :], _KEPT)
    wrong = f"{unknown} beats have unknown bits" if unknown else ""
    wrong = wrong or (f"it does not take what VNx gives it, for {missed} cycles" if missed else "")
    wrong = wrong or (f"{count} beats are more than anybody asked for" if count > kept else "")
    packets, at = list(before.packets), before.ended
    for end in range(at, len(table)):
        if table["flags"][end] & 1:
            packets.append(_packet(list(table[at : end + 1]), rows))
            at = end + 1
    waits = int(np.sum(table["flags"] >> 1, dtype=np.int64))
    return Heard(tuple(packets), count, at, waits, began, wrong)


def _packet(rows: Sequence[Any], known: int) -> Said:
    datagram, torn = b"", False
    for index, row in enumerate(rows):
        keep = int(row["keep"])
        torn |= keep & (keep + 1) != 0 or keep == 0 or (index < len(rows) - 1 and keep != FULL)
        datagram += bytes(row["data"])[: keep.bit_length()]
    dests = {int(row["dest"]) for row in rows}
    wrong = "TKEEP has holes" if torn else ""
    wrong = wrong or (f"TDEST is {sorted(dests)}" if len(dests) > 1 or max(dests) >= known else "")
    wrong = wrong or _malformed(datagram)
    waits = sum(int(row["flags"]) >> 1 for row in rows)
    return Said(int(rows[-1]["at"]), int(rows[0]["dest"]), datagram, len(rows), waits, wrong)


def _malformed(datagram: bytes) -> str:
    """Say what is wrong with a datagram, whatever it is about."""
    if len(datagram) <= HEADER_BYTES:
        return f"it has {len(datagram)} bytes"
    got = fields(datagram)
    # A HELLO of another version is refused in that version.
    if got["magic"] != MAGIC or (got["version"] != VERSION and got["kind"] != REFUSE):
        return f"magic and version are {got['magic']:#x}, {got['version']}"
    if got["crc"] != checksum(datagram):
        return f"its checksum is {got['crc']:#x}, and {checksum(datagram):#x} would be right"
    if got["bytes"] != len(datagram) - HEADER_BYTES:
        return f"it has {len(datagram) - HEADER_BYTES} bytes behind the header, and says {got['bytes']}"
    tainted = got["taint"] and not (got["kind"] == DATA and got["eof"])
    return "" if not any(datagram[28:HEADER_BYTES]) and not tainted else "bits without a meaning are set"
