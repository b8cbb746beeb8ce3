# SPDX-License-Identifier: BSD-3-Clause
"""XML without document types: so without entities, which can be short and mean gigabytes, or another file."""

from __future__ import annotations

from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

DEEPEST = 200
MOST_BYTES = 1 << 28


class XmlError(ValueError):
    """Why a text is not taken."""


def parse_xml(content: bytes) -> Element:
    """Return the root element; names are ``{namespace}name`` as in ElementTree, and comments are left out.

    Raises:
        XmlError: It is not XML, has a document type or an unknown encoding, or is too deep.
    """
    if len(content) > MOST_BYTES:
        raise XmlError(f"it has more than {MOST_BYTES >> 20} MiB")
    builder, depth = TreeBuilder(), 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise XmlError(f"its elements are nested more than {DEEPEST} deep")
        builder.start(
            _name(tag), {key if "}" not in key else _name(key): value for key, value in attributes.items()}
        )

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_name(tag))

    def document_type(*_: object) -> NoReturn:
        raise XmlError("it has a document type, which no IP-XACT has")

    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = document_type
    try:
        parser.Parse(content, True)
        return builder.close()
    except XmlError:
        raise
    except expat.ExpatError as error:
        raise XmlError(str(error)) from None
    except (LookupError, ValueError):
        raise XmlError("its encoding is not known") from None


def _name(tag: str) -> str:
    return "{" + tag if "}" in tag else tag
