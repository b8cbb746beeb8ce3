# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/report.md from the records of a run's report: `make docs`, or `python -m tools.report_page`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from pydantic import BaseModel

from shellgen.model import bench, bench_findings, bench_limit, bench_report, bench_verdict

PAGE = Path(__file__).parents[1] / "docs" / "report.md"
_HEAD = """# Report of a run

`shellgen simulate out --json` prints one document. `out/bench/run_<simulator>/report.json` has the same
without `ok` and `estimate`, which the command adds. With `--simulator both`, the document has `ok`, `passed`
and `reports`, a list of reports. An optional section is missing where its test did not run or there is
nothing to say. A command that ended in an error has `problems`, a list of texts.

This page is generated from the records (`shellgen/model/bench_report.py`) by `make docs`. Its terms are in
the glossary: [partition](glossary.md#partition), [boundary](glossary.md#boundary), [link](glossary.md#link),
[frame](glossary.md#frame), [transfer](glossary.md#transfer), [word](glossary.md#word),
[beat](glossary.md#beat), [monolith](glossary.md#monolith), [golden vectors](glossary.md#golden).
"""
_RECORDS = (
    bench_report.RunReport,
    bench_report.ProofState,
    bench_report.FailedVerdict,
    bench_report.Waves,
    bench.BenchEnd,
    bench_verdict.StreamsRun,
    bench_verdict.Handshake,
    bench_verdict.Verdict,
    bench_verdict.Difference,
    bench_verdict.Sight,
    bench_findings.NodeControl,
    bench_findings.MemoryWalk,
    bench_findings.NodeAccesses,
    bench_findings.WrongTransfers,
    bench_findings.BringUp,
    bench_findings.NodeLoad,
    bench_findings.FlightReset,
    bench_findings.MeetReset,
    bench_findings.NodeReset,
    bench_findings.NoReset,
    bench_findings.NoTurns,
    bench_findings.Failure,
    bench_limit.Overrun,
    bench_limit.Crossed,
    bench_limit.Standstill,
    bench_limit.Place,
    bench_limit.StreamState,
    bench_limit.TimeUp,
)
_PLAIN = {"str": "text", "int": "integer", "float": "number", "bool": "true or false", "None": "null"}
_PLAIN |= dict.fromkeys(("Name", "Line", "State", "Proof", "RunName"), "text") | {"object": "any"}
_UNIONS = {"Limit": "Overrun | Standstill | TimeUp", "Reset": "NodeReset | NoReset"}


def page() -> str:
    """Return the page."""
    return _HEAD + "".join(_section(record) for record in _RECORDS)


def _section(record: type[BaseModel]) -> str:
    summary, meanings = _documented(record)
    rows = [
        f"| `{name}` | {_type(record, name)} | {meanings.get(name, '')} |" for name in record.model_fields
    ]
    table = "\n".join(["| field | type | meaning |", "|---|---|---|", *rows])
    return f"\n## {record.__name__}\n\n{summary}\n\n{table}\n"


def _documented(record: type[BaseModel]) -> tuple[str, dict[str, str]]:
    """Return the summary of a docstring, and the meaning of each field, inherited ones included."""
    meanings: dict[str, str] = {}
    for base in reversed(record.__mro__):
        text = inspect.cleandoc(base.__doc__ or "").partition("Attributes:\n")[2]
        for name, said in re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", text, re.MULTILINE):
            meanings[name] = " ".join(said.split()).replace("``", "`")
    return inspect.cleandoc(record.__doc__ or "").partition("\n")[0].replace("``", "`"), meanings


def _annotation(record: type[BaseModel], name: str) -> str:
    owner = next(base for base in record.__mro__ if name in inspect.get_annotations(base))
    return str(inspect.get_annotations(owner)[name])


def _type(record: type[BaseModel], name: str) -> str:
    """Return the type of a field; one with a default is missing where there is nothing to say."""
    text, whole = _annotation(record, name), issubclass(record, bench_findings.Findings)
    if not whole or record.model_fields[name].is_required():
        return _kind(text)
    return f"{_kind(text.removesuffix(' | None'))}, optional"


def _kind(text: str) -> str:
    """Say a type of Python in the words of JSON."""
    text = _UNIONS.get(text, text)
    if " | " in text and "[" not in text:
        return " or ".join(_kind(one) for one in text.split(" | "))
    if found := re.fullmatch(r"tuple\[(.+), \.\.\.\]", text):
        return f"list of {_kind(found[1])}"
    if found := re.fullmatch(r"tuple\[(.+)\]", text):
        return f"list of {len(found[1].split(', '))} {_kind(found[1].split(', ')[0])}s"
    if found := re.fullmatch(r"dict\[str, (.+)\]", text):
        return f"table of {_kind(found[1])}"
    if text.startswith("Literal["):
        return "text"
    return _PLAIN.get(text, f"[{text}](#{text.lower()})")


if __name__ == "__main__":
    PAGE.write_text(page())
