# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as one folder that MkDocs renders: pages, the files they link to, pages of blocks."""

from __future__ import annotations

import json
import posixpath
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from shellgen.schema import SCHEMAS
from tools.blocks.pages import GROUPS

ROOT = Path(__file__).parents[2]
CONFIG = Path(__file__).with_name("mkdocs.yml")
# Folders that have pages of their own on the site.
MADE = {"ip": "docs/blocks.md"}
# Modules that a user may import, each with a page of its own below docs/api.
MODULES = {
    "shellgen.api": "The commands as functions. `import shellgen` has them under short names.",
    "shellgen.testing": "Cases for pytest, and the sources of a core for a cocotb test of one's own.",
    "shellgen.finn_step": "A step of FINN's build flow.",
    "shellgen.progress": "What a long call has reached.",
    "shellgen.errors": "What every function raises.",
    "shellgen.model.bench_report": "What `simulate` returns.",
    "shellgen.estimate.rate": "What `estimate` returns.",
    "shellgen.check.run": "What `check` returns.",
    "shellgen.split.run": "What `split` returns.",
    "shellgen.rehearse.kept": "Servers on this machine, each with its simulated core, for any client.",
    "shellgen_host": "The client of a cluster whose boards run shellgen-node.",
    "vivado_check.api": "Checks of Tcl scripts, and rules of one's own.",
}
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
# What tools/tutorials reads behind the language of a block, MkDocs takes for no block at all.
_WORDS = re.compile(r"^```console .*$", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()[^)\s#]+(?=[)#])")
_IN_HTML = re.compile(r"(?:src|srcset|href)=\"([^\"#]+)\"")

__all__ = ["CONFIG", "MODULES", "ROOT", "links", "stage", "tracked"]


def tracked() -> list[str]:
    """Return the paths of all files in the repository, relative to it."""
    found = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


def stage(blocks: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files of the site before rendering, by path.

    Pages keep the paths of the repository, so that links between them stay. A link to a folder leads to a
    list of its files, and every file with a link to it comes along.

    Args:
        blocks: Text of each page of a block by its path, as `tools.blocks.pages.pages` returns it.

    Raises:
        ValueError: A page links to a file or a folder that the repository does not have.
    """
    files = tracked()
    result = {f"blocks/{path}": text.encode() for path, text in blocks.items()}
    result |= {"docs/blocks.md": _index(blocks).encode(), **_api()}
    # Of the built-in links and platforms: an editor may read them from the site.
    result |= {
        f"docs/{name}.schema.json": json.dumps(make(), indent=1).encode() for name, make in SCHEMAS.items()
    }
    for page in (path for path in files if path.endswith(".md")):
        text = (ROOT / page).read_text()
        result[page] = _WORDS.sub("```console", _outside_fences(text, page, files)).encode()
        for target in links(text, page):
            result |= _brought(page, target, files)
    return result


def _api() -> dict[str, bytes]:
    """Return the pages of the modules, which mkdocstrings fills, and their index."""
    rows = "".join(f"| [{name}](api/{name}.md) | {text} |\n" for name, text in MODULES.items())
    index = f"# Python API\n\n| module | |\n|---|---|\n{rows}"
    pages = {f"docs/api/{name}.md": f"# {name}\n\n{text}\n\n::: {name}\n" for name, text in MODULES.items()}
    return {path: text.encode() for path, text in {"docs/api.md": index, **pages}.items()}


def _index(blocks: Mapping[str, str]) -> str:
    """Return the page that lists the pages of blocks, which are no Markdown."""
    rows = [
        f"**{group}**: {', '.join(f'[{name}](../blocks/blocks/{name}.html)' for name in names)}"
        for group, names in GROUPS.items()
        if all(f"blocks/{name}.html" in blocks for name in names)
    ]
    head = "Each page has timing diagrams, ports, parameters, cost and proofs. [All](../blocks/index.html)."
    return "\n\n".join(["# RTL blocks", head, *rows, ""])


def links(text: str, page: str) -> Iterator[str]:
    """Yield the paths in the repository that a page links to."""
    bare = _FENCE.sub("", text)
    for link in _LINK.findall(bare) + _IN_HTML.findall(bare):
        if not link.startswith(("https://", "http://", "mailto:")):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def _brought(page: str, target: str, files: list[str]) -> dict[str, bytes]:
    """Return the files that come along with a link: none for a page, which is there already."""
    if target in MADE or target.endswith(".md"):
        return {}
    if target in files:
        return {target: (ROOT / target).read_bytes()}
    inside = [path for path in files if path.startswith(f"{target}/")]
    if not inside:
        raise ValueError(f"{page}: the repository has no {target}")
    rows = "".join(f"- [{path[len(target) + 1 :]}]({path[len(target) + 1 :]})\n" for path in inside)
    return {path: (ROOT / path).read_bytes() for path in inside} | {
        f"{target}/index.md": f"# {target}\n\n{rows}".encode()
    }


def _outside_fences(text: str, page: str, files: list[str]) -> str:
    """Let links to folders lead to the lists of their files."""
    here = posixpath.dirname(page)

    def to_list(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(here, found[0]))
        if target in files or found[0].startswith("http"):
            return found[0]
        return posixpath.relpath(MADE.get(target, f"{target}/index.md"), here or ".")

    end, parts = 0, []
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(to_list, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, _LINK.sub(to_list, text[end:])])
