# SPDX-License-Identifier: BSD-3-Clause
"""Allowed imports, allowed disk access, sizes, and no dictionaries between packages."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from source_trees import FILES, ONE_WORKER, PACKAGE, shown, tree

from shellgen import model

pytestmark = ONE_WORKER

# The package below; what it may import, its own tests say.
LOWER = "vivado_check"

# Packages that each package may import besides itself.
BASE = {
    "costs",
    "latencies",
    *(
        "errors",
        "hdl_fixes",
        "model",
        "resources",
        "render",
        "registers",
        "ipxact",
        "table",
        "counted",
        "cache",
        "disk",
        "process",
    ),
    *("formats", "quote", "progress", "plugins", "__init__", "vivado_check.formats"),
}
ALLOWED = {
    "errors": {"vivado_check.errors"},
    "formats": {"errors", "vivado_check.formats"},
    "disk": {"errors", "vivado_check.formats", "model", "progress"},
    "hdl_fixes": set(),
    "progress": set(),
    "plugins": {"errors", "model", "resources"},
    "table": {"errors"},
    "counted": set(),
    "cache": {"disk", "errors", "resources", "vivado_check.formats"},
    "process": set(),
    "resources": set(),
    "costs": {"model"},
    "latencies": set(),
    "model": {"errors"},
    "quote": set(),
    "render": {"cache", "quote", "resources"},
    "ipxact": {"model", "quote", "render"},
    "registers": {"errors", "vivado_check.formats", "model", "resources"},
    "links": BASE,
    "platforms": BASE | {"links"},
    "schema": BASE | {"links", "platforms"},
    "read": BASE | {"vivado_check.syntax"},
    "init": BASE | {"read", "platforms"},
    "plan": BASE | {"links", "platforms"},
    "emit": BASE | {"links", "platforms"},
    "simulate": BASE | {"emit", "links", "vivado_check.syntax"},
    "rehearse": BASE | {"estimate", "read", "report", "simulate"},
    "build": BASE | {"read", "platforms"},
    "check": BASE | {"platforms", "read", "simulate", "vivado_check", "vivado_check.syntax"},
    "stitch": BASE,
    "reference": BASE | {"stitch"},  # the same configuration file
    "golden": BASE | {"read"},
    "estimate": BASE | {"links", "platforms"},
    "split": BASE | {"estimate", "links", "plan", "platforms", "read"},
    "report": BASE | {"emit", "estimate", "links", "plan", "platforms", "read", "simulate"},
    "api": BASE
    | {
        "check",
        "emit",
        "estimate",
        "golden",
        "links",
        "loaded",
        "platforms",
        "read",
        "report",
        "simulate",
        "split",
        "splitting",
        "system",
        "vivado_check",
    },
    "system": BASE | {"golden", "plan", "read"},
    "loaded": BASE | {"read", "system", "vivado_check"},
    "splitting": BASE | {"read", "split", "stitch"},
    "finn_step": set(),  # runs in FINN's environment, where shellgen cannot be imported
    "resumed": BASE | {"report", "simulate", "stitch"},
    "demo": BASE | {"api", "reference", "report", "resumed", "simulate", "stitch"},
    "testing": BASE | {"api", "simulate"},  # runs in the user's pytest
    "cli": BASE
    | {
        "api",
        "build",
        "check",
        "vivado_check",
        "estimate",
        "init",
        "loaded",
        "read",
        "plan",
        "emit",
        "links",
        "platforms",
        "simulate",
        "split",
        "splitting",
        "stitch",
        "reference",
        "rehearse",
        "report",
        "resumed",
        "schema",
        "demo",
    },
    "__main__": {"cli"},
    "__init__": {"api", "errors"},  # when their names are first used
}


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_in(parsed: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(parsed) if isinstance(node, ast.Import | ast.ImportFrom)]


@cache
def import_nodes(path: Path) -> list[ast.Import | ast.ImportFrom]:
    return imports_in(tree(path))


def source(node: ast.ImportFrom, path: Path) -> str:
    """Full name of the module that names are imported from: of a relative import, seen from the file."""
    if not node.level:
        return node.module or ""
    near = ("shellgen", *path.relative_to(PACKAGE).parent.parts)
    assert node.level <= len(near), f"{shown(path)}: line {node.lineno} leaves the package"
    return ".".join((*near[: len(near) - node.level + 1], *filter(None, [node.module])))


def lower(module: str) -> str:
    """Return the part of vivado_check that a module belongs to: readers for many packages, or the check."""
    part = ".".join(module.split(".")[:2])
    return part if part in {f"{LOWER}.{name}" for name in ("errors", "formats", "syntax")} else LOWER


def imports(path: Path) -> set[str]:
    """Return the packages that a file of shellgen imports from."""
    found = set()
    for node in import_nodes(path):
        if isinstance(node, ast.ImportFrom):
            assert not any(alias.name == "*" for alias in node.names), f"{path}: star import"
            module = source(node, path)
            if module == "shellgen":
                names = [alias.name for alias in node.names]
                found |= {
                    name if (PACKAGE / name).exists() or (PACKAGE / f"{name}.py").exists() else "__init__"
                    for name in names
                }
            elif module.startswith("shellgen."):
                found.add(module.split(".")[1])
            elif module.split(".")[0] == LOWER:
                found |= {lower(f"{module}.{alias.name}") for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("shellgen.")}
            found |= {lower(alias.name) for alias in node.names if alias.name.split(".")[0] == LOWER}
    return found


def test_imports_follow_the_house() -> None:
    assert not {
        shown(path): bad for path in FILES if (bad := imports(path) - ALLOWED[room(path)] - {room(path)})
    }


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("bad.py", "from shellgen.read import read_network\nimport shellgen.cli\n", {"read", "cli"}),
        (
            "check/bad.py",
            "from ..cli import main\nfrom .. import stitch, __version__\n",
            {"cli", "stitch", "__init__"},
        ),
        ("check/tcl/bad.py", "from ...build.tools import a\nfrom ..report import b\n", {"build", "check"}),
        ("check/tcl/bad.py", "from . import lines\nfrom .lines import Lines\n", {"check"}),
        ("bad.py", "from vivado_check import syntax\nimport vivado_check.run\n", {LOWER, f"{LOWER}.syntax"}),
        ("bad.py", "from vivado_check.formats.xml import parse_xml\n", {f"{LOWER}.formats"}),
        ("check/__init__.py", "from . import run\nfrom ..api import check\n", {"check", "api"}),
        ("bad.py", "def late():\n    from .demo import x\n    from . import cli as other\n", {"demo", "cli"}),
    ],
)
def test_an_import_is_seen(name: str, text: str, found: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is written: by the full name, or seen from the file."""
    monkeypatch.setitem(globals(), "import_nodes", lambda _: imports_in(ast.parse(text)))
    assert imports(PACKAGE / name) == found


