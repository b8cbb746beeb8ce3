# SPDX-License-Identifier: BSD-3-Clause
"""Writes shellgen/check/ip/data from checkouts of public repositories.

`python -m tools.ip_facts CHECKOUT...`: each a folder ``<owner>+<name>``. Only files of IP are read:
``<inst>/<inst>.xml``, ``*.xci``, ``*.bd``. A data file is written anew for each IP that is found (``--only``
narrows); the others stay. ``--score`` writes nothing, but predicts each configuration from the others.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.check.ip.catalogue import DATA
from shellgen.check.ip.store import dump

from .collect import collect
from .mine import by_vlnv, mined


def main() -> None:
    """Mine the checkouts."""
    parser = argparse.ArgumentParser(prog="python -m tools.ip_facts", description=__doc__)
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="names of IP: axi_dma")
    parser.add_argument("-o", "--out", type=Path, default=DATA)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for vlnv, components in by_vlnv(collect(given.checkouts)).items():
        _, _, name, version = vlnv.split(":")
        if given.only and name not in given.only:
            continue
        document = mined(components)
        text = dump(document)
        (given.out / f"{name}_{version}.json").write_text(text)
        print(f"{vlnv}: {len(components)} configurations, {len(text):,} bytes")


if __name__ == "__main__":
    main()
