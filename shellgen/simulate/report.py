# SPDX-License-Identifier: BSD-3-Clause
"""The report of a bench run as text: a table, what is wrong and what follows, and which proofs ran."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from shellgen.counted import counted
from shellgen.errors import printable
from shellgen.model.bench import BenchEnd
from shellgen.model.bench_findings import MemoryWalk, NoReset
from shellgen.model.bench_limit import Limit, Overrun, TimeUp
from shellgen.model.bench_report import FailedVerdict, ProofState, RunReport, Waves
from shellgen.model.bench_verdict import RunName, StreamsRun, Verdict
from shellgen.simulate.as_generated import said_of_edited
from shellgen.simulate.handshakes import handshake_lines
from shellgen.simulate.sight import sight_lines
from shellgen.simulate.verdict import RUNS
from shellgen.simulate.waves import describe_waves, viewer_commands
from shellgen.table import Column, table

_TITLES: dict[RunName, str] = {"full_rate": "full rate", "stalled": "stalled"}
_IN_TABLE = ("boundary", "inside", "monolith", "golden")
_STEADY = 1.01  # times the rate of a run: a rate from frame to frame that is worth saying
_MOST = 6  # differences that are shown; the record has all


def format_report(report: RunReport, width: int | None = None) -> str:
    """Return the report, in lines of at most ``width`` characters, or of any length for a pipe."""
    lines = [*_streams(report, width), *_fit(_notes(report), width), *_memories(report, width)]
    if not report.passed:
        lines += ["", *_wrong(report, width), *_command(report.repeat, width), ""]
    spent = f"{report.tests} tests in {report.seconds:.1f} s"
    names = ", ".join(dict.fromkeys(failure.test for failure in report.failures))
    failed = f", {report.failed_tests} failed{names and f' ({names})'}" if report.failed_tests else ""
    waves = _waves(report.waves, width) if report.waves else []
    said = [*_links(report), *_pace(report), *_resets(report), *_without(report), report.line]
    edited = said_of_edited(report.edited)
    verdict = ("PASS" if report.passed else "FAIL") + (f", {edited}" if edited else "")
    said.append(f"{report.simulator}: {spent}{failed}: {verdict}")
    return "\n".join([*lines, *waves, *_fit(said, width)]).strip("\n")


def _waves(waves: Waves, width: int | None) -> list[str]:
    """Return what was dumped, and the commands that show it, which stay in a line to be copied."""
    said = _fit(describe_waves(waves), width)
    return [*said, *(f"  {printable(command)}" for command in viewer_commands(waves))]


def _command(text: str, width: int | None) -> list[str]:
    """Return what does the same again, in lines that a shell takes as one."""
    said = printable(f"again: {text}")
    lines = textwrap.wrap(
        said, (width or 1 << 30) - 2, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def _fit(texts: list[str], width: int | None) -> list[str]:
    """Wrap to the width; what is quoted from files cannot move the cursor."""
    lines = [printable(line) for text in texts for line in text.split("\n")]
    if not width:
        return lines
    return [
        part
        for line in lines
        for part in textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False)
    ]


def _streams(report: RunReport, width: int | None) -> list[str]:
    """Return the table: for each boundary the words that crossed, and what differed in each run."""
    runs = report.runs
    if not runs:
        return []
    cells: dict[str, dict[RunName, Verdict]] = {}
    for name, run in runs.items():
        for verdict in run.verdicts:
            if verdict.proof in _IN_TABLE:
                cells.setdefault(verdict.name, {})[name] = verdict
    rows = [
        [title, max(one.words for one in seen.values()), *(_cell(seen.get(name)) for name in runs)]
        for title, seen in cells.items()
    ]
    columns = [Column("boundary", wrap=True), Column("words", right=True)]
    columns += [Column(f"wrong {_TITLES[name]}", right=True) for name in runs]
    return [*_fit([_counted(runs)], width), *table(columns, rows, width)]


def _counted(runs: Mapping[RunName, StreamsRun]) -> str:
    """Say how many frames were sent in which run: fewer where several fill a transfer."""
    counts = [run.frames for run in runs.values()]
    own = max(run.own for run in runs.values())
    last = max(run.epoch for run in runs.values())
    one = "one more" if last == 1 else f"{last} more"
    more = f", {own} of the bench's own, and {one}" if own else f" and {one}"
    hows = [RUNS[name] + ("" if run.arrived else " (ended early)") for name, run in runs.items()]
    if len(set(counts)) == 1:
        return f"{counted(counts[0], 'frame')}{more}, {' and '.join(hows)}"
    sent = ", ".join(f"{count} {how}" for count, how in zip(counts, hows, strict=True))
    return f"frames: {sent}{more if own else f', and {one}'} each"


def _cell(verdict: Verdict | None) -> str:
    """Say how many elements are wrong; of a run that ended early, that some are missing."""
    if verdict is None:
        return "-"
    some = "incomplete" if verdict.missing or not verdict.words else "0"
    return str(verdict.mismatches or some)


def _notes(report: RunReport) -> list[str]:
    """Say where the vectors are from, what was left out, and what runs ahead of the frames."""
    state = next(proof.state for proof in report.proofs if proof.name == "golden")
    said = [] if state == "not run" else [report.golden]
    sent, known = report.frames, report.golden_frames
    if sent and known and sent < known:
        said.append(f"{sent} of {known} golden frames were sent (--frames {known} sends all)")
    if sent and report.accuracy is not None:
        said.append(f"accuracy {100 * report.accuracy:.2f} % on {counted(sent, 'frame')}")
    ahead = {
        f"{one.boundary}: {one.detail}"
        for run in report.runs.values()
        for one in run.verdicts
        if one.proof == "ahead" and one.passed and one.name == f"ahead of {one.boundary}"
    }
    return [*filter(None, said), *sight_lines(report), *handshake_lines(report), *sorted(ahead)]


def _memories(report: RunReport, width: int | None) -> list[str]:
    """Return the table of the memory test, and the result of the board's loader."""
    columns = [Column("memory", wrap=True), Column("words", right=True), Column("", wrap=True)]
    rows = [_memory(memory) for memory in report.weights or ()]
    lines = ["", *table(columns, rows, width)] if rows else []
    if done := report.bring_up:
        given = ", ".join(f"{name} = {value:#x}" for name, value in done.values.items())
        what = f"{done.steps} steps before the first frame{', with ' if given else ''}{given}"
        lines += _fit([f"{', '.join(done.nodes)}: {what}"], width)
    for load in report.loaded or ():
        what = f"{load.memories} memories, {load.registers} registers"
        lines += _fit([f"{load.node}: {what} loaded by the board's loader and read back"], width)
    return lines


