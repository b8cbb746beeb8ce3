# SPDX-License-Identifier: BSD-3-Clause
"""Waves of a window before the first difference: the run is repeated with a model that can dump them.

Every run is the same to the cycle, so the second needs no more than a time. Where a word differs, that time
is found first, by a run that dumps nothing and ends at the word.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen.errors import SimulationError
from shellgen.model.bench import Bench
from shellgen.progress import step
from shellgen.quote import shell_quote
from shellgen.simulate.build import Model
from shellgen.simulate.progress import RunWatch
from shellgen.simulate.results import Lap, read_laps
from shellgen.simulate.run import replay
from shellgen.simulate.span import Span
from shellgen.simulate.trace import WaveFormat
from shellgen.simulate.views import write_views

BEFORE, AFTER = 256, 64  # cycles of the window around what went wrong
_DUMP, _FOUND = "waves.dump", "found.txt"
# Section of the report and name for people of the tests that send frames.
_SECTIONS = {
    "streams_stalled": ("stalled", "the run under back-pressure"),
    "streams_full_rate": ("full_rate", "the run at full rate"),
}


@dataclass(frozen=True)
class Replay:
    """What the run is repeated with.

    Attributes:
        model: Builds the model that can dump waves, or finds it in the cache.
        folder: Working folder of the run that is repeated; the waves go there.
        bench: ``bench.json``.
        python_path: Folder of the bench.
        waves: Format.
    """

    model: Callable[[], Model]
    folder: Path
    bench: Bench
    python_path: Path
    waves: WaveFormat


@dataclass(frozen=True)
class _Place:
    """What the waves are about: a time in ps, what it is in words, and the boundary, if it is of one."""

    at_ps: int
    text: str
    boundary: str = ""


def dump_waves(again: Replay, report: dict[str, Any], span: Span) -> dict[str, Any]:
    """Repeat a run and dump waves of it.

    Args:
        again: What to repeat it with.
        report: Of the run.
        span: What is wanted.

    Returns:
        What the report says of it: ``files`` (waves, view for GTKWave, view for Surfer; none if nothing was
        dumped), ``text``, ``from_ps``, ``to_ps``, and ``at_ps`` of what went wrong.

    Raises:
        SimulationError: The run passed, and the model for waves cannot be built.
    """
    try:
        return _dump(again, report, span)
    except SimulationError as error:
        if report["passed"]:
            raise
        return _nothing(f"the model for them cannot be built: {error}")


def _dump(again: Replay, report: dict[str, Any], span: Span) -> dict[str, Any]:
    if span.kind == "window" and report["passed"]:
        return _nothing(
            "nothing differs; --waves all, or --waves START:END in cycles, dumps a run that passes"
        )
    laps = read_laps(again.folder)
    lap = _lap(laps, report)
    if lap is None and span.kind != "all":
        return _nothing("it is unknown when the simulator died; --waves all dumps everything up to then")
    place = _place(again, report, lap) if lap and not report["passed"] else None
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
    dumped = _run(again, [f"+waves_from={from_ps}", *ends, *limits], _DUMP, "waves")
    if dumped is None:
        return _nothing("the second run did not get that far, so there are no waves")
    waves = again.folder / f"waves.{again.waves}"
    dumped.replace(waves)
    shutil.rmtree(dumped.parent)
    at_ps = place.at_ps if place else None
    views = write_views(again.bench, waves, at_ps, place.boundary if place else "")
    text = _what(span, lap, place, from_ps, again.bench.cycle_ps)
    files = [str(path) for path in (waves, *views)]
    return {"files": files, "text": text, "from_ps": from_ps, "to_ps": to_ps, "at_ps": at_ps}


def describe_waves(waves: dict[str, Any]) -> list[str]:
    """Return the sentences of the report: what was dumped, and what is to be said of the format."""
    return [f"waves: {text}" for text in (waves["text"], waves.get("note")) if text]


def viewer_commands(waves: dict[str, Any]) -> list[str]:
    """Return the commands that show the waves, ready for a shell; none if there are none."""
    if not waves["files"]:
        return []
    dump, gtkwave, surfer = (shell_quote(file) for file in waves["files"])
    return [f"gtkwave {dump} {gtkwave}", f"surfer -c {surfer} {dump}"]


def _nothing(text: str) -> dict[str, Any]:
    return {"files": [], "text": text, "from_ps": None, "to_ps": None, "at_ps": None}


def _lap(laps: list[Lap], report: dict[str, Any]) -> Lap | None:
    """Return the test that failed first; of a run that passed, the first with streams."""
    if report["passed"]:
        return next((lap for lap in laps if lap.name in _SECTIONS), None)
    return next((lap for lap in laps if not lap.passed), None)


def _place(again: Replay, report: dict[str, Any], lap: Lap) -> _Place:
    """Find the time of what went wrong in a test."""
    section = report.get(_SECTIONS.get(lap.name, ("",))[0], {})
    limit = report.get("limit", {}) if section and not section.get("arrived", True) else {}
    taps = {tap.place: tap.name for tap in again.bench.taps}
    words = _differing_words(taps, section)
    words |= {taps[entry["place"]]: entry["of"] for entry in limit.get("crossed", ())}
    half = again.bench.cycle_ps // 2  # a word lies there before the edge that takes it
    if words and (found := _search(again, lap, [f"+waves_{tap}={word}" for tap, word in words.items()])):
        tap, at_ps, cycle = found
        where = again.bench.taps[tap]
        what = "the first word too many" if limit.get("crossed") else "the first difference"
        text = f"{what} is at cycle {cycle:,}: {where.place}"
        return _Place(at_ps - half, text, again.bench.boundaries[where.boundary].name)
    if "cycle" in limit and "idle" in limit:
        last = limit["last"] or {"cycle": 0, "place": ""}
        if found := _search(again, lap, [f"+waves_at_cycle={last['cycle']}"]):
            ends = {tap.place: again.bench.boundaries[tap.boundary] for tap in again.bench.taps}
            what = f"the last word moved at cycle {last['cycle']:,}: {last['place']}"
            boundary = ends[last["place"]].name if last["place"] else ""
            return _Place(found[1] - half, what if boundary else "nothing moved at all", boundary)
    return _Place(lap.ended_ps, "it ends where the fault was noticed")


def _search(again: Replay, lap: Lap, asked: list[str]) -> tuple[int, int, int] | None:
    """Repeat the run until one of these comes up in a test; return sink, time in ps and cycle."""
    found = _run(again, [f"+waves_after={lap.began_ps}", *asked], _FOUND, "looking for what went wrong")
    if found is None:
        return None
    tap, at_ps, cycle = (int(field) for field in found.read_text().split())
    return tap, at_ps, cycle


def _differing_words(taps: dict[str, str], section: dict[str, Any]) -> dict[str, int]:
    """Return the first wrong word of each sink and monitor; the rest of what crossed says no more."""
    words: dict[str, int] = {}
    for verdict in section.get("verdicts", ()):
        if verdict["passed"] or not verdict["mismatches"]:
            continue
        first = verdict["difference"]
        if first and first["tap"]:
            words[first["tap"]] = min(first["word"], words.get(first["tap"], first["word"]))
    if words:
        return words
    places = {f"drift at {place}": tap for place, tap in taps.items()}
    return {
        places[verdict["name"]]: verdict["words"] - 1
        for verdict in section.get("verdicts", ())
        if verdict["name"] in places
    }


def _run(again: Replay, plusargs: list[str], wanted: str, doing: str) -> Path | None:
    """Repeat the run with these; return the file that it leaves, if it does."""
    step(f"{doing}: is the model built?")
    model = again.model()
    folder = again.folder / "again"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    options = json.loads((again.folder / "options.json").read_text()) | {"deadline": None, "timeout": None}
    (folder / "options.json").write_text(json.dumps(options, indent=1))
    watch = RunWatch(folder, f"{model.simulator}, {doing}", None)
    with suppress(SimulationError):  # it ends early, on purpose: what it leaves is what counts
        replay(model, "test_cluster", [again.python_path], folder, plusargs, watch, again.waves)
    file = folder / wanted
    return file if file.exists() and file.stat().st_size else None


def _what(span: Span, lap: Lap | None, place: _Place | None, from_ps: int, cycle_ps: int) -> str:
    """Say what the waves hold."""
    of = f" in {_SECTIONS.get(lap.name, ('', f'the test of {lap.name}'))[1]}" if lap else ""
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
