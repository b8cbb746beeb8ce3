# SPDX-License-Identifier: BSD-3-Clause
"""The report of a bench run as a table."""

from __future__ import annotations

from typing import Any

from shellgen.simulate.waves import format_waves


def format_report(report: dict[str, Any]) -> str:
    """Return the table: one line per boundary with the words that crossed and how many were wrong."""
    lines = [f"{'boundary':<64} {'words':>9} {'mismatches':>11}"]
    for name, title in (("stalled", "random back-pressure at every port"), ("full_rate", "no stalls")):
        if name not in report:
            continue
        ended = "" if report[name]["arrived"] else "; ended early"
        lines.append(f"-- {report[name]['frames']} frames and one more, {title}{ended}")
        lines.extend(
            f"{v['name']:<64} {v['words']:>9} {v['mismatches']:>11}"
            + (f"  {v['detail']}" if v["detail"] else "")
            for v in report[name]["verdicts"]
        )
    lines += [*([report["golden"]] if report["golden"] else []), *_left_out(report), ""]
    for finding in report.get("weights", []):
        state = "written and read back" if finding["passed"] and finding["words"] else finding["detail"]
        some = f", of {finding['of']} (--walk full takes all)" if finding["words"] < finding["of"] else ""
        lines.append(f"{finding['region']:<64} {finding['words']:>9} words {state}{some}")
    for finding in report.get("loaded", []):
        what = f"{finding['memories']} memories, {finding['registers']} registers"
        lines.append(f"{finding['node']}: {what} loaded by the board's loader and read back")
    rate = frames_per_second(report)
    if rate:
        mhz = report["clock_hz"] / 1e6
        lines.append(f"{rate:.0f} frames/s of simulated time at {mhz:g} MHz")
    if report["accuracy"] is not None:
        lines.append(f"accuracy {100 * report['accuracy']:.2f} % on {report['frames']} frames")
    if "waves" in report:
        lines += format_waves(report["waves"])
    spent = f"in {report['seconds']:.1f} s"
    if report["passed"]:
        lines.append(f"{report['simulator']}: {report['tests']} tests {spent}: PASS")
    else:
        lines.append(f"{report['simulator']} {spent}: FAIL: {report['problem']}")
    return "\n".join(lines)


def _left_out(report: dict[str, Any]) -> list[str]:
    """Say which golden frames were not sent."""
    sent, known = report["frames"], report["golden_frames"]
    if not sent or not known or sent >= known:
        return []
    return [f"{sent} of {known} golden frames were sent (--frames {known} sends all)"]


def frames_per_second(report: dict[str, Any]) -> float | None:
    """Frames per second of simulated time without stalls, first beat in to last out; None on a failure."""
    run = report.get("full_rate")
    if not run or not run["cycles"] or not report["passed"]:
        return None
    return float(run["frames"] * report["clock_hz"] / run["cycles"])
