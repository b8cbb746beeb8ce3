# SPDX-License-Identifier: BSD-3-Clause
"""A wrapper that gives a core other names: wires and nothing else, each to the signal of its own name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivado_check.ip.header import Head, read_head
from vivado_check.report import Message, Origin, Verdict
from vivado_check.shells import black_box
from vivado_check.syntax import join

from .base import Context, rule
from .planned_files import Text, texts
from .wires import bundles, drivers

_REMEDY = "join ports of one name, or generate the folder again"


@rule("wrapper-wires", scope="session", source="UG1393, RTL kernels; IEEE 1800-2017, 23.3", ours=True)
def wrapper_wires(context: Context) -> Iterator[Message]:
    """Elaborate the wrapper of a kernel around a core that has nothing but ports."""
    for _, core in texts(context, f"{context.node}_core.v"):
        head = read_head(core.text, f"{context.node}_core")
        for _, text in texts(context, "*/*_kernel.v") if head else ():
            name = text.name.rpartition("/")[2].removesuffix(".v")
            yield from _judged(text, name, head)  # type: ignore[arg-type]


def _judged(text: Text, top: str, core: Head) -> Iterator[Message]:
    shell = read_head(text.text, top)
    if shell is None:
        yield _said(
            Origin(text.name), top, "there is no such module", "a module of the file's name", Verdict.ERROR
        )
        return
    for line, port in _bare_ports(text.text):
        untyped = "its port has no kind of net, and `default_nettype is none"
        yield _said(Origin(text.name, line), port, untyped, "wire", Verdict.ERROR)
    joints, errors = join([("box", black_box(core, core.name)), (text.name, text.text)], {}, top, [])
    for error in errors:
        yield _said(
            Origin(text.name, error.line), top, error.text, "Verilog that Vivado takes", Verdict.ERROR
        )
    if errors:
        return
    inputs = {f"{top}.{port.name}" for port in shell.ports if port.direction == "input"}
    outputs = {f"{top}.{port.name}" for port in shell.ports if port.direction == "output"}

    def is_port(path: str) -> bool:
        return path.count(".") == 2

    told = set()
    for found in (*drivers(joints, outputs, inputs, is_port), *bundles(joints, is_port)):
        told.add(where := found.where.removeprefix(f"{top}."))
        yield _said(Origin(text.name, found.line), where, found.found, found.expected)
    for joint in joints:
        if joint.inverted:
            told.add(where := joint.target.removeprefix(f"{top}."))
            yield _said(Origin(text.name, joint.line), where, "it is inverted", "a wire")
    for line, pin, made_of in _expressions(text.text):
        if not any(where.endswith(f".{pin}") for where in told):
            yield _said(
                Origin(text.name, line), pin, f"it is joined to {made_of}", "a port, whole and as it is"
            )


def _expressions(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the pins of instances that are joined to more, or to less, than a name."""
    for number, line in enumerate(text.splitlines(), 1):
        for pin, made_of in re.findall(r"\.(\w+)\s*\(([^()]*)\)", line.partition("//")[0]):
            if not re.fullmatch(r"\s*[A-Za-z_]?\w*\s*", made_of) or made_of.strip()[:1].isdigit():
                yield number, pin, made_of.strip()


def _bare_ports(text: str) -> Iterator[tuple[int, str]]:
    """Yield ports without a kind of net where no net is implicit (IEEE 1800-2017, 22.8)."""
    implicit = True
    for number, line in enumerate(text.splitlines(), 1):
        if told := re.match(r"\s*`default_nettype\s+(\w+)", line):
            implicit = told[1] != "none"
        port = re.match(r"\s*(?:input|output|inout)\s+(?:\[[^]]*\]\s*)?(\w+)\s*,?\s*$", line)
        if port and not implicit:
            yield number, port[1]


def _said(
    origin: Origin, where: str, found: str, expected: str, verdict: Verdict = Verdict.FINDING
) -> Message:
    return Message("wrapper-wires", verdict, origin, where, found, expected, _REMEDY)
