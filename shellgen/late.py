# SPDX-License-Identifier: BSD-3-Clause
"""`dataclass` of the standard library, put off until the first object of a class is made.

`dataclasses` compiles up to seven functions for a class, which takes half a millisecond. `plan` imports 130
such classes and makes objects of a third of them.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from threading import RLock, active_count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **options):
        """Make a class a dataclass when its first object is made; arguments are those of `dataclasses`.

        Until then `dataclasses.fields` knows nothing of the class. Not for slots, and not for objects that
        another process unpickles, as those of `shellgen.build`.
        """
        if cls is None:
            return partial(dataclass, **options)

        def first(self, *args, **named):
            _finish(cls)
            cls.__init__(self, *args, **named)

        cls.__init__, cls._put_off = first, options
        return cls


__all__ = ["dataclass"]

_finishing = RLock()


def _finish(cls: Any) -> None:
    """Make dataclasses of a class and of those that it is derived from."""
    with _finishing:
        for one in reversed(cls.__mro__):
            options = one.__dict__.get("_put_off")
            if options is None:
                continue
            if active_count() == 1:
                del one.__init__
                dataclasses.dataclass(**options)(one)
            else:  # never without an __init__: another thread may make an object at any moment
                dataclasses.dataclass(**options, init=False)(one)
                derived: Any = type(one.__name__, (one,), {})
                one.__init__ = dataclasses.dataclass(**options | {"eq": False})(derived).__init__
            del one._put_off
