# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as a site: every page is in its menu, and every link leads somewhere."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from written_pages import GROUP, written_pages

from shellgen.schema import SCHEMAS
from tools.site import CONFIG, MODULES, ROOT, links, stage, tracked
from tools.site.__main__ import main

# Pages of single benchmarks, which the page of all benchmarks links to.
NOT_IN_THE_MENU = re.compile(r"benchmarks/\w+/README\.md|docs/(?:api|blocks)\.md")


class Config(yaml.SafeLoader):  # type: ignore[misc]  # the package has no types
    """Reads mkdocs.yml without calling the Python functions that it names."""


Config.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def menu(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    below = entry.values() if isinstance(entry, dict) else entry
    return [path for item in below for path in menu(item)]


@GROUP
def test_pages_and_links() -> None:
    files = stage(written_pages())
    shown = menu(yaml.load(CONFIG.read_text(), Loader=Config)["nav"])  # noqa: S506 - a safe loader
    assert len(shown) == len(set(shown))
    for name, make in SCHEMAS.items():
        assert json.loads(files[f"docs/{name}.schema.json"]) == make()
    assert set(shown) <= files.keys()
    pages = [path for path in files if path.endswith(".md")]
    # A module that a page names is documented.
    named = {
        name
        for path in tracked()
        if path.startswith("docs/") and path.endswith(".md")
        for name in re.findall(r"`(shellgen(?:\.[a-z]\w*)+)\.\w+", (ROOT / path).read_text())
    }
    assert {"shellgen.progress", "shellgen.testing"} <= named
    known = {name for name in named if (ROOT / name.replace(".", "/")).with_suffix(".py").is_file()}
    assert known <= {*MODULES, "shellgen.simulate.options"}, "SimulateOptions is shown with shellgen.api"
    assert {path for path in tracked() if path.endswith(".md")} <= set(pages)
    lists = {path for path in pages if path.endswith("/index.md")}
    lacking = set(pages) - lists - set(shown)
    assert not [path for path in lacking if not NOT_IN_THE_MENU.fullmatch(path)]
    for page in pages:
        assert not re.search(r"^```console .", files[page].decode(), re.MULTILINE), page
        for target in links(files[page].decode(), page):
            assert target in files, (page, target)


def test_a_dead_link_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[no file](boards/none.toml)\n```\n[code](none)\n```\n")
    monkeypatch.setattr("tools.site.ROOT", tmp_path)
    monkeypatch.setattr("tools.site.tracked", lambda: ["a.md"])
    with pytest.raises(ValueError, match=r"a\.md: the repository has no boards/none\.toml"):
        stage({})


class Page(HTMLParser):
    """Collects the links and the ids of a rendered page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids |= {name for key in ("id", "name") if (name := given.get(key))}
        self.links |= {link for key in ("href", "src", "srcset") if (link := given.get(key))}


def missing_headings(page: str, text: str, site: Path) -> list[str]:
    """Return the sections that a rendered page does not have: a block that is not closed hides them."""
    bare = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    shown = (site / page).with_suffix(".html")
    count = len(re.findall(r"<h2\b", shown.read_text())) if shown.exists() else 0
    heads = re.findall(r"^## (.*)$", bare, re.MULTILINE)
    return heads if count < len(heads) else []


@pytest.mark.sweep
def test_the_site_is_rendered_the_same_twice(tmp_path: Path) -> None:
    """MkDocs refuses dead links of pages; links in HTML and those of blocks' pages are looked up here."""
    digests = []
    for out in (tmp_path / "one", tmp_path / "two"):
        assert main(["-o", str(out)]) == 0
        digests.append(
            {
                path.relative_to(out): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in sorted(out.rglob("*"))
                if path.is_file()
            }
        )
    assert digests[0] == digests[1]
    out = tmp_path / "one"
    # 404.html is shown at any path, so its links are those of a server's root.
    pages = {path: Page(path.read_text()) for path in out.rglob("*.html") if path.name != "404.html"}
    dead = [
        (str(path.relative_to(out)), link)
        for path, page in pages.items()
        for link in page.links
        if not re.match(r"\w+:|//", link) and not leads_somewhere(pages, path, link)
    ]
    assert not dead
    written = [path for path in tracked() if path.endswith(".md") and not path.endswith("README.md")]
    assert len(written) > 20
    assert not [path for path in written if missing_headings(path, (ROOT / path).read_text(), out)]


@pytest.mark.sweep
def test_versions_of_the_site(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Two versions side by side in a branch; the files that the repository shows stay as they are."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    git("init", "--quiet", "--initial-branch", "main")
    git("config", "user.name", "A")
    git("config", "user.email", "a@b.c")
    git("commit", "--quiet", "--allow-empty", "--message", "first")
    where = ["--repository", str(tmp_path), "--branch"]
    for version in ("0.1.0", "0.2.0"):
        assert main([*where, "pages", "--version", version]) == 0
    assert git("status", "--porcelain") == ""
    known = json.loads(git("show", "pages:versions.json"))
    assert [(one["version"], one["aliases"]) for one in known] == [("0.2.0", ["latest"]), ("0.1.0", [])]
    files = git("ls-tree", "-r", "--name-only", "pages").splitlines()
    assert {f"{one}/docs/faq.html" for one in ("0.1.0", "0.2.0", "latest")} <= set(files)
    assert 'url=latest/"' in git("show", "pages:index.html")
    assert 'url=../../0.2.0/docs/faq.html"' in git("show", "pages:latest/docs/faq.html")
    # The selector of versions, which only such a site has.
    assert '"provider": "mike"' in git("show", "pages:0.1.0/index.html")
    with pytest.raises(SystemExit):
        main([*where, "main"])
    assert "--branch: main is checked out" in capfd.readouterr().err


def leads_somewhere(pages: dict[Path, Page], path: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = Path(posixpath.normpath(path.parent / name)) if name else path
    target = target / "index.html" if target.is_dir() else target
    return target.is_file() and (not anchor or target not in pages or anchor in pages[target].ids)
