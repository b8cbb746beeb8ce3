# SPDX-License-Identifier: BSD-3-Clause
"""Writes vivado_check/ip/data from checkouts of public repositories.

`python -m tools.ip_facts CHECKOUT...`: each a folder ``<owner>+<name>``. Only files of IP are read:
``<inst>/<inst>.xml``, ``*.xci``, ``*.bd``. A data file is rewritten for each IP that is found (``--only``
narrows); the others stay. ``--score`` writes nothing, but predicts each configuration from the others.
``--names`` writes names.json instead: which IP there is in which version, by release.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from vivado_check.ip.catalogue import DATA
from vivado_check.ip.component import Component
from vivado_check.ip.store import dump

from .collect import collect
from .mine import by_vlnv, mined
from .names import seen, table, text
from .score import Score, leave_one_out


def main() -> None:
    """Mine the checkouts."""
    parser = argparse.ArgumentParser(prog="python -m tools.ip_facts", description=__doc__)
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="names of IP: axi_dma")
    parser.add_argument("--score", action="store_true", help="predict each configuration from the others")
    parser.add_argument("--names", action="store_true", help="write names.json instead")
    parser.add_argument("-o", "--out", type=Path, default=DATA)
    given = parser.parse_args()
    if given.names:
        (given.out.parent / "names.json").write_text(text(table(seen(given.checkouts))))
        return
    found = by_vlnv(collect(given.checkouts))
    wanted = {vlnv: found[vlnv] for vlnv in found if not given.only or vlnv.split(":")[2] in given.only}
    if given.score:
        _print_scores(wanted)
        return
    given.out.mkdir(parents=True, exist_ok=True)
    for vlnv, components in wanted.items():
        _, _, name, version = vlnv.split(":")
        document = mined(components)
        written = dump(document)
        (given.out / f"{name}_{version}.json").write_text(written)
        print(f"{vlnv}: {len(components)} configurations, {len(written):,} bytes")


def _print_scores(wanted: Mapping[str, Sequence[Component]]) -> None:
    total = Score()
    for vlnv, components in wanted.items():
        score = leave_one_out(components)
        total += score
        print(f"{vlnv}: {score}")
        for mistake in score.mistakes[:5]:
            print(f"  {mistake}")
    print(f"all: {total}")


if __name__ == "__main__":
    main()
