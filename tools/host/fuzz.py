# SPDX-License-Identifier: BSD-3-Clause
"""Fuzz shellgen-node with libFuzzer under ASan and UBSan: `make fuzz`, or `python -m tools.host.fuzz`."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
NODE, HERE = ROOT / "host" / "node", ROOT / "tests" / "node_fuzz"
FLAGS = ("-std=c++17", "-O1", "-g", "-DASIO_STANDALONE", f"-I{NODE}", f"-I{HERE}")
SANITIZERS = ("-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined")
COMPILERS = ("clang++", *(f"clang++-{version}" for version in range(20, 13, -1)))


@dataclass(frozen=True)
class Target:
    """One fuzzer.

    Attributes:
        name: Its source in tests/node_fuzz, and what it is called.
        sources: Of host/node, that it is linked with.
        longest: Bytes of an input at most.
        share: Of all executions.
    """

    name: str
    sources: tuple[str, ...]
    longest: int
    share: float


TARGETS = (
    Target("header", ("wire", "crc32c", "tls"), 400, 0.82),
    Target("packets", ("packet", "packet_ends", "crc32c"), 600, 0.1),
    Target("store", ("store",), 120, 0.02),
    Target("map", ("settings", "map_check", "crc32c", "dma_model"), 20_000, 0.03),
    Target(
        "server",
        (
            "wire",
            "crc32c",
            "dma_engine",
            "dma_model",
            "axi_dma",
            "bring_up",
            "core",
            "control",
            "job",
            "node",
            "orders",
            "outlet",
            "packet",
            "packet_ends",
            "receiver",
            "rings",
            "sender",
            "settings",
            "map_check",
            "store",
            "tls",
            "token",
            "udp_ends",
            "weights",
        ),
        600,
        0.03,
    ),
)


def compiler() -> str:
    """Return clang, whose libFuzzer this needs."""
    for name in COMPILERS:
        if found := shutil.which(name):
            return found
    sys.exit("fuzz: clang++ is not installed; run apt-get install clang-14 libclang-rt-14-dev")


def build(target: Target, folder: Path) -> Path:
    """Return the fuzzer."""
    program = folder / target.name
    sources = [HERE / f"{target.name}.cpp", *(NODE / f"{name}.cpp" for name in target.sources)]
    subprocess.run(
        [
            compiler(),
            *FLAGS,
            *SANITIZERS,
            *map(str, sources),
            "-o",
            str(program),
            "-pthread",
            "-lssl",
            "-lcrypto",
        ],
        check=True,
    )
    return program


def fuzz(target: Target, folder: Path, runs: int, seed: int) -> int:
    """Run a fuzzer; return the number of executions.

    Raises:
        subprocess.CalledProcessError: It found something; the reproducer is in the folder.
    """
    program, corpus = build(target, folder), folder / f"corpus_{target.name}"
    corpus.mkdir(exist_ok=True)
    if target.name == "map":  # a whole map to begin with
        text = (ROOT / "docs" / "example" / "out" / "zed0" / "memory_map.json").read_text()
        (corpus / "example").write_text(json.dumps(json.loads(text), separators=(",", ":")))
    command = [program, corpus, f"-runs={runs}", f"-seed={seed}", f"-max_len={target.longest}"]
    # Allocations are counted against one limit: a peer must not raise memory.
    command += [
        "-rss_limit_mb=1024",
        "-malloc_limit_mb=64",
        "-print_final_stats=1",
        f"-artifact_prefix={folder}/",
    ]
    ran = subprocess.run([str(word) for word in command], stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        print(ran.stderr[-6000:])
        raise subprocess.CalledProcessError(ran.returncode, target.name)
    done = re.search(r"stat::number_of_executed_units: (\d+)", ran.stderr)
    assert done
    return int(done[1])


def main(words: list[str] | None = None) -> int:
    """Run all fuzzers from the command line."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000_000, help="executions (default 10 million)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "-o", "--out", type=Path, default=Path("out/fuzz_node"), help="programs and reproducers"
    )
    args = parser.parse_args(words)
    args.out.mkdir(parents=True, exist_ok=True)
    total = 0
    for target in TARGETS:
        try:
            done = fuzz(target, args.out, max(1, round(args.count * target.share)), args.seed)
        except subprocess.CalledProcessError:
            print(f"{target.name}: found something; reproducer in {args.out}")
            return 1
        total += done
        print(f"{done:>10}  {target.name}", flush=True)
    print(f"{total} executions, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