def test_every_room_is_known() -> None:
    assert {room(path) for path in FILES} <= set(ALLOWED)


def top_imports(path: Path) -> set[str]:
    found = set()
    for node in import_nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
    return found


def test_goods_know_nothing_of_the_workshop(tmp_path: Path) -> None:
    """The installed package works without tools/, tests/ and benchmarks/; the blocks are not Python."""
    root = PACKAGE.parent
    goods = [*FILES, *(root / "sim").rglob("*.py"), *(root / "templates").rglob("*.py")]
    workshop = {"tools", "tests", "benchmarks"}
    assert not {str(path): found for path in goods if (found := top_imports(path) & workshop)}
    assert not list((root / "ip").rglob("*.py"))
    bad = tmp_path / "bad.py"
    bad.write_text("import tools.blocks\nfrom benchmarks import area\n")
    assert top_imports(bad) == {"tools", "benchmarks"}


def test_the_client_knows_nothing_of_the_generator() -> None:
    """host/shellgen_host runs where shellgen is not installed; of shellgen only `rehearse` uses it."""
    client = sorted((PACKAGE.parent / "host" / "shellgen_host").glob("*.py"))
    assert len(client) > 5
    allowed = {
        "numpy",
        "aiohttp",
        "cryptography",
        "prometheus_client",
        "shellgen_host",
        *sys.stdlib_module_names,
    }
    assert not {path.name: found for path in client if (found := top_imports(path) - allowed)}
    assert {room(path) for path in FILES if "shellgen_host" in top_imports(path)} == {"rehearse"}


WRITES = re.compile(
    r"\.write_text\(|\.write_bytes\(|\bopen\([^)]*[\"'][wax]|subprocess\.|shutil\.(copy|move|rmtree)"
)
# Settings of the machine that a package for input may read: folders that a user shares between projects.
ENVIRONMENT = {"cli/__init__.py", "read/board.py"}


def may_write(path: Path) -> bool:
    return (
        room(path)
        in (
            *("build", "cache", "disk", "process", "simulate", "stitch", "reference", "rehearse"),
            *("demo", "finn_step"),
        )
        or path.name == "write.py"
    )