def _memory(memory: MemoryWalk) -> list[object]:
    some = f"of {memory.of} (--walk full takes all)" if memory.words < memory.of else ""
    fine = memory.passed and memory.words
    state = "written and read back" if fine else f"WRONG: {memory.detail}"
    return [memory.region, memory.words, f"{state}, {some}" if some else state]


def _links(report: RunReport) -> list[str]:
    """Say what links have counted, where they count: how much was lost on the way, sent again and so on."""
    said = []
    for name, run in report.runs.items():
        for kind, counts in run.links.items():
            text = ", ".join(f"{number:,} {words}" for words, number in counts.items() if number)
            said += [f"{_TITLES[name]}, {kind}: {text}"] if text else []
    return said


def _pace(report: RunReport) -> list[str]:
    """Say what the runs took. A rate of a cluster that is wrong would be none."""
    if not report.passed:
        return []
    said = []
    if (rate := report.frames_per_second) and report.full_rate:
        run, mhz = report.full_rate, report.clock_hz / 1e6
        steady = report.clock_hz / run.period if run.period else rate
        beside = f" ({steady:,.0f} from frame to frame)" if steady > _STEADY * rate else ""
        said.append(
            f"full rate: {counted(run.cycles, 'cycle')} for {counted(run.timed, 'frame')}, "
            f"{rate:,.0f} frames/s at {mhz:g} MHz{beside}, as simulated: without the time of hosts and "
            "drivers"
        )
    if report.stalled:
        said.append(_stalls(report.stalled, report.full_rate))
    return said


