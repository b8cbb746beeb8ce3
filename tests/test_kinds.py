# SPDX-License-Identifier: BSD-3-Clause
"""No code and no template asks for a board, a platform or a link by name."""

from __future__ import annotations

import ast
import re

import pytest
from source_trees import FILES, ONE_WORKER, PACKAGE, shown, tree

from shellgen.links import link_registry
from shellgen.platforms import platform_registry

pytestmark = ONE_WORKER
BOARDS = {path.stem for path in (PACKAGE.parent / "boards").glob("*.toml")}
KINDS = {*link_registry(), *platform_registry(), *BOARDS, "vnx_udp", "accl", "vitis", "coyote"}
# Where a kind says its own name, a platform that of its link to the host, and both that of their dock.
OWN_NAMES = {"KIND", "kind", "host_link", "DOCK", "dock"}
EXCUSED = {
    "cli/begin.py": {"zedboard"},  # a default, which --help shows
    "read/board.py": {"zynq"},  # a table of earlier releases, and what it is called now
}


def asked(source: ast.Module) -> list[str]:
    """Return where a source names a kind of link, platform or board, but to give the kind its name.

    Any text counts, wherever it stands, so that it does not matter how it is compared; so do attributes and
    names of arguments.
    """
    own = {
        node.value
        for node in ast.walk(source)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id in OWN_NAMES
    }
    found = []
    for node in ast.walk(source):
        name = None
        if isinstance(node, ast.Constant) and node not in own:
            name = node.value
        elif isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.keyword):
            name = node.arg
        if isinstance(node, ast.expr | ast.keyword) and isinstance(name, str) and name in KINDS:
            found.append(f"line {node.lineno}: {name}")
    return found


def test_nobody_asks_for_a_kind() -> None:
    """Links, platforms and boards are found through registries; to ask by name is a missing method."""
    found = {
        shown(path): [
            place
            for place in asked(tree(path))
            if place.partition(": ")[2] not in EXCUSED.get(shown(path), set())
        ]
        for path in FILES
    }
    assert not {name: places for name, places in found.items() if places}


def test_no_template_asks_for_a_kind() -> None:
    """In a template only a kind's own folder may name it."""
    quoted = re.compile(rf"[\"'.]({'|'.join(map(re.escape, sorted(KINDS)))})\b")
    code = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
    for path in sorted((PACKAGE.parent / "templates").rglob("*.j2")):
        for part in code.findall(path.read_text()):
            named = set(quoted.findall(part))
            assert named <= set(path.relative_to(PACKAGE.parent).parts), f"{path}: {part}"


@pytest.mark.parametrize(
    "planted",
    [
        'if node.platform == "zynq": pass',
        'if node.platform in ("zynq", "vitis"): pass',
        'if node.platform in {"zynq"}: pass',
        'ready = {"tcp_dma": 1}[link]',
        "facts = board.zynq",
        'facts = getattr(board, "zynq")',
        'if board.name.startswith("zedboard"): pass',
        'match link:\n    case "tcp_dma" | "accl":\n        pass',
        "make(zynq=True)",
        'kinds = ["coyote"]',
        'KINDS = "zynq"',
    ],
)
def test_a_kind_that_is_asked_for_is_seen(planted: str) -> None:
    assert asked(ast.parse(planted))
    assert not asked(ast.parse('KIND = "zynq"\nclass Link:\n    kind: ClassVar[str] = "tcp_dma"\n'))
