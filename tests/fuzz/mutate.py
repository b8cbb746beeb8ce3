# SPDX-License-Identifier: BSD-3-Clause
"""One step of damage to the bytes of a file, blind or by its format. Every step is a function of its seed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any
from xml.etree import ElementTree

from fuzz.damage_npy import damage_npy
from fuzz.damage_onnx import damage_onnx
from fuzz.values import ENCODINGS, FLOATS, INTEGERS, TEXTS

Step = Callable[[Random, bytes], bytes]
_TOKEN = re.compile(rb"\d+(?:\.\d+)?|[A-Za-z_][\w.]*|\"[^\"\n]*\"|\S")
_LARGEST = 1 << 22  # doubling steps must not fill the disk


def mutate(kind: str, content: bytes, seeds: list[str]) -> bytes:
    """Apply one step for each seed; with fewer seeds, fewer of the same steps."""
    for seed in seeds:
        rng = Random(seed)
        steps = _STEPS.get(kind, (_bytes,))
        step = steps[0] if rng.random() < 0.75 else rng.choice((*steps, _bytes))
        try:
            content = step(rng, content)[:_LARGEST]
        except RecursionError:  # an earlier step has nested too deep for our own tools
            content = _bytes(rng, content)
    return content


def _bytes(rng: Random, content: bytes) -> bytes:
    """Damage that knows no format: what disks, transfers and editors do."""
    data = bytearray(content)
    at = rng.randrange(len(data) + 1)
    length = min(rng.choice((1, 1, 2, 4, 16, 64, 4096)), len(data) - at)
    match rng.randrange(12):
        case 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        case 1:
            del data[at : at + length]
        case 2:
            data[at:at] = data[at : at + length]
        case 3:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 8, 100)))
        case 4:
            del data[at:]
        case 5:
            data[at : at + length] = bytes(length)
        case 6:
            data[at:at] = rng.choice(TEXTS).encode("utf-8", "surrogatepass")
        case 7:
            return rng.choice((b"", b"\0", b"\n", b"{}", b"[]", b"null", b"\xff\xfe", bytes(100_000)))
        case 8:
            return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\0\0")) + content
        case 9:
            text = content.decode("utf-8", "replace")
            return text.encode(rng.choice(("utf-16", "utf-32", "utf-16-le", "cp037")), "replace")
        case 10:
            return bytes(data).replace(b"\n", rng.choice((b"\r\n", b"\r", b"", b"\n\n", b"\0\n")))
        case _:
            data[at:at] = bytes([rng.choice(b"([{\"'<\\-9")]) * rng.choice((10, 1000, 100_000))
    return bytes(data)


def _text(rng: Random, content: bytes) -> bytes:
    """Exchange a word, number or string of a text, or move its lines."""
    tokens = list(_TOKEN.finditer(content))
    if not tokens:
        return _bytes(rng, content)
    match rng.randrange(8):
        case 0 | 1 | 2 | 3:
            token = rng.choice(tokens)
            return content[: token.start()] + _like(rng, token[0]) + content[token.end() :]
        case 4:
            token = rng.choice(tokens)
            return content[: token.start()] + rng.choice(tokens)[0] + content[token.end() :]
        case _:
            lines = content.split(b"\n")
            at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            choice = rng.randrange(4)
            if choice == 0:
                del lines[at]
            elif choice == 1:
                lines.insert(at, lines[other])
            elif choice == 2:
                lines[at] = _encoded(rng.choice(TEXTS))
            else:
                lines[at:at] = [lines[other]] * rng.choice((2, 50, 2000))
            return b"\n".join(lines)


def _like(rng: Random, token: bytes) -> bytes:
    """Return another value: a number for a number most often, a string for a string."""
    if token[:1].isdigit() and rng.random() < 0.7:
        return str(rng.choice((*INTEGERS[:-1], *FLOATS))).encode()
    if token[:1] == b'"' and rng.random() < 0.8:
        return json.dumps(rng.choice(TEXTS), ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    return _encoded(rng.choice((*TEXTS, "[]", "{}", "true", "[[1, 2], 3]", "-7", "0.5", '"x"', "1979-05-27")))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _json(rng: Random, content: bytes) -> bytes:
    """Exchange, remove, rename or multiply what stands at some place of a JSON document."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return _text(rng, content)
    places = list(_places(data))
    if not places:
        return _bytes(rng, content)
    holder, key = rng.choice(places)
    match rng.randrange(8):
        case 0 if isinstance(holder, dict):
            holder[rng.choice(TEXTS)] = holder.pop(key)
        case 1:
            del holder[key]
        case 2 if isinstance(holder, list):
            holder[key:key] = [holder[key]] * rng.choice((1, 2, 1000))
        case 3:
            other, at = rng.choice(places)
            holder[key] = other[at] if other is not holder else None
        case 4:
            holder[key] = "@nest@"
        case _:
            holder[key] = _value(rng, holder[key])
    try:
        text = json.dumps(data, indent=1, ensure_ascii=rng.random() < 0.7)
    except (ValueError, RecursionError):  # an integer of 5000 digits, a holder inside itself
        return _text(rng, content)
    deep = rng.choice((10, 200, 100_000))
    return _encoded(text.replace('"@nest@"', "[" * deep + "]" * deep))