def _stalls(run: StreamsRun, full: StreamsRun | None) -> str:
    """Say what the stalls cost, how long they were, and whether each port had its turn."""
    text = f"stalled: {counted(run.cycles, 'cycle')} for {counted(run.timed, 'frame')}"
    if not run.stall:
        return f"{text}; --stall 0 leaves the stalls out"
    if full and full.cycles:
        # Whole transfers may be fewer frames, and the last ones come one by one.
        each = [one.cycles / max(1, one.timed) for one in (run, full)]
        more = 100 * (each[0] / each[1] - 1)
        text += (
            f" ({more:+.0f} % per frame)"
            if more >= 1
            else "; the stalls cost nothing, FIFOs and slack hide them"
        )
    frames = f" ({run.hold / run.frame:.1f} frames)" if run.frame else ""
    held = counted(run.hold, "cycle")
    text += f"; {counted(run.ports, 'port')}, each in turn starved and flooded for {held}{frames}"
    into, out = run.per_transfer
    if max(into, out) > 1:
        text += (
            f"; transfers of {counted(into, 'frame')} in and {out} out"
            if into > 1
            else f"; transfers of {counted(out, 'frame')} out"
        )
    if run.turns < run.of:
        done, wanted = run.turns // 2, run.of // 2
        text += f"; the run ended after {done} of {wanted} such intervals; a larger --frames covers them all"
    return text


def _resets(report: RunReport) -> list[str]:
    """Say what a reset of one board in mid-frame cost."""
    said = []
    resets = [("control", report.reset_control), ("pin", report.reset_pin)]
    resets += [(one.by, one.reset) for one in report.meets or ()]
    for by, found in resets:
        if not found:
            continue
        name = {"control": "CONTROL", "pin": "its pin"}[by]
        text = f"reset of {found.node} by {name} in mid-frame: "
        if isinstance(found, NoReset):
            said.append(text + found.note)
            continue
        lost = ", ".join(map(str, found.lost))
        text += (
            f"{'frame' if len(found.lost) == 1 else 'frames'} {lost} never arrived"
            if lost
            else "no frame was lost"
        )
        text += f", and {found.damaged} came damaged" if found.damaged else ""
        right = all(verdict.passed for verdict in found.verdicts)
        text += f"; the {found.after} frames after it are {'right' if right else 'WRONG'}"
        if found.taking is not None:
            shown = "also" if found.taking else "not shown:"
            text += f"; {shown} in the middle of a frame that its partitions take"
        said.append(text)
    return said


def _without(report: RunReport) -> list[str]:
    """Say what became of frames without the turns of a replica."""
    said = []
    for one in report.absent or ():
        others = ", ".join(name for name in one.idle if name != one.node)
        text = f"without {one.node}" + (f" (and so without {others})" if others else "")
        text += f": {counted(one.silent, 'place')} of its streams saw nothing"
        right = bool(one.verdicts) and all(verdict.passed for verdict in one.verdicts)
        said.append(f"{text}, and the {one.frames} frames are {'right' if right else 'WRONG'}")
    return said


def _wrong(report: RunReport, width: int | None) -> list[str]:
    """Say each thing that is wrong once, first what ended the run, and last what follows."""
    lines: list[str] = []
    if report.crash:
        lines += _fit([report.crash], width)
    if report.limit:
        lines += _limit(report.limit, width)
    lines += _fit([f"{failure.test}: {failure.text}" for failure in report.failures], width)
    lines += _fit(_differences(report.differences), width)
    lines += _fit(_unshown([proof for proof in report.proofs if _lacks(proof)]), width)
    if report.conclusion:
        lines += _fit([f"It follows: {report.conclusion}."], width)
    return lines


