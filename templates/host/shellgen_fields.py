# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the fields of a document that came as JSON. Standard library only, Python 3.8 or later.

A check is called with a value and its place in the document, and raises FieldError, which names the place.
"""

from shellgen_bus import printable

U32, U64 = (1 << 32) - 1, (1 << 64) - 1
MOST = 1 << 40  # bytes of anything that has a size
LONGEST = 4096  # of a line of text


class FieldError(Exception):
    """A wrong field: its place, and the reason."""


def number(low=0, high=U64, of=1):
    """Check a whole number, a multiple of ``of``."""

    def check(value, place):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high or value % of:
            more = f", a multiple of {of}" if of > 1 else ""
            raise FieldError(f"{place} is {told(value)}, and not a whole number from {low} to {high}{more}")

    return check


def text(value, place):
    """Check a line that can be shown."""
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= LONGEST:
        raise FieldError(f"{place} is {told(value)}, and not a line of text")


def identifier(value, place):
    """Check a hexadecimal number of 16 digits."""
    if not isinstance(value, str) or len(value) != 16 or set(value) - set("0123456789abcdef"):
        raise FieldError(f"{place} is {told(value)}, and not 16 hexadecimal digits")


def inside(value, place):
    """Check the name of a file below the folder of the map."""
    text(value, place)
    if value.startswith("/") or ".." in value.split("/"):
        raise FieldError(f"{place} is {told(value)}, which is not in the folder of the map")


def one_of(*known):
    """Check a value that is one of a few."""

    def check(value, place):
        if not any(value == one and type(value) is type(one) for one in known):
            raise FieldError(f"{place} is {told(value)}, and not one of {', '.join(map(repr, known))}")

    return check


def either(first, second):
    """Check a value of one kind, or of another."""

    def check(value, place):
        try:
            first(value, place)
        except FieldError:
            second(value, place)

    return check


def each(item, least=0):
    """Check a list."""

    def check(value, place):
        if not isinstance(value, list) or len(value) < least:
            raise FieldError(
                f"{place} is {told(value)}, and not a list" + (f" of {least} or more" if least else "")
            )
        for at, one in enumerate(value):
            item(one, f"{place}[{at}]")

    return check


class Record:
    """Checks an object: its fields, and what must hold between them.

    Args:
        fields: What checks each of them.
        between: Called with the object and its place when all fields are right.
    """

    def __init__(self, fields, between=None):
        self.fields, self._between = fields, between

    def __call__(self, value, place):
        if not isinstance(value, dict):
            raise FieldError(f"{place} is {told(value)}, and not an object")
        for name, check in self.fields.items():
            if name not in value:
                raise FieldError(f"{place} has no {name!r}")
            check(value[name], f"{place}.{name}" if place else name)
        if self._between:
            self._between(value, place)


def told(value):
    """Return a value for a message, short and on one line."""
    shown = "nothing" if value is None else repr(value) if isinstance(value, (str, int, float)) else ""
    return printable(shown or f"a {type(value).__name__}", 80)


def maybe(check):
    """Check a value that may be missing."""
    return lambda value, place: None if value is None else check(value, place)


def unique(records, place):
    """Raise FieldError if two of them have one name."""
    seen = set()
    for one in records:
        if one["name"] in seen:
            raise FieldError(f"{place} has {told(one['name'])} twice")
        seen.add(one["name"])


def need(condition, place, what):
    """Raise FieldError unless a condition holds."""
    if not condition:
        raise FieldError(f"{place}: {what}")
