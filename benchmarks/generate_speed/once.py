# SPDX-License-Identifier: BSD-3-Clause
"""Generate one system once and print the seconds of each stage as JSON; `--profile` prints hot spots."""

from __future__ import annotations

import cProfile
import json
import pstats
import sys
import time
from pathlib import Path

from shellgen.api import load
from shellgen.disk.output import write
from shellgen.emit.whole import emit


def once(cluster: Path, out: Path) -> dict[str, float]:
    """Return the seconds of the stages of `shellgen.api.generate`."""
    began, cpu = time.perf_counter(), time.process_time()
    plan, _, files = load(cluster)
    loaded = time.perf_counter()
    artifacts = emit(plan, files)
    emitted = time.perf_counter()
    write(artifacts, out)
    done = time.perf_counter()
    return {
        "load": loaded - began,
        "emit": emitted - loaded,
        "write": done - emitted,
        "cpu": time.process_time() - cpu,
        "files": len(artifacts) + 1,
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--profile"]:
        with cProfile.Profile() as profile:
            once(Path(sys.argv[2]), Path(sys.argv[3]))
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
    else:
        print(json.dumps(once(Path(sys.argv[1]), Path(sys.argv[2]))))
