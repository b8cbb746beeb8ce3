# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of a SystemRDL map as PeakRDL-html shows them."""

from __future__ import annotations

import html
import re

from peakrdl_html import HTMLExporter
from systemrdl.node import AddrmapNode


def check_plain(top: AddrmapNode) -> int:
    """Check that a reader sees every description as it stands, and return their number."""
    markdown = HTMLExporter().markdown_inst
    count = 0
    for node in (top, *top.descendants(unroll=False)):
        text = node.get_property("desc")
        if text is not None:
            shown = node.get_html_desc(markdown)
            assert shown is not None
            assert set(re.findall(r"<[^>]*>", shown)) <= {"<p>", "</p>"}, shown
            assert html.unescape(re.sub(r"<[^>]*>", "", shown)).strip() == text, shown
            count += 1
    return count
