# SPDX-License-Identifier: BSD-3-Clause
"""Reads report.html as a browser does, and knows the tags and attributes that its templates write."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

VOID = {"meta", "wbr"}
TAGS = VOID | {
    *("html", "head", "title", "style", "body", "header", "main", "section", "nav", "div", "span", "a"),
    *("p", "h1", "h2", "h3", "ul", "li", "pre", "table", "thead", "tbody", "tr", "th", "td"),
    *("details", "summary", "svg", "desc", "defs", "marker", "path", "g", "rect", "text"),
}
ATTRIBUTES = {
    *("id", "class", "href", "lang", "charset", "http-equiv", "content", "name", "role", "tabindex", "scope"),
    *("aria-label", "aria-labelledby", "aria-hidden", "viewbox", "width", "height", "x", "y", "rx", "d"),
    *("data-title",),
    *("font-size", "stroke-width", "marker-end", "refx", "refy", "markerunits", "markerwidth"),
    *("markerheight", "orient", "preserveaspectratio"),
}


class Page(HTMLParser):
    """Tags, ids, links and text of a page; every tag that opens must close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]