def _lacks(proof: ProofState) -> bool:
    return proof.required and proof.state in ("not shown", "not run")


def _unshown(proofs: Sequence[ProofState]) -> list[str]:
    """Name the proofs that are missing, those that have no more to say in one sentence."""
    lines = [f"The proof {one.name} is required and was not shown: {one.note}." for one in proofs if one.note]
    plain = [one.name for one in proofs if not one.note]
    if len(plain) == 1:
        lines.append(f"The proof {plain[0]} is required and was not shown.")
    elif plain:
        lines.append(f"Proofs that are required and were not shown: {', '.join(plain)}.")
    return lines


def _differences(differences: Sequence[FailedVerdict]) -> list[str]:
    """Say each difference once, and once between what its boundary is."""
    alike: dict[tuple[str, str], list[FailedVerdict]] = {}
    for one in differences:
        alike.setdefault((one.boundary, one.detail), []).append(one)
    lines: list[str] = []
    said = set()
    for (boundary, detail), group in list(alike.items())[:_MOST]:
        one = group[0]
        runs = " and ".join(_TITLES[run] for run in one.runs)
        many = one.difference and one.mismatches > 1
        count = f"{one.mismatches} elements, " if many else ""
        names = " and ".join(entry.name for entry in group)
        lines.append(f"{names}: {detail or 'nothing crossed'} ({count}{runs})")
        ends = [
            text for way, end in (("from", one.producer), ("to", one.consumer)) if (text := _end(way, end))
        ]
        if ends and boundary not in said:
            named = "" if boundary in names else f"{boundary}: "
            lines.append(f"  {named}{one.datatype}, {', '.join(ends)}")
        said.add(boundary)
    more = len(alike) - _MOST
    return [*lines, f"and {more} more; --json has them all"] if more > 0 else lines


def _end(way: str, end: BenchEnd | None) -> str:
    """Name a port and its layer, whose name FINN may have given the partition's as a prefix."""
    if not end:
        return ""
    layer = end.layer.removeprefix(f"{end.partition}_")
    which = f" (layer {layer})" if layer else ""
    return f"{way} {end.partition}.{end.port}{which}"


def _limit(limit: Limit, width: int | None) -> list[str]:
    """Say what ended the run, where every stream stands that is not through, and who waits for whom."""
    if isinstance(limit, Overrun):
        said = f"One whole frame more than the {limit.frames} sent has crossed, which ended the run:"
        columns = [Column("stream", wrap=True), Column("words", right=True), Column("of", right=True)]
        crossed = [[stream.place, f"{stream.words:,}", f"{stream.of:,}"] for stream in limit.crossed]
        return [*_fit([said], width), *table(columns, crossed, width)]
    if isinstance(limit, TimeUp):
        return _fit([limit.text], width)
    last = limit.last
    moved = f"Last moved: {last.place}, at cycle {last.cycle:,}." if last else "Nothing has moved at all."
    arrived = f"{limit.arrived} of {limit.frames} frames had arrived by cycle {limit.cycle:,}."
    lines = _fit([limit.why, f"{arrived} {moved}"], width)
    columns = [Column("stream", wrap=True), Column("words", right=True), Column("frame", right=True)]
    columns += [Column("valid", right=True), Column("ready", right=True), Column("last at cycle", right=True)]
    rows = [
        [
            stream.place,
            f"{stream.words:,} of {stream.of:,}",
            stream.frame,
            stream.valid,
            stream.ready,
            "never" if stream.last is None else f"{stream.last:,}",
        ]
        for stream in limit.streams
    ]
    lines += table(columns, rows, width) if rows else []
    advice = f"{limit.advice}." if limit.advice else ""
    return [*lines, *_fit([*limit.waits, *filter(None, [limit.blame, advice])], width)]
