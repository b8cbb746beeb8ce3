# SPDX-License-Identifier: BSD-3-Clause
"""The report of a bench run as a table."""

from __future__ import annotations

from typing import Any


def format_report(report: dict[str, Any]) -> str:
    """Return the table: one line per boundary with the words that crossed and how many were wrong."""
    lines = [f"{'boundary':<64} {'words':>9} {'mismatches':>11}"]
    for name, title in (("stalled", "random back-pressure at every port"), ("full_rate", "no stalls")):
        if name not in report:
            continue
        lines.append(f"-- {report['frames']} frames, {title}")
        lines.extend(
            f"{v['name']:<64} {v['words']:>9} {v['mismatches']:>11}"
            + (f"  {v['detail']}" if v["detail"] else "")
            for v in report[name]["verdicts"]
        )
    lines += [report["golden"], ""] if report["golden"] else [""]
    for finding in report.get("weights", []):
        state = "written and read back" if finding["passed"] and finding["words"] else finding["detail"]
        lines.append(f"{finding['region']:<64} {finding['words']:>9} words {state}")
    for finding in report.get("loaded", []):
        what = f"{finding['memories']} memories, {finding['registers']} registers"
        lines.append(f"{finding['node']}: {what} loaded by the board's loader and read back")
    rate = frames_per_second(report)
    if rate:
        mhz = report["clock_hz"] / 1e6
        lines.append(f"{rate:.0f} frames/s of simulated time at {mhz:g} MHz")
    if report["accuracy"] is not None:
        lines.append(f"accuracy {100 * report['accuracy']:.2f} % on {report['frames']} frames")
    state = "PASS" if report["passed"] else f"FAIL: {report['problem']}"
    lines.append(f"{report['simulator']}: {report['tests']} tests in {report['seconds']:.1f} s: {state}")
    return "\n".join(lines)


def frames_per_second(report: dict[str, Any]) -> float | None:
    """Frames per second of simulated time without stalls, first beat in to last beat out."""
    run = report.get("full_rate")
    if not run or not run["cycles"]:
        return None
    return float(report["frames"] * report["clock_hz"] / run["cycles"])
