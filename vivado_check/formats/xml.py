# SPDX-License-Identifier: BSD-3-Clause
"""XML without document types: so without entities, which can be short and mean gigabytes, or another file."""

from __future__ import annotations

from typing import NoReturn
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

DEEPEST = 200
MOST_BYTES = 1 << 28


class XmlError(ValueError):
    """Why a text is not taken."""


class _Builder:
    """Target of a parser. The methods are those of a `TreeBuilder`, so that no Python runs for an element."""

    def __init__(self) -> None:
        builder = TreeBuilder()
        self.start, self.end, self.data, self.close = builder.start, builder.end, builder.data, builder.close

    def doctype(self, *_: object) -> NoReturn:
        raise XmlError("it has a document type, which no IP-XACT has")


def parse_xml(content: bytes) -> Element:
    """Return the root element; names are ``{namespace}name`` as in ElementTree, and comments are left out.

    Raises:
        XmlError: It is not XML, has a document type or an unknown encoding, or is too deep.
    """
    if len(content) > MOST_BYTES:
        raise XmlError(f"it has more than {MOST_BYTES >> 20} MiB")
    parser = XMLParser(target=_Builder())  # noqa: S314 - it has no entities without a document type
    try:
        parser.feed(content)
        root: Element = parser.close()
    except XmlError:
        raise
    except ParseError as error:
        raise XmlError(str(error)) from None
    except (LookupError, ValueError):
        raise XmlError("its encoding is not known") from None
    level, depth = [root], 1
    while level := [inner for element in level for inner in element]:
        depth += 1
        if depth > DEEPEST:
            raise XmlError(f"its elements are nested more than {DEEPEST} deep")
    return root