def test_only_writers_write() -> None:
    """Only disk/output.py, disk, build, cache, simulate, rehearse, stitch and reference touch the disk."""
    others = {shown(path): path.read_text() for path in FILES if not may_write(path)}
    assert not {name: found[0] for name, text in others.items() if (found := WRITES.search(text))}
    assert {name for name, text in others.items() if "os.environ" in text} <= ENVIRONMENT


READS = re.compile(r"\.(read_text|read_bytes|open)\(|\bonnx\.load\(|\bElementTree\.parse\(")


def test_inputs_are_opened_in_one_place() -> None:
    """A pipe, a device or a folder may have the name of any file, and formats/files.py knows that."""
    readers = [path for path in FILES if room(path) in ("read", "formats", "init", "golden", "disk")]
    opens = {
        shown(path): found
        for path in readers
        if (found := READS.findall(path.read_text().replace("os.open(", "")))
        and path.name not in ("files.py", "changes.py", "locks.py", "output.py")
    }
    assert not opens, "use vivado_check.formats.files"


LOOKS = re.compile(
    r"\.(is_file|is_dir|exists|iterdir|glob|rglob|stat|lstat)\(|\bos\.(walk|scandir|listdir)\("
)


def test_folders_are_looked_at_in_one_place() -> None:
    """A plan is kept as long as all that was looked at is as it was, so that each look has to be recorded."""
    readers = [path for path in FILES if room(path) in ("read", "formats", "golden", "plan")]
    looks = {shown(path): found for path in readers if (found := LOOKS.findall(path.read_text()))}
    assert set(looks) == {"read/output.py"}, "use vivado_check.formats.looks; what we wrote is no input"


def test_sizes() -> None:
    assert not [shown(path) for path in FILES if len(path.read_text().splitlines()) > 400]


LOOSE = re.compile(r"\b(dict|Mapping)\[str, (object|Any)\]")
# Documents that cross between packages as JSON or TOML, and a value that only one package understands.
DOCUMENTS = {
    "read_memory_map": "memory_map.json, printed as it is",
    "Findings": "the test of a link notes what only that link understands",
    **dict.fromkeys(
        ("Network", "kept_golden", "make_golden"), "a stitched graph is read by read/ and executed by golden/"
    ),
}


def loose(source: ast.Module) -> set[str]:
    """Public functions and classes of a file that speak of dictionaries where a record has names."""
    found = set()
    for node in source.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            inner = ast.walk(node) if isinstance(node, ast.ClassDef) else (node, *ast.walk(node.args))
            if any(LOOSE.search(annotation) for one in inner for annotation in annotated(one)):
                found.add(node.name)
    return found


def annotated(node: ast.AST) -> list[str]:
    """Annotations of an argument, a field, or the result of a function."""
    kinds = [getattr(node, "annotation", None)]
    if isinstance(node, ast.FunctionDef):
        private = node.name.startswith("_") and node.name != "__init__"
        kinds = [] if private else [node.returns]
    return [ast.unparse(kind) for kind in kinds if kind is not None]


def test_no_dictionary_crosses_between_rooms() -> None:
    """Packages exchange records: their fields have names and types, and documents are few."""
    names: dict[str, set[str]] = {}
    for path in FILES:
        if "finn_worker" not in path.parts:  # of another interpreter, which hands JSON over
            names.setdefault(room(path), set()).update(loose(tree(path)))
    crossing = {
        alias.name
        for path in FILES
        for node in import_nodes(path)
        if isinstance(node, ast.ImportFrom) and source(node, path).startswith("shellgen.")
        for alias in node.names
        if (other := source(node, path).split(".")[1]) != room(path) and alias.name in names.get(other, set())
    }
    assert crossing == set(DOCUMENTS)


def test_a_loose_dictionary_is_seen() -> None:
    text = "def f(a: int) -> list[dict[str, Any]]: ...\nclass C:\n    a: Mapping[str, object]\n"
    more = "def _g(a: dict[str, Any]) -> None: ...\nclass D:\n    def _of(self) -> dict[str, Any]: ...\n"
    assert loose(ast.parse(text + more)) == {"f", "C"}


def test_records_are_imported_by_the_names_that_are_listed() -> None:
    """Three lists name them: for type checkers, for `import *`, and for the import on demand."""
    assert set(model._WHERE) == set(model.__all__)
    assert all(getattr(model, name).__module__ for name in ("Converter", "Plan"))
