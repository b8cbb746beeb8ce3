# SPDX-License-Identifier: BSD-3-Clause
"""Modules that a partition instantiates and no source of it defines: Vivado's own, or lost files."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping

from shellgen.model import MissingModule, Partition
from shellgen.read.verilog import Verilog, lex
from shellgen.resources import vendor_models

_LOG = logging.getLogger(__name__)
# Words that stand before a name and a parenthesis and are no module.
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
    always always_comb always_ff always_latch and assert assign assume automatic begin bit buf bufif0
    bufif1 byte case casex casez cover covergroup default defparam disable else end endcase endfunction
    endgenerate endmodule endtask enum event expect export extern final for force forever fork function
    generate genvar if import initial inout input int integer interface localparam logic longint
    macromodule module nand nor not notif0 notif1 or output package parameter posedge negedge primitive
    program property real reg repeat return sequence shortint signed specify static string struct task
    time tran typedef union unique uwire var virtual void wait while wire with xnor xor
    """,
    )
)
_BEFORE = frozenset(
    {";", "end", "endgenerate", "endfunction", "endtask", "endcase", "generate", "endspecify"}
)
_IN_CHOICE = frozenset({")", "else", ":", "begin", "`else", "`endif"})


def with_missing(partitions: tuple[Partition, ...], files: Mapping[str, bytes]) -> tuple[Partition, ...]:
    """Return the partitions with the modules that they lack; warn of those that nobody will find.

    Args:
        partitions: With the names that their modules have in the end; what one defines, all have.
        files: Content by sha256.
    """
    texts = [_texts(partition, files) for partition in partitions]
    defined = {name for own in texts for verilog in own.values() for name in verilog.spans}
    models = vendor_models()
    result = []
    for partition, own in zip(partitions, texts, strict=True):
        lost = tuple(entry for entry in missing_modules(partition.top, own) if entry.module not in defined)
        for entry in lost:
            if entry.certain and entry.module not in models and not partition.black_box:
                _LOG.warning(
                    "%s: %s:%d instantiates %s, which no source of the build defines, so no bench can run it",
                    partition.name,
                    entry.file,
                    entry.line,
                    entry.module,
                )
        result.append(partition.model_copy(update={"missing": lost}))
    return tuple(result)


def _texts(partition: Partition, files: Mapping[str, bytes]) -> dict[str, Verilog]:
    return {
        source.name: lex(files[source.sha256].decode("utf-8", "replace"))
        for source in partition.sources
        if source.kind in ("verilog", "systemverilog")
    }


def missing_modules(top: str, texts: Mapping[str, Verilog]) -> Iterator[MissingModule]:
    """Yield each module once that is instantiated below ``top`` and defined nowhere.

    Whether a branch of a ``generate`` or an ``ifdef`` is taken is left to the simulator, so what stands in
    one is not certain to be needed.
    """
    owner = {name: file for file, verilog in texts.items() for name in verilog.spans}
    seen: dict[str, bool] = {}
    lost: dict[str, MissingModule] = {}
    pending = [(top, True)]
    while pending:
        name, certain = pending.pop(0)
        known = seen.get(name)
        if name not in owner or known or known == certain:
            continue
        seen[name] = certain
        verilog = texts[owner[name]]
        for module, index, always in _instances(verilog, name):
            if module in owner:
                pending.append((module, certain and always))
            elif module not in lost or (certain and always and not lost[module].certain):
                line = verilog.line(verilog.tokens[index])
                lost[module] = MissingModule(
                    module=module, file=owner[name], line=line, certain=certain and always
                )
    yield from (lost[name] for name in sorted(lost))


def _instances(verilog: Verilog, name: str) -> Iterator[tuple[str, int, bool]]:
    """Yield (module, token, outside every choice) of what one module instantiates."""
    start, end = verilog.spans[name]
    code, tokens = verilog.code, verilog.tokens
    blocks = choices = 0
    for at in range(start + 2, end - 2):
        word = code[at]
        blocks += {"begin": 1, "end": -1}.get(word, 0)
        choices += {"`ifdef": 1, "`ifndef": 1, "`endif": -1}.get(word, 0)
        if tokens[at].kind != "word" or word in _KEYWORDS or word[0] in "`$":
            continue
        before = code[at - 1]
        if before == ":" and code[at - 2] in _BEFORE | {"begin"}:
            continue  # the name of a block
        starts = before in _BEFORE or before in _IN_CHOICE or _after_name(code, at)
        if starts and _is_instance(verilog, at, end):
            yield word, at, not blocks and not choices and before not in {")", "else", ":"}


def _after_name(code: tuple[str, ...], at: int) -> bool:
    """Whether the word follows `` `ifdef NAME`` or ``begin : name``."""
    labelled = code[at - 2] == ":" and code[at - 3] in _BEFORE | {"begin"}
    return labelled or code[at - 2] in {"`ifdef", "`ifndef", "`elsif", "`undef", "`default_nettype"}


def _is_instance(verilog: Verilog, at: int, end: int) -> bool:
    """Whether ``name [#(...)] instance [range] (`` stands there."""
    code = verilog.code
    at += 1
    if code[at] == "#":
        at = _past(code, at + 1, end) if code[at + 1] == "(" else at + 2
    if at >= end or verilog.tokens[at].kind != "word" or code[at] in _KEYWORDS or code[at][0] in "`$":
        return False
    at += 1
    while at < end and code[at] == "[":
        at = _past(code, at, end)
    return at < end and code[at] == "("


def _past(code: tuple[str, ...], at: int, end: int) -> int:
    """Return the index after the bracket that closes the one at ``at``."""
    depth = 0
    while at < end:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[at], 0)
        at += 1
        if not depth:
            break
    return at
