# SPDX-License-Identifier: BSD-3-Clause
"""Waves of a window before the first difference: the run is repeated with a model that can dump them.

Every run is the same to the cycle, so the second run needs no more than a time. If a word differs, a run
without a dump, which ends at the word, finds that time first. Streams restart after a reset, so tests before
them, which may take most of the time, are left out; if the fault does not show without them, everything is
repeated.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from string import hexdigits

from shellgen.errors import Problem, SimulationError
from shellgen.model.bench import Bench, BenchBoundary
from shellgen.model.bench_limit import Overrun, Place, Standstill
from shellgen.model.bench_report import RunReport, Waves
from shellgen.model.bench_verdict import Difference, Verdict
from shellgen.progress import step
from shellgen.simulate.build import Model
from shellgen.simulate.progress import RunWatch
from shellgen.simulate.results import LOG, Lap, read_laps
from shellgen.simulate.run import replay
from shellgen.simulate.span import Span
from shellgen.simulate.trace import WaveFormat
from shellgen.simulate.viewer import command
from shellgen.simulate.views import write_views

BEFORE, AFTER = 256, 64  # cycles of the window around what went wrong
_DUMP, _FOUND = "waves.dump", "found.txt"
_UNWRITTEN = re.compile(r"^%Error: Verilated\w+::\w+: (.*)", re.MULTILINE)
_ROOM = 1 << 16  # bytes of a disk that is as good as full
_SMALLER = "Make room on that disk, or dump fewer cycles: --waves START:END"
# Tests that send frames, in order: each may need what those before it have found out or loaded.
_STREAMS = ("load", "stuck", "streams_full_rate", "flight", "streams_stalled")
# Names for people of the tests that send frames.
_RUNS = {"streams_stalled": "the run under back-pressure", "streams_full_rate": "the run at full rate"}


@dataclass(frozen=True)
class Replay:
    """Parameters of the repeated run.

    Attributes:
        model: Builds the model that can dump waves, or finds it in the cache.
        folder: Working folder of the run that is repeated; the waves go there.
        bench: ``bench.json``.
        python_path: Folder of the bench.
        waves: Format.
        held: Locks of the run.
    """

    model: Callable[[], Model]
    folder: Path
    bench: Bench
    python_path: Path
    waves: WaveFormat
    held: Sequence[int]


@dataclass(frozen=True)
class _Wrong:
    """A word that differs at a sink or monitor, counted from 0, and its difference if it was compared."""

    word: int
    difference: Difference | None = None


@dataclass(frozen=True)
class _Found:
    """End of a search: sink or monitor, time in ps, cycle, the word there, and the count of each tap."""

    tap: int
    at_ps: int
    cycle: int
    word: str
    counts: tuple[int, ...]

    def holds(self, difference: Difference, boundary: BenchBoundary) -> bool:
        """Tell whether the word is wrong in the way that was reported."""
        code = difference.got_code
        low, size = difference.bit, boundary.element_bits
        bits = "".join(f"{int(digit, 16):04b}" if digit in hexdigits else "xxxx" for digit in self.word)
        element = bits[::-1][low : low + size][::-1]
        return "x" in element if code is None else element == f"{code:0{size}b}"


@dataclass(frozen=True)
class _Place:
    """Subject of the waves: a time in ps, its description, and the boundary, if any.

    Attributes:
        at_ps: Time in the run that is repeated, of ``tests`` alone if there are any.
        text: What is there.
        boundary: Its name.
        tests: What has to be repeated for it; empty for all.
    """

    at_ps: int
    text: str
    boundary: str = ""
    tests: tuple[str, ...] = ()


def dump_waves(again: Replay, report: RunReport, span: Span) -> Waves:
    """Repeat a run and dump waves of it.

    Args:
        again: What to repeat it with.
        report: Of the run.
        span: What is wanted.

    Raises:
        SimulationError: The run passed, and the model for waves cannot be built, or the dump is cut short.
    """
    try:
        return _dump(again, report, span)
    except SimulationError as error:
        if report.passed:
            raise
        return _nothing(f"there are none: {error}")


def _dump(again: Replay, report: RunReport, span: Span) -> Waves:
    if span.kind == "window" and report.passed:
        return _nothing(
            "nothing differs; --waves all, or --waves START:END in cycles, dumps a run that passes"
        )
    laps = read_laps(again.folder)
    lap = _lap(laps, report)
    if lap is None and span.kind != "all":
        return _nothing("it is unknown when the simulator died; --waves all dumps everything up to then")
    place = _place(again, laps, report, lap) if lap and not report.passed else None
    from_ps, to_ps, limits = 0, None, []
    if span.kind == "window":
        assert place
        cycle = again.bench.cycle_ps
        from_ps, to_ps = max(0, place.at_ps - BEFORE * cycle), place.at_ps + AFTER * cycle
    elif span.kind == "cycles":
        assert lap
        from_ps, to_ps = lap.began_ps, lap.ended_ps
        limits = [f"+waves_from_cycle={span.start}", *([f"+waves_to_cycle={span.end}"] if span.end else [])]
    ends = [f"+waves_to={to_ps}"] if to_ps else []
    tests = place.tests if place and span.kind == "window" else ()
    dumped = _run(again, [f"+waves_from={from_ps}", *ends, *limits], _DUMP, "waves", tests)
    if dumped is None:
        return _nothing("the second run did not get that far, so there are no waves")
    waves = again.folder / f"waves.{again.waves}"
    dumped.replace(waves)
    shutil.rmtree(dumped.parent)
    at_ps = place.at_ps if place else None
    views = write_views(again.bench, waves, at_ps, place.boundary if place else "")
    text = _what(span, lap, place, from_ps, again.bench.cycle_ps)
    files = tuple(str(path) for path in (waves, *views))
    return Waves(files=files, text=text, from_ps=from_ps, to_ps=to_ps, at_ps=at_ps, tests=tests)


def describe_waves(waves: Waves) -> list[str]:
    """Return the sentences of the report: what was dumped, and what is to be said of the format."""
    return [f"waves: {text}" for text in (waves.text, waves.note) if text]


def viewer_commands(waves: Waves) -> list[str]:
    """Return the commands that show the waves, ready for a shell; none if there are none."""
    if not waves.files:
        return []
    dump, gtkwave, surfer = waves.files
    return [command("gtkwave", dump, gtkwave), command("surfer", dump, surfer)]


def _nothing(text: str) -> Waves:
    return Waves(files=(), text=text, from_ps=None, to_ps=None, at_ps=None, tests=())


def _lap(laps: list[Lap], report: RunReport) -> Lap | None:
    """Return the test that failed first; of a run that passed, the first with streams."""
    if report.passed:
        return next((lap for lap in laps if lap.name in _RUNS), None)
    return next((lap for lap in laps if not lap.passed), None)


def _place(again: Replay, laps: Sequence[Lap], report: RunReport, lap: Lap) -> _Place:
    """Find the time of what went wrong in a test."""
    section = {"streams_full_rate": report.full_rate, "streams_stalled": report.stalled}.get(lap.name)
    limit = report.limit if section and not section.arrived else None
    surplus = limit.crossed if isinstance(limit, Overrun) else ()
    taps = {tap.place: tap.name for tap in again.bench.taps}
    wrong = _differing_words(taps, section.verdicts if section else ())
    wrong |= {taps[stream.place]: _Wrong(stream.of) for stream in surplus}
    for tests in dict.fromkeys((_needed(laps, lap), ())):
        before = laps[: laps.index(lap)]
        left_out = [one for one in before if tests and one.name not in tests]
        began_ps = lap.began_ps - sum(one.ended_ps - one.began_ps for one in left_out)
        place = None
        if wrong:
            place = _differing(again, wrong, began_ps, tests, surplus=bool(surplus))
        elif isinstance(limit, Standstill):
            place = _standing_still(again, limit, began_ps, tests)
        if place:
            return place
    return _Place(lap.ended_ps, "it ends where the fault was noticed")


def _needed(laps: Sequence[Lap], lap: Lap) -> tuple[str, ...]:
    """Return the tests that the streams of one build on, itself last; none if there are no others."""
    if lap.name not in _STREAMS:
        return ()
    wanted = _STREAMS[: _STREAMS.index(lap.name) + 1]
    before = [one.name for one in laps[: laps.index(lap) + 1]]
    return tuple(name for name in before if name in wanted) if set(before) - set(wanted) else ()


def _differing(
    again: Replay, wrong: dict[str, _Wrong], began_ps: int, tests: tuple[str, ...], *, surplus: bool
) -> _Place | None:
    """Find the first wrong word in a run of these tests; nothing if it is not wrong there."""
    asked = [f"+waves_{tap}={one.word}" for tap, one in wrong.items()]
    found = _search(again, began_ps, asked, tests)
    if not found:
        return None
    where = again.bench.taps[found.tap]
    boundary, difference = again.bench.boundaries[where.boundary], wrong[where.name].difference
    if tests and difference and not found.holds(difference, boundary):
        return None
    what = "the first word too many" if surplus else "the first difference"
    text = f"{what} is at cycle {found.cycle:,}: {where.place}"
    return _Place(found.at_ps - again.bench.cycle_ps // 2, text, boundary.name, tests)


def _standing_still(again: Replay, limit: Standstill, began_ps: int, tests: tuple[str, ...]) -> _Place | None:
    """Find where nothing moved any more in a run of these tests; nothing if others moved till then."""
    last = limit.last or Place(cycle=0, place="")
    found = _search(again, began_ps, [f"+waves_at_cycle={last.cycle}"], tests)
    if not found:
        return None
    counts = {tap.place: count for tap, count in zip(again.bench.taps, found.counts, strict=True)}
    if tests and any(abs(counts[one.place] - one.words) > 1 for one in limit.streams):
        return None
    ends = {tap.place: again.bench.boundaries[tap.boundary] for tap in again.bench.taps}
    boundary = ends[last.place].name if last.place else ""
    what = f"the last word moved at cycle {last.cycle:,}: {last.place}"
    text = what if boundary else "nothing moved at all"
    return _Place(found.at_ps - again.bench.cycle_ps // 2, text, boundary, tests)


def _search(again: Replay, began_ps: int, asked: list[str], tests: tuple[str, ...]) -> _Found | None:
    """Repeat the run until one of these comes up after a time; return where, if it does."""
    plusargs = [f"+waves_after={began_ps}", *asked]
    found = _run(again, plusargs, _FOUND, "looking for what went wrong", tests)
    if found is None:
        return None
    where, word, *counts = found.read_text().splitlines()
    tap, at_ps, cycle = map(int, where.split())
    return _Found(tap, at_ps, cycle, word.lower(), tuple(map(int, counts)))


def _differing_words(taps: dict[str, str], verdicts: Sequence[Verdict]) -> dict[str, _Wrong]:
    """Return the first wrong word of each sink and monitor; the rest of what crossed says no more."""
    words: dict[str, _Wrong] = {}
    for verdict in verdicts:
        first = verdict.difference
        if not verdict.passed and verdict.mismatches and first and first.tap:
            known = words.get(first.tap)
            if known is None or first.word < known.word:
                words[first.tap] = _Wrong(first.word, first)
    if words:
        return words
    places = {f"drift at {place}": tap for place, tap in taps.items()}
    return {places[one.name]: _Wrong(one.words - 1) for one in verdicts if one.name in places}


def _run(again: Replay, plusargs: list[str], wanted: str, doing: str, tests: tuple[str, ...]) -> Path | None:
    """Repeat these tests of the run, or all, with these; return the file that it leaves, if it does."""
    step(f"{doing}: is the model built?")
    model = again.model()
    folder = again.folder / "again"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    options = json.loads((again.folder / "options.json").read_text()) | {"deadline": None, "timeout": None}
    (folder / "options.json").write_text(json.dumps(options, indent=1))
    watch = RunWatch(folder, f"{model.simulator}, {doing}", None)
    with suppress(SimulationError):  # it ends early, on purpose: what it leaves is what counts
        path = [again.python_path]
        replay(
            *(model, "test_cluster", path, folder, plusargs, watch, again.waves),
            tests=tests,
            held=again.held,
        )
    file = folder / wanted
    if not file.exists() or not file.stat().st_size:
        return None
    if wanted == _DUMP and (why := _cut_short(folder)):
        raise SimulationError(Problem(str(file), f"this dump is cut short: {why}", _SMALLER))
    return file


def _cut_short(folder: Path) -> str:
    """Say why a dump may not be whole: Verilator's writer says so, that of Icarus does not."""
    if said := _UNWRITTEN.search((folder / LOG).read_text(errors="replace")):
        return said[1]
    return "the disk is full" if shutil.disk_usage(folder).free < _ROOM else ""


def _what(span: Span, lap: Lap | None, place: _Place | None, from_ps: int, cycle_ps: int) -> str:
    """Say what the waves hold."""
    of = f" in {_RUNS.get(lap.name, f'the test of {lap.name}')}" if lap else ""
    if span.kind == "all":
        held = "everything"
    elif span.kind == "cycles":
        held = (
            f"cycles {span.start:,} to {span.end:,}{of}" if span.end else f"from cycle {span.start:,} on{of}"
        )
    else:
        assert place
        held = f"{(place.at_ps - from_ps) // cycle_ps:,} cycles before and {AFTER} after{of}"
    return f"{held}; {place.text}" if place else held
