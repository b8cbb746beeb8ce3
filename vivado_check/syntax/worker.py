# SPDX-License-Identifier: BSD-3-Clause
"""The other end of `vivado_check.syntax.process`: answers one request a line, in JSON, until its input ends.

Slang overflows its stack on some nestings and takes all memory for some macros, which ends the process. So it
is not that of the user's command, has bounds, and says by ``refused`` what it met if it lives. It gets texts
and opens none, so the kernel lets it read nothing but Python's own files.
"""

from __future__ import annotations

import contextlib
import json
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from vivado_check.confine.worker import confine_parser

# Bytes. The largest files of public builds, wrappers and netlists of 4 MB, take a tenth of it.
_MEMORY = 1 << 30
# A partition of 5 dense layers, 64 rows at a time, with thresholds takes 1.4 GiB when it is elaborated.
_DESIGN_MEMORY = 4 << 30
_STACK = 256 << 20


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command gets it, and ends this process
    _bound(_MEMORY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.stack_size(_STACK)
    thread = threading.Thread(target=_serve)
    thread.start()
    thread.join()


def _bound(memory: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _serve() -> None:
    with contextlib.suppress(ImportError):  # reported with the first request
        import vivado_check.syntax.elaborate  # noqa: F401, PLC0415 - slang starts after the bounds
    confine_parser()  # this thread, in which all texts are read
    for line in sys.stdin:
        try:
            answer = _answer(json.loads(line))
        except ImportError as error:
            answer = {"lacks": str(error)}
        except Exception:
            answer = {"bug": traceback.format_exc()}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    from vivado_check.syntax.elaborate import elaborated  # noqa: PLC0415
    from vivado_check.syntax.facts import facts_of, lists_of  # noqa: PLC0415
    from vivado_check.syntax.joined import joined  # noqa: PLC0415
    from vivado_check.syntax.ports import ports_of  # noqa: PLC0415
    from vivado_check.syntax.prepare import prepare  # noqa: PLC0415
    from vivado_check.syntax.trees import NestingError  # noqa: PLC0415

    known: dict[str, Callable[..., Any]] = {
        "elaborated": elaborated,
        "facts": facts_of,
        "joined": joined,
        "lists": lists_of,
        "ports": ports_of,
        "includes": lambda text: prepare(text).includes,
    }
    design = request["what"] == "elaborated"
    if design:
        _bound(_DESIGN_MEMORY)  # for good: what slang gives back need not go back to the system
    try:
        return {"answer": known[request["what"]](*request["arguments"])}
    except MemoryError:
        return {"refused": "design" if design else "memory"}
    except NestingError:
        return {"refused": "nesting"}
    except RuntimeError as error:
        if str(error):
            raise
        return {"refused": "nesting"}  # slang's own limit of it comes without words