def _places(data: Any) -> Any:
    if isinstance(data, dict):
        for key, value in data.items():
            yield data, key
            yield from _places(value)
    elif isinstance(data, list):
        for key, value in enumerate(data):
            yield data, key
            yield from _places(value)


def _value(rng: Random, before: object) -> object:
    if isinstance(before, str) and rng.random() < 0.7:
        return rng.choice((*TEXTS, before[::-1], before + "x", before[:-1]))
    if isinstance(before, int | float) and rng.random() < 0.7:
        return rng.choice((*INTEGERS[:-1], *FLOATS, before + 1, -before))
    return rng.choice(
        (None, True, [], {}, [[]], {"": []}, [1, "a", None], {"a": {"b": 1}}, 0, -1, 0.5, "", "x")
    )


def _xml(rng: Random, content: bytes) -> bytes:
    """Damage elements, or what stands around them: declarations, entities, encodings, depth."""
    match rng.randrange(10):
        case 0:
            name = rng.choice(ENCODINGS)
            body = content.split(b"?>", 1)[-1]
            return f'<?xml version="1.0" encoding="{name}"?>'.encode() + body
        case 1:
            bombs = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
            dtd = f'<!DOCTYPE x [<!ENTITY e0 "aaaaaaaaaa">{bombs}<!ENTITY f SYSTEM "file:///etc/hostname">]>'
            body = content.split(b"?>", 1)[-1]
            entity = rng.choice((b"&e1;", b"&e11;", b"&f;", b"&none;"))
            return dtd.encode() + body.replace(b"name>", b"name>" + entity, rng.choice((1, 3)))
        case 2:
            deep = rng.choice((100, 3000, 200_000))
            return content.replace(b"</", b"<a>" * deep + b"</a>" * deep + b"</", 1)
        case _:
            return _elements(rng, content)


def _elements(rng: Random, content: bytes) -> bytes:
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - a seed of the tests, damaged by them
    except (ElementTree.ParseError, LookupError, ValueError, RecursionError):
        return _text(rng, content)
    parents = [element for element in root.iter() if len(element)]
    parent = rng.choice(parents or [root])
    element = rng.choice(list(parent) or [root])
    legal = [text for text in TEXTS if text.isprintable()]
    match rng.randrange(6):
        case 0 if element in parent:
            parent.remove(element)
        case 1:
            parent.extend([element] * rng.choice((1, 2, 500)))
        case 2:
            element.tag = rng.choice(list(root.iter())).tag
        case 3 if element.attrib:
            element.set(rng.choice(sorted(element.attrib)), rng.choice(legal))
        case _:
            leaf = rng.choice([found for found in root.iter() if not len(found)])
            leaf.text = str(rng.choice((*legal, *INTEGERS[:-1])))
    made: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=rng.random() < 0.5)
    return made


_STEPS: dict[str, tuple[Step, ...]] = {
    "text": (_text,),
    "json": (_json, _text),
    "xml": (_xml, _text),
    "npy": (damage_npy,),
    "onnx": (damage_onnx,),
}
